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
Balls at their limits: which directions of the tangent space are barred.

The limits of a ball are a cone and a range, no box, so a step cannot be kept inside by bounds on
its three numbers. Where the slope presses a ball against its cone or range, that one direction is
held by a stiff spring, and the ball slides along ([Kenwright2022] section VII.C, eq. 31).
"""

import math

from dq_ik.core.algebra import quaternion, swing_twist
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import BALL, ELEMENT_KIND, SWING, TWIST_LOWER, TWIST_UPPER, VARIABLE

AT_LIMIT = 1e-6  # angle from a limit that counts as on it [rad]
STIFF = 1e6  # spring of a barred direction [weighted m^2 / rad^2]
NONE = (0.0, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)


@routine
def hold_balls(blocks, q):
    """Bar in ``work.A`` and ``work.b`` the directions in which balls are pressed on limits."""
    tree, work = tree_of(blocks), work_of(blocks)
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            cone, range_ = pressed(q, i, tree.element[element], work.b)
            _bar(work, i, cone)
            _bar(work, i, range_)


@kernel
def pressed(q, i, limits, b):
    """
    Return the unit directions in which the slope b presses a ball on its cone and its range.

    Zero where it does not; the second is across the first.
    """
    r = quaternion.exp((q[i], q[i + 1], q[i + 2]))
    tilt, turn = swing_twist.angles(r, Z)
    slope = (b[i], b[i + 1], b[i + 2])
    cone = NONE
    if tilt >= limits[SWING] - AT_LIMIT and tilt > AT_LIMIT:
        cone = _facing(_tilting(r), slope)
    range_ = NONE
    if limits[TWIST_UPPER] - limits[TWIST_LOWER] < 2.0 * math.pi:
        twisting = _twisting(r)
        if turn >= limits[TWIST_UPPER] - AT_LIMIT:
            range_ = _facing(_across(twisting, cone), slope)
        elif turn <= limits[TWIST_LOWER] + AT_LIMIT:
            range_ = _facing(_across(_reverse(twisting), cone), slope)
    return cone, range_


@kernel
def _tilting(r):
    """Direction of the tangent space in which the tilt of z grows: ``(r* z) x z``."""
    return quaternion.cross(quaternion.rotate(quaternion.conj(r), Z), Z)


@kernel
def _twisting(r):
    """Direction in which the twist ``2 atan2(r_z, r_w)`` grows."""
    w, x, y, z = r
    return (z * x - w * y, w * x + z * y, w * w + z * z)


@kernel
def _reverse(a):
    """Return the opposite vector."""
    return (-a[0], -a[1], -a[2])


@kernel
def _across(a, unit):
    """Part of a across a unit vector (or zero)."""
    along = a[0] * unit[0] + a[1] * unit[1] + a[2] * unit[2]
    return (a[0] - along * unit[0], a[1] - along * unit[1], a[2] - along * unit[2])


@kernel
def _facing(a, slope):
    """Make a of unit length; zero if the slope does not press that way."""
    length = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if length < AT_LIMIT or a[0] * slope[0] + a[1] * slope[1] + a[2] * slope[2] <= 0.0:
        return NONE
    return (a[0] / length, a[1] / length, a[2] / length)


@kernel
def _bar(work, i, a):
    """Take a unit direction of three variables from the slope and make it stiff."""
    along = a[0] * work.b[i] + a[1] * work.b[i + 1] + a[2] * work.b[i + 2]
    for r in range(3):
        work.b[i + r] -= along * a[r]
        for s in range(3):
            work.A[i + r, i + s] += STIFF * a[r] * a[s]
