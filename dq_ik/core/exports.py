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
The entries of the library: what C, C++ and Python call.

Arguments are addresses and numbers. The annotations say which: ``Numbers`` are read,
``NumbersOut`` are written. Results below zero say what is wrong, see :func:`fault`. Nothing is
allocated; memory is handed in and may be used by one call at a time, everything else by any number
of threads. As plain Python the entries take NumPy arrays for the addresses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dq_ik.core import blocks as memory_blocks
from dq_ik.core import pack
from dq_ik.core.blocks import (
    prepare_work,
    take_row,
    view_packing,
    view_request,
    view_robot,
    view_work,
    work_of,
)
from dq_ik.core.compile import kernel
from dq_ik.core.jacobian import jacobian as jacobian_of_tip
from dq_ik.core.joints import JOINT, TIP
from dq_ik.core.layout import REQUEST, ROBOT
from dq_ik.core.memory import address, integers, matrix, vector
from dq_ik.core.normals import is_plain_chain, move_to_common_normals
from dq_ik.core.pose_input import Fault, pose_at, read_pose, width, write_pose
from dq_ik.core.search import search
from dq_ik.core.spread import neutral as fill_neutral
from dq_ik.core.spread import reach as fill_reach
from dq_ik.core.spread import spread as spread_one
from dq_ik.core.spread import turning as fill_period
from dq_ik.core.stored import fill_starts
from dq_ik.core.tree import forward_kinematics, tip_frame
from dq_ik.core.usual import write_usual
from dq_ik.core.vector import all_finite, copy

Numbers = np.ndarray
NumbersOut = np.ndarray

ENTRIES: dict[str, Callable] = {}
ROBOT_ID, REQUEST_ID = ROBOT.id, REQUEST.id
JOINT_WIDTH, TIP_WIDTH = JOINT.width, TIP.width
ROBOT_PLAIN = ROBOT.head  # place of its first field
FAULTS = 32  # more than there are


def entry(function: Callable) -> Callable:
    """Let the library export a function."""
    ENTRIES[function.__name__] = function
    return function


@kernel
def fault(kind, row):
    """Return the result that says what is wrong with which row."""
    return -(FAULTS * row + kind)


@kernel
def is_robot(robot):
    """Tell whether a block is a robot of this version."""
    return vector(integers(robot, 0), 0, 1)[0] == ROBOT_ID


@kernel
def is_request(request, robot):
    """Tell whether a block is a request of this version, for this robot."""
    asked, tree = view_request(request), view_robot(robot)
    return (vector(integers(request, 0), 0, 1)[0] == REQUEST_ID and asked.n == tree.n
            and asked.n_tips == tree.n_tips)


@entry
def pack_memory_size(n_joints: int) -> int:
    """Words of the memory of the two functions that pack a robot."""
    return memory_blocks.size_of_packing(n_joints)


@entry
def robot_size(joints: Numbers, n_joints: int, tips: Numbers, n_tips: int, n_starts: int,
               memory: NumbersOut) -> int:
    """
    Check a table of joints; words of the robot that robot() will write.

    :param joints: one row for each joint of the robot or of a part, parents first
    :param tips: one row for each tip
    :param n_starts: configurations to be stored, from which searches may start; 512 serve well
    :returns: below zero: DQ_IK_FAULT gives a PackError, DQ_IK_FAULT_ROW the joint or tip
    """
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
    Write a robot; the first arguments are those of robot_size(), which must have been called.

    :param shift: number of the sequence of stored configurations, 0 or another
    """
    sizes = view_packing(memory).sizes
    memory_blocks.begin_robot(robot_out, sizes[0], n_tips, sizes[1], sizes[2], sizes[3], sizes[4],
                              max(n_starts, 1))
    tree, packing = view_robot(robot_out), view_packing(memory)
    pack.fill(matrix(joints, 0, n_joints, JOINT_WIDTH), matrix(tips, 0, n_tips, TIP_WIDTH),
              packing, tree)
    fill_neutral(tree.lower, tree.upper, tree.neutral)
    fill_period(tree, tree.lower, tree.upper, tree.period)
    fill_reach(tree, tree.lower, tree.upper, tree.reach)
    vector(integers(robot_out, ROBOT_PLAIN), 0, 1)[0] = int(is_plain_chain(tree))
    move_to_common_normals(tree)
    fill_starts(tree, shift, packing)
    return 0


@entry
def request_size(robot: Numbers) -> int:
    """Words of a request for a robot; below zero: it is none."""
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    return memory_blocks.size_of_request(tree.n, tree.n_tips)


@entry
def request(robot: Numbers, request_out: NumbersOut) -> int:
    """Write a request with the usual options, goals without a turn or a way, no wishes."""
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    write_usual(view_robot(robot), request_out)
    return 0


@entry
def memory_size(robot: Numbers) -> int:
    """Words of the memory that calls with a robot need; below zero: it is none."""
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    return memory_blocks.work_size(robot)


@entry
def answer_size(request: Numbers) -> int:
    """Words of an answer to a request."""
    return memory_blocks.answer_size(request)


@entry
def solve(robot: Numbers, requests: Numbers, n_requests: int, poses: Numbers, pose_kind: int,
          n_poses: int, seeds: Numbers, n_seeds: int, timeout: float, answers_out: NumbersOut,
          n_rows: int, memory: NumbersOut) -> int:
    """
    Solve rows one after the other.

    :param requests: one for all rows, or one each
    :param poses: goals of the only tip, of a PoseKind; none: as in the requests
    :param seeds: none: as in the requests; one for all rows; or one each
    :param timeout: of each row [s]; 0 or less: as in the requests
    :returns: the Status of the last row
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    n = view_robot(robot).n
    if not all_finite(vector(seeds, 0, n * n_seeds)):
        return fault(Fault.VECTOR_NOT_FINITE.value, _bad_row(seeds, n, n_seeds))
    prepare_work(robot, memory)
    status = 0
    for row in range(n_rows):
        request = address(requests, 0)
        if n_requests > 1:
            request = address(requests, row * vector(integers(requests, 0), 0, 2)[1])
        if not is_request(request, robot):
            return fault(Fault.WRONG_BLOCK.value, row)
        blocks = take_row(robot, request, answers_out, row, memory)
        work = work_of(blocks)
        if n_poses > 0:
            wrong = read_pose(pose_kind, pose_at(poses, pose_kind, row), work.goals[0])
            if wrong != 0:
                return fault(wrong, row)
        if n_seeds > 0:
            copy(vector(seeds, n * row if n_seeds > 1 else 0, n), work.seed)
            work.seeded[0] = 1
        search(blocks, timeout if timeout > 0.0 else view_request(request).timeout)
        status = memory_blocks.answer_of(blocks).status[0]
    return status


