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

The pose with rotation r and translation t is ``x = r + eps 1/2 t r`` ([Kenwright2022] eqs. 9-15);
poses compose as ``x_a_c = mul(x_a_b, x_b_c)``.
"""

from dq_ik.core.algebra import quaternion
from dq_ik.core.compile import kernel


@kernel
def mul(a, b):
    """Product of two dual quaternions, ``a b`` ([Kenwright2022] eq. 10)."""
    a_real, a_dual = a
    b_real, b_dual = b
    return (quaternion.mul(a_real, b_real),
            quaternion.add(quaternion.mul(a_real, b_dual), quaternion.mul(a_dual, b_real)))


@kernel
def conj(a):
    """Conjugate ``real* + eps dual*``: the inverse of a pose ([Kenwright2022] eq. 11)."""
    return (quaternion.conj(a[0]), quaternion.conj(a[1]))


@kernel
def normalized(a):
    """
    Pose of the same direction: both conditions of [Kenwright2022] eq. 11 hold afterwards.

    The norm is the root of ``q q*``. Differs from eq. 11, which has no root.
    """
    factor = 1.0 / quaternion.norm(a[0])
    real = quaternion.scale(a[0], factor)
    dual = quaternion.scale(a[1], factor)
    return (real, quaternion.add(dual, quaternion.scale(real, -quaternion.dot(real, dual))))


@kernel
def from_rotation_translation(r, t):
    """Pose ``r + eps 1/2 t r`` ([Kenwright2022] eqs. 12, 14): rotate by r, then translate by t."""
    return (r, quaternion.mul((0.0, 0.5 * t[0], 0.5 * t[1], 0.5 * t[2]), r))


@kernel
def translation(a):
    """Return the translation of a pose: the vector part of ``2 dual real*``."""
    t = quaternion.mul(a[1], quaternion.conj(a[0]))
    return (2.0 * t[1], 2.0 * t[2], 2.0 * t[3])


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


@kernel
def exp(v, w):
    """
    Pose reached after unit time at the constant body twist ``(v, w)``: the full screw motion.

    The rotation is ``exp(w)`` and the translation ``J(w) v`` with the left Jacobian J.
    """
    return from_rotation_translation(quaternion.exp(w), quaternion.left_jacobian_times(w, v))


@kernel
def log(a):
    """Twist ``(v, w)`` of a pose, with a rotation of at most pi: the inverse of :func:`exp`."""
    w = quaternion.log(a[0])
    return (quaternion.left_jacobian_solve(w, translation(a)), w)
