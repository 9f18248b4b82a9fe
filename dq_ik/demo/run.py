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
"""Start the nodes of the demo with this Python, without ``ros2 launch``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, ExitStack
import json
import os
from pathlib import Path
import re
import signal
import sys
import tempfile
import threading
import webbrowser

from dq_ik.demo.nodes import MODULES, NodeRow, PATH_NODE
from dq_ik.demo.processes import Child, end_all, LOG_FORMAT, say, watch

_PAGE = re.compile(r'open (http://\S+) in a browser')
INVITATION = """
    The page:  {}   (drag the arrows and rings at the tool)
    The end:   Ctrl-C
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_demo(rows: Sequence[NodeRow], browser: bool = True) -> int:
    """
    Run nodes until the path ends, a node fails, or the user interrupts.

    :param browser: open the web page, where there is a screen, when its node says where it is
    :returns: 0 after an ordinary end, 1 when a node failed
    """
    with ExitStack() as stack:
        stop = stack.enter_context(_stopped_by_signals())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='dq_ik_demo_')))
        hear = _announcer(browser)
        print('The demo starts; Ctrl-C ends it.', flush=True)
        children: list[Child] = []
        try:
            for row in rows:
                children.append(Child(row.name, command(row, folder), environment(), hear))
            first = watch(children, stop)
        finally:
            path = [child for child in children if child.name == PATH_NODE]
            late = end_all(path) + end_all(children)  # the path first: no goal without a solver
    if first is None:  # the user had enough
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

    The virtual environment is an ament prefix; and unless the user says otherwise, the demo talks
    to this machine only, so that it moves nobody's robot.
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


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Provide an event that SIGINT and SIGTERM set, instead of what they do else."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _announcer(browser: bool) -> Callable[[str, str], None]:
    """Return a listener that passes on what nodes say, and makes the page hard to overlook."""
    def listen(name: str, line: str) -> None:
        page = _PAGE.search(line)
        if page is None:
            say(name, line)
            return
        print(INVITATION.format(page.group(1)), flush=True)
        if browser and (os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')):
            webbrowser.open(page.group(1))
    return listen
