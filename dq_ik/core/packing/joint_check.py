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

"""What can be wrong with a table of joints; who packs one looks here first."""

from enum import IntEnum
import math

from dq_ik.core.algebra.vector import is_finite
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.core.packing import joints as column
from dq_ik.core.packing.joints import JointType, kind_of

SHORTEST_AXIS = 1e-9
SHORTEST_ROTATION = 1e-12


class PackError(IntEnum):
    """Why a table of joints cannot be packed."""

    NONE = 0  # nothing is wrong
    KIND = 1  # the kind of a joint is none of JointType
    PARENT = 2  # the parent of a joint is neither -1 nor the number of an earlier row
    ORIGIN = 3  # the pose of a joint is not finite, or its quaternion is zero
    AXIS = 4  # the axis of a joint is zero or not finite
    LIMITS = 5  # limits out of order, not a number, or beyond 1e9 on the wrong side
    MIMIC_ROW = 6  # the joint to be followed is neither -1 nor the number of another row
    MIMIC_KIND = 7  # only revolute and prismatic joints follow others or are followed
    MIMIC_OF_MIMIC = 8  # a joint follows a mimic: let it follow the master of that one
    MIMIC_FACTOR = 9  # the multiplier or offset of a mimic is not finite
    BALL = 10  # a ball needs swing >= 0 and twist lower <= 0 <= twist upper
    TIP_JOINT = 11  # the joint of a tip is neither -1 nor the number of a row
    TIP_POSE = 12  # the pose of a tip is not finite, or its quaternion is zero
    COUNT = 13  # a number of joints, tips or starts is out of range; there is no tip


@routine
def check(joints, tips, row_out):
    """
    Return the first :class:`PackError` of a table as an integer, 0 if nothing is wrong.

    :param row_out: its first number becomes the bad row of ``joints``, or of ``tips``
    """
    for row in range(joints.shape[0]):
        row_out[0] = row
        error = _joint_error(joints, row)
        if error == PackError.NONE.value:
            error = _mimic_error(joints, row)
        if error != PackError.NONE.value:
            return error
    for row in range(tips.shape[0]):
        row_out[0] = row
        if not _is_row(tips[row, column.TIP_JOINT], joints.shape[0]):
            return PackError.TIP_JOINT.value
        if not _is_pose(tips, row, column.TIP_POSE):
            return PackError.TIP_POSE.value
    return PackError.NONE.value


@kernel
def _joint_error(joints, row):
    """Look at the numbers of one joint that are its own."""
    if not (joints[row, column.KIND] >= 0.0
            and _is_row(joints[row, column.KIND], JointType.FLOATING.value + 1)):
        return PackError.KIND.value
    if not _is_row(joints[row, column.PARENT], row):
        return PackError.PARENT.value
    if not _is_pose(joints, row, column.ORIGIN):
        return PackError.ORIGIN.value
    kind = kind_of(joints, row)
    has_axis = kind != JointType.FIXED.value and kind != JointType.FLOATING.value
    if has_axis and not _is_direction(joints, row, column.AXIS, 3, SHORTEST_AXIS):
        return PackError.AXIS.value
    if _has_limits(kind) and not (joints[row, column.LOWER] <= joints[row, column.UPPER]
                                  and joints[row, column.LOWER] <= FARTHEST
                                  and joints[row, column.UPPER] >= -FARTHEST):
        return PackError.LIMITS.value
    if kind == JointType.BALL.value and not (
            joints[row, column.SWING] >= 0.0 and joints[row, column.SWING + 1] >= 0.0
            and joints[row, column.TWIST_LOWER] <= 0.0
            and joints[row, column.TWIST_UPPER] >= 0.0):
        return PackError.BALL.value
    return PackError.NONE.value


@kernel
def _mimic_error(joints, row):
    """Look at what a joint follows; the row of the other joint may not have been looked at."""
    if not _is_row(joints[row, column.MIMIC], joints.shape[0]) or joints[row, column.MIMIC] == row:
        return PackError.MIMIC_ROW.value
    master = int(joints[row, column.MIMIC])
    if master < 0:
        return PackError.NONE.value
    if not (_has_limits(joints[row, column.KIND]) and _has_limits(joints[master, column.KIND])):
        return PackError.MIMIC_KIND.value
    if joints[master, column.MIMIC] >= 0:
        return PackError.MIMIC_OF_MIMIC.value
    if not (is_finite(joints[row, column.MULTIPLIER])
            and is_finite(joints[row, column.OFFSET])):
        return PackError.MIMIC_FACTOR.value
    return PackError.NONE.value


@kernel
def _has_limits(kind):
    """Tell whether joints of a kind move by one number within limits."""
    return kind == JointType.REVOLUTE.value or kind == JointType.PRISMATIC.value


@kernel
def _is_row(value, count):
    """Tell whether a number is -1 or a whole number below ``count``."""
    return value >= -1.0 and value < count and value == math.floor(value)


@kernel
def _is_pose(table, row, start):
    """Tell whether seven numbers of a row are a rotation of any length and a translation."""
    return (_is_direction(table, row, start, 4, SHORTEST_ROTATION)
            and is_finite(table[row, start + 4]) and is_finite(table[row, start + 5])
            and is_finite(table[row, start + 6]))


@kernel
def _is_direction(table, row, start, size, shortest):
    """Tell whether numbers of a row have a length that is finite and not zero."""
    squared = 0.0
    for k in range(size):
        squared += table[row, start + k] * table[row, start + k]
    return squared >= shortest * shortest and squared < math.inf
