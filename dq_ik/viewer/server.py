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

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
import threading
from typing import Any

from dq_ik.viewer.address import DEFAULT_PORT, free_port, LOOPBACK, ViewerError, Visitors
import rich
import viser
import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

_construction = threading.Lock()


class PageServer(viser.ViserServer):
    """
    A page with the defaults of viser that would let others in switched off.

    viser listens on every network interface, accepts sockets opened by any web site that the user
    visits, and starts a public tunnel when any client asks. Here the host is loopback unless
    chosen otherwise, page and socket are refused to others than the visitors, and there is no
    tunnel.
    """

    def __init__(self, host: str, port: int, label: str, visitors: Visitors) -> None:
        """Serve an empty page; viser has no option for the visitors, so they go past it."""
        def serve(handler: Any, *args: Any, process_request: Any, **kwargs: Any) -> Any:
            return plain_serve(
                handler, *args, process_request=_checked(process_request, visitors), **kwargs)

        plain_serve = websockets.asyncio.server.serve
        with _construction, _quiet(), _replaced(websockets.asyncio.server, 'serve', serve):
            super().__init__(host=host, port=port, label=label, verbose=False)

    @property
    def url(self) -> str:
        """Return the address of the page, to be opened in a browser."""
        return f'http://{self.get_host()}:{self.get_port()}'

    def request_share_url(self, verbose: bool = True) -> None:
        """Refuse a public tunnel, whoever asks for it."""

    def stop(self) -> None:
        """End the page."""
        with _quiet():
            super().stop()


def open_server(
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    label: str = 'dq_ik',
    origins: tuple[str, ...] = (),
) -> PageServer:
    """
    Serve an empty page.

    :param host: interface to bind; anything but loopback exposes the robot to the network
    :param port: first port to try; the page takes a later one when it is busy, 0 lets the system
        choose
    :param origins: further web origins allowed to open the socket, such as a reverse proxy's
    """
    port = free_port(host, port)
    server = PageServer(host, port, label, Visitors(host, origins))
    if server.get_port() != port:
        server.stop()
        raise ViewerError(f'port {port} on {host} was taken while the page was being opened')
    set_theme(server)
    return server


def set_theme(server: viser.ViserServer, dark: bool = True) -> None:
    """Make a page dark or light, without logo and share button."""
    server.gui.configure_theme(
        dark_mode=dark, show_logo=False, show_share_button=False, brand_color=(38, 150, 190),
        control_width='medium')


def _checked(answer: Callable[..., Response | None], visitors: Visitors) -> Callable[..., Any]:
    """Return what answers a request, after a look at its ``Host`` and, of a socket, ``Origin``."""
    def process(connection: ServerConnection, request: Request) -> Response | None:
        host, origin = (','.join(request.headers.get_all(name)) for name in ('Host', 'Origin'))
        reached = connection.local_address[0]
        is_socket = request.headers.get('Upgrade') is not None
        if visitors.may_connect(host, origin, reached) if is_socket else visitors.may_see(
                host, reached):
            return answer(connection, request)
        return connection.respond(HTTPStatus.FORBIDDEN, 'open the page by an address of its own\n')

    return process


def _quiet() -> AbstractContextManager[None]:
    """Keep the banners of viser off the terminal; those who open a page announce it."""
    return _replaced(rich.get_console(), 'quiet', True)


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Give an attribute another value for a while."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
