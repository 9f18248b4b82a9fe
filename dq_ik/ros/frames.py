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
"""
Frames of goals: the base, any link of the robot, or any frame that tf2 knows.

Links that fixed joints attach to the base have constant poses. Other links are placed by forward
kinematics, so that the node needs no TF. Only frames outside the robot are asked from tf2: latest
transform, no waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dq_ik.errors import DqIkError, nearest
from dq_ik.pose import Pose
from dq_ik.robot.model import JointKind, RobotModel
from dq_ik.ros.conversions import pose_from_transform
from dq_ik.ros.running import SpinThread
from rclpy.node import Node
from rclpy.time import Time

# (target frame, source frame) -> pose of the source in the target; raises FrameError.
Lookup = Callable[[str, str], Pose]


class FrameError(DqIkError):
    """A frame is unknown, or where it is cannot be told now."""


def rigid_body(model: RobotModel, link: str) -> dict[str, Pose]:
    """Return the poses in ``link`` of all links that fixed joints attach to it, and its own."""
    poses = {link: Pose.identity()}
    fixed = [joint for joint in model.joints if joint.kind is JointKind.FIXED]
    found = 0
    while found < len(poses):
        found = len(poses)
        for joint in fixed:
            if joint.parent in poses and joint.child not in poses:
                poses[joint.child] = poses[joint.parent] @ joint.origin
            elif joint.child in poses and joint.parent not in poses:
                poses[joint.parent] = poses[joint.child] @ joint.origin.inverse()
    return poses


class Frames:
    """Where frames are, seen from the base of a group."""

    def __init__(self, model: RobotModel, base: str, lookup: Lookup | None = None) -> None:
        """
        Prepare the frames that do not move.

        :param base: link that the poses are wanted in.
        :param lookup: asks tf2; None where there is none.
        """
        self._model = model
        self._base = base
        self._lookup = lookup
        self._rigid = rigid_body(model, base)
        if model.root in self._rigid:
            self._rigid[''] = self._rigid[model.root]

    def pose(self, frame: str, state: Mapping[str, float],
             current: Mapping[str, float] | None = None) -> Pose:
        """
        Return the pose of a frame in the base frame.

        :param frame: link of the robot or TF frame; empty means the root link, as in MoveIt.
        :param state: joint positions that place the base in the root.
        :param current: joint positions that place a moving link in the root; None: as ``state``.
        :raises FrameError: if the frame cannot be placed.
        """
        rigid = self._rigid.get(frame)
        if rigid is not None:
            return rigid
        model = self._model
        x_root_base = model.link_poses(state)[self._base]
        if frame in ('', model.root):
            return x_root_base.inverse()
        if frame in model.links:
            poses = model.link_poses(state if current is None else current)
            return x_root_base.inverse() @ poses[frame]
        return x_root_base.inverse() @ self._ask(frame)

    def _ask(self, frame: str) -> Pose:
        hint = '; TF names have no leading slash' if frame.startswith('/') else ''
        if self._lookup is None:
            raise FrameError(f"frame '{frame}' is no link of '{self._model.name}'"
                             f'{nearest(frame, self._model.links)}, '
                             f'and tf2_ros is not in use{hint}')
        return self._lookup(self._model.root, frame)


class TfLookup:
    """Asks tf2 without waiting. It listens in a thread of its own: TF traffic delays no goal."""

    def __init__(self, node: Node) -> None:
        """
        Start to listen.

        :param node: the node that asks; its remappings of /tf and /tf_static hold here too.
        :raises ImportError: where tf2_ros is not installed.
        """
        import tf2_ros
        self._latest = Time()
        self._error = tf2_ros.TransformException
        remapping = ['--ros-args']
        for topic in ('/tf', '/tf_static'):
            remapping += ['-r', f'{topic}:={node.resolve_topic_name(topic)}']
        self._node = Node(f'_{node.get_name()}_tf', context=node.context, cli_args=remapping,
                          use_global_arguments=False, start_parameter_services=False)
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, self._node)
        self._spinning = SpinThread(self._node)

    def __call__(self, target: str, source: str) -> Pose:
        """Return the latest pose of ``source`` in ``target``; raises FrameError."""
        try:
            stamped = self._buffer.lookup_transform(target, source, self._latest)
        except self._error as error:
            raise FrameError(
                f"frame '{source}' is no link of the robot, and tf2 says: {error}") from None
        return pose_from_transform(stamped.transform)

    def close(self) -> None:
        """Stop listening."""
        self._spinning.close()
