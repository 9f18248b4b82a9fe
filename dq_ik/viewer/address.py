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
"""Where the page is served: ports that are free, and who may open the page. No viser."""

from __future__ import annotations

from collections.abc import Iterable
import errno
from ipaddress import ip_address, IPv4Address, IPv6Address
import socket
from urllib.parse import urlsplit

from dq_ik.errors import DqIkError

LOOPBACK = '127.0.0.1'
EVERYWHERE = ('0.0.0.0', '::')  # hosts that stand for all interfaces
DEFAULT_PORT = 8080
PORT_ATTEMPTS = 20
LAST_PORT = 65535


class ViewerError(DqIkError):
    """The page cannot be served, or cannot show what it was given."""


def free_port(host: str, port: int) -> int:
    """
    Return the first free port at or after ``port``; 0 lets the system choose.

    :raises ViewerError: when there is no such port, the host is not ours to bind, or a whole
        range is busy
    """
    if not isinstance(port, int) or not 0 <= port <= LAST_PORT:
        raise ViewerError(f'a port is a whole number from 0 to {LAST_PORT}, got {port!r}')
    last = min(port + PORT_ATTEMPTS, LAST_PORT) if port else 0
    for candidate in range(port, last + 1):
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, candidate))
                return probe.getsockname()[1]
        except PermissionError as error:
            raise ViewerError(f'port {candidate} needs privileges: {error}') from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ViewerError(f'cannot listen on host {host!r}: {error}') from error
    raise ViewerError(f'ports {port} to {last} on {host} are all busy; choose another one')


class Visitors:
    """Decides from which addresses the page may be opened, and by which web sites."""

    def __init__(self, host: str, origins: Iterable[str] = ()) -> None:
        """
        Let in the page opened by a name of this machine or by the address it was reached at.

        Another web site cannot do so: its browser sends the name of that site as ``Host``, even
        if that name leads here, and its own address as ``Origin``.

        :param host: interface that the page is bound to
        :param origins: further web origins, such as a reverse proxy's
        """
        self._origins = frozenset(origins)
        self._names = {host.lower(), 'localhost', LOOPBACK, '::1'}
        self._names.update(urlsplit(origin).hostname or LOOPBACK for origin in self._origins)
        if host in EVERYWHERE:
            name = socket.gethostname().lower()
            self._names |= {name, f'{name}.local'}

    def may_see(self, host: str, reached: str) -> bool:
        """
        Tell whether a request may be answered.

        :param host: its header ``Host``
        :param reached: address of this machine that it came in at
        """
        name, _ = _name_and_port(host)
        return name in self._names or (name != '' and _address(name) == _address(reached))

    def may_connect(self, host: str, origin: str, reached: str) -> bool:
        """Tell whether a socket may be opened: by the page that is served here, or a proxy's."""
        if not self.may_see(host, reached):
            return False
        scheme, _, place = origin.partition('://')
        return origin in self._origins or (
            scheme == 'http' and self.may_see(place, reached)
            and _name_and_port(place)[1] == _name_and_port(host)[1])


def _name_and_port(host: str) -> tuple[str, int]:
    """Return the parts of a header ``Host``; an empty name if it is none."""
    try:
        parts = urlsplit(f'//{host}')
        return parts.hostname or '', parts.port or 80
    except ValueError:
        return '', 0


def _address(name: str) -> IPv4Address | IPv6Address | str:
    """Return the internet address that a text is, or the text."""
    try:
        address = ip_address(name.partition('%')[0])
    except ValueError:
        return name
    return getattr(address, 'ipv4_mapped', None) or address
