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
From a table of joints to the arrays of a tree, in memory that is handed in.

First :func:`count` checks the table and tells the sizes, then :func:`fill` writes. Each joint
becomes elements that move about or along z (:mod:`dq_ik.core.kinematics.tree`); fixed joints
disappear into the constant poses between them.
"""

from __future__ import annotations

import math

from dq_ik.core.algebra import frame, quaternion
from dq_ik.core.algebra.vector import fill as fill_vector
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory import layout as tree
from dq_ik.core.packing import joints as column
from dq_ik.core.packing.joint_check import check, PackError
from dq_ik.core.packing.joints import JointType, kind_of, master_of, n_elements, n_parts, parent_of
from dq_ik.core.packing.ways import fill_ways

# What count() tells; a bad table: the bad row instead of the first.
N_VARIABLES, N_ELEMENTS, N_SCREWS, N_PATH, N_SLOTS = 0, 1, 2, 3, 4
N_SIZES = 5

HALF = math.sqrt(0.5)
X_TO_Z = (HALF, 0.0, HALF, 0.0)  # turns z onto x
Y_TO_Z = (HALF, -HALF, 0.0, 0.0)  # turns z onto y
NO_TURN = (1.0, 0.0, 0.0, 0.0)
NO_WAY = (0.0, 0.0, 0.0)
UPSIDE_DOWN = 1e-12  # a z axis that points down to within this [rad] is turned about x


@routine
def count(joints, tips, scratch, sizes_out):
    """
    Check a table, and count what will be packed.

    :param joints: rows of :data:`dq_ik.core.packing.joints.JOINT`
    :param tips: rows of :data:`dq_ik.core.packing.joints.TIP`
    :param scratch: work memory, a :data:`dq_ik.core.memory.layout.PACKING`
    :param sizes_out: (N_SIZES,) see N_VARIABLES and others
    :returns: a :class:`PackError`, 0 if nothing is wrong
    """
    error = check(joints, tips, sizes_out)
    if error != PackError.NONE.value:
        return error
    fill_vector(0, sizes_out)
    sizes_out[N_VARIABLES] = _number_variables(joints, tips, scratch)
    for row in range(joints.shape[0]):
        if scratch.needed[row]:
            sizes_out[N_ELEMENTS] += n_elements(kind_of(joints, row))
            sizes_out[N_SCREWS] += n_parts(kind_of(joints, row))
    fill_vector(-1, scratch.mark)
    for tip in range(tips.shape[0]):
        row = int(tips[tip, column.TIP_JOINT])
        while row >= 0:
            _count_joint(joints, row, tip, scratch, sizes_out)
            row = parent_of(joints, row)
    return PackError.NONE.value


@kernel
def _count_joint(joints, row, tip, scratch, sizes_out):
    """Count the screws of a joint on the way to a tip, and its variables not counted yet."""
    first = scratch.first[master_of(joints, row)]
    for variable in range(first, first + n_parts(kind_of(joints, row))):
        sizes_out[N_PATH] += 1
        if scratch.mark[variable] != tip:
            scratch.mark[variable] = tip
            sizes_out[N_SLOTS] += 1


@routine
def _number_variables(joints, tips, scratch):
    """Find the joints on a way and number their variables as they are met; return how many."""
    fill_vector(0, scratch.needed)
    fill_vector(-1, scratch.first)
    for tip in range(tips.shape[0]):
        row = int(tips[tip, column.TIP_JOINT])
        while row >= 0 and scratch.needed[row] == 0:
            scratch.needed[row] = 1
            row = parent_of(joints, row)
    n = 0
    for row in range(joints.shape[0]):
        parts = n_parts(kind_of(joints, row))
        master = master_of(joints, row)
        if scratch.needed[row] and parts > 0 and scratch.first[master] < 0:
            scratch.first[master] = n
            n += parts
    return n


@routine
def fill(joints, tips, scratch, tree_out):
    """
    Write the tree of a table that :func:`count` found good.

    :param tree_out: a :data:`dq_ik.core.memory.layout.ROBOT` of the counted sizes
    """
    _number_variables(joints, tips, scratch)
    _fill_variables(joints, scratch, tree_out)
    _narrow(joints, scratch, tree_out)
    _lift(tree_out)
    _fill_elements(joints, scratch, tree_out)
    _fill_tips(tips, scratch, tree_out)
    fill_ways(scratch.mark, tree_out)


@kernel
def _fill_variables(joints, scratch, tree_out):
    """Write whose the variables are, and the limits of their own joints."""
    for row in range(joints.shape[0]):
        first = scratch.first[row]
        if first < 0:
            continue
        parts = n_parts(kind_of(joints, row))
        for part in range(parts):
            tree_out.joint[first + part] = row
            tree_out.part[first + part] = part
            tree_out.lower[first + part] = -math.inf
            tree_out.upper[first + part] = math.inf
        if parts == 1:
            tree_out.lower[first] = joints[row, column.LOWER]
            tree_out.upper[first] = joints[row, column.UPPER]


@kernel
def _narrow(joints, scratch, tree_out):
    """Narrow limits to where all mimics, too, stay in theirs (where such a range exists)."""
    for row in range(joints.shape[0]):
        variable = scratch.first[master_of(joints, row)]
        multiplier = joints[row, column.MULTIPLIER]
        if joints[row, column.MIMIC] < 0 or variable < 0 or multiplier == 0.0:
            continue
        a = (joints[row, column.LOWER] - joints[row, column.OFFSET]) / multiplier
        b = (joints[row, column.UPPER] - joints[row, column.OFFSET]) / multiplier
        lower = max(tree_out.lower[variable], min(a, b))
        upper = min(tree_out.upper[variable], max(a, b))
        if lower < upper and lower <= tree.FARTHEST and upper >= -tree.FARTHEST:
            tree_out.lower[variable] = lower
            tree_out.upper[variable] = upper


@kernel
def _lift(tree_out):
    """Make limits infinite that are farther than any position."""
    for i in range(tree_out.lower.shape[0]):
        if tree_out.lower[i] < -tree.FARTHEST:
            tree_out.lower[i] = -math.inf
        if tree_out.upper[i] > tree.FARTHEST:
            tree_out.upper[i] = math.inf


@routine
def _fill_elements(joints, scratch, tree_out):
    """Write the elements of all joints on a way, and where the child links of these are."""
    last = -1  # element
    for row in range(joints.shape[0]):
        if scratch.needed[row] == 0:
            continue
        parent = parent_of(joints, row)
        element = -1
        place = frame.load_at(joints, row, column.ORIGIN)
        if parent >= 0:
            element = scratch.element[parent]
            place = frame.product(frame.load(scratch.pose[parent]), place)
        if kind_of(joints, row) != JointType.FIXED.value:
            variable = scratch.first[master_of(joints, row)]
            place = _add_joint(joints, row, variable, element, place, last + 1, tree_out)
            last += n_elements(kind_of(joints, row))
            element = last
        scratch.element[row] = element
        frame.store(place, scratch.pose[row])


@routine
def _add_joint(joints, row, variable, parent, place, i, tree_out):
    """Write a joint that moves as elements from i on; return the place of its child link."""
    kind = kind_of(joints, row)
    if kind == JointType.FLOATING.value:
        place = _add(tree.PRISMATIC, variable, parent, place, X_TO_Z, i, tree_out)
        place = _add(tree.PRISMATIC, variable + 1, i, place, Y_TO_Z, i + 1, tree_out)
        place = _add(tree.PRISMATIC, variable + 2, i + 1, place, NO_TURN, i + 2, tree_out)
        return _add(tree.BALL, variable + 3, i + 2, place, NO_TURN, i + 3, tree_out)
    align = _align_z(joints, row)
    if kind == JointType.PLANAR.value:
        x_to_z = quaternion.normalized(quaternion.mul(align, X_TO_Z))
        y_to_z = quaternion.normalized(quaternion.mul(align, Y_TO_Z))
        place = _add(tree.PRISMATIC, variable, parent, place, x_to_z, i, tree_out)
        place = _add(tree.PRISMATIC, variable + 1, i, place, y_to_z, i + 1, tree_out)
        return _add(tree.REVOLUTE, variable + 2, i + 1, place, align, i + 2, tree_out)
    if kind == JointType.BALL.value:
        place = _add(tree.BALL, variable, parent, place, align, i, tree_out)
        tree_out.element[i, tree.SWING] = joints[row, column.SWING]
        tree_out.element[i, tree.SWING + 1] = joints[row, column.SWING + 1]
        tree_out.element[i, tree.TWIST_LOWER] = joints[row, column.TWIST_LOWER]
        tree_out.element[i, tree.TWIST_UPPER] = joints[row, column.TWIST_UPPER]
        return place
    slides = kind == JointType.PRISMATIC.value
    place = _add(tree.PRISMATIC if slides else tree.REVOLUTE, variable, parent, place, align, i,
                 tree_out)
    if joints[row, column.MIMIC] >= 0:
        tree_out.element[i, tree.MULTIPLIER] = joints[row, column.MULTIPLIER]
        tree_out.element[i, tree.OFFSET] = joints[row, column.OFFSET]
    return place


@routine
def _add(kind, variable, parent, place, align, i, tree_out):
    """Write element i, which moves along z of a turned frame; return the turn back."""
    row = tree_out.element[i]
    frame.store(frame.product(place, (align, NO_WAY)), row)
    row[tree.MULTIPLIER], row[tree.OFFSET] = 1.0, 0.0
    row[tree.SWING] = row[tree.SWING + 1] = math.inf
    row[tree.TWIST_LOWER], row[tree.TWIST_UPPER] = -math.inf, math.inf
    index = tree_out.index[i]
    index[tree.ELEMENT_KIND], index[tree.PARENT], index[tree.VARIABLE] = kind, parent, variable
    index[tree.SCREW] = 0
    if i > 0:
        last = tree_out.index[i - 1]
        index[tree.SCREW] = last[tree.SCREW] + (3 if last[tree.ELEMENT_KIND] == tree.BALL else 1)
    return quaternion.conj(align), NO_WAY


@kernel
def _align_z(joints, row):
    """Return the shortest rotation that turns z onto the axis of a joint."""
    x, y = joints[row, column.AXIS], joints[row, column.AXIS + 1]
    z = joints[row, column.AXIS + 2]
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    if z > 0.0:
        return quaternion.normalized((1.0 + z, -y, x, 0.0))
    across = x * x + y * y
    if across < UPSIDE_DOWN * UPSIDE_DOWN:
        return (0.0, 1.0, 0.0, 0.0)
    return quaternion.normalized((across / (1.0 - z), -y, x, 0.0))  # 1 + z would lose digits


@kernel
def _fill_tips(tips, scratch, tree_out):
    """Write the poses of the tips in the elements that carry them."""
    for tip in range(tips.shape[0]):
        joint = int(tips[tip, column.TIP_JOINT])
        pose = frame.load_at(tips, tip, column.TIP_POSE)
        tree_out.tip_index[tip, tree.TIP_ELEMENT] = -1
        if joint >= 0:
            tree_out.tip_index[tip, tree.TIP_ELEMENT] = scratch.element[joint]
            pose = frame.product(frame.load(scratch.pose[joint]), pose)
        frame.store(pose, tree_out.tip[tip])
