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
from pathlib import Path
import socket
import time
import urllib.request

from dq_ik.viewer.address import free_port, page_origins, ViewerError
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


def connects(server, origin: str | None) -> bool:
    """Tell whether a socket opened by a page of ``origin`` is accepted."""
    async def attempt() -> bool:
        address = server.url.replace('http', 'ws')
        try:
            async with websockets.connect(address, origin=origin, subprotocols=[PROTOCOL]):
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


def test_origins_of_an_open_host_contain_the_machine_name():
    """For those who choose to expose the page."""
    assert f'http://{socket.gethostname()}:80' in page_origins('0.0.0.0', 80)


def test_opening_and_closing_print_nothing(capfd):
    """Those who open the page announce it themselves; the console works as before."""
    open_server(port=0).stop()
    rich.print('afterwards')
    assert capfd.readouterr() == ('afterwards\n', '')
