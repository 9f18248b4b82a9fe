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
The rotations that a ball may take: which are inside its limits, and the projection onto them.

All who keep balls inside go this way: seeds, starts, steps, answers and :meth:`Chain.clamp`.
"""

import math

from dq_ik.core.algebra import quaternion, swing_twist, triple
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.ball_corner import settle
from dq_ik.core.kinematics.ball_limits import has, SMALLEST, value
from dq_ik.core.memory.layout import BALL_LIMITS

ROUNDING = 1e-12  # angle beyond a limit that is inside but for rounding [rad]
MOST_PROJECTIONS = 50  # onto cone, bounds and step in turn
NEAR_CORNER = 8  # projections after which an edge is met at once
STARTS, AGAIN = 9, 5  # of a search for a rotation inside: middle and corners of the bounds
HALVINGS = 50  # of the way back to a rotation that is inside
IDENTITY = (0.0, 0.0, 0.0)


@routine
def beyond(limits, w):
    """How far a rotation vector, at most pi long, is outside [rad]; negative inside."""
    r = quaternion.exp(w)
    split = swing_twist.coordinates(r)
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), r))
    most = -math.pi
    for k in range(BALL_LIMITS):
        if has(limits, k):
            most = max(most, value(limits, k, w, split, turn))
    return most


@kernel
def inside(limits, w):
    """Tell whether a rotation vector, at most pi long, is inside."""
    return beyond(limits, w) <= ROUNDING


@routine
def project(limits, w, safe):
    """
    Return a rotation vector that is inside, near to w; w itself where it is inside.

    The cone and the range are met by clamping both ([Kenwright2022] eq. 31). Where a call narrows
    them, the sets are met in turn, and the edge between them at once; what is still outside then
    goes back towards ``safe``. Where that is outside, too, the cone and the range are met.
    """
    if inside(limits, w):
        return w
    w = _into_range(limits, w)
    for count in range(MOST_PROJECTIONS):
        if inside(limits, w):
            return w
        if count == NEAR_CORNER:
            settled = settle(limits, w)
            if inside(limits, settled):
                return settled
        for axis in range(3):
            w = _clamped(w, axis, limits.lower[axis], limits.upper[axis])
        w = _into_step(limits, w)
        w = _into_range(limits, w)
    if inside(limits, w) or not inside(limits, safe):
        return w
    return _back(limits, w, safe)


@routine
def find(limits, w):
    """Return a rotation vector that is inside, near to w if w leads to one; else any, if any."""
    found = project(limits, w, IDENTITY)
    for start in range(STARTS):
        for _ in range(AGAIN):
            if inside(limits, found):
                return found
            found = project(limits, found, IDENTITY)
        found = project(limits, (_start(limits, 0, start), _start(limits, 1, start >> 1),
                                 _start(limits, 2, start >> 2)), IDENTITY)
    return found


@kernel
def _start(limits, axis, number):
    """Middle, lower or upper bound of a number, small enough for a rotation vector."""
    low = min(max(limits.lower[axis], -1.0), 1.0)
    high = min(max(limits.upper[axis], -1.0), 1.0)
    if number == 0:
        return 0.5 * (low + high)
    return high if number % 2 == 1 else low


@kernel
def _into_range(limits, w):
    """Clamp swing and twist."""
    return quaternion.log(swing_twist.project(quaternion.exp(w), limits.swing, limits.twist[0],
                                              limits.twist[1]))


@kernel
def _clamped(w, axis, lower, upper):
    """Clamp one number of three."""
    return (min(max(w[0], lower), upper) if axis == 0 else w[0],
            min(max(w[1], lower), upper) if axis == 1 else w[1],
            min(max(w[2], lower), upper) if axis == 2 else w[2])


@kernel
def _into_step(limits, w):
    """Turn no farther from the centre than the step."""
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), quaternion.exp(w)))
    part = min(1.0, limits.step / max(triple.length(turn), SMALLEST))
    return w if part >= 1.0 else _along(limits.centre, turn, part)


@routine
def _back(limits, w, safe):
    """Return the last rotation inside on the way from a safe one to w, by halving."""
    start = quaternion.exp(safe)
    way = quaternion.log(quaternion.mul(quaternion.conj(start), quaternion.exp(w)))
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if inside(limits, _along(start, way, middle)):
            low = middle
        else:
            high = middle
    return _along(start, way, low) if low > 0.0 else safe


@kernel
def _along(start, way, part):
    """Rotation vector after a part of a turn."""
    return quaternion.log(quaternion.mul(start, quaternion.exp(triple.scale(way, part))))
