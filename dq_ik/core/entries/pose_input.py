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
Poses as callers give them, checked and turned into unit dual quaternions.

Every entry that takes poses reads them here, so that one set of rules holds for Python, C and C++.
"""

from __future__ import annotations

from enum import IntEnum
import math

from dq_ik.core.algebra import dual_quaternion, frame, quaternion
from dq_ik.core.algebra.vector import all_finite
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.arrays import vector

ROTATION_TOLERANCE = 1e-4  # a rotation matrix may be off by this much (rounded files)
SHORTEST = 1e-12  # of quaternions that have a direction
HUGE = 1e100  # of numbers whose squares may overflow


class PoseKind(IntEnum):
    """How a pose is written."""

    DUAL_QUATERNION = 0  # rotation r: w, x, y, z; then 1/2 t r of the translation t: w, x, y, z
    MATRIX = 1  # 4x4, row by row
    XYZ_WXYZ = 2  # position, then the quaternion with its real part first
    XYZ_XYZW = 3  # position, then the quaternion with its real part last, as in ROS


WIDTHS = (8, 16, 7, 7)  # numbers of a pose of each kind


class Fault(IntEnum):
    """What is wrong with an argument; 0: nothing."""

    NONE = 0  # nothing is wrong
    POSE_NOT_FINITE = 1  # a pose has a number that is infinite or not a number, or is too far away
    POSE_NOT_ROTATION = 2  # a quaternion is zero
    POSE_NOT_RIGID = 3  # a matrix is no rigid motion
    VECTOR_NOT_FINITE = 4  # a configuration is not finite, or a seed is beyond 1e9
    WRONG_BLOCK = 5  # a block is none, or belongs to another version or another robot
    OUT_OF_RANGE = 6  # a number of an argument is out of range


@kernel
def width(kind):
    """Count the numbers of a pose of a kind."""
    if kind == PoseKind.MATRIX:
        return 16
    return 8 if kind == PoseKind.DUAL_QUATERNION else 7


@kernel
def is_kind(pose_kind):
    """Tell whether a number is a PoseKind."""
    return 0 <= pose_kind <= PoseKind.XYZ_XYZW.value


@routine
def read_pose(kind, numbers, pose_out):
    """
    Write a pose as a unit dual quaternion.

    :param numbers: of a :class:`PoseKind`
    :param pose_out: ``(8,)``; not written where the pose is bad
    :returns: a :class:`Fault`
    """
    if not all_finite(numbers):
        return Fault.POSE_NOT_FINITE.value
    if kind == PoseKind.MATRIX:
        if not _is_rigid(numbers):
            return Fault.POSE_NOT_RIGID.value
        m = numbers
        r = quaternion.from_matrix(((m[0], m[1], m[2]), (m[4], m[5], m[6]), (m[8], m[9], m[10])))
        t = (m[3], m[7], m[11])
    else:
        r = _quaternion(kind, numbers)
        size = 1.0
        if _largest(r) > HUGE:
            size = _largest(r)
            r = quaternion.scale(r, 1.0 / size)
        norm = quaternion.norm(r)
        if not size * norm >= SHORTEST:
            return Fault.POSE_NOT_ROTATION.value
        if kind == PoseKind.DUAL_QUATERNION:
            return _store(dual_quaternion.normalized((r, _dual(numbers, size))), pose_out)
        r = quaternion.scale(r, 1.0 / norm)
        t = (numbers[0], numbers[1], numbers[2])
    return _store(dual_quaternion.from_rotation_translation(r, t), pose_out)


@kernel
def _quaternion(kind, numbers):
    """Rotation of a pose that is not a matrix, real part first."""
    if kind == PoseKind.DUAL_QUATERNION:
        return (numbers[0], numbers[1], numbers[2], numbers[3])
    if kind == PoseKind.XYZ_WXYZ:
        return (numbers[3], numbers[4], numbers[5], numbers[6])
    return (numbers[6], numbers[3], numbers[4], numbers[5])


@kernel
def _dual(numbers, size):
    """Dual part of eight numbers, divided by a size."""
    return (numbers[4] / size, numbers[5] / size, numbers[6] / size, numbers[7] / size)


@kernel
def _store(x, pose_out):
    """Write a dual quaternion whose translation is a number."""
    a, b, c, d = x[1]
    if not 2.0 * (abs(a) + abs(b) + abs(c) + abs(d)) < math.inf:
        return Fault.POSE_NOT_FINITE.value
    dual_quaternion.store(x, pose_out)
    return Fault.NONE.value


@kernel
def _largest(a):
    """Largest absolute value of four."""
    return max(max(abs(a[0]), abs(a[1])), max(abs(a[2]), abs(a[3])))


@kernel
def _is_rigid(m):
    """Tell whether R R^T = I and det R = 1, and whether the last row is (0, 0, 0, 1)."""
    worst = max(max(abs(m[12]), abs(m[13])), max(abs(m[14]), abs(m[15] - 1.0)))
    for i in range(3):
        for j in range(i + 1):
            product = (m[4 * i] * m[4 * j] + m[4 * i + 1] * m[4 * j + 1]
                       + m[4 * i + 2] * m[4 * j + 2])
            worst = max(worst, abs(product - (1.0 if i == j else 0.0)))
    det = (m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8])
           + m[2] * (m[4] * m[9] - m[5] * m[8]))
    return worst <= ROTATION_TOLERANCE and det > 0.0


@kernel
def pose_at(numbers, kind, row):
    """View a row of poses."""
    return vector(numbers, width(kind) * row, width(kind))


@kernel
def write_pose(kind, x, numbers_out):
    """Write a frame (r, t) as a pose of a kind."""
    if kind == PoseKind.DUAL_QUATERNION:
        frame.store_dual(x, numbers_out)
        return
    r, t = x
    if kind != PoseKind.MATRIX:
        first = 3 if kind == PoseKind.XYZ_XYZW else 4  # place of the imaginary parts
        numbers_out[6 if kind == PoseKind.XYZ_XYZW else 3] = r[0]
        for i in range(3):
            numbers_out[i], numbers_out[first + i] = t[i], r[i + 1]
        return
    rows = quaternion.to_matrix(r)
    for i in range(3):
        for j in range(3):
            numbers_out[4 * i + j] = rows[i][j]
        numbers_out[4 * i + 3] = t[i]
        numbers_out[12 + i] = 0.0
    numbers_out[15] = 1.0
