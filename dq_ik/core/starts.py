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

"""Where attempts begin: at the seed, then at stored configurations, nearest to the goals first."""

import math

import numpy as np

from dq_ik.core import dual_quaternion
from dq_ik.core.compile import kernel, routine
from dq_ik.core.request import views, WEIGHT

NEAREST_FIRST = 25  # stored configurations tried in order of distance; then in stored order


@kernel
def at_seed(request, work, q_out):
    """Write the seed, moved into the limits."""
    for i in range(q_out.shape[0]):
        q_out[i] = min(max(request.seed[i], work.lower[i]), work.upper[i])


@routine
def choose(blocks, restart, q_out):
    """Write the start of an attempt, inside the limits."""
    tree, request, answer, work = views(blocks)
    table = blocks.table
    if restart == 0:
        at_seed(request, work, q_out)
        return
    if restart == 1:
        _measure(blocks)
    row = restart % table.shape[0]
    if restart <= min(NEAREST_FIRST, table.shape[0]):
        row = np.argmin(work.distance)
        work.distance[row] = math.inf
    for i in range(q_out.shape[0]):
        q_out[i] = min(max(table[row, i], work.lower[i]), work.upper[i])


@routine
def _measure(blocks):
    """Fill ``work.distance`` with the squared, weighted distances of stored tips to the goals."""
    tree, request, answer, work = views(blocks)
    table = blocks.table
    n = request.seed.shape[0]
    for row in range(table.shape[0]):
        total = 0.0
        for k in range(request.goals.shape[0]):
            goal = request.goals[k]
            pose = table[row, n + 8 * k:n + 8 * k + 8]
            x_goal = dual_quaternion.load(goal)
            x_tip = dual_quaternion.load(pose)
            p_goal = dual_quaternion.translation(x_goal)
            p_tip = dual_quaternion.translation(x_tip)
            for r in range(3):
                total += (goal[WEIGHT + r] * (p_goal[r] - p_tip[r])) ** 2
            # 8 (1 - |a.b|) is the squared angle between two rotations, to second order.
            agreement = abs(goal[0] * pose[0] + goal[1] * pose[1]
                            + goal[2] * pose[2] + goal[3] * pose[3])
            total += 8.0 * goal[WEIGHT + 3] ** 2 * (1.0 - agreement)
        work.distance[row] = total
