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
Objectives in the directions that the goals leave free: near a posture, away from the limits.

A step solves ``min |J x - e|^2 + damping |x - s|^2``, so
``(J^T J + damping I) x = J^T e + damping s``: where the goals do not care, x is the step s
of the objective; where
they do, the small damping leaves them their way. The goals stay met: a step that breaks them is
corrected, or undone.
"""

import math

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance
from dq_ik.core.memory.blocks import request_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.solve.pgs import pgs_step
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import damp, damping_at

DAMPING = 1e-6
MARGIN = 0.1  # part of a joint's range next to a limit from which it is pushed
SETTLED = 1e-5  # largest joint step [rad or m] that counts as rest
STALLED = 0.65  # the cost must fall to this part of its value in a correction
SHORTEST = 1e-3  # fraction of the objective's step below which none is tried


@routine
def relax(blocks, q):
    """Move a solution towards the posture where it is free, in place; return the iterations."""
    request, work = request_of(blocks), work_of(blocks)
    trial = work.pool[1]
    used = 0
    most = request.posture_iterations * request.max_iterations
    fraction = 1.0
    value = _objective(request, work, q)
    for _ in range(request.posture_iterations):
        if is_over_in_step(work, q.shape[0]):
            return used
        evaluate(blocks, q)
        assemble(blocks)
        damp(work.A, DAMPING, work.metric)
        _add_objective(request, work, q, fraction)
        pgs_step(blocks, q)
        advance(blocks, q, work.x, 1.0, trial)
        cost, worst = evaluate(blocks, trial)
        used += 1
        while worst > 1.0 and used < most and not is_over(work):
            before = cost
            _correct(blocks, trial, cost)
            cost, worst = evaluate(blocks, trial)
            used += 1
            if not cost < STALLED * before:
                break
        new_value = _objective(request, work, trial)
        if worst <= 1.0 and new_value < value:
            settled = _way(q, trial) < SETTLED
            copy(trial, q)
            value = new_value
            fraction = min(1.0, 2.0 * fraction)
        else:
            fraction *= 0.25
            settled = fraction < SHORTEST
        if settled or is_over(work):
            return used
    return used


@kernel
def _correct(blocks, q, cost):
    """Take a step of Gauss-Seidel towards the goals from the state last evaluated, in place."""
    work = work_of(blocks)
    assemble(blocks)
    damp(work.A, damping_at(cost), work.metric)
    pgs_step(blocks, q)
    advance(blocks, q, work.x, 1.0, work.trial)
    copy(work.trial, q)


@kernel
def _way(q, q_new):
    """Largest change of a joint."""
    largest = 0.0
    for i in range(q.shape[0]):
        largest = max(largest, abs(q_new[i] - q[i]))
    return largest


@kernel
def _margin(work, i):
    """Width of the zone next to a limit of joint i; none where it has no limits."""
    width = work.high[i] - work.low[i]
    return MARGIN * width if width < math.inf else 0.0


@kernel
def _step(request, work, q, i):
    """Step of joint i towards its rest and away from a near limit."""
    step = work.pull[i] * (work.rest[i] - q[i])
    margin = _margin(work, i)
    if q[i] > work.high[i] - margin:
        step -= request.repel[i] * (q[i] - work.high[i] + margin)
    if q[i] < work.low[i] + margin:
        step += request.repel[i] * (work.low[i] + margin - q[i])
    return step


@kernel
def _add_objective(request, work, q, fraction):
    """Add ``damping * metric * s`` to the right-hand side, for a fraction s of the step."""
    for i in range(q.shape[0]):
        work.b[i] += DAMPING * work.metric[i] * fraction * _step(request, work, q, i)


@kernel
def _objective(request, work, q):
    """Half the weighted squares of which the steps are the negative gradient."""
    total = 0.0
    for i in range(q.shape[0]):
        total += 0.5 * work.pull[i] * (work.rest[i] - q[i]) ** 2
        margin = _margin(work, i)
        beyond = max(q[i] - work.high[i] + margin, work.low[i] + margin - q[i])
        if beyond > 0.0:
            total += 0.5 * request.repel[i] * beyond * beyond
    return total
