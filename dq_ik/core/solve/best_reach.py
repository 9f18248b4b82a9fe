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
The best reach: the nearest point of the goals that the limits allow, by a projected Newton method.

Gauss-Newton forgets the curvature of the arm's motion, which decides everything when the error
cannot vanish: at full stretch it oscillates. Here the exact second derivative of the cost is used,
so that a goal out of reach is answered by a point that is stationary to rounding, and the same
goal asked again moves nothing ([Kenwright2022] section IX: stretching without jitter).
"""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.algebra.factor import TINY
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.goals.pose import log_curvature
from dq_ik.core.kinematics.ball_limits import hold_balls
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.memory.layout import (
    AIM,
    FIXED,
    GOAL_AXES,
    KIND,
    PATH_START,
    PATH_STOP,
    UNIFORM,
    WEIGHT,
)
from dq_ik.core.solve.pls import hold_pushed, search_line
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import solve_free

FLAT = 1e-11  # gradient below which a point is stationary [weighted m^2 / rad], for errors to 1 m
FIRST_SHIFT = 1e-3  # of the mean diagonal, when the Hessian is not positive definite
MAX_SHIFTS = 12
CURVED = 1e-8  # curvature below minus this is negative [weighted m^2 / rad^2]
BEND = 0.1  # longest joint step tried along it [rad or m]
TURNS = 20


@routine
def newton(blocks, q, max_iterations):
    """
    Minimise half the cost over the limits from q, in place, descending in every iteration.

    :returns: cost, iterations, whether the point is stationary
    """
    work = work_of(blocks)
    cost, worst = evaluate(blocks, q)
    for iteration in range(max_iterations):
        if is_over_in_step(work, q.shape[0]):
            return cost, iteration, False
        count = _model(blocks, q)
        moved, stationary = False, _flat(work, q, count, _scale(cost))
        if is_over(work):
            return cost, iteration, stationary
        if not stationary:
            _shifted_solve(blocks, count)
            moved, cost, worst = search_line(blocks, q, cost, worst)
            stationary = not moved and _nearly_flat(work, q, _scale(cost))
        if stationary and worst > 1.0 and not is_over(work):
            moved, cost, worst = _escape(blocks, q, cost, worst)
        if not moved:
            return cost, iteration, stationary
    return cost, max_iterations, False


@routine
def _model(blocks, q):
    """Fill Hessian and slope at q, pressed balls barred; return how many joints are free."""
    work = work_of(blocks)
    assemble(blocks)
    _add_curvature(blocks)
    hold_balls(blocks, q)
    return hold_pushed(q, work)


@kernel
def _scale(cost):
    """Size of the errors, at least 1: their rounding is in the gradient."""
    return max(1.0, math.sqrt(cost))


@kernel
def _flat(work, q, count, scale):
    """Tell whether the gradient vanishes on the free joints and the held ones are at limits."""
    free = 0.0
    for p in range(count):
        free = max(free, abs(work.b[work.free[p]]))
    way = 0.0
    if count < q.shape[0]:
        for i in range(q.shape[0]):
            if q[i] <= work.lower[i] + 1e-3 or q[i] >= work.upper[i] - 1e-3:
                gap = min(abs(q[i] - work.lower[i]), abs(q[i] - work.upper[i]))
                way = max(way, gap * abs(work.b[i]))
    return free < FLAT * scale and way < FLAT * scale


@kernel
def _nearly_flat(work, q, scale):
    """Tell whether a point that the line search could not better is stationary to rounding."""
    slope = 0.0
    for i in range(q.shape[0]):
        pushed = ((work.b[i] < 0.0 and q[i] <= work.lower[i])
                  or (work.b[i] > 0.0 and q[i] >= work.upper[i]))
        if not pushed:
            slope = max(slope, abs(work.b[i]))
    return slope < 1e-6 * scale


@routine
def _shifted_solve(blocks, count):
    """Solve for the Newton step; the diagonal grows until all free pivots are positive."""
    work = work_of(blocks)
    shift = 0.0
    for p in range(count):
        shift += abs(work.A[work.free[p], work.free[p]])
    shift *= FIRST_SHIFT / count
    for _ in range(MAX_SHIFTS):
        if solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x):
            return
        if is_over_in_step(work, count):
            break
        for p in range(count):
            work.A[work.free[p], work.free[p]] += shift
        shift *= 3.0
    for p in range(count):
        work.x[work.free[p]] = work.b[work.free[p]]


@routine
def _escape(blocks, q, cost, worst):
    """
    Leave a stationary point that is no minimum, in place.

    A goal that comes back into reach finds the arm stretched towards it: no slope says how to
    bend, only the curvature does. The first pivot of the elimination that is negative gives a
    direction d with ``d^T H d < 0``; it is turned towards the one that falls most, so that the
    joints with the longest levers bend, and by little.

    :returns: whether a step was taken, the cost and the worst error after it
    """
    work = work_of(blocks)
    count = _model(blocks, q)
    for p in range(count):
        work.A[work.free[p], work.free[p]] += CURVED
    if solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x):
        return False, cost, worst
    _fill_falling(work, count)
    for _ in range(TURNS):
        _turn_down(work, count)
    moved, cost, worst = search_line(blocks, q, cost, worst)
    if not moved:
        for i in range(q.shape[0]):
            work.x[i] = -work.x[i]
        moved, cost, worst = search_line(blocks, q, cost, worst)
    return moved, cost, worst


@kernel
def _fill_falling(work, count):
    """Fill ``work.x`` with the direction of the first pivot that was not positive."""
    L, x, free = work.L, work.x, work.free
    first = count - 1
    while L[first, first] > TINY:
        first -= 1
    fill(0.0, x)
    x[free[first]] = 1.0
    for p in range(first + 1, count):
        for r in range(first, p):
            x[free[p]] -= L[p, r] * x[free[r]] / L[p, p]


@kernel
def _turn_down(work, count):
    """
    Turn ``work.x`` towards the direction of the most negative curvature, and scale it to BEND.

    A step of the power method with ``s I - H``, s no less than any eigenvalue: the curvature along
    x falls in every step.
    """
    A, x, free, y = work.A, work.x, work.free, work.trial
    shift = 0.0
    for p in range(count):
        row = 0.0
        for r in range(count):
            row += abs(A[free[p], free[r]])
        shift = max(shift, row)
    largest = 0.0
    for p in range(count):
        y[p] = shift * x[free[p]]
        for r in range(count):
            y[p] -= A[free[p], free[r]] * x[free[r]]
        largest = max(largest, abs(y[p]))
    for p in range(count):
        x[free[p]] = y[p] * BEND / largest


@routine
def _add_curvature(blocks):
    """
    Add to the Gauss-Newton matrix what makes it the Hessian of half the cost.

    With the screws (v, w) of two joints on the way to a tip at p, a nearer to the base than b,
    ``d2p / dqa dqb = wa x (vb + wb x p)``, and for the rotation vector e:
    ``kappa wa.wb + c (e.wa)(e.wb) - e.(wa x wb) / 2`` with ``kappa = 1 - c |e|^2`` takes the place
    of ``wa.wb``. Rotations with unequal weights or allowances, pointing, and targets that depend
    on the configuration keep the Gauss-Newton matrix, which descends as well.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    for k in range(tree.tip.shape[0]):
        goal = work.goals[k]
        if goal[AIM] != FIXED:
            continue
        square_r = goal[WEIGHT + 3] * goal[WEIGHT + 3] if goal[KIND] == UNIFORM else 0.0
        e_p = _pull(goal, work.residual[k])
        e_r = (work.error[k, 3], work.error[k, 4], work.error[k, 5])
        angle = math.sqrt(e_r[0] * e_r[0] + e_r[1] * e_r[1] + e_r[2] * e_r[2])
        c = log_curvature(angle)
        point = (work.point[k, 0], work.point[k, 1], work.point[k, 2])
        start, stop = tree.tip_index[k, PATH_START], tree.tip_index[k, PATH_STOP]
        for late in range(start, stop):
            s = work.screw[tree.path[late, 0]]
            w_b = (s[3], s[4], s[5])
            v_b = quaternion.cross(w_b, point)
            pull = quaternion.cross((v_b[0] + s[0], v_b[1] + s[1], v_b[2] + s[2]), e_p)
            turn = quaternion.cross(w_b, e_r)
            along_b = e_r[0] * w_b[0] + e_r[1] * w_b[1] + e_r[2] * w_b[2]
            j = tree.slot[tree.path[late, 1]]
            for early in range(start, late + 1):
                t = work.screw[tree.path[early, 0]]
                # e_p . (wa x vb) = wa . (vb x e_p);  e_r . (wa x wb) = wa . (wb x e_r)
                bend = t[3] * pull[0] + t[4] * pull[1] + t[5] * pull[2]
                twist = t[3] * turn[0] + t[4] * turn[1] + t[5] * turn[2]
                along_a = e_r[0] * t[3] + e_r[1] * t[4] + e_r[2] * t[5]
                both = t[3] * w_b[0] + t[4] * w_b[1] + t[5] * w_b[2]
                term = -bend + square_r * (
                    c * (along_a * along_b - angle * angle * both) - 0.5 * twist)
                i = tree.slot[tree.path[early, 1]]
                work.A[i, j] += term
                if early < late:
                    work.A[j, i] += term


@kernel
def _pull(goal, residual):
    """Position error times its squared weights, along the base's axes."""
    pull = (goal[WEIGHT] * residual[0], goal[WEIGHT + 1] * residual[1],
            goal[WEIGHT + 2] * residual[2])
    if goal[KIND] != GOAL_AXES:
        return pull
    return quaternion.rotate((goal[0], goal[1], goal[2], goal[3]), pull)
