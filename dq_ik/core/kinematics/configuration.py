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

"""Moves in joint space: the projection onto the limits, steps of ball joints, whole turns."""

import math

from dq_ik.core.algebra import quaternion, swing_twist
from dq_ik.core.compile import kernel
from dq_ik.core.memory.layout import BALL, ELEMENT_KIND, SWING, TWIST_LOWER, TWIST_UPPER, VARIABLE

TURN = 2.0 * math.pi
ROUNDING = 1e-12  # angles beyond a limit that are inside but for rounding [rad]
Z = (0.0, 0.0, 1.0)


@kernel
def advance(tree, q, x, fraction, lower, upper, q_out):
    """
    Take a fraction of the step x, and project the configuration onto the limits.

    [ProjectedLineSearch] eqs. 36-40, [Kenwright2022] eq. 31. A ball turns by ``exp(fraction x)``
    on its own side, then its swing and twist are clamped. ``q_out`` must not be q.
    """
    for i in range(q.shape[0]):
        q_out[i] = min(max(q[i] + fraction * x[i], lower[i]), upper[i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] != BALL:
            continue
        i = tree.index[element, VARIABLE]
        if upper[i] <= lower[i]:  # locked
            continue
        turn = quaternion.exp((fraction * x[i], fraction * x[i + 1], fraction * x[i + 2]))
        rotation = quaternion.mul(quaternion.exp((q[i], q[i + 1], q[i + 2])), turn)
        limits = tree.element[element]
        v = quaternion.log(swing_twist.project(
            rotation, limits[SWING], limits[TWIST_LOWER], limits[TWIST_UPPER]))
        q_out[i], q_out[i + 1], q_out[i + 2] = v


@kernel
def project_balls(tree, q):
    """Move balls that are outside into their cone and range, in place; tell if any was."""
    changed = False
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] != BALL:
            continue
        i = tree.index[element, VARIABLE]
        limits = tree.element[element]
        rotation = quaternion.exp((q[i], q[i + 1], q[i + 2]))
        tilt, turn = swing_twist.angles(rotation, Z)
        if (tilt > limits[SWING] + ROUNDING or turn < limits[TWIST_LOWER] - ROUNDING
                or turn > limits[TWIST_UPPER] + ROUNDING):
            q[i], q[i + 1], q[i + 2] = quaternion.log(swing_twist.project(
                rotation, limits[SWING], limits[TWIST_LOWER], limits[TWIST_UPPER]))
            changed = True
    return changed


@kernel
def displacement(tree, b, q, x, fraction, q_new):
    """
    Inner product of b with the way from q to ``q_new = P(q + fraction x)``.

    The way of a ball is measured in its tangent space.
    """
    total = 0.0
    for i in range(q.shape[0]):
        total += b[i] * (q_new[i] - q[i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            for k in range(i, i + 3):
                total += b[k] * (fraction * x[k] - (q_new[k] - q[k]))
    return total


@kernel
def unwind(work, q):
    """Bring free turns to the allowed one nearest to the seed, in place; tell if any moved."""
    changed = False
    for i in range(q.shape[0]):
        if work.period[i] == 0.0:
            continue
        before = q[i]
        q[i] -= TURN * math.floor((q[i] - work.seed[i]) / TURN + 0.5)
        if q[i] > work.high[i]:
            q[i] -= TURN * math.ceil((q[i] - work.high[i]) / TURN)
        elif q[i] < work.low[i]:
            q[i] += TURN * math.ceil((work.low[i] - q[i]) / TURN)
        changed = changed or q[i] != before
    return changed
