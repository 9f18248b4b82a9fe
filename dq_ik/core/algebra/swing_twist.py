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
Twist and swing: a rotation as a turn about an axis, followed by a tilt of that axis.

``r = swing twist``: the twist turns about the unit axis a, the swing about a line perpendicular to
a ([Kenwright2022] section VII.C, eqs. 32-34, Appendix A). A ball joint keeps the tilt of its axis
within a cone and the turn about it within a range.
"""

import math

from dq_ik.core.algebra import ellipse, quaternion
from dq_ik.core.compile import kernel

# Below, the part of r along the axis is noise: the axis is upside down and any twist fits.
UPSIDE_DOWN = 1e-12
TURN = 2.0 * math.pi
Z = (0.0, 0.0, 1.0)  # the axis of every joint inside the kernels


@kernel
def decompose(r, axis):
    """
    Return ``(swing, twist)`` of a unit quaternion about a unit axis, both with a scalar part >= 0.

    ``twist = (w, <v, a> a) / sqrt(w^2 + <v, a>^2)`` and ``swing = r twist*``; for a = x, y, z
    these are [Kenwright2022] eqs. 32, 33, 34. Differs from eq. 33 in the place of the zero (it is
    the y component of the swing) and from eq. 34 in the place of the zero (z), in the sign of
    ``q_x q_z`` in the y component (``q_s q_y + q_x q_z``) and in the subscripts of the product.
    It differs from eq. 42, too: what is called the twist there is a length, squared.
    Where the axis is upside down the twist is not defined; it is 0 then.
    """
    along = r[1] * axis[0] + r[2] * axis[1] + r[3] * axis[2]
    length = math.sqrt(r[0] * r[0] + along * along)
    swing, twist = r, (1.0, 0.0, 0.0, 0.0)
    if length >= UPSIDE_DOWN:
        factor = 1.0 / length if r[0] >= 0.0 else -1.0 / length
        sine = along * factor
        twist = (r[0] * factor, sine * axis[0], sine * axis[1], sine * axis[2])
        swing = quaternion.mul(r, quaternion.conj(twist))
    if swing[0] < 0.0:
        swing = quaternion.scale(swing, -1.0)
    return (swing, twist)


@kernel
def compose(swing_vector, twist_angle, axis):
    """
    Return the rotation with a given swing and twist ([Kenwright2022] eq. 41).

    :param swing_vector: rotation vector perpendicular to the axis
    :param twist_angle: turn about the axis
    """
    half = 0.5 * twist_angle
    sine = math.sin(half)
    twist = (math.cos(half), sine * axis[0], sine * axis[1], sine * axis[2])
    return quaternion.mul(quaternion.exp(swing_vector), twist)


@kernel
def coordinates(r):
    """Return the swing vector (x, y) of z and the turn about z, in [-pi, pi]."""
    swing, twist = decompose(r, Z)
    w = quaternion.log(swing)
    return (w[0], w[1], 2.0 * math.atan2(twist[3], twist[0]))


@kernel
def project(r, swing_limit, twist_lower, twist_upper):
    """
    Bring a rotation into a cone and a twist range about z, by both ([Kenwright2022] eq. 31).

    The swing vector goes to the nearest point of the cone, the twist to the nearest end, on the
    shorter way around. Nothing is changed inside.

    :param swing_limit: greatest tilts of z about x and about y; between them the cone is elliptic
    :param twist_lower: least turn about z
    :param twist_upper: greatest turn about z
    """
    x, y, turn = coordinates(r)
    x_in, y_in = ellipse.nearest((x, y), swing_limit)
    turn_in = max(twist_lower, min(twist_upper, turn))
    if turn_in != turn:
        to_lower, to_upper = _around(turn - twist_lower), _around(turn - twist_upper)
        turn_in = twist_lower if to_lower < to_upper else twist_upper
    if x_in == x and y_in == y and turn_in == turn:
        return r
    return compose((x_in, y_in, 0.0), turn_in, Z)


@kernel
def _around(angle):
    """Length of the shorter way around a circle."""
    return abs(angle - TURN * math.floor(angle / TURN + 0.5))