@kernel
def _bad_row(vectors, n, rows):
    """Return the first row that is not finite."""
    row = 0
    while row < rows - 1 and all_finite(vector(vectors, n * row, n)):
        row += 1
    return row


@entry
def fk(robot: Numbers, q: Numbers, n_rows: int, pose_kind: int, poses_out: NumbersOut,
       memory: NumbersOut) -> int:
    """
    Poses of all tips at configurations.

    :param q: ``(n_rows, n)``
    :param pose_kind: DUAL_QUATERNION or MATRIX
    :param poses_out: ``(n_rows, n_tips, width)``
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    if not all_finite(vector(q, 0, tree.n * n_rows)):
        return fault(Fault.VECTOR_NOT_FINITE.value, _bad_row(q, tree.n, n_rows))
    prepare_work(robot, memory)
    work = view_work(memory)
    for row in range(n_rows):
        forward_kinematics(tree, vector(q, tree.n * row, tree.n), work.turns, work.world,
                           work.screw)
        for k in range(tree.n_tips):
            pose = pose_at(poses_out, pose_kind, tree.n_tips * row + k)
            write_pose(pose_kind, tip_frame(tree, k, work.world), pose)
    return 0


@entry
def jacobian(robot: Numbers, q: Numbers, n_rows: int, tip: int, point: Numbers, body: int,
             poses_out: NumbersOut, n_poses: int, jacobians_out: NumbersOut,
             memory: NumbersOut) -> int:
    """
    Jacobians of a tip at configurations: linear rows first.

    :param q: ``(n_rows, n)``
    :param point: ``(3,)`` point of the tip frame whose velocity is meant
    :param body: not 0: velocities along the tip's axes; 0: along the base's axes
    :param poses_out: ``(n_poses, 8)`` dual quaternions; n_poses is n_rows, or 0 for none
    :param jacobians_out: ``(n_rows, 6, n)``
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    if tip < 0 or tip >= tree.n_tips:
        return fault(Fault.OUT_OF_RANGE.value, 0)
    if not all_finite(vector(q, 0, tree.n * n_rows)):
        return fault(Fault.VECTOR_NOT_FINITE.value, _bad_row(q, tree.n, n_rows))
    prepare_work(robot, memory)
    work = view_work(memory)
    at = vector(point, 0, 3)
    for row in range(n_rows):
        forward_kinematics(tree, vector(q, tree.n * row, tree.n), work.turns, work.world,
                           work.screw)
        x = jacobian_of_tip(tree, tip, work.world, work.screw, at, body, work.column,
                            matrix(jacobians_out, 6 * tree.n * row, 6, tree.n))
        if n_poses > 0:
            write_pose(0, x, vector(poses_out, 8 * row, 8))
    return 0


@entry
def pose(pose_kind: int, numbers: Numbers, pose_out: NumbersOut) -> int:
    """Check a pose and write it as a unit dual quaternion (8,)."""
    return fault(read_pose(pose_kind, vector(numbers, 0, width(pose_kind)),
                           vector(pose_out, 0, 8)), 0)


@entry
def spread(robot: Numbers, u: Numbers, n_rows: int, q_out: NumbersOut) -> int:
    """Map points of the unit cube ``(n_rows, n)`` to configurations within the limits."""
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    for row in range(n_rows):
        spread_one(tree, tree.lower, tree.upper, tree.neutral, vector(u, tree.n * row, tree.n),
                   vector(q_out, tree.n * row, tree.n))
    return 0
