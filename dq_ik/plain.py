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
Quaternion algebra of single poses in plain Python.

One product of tuples is faster in Python than through the compiler's door, and needs no compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np
from numpy.typing import ArrayLike

from dq_ik.core.algebra import quaternion as core
from dq_ik.errors import PoseError

Quaternion = tuple[float, ...]  # four of them: w, x, y, z

mul, conj, add, cross = core.mul, core.conj, core.add, core.cross


def floats(values: ArrayLike, count: int, what: str) -> tuple[float, ...]:
    """Return ``count`` finite floats, or raise a PoseError that says ``what`` was wrong."""
    try:
        if isinstance(values, np.ndarray):
            values = values.tolist()
        numbers = tuple(map(float, values))  # type: ignore[arg-type]
    except (OverflowError, TypeError, ValueError):
        raise PoseError(f'{what} must be {count} numbers, got {values!r}') from None
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise PoseError(f'{what} must be {count} finite numbers, got {numbers}')
    return numbers


def frozen(values: ArrayLike) -> np.ndarray:
    """Return a read-only array."""
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def normalized(real: Quaternion, dual: Quaternion) -> tuple[Quaternion, Quaternion]:
    """Return the unit dual quaternion of the same direction; one beyond all numbers is refused."""
    w, x, y, z = real
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    if norm == math.inf:  # the squares overflow, the numbers need not
        return normalized(*_shrunk(real, dual))
    if norm < 1e-12:
        raise PoseError(f'the rotation quaternion {real} of a pose is zero')
    w, x, y, z = w / norm, x / norm, y / norm, z / norm
    a, b, c, d = dual[0] / norm, dual[1] / norm, dual[2] / norm, dual[3] / norm
    along = w * a + x * b + y * c + z * d
    a, b, c, d = a - along * w, b - along * x, c - along * y, d - along * z
    if not 2.0 * (abs(a) + abs(b) + abs(c) + abs(d)) < math.inf:  # it bounds the translation
        raise PoseError(f'a pose with the real part {real} and the dual part {dual} is farther '
                        'away than numbers reach')
    return (w, x, y, z), (a, b, c, d)


def unit(a: Quaternion) -> Quaternion:
    """Return the quaternion of unit length in the same direction."""
    norm = math.sqrt(sum(c * c for c in a))
    if norm == math.inf:  # the squares overflow, the numbers need not
        return unit(_shrunk(a, a)[0])
    if norm < 1e-12:
        raise PoseError(f'the quaternion {a} is zero; a rotation needs a direction')
    return a[0] / norm, a[1] / norm, a[2] / norm, a[3] / norm


def _shrunk(real: Quaternion, dual: Quaternion) -> tuple[Quaternion, Quaternion]:
    """Return both parts divided by the largest number of the first."""
    largest = max(map(abs, real))
    return tuple(c / largest for c in real), tuple(c / largest for c in dual)


def positive(a: Quaternion) -> Quaternion:
    """Return the one of ``a`` and ``-a`` whose first component that is not zero is positive."""
    first = next((c for c in a if c != 0.0), 1.0)
    return a if first > 0 else (-a[0], -a[1], -a[2], -a[3])


def rotation_vector(r: Quaternion) -> list[float]:
    """Return the rotation vector of a unit quaternion, at most pi long."""
    w, x, y, z = positive(r)
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if sine < 1e-9 else 2 * math.atan2(sine, w) / sine
    return [scale * x, scale * y, scale * z]


def quaternion_of_matrix(R: Sequence[Sequence[float]]) -> Quaternion:
    """Return the quaternion of a rotation matrix by Shepperd's largest-component rule."""
    (a, b, c), (d, e, f), (g, h, i) = R
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    rows = ((squares[0], h - f, c - g, d - b), (h - f, squares[1], b + d, c + g),
            (c - g, b + d, squares[2], f + h), (d - b, c + g, f + h, squares[3]))
    return unit(rows[squares.index(max(squares))])
