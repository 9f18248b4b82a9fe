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
One iteration of attempts in lanes: forward kinematics, error and step of a plain chain.

The steps are those of :mod:`dq_ik.core.solve.pgs` and :mod:`dq_ik.core.solve.pls` for a chain
with one tip and a pose to reach, with masks in the place of lists of free joints.
"""

import math

from dq_ik.core.algebra import frame, lanes, quaternion
from dq_ik.core.algebra.lanes import absolute, anywhere, clamp, everywhere, get, put, select
from dq_ik.core.compile import kernel
from dq_ik.core.memory.layout import (
    COLUMN,
    ELEMENT_KIND,
    GAIN,
    LANE_AXIS,
    OFFSET,
    PRISMATIC,
    SLOPE,
    STEP,
    TRIAL,
)
from dq_ik.core.solve.pls import NEAR_LIMIT
from dq_ik.core.solve.tip_step import add_column, along, own_change, solve_blocks, without


@kernel
def forward(tree, n, rows):
    """Pose of the tip in all lanes; axes and points of the joints are kept in the rows."""
    r, t = frame.load(tree.element[0])
    r = (everywhere(r[0]), everywhere(r[1]), everywhere(r[2]), everywhere(r[3]))
    t = (everywhere(t[0]), everywhere(t[1]), everywhere(t[2]))
    axis = quaternion.z_axis(r)
    for i in range(n):
        row = tree.element[i]
        if i > 0 and frame.is_along_normal(row):
            r, t = frame.mul_along_normal((r, t), axis, row)
        elif i > 0:
            r, t = frame.mul((r, t), frame.load(row))
        axis = quaternion.z_axis(r)
        q = get(rows, TRIAL * n + i) + row[OFFSET]
        place = LANE_AXIS * n + 6 * i
        put(axis[0], rows, place)
        put(axis[1], rows, place + 1)
        put(axis[2], rows, place + 2)
        if tree.index[i, ELEMENT_KIND] == PRISMATIC:
            t = (t[0] + q * axis[0], t[1] + q * axis[1], t[2] + q * axis[2])
        else:
            put(t[0], rows, place + 3)
            put(t[1], rows, place + 4)
            put(t[2], rows, place + 5)
            sine, cosine = _half_angle(q)
            r = quaternion.mul_z(r, cosine, sine)
    return frame.mul((r, t), frame.load(tree.tip[0]))


@kernel
def _half_angle(angle):
    """Sine and cosine of half an angle, both perhaps with the other sign: the same rotation."""
    turns = lanes.floor(angle * (0.5 / math.pi) + 0.5)
    x = 0.5 * angle - turns * math.pi
    z = x * x
    # Taylor up to x^17 and x^16; on |x| <= pi / 2 the next terms are below 1e-12, and poses are
    # accurate to 1e-11 as long as there are few turns.
    s = x * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (
        1.0 / 362880.0 + z * (-1.0 / 39916800.0 + z * (1.0 / 6227020800.0 + z * (
            -1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0)))))))))
    c = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0 + z * (
        -1.0 / 3628800.0 + z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 + z * (
            1.0 / 20922789888000.0))))))))
    return s, c


@kernel
def error(x, target):
    """
    Error of poses in lanes towards a target.

    With ``r = (w, v)`` the rotation vector is ``4 atan(t) v / |v|``, ``t = |v| / (1 + |w|)`` being
    the tangent of a quarter of the angle.
    """
    r, p = x
    r_goal, p_goal = target
    e_p = (p_goal[0] - p[0], p_goal[1] - p[1], p_goal[2] - p[2])
    w, a, b, c = quaternion.mul(r_goal, quaternion.conj(r))
    inverse = 1.0 / (1.0 + absolute(w))
    z = (a * a + b * b + c * c) * inverse * inverse
    factor = select(w < 0.0, -4.0, 4.0) * inverse * lanes.arc_tangent_over(z)
    return e_p, (factor * a, factor * b, factor * c)


@kernel
def columns(tree, n, p, w_p, w_r, rows):
    """Weighted columns of the Jacobian in all lanes."""
    for i in range(n):
        place = LANE_AXIS * n + 6 * i
        column = COLUMN * n + 6 * i
        a = (get(rows, place), get(rows, place + 1), get(rows, place + 2))
        if tree.index[i, ELEMENT_KIND] == PRISMATIC:
            for r in range(3):
                put(w_p * a[r], rows, column + r)
                put(0.0, rows, column + 3 + r)
        else:
            v = quaternion.cross(a, (p[0] - get(rows, place + 3), p[1] - get(rows, place + 4),
                                     p[2] - get(rows, place + 5)))
            for r in range(3):
                put(w_p * v[r], rows, column + r)
                put(w_r * a[r], rows, column + 3 + r)


@kernel
def _column(rows, n, i):
    """Column i of the Jacobian."""
    k = COLUMN * n + 6 * i
    return (get(rows, k), get(rows, k + 1), get(rows, k + 2),
            get(rows, k + 3), get(rows, k + 4), get(rows, k + 5))


@kernel
def _solve(n, e, damping, rows):
    """Solve the six equations for the joints that have a gain."""
    zero = everywhere(0.0)
    position = (damping, zero, damping, zero, zero, damping)
    rotation = (damping, zero, damping, zero, zero, damping)
    coupling = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    for i in range(n):
        position, coupling, rotation = add_column(
            (position, coupling, rotation), _column(rows, n, i), get(rows, GAIN * n + i))
    return solve_blocks((position, coupling, rotation), e)


@kernel
def pgs_step(work, n, q_rows, e, damping, sweeps, rows):
    """
    Fill the rows STEP with the step of :func:`dq_ik.core.solve.pgs.pgs`.

    :param sweeps: whether a sweep finds the joints to hold; otherwise the step is only projected
    """
    for i in range(n):
        put(work.gain[i], rows, GAIN * n + i)
    y = _solve(n, e, damping, rows)
    excess = everywhere(0.0)
    for i in range(n):
        x = work.gain[i] * along(_column(rows, n, i), y)
        q = get(rows, q_rows + i)
        inside = clamp(x, work.lower[i] - q, work.upper[i] - q)
        excess = excess + absolute(x - inside)
        put(inside, rows, STEP * n + i)
    if not (sweeps and anywhere(excess > 0.0)):
        return
    left = e
    for i in range(n):
        left = without(left, _column(rows, n, i), get(rows, STEP * n + i))
    for i in range(n):
        c = _column(rows, n, i)
        x = get(rows, STEP * n + i)
        q = get(rows, q_rows + i)
        value = x + own_change(c, left, damping * work.metric[i], x)
        low, high = work.lower[i] - q, work.upper[i] - q
        value = clamp(value, low, high)
        left = without(left, c, value - x)
        free = (low < value) & (value < high)
        put(select(free, work.gain[i], 0.0), rows, GAIN * n + i)
        put(value, rows, STEP * n + i)
    e = left
    for i in range(n):
        x = select(get(rows, GAIN * n + i) > 0.0, get(rows, STEP * n + i), 0.0)
        e = without(e, _column(rows, n, i), 0.0 - x)
    y = _solve(n, e, damping, rows)
    for i in range(n):
        g = get(rows, GAIN * n + i)
        x = g * along(_column(rows, n, i), y)
        put(select(g > 0.0, x, get(rows, STEP * n + i)), rows, STEP * n + i)


@kernel
def pls_step(work, n, q_rows, e, damping, taken, rows):
    """Fill the rows STEP and SLOPE with direction and slope of a projected line search."""
    push = everywhere(0.0)
    for i in range(n):
        b = along(_column(rows, n, i), e)
        push = select(push < absolute(b), absolute(b), push)
        put(select(taken, b, get(rows, SLOPE * n + i)), rows, SLOPE * n + i)
    near = select(push < NEAR_LIMIT, push, NEAR_LIMIT)
    left = e
    for i in range(n):
        b, q = get(rows, SLOPE * n + i), get(rows, q_rows + i)
        low = (b <= 0.0) & (q <= work.lower[i] + near)
        high = (b >= 0.0) & (work.upper[i] - near <= q)
        held = low | high
        x = select(low, work.lower[i] - q, select(high, work.upper[i] - q, 0.0))
        left = without(left, _column(rows, n, i), x)
        put(select(held, 0.0, work.gain[i]), rows, GAIN * n + i)
        put(select(taken, x, get(rows, STEP * n + i)), rows, STEP * n + i)
    y = _solve(n, left, damping, rows)
    for i in range(n):
        g = get(rows, GAIN * n + i)
        x = g * along(_column(rows, n, i), y)
        put(select(taken & (g > 0.0), x, get(rows, STEP * n + i)), rows, STEP * n + i)
