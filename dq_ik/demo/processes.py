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
"""Running several nodes as child processes: output with prefixes, one clean end for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
import signal
import subprocess
import sys
import threading
import time

GRACE = 8.0  # time for all to end after SIGTERM [s]
TURN = 1.0  # time that one has to itself
POLL = 0.05
# How nodes write a line of their log: the name of the node is said by us, the time by nobody.
LOG_FORMAT = '{severity}: {message}'
ORDINARY = 'INFO: '


class Child:
    """One process, whose lines are passed on with its name in front."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        hear: Callable[[str, str], None],
    ) -> None:
        """
        Start the process in a session of its own, so that Ctrl-C reaches only the parent.

        :param hear: called with name and line for everything the process prints
        """
        self.name = name
        self._process = subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, args=(hear,), daemon=True)
        self._reader.start()

    @property
    def code(self) -> int | None:
        """Exit code, None while it runs."""
        return self._process.poll()

    def send(self, signum: int) -> None:
        """Send a signal if the process still runs."""
        if self.code is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signum)

    def wait(self, timeout: float) -> bool:
        """Wait for the end, and for the last line; tell whether it came in time."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(timeout=1.0)
        return True

    def _read(self, hear: Callable[[str, str], None]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            hear(self.name, line.rstrip('\n'))


def watch(children: Sequence[Child], stop: threading.Event) -> Child | None:
    """Wait until one child ends, and return it, or until ``stop`` is set."""
    while not stop.wait(POLL):
        for child in children:
            if child.code is not None:
                child.wait(timeout=1.0)
                return child
    return None


def end_all(children: Sequence[Child], grace: float = GRACE) -> list[str]:
    """
    End all children: SIGTERM first, which ROS nodes obey at once, at last SIGKILL.

    SIGINT would do for a node that spins, but one that still starts answers it with a traceback.
    They end one after the other: a participant of Fast DDS that leaves while it hears of others
    leaving may spin for ever (eProsima/Fast-DDS#6513).

    :returns: names of those that had to be killed
    """
    deadline = time.monotonic() + grace
    for child in children:
        child.send(signal.SIGTERM)
        child.wait(min(TURN, grace))
    killed = [child for child in children
              if not child.wait(max(0.0, deadline - time.monotonic()))]
    for child in killed:
        child.send(signal.SIGKILL)
        child.wait(grace)
    return [child.name for child in killed]


def say(name: str, line: str) -> None:
    """Print a line with its origin; that it is an ordinary one need not be said."""
    print(f'[{name}] {line.removeprefix(ORDINARY)}', flush=True, file=sys.stdout)
