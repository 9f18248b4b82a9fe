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
"""Rotation matrices: Rodrigues' formula, its derivative, its logarithm ([Rotations] section 2)."""

from __future__ import annotations

from collections.abc import Iterable
import math

import numpy as np

# Nearer than this to 0 or pi [rad], the edge cases of the logarithm take over.
EDGE = 1e-6

UNIT = {'x': np.array((1.0, 0.0, 0.0)), 'y': np.array((0.0, 1.0, 0.0)),
        'z': np.array((0.0, 0.0, 1.0))}


def skew(v: np.ndarray) -> np.ndarray:
    """
    Return the matrix of the cross product ``v x p`` ([Rotations] eq. 8, [Recipe] eq. 6).

    Differs from [ProjectedLineSearch] eq. A.8, which is printed with y and z exchanged.
    """
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """
    ``I + sin(angle) K + (1 - cos(angle)) K^2`` about a unit axis ([Rotations] eqs. 7, 22).

    Differs from eq. 9, which has ``cos`` for ``1 - cos``, and from eq. 26, where K is the matrix
    of the axis times the angle.
    """
    K = skew(axis)
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def rotated(axis: np.ndarray, angle: float, v: np.ndarray) -> np.ndarray:
    """
    Rotate a vector by its parts along and across the axis ([Rotations] eqs. 3, 6).

    ``v_along + cos(angle) v_across + sin(angle) axis x v_across``. Differs from eqs. 4 and 5,
    whose left sides are exchanged.
    """
    along = axis * (axis @ v)
    across = v - along
    return along + math.cos(angle) * across + math.sin(angle) * np.cross(axis, across)


def rotation_rate(axis: np.ndarray, angle: float) -> np.ndarray:
    """
    ``dR/dangle = cos(angle) K + sin(angle) K^2 = K R`` ([Rotations] eqs. 14, 15).

    Differs from eq. 42, whose right side is the rate in time.
    """
    K = skew(axis)
    return math.cos(angle) * K + math.sin(angle) * K @ K


def exponential(w: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector ([Rotations] eq. 25)."""
    angle = float(np.linalg.norm(w))
    return rotation(np.asarray(w) / angle, angle) if angle > 0.0 else np.eye(3)


def logarithm(R: np.ndarray) -> np.ndarray:
    """
    Rotation vector of a rotation matrix, at most pi long ([Rotations] eqs. 27-32).

    The angle is ``atan2(|R - R^T|, tr R - 1)``, exact at both ends where the arc cosine of eq. 29
    is not. Differs from eq. 28 (the trace is ``1 + 2 cos``) and from eq. 30 (the factor is
    ``angle / (2 sin(angle))``). Near pi the axis comes from the column of ``R + I`` with the
    largest diagonal entry (eq. 32), its sign from the little that is left of ``R - R^T``.
    """
    twice_sine = np.array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
    angle = math.atan2(float(np.linalg.norm(twice_sine)), np.trace(R) - 1.0)
    if angle < EDGE:
        return 0.5 * twice_sine
    if math.pi - angle > EDGE:
        return angle / (2.0 * math.sin(angle)) * twice_sine
    i = int(np.argmax(np.diag(R)))
    column = 0.5 * (R[:, i] + R[i]) + np.eye(3)[i]
    axis = column / np.linalg.norm(column)
    return angle * axis if axis @ twice_sine >= 0.0 else -angle * axis


def in_fixed_frame(R_0: np.ndarray, w: np.ndarray) -> np.ndarray:
    """
    Axis of a rotation seen from the fixed frame: ``R_0 w`` ([Rotations] eqs. 37, 41).

    It satisfies ``R_0 [w] = [R_0 w] R_0`` and ``R_0 exp(w) = exp(R_0 w) R_0``. Differs from
    eq. 36, whose identity of triple products lacks a sign, and from eq. 39, which squares
    ``R_0 k R_0^T``, and whose last line has w hat in place of k hat.
    """
    return R_0 @ w


def angular_velocity(R: np.ndarray, R_rate: np.ndarray) -> np.ndarray:
    """
    Angular velocity in the fixed frame: ``[w] = dR/dt R^T``.

    Differs from [Rotations] eqs. 43 and 44, which lack the transpose.
    """
    W = R_rate @ R.T
    return np.array((W[2, 1], W[0, 2], W[1, 0]))


def moved_axes(axes: Iterable[np.ndarray], angles: Iterable[float]) -> np.ndarray:
    """Axes (3, n) of ``exp(k_1 a_1) ... exp(k_n a_n)`` in the fixed frame, in columns."""
    R, moved = np.eye(3), []
    for axis, angle in zip(axes, angles):
        moved.append(in_fixed_frame(R, axis))
        R = R @ rotation(axis, angle)
    return np.column_stack(moved)


def composed_angular_velocity(axes: Iterable[np.ndarray], angles: Iterable[float],
                              rates: Iterable[float]) -> np.ndarray:
    """
    Angular velocity of ``exp(k_1 a_1) ... exp(k_n a_n)``: a sum in the fixed frame.

    ([Rotations] eqs. 45-51). Differs from eq. 46 in that each axis is moved to the fixed frame by
    the rotations before it, as eq. 47 says, and from eq. 50 in the half of its second order.
    """
    return moved_axes(axes, angles) @ np.array(list(rates))
