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
Constraints of a request on links: where a point of a link must be, and how it must be turned.

As in MoveIt they select solutions; they are no goals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, NamedTuple

from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.model import RobotModel
from dq_ik.ros.conversions import pose_from_msg
from dq_ik.ros.frames import FrameError, Frames
from dq_ik.ros.services.requests import ErrorCode, RequestError
import numpy as np

# Rounding that a pose on the edge of a constraint may show [m, rad].
SLACK = 1e-9
# Names and numbers of dimensions of the types of ``shape_msgs/SolidPrimitive`` that are known.
SHAPES = {1: ('box', 3), 2: ('sphere', 1), 3: ('cylinder', 2)}
ROTATION_VECTOR = 1  # a parameterization of ``moveit_msgs/OrientationConstraint``


class LinkConstraint(NamedTuple):
    """
    What a pose of a link must satisfy.

    :param frame: link that ``holds`` expects the pose in; empty: the root.
    """

    kind: str
    link: str
    frame: str
    holds: Callable[[Pose], bool]

    def __str__(self) -> str:
        """Return kind and link, for messages."""
        return f"the {self.kind} constraint of '{self.link}'"


def link_constraints(msg: Any, frames: Frames, model: RobotModel,
                     state: Mapping[str, float]) -> tuple[LinkConstraint, ...]:
    """
    Read the position and orientation constraints of a ``moveit_msgs/Constraints``.

    :param frames: seen from the root.
    :raises RequestError: FRAME_TRANSFORM_FAILURE, or INVALID_GOAL_CONSTRAINTS also for a kind or
        shape that is not known: what cannot be checked is not promised.
    """
    if msg.visibility_constraints:
        raise _invalid('visibility constraints are not supported')
    return tuple(
        _read(item, kind, test, frames, model, state)
        for kind, items, test in (('position', msg.position_constraints, _region),
                                  ('orientation', msg.orientation_constraints, _orientation))
        for item in items)


def broken(constraints: tuple[LinkConstraint, ...], model: RobotModel,
           positions: Mapping[str, float]) -> list[str]:
    """Return the constraints that do not hold with the joints at these positions."""
    if not constraints:
        return []
    poses = model.link_poses(positions)
    return [str(item) for item in constraints if not item.holds(
        poses[item.frame or model.root].inverse() @ poses[item.link])]


def _read(msg: Any, kind: str, test: Callable[[Any], Callable[[Pose], bool]], frames: Frames,
          model: RobotModel, state: Mapping[str, float]) -> LinkConstraint:
    if msg.link_name not in model.links:
        raise _invalid(f"a {kind} constraint names the unknown link '{msg.link_name}'")
    frame = msg.header.frame_id
    try:
        holds = test(msg)
        if frame in model.links:
            return LinkConstraint(kind, msg.link_name, frame, holds)
        x_frame_root = frames.pose(frame, state).inverse()
    except FrameError as error:
        raise RequestError(ErrorCode.FRAME_TRANSFORM_FAILURE, error) from None
    except RequestError:
        raise
    except DqIkError as error:
        raise _invalid(f"the {kind} constraint of '{msg.link_name}': {error}") from None
    return LinkConstraint(kind, msg.link_name, '', lambda pose: holds(x_frame_root @ pose))


def _region(msg: Any) -> Callable[[Pose], bool]:
    """Return the test of a ``moveit_msgs/PositionConstraint``: a point is in one of the solids."""
    region, offset = msg.constraint_region, msg.target_point_offset
    if region.meshes or not region.primitives or (
            len(region.primitives) != len(region.primitive_poses)):
        raise _invalid('the region of a position constraint must be boxes, spheres and cylinders, '
                       'each with a pose; meshes are not supported')
    solids = [(pose_from_msg(pose).inverse(), _solid(primitive))
              for primitive, pose in zip(region.primitives, region.primitive_poses)]
    point = np.array((offset.x, offset.y, offset.z))
    if not np.all(np.isfinite(point)):
        raise _invalid('target_point_offset must be finite')

    def holds(pose: Pose) -> bool:
        place = pose @ point
        return any(contains(x_solid_frame @ place) for x_solid_frame, contains in solids)
    return holds


def _solid(msg: Any) -> Callable[[np.ndarray], bool]:
    """Return the test whether a ``shape_msgs/SolidPrimitive`` contains a point of its frame."""
    sizes = np.array(msg.dimensions)
    if msg.type not in SHAPES:
        raise _invalid(f'solids of type {msg.type} are not supported; boxes (1), spheres (2) and '
                       'cylinders (3) are')
    shape, count = SHAPES[msg.type]
    if len(sizes) != count or not np.all(sizes >= 0.0):
        raise _invalid(f'a {shape} has {count} dimensions, not negative; these are '
                       f'{sizes.tolist()}')
    if shape == 'box':
        return lambda p: bool(np.all(np.abs(p) <= 0.5 * sizes + SLACK))
    if shape == 'sphere':
        return lambda p: float(np.linalg.norm(p)) <= sizes[0] + SLACK
    height, radius = sizes
    return lambda p: abs(p[2]) <= 0.5 * height + SLACK and math.hypot(p[0], p[1]) <= radius + SLACK


def _orientation(msg: Any) -> Callable[[Pose], bool]:
    """Return the test of a ``moveit_msgs/OrientationConstraint``."""
    r = msg.orientation
    wanted = Pose.from_xyz_xyzw((0.0, 0.0, 0.0), (r.x, r.y, r.z, r.w)).inverse()
    allowed = SLACK + np.array((msg.absolute_x_axis_tolerance, msg.absolute_y_axis_tolerance,
                                msg.absolute_z_axis_tolerance))
    if not np.all(allowed >= 0.0):
        raise _invalid('the tolerances of an orientation constraint must not be negative')
    if msg.parameterization == ROTATION_VECTOR:
        return lambda pose: bool(np.all(np.abs(_turn(wanted @ pose).log()[3:]) <= allowed))
    return lambda pose: _euler_angles_within((wanted @ pose).matrix[:3, :3], allowed)


def _turn(pose: Pose) -> Pose:
    """Return the rotation of a pose alone."""
    return Pose((*pose.real,), (0.0, 0.0, 0.0, 0.0))


def _euler_angles_within(rotation: np.ndarray, allowed: np.ndarray) -> bool:
    """Tell whether the angles a, b, c with R = Rx(a) Ry(b) Rz(c) are within their tolerances."""
    sine = min(1.0, max(-1.0, rotation[0, 2]))
    b = math.asin(sine)
    if abs(sine) > 1.0 - SLACK:  # only a + c (or a - c) is defined: any way to share it will do
        turn = math.atan2(rotation[2, 1], rotation[1, 1])
        return abs(b) <= allowed[1] and abs(turn) <= allowed[0] + allowed[2]
    a = math.atan2(-rotation[1, 2], rotation[2, 2])
    c = math.atan2(-rotation[0, 1], rotation[0, 0])
    return bool(np.all(np.abs((a, b, c)) <= allowed))


def _invalid(reason: str) -> RequestError:
    return RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS, reason)
