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
A point to look at: an axis of the tip, from its origin, points at a point of the base frame.

The direction to the point depends on where the tip is. With the unit vector u towards the point, d
its distance and v the velocity of the tip, u turns at ``-(u x v) / d``; the error falls at the
angular velocity of the tip minus that.
"""

import math

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.compile import kernel
from dq_ik.core.goals.pointing import arc, axis_of
from dq_ik.core.memory.layout import GIVEN

NEAREST = 1e-9  # distance of the point below which every direction will do [m]


@kernel
def _to_point(goal, p):
    """Return the distance of the point from p, and the unit vector towards it."""
    u = (goal[GIVEN] - p[0], goal[GIVEN + 1] - p[1], goal[GIVEN + 2] - p[2])
    d = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    inverse = 1.0 / max(d, NEAREST)
    return d, (inverse * u[0], inverse * u[1], inverse * u[2])


@kernel
def retarget(goal, r, p):
    """Write the target: the rotation nearest to r that looks at the point, and the position."""
    d, u = _to_point(goal, p)
    r_goal = r
    if d > NEAREST:
        turn = arc(quaternion.rotate(r, axis_of(goal)), u)
        r_goal = quaternion.mul(quaternion.exp(turn), r)
    t = (goal[GIVEN + 3], goal[GIVEN + 4], goal[GIVEN + 5])
    dual_quaternion.store(dual_quaternion.from_rotation_translation(r_goal, t), goal)


@kernel
def with_motion(goal, p, linear, angular):
    """Angular velocity of the tip minus that of the direction to the point."""
    d, u = _to_point(goal, p)
    if d <= NEAREST:
        return angular
    turn = quaternion.cross(u, linear)
    return (angular[0] + turn[0] / d, angular[1] + turn[1] / d, angular[2] + turn[2] / d)
