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
Where a step of a stream begins: momentum along the goals, and a push away from the limits.

The momentum keeps the branch at elbow and wrist singularities. Its part in the directions that the
goals leave free is taken out, and a step along the barrier ``-sum 1 / (1 - x^2)`` of the
normalised positions x takes its place, so that joints do not drift to where the path ends.
"""

import math

from dq_ik.core.algebra.vector import copy, count_up
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import request_of, work_of
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import solve_free

FREE = 1e-10  # share of the mean diagonal: what moves the goals less is free
CROSSWISE = 1e-3  # part of a direction that is too little to keep its side
NEAREST = 0.999  # normalised position up to which the barrier grows
WITH_GOAL = 2.0  # the push is no faster than so many times the goal [rad/m]: both rest together


@routine
def predict(blocks, state, dt, q_out):
    """Write the configuration that momentum and barrier lead to."""
    copy(state.q, q_out)
    if state.momentum > 0:
        for i in range(q_out.shape[0]):
            q_out[i] += dt * state.qdot[i]
    if state.momentum == 0 and state.barrier <= 0.0 and state.look_ahead == 0:
        return
    work = work_of(blocks)
    n = q_out.shape[0]
    share = prepare_projection(blocks, state.q)
    if state.momentum > 0:
        project(work, share, state.qdot)
        for i in range(n):
            q_out[i] -= dt * work.x[i]
    if state.look_ahead > 0:
        turn_free(work, share, state.free)
    if state.look_ahead > 0 and state.planned[0] > 0:
        for i in range(n):
            q_out[i] += dt * state.free_speed[0] * state.free[i]
    elif state.barrier > 0.0:
        slope(blocks, state.q, state.push)
        project(work, share, state.push)
        length = state.barrier * _length(work.x)
        most = min(state.barrier_speed, WITH_GOAL * state.goal_speed[0])
        factor = state.barrier * min(1.0, most / length) if length > 0.0 else 0.0
        if state.ease > 0.0:
            part = dt / (dt + state.ease)
            for i in range(n):
                state.eased[i] += part * (factor * work.x[i] - state.eased[i])
                q_out[i] += dt * state.eased[i]
            return
        for i in range(n):
            q_out[i] += dt * factor * work.x[i]


@routine
def prepare_projection(blocks, q):
    """Fill the matrix of the goals at q, for :func:`project`; return what counts as free."""
    work = work_of(blocks)
    evaluate(blocks, q)
    assemble(blocks)
    share = 0.0
    for i in range(q.shape[0]):
        share += work.A[i, i]
    share = FREE * share / q.shape[0] + 1e-300
    for i in range(q.shape[0]):
        work.A[i, i] += share
    return share


@routine
def project(work, share, values):
    """Fill ``work.x`` with the part of a motion that does not move the goals."""
    for i in range(values.shape[0]):
        work.b[i] = share * values[i]
    count_up(work.free)
    solve_free(work.A, work.b, work.free, values.shape[0], work.L, work.trial, work.x)


@routine
def turn_free(work, share, free):
    """Turn a direction into the one that is free, of length 1 and on the same side, in place."""
    project(work, share, free)
    if _length(work.x) < CROSSWISE:  # the last one is of no use
        for i in range(free.shape[0]):
            free[i] = 1.0 + 0.1 * i
        project(work, share, free)
    length = _length(work.x) + 1e-300
    for i in range(free.shape[0]):
        free[i] = work.x[i] / length


@kernel
def _length(values):
    """Length of a vector."""
    square = 0.0
    for i in range(values.shape[0]):
        square += values[i] * values[i]
    return math.sqrt(square)


@routine
def slope(blocks, q, slope_out):
    """Write the direction in which the barrier falls."""
    request = request_of(blocks)
    for i in range(q.shape[0]):
        half = 0.5 * (request.upper[i] - request.lower[i])
        slope_out[i] = 0.0
        if 0.0 < half < math.inf and request.metric[i] > 0.0:
            x = min(max((q[i] - request.lower[i]) / half - 1.0, -NEAREST), NEAREST)
            slope_out[i] = -2.0 * x / ((1.0 - x * x) ** 2 * half)


@routine
def barrier(blocks, q):
    """Value of the barrier: large near limits."""
    request = request_of(blocks)
    total = 0.0
    for i in range(q.shape[0]):
        half = 0.5 * (request.upper[i] - request.lower[i])
        if 0.0 < half < math.inf:
            x = min(max((q[i] - request.lower[i]) / half - 1.0, -NEAREST), NEAREST)
            total += 1.0 / (1.0 - x * x)
    return total
