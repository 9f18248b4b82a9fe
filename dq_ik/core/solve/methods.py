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
One attempt by each of the two methods of the package, in their strong forms.

As published they are in :mod:`dq_ik.papers.kernels.published`. An attempt starts at q and ends
when all goals are met, when it stalls, or when it has used its iterations. Every iterate is inside
the limits. The best configuration is left in ``work.best``.
"""

from dq_ik.core.algebra.vector import copy, count_up
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance, displacement
from dq_ik.core.memory.blocks import record, request_of, tree_of, work_of
from dq_ik.core.memory.clock import seconds
from dq_ik.core.solve.residual import linearise, look
from dq_ik.core.solve.step import assemble, damp, free_joints, gauss_seidel_sweep, solve_free
from dq_ik.core.solve.tip_step import along, solve_tip, sweep_tip

DAMPING = 0.05  # times the cost: strong far from the goal, vanishing at it (after Sugihara)
DAMPING_FLOOR = 1e-9
STALL_AFTER = 2  # iterations between two looks at the progress
STALL_PGS = 0.65  # the cost must fall to this part of its value in between
STALL_PLS = 0.8
STALL_ALONE = 0.98  # of an attempt that no other follows

ARMIJO = 1e-4  # alpha of [ProjectedLineSearch] eq. 39
BACKTRACK = 0.5  # beta of [ProjectedLineSearch] eq. 34
MAX_BACKTRACKS = 30
NEAR_LIMIT = 1e-3  # joints this near to a limit count as on it when pushed that way


@routine
def pgs(blocks, q, max_iterations):
    """
    Projected Gauss-Seidel with subspace minimisation.

    Each iteration solves the damped normal equations within the limits: where their solution
    leaves the limits, one Gauss-Seidel sweep from the clamped solution finds the joints that end
    on a limit, and the others are solved exactly and clamped. Differs from [Kenwright2022] section
    VII in the adaptive damping and in the exact solve in place of further sweeps, which find the
    same point slowly.

    :returns: the best cost, its worst error in tolerances, the iterations used
    """
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    by_tip = _has_six_equations(work, q)
    cost, worst = look(blocks, q)
    best, best_worst, mark = cost, worst, cost
    copy(q, work.best)
    if worst <= 1.0:
        return cost, worst, 0
    stall = STALL_PGS if request.max_restarts > 0 else STALL_ALONE
    for iteration in range(max_iterations):
        damping = DAMPING * cost + DAMPING_FLOOR
        if by_tip:
            _pgs_step_of_tip(blocks, q, damping)
        else:
            assemble(blocks)
            damp(work.A, damping, work.metric)
            pgs_step(blocks, q)
        advance(tree, q, work.x, 1.0, work.lower, work.upper, work.trial)
        copy(work.trial, q)
        record(blocks, q)
        cost, worst = look(blocks, q)
        if cost < best:
            best, best_worst = cost, worst
            copy(q, work.best)
        if best_worst <= 1.0:
            return best, best_worst, iteration + 1
        if iteration % STALL_AFTER == STALL_AFTER - 1:
            if not cost < stall * mark or seconds(work.clock) > work.deadline[0]:
                return best, best_worst, iteration + 1
            mark = cost
    return best, best_worst, max_iterations


@kernel
def _has_six_equations(work, q):
    """Tell whether one tip with no more equations than joints is asked for."""
    return work.goals.shape[0] == 1 and q.shape[0] >= 6


@routine
def pgs_step(blocks, q):
    """Fill ``work.x`` with the step of the normal equations in ``work.A`` and ``work.b``."""
    work = work_of(blocks)
    count_up(work.free)
    solve_free(work.A, work.b, work.free, q.shape[0], work.L, work.trial, work.x)
    if not clamp_step(q, work):
        return
    gauss_seidel_sweep(work.A, work.b, q, work.lower, work.upper, work.x)
    count = free_joints(q, work.lower, work.upper, work.x, work.free)
    solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x)


@routine
def _pgs_step_of_tip(blocks, q, damping):
    """Do as :func:`pgs_step`, from the state last evaluated, for a chain with one tip."""
    tree, work = tree_of(blocks), work_of(blocks)
    linearise(tree, work.goals, work)
    e = _residual(work)
    count_up(work.free)
    solve_tip(work.column, e, work.gain, damping, work.free, q.shape[0], work.x)
    if not clamp_step(q, work):
        return
    sweep_tip(work.column, e, work.metric, damping, q, work.lower, work.upper, work.x)
    count = free_joints(q, work.lower, work.upper, work.x, work.free)
    solve_tip(work.column, e, work.gain, damping, work.free, count, work.x)


@kernel
def _residual(work):
    """Weighted error of the only tip, two tuples of three."""
    e = work.residual[0]
    return (e[0], e[1], e[2]), (e[3], e[4], e[5])


@kernel
def clamp_step(q, work):
    """Clamp the step in ``work.x`` to the limits; return whether it left them."""
    excess = 0.0
    for i in range(q.shape[0]):
        inside = min(max(work.x[i], work.lower[i] - q[i]), work.upper[i] - q[i])
        excess = max(excess, abs(inside - work.x[i]))
        work.x[i] = inside
    return excess > 0.0


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
    by_tip = _has_six_equations(work, q)
    cost, worst = look(blocks, q)
    mark = cost
    stall = STALL_PLS if request.max_restarts > 0 else STALL_ALONE
    for iteration in range(max_iterations if worst > 1.0 else 0):
        if by_tip:
            _pls_step_of_tip(blocks, q, DAMPING * cost + DAMPING_FLOOR)
        else:
            assemble(blocks)
            damp(work.A, DAMPING * cost + DAMPING_FLOOR, work.metric)
            count = hold_pushed(q, work)
            solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x)
        moved, cost, worst = search_line(blocks, q, cost, worst)
        stalled = False
        if iteration % STALL_AFTER == STALL_AFTER - 1:
            stalled = not cost < stall * mark or seconds(work.clock) > work.deadline[0]
            mark = cost
        if not moved or worst <= 1.0 or stalled:
            copy(q, work.best)
            return cost, worst, iteration + 1
    copy(q, work.best)
    return cost, worst, max_iterations if worst > 1.0 else 0


@routine
def _pls_step_of_tip(blocks, q, damping):
    """Fill ``work.x`` with the direction and ``work.b`` with the slope, from the last state."""
    tree, work = tree_of(blocks), work_of(blocks)
    linearise(tree, work.goals, work)
    e = _residual(work)
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
    for _ in range(MAX_BACKTRACKS):
        advance(tree, q, work.x, fraction, work.lower, work.upper, work.trial)
        new_cost, new_worst = look(blocks, work.trial)
        gain = displacement(tree, work.b, q, work.x, fraction, work.trial)
        if 0.5 * new_cost < 0.5 * cost - ARMIJO * gain:
            copy(work.trial, q)
            record(blocks, q)
            return True, new_cost, new_worst
        fraction *= BACKTRACK
    look(blocks, q)
    return False, cost, worst
