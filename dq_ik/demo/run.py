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
"""Start the nodes of the demo as child processes of this Python, without ``ros2 launch``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, ExitStack, suppress
from http.client import HTTPConnection, HTTPException
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import urlsplit
import webbrowser

from dq_ik.demo.nodes import MODULES, NodeRow, PATH_NODE

GRACE = 8.0  # time for all nodes to end after SIGTERM [s]
TURN = 1.0  # time for one node to end before the next is asked to [s]
POLL = 0.05  # [s]
LOG_FORMAT = '{severity}: {message}'  # of the nodes; `print_line` adds the name of the node
SIGNALS = (signal.SIGINT, signal.SIGTERM)
INVITATION = """
    The page:  {}   (drag the arrows and rings at the tool)
    The end:   Ctrl-C
"""


class Stop:
    """
    Whether the demo shall end. It has no lock, so that a signal handler may set it at any moment.

    An Event would not do: its lock may be held by the code that the signal interrupts.
    """

    def __init__(self) -> None:
        """Go on for now."""
        self._wanted = False

    def end(self, *_: object) -> None:
        """End the demo; this is a signal handler, too."""
        self._wanted = True

    def wait(self, seconds: float) -> bool:
        """Sleep, unless the end is wanted already; tell whether it is."""
        if not self._wanted:
            time.sleep(seconds)
        return self._wanted


class Child:
    """One process, whose lines are passed on with its name in front."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        on_line: Callable[[str, str], None],
    ) -> None:
        """
        Start the process in a session of its own, so that Ctrl-C reaches only the parent.

        :param on_line: called with name and line for everything the process prints
        """
        self.name = name
        self._process = subprocess.Popen(
            list(command), env=dict(environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
            start_new_session=True)
        self._reader = threading.Thread(target=self._read, args=(on_line,), daemon=True)
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

    def _read(self, on_line: Callable[[str, str], None]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            on_line(self.name, line.rstrip('\n'))


def run_demo(rows: Sequence[NodeRow], page: str = '', browser: bool = True) -> int:
    """
    Run nodes until the path ends, a node fails, or the user interrupts.

    :param page: address at which one of the nodes will serve the web page, if any
    :param browser: open the page, where there is a screen
    :returns: 0 after an ordinary end, 1 when a node failed
    """
    with ExitStack() as stack:
        stop = stack.enter_context(stopped_by_signals())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='dq_ik_demo_')))
        print('The demo starts; Ctrl-C ends it.', flush=True)
        children: list[Child] = []
        try:
            for row in rows:
                children.append(Child(row.name, command(row, folder), environment(), print_line))
            if page:
                threading.Thread(target=announce, args=(page, browser, stop), daemon=True).start()
            first = watch(children, stop)
        finally:
            path = [child for child in children if child.name == PATH_NODE]
            late = end_all(path) + end_all(children)  # the path first: no goal without a solver
    if first is None:  # the user ended it
        return 0
    for name in late:
        print(f'{name} had to be killed', file=sys.stderr)
    if first.code or first.name != PATH_NODE:
        print(f'{first.name} ended with exit code {first.code}', file=sys.stderr)
        return 1
    return 1 if late else 0


def command(row: NodeRow, folder: Path) -> list[str]:
    """
    Return the command line of a node of this package.

    :param folder: receives the file with the node's parameters
    """
    parameters = folder / f'{row.name}.yaml'
    parameters.write_text(json.dumps({row.name: {'ros__parameters': dict(row.parameters)}}))
    words = [sys.executable, '-m', MODULES[row.executable], *row.arguments, '--ros-args',
             '-r', f'__node:={row.name}', '--params-file', str(parameters)]
    for old, new in row.remappings:
        words += ['-r', f'{old}:={new}']
    return words


def environment() -> dict[str, str]:
    """
    Return the environment of the nodes.

    The virtual environment is an ament prefix. Unless the user says otherwise, the demo talks to
    this machine only, so that it moves nobody's robot.
    """
    result = dict(os.environ)
    if Path(sys.prefix, 'share', 'ament_index').is_dir():
        known = [path for path in result.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if path]
        if sys.prefix not in known:
            result['AMENT_PREFIX_PATH'] = os.pathsep.join([sys.prefix, *known])
    result.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    result.setdefault('PYTHONUNBUFFERED', '1')
    result.setdefault('RCUTILS_CONSOLE_OUTPUT_FORMAT', LOG_FORMAT)
    return result


def print_line(name: str, line: str) -> None:
    """Print a line of a node after the node's name; of severities, only those of trouble."""
    print(f'[{name}] {line.removeprefix("INFO: ")}', flush=True)


def announce(page: str, browser: bool, stop: Stop) -> None:
    """Wait until the page answers, then print its address and open it, where there is a screen."""
    while not answers(page):
        if stop.wait(POLL):
            return
    print(INVITATION.format(page), flush=True)
    if browser and (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
        webbrowser.open(page)


def answers(page: str) -> bool:
    """Tell whether a web server answers; that there is no such file is an answer, too."""
    with closing(HTTPConnection(urlsplit(page).netloc, timeout=1.0)) as connection:
        try:
            connection.request('GET', '/ready')
            connection.getresponse()
        except (OSError, HTTPException):
            return False
        return True


def watch(children: Sequence[Child], stop: Stop) -> Child | None:
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


@contextmanager
def stopped_by_signals() -> Iterator[Stop]:
    """Provide what SIGINT and SIGTERM set, instead of their usual effect."""
    stop = Stop()
    before = {number: signal.signal(number, stop.end) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
