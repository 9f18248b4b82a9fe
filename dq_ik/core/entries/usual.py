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

"""The usual request: the options that most callers want, in one place for Python, C and C++."""

from __future__ import annotations

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.arrays import integers, vector
from dq_ik.core.memory.blocks import begin_request, view_request
from dq_ik.core.memory.layout import Method, Mode, REQUEST, TARGET, TOLERANCE, WEIGHT

ITERATIONS, RESTARTS = 30, 100
TIMEOUT = 0.05  # [s]
NEAR = 1e-5  # tolerance of position [m] and rotation [rad]
# Metres that weigh as much as a radian: this part of the reach, within these limits.
SCALE, SMALLEST_SCALE, LARGEST_SCALE = 0.3, 0.05, 0.3

PLACES = REQUEST.slices(n=0, n_tips=0)  # of the numbers that come before all arrays
METHOD, MODE = PLACES['method'].start, PLACES['mode'].start
MAX_ITERATIONS, MAX_RESTARTS = PLACES['max_iterations'].start, PLACES['max_restarts'].start
TIME = PLACES['timeout'].start
HEAD_END = PLACES['goals'].start


@routine
def write_usual(tree, request_out):
    """Write a whole request."""
    begin_request(request_out, tree.n, tree.n_tips)
    request = view_request(request_out)
    head = vector(request_out, 0, HEAD_END)
    whole = vector(integers(request_out, 0), 0, HEAD_END)
    for place in range(METHOD, HEAD_END):
        whole[place] = 0
    whole[METHOD], whole[MODE] = Method.PGS.value, Mode.SPEED.value
    whole[MAX_ITERATIONS], whole[MAX_RESTARTS] = ITERATIONS, RESTARTS
    head[TIME] = TIMEOUT
    for k in range(tree.n_tips):
        _write_goal(request.goals[k], tree.reach[k])
    copy(tree.neutral, request.seed)
    copy(tree.lower, request.lower)
    copy(tree.upper, request.upper)
    fill(1.0, request.metric)
    fill(0.0, request.pull)
    copy(tree.neutral, request.rest)
    fill(0.0, request.repel)


@kernel
def _write_goal(goal_out, reach):
    """Write the goal of a tip that shall be where the base is."""
    fill(0.0, goal_out)
    goal_out[TARGET] = 1.0
    scale = min(max(SCALE * reach, SMALLEST_SCALE), LARGEST_SCALE)
    for i in range(3):
        goal_out[WEIGHT + i] = 1.0
        goal_out[WEIGHT + 3 + i] = scale
    goal_out[TOLERANCE] = goal_out[TOLERANCE + 1] = NEAR
