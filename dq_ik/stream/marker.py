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

"""What happens when a goal marker is dragged or its menu is used. Needs no RViz and no node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
import math
import time

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain


class Item(Enum):
    """Entries of the marker's menu, beside the solvers."""

    TO_TOOL = 'Go to tool'
    HOME = 'Home'
    POSITION_ONLY = 'Position only'
    WORLD_AXES = 'World axes'
    SNAP = 'Snap back when released'
    PAUSE = 'Pause'


HOLD = 3.0  # who says nothing for so long does not hold a marker any more [s]
SWITCHES = (Item.POSITION_ONLY, Item.WORLD_AXES, Item.SNAP, Item.PAUSE)


@dataclass(frozen=True)
class MarkerOutlet:
    """
    Where the logic sends its decisions.

    :param goal: a tip and the pose it shall take
    :param place: move a marker, unless somebody drags it
    :param rebuild: draw markers and menu anew, after a switch was turned
    :param option: name and value of a solver setting
    """

    goal: Callable[[str, Pose], None]
    place: Callable[[str, Pose], None]
    rebuild: Callable[[], None]
    option: Callable[[str, str | bool], None]


class MarkerLogic:
    """
    The state of the goal markers of a chain: where they are, in whose hand, how they behave.

    Dragging fills a mailbox that holds the newest pose of each tip; :meth:`flush` empties it at
    the node's own pace, so that a fast mouse never builds up a queue.
    """

    def __init__(self, chain: Chain, outlet: MarkerOutlet, method: str = 'pgs') -> None:
        self._chain = chain
        self._outlet = outlet
        self._home = chain.fk_all(chain.neutral)
        self._tools = dict(self._home)
        self._answers = dict(self._home)
        self._reached = True
        self._heard_joints = False
        self._mailbox: dict[str, Pose] = {}
        self._held_at: dict[str, float] = {}
        self.goals = dict(self._home)
        self.switches = dict.fromkeys(SWITCHES, False)
        self.method = method

    # --- from the marker -------------------------------------------------------------------------

    def press(self, tip: str) -> None:
        """Somebody holds a marker, or still holds it."""
        self._held_at[tip] = time.monotonic()

    def is_held(self, tip: str) -> bool:
        """Whether somebody holds a marker; an RViz that has died does not."""
        return time.monotonic() - self._held_at.get(tip, -math.inf) < HOLD

    def drag(self, tip: str, pose: Pose) -> None:
        """Take over a marker that was moved by hand."""
        if self.is_held(tip):
            self.press(tip)
        self.goals[tip] = pose
        self._mailbox[tip] = pose

    def release(self, tip: str, pose: Pose) -> None:
        """Let a marker go; it snaps back to what can be reached if that was asked for."""
        self._held_at.pop(tip, None)
        self.drag(tip, pose)
        if self.switches[Item.SNAP] and not self._reached:
            self._put(tip, self._answers[tip])

    def flush(self) -> None:
        """Send the newest goals; while paused they wait."""
        if self.switches[Item.PAUSE]:
            return
        mailbox, self._mailbox = self._mailbox, {}
        for tip, pose in mailbox.items():
            self._outlet.goal(tip, pose)

    def select(self, tip: str, item: Item) -> None:
        """Obey an entry of the menu of one marker."""
        if item is Item.TO_TOOL:
            self._put(tip, self._tools[tip])
        elif item is Item.HOME:
            self._put(tip, self._home[tip])
        else:
            self.turn(item, not self.switches[item])
            if item is Item.POSITION_ONLY:
                self._outlet.option('position_only', self.switches[item])

    def choose(self, method: str) -> None:
        """Ask for another solver."""
        self._outlet.option('method', method)

    # --- from the robot --------------------------------------------------------------------------

    def hear_joints(self, positions: Mapping[str, float]) -> None:
        """Take the joint states; home and the first goals are where the tools are at first."""
        self._tools = self._chain.fk_all(self._chain.configuration(positions, strict=False))
        if not self._heard_joints:
            self._heard_joints = True
            self._home = dict(self._tools)
            for tip, pose in self._home.items():
                self._place(tip, pose)

    def hear_command(self, positions: Mapping[str, float]) -> None:
        """Take the joint command that answers the newest goal."""
        self._answers = self._chain.fk_all(self._chain.configuration(positions, strict=False))

    def hear_status(self, reached: bool) -> None:
        """Take whether the newest goal can be reached."""
        self._reached = reached

    def hear_goal(self, tip: str, pose: Pose) -> None:
        """Move a marker to a goal that somebody else has set."""
        if not self.is_held(tip):
            self._place(tip, pose)

    def hear_option(self, name: str, value: str | bool | float) -> None:
        """Show a solver setting that is in use."""
        if name == 'position_only':
            self.turn(Item.POSITION_ONLY, bool(value))
        elif name == 'method' and value != self.method:
            self.method = str(value)
            self._outlet.rebuild()

    def turn(self, item: Item, on: bool) -> None:
        """Turn a switch and show it."""
        if self.switches[item] != on:
            self.switches[item] = on
            self._outlet.rebuild()

    def _put(self, tip: str, pose: Pose) -> None:
        """Move a marker and make that the goal."""
        self._place(tip, pose)
        self._mailbox[tip] = pose

    def _place(self, tip: str, pose: Pose) -> None:
        self.goals[tip] = pose
        self._outlet.place(tip, pose)
