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
"""What says a pose, and what says a point: forms of other libraries, without doubt or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
import reprlib
from typing import Any

from dq_ik.core.entries.pose_input import PoseKind
from dq_ik.errors import DqIkError, GoalError
from dq_ik.pose import floats, Pose
import numpy as np

# A Pose, a 4x4 matrix, eight numbers of a dual quaternion, (position, Rotation of SciPy), a
# RigidTransform of SciPy, an SE3 of Pinocchio. Bare quaternions are refused: their order is open.
PoseLike = Any
ACCEPTED = (
    'a pose is a Pose, a 4x4 matrix, (position, SciPy Rotation), a SciPy RigidTransform, a '
    'Pinocchio SE3 or eight numbers: a dual quaternion, w x y z of the rotation r, then w x y z '
    'of 1/2 t r; a position alone is Goal(position=(x, y, z))')
SAY_THE_ORDER = (
    'say the order of the quaternion with Pose.from_xyz_wxyz(position, quaternion) or '
    'Pose.from_xyz_xyzw(position, quaternion)')


def as_pose(value: PoseLike) -> Pose:
    """
    Return the pose that a value says without doubt.

    :param value: see ``PoseLike``; types of SciPy and Pinocchio are known by their attributes.
    :raises GoalError: if it is none of these, or leaves the order of a quaternion open.
    :raises PoseError: if the numbers are no rigid motion.
    """
    if isinstance(value, Pose):
        return value
    kind, numbers = pose_numbers(value)
    if kind is PoseKind.MATRIX:
        return Pose.from_matrix(numbers.reshape(4, 4))
    if kind is PoseKind.DUAL_QUATERNION:
        return Pose(numbers[:4], numbers[4:])
    return Pose.from_xyz_xyzw(numbers[:3], numbers[3:])


def pose_numbers(value: PoseLike) -> tuple[PoseKind, np.ndarray]:
    """Return the numbers of a pose as they are given, unchecked, and how they are meant."""
    if isinstance(value, Pose):
        return PoseKind.DUAL_QUATERNION, value.numbers()
    if hasattr(value, 'homogeneous'):  # Pinocchio's SE3
        value = value.homogeneous
    elif hasattr(value, 'as_matrix'):  # SciPy's RigidTransform; a Rotation gives 3x3
        value = value.as_matrix()
    elif isinstance(value, (list, tuple)) and len(value) == 2:
        return PoseKind.XYZ_XYZW, _of_pair(*value)
    array = _array(value)
    if array.shape == (4, 4):
        return PoseKind.MATRIX, np.ascontiguousarray(array).reshape(-1)
    if array.shape == (8,):
        return PoseKind.DUAL_QUATERNION, np.ascontiguousarray(array)
    if array.shape == (7,):
        raise GoalError(f'seven numbers are no pose: {SAY_THE_ORDER}; joint positions are a seed, '
                        f'no goal; got {array.tolist()}')
    raise GoalError(f'{ACCEPTED}; got shape {array.shape}: {reprlib.repr(value)}')


def _of_pair(position: Any, rotation: Any) -> np.ndarray:
    """Return a position and a rotation of SciPy as seven numbers; four have no known order."""
    if hasattr(rotation, 'as_quat'):
        xyzw = np.asarray(rotation.as_quat(), dtype=float)
        if xyzw.shape != (4,):
            raise GoalError(f'a pose has one rotation, got {len(xyzw)} of them; pick one: '
                            'rotation[0]')
        return np.concatenate([floats(position, 3, 'a position'), xyzw])
    if _shape(rotation) == (4,):
        raise GoalError(f'(position, four numbers) is no pose: {SAY_THE_ORDER}; got '
                        f'{(position, rotation)!r}')
    raise GoalError(f'{ACCEPTED}; got a pair of shapes {_shape(position)} and {_shape(rotation)}')


def _array(value: Any) -> np.ndarray:
    try:
        return np.asarray(value, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise GoalError(f'{ACCEPTED}; got {reprlib.repr(value)}') from None


def _shape(value: Any) -> tuple[int, ...] | str:
    """Return the shape of numbers, or the type of what is no numbers."""
    try:
        return np.asarray(value, dtype=float).shape
    except (OverflowError, TypeError, ValueError):
        return type(value).__name__


def is_point(value: Any) -> bool:
    """Tell whether a value is three numbers: a position."""
    return not isinstance(value, (Pose, str, dict)) and _shape(value) == (3,)


def as_offset(value: PoseLike) -> Pose:
    """Return the pose of a frame in another one; three numbers are a shift."""
    if is_point(value):
        return Pose.from_xyz_wxyz(value, (1.0, 0.0, 0.0, 0.0))
    return as_pose(value)


def counted(goals: Any) -> tuple[Any, int]:
    """Return many goals as rows, and how many they are, or raise GoalError."""
    if not isinstance(goals, (Mapping, Set, str)):
        try:
            rows = goals if hasattr(goals, '__getitem__') else list(goals)
            count = len(rows)
            return rows.as_matrix() if hasattr(rows, 'as_matrix') else rows, count  # SciPy's
        except TypeError:
            pass
    raise GoalError('a batch is a sequence of goals or an array of them, (N, 4, 4), (N, 8), '
                    f'(N, 3), or (N, 7) with order; got {reprlib.repr(goals)}')


def of_each(goals: Any, read: Callable[[int, Any], Any]) -> list[Any]:
    """Return what ``read`` makes of each row and its goal; an error names the row."""
    done = []
    for row, goal in enumerate(goals):
        try:
            done.append(read(row, goal))
        except DqIkError as error:
            raise type(error)(f'goal {row}: {error}') from None
    return done
