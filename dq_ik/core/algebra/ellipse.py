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
Ellipses around the origin, along the axes of a plane: how far out a point is, the nearest point.

The half axes may be zero: what is left is a line or a point.
"""

import math

from dq_ik.core.compile import kernel

THIN = 1e-6  # half axes below this are sides of a rectangle instead: the ellipse has no inside
ROOT_STEPS = 40


@kernel
def is_thin(half):
    """Tell whether an ellipse is so thin that it counts as a rectangle."""
    return half[0] < THIN or half[1] < THIN


@kernel
def radius(point, half):
    """Length of a point in half axes: 1 on the ellipse."""
    x, y = point[0] / half[0], point[1] / half[1]
    return math.sqrt(x * x + y * y)


@kernel
def nearest(point, half):
    """
    Return the nearest point of the ellipse and its inside.

    Outside it is ``(a^2 x / (t + a^2), b^2 y / (t + b^2))`` with the root t of
    ``(a x / (t + a^2))^2 + (b y / (t + b^2))^2 = 1``. Left of the root that function is convex and
    falls, so that Newton's steps from a lower bound never overshoot.
    """
    x, y = point
    a, b = half
    if is_thin(half):
        return min(max(x, -a), a), min(max(y, -b), b)
    if radius(point, half) <= 1.0:
        return x, y
    if a == b:
        factor = a / math.sqrt(x * x + y * y)
        return factor * x, factor * y
    t = max(0.0, a * abs(x) - a * a, b * abs(y) - b * b)
    for _ in range(ROOT_STEPS):
        u, v = a * x / (t + a * a), b * y / (t + b * b)
        step = 0.5 * (u * u + v * v - 1.0) / (u * u / (t + a * a) + v * v / (t + b * b))
        t += step
        if step <= 1e-16 * t:
            break
    u, v = a * x / (t + a * a), b * y / (t + b * b)
    length = math.sqrt(u * u + v * v)  # 1 but for rounding
    return a * u / length, b * v / length
