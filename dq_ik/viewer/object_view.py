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
"""The objects of a world in the scene, and the handle of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
import math
import time
from typing import Any

from dq_ik.collision.hulls import triangles
from dq_ik.collision.world import Thing
from dq_ik.pose import Pose
from dq_ik.viewer.gizmo import HOLD
from dq_ik.viewer.scene import RobotScene
import numpy as np
import viser

COLORS = ((158, 126, 84), (122, 138, 116), (138, 120, 140))  # of objects, one after the other
FLAT_COLOR = (120, 126, 134)  # of half-spaces
FLAT_OPACITY = 0.4


class ObjectView:
    """Draws objects as the pieces that they consist of; the chosen one has a handle."""

    def __init__(self, server: viser.ViserServer, robot: RobotScene, root: str, scale: float,
                 choose: Callable[[str], None]) -> None:
        """
        Draw nothing yet.

        :param root: link in whose frame objects stand still
        :param scale: length of the arrows of the handle [m]
        :param choose: called with the name of an object that a user clicks, on viser's loop
        """
        self._server, self._robot, self._root, self._choose = server, robot, root, choose
        self._drawn: dict[str, tuple[Thing, viser.FrameHandle]] = {}
        self._count = 0
        self._dragged_at = -math.inf
        self._dragged: Pose | None = None
        self.chosen: str | None = None
        self.handle = server.scene.add_transform_controls(
            f'{robot.node_name(root)}/object_handle', scale=scale, depth_test=False, opacity=0.9,
            line_width=3.0, visible=False)
        self.handle.on_update(self._drag)

    @property
    def is_dragged(self) -> bool:
        """Whether a user holds the handle and moves it."""
        return time.monotonic() - self._dragged_at < HOLD

    def show(self, things: Sequence[Thing]) -> None:
        """Draw the objects of a world; what is as it was is not sent."""
        names = {thing.name for thing in things}
        for name in [name for name in self._drawn if name not in names]:
            self._drawn.pop(name)[1].remove()
        for thing in things:
            before, frame = self._drawn.get(thing.name, (None, None))
            if before is thing:
                continue
            if before is None or frame is None or (
                    before.pieces is not thing.pieces or before.link != thing.link):
                if frame is not None:
                    frame.remove()
                frame = self._draw(thing)
            elif frame is not None:
                frame.position, frame.wxyz = thing.pose.position, thing.pose.quaternion
            self._drawn[thing.name] = thing, frame
        self._follow()

    def choose(self, name: str | None) -> None:
        """Give the handle to an object, or to none."""
        self.chosen, self._dragged, self._dragged_at = name, None, -math.inf
        self._follow()

    def take_drag(self) -> Pose | None:
        """Return the pose to which the chosen object was dragged since the last time."""
        pose, self._dragged = self._dragged, None
        return pose

    def _follow(self) -> None:
        """Put the handle where the chosen object is, unless a user drags it."""
        known = self._drawn.get(self.chosen or '')
        if self.handle.visible != (known is not None):
            self.handle.visible = known is not None
        if known is not None and not self.is_dragged:
            pose = known[0].pose
            self.handle.position, self.handle.wxyz = pose.position, pose.quaternion

    def _draw(self, thing: Thing) -> viser.FrameHandle:
        """Draw an object under a frame of its own; a click chooses it, if it stands still."""
        parent = self._robot.node_name(thing.link or self._root)
        self._count += 1
        scene = self._server.scene
        frame = scene.add_frame(
            f'{parent}/object_{self._count}', show_axes=False, position=thing.pose.position,
            wxyz=thing.pose.quaternion)
        vertices, faces = triangles(thing.pieces)
        style: dict[str, Any] = {'color': FLAT_COLOR, 'opacity': FLAT_OPACITY}
        if thing.pieces:
            style = {'color': COLORS[(self._count - 1) % len(COLORS)]}
        mesh = scene.add_mesh_simple(
            f'{frame.name}/shape', vertices.astype(np.float32), faces.astype(np.uint32),
            flat_shading=True, cast_shadow=False, receive_shadow=False, **style)
        if thing.link is None:
            mesh.on_click(partial(self._clicked, thing.name))
        return frame

    async def _clicked(self, name: str, _: viser.SceneNodePointerEvent) -> None:
        self._choose(name)

    async def _drag(self, event: viser.TransformControlsEvent) -> None:
        self._dragged_at = -math.inf if event.phase == 'end' else time.monotonic()
        self._dragged = Pose.from_xyz_wxyz(event.target.position, event.target.wxyz)
