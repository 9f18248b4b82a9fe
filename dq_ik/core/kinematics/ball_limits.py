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
The limits of a ball: how far beyond each a rotation is, and in which directions they grow.

A ball keeps its axis within a cone and its twist within a range ([Kenwright2022] section VII.C).
A call may narrow that: by bounds of the three numbers of its rotation vector, and by a largest
turn from a given rotation. Each is a function of the rotation that must not be above zero. The
tangent space is that of the ball's own side: ``r exp(d)``.
"""

import math
from typing import NamedTuple

from dq_ik.core.algebra import ellipse, quaternion, swing_twist, triple
from dq_ik.core.compile import kernel
from dq_ik.core.memory.blocks import request_of, tree_of, work_of
from dq_ik.core.memory.layout import SWING, TWIST_LOWER, TWIST_UPPER, VARIABLE

SMALLEST = 1e-9  # sine or cosine that is divided by
# Numbers of the limits. A cone is one, unless it is so thin that it is a rectangle of four sides.
CONE, UPPER_TWIST, LOWER_TWIST, UPPER_BOUND, LOWER_BOUND, STEP = 0, 4, 5, 6, 9, 12


class Limits(NamedTuple):
    """The limits of one ball in one call."""

    swing: tuple[float, float]  # half angles of the cone, about x and y
    twist: tuple[float, float]
    lower: tuple[float, float, float]  # bounds of the rotation vector
    upper: tuple[float, float, float]
    centre: tuple[float, float, float, float]  # rotation from which the step is measured
    step: float


@kernel
def limits_of(blocks, element):
    """Return the limits of a ball in this call."""
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    i = tree.index[element, VARIABLE]
    return make(tree.element[element], i, request.lower, request.upper, triple.at(work.centre, i),
                work.radius[i])


@kernel
def make(row, i, lower, upper, centre, step):
    """Join the limits of an element with those of a call."""
    return Limits((row[SWING], row[SWING + 1]), (row[TWIST_LOWER], row[TWIST_UPPER]),
                  triple.at(lower, i), triple.at(upper, i), quaternion.exp(centre), step)


@kernel
def has(limits, k):
    """Tell whether there is a limit k."""
    if k < UPPER_TWIST:
        if min(limits.swing[0], limits.swing[1]) >= math.pi:
            return False
        return k == CONE or ellipse.is_thin(limits.swing)
    if k < UPPER_BOUND:
        return limits.twist[1] - limits.twist[0] < swing_twist.TURN
    if k < LOWER_BOUND:
        return limits.upper[k - UPPER_BOUND] < math.inf
    if k < STEP:
        return limits.lower[k - LOWER_BOUND] > -math.inf
    return limits.step < math.pi


@kernel
def value(limits, k, w, split, turn):
    """
    How far a rotation is beyond limit k [rad]; zero on it, negative inside.

    :param w: its rotation vector
    :param split: its coordinates of swing and twist
    :param turn: its rotation vector from the centre
    """
    if k < UPPER_TWIST:
        if not ellipse.is_thin(limits.swing):
            least = min(limits.swing[0], limits.swing[1])
            return least * (ellipse.radius((split[0], split[1]), limits.swing) - 1.0)
        side = -split[k // 2] if k % 2 == 1 else split[k // 2]
        return side - limits.swing[k // 2]
    if k == UPPER_TWIST:
        return split[2] - limits.twist[1]
    if k == LOWER_TWIST:
        return limits.twist[0] - split[2]
    if k < LOWER_BOUND:
        return w[k - UPPER_BOUND] - limits.upper[k - UPPER_BOUND]
    if k < STEP:
        return limits.lower[k - LOWER_BOUND] - w[k - LOWER_BOUND]
    return math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) - limits.step


@kernel
def slope(limits, k, r):
    """Gradient of :func:`value` in the tangent space at r; zero where there is none."""
    if k < UPPER_TWIST:
        across_x, across_y = _swing_slopes(r)
        if ellipse.is_thin(limits.swing):
            along = across_x if k // 2 == 0 else across_y
            return triple.scale(along, -1.0 if k % 2 == 1 else 1.0)
        a, b = limits.swing
        x, y, _ = swing_twist.coordinates(r)
        factor = min(a, b) / max(ellipse.radius((x, y), limits.swing), SMALLEST)
        x, y = factor * x / (a * a), factor * y / (b * b)
        return (x * across_x[0] + y * across_y[0], x * across_x[1] + y * across_y[1], 0.0)
    if k < UPPER_BOUND:
        return triple.scale(_twist_slope(r), 1.0 if k == UPPER_TWIST else -1.0)
    if k < STEP:
        axis = (k - UPPER_BOUND) % 3
        unit = (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)
        rate = quaternion.left_jacobian_solve(quaternion.log(r), unit)
        return triple.scale(rate, 1.0 if k < LOWER_BOUND else -1.0)
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), r))
    return triple.scale(turn, 1.0 / max(triple.length(turn), SMALLEST))


@kernel
def back(limits, k, r):
    """Direction of the tangent space, against which projections go where limit k is left."""
    if k < UPPER_TWIST:
        across_x, across_y = _swing_slopes(r)
        x, y = (1.0, 0.0) if k // 2 == 0 else (0.0, 1.0)  # of the swing vector
        if k % 2 == 1:
            x, y = -x, -y
        if not ellipse.is_thin(limits.swing):
            a, b = limits.swing
            x, y, _ = swing_twist.coordinates(r)
            x, y = x / (a * a), y / (b * b)
        size = across_x[0] * across_y[1] - across_x[1] * across_y[0]
        size = max(abs(size), SMALLEST) if size >= 0.0 else min(size, -SMALLEST)
        turn_x = (across_y[1] * x - across_x[1] * y) / size
        turn_y = (across_x[0] * y - across_y[0] * x) / size
        twist = _twist_slope(r)
        return (turn_x, turn_y, -twist[0] * turn_x - twist[1] * turn_y)
    if k < UPPER_BOUND:
        return (0.0, 0.0, 1.0 if k == UPPER_TWIST else -1.0)
    if k < STEP:
        axis = (k - UPPER_BOUND) % 3
        sign = 1.0 if k < LOWER_BOUND else -1.0
        unit = (sign if axis == 0 else 0.0, sign if axis == 1 else 0.0, sign if axis == 2 else 0.0)
        return quaternion.left_jacobian_times(triple.scale(quaternion.log(r), -1.0), unit)
    return slope(limits, k, r)


@kernel
def _swing_slopes(r):
    """
    Gradients of the two numbers of the swing vector.

    With the axis ``d = r z r*`` and ``h = (-d_y, d_x)``, ``s = angle / sin(angle) h``. A turn
    about the ball's x moves d along minus its y, one about y along its x.
    """
    rows = quaternion.to_matrix(r)
    h = (-rows[1][2], rows[0][2])
    sine = math.sqrt(h[0] * h[0] + h[1] * h[1])
    cosine = rows[2][2]
    u = (h[0] / sine, h[1] / sine) if sine > SMALLEST else (1.0, 0.0)
    stretch = math.atan2(sine, cosine) / sine if sine > SMALLEST else 1.0
    by_x = _swing_rate(u, sine, cosine, stretch, (-rows[0][1], -rows[1][1], -rows[2][1]))
    by_y = _swing_rate(u, sine, cosine, stretch, (rows[0][0], rows[1][0], rows[2][0]))
    return (by_x[0], by_y[0], 0.0), (by_x[1], by_y[1], 0.0)


@kernel
def _swing_rate(u, sine, cosine, stretch, rate):
    """Rate of the swing vector when the axis moves at a rate; u is the direction of the vector."""
    h = (-rate[1], rate[0])
    tilting = cosine * (u[0] * h[0] + u[1] * h[1]) - sine * rate[2]
    around = stretch * (u[0] * h[1] - u[1] * h[0])
    return (tilting * u[0] - around * u[1], tilting * u[1] + around * u[0])


@kernel
def _twist_slope(r):
    """Gradient of the twist ``2 atan2(r_z, r_w)``."""
    w, x, y, z = r
    square = max(w * w + z * z, SMALLEST * SMALLEST)
    return ((z * x - w * y) / square, (w * x + z * y) / square, 1.0)
