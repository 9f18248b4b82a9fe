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
One attempt by projected line search, in its strong form.

As published it is in :mod:`dq_ik.papers.kernels.published`. An attempt starts and ends as one of
:mod:`dq_ik.core.solve.pgs`.
"""

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance, displacement
from dq_ik.core.memory.blocks import record, request_of, tree_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.solve.residual import assemble, evaluate, linearise
from dq_ik.core.solve.step import (
    damp,
    damping_at,
    solve_free,
    STALL_AFTER,
    STALLED_ALONE,
)
from dq_ik.core.solve.tip_step import along, has_six_equations, solve_tip, tip_residual

STALLED = 0.8  # the cost must fall to this part of its value every STALL_AFTER iterations
ARMIJO = 1e-4  # alpha of [ProjectedLineSearch] eq. 39
BACKTRACK = 0.5  # beta of [ProjectedLineSearch] eq. 34
MAX_BACKTRACKS = 30
NEAR_LIMIT = 1e-3  # joints this near to a limit count as on it when pushed that way


@routine
def pls(blocks, q, max_iterations):
    """
    Projected line search along a damped Gauss-Newton direction.

    Joints on a limit and pushed against it are held there; the others take the damped Gauss-Newton
    step (a two-metric projection); then the projected Armijo test decides how far to go, so that
    the cost falls in every iteration. Differs from [ProjectedLineSearch] section 4 in the
    direction only, which is the gradient there.

    :returns: the cost, its worst error in tolerances, the iterations used
    """
    request, work = request_of(blocks), work_of(blocks)
    by_tip = has_six_equations(work, q)
    cost, worst = evaluate(blocks, q)
    mark = cost
    stall = STALLED if request.max_restarts > 0 else STALLED_ALONE
    for iteration in range(max_iterations if worst > 1.0 else 0):
        if by_tip:
            _step_of_tip(blocks, q, damping_at(cost))
        else:
            assemble(blocks)
            damp(work.A, damping_at(cost), work.metric)
            count = hold_pushed(q, work)
            solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x)
        moved, cost, worst = search_line(blocks, q, cost, worst)
        stalled = False
        if iteration % STALL_AFTER == STALL_AFTER - 1:
            stalled = not cost < stall * mark or is_over(work)
            mark = cost
        elif is_over_in_step(work, q.shape[0]):
            stalled = True
        if not moved or worst <= 1.0 or stalled:
            copy(q, work.best)
            return cost, worst, iteration + 1
    copy(q, work.best)
    return cost, worst, max_iterations if worst > 1.0 else 0


@routine
def _step_of_tip(blocks, q, damping):
    """Fill ``work.x`` with the direction and ``work.b`` with the slope, from the last state."""
    tree, work = tree_of(blocks), work_of(blocks)
    linearise(tree, work.goals, work)
    e = tip_residual(work)
    for i in range(q.shape[0]):
        work.b[i] = along(work.column[i], e)
    count = hold_pushed(q, work)
    solve_tip(work.column, e, work.gain, damping, work.free, count, work.x)


@kernel
def hold_pushed(q, work):
    """
    Send joints on (or very near) a limit and pushed against it onto that limit; list the others.

    :returns: the number of free joints, listed in ``work.free``; ``work.x`` of the others is the
        way to their limit, that of the free ones means nothing
    """
    push = 0.0
    for i in range(q.shape[0]):
        push = max(push, abs(work.b[i]))
    near = min(NEAR_LIMIT, push)
    count = 0
    for i in range(q.shape[0]):
        low = (work.b[i] <= 0.0) & (q[i] <= work.lower[i] + near)
        high = (work.b[i] >= 0.0) & (q[i] >= work.upper[i] - near)
        work.x[i] = (work.lower[i] if low else work.upper[i]) - q[i]
        work.free[count] = i
        count += int(not (low | high))
    return count


@routine
def search_line(blocks, q, cost, worst):
    """
    Projected Armijo back-tracking along ``work.x`` ([ProjectedLineSearch] eqs. 32-40), in place.

    With f = E / 2 the slope is ``-b``; a step is taken when
    ``f(P(q + tau x)) < f(q) - alpha b^T (P(q + tau x) - q)``.

    :returns: whether a step was taken, the cost and the worst error after it
    """
    tree, work = tree_of(blocks), work_of(blocks)
    fraction = 1.0
    for backtrack in range(MAX_BACKTRACKS):
        if backtrack > 0 and is_over(work):
            break
        advance(blocks, q, work.x, fraction, work.trial)
        new_cost, new_worst = evaluate(blocks, work.trial)
        gain = displacement(tree, work.b, q, work.trial)
        if 0.5 * new_cost < 0.5 * cost - ARMIJO * gain:
            copy(work.trial, q)
            record(blocks, q)
            return True, new_cost, new_worst
        fraction *= BACKTRACK
    evaluate(blocks, q)
    return False, cost, worst
