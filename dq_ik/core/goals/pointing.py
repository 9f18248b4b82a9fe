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
A direction as the goal of a tip: one axis of the tip is to have it, the turn about it is free.

The error is the rotation vector of the shortest arc from the axis to the direction.
"""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.compile import kernel
from dq_ik.core.memory.layout import AXIS


@kernel
def is_pointing(goal):
    """Tell whether a goal asks for the direction of an axis only."""
    return goal[AXIS] != 0.0 or goal[AXIS + 1] != 0.0 or goal[AXIS + 2] != 0.0


@kernel
def axis_of(goal):
    """Return the axis of the tip that a goal is about, in the tip's frame."""
    return (goal[AXIS], goal[AXIS + 1], goal[AXIS + 2])


@kernel
def direction_error(r, r_goal, goal):
    """Rotation vector that turns the axis of the tip to where the goal has it."""
    axis = axis_of(goal)
    return arc(quaternion.rotate(r, axis), quaternion.rotate(r_goal, axis))


@kernel
def arc(a, b):
    """Rotation vector of the shortest arc that turns unit vector a onto unit vector b."""
    c = quaternion.cross(a, b)
    sine = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if sine > 1e-12:
        factor = math.atan2(sine, cosine) / sine
        return (factor * c[0], factor * c[1], factor * c[2])
    if cosine > 0.0:
        return (0.0, 0.0, 0.0)
    # Opposite: any axis across a will do.
    c = quaternion.cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
    factor = math.pi / math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    return (factor * c[0], factor * c[1], factor * c[2])


@kernel
def across(angular, goal):
    """Drop from an angular velocity the turn that a pointing goal leaves free."""
    a = quaternion.rotate((goal[0], goal[1], goal[2], goal[3]), axis_of(goal))
    along = a[0] * angular[0] + a[1] * angular[1] + a[2] * angular[2]
    return (angular[0] - along * a[0], angular[1] - along * a[1], angular[2] - along * a[2])
