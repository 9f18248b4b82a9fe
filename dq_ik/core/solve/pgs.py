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
One attempt by projected Gauss-Seidel, in its strong form.

As published it is in :mod:`dq_ik.papers.kernels.published`. An attempt starts at q and ends when
all goals are met, when it stalls, or when it has used its iterations. Every iterate is inside the
limits. The best configuration is left in ``work.best``.
"""

from dq_ik.core.algebra.vector import copy, count_up
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance
from dq_ik.core.memory.blocks import record, request_of, tree_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.solve.residual import assemble, evaluate, linearise
from dq_ik.core.solve.step import (
    damp,
    damping_at,
    free_joints,
    gauss_seidel_sweep,
    solve_free,
    STALL_AFTER,
    STALLED_ALONE,
)
from dq_ik.core.solve.tip_step import has_six_equations, solve_tip, sweep_tip, tip_residual

STALLED = 0.65  # the cost must fall to this part of its value every STALL_AFTER iterations


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
    request, work = request_of(blocks), work_of(blocks)
    by_tip = has_six_equations(work, q)
    cost, worst = evaluate(blocks, q)
    best, best_worst, mark = cost, worst, cost
    copy(q, work.best)
    if worst <= 1.0:
        return cost, worst, 0
    stall = STALLED if request.max_restarts > 0 else STALLED_ALONE
    for iteration in range(max_iterations):
        damping = damping_at(cost)
        if by_tip:
            _step_of_tip(blocks, q, damping)
        else:
            assemble(blocks)
            damp(work.A, damping, work.metric)
            pgs_step(blocks, q)
        advance(blocks, q, work.x, 1.0, work.trial)
        copy(work.trial, q)
        record(blocks, q)
        cost, worst = evaluate(blocks, q)
        if cost < best:
            best, best_worst = cost, worst
            copy(q, work.best)
        if best_worst <= 1.0:
            return best, best_worst, iteration + 1
        if iteration % STALL_AFTER == STALL_AFTER - 1:
            if not cost < stall * mark or is_over(work):
                return best, best_worst, iteration + 1
            mark = cost
        elif is_over_in_step(work, q.shape[0]):
            return best, best_worst, iteration + 1
    return best, best_worst, max_iterations


@routine
def pgs_step(blocks, q):
    """Fill ``work.x`` with the step of the normal equations in ``work.A`` and ``work.b``."""
    work = work_of(blocks)
    count_up(work.free)
    solve_free(work.A, work.b, work.free, q.shape[0], work.L, work.trial, work.x)
    if not clamp_step(q, work) or is_over_in_step(work, q.shape[0]):
        return
    gauss_seidel_sweep(work.A, work.b, q, work.lower, work.upper, work.x)
    count = free_joints(q, work.lower, work.upper, work.x, work.free)
    solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x)


@routine
def _step_of_tip(blocks, q, damping):
    """Do as :func:`pgs_step`, from the state last evaluated, for a chain with one tip."""
    tree, work = tree_of(blocks), work_of(blocks)
    linearise(tree, work.goals, work)
    e = tip_residual(work)
    count_up(work.free)
    solve_tip(work.column, e, work.gain, damping, work.free, q.shape[0], work.x)
    if not clamp_step(q, work):
        return
    sweep_tip(work.column, e, work.metric, damping, q, work.lower, work.upper, work.x)
    count = free_joints(q, work.lower, work.upper, work.x, work.free)
    solve_tip(work.column, e, work.gain, damping, work.free, count, work.x)


@kernel
def clamp_step(q, work):
    """Clamp the step in ``work.x`` to the limits; return whether it left them."""
    excess = 0.0
    for i in range(q.shape[0]):
        inside = min(max(work.x[i], work.lower[i] - q[i]), work.upper[i] - q[i])
        excess = max(excess, abs(inside - work.x[i]))
        work.x[i] = inside
    return excess > 0.0
