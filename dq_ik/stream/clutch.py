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
"""The clutch of teleoperation: poses of a hand move the tool from where it is."""

from __future__ import annotations

from dq_ik.pose import Pose


class Clutch:
    """
    Turns poses of a hand into poses of a tool, without a jump where the hand takes hold.

    While it is open, the hand moves alone. When it closes, the tool begins at its own pose: from
    then on it is moved and turned as much as the hand, along the axes of the base.
    """

    def __init__(self) -> None:
        """Be open."""
        self._closed = False
        self._starts: dict[str, tuple[Pose, Pose]] = {}  # by tip: of the hand, of the tool

    def turn(self, closed: bool) -> None:
        """Close or open it; one that is closed already goes on as it is."""
        if closed != self._closed:
            self._starts.clear()
        self._closed = closed

    def release(self) -> None:
        """Take hold anew at the next pose, since something else has moved the tool."""
        self._starts.clear()

    def pose(self, tip: str, hand: Pose, tool: Pose) -> Pose | None:
        """
        Return where a tool should be; None while the clutch is open.

        :param hand: pose of the hand in the base frame.
        :param tool: pose of the tool now, which counts when the hand takes hold.
        """
        if not self._closed:
            return None
        hand_start, tool_start = self._starts.setdefault(tip, (hand, tool))
        turn = hand @ hand_start.inverse() @ tool_start
        position = tool_start.position + hand.position - hand_start.position
        return Pose.from_xyz_wxyz(position, turn.quaternion)
