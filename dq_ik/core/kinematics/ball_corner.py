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
Rotations into the corner of several limits of a ball.

Where limits meet at a sharp edge, projecting onto one after the other comes near to it only
slowly. Newton's steps on the limits that are left come to it at once.
"""

from dq_ik.core.algebra import quaternion, swing_twist, triple
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.ball_limits import has, slope, value
from dq_ik.core.memory.layout import BALL_LIMITS

STEPS = 8  # of Newton's method; they square the distance
DEPENDENT = 1e-6  # slopes whose independent part is shorter are one
NOWHERE = (0.0, 0.0, 0.0)


@routine
def settle(limits, w):
    """Return a rotation vector near to w that is on or within all limits, if there is one."""
    for _ in range(STEPS):
        r = quaternion.exp(w)
        step = _step(limits, w, r)
        if step == NOWHERE:
            break
        w = quaternion.log(quaternion.mul(r, quaternion.exp(step)))
    return w


@kernel
def _step(limits, w, r):
    """
    Step in the tangent space at r onto the limits that are left, as they are linearised.

    The limit that is left farthest comes first. Then the one that is left farthest after a step
    onto the first, along which the first is kept; then a third.
    """
    step, first, second = NOWHERE, NOWHERE, NOWHERE
    for count in range(3):
        distance, direction = _worst(limits, w, r, step, first, second)
        if distance <= 0.0:
            break
        step = triple.sub(step, triple.scale(direction, distance))
        first, second = (direction, second) if count == 0 else (first, direction)
    return step


@kernel
def _worst(limits, w, r, step, first, second):
    """How far the worst limit is left after a step, and the unit direction that leads there."""
    split = swing_twist.coordinates(r)
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), r))
    most, distance, direction = 0.0, 0.0, NOWHERE
    for k in range(BALL_LIMITS):
        if not has(limits, k):
            continue
        normal = slope(limits, k, r)
        left = value(limits, k, w, split, turn) + triple.dot(normal, step)
        if left <= most:
            continue
        for kept in (first, second):
            normal = triple.sub(normal, triple.scale(kept, triple.dot(normal, kept)))
        length = triple.length(normal)
        if length > DEPENDENT:
            most, distance, direction = left, left / length, triple.scale(normal, 1.0 / length)
    return distance, direction
