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
Unit dual quaternions as pairs ``(real, dual)`` of quaternions: rigid poses.

The pose with rotation r and translation t is ``x = r + eps 1/2 t r`` ([Kenwright2022] eqs. 9-15). ``x_a_c = mul(x_a_b, x_b_c)``.
"""

from dq_ik.core import quaternion
from dq_ik.core.compile import kernel

IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


@kernel
def mul(a, b):
    """Product of two dual quaternions, ``a b`` ([Kenwright2022] eq. 10)."""
    a_real, a_dual = a
    b_real, b_dual = b
    return (quaternion.mul(a_real, b_real),
            quaternion.add(quaternion.mul(a_real, b_dual), quaternion.mul(a_dual, b_real)))


@kernel
def conj(a):
    """Conjugate ``real* + eps dual*``: the inverse of a unit dual quaternion ([Kenwright2022] eq. 11)."""
    return (quaternion.conj(a[0]), quaternion.conj(a[1]))


@kernel
def from_rotation_translation(r, t):
    """Pose ``r + eps 1/2 t r`` ([Kenwright2022] eqs. 12, 14): first rotate by r, then translate by t."""
    return (r, quaternion.mul((0.0, 0.5 * t[0], 0.5 * t[1], 0.5 * t[2]), r))


@kernel
def translation(a):
    """Translation of a pose: the vector part of ``2 dual real*``."""
    t = quaternion.mul(a[1], quaternion.conj(a[0]))
    return (2.0 * t[1], 2.0 * t[2], 2.0 * t[3])


@kernel
def transform(a, p):
    """Move a point: ``r p r* + t``."""
    t = translation(a)
    v = quaternion.rotate(a[0], p)
    return (v[0] + t[0], v[1] + t[1], v[2] + t[2])


@kernel
def mul_rotation_z(a, cosine, sine):
    """Product with a rotation about z, given the cosine and sine of its half angle: 16 instead of 48 multiplications."""
    rw, rx, ry, rz = a[0]
    dw, dx, dy, dz = a[1]
    return ((rw * cosine - rz * sine, rx * cosine + ry * sine,
             ry * cosine - rx * sine, rz * cosine + rw * sine),
            (dw * cosine - dz * sine, dx * cosine + dy * sine,
             dy * cosine - dx * sine, dz * cosine + dw * sine))


@kernel
def mul_translation_z(a, distance):
    """Product with a translation along z: the dual part gains ``1/2 distance real k``."""
    rw, rx, ry, rz = a[0]
    dw, dx, dy, dz = a[1]
    h = 0.5 * distance
    return (a[0], (dw - rz * h, dx + ry * h, dy - rx * h, dz + rw * h))


@kernel
def load(row):
    """Read a pose from eight consecutive numbers ``(real, dual)``."""
    return ((row[0], row[1], row[2], row[3]), (row[4], row[5], row[6], row[7]))


@kernel
def store(a, row_out):
    """Write a pose to eight consecutive numbers ``(real, dual)``."""
    for i in range(4):
        row_out[i] = a[0][i]
        row_out[4 + i] = a[1][i]
