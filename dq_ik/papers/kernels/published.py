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
One attempt by each of the two methods exactly as published.

The yardstick of the strong forms in :mod:`dq_ik.core.solve.pgs` and :mod:`dq_ik.core.solve.pls`.
"""

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import routine
from dq_ik.core.kinematics.configuration import advance
from dq_ik.core.memory.blocks import record, work_of
from dq_ik.core.memory.clock import is_over
from dq_ik.core.solve.pls import search_line
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import damp, gauss_seidel_sweep

DAMPING = 1e-4  # delta of [Kenwright2022] eq. 30
SWEEPS = 32
UNCHANGED = 1e-9  # relative change of the cost that ends an attempt


@routine
def pgs(blocks, q, max_iterations):
    """
    Projected Gauss-Seidel as published: constant damping and plain sweeps.

    [Kenwright2022] section VII, eqs. 27-31. Sweeps end by their number, by the change of the
    unknowns, or when that change stays the same (the paper's termination tests); so do the
    iterations around them.
    """
    work = work_of(blocks)
    cost, worst = evaluate(blocks, q)
    best, best_worst = cost, worst
    copy(q, work.best)
    if worst <= 1.0:
        return cost, worst, 0
    for iteration in range(max_iterations):
        assemble(blocks)
        damp(work.A, DAMPING, work.metric)
        fill(0.0, work.x)
        last = 0.0
        for _ in range(SWEEPS):
            change = gauss_seidel_sweep(work.A, work.b, q, work.lower, work.upper, work.x)
            if change < 1e-9 or abs(change - last) < 1e-12:
                break
            last = change
        advance(blocks, q, work.x, 1.0, work.trial)
        copy(work.trial, q)
        record(blocks, q)
        new_cost, worst = evaluate(blocks, q)
        stalled = abs(new_cost - cost) <= UNCHANGED * cost
        cost = new_cost
        if cost < best:
            best, best_worst = cost, worst
            copy(q, work.best)
        if best_worst <= 1.0 or stalled or is_over(work):
            return best, best_worst, iteration + 1
    return best, best_worst, max_iterations


@routine
def pls(blocks, q, max_iterations):
    """
    Projected gradient with projected Armijo back-tracking, as published.

    [ProjectedLineSearch] section 4, eqs. 26-40. The direction is ``-grad f = 2 J^T W (g - F)``
    times the squared strength of each joint, the first length tried is 1.
    """
    work = work_of(blocks)
    cost, worst = evaluate(blocks, q)
    for iteration in range(max_iterations if worst > 1.0 else 0):
        assemble(blocks)
        for i in range(q.shape[0]):
            work.x[i] = 2.0 * work.gain[i] * work.b[i]
        before = cost
        moved, cost, worst = search_line(blocks, q, cost, worst)
        stalled = not moved or before - cost < 1e-12 * before
        if worst <= 1.0 or stalled or is_over(work):
            copy(q, work.best)
            return cost, worst, iteration + 1
    copy(q, work.best)
    return cost, worst, max_iterations
