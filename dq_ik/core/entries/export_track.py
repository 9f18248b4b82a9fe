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

"""The entries that follow a stream of goals: answers that never jump."""

from __future__ import annotations

from dq_ik.core.algebra.vector import all_within, copy, fill
from dq_ik.core.entries.block_check import fault, is_robot
from dq_ik.core.entries.entry import entry, Numbers, NumbersOut
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.entries.rows import read_goal, wrong_frames
from dq_ik.core.memory import blocks as memory_blocks
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import (
    prepare_work,
    take_row,
    view_request,
    view_robot,
    view_track,
)
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.core.track.follow import follow


@entry
def track_size(robot: Numbers) -> int:
    """
    Words of the state of a stream for a robot.

    :returns: words; below zero: the block is no robot
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    return memory_blocks.size_of_track(tree.n, tree.n_tips)


@entry
def track_begin(robot: Numbers, q: Numbers, track_out: NumbersOut) -> int:
    """
    Write the state of a stream that begins at rest, without settings: all of them are zero.

    The caller writes settings and speed limits afterwards.

    :param q: ``(n,)`` where the joints are
    :param track_out: track_size() words
    :returns: 0, or below zero
    """
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree = view_robot(robot)
    if not all_within(vector(q, 0, tree.n), FARTHEST):
        return fault(Fault.VECTOR_NOT_FINITE.value, 0)
    fill(0.0, vector(track_out, 0, memory_blocks.size_of_track(tree.n, tree.n_tips)))
    memory_blocks.begin_track(track_out, tree.n, tree.n_tips)
    state = view_track(track_out)
    copy(vector(q, 0, tree.n), state.q)
    state.random[0] = 1
    return 0


@entry
def track(robot: Numbers, request: Numbers, track_out: NumbersOut, poses: Numbers, pose_kind: int,
          n_poses: int, fresh: int, dt: float, answers_out: NumbersOut, n_rows: int,
          memory: NumbersOut) -> int:
    """
    Follow goals, one frame for each row: no joint moves faster than its speed limit.

    :param request: its limits, tolerances, method and iterations; its seed is not used
    :param track_out: the state of the stream, written by track_begin()
    :param poses: goals of a robot with one tip, one for each row
    :param pose_kind: a PoseKind
    :param n_poses: n_rows; 0: the goals are those of the request
    :param fresh: 1: the goals are new; 0: they are those of the frame before
    :param dt: time since the last answer, and between two [s]
    :param answers_out: answer_size() words for each row
    :param memory: memory_size() words
    :returns: the Status of the last row; below zero: that row and those after it have no answer
    """
    wrong = wrong_frames(robot, request, track_out, n_poses, pose_kind, dt, n_rows)
    if wrong != 0:
        return wrong
    prepare_work(robot, memory)
    status = 0
    for row in range(n_rows):
        blocks = take_row(robot, request, answers_out, row, memory)
        wrong = read_goal(blocks, poses, pose_kind, n_poses, row)
        if wrong != 0:
            return fault(wrong, row)
        follow(blocks, view_track(track_out), dt, fresh, view_request(request).timeout)
        status = memory_blocks.answer_of(blocks).status[0]
    return status
