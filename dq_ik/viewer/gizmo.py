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

from collections.abc import Callable

from dq_ik.pose import Pose
from dq_ik.stream.report import WAITING
from dq_ik.viewer.scene import RobotScene
import viser

GHOST_OPACITY = 0.45


class GoalHandle:
    """A goal for one tip, in the frame of the chain's base."""

    def __init__(
        self,
        server: viser.ViserServer,
        robot: RobotScene,
        base: str,
        tip: str,
        pose: Pose,
        scale: float,
        on_drag: Callable[[str, Pose], None],
    ) -> None:
        """
        Add the gizmo at ``pose``.

        :param scale: length of its arrows [m]
        :param on_drag: called with tip and pose for every movement by mouse, on viser's loop
        """
        self.tip = tip
        self.pose = pose
        self.is_dragged = False
        self._name = f'{robot.node_name(base)}/goal_{tip.replace("/", "|")}'
        self._on_drag = on_drag
        self.control = server.scene.add_transform_controls(
            self._name, scale=scale, depth_test=False, opacity=0.9, line_width=3.0,
            position=pose.position, wxyz=pose.quaternion)
        self.control.on_update(self._dragged)
        self._ghost = robot.add_ghost(self._name, tip, (*WAITING, GHOST_OPACITY))
        self._color = WAITING

    def move(self, pose: Pose) -> None:
        """Move the handle, unless a user drags it."""
        if not self.is_dragged:
            self.pose = pose
            self.control.position = pose.position
            self.control.wxyz = pose.quaternion

    def paint(self, color: tuple[float, float, float]) -> None:
        """Set the colour of the ghost."""
        if color != self._color:
            self._color = color
            for part in self._ghost:
                part.color = tuple(round(255 * value) for value in color)

    def allow_rotation(self, allowed: bool) -> None:
        """Show or hide the rings, which a goal of position only does not need."""
        self.control.disable_rotations = not allowed

    async def _dragged(self, event: viser.TransformControlsEvent) -> None:
        self.is_dragged = event.phase != 'end'
        self.pose = Pose.from_xyz_wxyz(event.target.position, event.target.wxyz)
        self._on_drag(self.tip, self.pose)
