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

from dq_ik.core.algebra.factor import dot, TINY
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.memory.layout import WAY
from dq_ik.core.solve.ball_contact import drop_held, hold_balls, is_left, turn_back
from dq_ik.core.solve.curvature import add_curvature
from dq_ik.core.solve.pls import hold_pushed, search_line
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import solve_free

FLAT = 1e-11  # gradient below which a point is stationary [weighted m^2 / rad], for errors to 1 m
ROUNDING = 1e-13  # part of the cost that a step must be able to gain, else the point is stationary
LITTLE = 1e-9  # the same for a point where all iterations are used; the rest is in a long valley
FIRST_SHIFT = 1e-3  # of the mean diagonal, when the Hessian is not positive definite
MAX_SHIFTS = 12
CORNERS = 3  # limits of a ball that a step is kept within, one after the other
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
        count = _model(blocks, q, False)
        moved, stationary = False, _flat(work, q, count, _scale(cost))
        nearly = _nearly_flat(work, q, _scale(cost))
        if is_over(work):
            return cost, iteration, stationary
        if not stationary:
            _step(blocks, q, count)
            moved, cost, worst = search_line(blocks, q, cost, worst)
            stationary = not moved and (nearly or abs(dot(work.b, work.x)) <= ROUNDING * cost)
        if stationary and worst > 1.0 and not is_over(work):
            moved, cost, worst = _escape(blocks, q, cost, worst)
        if not moved:
            return cost, iteration, stationary
    return cost, max_iterations, abs(dot(work.b, work.x)) <= LITTLE * cost


@routine
def _model(blocks, q, stepping):
    """
    Fill Hessian and slope at q, pressed balls held; return how many joints are free.

    :param stepping: the step in ``work.x`` leaves limits of balls; these are held, too
    """
    work = work_of(blocks)
    assemble(blocks)
    add_curvature(blocks)
    hold_balls(blocks, q, stepping)
    return drop_held(work, hold_pushed(q, work))


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
            elif work.axes[i, WAY] < math.inf:
                way = max(way, abs(work.axes[i, WAY] * work.b[i]))
    return free < FLAT * scale and way < FLAT * scale


@kernel
def _nearly_flat(work, q, scale):
    """Tell whether a point that the line search could not better is stationary to rounding."""
    slope = 0.0
    for i in range(q.shape[0]):
        pushed = ((work.b[i] < 0.0 and q[i] <= work.lower[i])
                  or (work.b[i] > 0.0 and q[i] >= work.upper[i]) or work.axes[i, WAY] < math.inf)
        if not pushed:
            slope = max(slope, abs(work.b[i]))
    return slope < 1e-6 * scale


@routine
def _step(blocks, q, count):
    """
    Fill ``work.x`` with Newton's step.

    A step may leave limits of a ball that the slope does not press it on: another direction is
    steeper for Newton's method than the slope is. The projection would undo more than the step
    gains where limits meet at an angle, so these limits are held as well.
    """
    work = work_of(blocks)
    _shifted_solve(blocks, count)
    turn_back(blocks)
    for _ in range(CORNERS):
        if is_over_in_step(work, q.shape[0]) or not is_left(blocks, q):
            break
        _shifted_solve(blocks, _model(blocks, q, True))
        turn_back(blocks)


@routine
def _shifted_solve(blocks, count):
    """Solve for the Newton step; the diagonal grows until all free pivots are positive."""
    work = work_of(blocks)
    shift = 0.0
    for p in range(count):
        shift += abs(work.A[work.free[p], work.free[p]])
    shift *= FIRST_SHIFT / max(count, 1)
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
    count = _model(blocks, q, False)
    for p in range(count):
        work.A[work.free[p], work.free[p]] += CURVED
    if solve_free(work.A, work.b, work.free, count, work.L, work.trial, work.x):
        return False, cost, worst
    _fill_falling(work, count)
    for _ in range(TURNS):
        _turn_down(work, count)
    turn_back(blocks)
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
