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
"""Where the page is served: ports that are free, and web origins that may connect. No viser."""

from __future__ import annotations

import errno
import socket

from dq_ik.errors import DqIkError

LOOPBACK = '127.0.0.1'
DEFAULT_PORT = 8080
PORT_ATTEMPTS = 20


class ViewerError(DqIkError):
    """The page cannot be served, or cannot show what it was given."""


def free_port(host: str, port: int) -> int:
    """
    Return the first free port at or after ``port``; 0 lets the system choose.

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
            if error.errno != errno.EADDRINUSE:
                raise ViewerError(f'cannot listen on host {host!r}: {error}') from error
    raise ViewerError(f'ports {port} to {last} on {host} are all busy; choose another one')


def page_origins(host: str, port: int) -> list[str]:
    """Return the origins that a browser showing this very page can have."""
    names = {host, 'localhost', LOOPBACK}
    if host in ('0.0.0.0', '::'):
        names.add(socket.gethostname())
    return [f'http://{name}:{port}' for name in sorted(names)]
