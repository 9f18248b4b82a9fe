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
"""Move the arm of a running node by the keyboard of a terminal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import select
import signal
import sys
import time
from typing import Any

from dq_ik.cli.common import ros_needed
from dq_ik.cli.keyboard import HELP, Keyboard, replayed, split_keys
from dq_ik.cli.words import any_number, ros_name, wait
from dq_ik.errors import DqIkError, why

PERIOD = 0.02  # between two messages [s]
LAST_WORDS = 0.3  # in which the last message, rest, is on its way [s]

KeySource = Callable[[float], 'list[str] | None']


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik jog``."""
    parser.add_argument('--node', type=ros_name, default='/dq_ik', help='name of the node')
    parser.add_argument('--speed', type=any_number, default=0.1,
                        help='of the tool [m/s] at the start')
    parser.add_argument('--timeout', type=wait, default=5.0, help='seconds to wait for the node')
    parser.add_argument('--replay', type=Path, help='keys from a file: "seconds key" lines')
    parser.epilog = HELP.replace('%', '%%')


def run(args: Namespace) -> int:
    """Send velocities until q or the end of the input; 0, or 1 if there is no such node."""
    with ros_needed():
        from dq_ik.ros.client import Client
        from dq_ik.ros.jog_client import JogClient
    if not 0.0 < args.speed <= 1.0:
        raise DqIkError(f'--speed is {args.speed}; it must be above 0 and at most 1 m/s')
    with Client('dq_ik_jog') as client, _keys(args) as keys:
        node = JogClient(client.node, args.node)
        if not node.wait(args.timeout):
            raise DqIkError(f'there is no node {args.node}; is it running, in the same '
                            'ROS_DOMAIN_ID?')
        keyboard = Keyboard(node.tips, node.base, node.joints, args.speed)
        print(HELP, flush=True)
        _loop(keyboard, keys, node)
        time.sleep(LAST_WORDS)
    return 0


def _loop(keyboard: Keyboard, keys: KeySource, node: Any) -> None:
    """Turn keys into messages until the end, and rest then."""
    shown = ''
    while not keyboard.is_over:
        pressed = keys(PERIOD)
        now = time.monotonic()
        if pressed is None and not keyboard.is_held(now):
            keyboard.press('q', now)
        for key in pressed or ():
            keyboard.press(key, now)
        order = keyboard.order(now)
        if order is not None and order.joints:
            node.send_joints(order.joints)
        elif order is not None:
            node.send_twist(order.tip, order.twist, order.frame)
        state = keyboard.describe()
        if state != shown:
            print(f'{state}\r', flush=True)
            shown = state


@contextmanager
def _keys(args: Namespace) -> Iterator[KeySource]:
    """Open the source of keys: a recording, a terminal without line buffer, or a pipe."""
    if args.replay is not None:
        try:
            events = replayed(args.replay.read_text(encoding='utf-8').splitlines())
        except (OSError, ValueError) as error:
            raise DqIkError(f'--replay {args.replay}: {why(error)}') from None
        yield _recording(events)
        return
    handle = sys.stdin.fileno()
    if not os.isatty(handle):
        yield lambda seconds: _read(handle, seconds)
        return
    import termios
    import tty
    before = termios.tcgetattr(handle)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a script may ignore the first
        signal.signal(number, signal.default_int_handler)
    try:
        tty.setcbreak(handle)
        yield lambda seconds: _read(handle, seconds)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _read(handle: int, seconds: float) -> list[str] | None:
    """Return the keys of the next while; None at the end of the input."""
    begun = time.monotonic()
    keys: list[str] = []
    if select.select([handle], [], [], seconds)[0]:
        data = os.read(handle, 4096)
        keys = split_keys(data.decode(errors='replace'))
        time.sleep(max(0.0, begun + seconds - time.monotonic()))
        return keys or None
    return keys


def _recording(events: list[tuple[float, str]]) -> KeySource:
    """Return the source of recorded keys; its clock starts with the first call."""
    begun: list[float] = []

    def read(seconds: float) -> list[str] | None:
        time.sleep(seconds)
        begun[:] = begun or [time.monotonic()]
        if not events:
            return None
        elapsed, keys = time.monotonic() - begun[0], []
        while events and events[0][0] <= elapsed:
            keys.append(events.pop(0)[1])
        return keys
    return read
