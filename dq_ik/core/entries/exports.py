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
``NumbersOut`` are written. Results below zero say what is wrong
(:mod:`dq_ik.core.entries.block_check`). Nothing is allocated; memory is handed in and may be used
by one call at a time, everything else by any number of threads. As plain Python the entries take
NumPy arrays for the addresses.
"""

from __future__ import annotations

import sys

from dq_ik.core.algebra.vector import all_finite
from dq_ik.core.entries import export_guard, export_robot, export_scene, export_track
from dq_ik.core.entries.block_check import bad_row, fault, fits, is_request, is_robot
from dq_ik.core.entries.entry import ENTRIES, entry, Numbers, NumbersOut
from dq_ik.core.entries.pose_input import (
    Fault,
    is_kind,
    pose_at,
    read_pose,
    width,
    write_pose,
)
from dq_ik.core.entries.rows import read_row, request_at, wrong_rows
from dq_ik.core.entries.usual import write_usual
from dq_ik.core.kinematics.jacobian import jacobian as jacobian_of_tip
from dq_ik.core.kinematics.tree import forward_kinematics, tip_frame
from dq_ik.core.memory import blocks as memory_blocks
from dq_ik.core.memory.arrays import matrix, vector
from dq_ik.core.memory.blocks import (
    prepare_work,
    take_row,
    view_request,
    view_robot,
    view_work,
)
from dq_ik.core.packing.spread import spread as spread_one
from dq_ik.core.search.search import search

__all__ = ['ENTRIES', 'export_guard', 'export_robot', 'export_scene', 'export_track']

LARGEST = sys.float_info.max


@entry
def request_size(robot: Numbers) -> int:
    """
    Words of a request for a robot.

    :returns: words; below zero: the block is no robot
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    return memory_blocks.size_of_request(tree.n, tree.n_tips)


@entry
def request(robot: Numbers, request_out: NumbersOut) -> int:
    """
    Write a request with the usual options: all poses within reach are found, in any posture.

    Goals are the base's own pose, the seed is the neutral configuration and not asked for, there
    are no objectives for the posture. 30 iterations, 100 restarts, 50 ms, tolerances of 1e-5 m
    and 1e-5 rad.

    :param request_out: request_size() words
    :returns: 0; below zero: the block is no robot
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    write_usual(view_robot(robot), request_out)
    return 0


@entry
def memory_size(robot: Numbers) -> int:
    """
    Words of the memory that calls with a robot need, one for each thread; it need not be cleared.

    :returns: words; below zero: the block is no robot
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    return memory_blocks.work_size(robot)


@entry
def answer_size(request: Numbers) -> int:
    """
    Words of an answer to a request; ask again after max_solutions or max_trace was changed.

    :returns: words; below zero: it is no request
    """
    if not is_request(request):
        return fault(Fault.WRONG_BLOCK.value, 0)
    return memory_blocks.answer_size(request)


@entry
def solve(robot: Numbers, requests: Numbers, n_requests: int, poses: Numbers, pose_kind: int,
          n_poses: int, seeds: Numbers, n_seeds: int, timeout: float, answers_out: NumbersOut,
          n_rows: int, memory: NumbersOut) -> int:
    """
    Solve rows one after the other.

    :param requests: one for all rows, or one each, one after the other and of one answer size
    :param n_requests: 1 or n_rows
    :param poses: goals of a robot with one tip, one for each row
    :param pose_kind: a PoseKind
    :param n_poses: n_rows; 0: the goals are those of the requests
    :param seeds: ``(n_seeds, n)`` where to start, no number beyond 1e9
    :param n_seeds: n_rows; 1: one for all rows; 0: as in the requests
    :param timeout: time budget of each row [s]; 0 or less: as in the requests
    :param answers_out: answer_size() words for each row
    :param memory: memory_size() words
    :returns: the Status of the last row; below zero: that row and those after it have no answer
    """
    wrong = wrong_rows(robot, n_requests, n_poses, pose_kind, seeds, n_seeds, n_rows)
    if wrong != 0:
        return wrong
    prepare_work(robot, memory)
    status = 0
    for row in range(n_rows):
        request = request_at(requests, n_requests, row)
        if not is_request(request) or not fits(request, robot):
            return fault(Fault.WRONG_BLOCK.value, row)
        blocks = take_row(robot, request, answers_out, row, memory)
        wrong = read_row(blocks, poses, pose_kind, n_poses, seeds, n_seeds, row)
        if wrong != 0:
            return fault(wrong, row)
        search(blocks, timeout if timeout > 0.0 else view_request(request).timeout)
        status = memory_blocks.answer_of(blocks).status[0]
    return status


@entry
def fk(robot: Numbers, q: Numbers, n_rows: int, pose_kind: int, poses_out: NumbersOut,
       memory: NumbersOut) -> int:
    """
    Poses of all tips at configurations.

    :param q: ``(n_rows, n)``
    :param pose_kind: a PoseKind
    :param poses_out: ``(n_rows, n_tips, 8 or 16 or 7)``
    :param memory: memory_size() words
    :returns: 0, or below zero
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    if not is_kind(pose_kind):
        return fault(Fault.OUT_OF_RANGE.value, 0)
    tree = view_robot(robot)
    if not all_finite(vector(q, 0, tree.n * n_rows)):
        return fault(Fault.VECTOR_NOT_FINITE.value, bad_row(q, tree.n, n_rows, LARGEST))
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
    Jacobians of a tip at configurations: three rows of the velocity, three of the turning rate.

    :param q: ``(n_rows, n)``
    :param tip: number of the tip
    :param point: ``(3,)`` point of the tip frame whose velocity is meant
    :param body: not 0: velocities along the tip's axes; 0: along the base's axes
    :param poses_out: ``(n_poses, 8)`` dual quaternions; n_poses is n_rows, or 0 for none
    :param jacobians_out: ``(n_rows, 6, n)``, row by row
    :param memory: memory_size() words
    :returns: 0, or below zero
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    if tip < 0 or tip >= tree.n_tips:
        return fault(Fault.OUT_OF_RANGE.value, 0)
    if not all_finite(vector(q, 0, tree.n * n_rows)):
        return fault(Fault.VECTOR_NOT_FINITE.value, bad_row(q, tree.n, n_rows, LARGEST))
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
    """
    Check a pose and write it as a unit dual quaternion, as goals have it.

    :param pose_kind: a PoseKind
    :param numbers: 8, 16 or 7 of them
    :param pose_out: ``(8,)``
    :returns: 0, or below zero
    """
    if not is_kind(pose_kind):
        return fault(Fault.OUT_OF_RANGE.value, 0)
    return fault(read_pose(pose_kind, vector(numbers, 0, width(pose_kind)),
                           vector(pose_out, 0, 8)), 0)


@entry
def spread(robot: Numbers, u: Numbers, n_rows: int, q_out: NumbersOut) -> int:
    """
    Map points of the unit cube to configurations within the limits, for samples.

    :param u: ``(n_rows, n)``
    :param q_out: ``(n_rows, n)``
    :returns: 0, or below zero
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    for row in range(n_rows):
        spread_one(tree, tree.lower, tree.upper, tree.neutral, vector(u, tree.n * row, tree.n),
                   vector(q_out, tree.n * row, tree.n))
    return 0
