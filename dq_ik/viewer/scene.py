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

"""What the scene shows: a robot that moves joint by joint, traces of its tools, the ground."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
import math
from pathlib import Path
from typing import Any

from dq_ik.pose import Pose
from dq_ik.robot.meshes import MeshError
from dq_ik.robot.model import Joint, JointKind, RobotModel
from dq_ik.robot.shapes import Cylinder, MeshFile, Rgba, Shape, Sphere, Visual
from dq_ik.viewer.shapes import add_visual, corners
import numpy as np
import viser

TRACE_LENGTH = 400  # points
TRACE_COLOR = (255, 176, 59)
BONE = 0.012  # radius of a bone of a skeleton, as a part of the robot's size
NO_TOOL = Pose.identity()
BONE_RGBA = (0.80, 0.82, 0.86, 1.0)


class RobotScene:
    """
    The links of a robot as a tree of scene nodes.

    Nodes are nested as the links are, so that a joint that moves is one small message, whatever
    it carries. ``flaws`` holds reason and remedy for each file and link that is not drawn as the
    URDF says.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        model: RobotModel,
        visuals: tuple[Visual, ...],
        urdf_folder: Path | None = None,
        root: str = '/robot',
        tint: Rgba | None = None,
    ) -> None:
        """
        Draw the robot.

        :param urdf_folder: folder of mesh files with relative names
        :param root: name of the node above all links
        :param tint: colour and opacity that replace those of all shapes, for ghosts
        """
        self._root = root
        self._server = server
        self._model = model
        self._visuals = visuals
        self._urdf_folder = urdf_folder
        self._shown: dict[str, float] = {}
        self._moving = tuple(joint for joint in model.joints if joint.kind is not JointKind.FIXED)
        self._nodes: dict[str, viser.FrameHandle] = {}
        self.flaws = {f'link {visual.link}': visual.flaw for visual in visuals if visual.flaw}
        with server.atomic():
            self._add_links()
            drawn = [self._add(f'{self.node_name(visual.link)}/visual_{index}', visual, tint)
                     for index, visual in enumerate(visuals)]
            self.parts: list[Any] = [part for part in drawn if part is not None]
            self._add_skeleton(tint)

    def copy(self, root: str, tint: Rgba) -> RobotScene:
        """Draw the robot once more, as a ghost, without saying again what is not drawn."""
        return RobotScene(
            self._server, self._model, self._visuals, self._urdf_folder, root, tint)

    def remove(self) -> None:
        """Take the robot out of the scene."""
        self._server.scene.remove_by_name(self._root)

    def node_name(self, link: str) -> str:
        """Return the name of the scene node that moves with a link."""
        return self._nodes[link].name

    def show(self, positions: Mapping[str, float]) -> int:
        """
        Move the links to joint positions, and return how many nodes were moved.

        :param positions: joint name to position [rad or m]; joints that are missing stay where
            they are
        """
        known = {**self._shown, **positions}
        moved = [joint for joint in self._moving if self._has_moved(joint, known)]
        self._shown = known
        if moved:
            poses = self._model.link_poses(known)
            with self._server.atomic():
                for joint in moved:
                    pose = poses[joint.parent].inverse() @ poses[joint.child]
                    node = self._nodes[joint.child]
                    node.wxyz = pose.quaternion
                    if joint.kind not in (JointKind.REVOLUTE, JointKind.CONTINUOUS):
                        node.position = pose.position
        return len(moved)

    def corners(self) -> list[np.ndarray]:
        """Return points of the world with all that is drawn between them."""
        poses = self._model.link_poses(self._shown)
        return [*(pose.position for pose in poses.values()), *(
            poses[visual.link] @ visual.origin @ point
            for visual in self._visuals for point in corners(visual.shape, self._urdf_folder))]

    def add_ghost(self, parent: str, tip: str, rgba: Rgba,
                  tool: Pose = NO_TOOL) -> list[Any]:
        """
        Draw the rigid body around ``tip`` again, at the scene node ``parent``; return its parts.

        :param parent: name of the node that stands for the tip, such as a gizmo
        :param rgba: colour and opacity of the ghost
        :param tool: where the node is, in the tip
        """
        body = self._rigid_body(tip)
        poses = self._model.link_poses({})
        x_node_root = (poses[tip] @ tool).inverse()
        parts = []
        for index, visual in enumerate(self._visuals):
            if visual.link in body:
                ghost = replace(visual, origin=x_node_root @ poses[visual.link] @ visual.origin)
                parts.append(self._add(f'{parent}/ghost_{index}', ghost, rgba))
        return [part for part in parts if part is not None]

    def _add_skeleton(self, tint: Rgba | None) -> None:
        """Draw bones and joints of the links that are not drawn as the URDF says, if any."""
        bare = {visual.link for visual in self._visuals
                if visual.flaw or getattr(visual.shape, 'uri', None) in self.flaws}
        if not self._visuals:
            bare = set(self._model.links)
        poses = self._model.link_poses({})
        thick = BONE * robot_size(self._model, {})
        for link in bare:
            ends = [poses[link].inverse() @ poses[joint.child].position
                    for joint in self._model.joints if joint.parent == link]
            for index, (shape, origin) in enumerate(bones(ends, thick)):
                self._add(f'{self.node_name(link)}/bone_{index}',
                          Visual(link, origin, shape, BONE_RGBA), tint)

    def _add(self, name: str, visual: Visual,
             tint: Rgba | None = None) -> viser.SceneNodeHandle | None:
        """Draw one shape; return None, and remember why, when it cannot be read."""
        try:
            return add_visual(self._server.scene, name, visual, self._urdf_folder, tint)
        except MeshError as error:
            if isinstance(visual.shape, MeshFile):
                self.flaws[visual.shape.uri] = str(error)
            return None

    def _add_links(self) -> None:
        poses = self._model.link_poses({})
        root = self._model.root
        self._nodes[root] = self._server.scene.add_frame(
            f'{self._root}/{_plain(root)}', show_axes=False)
        for joint in self._model.joints:
            pose = poses[joint.parent].inverse() @ poses[joint.child]
            self._nodes[joint.child] = self._server.scene.add_frame(
                f'{self.node_name(joint.parent)}/{_plain(joint.child)}',
                show_axes=False, wxyz=pose.quaternion, position=pose.position)

    def _has_moved(self, joint: Joint, known: Mapping[str, float]) -> bool:
        source = joint.mimic.joint if joint.mimic else joint.name
        variables = [name for name in known if name == source or name.startswith(f'{source}.')]
        return any(known[name] != self._shown.get(name) for name in variables)

    def _rigid_body(self, tip: str) -> set[str]:
        """Return the links that fixed joints hold to ``tip``."""
        body = {tip}
        link = tip
        while (joint := self._model.parent_joint(link)) and joint.kind is JointKind.FIXED:
            link = joint.parent
            body.add(link)
        for joint in self._model.joints:
            if joint.kind is JointKind.FIXED and joint.parent in body:
                body.add(joint.child)
        return body


