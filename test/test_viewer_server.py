# Copyright 2026 The dq_ik Authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""The page is open to this machine and to itself, and to nobody else."""

from __future__ import annotations

import asyncio
import http.client
from pathlib import Path
import socket
import time
import urllib.request

from dq_ik.viewer.address import free_port, ViewerError, Visitors
from dq_ik.viewer.server import open_server
import pytest
import rich
import viser
from viser._messages import ShareUrlRequest
import websockets

PROTOCOL = f'viser-v{viser.__version__}'


@pytest.fixture
def server():
    """Serve an empty page on a free port."""
    page = open_server(port=0)
    yield page
    page.stop()


def connects(server, origin: str | None, host: str = '', address: str = '') -> bool:
    """Tell whether a socket opened by a page of ``origin`` is accepted."""
    async def attempt() -> bool:
        uri = f'ws://{host or address or server.get_host()}:{server.get_port()}'
        where = {'host': address} if address else {'host': '127.0.0.1'}
        try:
            async with websockets.connect(
                    uri, origin=origin, subprotocols=[PROTOCOL], proxy=None, **where):
                return True
        except websockets.exceptions.InvalidStatus as error:
            return error.response.status_code != 403

    return asyncio.run(attempt())


def test_own_page_may_open_the_socket(server):
    """By address and by name."""
    assert connects(server, server.url)
    assert connects(server, f'http://localhost:{server.get_port()}')


@pytest.mark.parametrize('origin', [
    'http://evil.example', 'http://127.0.0.1:1', 'https://127.0.0.1', 'null', None])
def test_foreign_origins_are_refused(server, origin):
    """A web site that the user visits cannot move the robot."""
    assert not connects(server, origin)


def test_further_origins_can_be_allowed():
    """For a reverse proxy."""
    page = open_server(port=0, origins=('https://robot.example',))
    assert connects(page, 'https://robot.example')
    page.stop()


def test_listens_on_loopback_only(server):
    """Nobody on the network sees the page."""
    assert server.get_host() == '127.0.0.1'
    sockets = [line.split()[1] for line in Path('/proc/net/tcp').read_text().splitlines()[1:]]
    port = f'{server.get_port():04X}'
    assert {local.split(':')[0] for local in sockets if local.endswith(':' + port)} == {'0100007F'}


def test_page_is_complete_without_internet(server):
    """All scripts and styles come from here."""
    with urllib.request.urlopen(server.url, timeout=5) as answer:
        html = answer.read().decode()
    assert '<script' in html
    assert 'src="http' not in html
    assert 'href="http' not in html


def test_no_client_can_start_a_share_tunnel(server, monkeypatch):
    """The handler of viser is still there, but finds nothing to start."""
    import viser._viser

    monkeypatch.setattr(
        viser._viser, 'ViserTunnel', lambda *_: pytest.fail('a tunnel was opened'))
    assert server.request_share_url() is None
    for handler in server._websock_server._incoming_handlers[ShareUrlRequest]:
        handler(0, ShareUrlRequest())
    time.sleep(0.2)
    assert server._share_tunnel is None


def test_a_busy_port_moves_the_page_to_the_next(server):
    """And the address says so."""
    other = open_server(port=server.get_port())
    assert other.get_port() > server.get_port()
    assert connects(other, other.url)
    assert not connects(other, server.url)
    other.stop()


def test_a_host_that_is_not_ours_is_an_error():
    """Instead of waiting for ever."""
    with pytest.raises(ViewerError, match=r'192\.0\.2\.1'):
        free_port('192.0.2.1', 8080)


def test_a_full_range_of_ports_is_an_error(monkeypatch):
    """With the range in the message."""
    monkeypatch.setattr('dq_ik.viewer.address.PORT_ATTEMPTS', 0)
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ViewerError, match=f'ports {port} to {port}'):
            free_port('127.0.0.1', port)


def status(server, host: str) -> int:
    """Return the answer to a request for the page under a name."""
    connection = http.client.HTTPConnection('127.0.0.1', server.get_port(), timeout=5)
    connection.request('GET', '/', headers={'Host': host})
    return connection.getresponse().status


@pytest.mark.parametrize('host', [
    'evil.example', 'localhost.evil.example', '10.1.2.3', '[::2', ''])
def test_a_page_asked_for_by_a_foreign_name_is_refused(server, host):
    """A name that its owner lets lead here does not make the page his."""
    port = server.get_port()
    assert status(server, f'{host}:{port}') == 403
    assert status(server, f'localhost:{port}') == status(server, f'127.0.0.1:{port}') == 200
    if host and '[' not in host:
        assert not connects(server, f'http://{host}:{port}', host=host)


def test_an_open_page_is_reached_by_address_and_name_of_the_machine():
    """But not by the names of others."""
    page = open_server(host='0.0.0.0', port=0)
    port = page.get_port()
    addresses = {'127.0.0.1', '127.0.0.2', *own_addresses()}
    for address in addresses:
        assert connects(page, f'http://{address}:{port}', address=address)
        assert not connects(page, f'http://evil.example:{port}', address=address)
    assert connects(page, f'http://{socket.gethostname()}:{port}', host=socket.gethostname())
    assert not connects(page, f'http://10.1.2.3:{port}', host='10.1.2.3')
    page.stop()


def own_addresses() -> set[str]:
    """Return the address that this machine has in its network, if it is in one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # sends nothing
        except OSError:
            return set()
        return {probe.getsockname()[0]}


@pytest.mark.parametrize(('host', 'reached', 'allowed'), [
    ('[::1]:80', '::1', True), ('[fe80::1]:80', 'fe80::1%eth0', True),
    ('[fe80::2]', 'fe80::1', False), ('192.168.1.5:80', '::ffff:192.168.1.5', True),
    ('192.168.1.6', '192.168.1.5', False)])
def test_addresses_are_compared_as_numbers(host, reached, allowed):
    """In any spelling."""
    assert Visitors('::').may_see(host, reached) is allowed


def test_opening_and_closing_print_nothing(capfd):
    """Those who open the page announce it themselves; the console works as before."""
    open_server(port=0).stop()
    rich.print('afterwards')
    assert capfd.readouterr() == ('afterwards\n', '')
