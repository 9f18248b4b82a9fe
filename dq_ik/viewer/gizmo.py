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

"""The handle that users drag: a gizmo of six degrees of freedom with a ghost of the tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
import time

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.stream.report import WAITING
from dq_ik.viewer.scene import RobotScene
import viser

GHOST_OPACITY = 0.45
HOLD = 3.0  # a hand that does not move for so long has let go, or its browser is gone [s]
LOOK_AHEAD = 2.0  # from the tool to the first point to look at, along its z, in scales of a gizmo
# What a handle asks for: a pose of its tip, a point to look at, a pose in the frame of a tip.
POSE, LOOK_AT, RELATIVE_TO = 'pose', 'look at', 'relative to '


def kinds_of_goals(tips: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what the handle of each tip may ask for, a pose first."""
    return {tip: (POSE, LOOK_AT, *(RELATIVE_TO + other for other in tips if other != tip))
            for tip in tips}


class GoalHandle:
    """A goal for one tip, drawn in the frame of the chain's base."""

    def __init__(
        self,
        server: viser.ViserServer,
        robot: RobotScene,
        base: str,
        tip: str,
        pose: Pose,
        scale: float,
        on_drag: Callable[[GoalHandle], None],
        tools: Callable[[], Mapping[str, Pose]],
        tool: Pose,
    ) -> None:
        """
        Add the gizmo at ``pose``.

        :param scale: length of its arrows [m]
        :param on_drag: called with the handle for every movement by mouse, on viser's loop
        :param tools: returns the poses of all tips as they are now
        :param tool: pose of the goal in the link of the tip
        """
        self.tip = tip
        self.pose = pose
        self._dragged_at = -math.inf
        self.kind = POSE
        self._goal: Goal | Pose | None = pose  # None: another kind was chosen, not dragged yet
        self._scale, self._tools, self._may_turn = scale, tools, True
        self._name = f'{robot.node_name(base)}/goal_{tip.replace("/", "|")}'
        self._on_drag = on_drag
        self.control = server.scene.add_transform_controls(
            self._name, scale=scale, depth_test=False, opacity=0.9, line_width=3.0,
            position=pose.position, wxyz=pose.quaternion)
        self.control.on_update(self._dragged)
        self._ghost = robot.add_ghost(self._name, tip, (*WAITING, GHOST_OPACITY), tool)
        self._color = WAITING

    @property
    def is_dragged(self) -> bool:
        """Whether a user holds the handle and moves it."""
        return time.monotonic() - self._dragged_at < HOLD

    def move(self, pose: Pose) -> None:
        """Move the handle, unless a user drags it."""
        if not self.is_dragged:
            self.pose = pose
            self.control.position = pose.position
            self.control.wxyz = pose.quaternion

    def choose(self, kind: str) -> None:
        """Ask for another kind of goal, from where the tool is, as soon as a user drags."""
        if kind != self.kind:
            self._become(kind)
            ahead = LOOK_AHEAD * self._scale if kind == LOOK_AT else 0.0
            self.move(self._tools()[self.tip] @ Pose.from_xyz_rpy((0, 0, ahead), (0, 0, 0)))
            self._goal = self.pose if kind == POSE else None

    def ask(self) -> Goal | Pose:
        """Return the goal that the handle asks for; a relative one as the other tip is now."""
        self._goal = self.pose
        if self.kind == LOOK_AT:
            self._goal = Goal(look_at=self.pose.position.tolist())
        elif self.kind != POSE:
            other = self.kind.removeprefix(RELATIVE_TO)
            self._goal = Goal(self._tools()[other].inverse() @ self.pose, relative_to=other)
        return self._goal

    def show(self, goal: Goal | Pose) -> None:
        """Show a goal of somebody else, unless a user drags the handle or is about to."""
        if self.is_dragged or self._goal is None:
            return
        self._goal = goal
        if isinstance(goal, Pose):
            self._become(POSE)
            self.move(goal)
        elif goal.look_at is not None:
            self._become(LOOK_AT)
            self.move(Pose.from_xyz_wxyz(goal.look_at, self.pose.quaternion))
        else:
            self._become(f'{RELATIVE_TO}{goal.relative_to}')
            self.carry()

    def carry(self) -> None:
        """Move the handle of a relative goal with the tip that it is relative to."""
        if isinstance(self._goal, Goal) and self._goal.relative_to is not None:
            self.move(self._tools()[self._goal.relative_to] @ self._goal.pose)

    def paint(self, color: tuple[float, float, float]) -> None:
        """Set the colour of the ghost."""
        if color != self._color:
            self._color = color
            for part in self._ghost:
                part.color = tuple(round(255 * value) for value in color)

    def allow_rotation(self, allowed: bool) -> None:
        """Show or hide the rings, which a goal of position only does not need."""
        self._may_turn = allowed
        self.control.disable_rotations = not allowed or self.kind == LOOK_AT

    def _become(self, kind: str) -> None:
        """Draw the handle of a kind of goal: a point has no rings and no ghost of the tool."""
        self.kind = kind
        self.allow_rotation(self._may_turn)
        for part in self._ghost:
            part.visible = kind != LOOK_AT

    async def _dragged(self, event: viser.TransformControlsEvent) -> None:
        self._dragged_at = -math.inf if event.phase == 'end' else time.monotonic()
        self.pose = Pose.from_xyz_wxyz(event.target.position, event.target.wxyz)
        self._on_drag(self)