class Trace:
    """A line through the last positions of a tool, in the frame of the node it is under."""

    def __init__(self, server: viser.ViserServer, name: str, spacing: float) -> None:
        """
        Draw nothing yet.

        :param spacing: least distance between two points of the line [m]
        """
        self._spacing = spacing
        self._points: deque[np.ndarray] = deque(maxlen=TRACE_LENGTH)
        self._changed = False
        self._line = server.scene.add_line_segments(
            name, points=np.zeros((1, 2, 3)), colors=TRACE_COLOR, thickness=2.5,
            thickness_units='screen', visible=False)

    def add(self, position: np.ndarray) -> None:
        """Lengthen the line to ``position``, once the tool has moved far enough."""
        if not self._points or np.linalg.norm(position - self._points[-1]) > self._spacing:
            self._points.append(np.array(position))
            self._changed = True

    def clear(self) -> None:
        """Forget the path and hide the line."""
        self._points.clear()
        self._changed = False
        self._line.visible = False

    def push(self) -> None:
        """Send the line to the page if it has grown."""
        if self._changed and len(self._points) > 1:
            points = np.array(self._points, dtype=np.float32)
            self._line.points = np.stack([points[:-1], points[1:]], axis=1)
            self._line.visible = True
            self._changed = False


def bones(ends: Sequence[np.ndarray], thick: float) -> list[tuple[Shape, Pose]]:
    """
    Return a ball at the origin of a link, and a bone from there to each end.

    :param ends: where the next links begin, in the frame of the link
    :param thick: radius of a bone [m]; the ball is thicker
    """
    shapes: list[tuple[Shape, Pose]] = [(Sphere(1.6 * thick), Pose.identity())]
    for end in ends:
        length = float(np.linalg.norm(end))
        if length > thick:
            x, y, z = end / length
            tilt = Pose.from_xyz_rpy((0, 0, 0), (0, math.acos(min(1.0, max(-1.0, z))), 0))
            turn = Pose.from_xyz_rpy(0.5 * end, (0, 0, math.atan2(y, x)))
            shapes.append((Cylinder(thick, length), turn @ tilt))
    return shapes


def robot_size(model: RobotModel, positions: Mapping[str, float]) -> float:
    """Return the diagonal of the box around all link frames [m]."""
    places = np.array([pose.position for pose in model.link_poses(positions).values()])
    return float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0


def add_ground_and_lights(server: viser.ViserServer, size: float) -> None:
    """
    Add ground and lights that a software renderer can still draw quickly.

    :param size: rough size of the robot [m]
    """
    scene = server.scene
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere(
        '/lights/sky', sky_color=(255, 255, 255), ground_color=(90, 96, 110), intensity=2.2)
    scene.add_light_directional(
        '/lights/key', color=(255, 246, 232), intensity=1.8, cast_shadow=False,
        position=(size, -size, 2.0 * size))
    scene.add_grid(
        '/ground', width=4.0 * size, height=4.0 * size, cell_size=size / 10.0,
        section_size=size / 2.0, cell_color=(70, 76, 84), section_color=(96, 104, 114),
        cell_thickness=0.6, section_thickness=1.0, plane_opacity=0.0, shadow_opacity=0.0)


def _plain(link: str) -> str:
    """Return a link name without the separators of scene nodes."""
    return link.replace('/', '|')
