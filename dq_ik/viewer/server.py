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

"""A viser server that listens to this machine only and to its own page only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import functools
import socket
import threading
from unittest import mock

import rich
import viser
import websockets.asyncio.server

from dq_ik.viewer.errors import ViewerError

LOOPBACK = '127.0.0.1'
DEFAULT_PORT = 8080
PORT_ATTEMPTS = 20

_construction = threading.Lock()


def open_server(
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    label: str = 'dq_ik',
    origins: tuple[str, ...] = (),
) -> viser.ViserServer:
    """
    Serve an empty page, with the open doors of viser's defaults closed.

    viser by itself listens on every network interface, accepts sockets opened by any web site that
    the user visits, and starts a public tunnel when any client asks. Here the host is loopback
    unless chosen otherwise, the socket is refused to foreign origins, and there is no tunnel.

    :param host: interface to bind; anything but loopback exposes the robot to the network
    :param port: first port to try; the page moves to a later one when it is taken (compare
        with :func:`url`), 0 lets the system choose
    :param origins: further web origins allowed to open the socket, such as a reverse proxy's
    """
    port = free_port(host, port)
    allowed = [*page_origins(host, port), *origins]
    serve = functools.partial(websockets.asyncio.server.serve, origins=allowed)
    with (_construction, quiet_console(),
          mock.patch.object(websockets.asyncio.server, 'serve', serve)):
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    if server.get_port() != port:
        close_server(server)
        raise ViewerError(f'port {port} on {host} was taken while the page was being opened')
    server.request_share_url = _no_share_url
    server.gui.configure_theme(
        dark_mode=True, show_logo=False, show_share_button=False, brand_color=(38, 150, 190),
        control_width='medium',
    )
    return server


def close_server(server: viser.ViserServer) -> None:
    """End the page."""
    with quiet_console():
        server.stop()


@contextmanager
def quiet_console() -> Iterator[None]:
    """Keep the banners of viser off the terminal: who opens a page says so in his own words."""
    with mock.patch.object(rich.get_console(), 'quiet', True):
        yield


def url(server: viser.ViserServer) -> str:
    """Return the address of the page, to be opened in a browser."""
    return f'http://{server.get_host()}:{server.get_port()}'


def page_origins(host: str, port: int) -> list[str]:
    """Return the origins that a browser showing this very page can have."""
    names = {host, 'localhost', LOOPBACK}
    if host in ('0.0.0.0', '::'):
        names.add(socket.gethostname())
    return [f'http://{name}:{port}' for name in sorted(names)]


def free_port(host: str, port: int) -> int:
    """
    Return the first free port at or after ``port``.

    :raises ViewerError: when the host is not ours to bind, or a whole range is busy
    """
    last = port + PORT_ATTEMPTS if port else 0
    for candidate in range(port, last + 1):
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, candidate))
                return probe.getsockname()[1]
        except PermissionError as error:
            raise ViewerError(f'port {candidate} needs privileges: {error}') from error
        except OSError as error:
            if not _port_is_busy(host, candidate):
                raise ViewerError(f'cannot listen on host {host!r}: {error}') from error
    raise ViewerError(f'ports {port} to {last} on {host} are all busy; choose another one')


def _port_is_busy(host: str, port: int) -> bool:
    """Tell a busy port from a host that cannot be bound at all."""
    try:
        with socket.socket() as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True


def _no_share_url(verbose: bool = True) -> None:
    """Refuse a public tunnel, whoever asks for it."""
