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

"""Moves in joint space: steps of joints and balls, into the limits, whole turns."""

import math

from dq_ik.core.algebra import quaternion, triple
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics import ball_projection
from dq_ik.core.kinematics.ball_limits import limits_of, make
from dq_ik.core.memory.blocks import request_of, tree_of, work_of
from dq_ik.core.memory.layout import BALL, ELEMENT_KIND, FARTHEST, VARIABLE

TURN = 2.0 * math.pi
LOCKED = 1e-12  # a ball that may turn by no more than this is locked [rad]


@kernel
def advance(blocks, q, x, fraction, q_out):
    """
    Take a fraction of the step x, and project the configuration onto the limits.

    [ProjectedLineSearch] eqs. 36-40, [Kenwright2022] eq. 31. A ball turns by ``exp(fraction x)``
    on its own side, then it is projected. ``q_out`` must not be q.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    for i in range(q.shape[0]):
        q_out[i] = min(max(q[i] + fraction * x[i], work.lower[i]), work.upper[i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            if not is_locked(work, i):
                triple.put(ball_projection.project(
                    limits_of(blocks, element), _turned(q, i, x, fraction), triple.at(q, i)),
                    q_out, i)


@kernel
def move(tree, q, x, q_out):
    """Take the step x regardless of the limits, those of balls included."""
    for i in range(q.shape[0]):
        q_out[i] = q[i] + x[i]
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            triple.put(_turned(q, i, x, 1.0), q_out, i)


@kernel
def _turned(q, i, x, fraction):
    """Rotation vector of a ball after a fraction of a step."""
    turn = quaternion.exp((fraction * x[i], fraction * x[i + 1], fraction * x[i + 2]))
    return quaternion.log(quaternion.mul(quaternion.exp(triple.at(q, i)), turn))


@kernel
def is_locked(work, i):
    """Tell whether the ball with first variable i keeps its place."""
    return work.upper[i] <= work.lower[i]


@routine
def centre_ball(blocks, element, seed, step):
    """
    Open the limits of a ball around a rotation that is inside them, near to the seed.

    :param step: largest turn from there; 0: the ball is locked
    """
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    i = tree.index[element, VARIABLE]
    alone = make(tree.element[element], i, request.lower, request.upper, ball_projection.IDENTITY,
                 math.inf)
    w = ball_projection.find(alone, quaternion.shifted(triple.at(seed, i)))
    work.radius[i] = step
    for k in range(3):
        work.centre[i + k] = w[k]
        locked = step <= LOCKED
        work.lower[i + k] = work.low[i + k] = w[k] if locked else -math.inf
        work.upper[i + k] = work.high[i + k] = w[k] if locked else math.inf


@routine
def place_balls(blocks, q):
    """Move balls that are outside into their limits, in place; tell if any was."""
    tree, work = tree_of(blocks), work_of(blocks)
    changed = False
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] != BALL:
            continue
        i = tree.index[element, VARIABLE]
        given = triple.at(q, i)
        if max(abs(given[0]), abs(given[1]), abs(given[2])) <= FARTHEST:
            w = triple.at(work.centre, i)
            if not is_locked(work, i):
                limits = limits_of(blocks, element)
                w = ball_projection.project(limits, quaternion.shifted(given), w)
            changed = changed or w != given
            triple.put(w, q, i)
    return changed


@routine
def clamp(tree, lower, upper, q, q_out, beyond_out):
    """Write a configuration moved into limits, and how far each variable was outside."""
    for i in range(q.shape[0]):
        q_out[i] = min(max(q[i], lower[i]), upper[i])
        beyond_out[i] = max(q[i] - upper[i], lower[i] - q[i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            limits = make(tree.element[element], i, lower, upper, ball_projection.IDENTITY,
                          math.inf)
            w = quaternion.shifted(triple.at(q, i))
            outside = ball_projection.beyond(limits, w) - ball_projection.ROUNDING
            triple.put((outside, outside, outside), beyond_out, i)
            given = triple.at(q, i) if outside <= 0.0 else ball_projection.find(limits, w)
            triple.put(given, q_out, i)


@kernel
def displacement(tree, b, q, q_new):
    """
    Inner product of b with the way from q to ``q_new``.

    The way of a ball is measured in its tangent space.
    """
    total = 0.0
    for i in range(q.shape[0]):
        total += b[i] * (q_new[i] - q[i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            back = quaternion.conj(quaternion.exp(triple.at(q, i)))
            way = quaternion.log(quaternion.mul(back, quaternion.exp(triple.at(q_new, i))))
            for k in range(3):
                total += b[i + k] * (way[k] - (q_new[i + k] - q[i + k]))
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
        q[i] = min(max(q[i], work.low[i]), work.high[i])  # rounding
        changed = changed or q[i] != before
    return changed
