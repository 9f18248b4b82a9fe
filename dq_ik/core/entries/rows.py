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

"""The rows of a call: goals and seeds as callers give them, one each or for all."""

from dq_ik.core.algebra.vector import all_within, copy
from dq_ik.core.compile import kernel
from dq_ik.core.entries.block_check import (
    bad_row,
    fault,
    fits,
    is_request,
    is_robot,
    is_track,
)
from dq_ik.core.entries.pose_input import Fault, is_kind, pose_at, read_pose
from dq_ik.core.memory.arrays import address, integers, vector
from dq_ik.core.memory.blocks import view_robot, work_of
from dq_ik.core.memory.layout import FARTHEST


@kernel
def wrong_rows(robot, n_requests, n_poses, pose_kind, seeds, n_seeds, n_rows):
    """Return what is wrong with the robot, the counts or the seeds of a call; 0: nothing."""
    if not is_robot(robot):
        return fault(Fault.WRONG_BLOCK.value, 0)
    n = view_robot(robot).n
    if not (_fits(n_requests, n_rows) and (n_seeds == 0 or _fits(n_seeds, n_rows))
            and (n_poses == 0 or (n_poses == n_rows and view_robot(robot).n_tips == 1
                                  and is_kind(pose_kind)))):
        return fault(Fault.OUT_OF_RANGE.value, 0)
    if not all_within(vector(seeds, 0, n * n_seeds), FARTHEST):
        return fault(Fault.VECTOR_NOT_FINITE.value, bad_row(seeds, n, n_seeds, FARTHEST))
    return 0


@kernel
def request_at(requests, n_requests, row):
    """Return the request of a row."""
    if n_requests > 1:
        return address(requests, row * vector(integers(requests, 0), 0, 2)[1])
    return address(requests, 0)


@kernel
def read_row(blocks, poses, pose_kind, n_poses, seeds, n_seeds, row):
    """Write the goal and the seed of a row to its work memory; return a Fault of the goal."""
    wrong = read_goal(blocks, poses, pose_kind, n_poses, row)
    if wrong != 0:
        return wrong
    if n_seeds > 0:
        work, n = work_of(blocks), blocks.n
        copy(vector(seeds, n * row if n_seeds > 1 else 0, n), work.seed)
        work.seeded[0] = 1
    return 0


@kernel
def read_goal(blocks, poses, pose_kind, n_poses, row):
    """Write the goal of a row to its work memory, unless requests have it; return its Fault."""
    if n_poses == 0:
        return 0
    return read_pose(pose_kind, pose_at(poses, pose_kind, row), work_of(blocks).goals[0])


@kernel
def wrong_frames(robot, request, track, n_poses, pose_kind, dt, n_rows):
    """Return what is wrong with the blocks, the counts or the time of a stream; 0: nothing."""
    if not (is_robot(robot) and is_request(request) and fits(request, robot)
            and is_track(robot, track)):
        return fault(Fault.WRONG_BLOCK.value, 0)
    if not 0.0 <= dt <= FARTHEST or not (n_poses == 0 or (
            n_poses == n_rows and view_robot(robot).n_tips == 1 and is_kind(pose_kind))):
        return fault(Fault.OUT_OF_RANGE.value, 0)
    return 0


@kernel
def _fits(count, n_rows):
    """Tell whether there is one for all rows or one for each."""
    return count == 1 or count == n_rows
