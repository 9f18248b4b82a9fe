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
"""What keys mean: velocities of a tip or of joints. Needs no terminal and no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math

AXES = {'w': (0, 1), 's': (0, -1), 'a': (1, 1), 'd': (1, -1), 'r': (2, 1), 'f': (2, -1),
        'o': (3, 1), 'u': (3, -1), 'i': (4, 1), 'k': (4, -1), 'j': (5, 1), 'l': (5, -1)}
ARROWS = {'\x1b[A': 'w', '\x1b[B': 's', '\x1b[D': 'a', '\x1b[C': 'd',
          '\x1b[5~': 'r', '\x1b[6~': 'f'}
JOINTS = {key: (number, sign) for sign, keys in ((1, '123456789'), (-1, '!@#$%^&*('))
          for number, key in enumerate(keys)}
FASTER, SLOWER, FRAME, TIP, STOP = '+=', '-_', 't', '\t', ' '
QUIT = ('q', '\x03', '\x04')
HOLD = 0.2  # a key counts as held for so long after the terminal last said so [s]
STEP = 1.25  # factor between two speeds
SLOWEST, FASTEST = 0.01, 1.0  # metres per second
TURN = 4.0  # rad/s of turning and of joints at one m/s
HELP = """\
  w s or up, down        x forward, back        1 2 ... 9   joint forward
  a d or left, right     y left, right          ! @ ... (   joint back
  r f or page up, down   z up, down             + -         faster, slower
  o u                    turn about x           t           axes of base or tool
  i k                    turn about y           tab         next tip
  j l                    turn about z           space       stop        q  quit"""


@dataclass(frozen=True)
class Order:
    """
    What a node is told: the twist of a tip, or velocities of joints.

    :param twist: linear first [m/s, rad/s]
    :param frame: whose axes the twist is along
    :param joints: velocities by name; empty: the twist counts
    """

    tip: str
    twist: tuple[float, ...]
    frame: str
    joints: dict[str, float]

    @property
    def is_rest(self) -> bool:
        """Whether nothing is to move."""
        return not any(self.twist) and not any(self.joints.values())


class Keyboard:
    """
    Turns keys into orders.

    A terminal tells when a key is pressed or repeats, never that it is released: a key moves for
    :data:`HOLD` seconds, and each repeat prolongs that. Keys together add up.
    """

    def __init__(self, tips: Sequence[str], base: str, joints: Sequence[str] = (),
                 speed: float = 0.1) -> None:
        """
        Be at rest, along the axes of the base.

        :param tips: names of the tips
        :param base: name of the base
        :param joints: names of the joints, in the order of the keys
        :param speed: of the tool [m/s]
        """
        self.tips, self.base, self.joints = list(tips), base, list(joints)
        self.speed = speed
        self.tip, self.in_tool_axes, self.is_over = self.tips[0], False, False
        self._until: dict[str, float] = {}
        self._last: Order | None = None

    def press(self, key: str, now: float) -> None:
        """
        Take a key; those without a meaning are left alone.

        :param key: a character, or the sequence that a terminal sends for an arrow
        :param now: time [s] on a steady clock
        """
        key = ARROWS.get(key, key)
        if key in AXES or key in JOINTS:
            others = JOINTS if key in AXES else AXES
            for old in [old for old in self._until if old in others]:
                del self._until[old]
            self._until[key] = now + HOLD
        elif key in FASTER or key in SLOWER:
            factor = STEP if key in FASTER else 1.0 / STEP
            self.speed = min(max(self.speed * factor, SLOWEST), FASTEST)
        elif key == FRAME:
            self.in_tool_axes = not self.in_tool_axes
        elif key == TIP:
            self._until.clear()
            self.tip = self.tips[(self.tips.index(self.tip) + 1) % len(self.tips)]
        elif key == STOP:
            self._until.clear()
        elif key in QUIT:
            self._until.clear()
            self.is_over = True

    def is_held(self, now: float) -> bool:
        """Whether a key still moves something."""
        return any(now < until for until in self._until.values())

    def order(self, now: float) -> Order | None:
        """Return what to tell the node now; None: nothing, since it rests already."""
        held = [key for key, until in self._until.items() if now < until]
        twist, joints = [0.0] * 6, dict[str, float]()
        for key in held:
            if key in AXES:
                axis, sign = AXES[key]
                twist[axis] += sign * self.speed * (1.0 if axis < 3 else TURN)
            else:
                number, sign = JOINTS[key]
                if number < len(self.joints):
                    name = self.joints[number]
                    joints[name] = joints.get(name, 0.0) + sign * self.speed * TURN
        if not joints and self._last is not None and self._last.joints and not any(twist):
            joints = dict.fromkeys(self._last.joints, 0.0)
        frame = self.tip if self.in_tool_axes else self.base
        order = Order(self.tip, tuple(twist), frame, joints)
        was_rest = self._last is None or self._last.is_rest
        self._last = None if order.is_rest else order
        return None if order.is_rest and was_rest else order

    def describe(self) -> str:
        """Return the state in one line."""
        axes = 'tool' if self.in_tool_axes else 'base'
        tip = f'  tip {self.tip}' if len(self.tips) > 1 else ''
        return f'{self.speed:.3f} m/s  {self.speed * TURN:.2f} rad/s  axes of the {axes}{tip}'


def split_keys(text: str) -> list[str]:
    """Return the keys in what a terminal has sent: characters, and sequences of arrows."""
    keys, at = [], 0
    while at < len(text):
        end = at + 1
        if text.startswith('\x1b[', at):
            end = at + 2
            while end < len(text) and not text[end].isalpha() and text[end] != '~':
                end += 1
            end = min(end + 1, len(text))
        keys.append(text[at:end])
        at = end
    return keys


def replayed(lines: Sequence[str]) -> list[tuple[float, str]]:
    """
    Return times and keys of a recording, one ``seconds key`` per line, in order.

    :raises ValueError: if a line is no such pair.
    """
    events = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith('#'):
            continue
        time, _, key = line.rstrip('\n').partition(' ')
        try:
            seconds = float(time)
        except ValueError:
            seconds = math.nan
        if not seconds >= 0 or not key:
            raise ValueError(f'line {number} is {line.strip()!r}; it must be like "0.5 w"')
        events.append((seconds, {'space': ' ', 'tab': '\t'}.get(key, key)))
    return sorted(events)
