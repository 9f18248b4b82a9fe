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

"""The entries that make a robot of a table of joints, check one, and clamp to its limits."""

from __future__ import annotations

from dq_ik.core.algebra.vector import all_within
from dq_ik.core.entries.block_check import bad_row, fault, is_robot
from dq_ik.core.entries.entry import entry, Numbers, NumbersOut
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.kinematics.configuration import clamp as clamp_one
from dq_ik.core.memory import blocks as memory_blocks
from dq_ik.core.memory.arrays import integers, matrix, vector
from dq_ik.core.memory.blocks import view_packing, view_robot
from dq_ik.core.memory.layout import FARTHEST, ROBOT
from dq_ik.core.packing import pack
from dq_ik.core.packing.joint_check import PackError
from dq_ik.core.packing.joints import JOINT, TIP
from dq_ik.core.packing.normals import is_plain_chain, move_to_common_normals
from dq_ik.core.packing.spread import neutral as fill_neutral
from dq_ik.core.packing.spread import reach as fill_reach
from dq_ik.core.packing.spread import turning as fill_period
from dq_ik.core.packing.stored import fill_starts

JOINT_WIDTH, TIP_WIDTH = JOINT.width, TIP.width
ROBOT_HEAD = ROBOT.head
ROBOT_PLAIN = ROBOT_HEAD  # place of its first field
MOST = 1_000_000  # rows, and starts


@entry
def pack_memory_size(n_joints: int) -> int:
    """
    Words of the memory that robot_size() and robot() need.

    :returns: words; below zero: DQ_IK_FAULT gives a PackError
    """
    if not 0 <= n_joints <= MOST:
        return fault(PackError.COUNT.value, 0)
    return memory_blocks.size_of_packing(n_joints)


@entry
def robot_size(joints: Numbers, n_joints: int, tips: Numbers, n_tips: int, n_starts: int,
               memory: NumbersOut) -> int:
    """
    Check a table of joints, and count the words of the robot that robot() will write.

    :param joints: one row for each joint of the robot or of a part, parents first
    :param tips: one row for each tip
    :param n_starts: configurations to be stored, from which searches may start; 512 serve well,
        fewer than 256 make searches slow
    :param memory: pack_memory_size() words
    :returns: words; below zero: DQ_IK_FAULT gives a PackError, DQ_IK_FAULT_ROW the joint or tip
    """
    if not (0 <= n_joints <= MOST and 1 <= n_tips <= MOST and 0 <= n_starts <= MOST):
        return fault(PackError.COUNT.value, 0)
    memory_blocks.begin_packing(memory, n_joints)
    packing = view_packing(memory)
    error = pack.count(matrix(joints, 0, n_joints, JOINT_WIDTH),
                       matrix(tips, 0, n_tips, TIP_WIDTH), packing, packing.sizes)
    sizes = packing.sizes
    if error != 0:
        return fault(error, sizes[0])
    return memory_blocks.size_of_robot(sizes[0], n_tips, sizes[1], sizes[2], sizes[3], sizes[4],
                                       max(n_starts, 1))


@entry
def robot(joints: Numbers, n_joints: int, tips: Numbers, n_tips: int, n_starts: int, shift: int,
          robot_out: NumbersOut, memory: NumbersOut) -> int:
    """
    Write a robot.

    The first arguments and the memory are those of robot_size(), which must have been called
    just before.

    :param shift: number of the sequence of stored configurations: 0, or another for other ones
    :param robot_out: robot_size() words
    :returns: 0
    """
    sizes = view_packing(memory).sizes
    memory_blocks.begin_robot(robot_out, sizes[0], n_tips, sizes[1], sizes[2], sizes[3], sizes[4],
                              max(n_starts, 1))
    tree, packing = view_robot(robot_out), view_packing(memory)
    pack.fill(matrix(joints, 0, n_joints, JOINT_WIDTH), matrix(tips, 0, n_tips, TIP_WIDTH),
              packing, tree)
    fill_neutral(tree.lower, tree.upper, tree.neutral)
    fill_period(tree, tree.lower, tree.upper, tree.period)
    fill_reach(tree, tree.lower, tree.upper, tree.reach, tree.centre)
    vector(integers(robot_out, ROBOT_PLAIN), 0, 1)[0] = int(is_plain_chain(tree))
    move_to_common_normals(tree)
    fill_starts(tree, shift, packing)
    return 0


@entry
def check_robot(robot: Numbers, n_words: int) -> int:
    """
    Check a robot that was read from a file: whether it is one of this version, and whole.

    :param n_words: words that were read
    :returns: 0, or below zero: WRONG_BLOCK
    """
    if n_words < ROBOT_HEAD or not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    head = vector(integers(robot, 0), 0, ROBOT_HEAD)
    for place in range(2, ROBOT_HEAD):
        if head[place] < 0 or head[place] > n_words:
            return fault(Fault.WRONG_BLOCK.value, 0)
    return 0 if head[1] == n_words else fault(Fault.WRONG_BLOCK.value, 0)


@entry
def clamp(robot: Numbers, lower: Numbers, upper: Numbers, q: Numbers, n_rows: int,
          q_out: NumbersOut, beyond_out: NumbersOut) -> int:
    """
    Move configurations into limits, and tell how far outside they were.

    Balls go into their cone, their twist range and the limits of their three numbers, if there is
    a rotation in all of them; else into cone and range.

    :param lower: ``(n,)`` those of the robot or narrower
    :param upper: ``(n,)``
    :param q: ``(n_rows, n)`` no number beyond 1e9
    :param q_out: ``(n_rows, n)``
    :param beyond_out: ``(n_rows, n)`` how far a variable was outside [rad or m], of a ball all
        three; 0 or less: inside
    :returns: 0, or below zero
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    n = tree.n
    if not all_within(vector(q, 0, n * n_rows), FARTHEST):
        return fault(Fault.VECTOR_NOT_FINITE.value, bad_row(q, n, n_rows, FARTHEST))
    for row in range(n_rows):
        clamp_one(tree, vector(lower, 0, n), vector(upper, 0, n), vector(q, n * row, n),
                  vector(q_out, n * row, n), vector(beyond_out, n * row, n))
    return 0
