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
Poses on their way through a chain: unit dual quaternions in the coordinates (r, t).

``x = r + eps 1/2 t r`` is carried as its rotation r and its translation t. A product then takes 34
multiplications instead of 48, and the position, which every joint on the way needs for its axis,
is at hand.
"""

import math

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.compile import kernel

WIDTH = 7  # numbers of a stored frame
IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def mul(a, b):
    """Product of two poses: ``(r_a r_b, t_a + r_a t_b r_a*)``."""
    return quaternion.mul(a[0], b[0]), transform(a, b[1])


@kernel
def is_along_normal(row):
    """Tell whether a stored pose is ``Tz(d) Tx(a) Rx(alpha)``."""
    return row[2] == 0.0 and row[3] == 0.0 and row[5] == 0.0


@kernel
def mul_along_normal(a, z, row):
    """Product with a stored pose ``Tz(d) Tx(a) Rx(alpha)``; z is the axis of the first."""
    r, t = a
    x = quaternion.x_axis(r)
    return quaternion.mul_x(r, row[0], row[1]), (
        t[0] + row[4] * x[0] + row[6] * z[0], t[1] + row[4] * x[1] + row[6] * z[1],
        t[2] + row[4] * x[2] + row[6] * z[2])


@kernel
def transform(a, p):
    """Move a point: ``r p r* + t``."""
    v = quaternion.rotate(a[0], p)
    t = a[1]
    return (v[0] + t[0], v[1] + t[1], v[2] + t[2])


@kernel
def load(row):
    """Read a pose from seven consecutive numbers ``(r, t)``."""
    return ((row[0], row[1], row[2], row[3]), (row[4], row[5], row[6]))


@kernel
def store(a, row_out):
    """Write a pose to seven consecutive numbers ``(r, t)``."""
    for i in range(4):
        row_out[i] = a[0][i]
    for i in range(3):
        row_out[4 + i] = a[1][i]


@kernel
def store_dual(a, row_out):
    """Write a pose to eight consecutive numbers as a dual quaternion ``(real, dual)``."""
    dual_quaternion.store(dual_quaternion.from_rotation_translation(a[0], a[1]), row_out)


@kernel
def product(a, b):
    """Product of two poses, its rotation brought to unit length: for any number of products."""
    r, t = mul(a, b)
    return quaternion.normalized(r), t


@kernel
def inverse(a):
    """Pose of frame a in frame b, given that of frame b in frame a: ``(r*, -r* t r)``."""
    r = quaternion.conj(a[0])
    t = quaternion.rotate(r, a[1])
    return r, (-t[0], -t[1], -t[2])


@kernel
def load_at(table, row, start):
    """Read a pose from seven numbers of a row; its rotation may have any length."""
    r = (table[row, start], table[row, start + 1], table[row, start + 2], table[row, start + 3])
    t = (table[row, start + 4], table[row, start + 5], table[row, start + 6])
    return quaternion.normalized(r), t


@kernel
def turn_z(angle):
    """Pose of a turn about z."""
    return (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)), (0.0, 0.0, 0.0)
