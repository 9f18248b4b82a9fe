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

"""The extent of a tree: configurations spread over its limits, and how far it reaches."""

import math

from dq_ik.core.algebra import quaternion, swing_twist
from dq_ik.core.algebra.vector import fill, is_finite
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory import layout as core

# How far variables without limits are sampled to each side: half a turn, or a metre.
HALF_TURN, SLIDE = math.pi, 1.0
TURN = 2.0 * math.pi
WHOLE = 1e-9  # a range of a turn may be short by this
Z = (0.0, 0.0, 1.0)


@kernel
def neutral(lower, upper, q_out):
    """Write 0 where it is inside the limits, else their middle, or the one that is finite."""
    for i in range(q_out.shape[0]):
        if lower[i] <= 0.0 and upper[i] >= 0.0:
            q_out[i] = 0.0
        elif is_finite(lower[i]) and is_finite(upper[i]):
            q_out[i] = 0.5 * (lower[i] + upper[i])
        else:
            q_out[i] = lower[i] if is_finite(lower[i]) else upper[i]


@routine
def spread(tree, lower, upper, q_neutral, u, q_out):
    """
    Map a point u (n,) of the unit cube to a configuration within the limits.

    Joints without limits get half a turn to both sides of neutral, slides without limits a metre,
    balls their cone and twist range.
    """
    fill(HALF_TURN, q_out)
    for i in range(tree.index.shape[0]):
        if tree.index[i, core.ELEMENT_KIND] == core.PRISMATIC:
            q_out[tree.index[i, core.VARIABLE]] = SLIDE
    for i in range(q_out.shape[0]):
        width = q_out[i]
        low = lower[i] if is_finite(lower[i]) else q_neutral[i] - width
        high = upper[i] if is_finite(upper[i]) else q_neutral[i] + width
        q_out[i] = min(max(low + (high - low) * u[i], lower[i]), upper[i])
    for i in range(tree.index.shape[0]):
        if tree.index[i, core.ELEMENT_KIND] == core.BALL:
            first = tree.index[i, core.VARIABLE]
            w = _spread_ball((u[first], u[first + 1], u[first + 2]), tree.element[i])
            q_out[first], q_out[first + 1], q_out[first + 2] = w


@kernel
def _spread_ball(u, element):
    """Map the unit cube to exponential-map coordinates in a cone and twist range about z."""
    direction = (2.0 * u[0] - 1.0) * math.pi
    part = math.sqrt(u[1])
    a, b = min(element[core.SWING], math.pi), min(element[core.SWING + 1], math.pi)
    low = max(element[core.TWIST_LOWER], -math.pi)
    twist = low + u[2] * (min(element[core.TWIST_UPPER], math.pi) - low)
    swing = (a * part * math.cos(direction), b * part * math.sin(direction), 0.0)
    return quaternion.log(swing_twist.compose(swing, twist, Z))


@routine
def reach(tree, lower, upper, reach_out, centre_out):
    """
    Write how far each tip can be from the first joint on its way [m], and where that joint is.

    It is the length of the stretched way, slides at their longest: infinite where one has no
    limit. The tree is as :func:`dq_ik.core.packing.pack.fill` left it: frames on common normals
    are elsewhere.
    """
    for tip in range(tree.tip.shape[0]):
        length = _length(tree.tip[tip])
        fill(0.0, centre_out[tip])
        i = tree.tip_index[tip, core.TIP_ELEMENT]
        while i >= 0:
            variable = tree.index[i, core.VARIABLE]
            if tree.index[i, core.ELEMENT_KIND] == core.PRISMATIC:
                length += _travel(tree.element[i], lower[variable], upper[variable])
            if tree.index[i, core.PARENT] >= 0:
                length += _length(tree.element[i])
            else:
                for k in range(3):
                    centre_out[tip, k] = tree.element[i, 4 + k]
            i = tree.index[i, core.PARENT]
        reach_out[tip] = length


@kernel
def _travel(element, lower, upper):
    """Longest way of a slide to one side, which may follow another joint."""
    multiplier, offset = element[core.MULTIPLIER], element[core.OFFSET]
    if multiplier == 0.0:
        return abs(offset)
    return max(abs(multiplier * lower + offset), abs(multiplier * upper + offset))


@kernel
def _length(row):
    """Length of the translation of a stored frame."""
    return math.sqrt(row[4] * row[4] + row[5] * row[5] + row[6] * row[6])


@routine
def turning(tree, lower, upper, period_out):
    """Write 2 pi for joints free to turn whole turns, in a range of at least one, else 0."""
    for i in range(period_out.shape[0]):
        period_out[i] = TURN if upper[i] - lower[i] >= TURN - WHOLE else 0.0
    for i in range(tree.index.shape[0]):
        kind, variable = tree.index[i, core.ELEMENT_KIND], tree.index[i, core.VARIABLE]
        multiplier = tree.element[i, core.MULTIPLIER]
        if kind == core.BALL:
            for k in range(3):
                period_out[variable + k] = 0.0
        elif kind != core.REVOLUTE or multiplier != math.floor(multiplier):
            period_out[variable] = 0.0
