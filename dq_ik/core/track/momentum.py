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
Where a step of a stream begins: momentum along the goals, and a push along the free directions.

The momentum keeps the branch at elbow and wrist singularities. Its part in the directions that the
goals leave free is taken out, and a push takes its place: along the barrier ``-sum 1 / (1 - x^2)``
of the normalised positions x, so that joints do not drift to where the path ends; and, for an arm
with one joint more than its goal asks for, to where the joints move less for the same motion of
the goal, so that they do not become too slow for it.
"""

import math

from dq_ik.core.algebra.factor import dot
from dq_ik.core.algebra.vector import copy, count_up, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.goals.pointing import is_pointing
from dq_ik.core.memory.blocks import request_of, tree_of, work_of
from dq_ik.core.memory.layout import AIM, FIXED, WEIGHT
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import solve_free

FREE = 1e-10  # share of the mean diagonal: what moves the goals less is free
FADING = 0.25  # of a motion that is free at a singularity only [s]
UNKNOWN = -1  # number of free directions that only the matrix tells
CROSSWISE = 1e-3  # part of a direction that is too little to keep its side
NEAREST = 0.999  # normalised position up to which the barrier grows
WITH_GOAL = 2.0  # the push is no faster than so many times the goal [rad/m]: both rest together
BRISK = 0.2  # share of its speed limit from which a joint is fast
HASTE = 3.0  # of half the squared shares, against the barrier
NEARBY = 1e-4  # distance for their slope [rad]


@routine
def predict(blocks, state, dt, q_out):
    """Write the configuration that momentum and push lead to."""
    copy(state.q, q_out)
    if state.momentum == 0 and state.barrier <= 0.0 and state.look_ahead == 0:
        return
    count = freedom(blocks, state)
    share = prepare_projection(blocks, state.q)
    if count == 1:
        turn_free(work_of(blocks), share, state.free)
    if state.momentum > 0:
        _go_on(blocks, state, dt, share, count, q_out)
    if state.planned[0] > 0 and count == 1:
        for i in range(q_out.shape[0]):
            q_out[i] += dt * state.free_speed[0] * state.free[i]
    elif state.barrier > 0.0 and count != 0:
        _push(blocks, state, dt, share, count, q_out)


@kernel
def freedom(blocks, state):
    """Return the number of directions that a pose leaves free, or UNKNOWN."""
    request, work = request_of(blocks), work_of(blocks)
    if state.rank == 0 or work.goals[0, AIM] != FIXED or is_pointing(work.goals[0]):
        return UNKNOWN
    count = -state.rank
    for i in range(state.q.shape[0]):
        count += int(request.metric[i] >= 0.0)
    for r in range(6):
        if not work.goals[0, WEIGHT + r] > 0.0:
            return UNKNOWN
    return max(count, 0)


@routine
def _go_on(blocks, state, dt, share, count, q_out):
    """
    Add the last motion, without what is free of it.

    At a singularity more is free for a moment. That part fades; else the way through were lost.
    """
    work = work_of(blocks)
    project(work, share, state.qdot)
    kept = FADING / (dt + FADING) if count == 0 or count == 1 else 0.0
    along = dot(state.free, state.qdot) if count == 1 else 0.0
    for i in range(q_out.shape[0]):
        free = (1.0 - kept) * work.x[i] + kept * along * state.free[i]
        q_out[i] += dt * (state.qdot[i] - free)


@routine
def _push(blocks, state, dt, share, count, q_out):
    """Move a configuration along the free directions, away from limits and from haste."""
    work = work_of(blocks)
    slope(blocks, state.q, state.push)
    if count == 1:
        along = dot(state.free, state.push) - _haste(blocks, state, dt, share, q_out)
        for i in range(q_out.shape[0]):
            work.x[i] = along * state.free[i]
    else:
        project(work, share, state.push)
    length = state.barrier * math.sqrt(dot(work.x, work.x))
    most = min(state.barrier_speed, WITH_GOAL * state.goal_speed[0])
    factor = state.barrier * min(1.0, most / length) if length > 0.0 else 0.0
    part = dt / (dt + state.ease) if state.ease > 0.0 else 1.0
    for i in range(q_out.shape[0]):
        state.eased[i] += part * (factor * work.x[i] - state.eased[i])
        q_out[i] += dt * state.eased[i]


@routine
def _haste(blocks, state, dt, share, q_next):
    """
    Slope of ``HASTE / 2 sum (v_i / v_max_i)^2`` along the free direction z.

    ``v`` is the least motion with the goal, ``J v = xi``. Along z it changes by
    ``v' = -J^+ J' v``, but for what is free of it; J' is from the Jacobian nearby.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    fastest = 0.0
    for i in range(q_next.shape[0]):
        fastest = max(fastest, abs(q_next[i] - state.q[i]) / state.velocity[i])
    if fastest <= BRISK * dt:
        return 0.0
    fill(0.0, work.y)
    _add_motion(tree, work, -1.0, state.q, q_next)
    for i in range(q_next.shape[0]):
        work.best[i] = state.q[i] + NEARBY * state.free[i]
    evaluate(blocks, work.best)
    assemble(blocks)
    _add_motion(tree, work, 1.0, state.q, q_next)
    fill(0.0, work.b)
    for s in range(work.column.shape[0]):
        for r in range(6):
            work.b[tree.slot[s]] -= work.column[s, r] * work.y[r]
    _hold(blocks, share)
    count_up(work.free)
    solve_free(work.A, work.b, work.free, q_next.shape[0], work.L, work.trial, work.x)
    total = 0.0
    for i in range(q_next.shape[0]):
        total += (q_next[i] - state.q[i]) * work.x[i] / state.velocity[i] ** 2
    return HASTE * total / (NEARBY * dt * dt)


@kernel
def _add_motion(tree, work, sign, q, q_next):
    """Add to ``work.y`` how the step from q moves the goal, by the Jacobian of this moment."""
    for s in range(work.column.shape[0]):
        i = tree.slot[s]
        for r in range(6):
            work.y[r] += sign * work.column[s, r] * (q_next[i] - q[i])


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
    _hold(blocks, share)
    return share


@kernel
def _hold(blocks, share):
    """Make ``work.A`` definite; joints that may not move have no part in it."""
    request, work = request_of(blocks), work_of(blocks)
    for i in range(work.b.shape[0]):
        work.A[i, i] += share
        if request.metric[i] < 0.0:
            for j in range(work.b.shape[0]):
                work.A[i, j] = work.A[j, i] = 0.0
            work.A[i, i] = 1.0
            work.b[i] = 0.0


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
    if math.sqrt(dot(work.x, work.x)) < CROSSWISE:  # the last one is of no use
        for i in range(free.shape[0]):
            free[i] = 1.0 + 0.1 * i
        project(work, share, free)
    length = math.sqrt(dot(work.x, work.x)) + 1e-300
    for i in range(free.shape[0]):
        free[i] = work.x[i] / length


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
