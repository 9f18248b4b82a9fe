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
Messages to and from the types of dq_ik.

ROS writes quaternions as ``(x, y, z, w)``, dq_ik as ``(w, x, y, z)``; they are exchanged here and
nowhere else. Every function reads fields by name only, so that any message that has them will do.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from dq_ik.errors import PoseError, SeedError
from dq_ik.pose import floats, Pose
from dq_ik.robot.model import JointKind, RobotModel, SINGLE_AXIS
from dq_ik.stream.commands import single_axis_positions

# Positions beyond this [m or rad] are a mistake; their squares would leave the range of numbers.
FARTHEST = 1e9


def pose_from_msg(msg: Any) -> Pose:
    """
    Read a ``geometry_msgs/Pose``; the quaternion need not have unit length.

    :raises PoseError: if a number is not finite, a position absurd, or the quaternion zero.
    """
    return _pose(msg.position, msg.orientation)


def pose_from_transform(msg: Any) -> Pose:
    """Read a ``geometry_msgs/Transform``; raises PoseError as :func:`pose_from_msg`."""
    return _pose(msg.translation, msg.rotation)


def _pose(t: Any, r: Any) -> Pose:
    return pose_from_numbers((t.x, t.y, t.z), (r.x, r.y, r.z, r.w))


def pose_from_numbers(position: tuple[float, ...], xyzw: tuple[float, ...]) -> Pose:
    """Return the pose of x, y, z and of a quaternion; raises PoseError as pose_from_msg."""
    return Pose.from_xyz_xyzw(_near(position), xyzw)


def point_from_msg(msg: Any) -> tuple[float, ...]:
    """Read a ``geometry_msgs/Point``; raises PoseError if a number is not finite or absurd."""
    return floats(_near((msg.x, msg.y, msg.z)), 3, 'a point')


def _near(position: tuple[float, ...]) -> tuple[float, ...]:
    """Return x, y, z, unless they are absurd."""
    x, y, z = position
    if max(abs(x), abs(y), abs(z)) > FARTHEST:
        raise PoseError(f'the position ({x:g}, {y:g}, {z:g}) is not finite or no place on '
                        f'earth: more than {FARTHEST:g} m away')
    return position


def fill_pose(msg: Any, pose: Pose) -> Any:
    """Write a pose into a ``geometry_msgs/Pose`` and return the message."""
    fill_point(msg.position, pose.position)
    r = msg.orientation
    r.w, r.x, r.y, r.z = pose.quaternion.tolist()
    return msg


def fill_point(msg: Any, point: Iterable[float]) -> Any:
    """Write x, y, z into a ``geometry_msgs/Point`` or ``Vector3`` and return the message."""
    msg.x, msg.y, msg.z = map(float, point)
    return msg


def fill_transform(msg: Any, pose: Pose) -> Any:
    """Write a pose into a ``geometry_msgs/Transform`` and return the message."""
    fill_point(msg.translation, pose.position)
    r = msg.rotation
    r.w, r.x, r.y, r.z = pose.quaternion.tolist()
    return msg


def seconds(duration: Any) -> float:
    """Return a ``builtin_interfaces/Duration`` in seconds."""
    return duration.sec + 1e-9 * duration.nanosec


def joint_positions(msg: Any, model: RobotModel) -> dict[str, float]:
    """
    Read the positions of a ``sensor_msgs/JointState`` strictly.

    :param model: the robot that the joints must belong to.
    :raises SeedError: on a wrong length or a value that is not finite or absurd.
    :raises ChainError: on a joint that the robot does not have.
    """
    positions = positions_by_name(msg)
    for name in positions:
        model.joint(name)
    return positions


def positions_by_name(msg: Any) -> dict[str, float]:
    """Read the positions of a ``sensor_msgs/JointState``; raises SeedError if one is absurd."""
    names, positions = msg.name, msg.position
    if len(names) != len(positions):
        raise SeedError(f'a joint state has {len(names)} names but {len(positions)} positions')
    for name, position in zip(names, positions):
        if not abs(position) <= FARTHEST:
            raise SeedError(f"joint '{name}' has the position {position:g}; it must be finite and "
                            f'at most {FARTHEST:g} in size')
    return dict(zip(names, positions))


def multi_dof_positions(msg: Any, model: RobotModel) -> dict[str, float]:
    """
    Read the planar, floating and ball joints of a ``sensor_msgs/MultiDOFJointState`` as variables.

    Joints that the URDF does not have are left out: MoveIt lists the virtual joints of its SRDF.

    :raises SeedError: on a wrong length; PoseError on a transform that is none.
    """
    variables: dict[str, float] = {}
    names, transforms = msg.joint_names, msg.transforms
    if len(names) != len(transforms):
        raise SeedError(f'a state of joints with several degrees of freedom has {len(names)} '
                        f'names but {len(transforms)} transforms')
    if not names:
        return variables
    kinds = {joint.name: joint.kind for joint in model.joints}
    for name, transform in zip(names, transforms):
        if name in kinds:
            variables.update(_variables(name, kinds[name], pose_from_transform(transform)))
    return variables


def _variables(name: str, kind: JointKind, pose: Pose) -> dict[str, float]:
    """Return the variables of a joint whose child frame has a pose in the joint frame."""
    x, y, z = pose.position.tolist()
    turn = Pose((*pose.real,), (0.0, 0.0, 0.0, 0.0)).log()[3:].tolist()
    if kind is JointKind.PLANAR:
        return {f'{name}.x': x, f'{name}.y': y, f'{name}.theta': turn[2]}
    if kind is JointKind.BALL:
        return dict(zip((f'{name}.x', f'{name}.y', f'{name}.z'), turn))
    if kind is JointKind.FLOATING:
        names = (f'{name}.{v}' for v in ('x', 'y', 'z', 'rx', 'ry', 'rz'))
        return dict(zip(names, [x, y, z, *turn]))
    return {}


class RobotStateWriter:
    """Writes all movable joints of a robot into ``moveit_msgs/RobotState`` messages."""

    def __init__(self, model: RobotModel, transform: type) -> None:
        """
        Sort the joints.

        :param transform: the class ``geometry_msgs.msg.Transform``, for joints of several numbers.
        """
        self._model = model
        self._transform = transform
        self._multi = [joint for joint in model.joints
                       if joint.kind not in (*SINGLE_AXIS, JointKind.FIXED)]

    def fill(self, msg: Any, positions: Mapping[str, float]) -> Any:
        """
        Write a state and return the message.

        :param positions: by variable; joints left out are at neutral, mimic joints follow.
        """
        single = single_axis_positions(self._model, positions)
        msg.is_diff = False
        state = msg.joint_state
        state.header.frame_id = self._model.root
        state.name, state.position = list(single), array('d', single.values())
        if self._multi:
            self._fill_multi(msg.multi_dof_joint_state, positions)
        return msg

    def _fill_multi(self, msg: Any, positions: Mapping[str, float]) -> None:
        """Write the joints that one number does not describe."""
        whole = self._model.whole
        q = whole.configuration(positions, strict=False)
        poses = [(whole.fk(q, joint.parent) @ joint.origin).inverse() @ whole.fk(q, joint.child)
                 for joint in self._multi]
        msg.header.frame_id = self._model.root
        msg.joint_names = [joint.name for joint in self._multi]
        msg.transforms = [fill_transform(self._transform(), pose) for pose in poses]
