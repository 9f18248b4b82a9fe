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
The table of joints from which a robot is packed: numbers only, one row per joint.

Rows are in an order in which parents come first. The table may hold more joints than those on the
way to the tips: the others only narrow the limits of joints that they mimic, or lend their
variable to a mimic.
"""

from enum import IntEnum

from dq_ik.core.compile import kernel
from dq_ik.core.memory.table import Row

JOINT = Row(
    kind=1,  # a JointType
    parent=1,  # row of the joint whose child link carries this one; -1: the base carries it
    origin=7,  # pose of the joint in its parent link: w, x, y, z of its rotation; x, y, z [m]
    axis=3,  # direction in the joint's frame, of any length but zero; not read of some kinds
    lower=1, upper=1,  # limits [rad or m], infinite where there is none
    mimic=1,  # row of the joint that it follows, itself no mimic; -1: it follows none
    multiplier=1, offset=1,  # a mimic is at multiplier * q + offset; read of mimics only
    swing=2,  # half angles of the cone of a ball's axis about x and y across it [rad]
    twist_lower=1, twist_upper=1)  # range of a ball's turn about its axis [rad]; contains 0
(KIND, PARENT, ORIGIN, AXIS, LOWER, UPPER, MIMIC, MULTIPLIER, OFFSET, SWING, TWIST_LOWER,
 TWIST_UPPER) = JOINT.places

TIP = Row(
    joint=1,  # row of the joint whose child link carries the tip; -1: the base carries it
    pose=7)  # pose of the goal frame in that link, as the origin of a joint
TIP_JOINT, TIP_POSE = TIP.places


class JointType(IntEnum):
    """What a joint allows its child link to do."""

    FIXED = 0
    REVOLUTE = 1  # turns about its axis; without limits: continuous
    PRISMATIC = 2  # slides along its axis
    BALL = 3  # turns freely; its variables are a rotation vector
    PLANAR = 4  # slides in the plane across its axis (x, y) and turns about it (theta)
    FLOATING = 5  # slides along x, y, z, then turns as a ball


@kernel
def n_parts(kind):
    """Count the variables of a joint, which are as many as its screws."""
    if kind == JointType.FIXED.value:
        return 0
    if kind <= JointType.PRISMATIC.value:
        return 1
    return 6 if kind == JointType.FLOATING.value else 3


@kernel
def n_elements(kind):
    """Count the elements that a joint becomes (:mod:`dq_ik.core.kinematics.tree`)."""
    if kind == JointType.FIXED.value:
        return 0
    if kind == JointType.PLANAR.value:
        return 3
    return 4 if kind == JointType.FLOATING.value else 1


@kernel
def kind_of(joints, row):
    """Kind of a joint as an integer."""
    return int(joints[row, KIND])


@kernel
def parent_of(joints, row):
    """Row of the joint that carries this one, or -1."""
    return int(joints[row, PARENT])


@kernel
def master_of(joints, row):
    """Row of the joint that a joint follows: its own if it is no mimic."""
    master = int(joints[row, MIMIC])
    return row if master < 0 else master
