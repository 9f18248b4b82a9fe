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
Quaternions as 4-tuples ``(w, x, y, z)`` and vectors as 3-tuples.

A unit quaternion r turns a vector v into ``r v r*`` ([Kenwright2022] eqs. 2-5); ``exp`` and
``log`` connect it with the rotation vector ``angle * axis`` ([Kenwright2022] eqs. 3, 6, 7).
"""

import math

from dq_ik.core.compile import kernel

SMALL_ANGLE = 1e-4  # below, the series is exact to double precision (next term: angle**4 / 1920)
SERIES_ANGLE = 0.05  # below, series; (angle - sin(angle)) / angle**3 would lose digits


@kernel
def mul(a, b):
    """
    Product ``a b`` ([Kenwright2022] eq. 5).

    Differs from eq. 5 in the vector part: ``v0 x v1`` is misprinted as ``v0 v1`` there.
    """
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw)


@kernel
def conj(a):
    """Conjugate ``a*``: the inverse of a unit quaternion."""
    return (a[0], -a[1], -a[2], -a[3])


@kernel
def add(a, b):
    """Sum ``a + b`` ([Kenwright2022] eq. 5)."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


@kernel
def scale(a, factor):
    """Product with a number."""
    return (a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor)


@kernel
def dot(a, b):
    """Inner product of four components."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@kernel
def norm(a):
    """Length of a quaternion."""
    return math.sqrt(dot(a, a))


@kernel
def normalized(a):
    """Quaternion of unit length in the same direction."""
    return scale(a, 1.0 / norm(a))


@kernel
def cross(a, b):
    """Cross product of two vectors."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def rotate(r, v):
    """
    Rotate vector v: ``r v r*`` ([Kenwright2022] eq. 4).

    Computed as ``v + 2 w (u x v) + 2 u x (u x v)`` with ``u`` the vector part of r.
    """
    u = (r[1], r[2], r[3])
    c = cross(u, v)
    d = cross(u, c)
    return (v[0] + 2.0 * (r[0] * c[0] + d[0]),
            v[1] + 2.0 * (r[0] * c[1] + d[1]),
            v[2] + 2.0 * (r[0] * c[2] + d[2]))


@kernel
def x_axis(r):
    """First column of the rotation matrix of r: ``rotate(r, (1, 0, 0))``."""
    w, x, y, z = r
    return (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y))


@kernel
def z_axis(r):
    """Third column of the rotation matrix of r: ``rotate(r, (0, 0, 1))``."""
    w, x, y, z = r
    return (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))


@kernel
def mul_x(a, cosine, sine):
    """Product with a rotation about x, given the cosine and sine of its half angle."""
    w, x, y, z = a
    return (w * cosine - x * sine, x * cosine + w * sine,
            y * cosine + z * sine, z * cosine - y * sine)


@kernel
def mul_z(a, cosine, sine):
    """Product with a rotation about z, given the cosine and sine of its half angle."""
    w, x, y, z = a
    return (w * cosine - z * sine, x * cosine + y * sine,
            y * cosine - x * sine, z * cosine + w * sine)


@kernel
def exp(v):
    """
    Return the unit quaternion of a rotation vector ([Kenwright2022] eqs. 3, 6).

    ``(cos(a/2), sin(a/2)/a v)`` with ``a = |v|``. Differs from eq. 6 in the name: what is called
    exp there is the logarithm.
    """
    squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    angle = math.sqrt(squared)
    if angle < SMALL_ANGLE:
        factor = 0.5 - squared / 48.0
    else:
        factor = math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), factor * v[0], factor * v[1], factor * v[2])


@kernel
def log(r):
    """
    Rotation vector of a unit quaternion, of length at most pi ([Kenwright2022] eqs. 6, 7).

    The shorter of the two arcs of r and -r is taken; ``atan2`` keeps full precision near pi.
    """
    sign = 1.0 if r[0] >= 0.0 else -1.0
    squared = r[1] * r[1] + r[2] * r[2] + r[3] * r[3]
    sine = math.sqrt(squared)
    if sine < SMALL_ANGLE:
        factor = sign * (2.0 + squared / 3.0)
    else:
        factor = sign * 2.0 * math.atan2(sine, sign * r[0]) / sine
    return (factor * r[1], factor * r[2], factor * r[3])


@kernel
def shifted(w):
    """
    Return the same rotation, away from the singularities ([Kenwright2022] section VII.A.2).

    Beyond a half turn w becomes ``(1 - 2 pi / |w|) w``, at most pi long, and so for more turns;
    rotation vectors up to pi are returned as they are.
    """
    angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    if angle <= math.pi:
        return w
    turns = math.floor(angle / (2.0 * math.pi) + 0.5)
    factor = 1.0 - 2.0 * math.pi * turns / angle
    return (factor * w[0], factor * w[1], factor * w[2])


@kernel
def left_jacobian_times(w, v):
    """
    Angular velocity, in the fixed frame, of ``exp(w)`` when w changes at the rate v.

    ``J(w) v = v + (1 - cos a)/a^2 w x v + (a - sin a)/a^3 w x (w x v)`` with ``a = |w|``; also the
    translation that a screw has when its linear part is v.
    """
    squared = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    angle = math.sqrt(squared)
    if angle < SERIES_ANGLE:
        b = 0.5 - squared / 24.0 + squared * squared / 720.0 - squared**3 / 40320.0
        c = 1.0 / 6.0 - squared / 120.0 + squared * squared / 5040.0
    else:
        half_sine = math.sin(0.5 * angle)
        b = 2.0 * half_sine * half_sine / squared
        c = (angle - math.sin(angle)) / (squared * angle)
    first = cross(w, v)
    second = cross(w, first)
    return (v[0] + b * first[0] + c * second[0],
            v[1] + b * first[1] + c * second[1],
            v[2] + b * first[2] + c * second[2])


@kernel
def left_jacobian_solve(w, v):
    """
    Rate of w when ``exp(w)`` turns at the angular velocity v in the fixed frame: ``J(w)^-1 v``.

    ``v - 1/2 w x v + (1 - a/2 cot(a/2))/a^2 w x (w x v)``; regular for ``a = |w| < 2 pi``.
    """
    squared = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    angle = math.sqrt(squared)
    if angle < SERIES_ANGLE:
        c = 1.0 / 12.0 + squared / 720.0 + squared * squared / 30240.0
    else:
        half = 0.5 * angle
        c = (1.0 - half * math.cos(half) / math.sin(half)) / squared
    first = cross(w, v)
    second = cross(w, first)
    return (v[0] - 0.5 * first[0] + c * second[0],
            v[1] - 0.5 * first[1] + c * second[1],
            v[2] - 0.5 * first[2] + c * second[2])


@kernel
def to_matrix(r):
    """Rotation matrix of a unit quaternion as a tuple of three rows."""
    w, x, y, z = r
    return ((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)))


@kernel
def from_matrix(rows):
    """
    Return the unit quaternion of a rotation matrix given as three rows.

    The largest of the four components is found first, so that nothing is divided by a small
    number; at a half turn this is [Rotations] eq. 32 with the largest diagonal entry.
    """
    (a, b, c), (d, e, f), (g, h, i) = rows
    ww, xx, yy, zz = 1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i
    largest = max(ww, xx, yy, zz)
    if largest == ww:
        return normalized((ww, h - f, c - g, d - b))
    if largest == xx:
        return normalized((h - f, xx, b + d, c + g))
    if largest == yy:
        return normalized((c - g, b + d, yy, f + h))
    return normalized((d - b, c + g, f + h, zz))
