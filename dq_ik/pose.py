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
"""Pose: a rigid motion for people, stored as a frozen unit dual quaternion."""

from __future__ import annotations

import math
from typing import Any, overload

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.entries.pose_input import Fault, PoseKind
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.errors import array_of, PoseError
from dq_ik.native.load import door, fault_of
import numpy as np
from numpy.typing import ArrayLike

Quaternion = tuple[float, ...]  # four of them: w, x, y, z
new_pose = object.__new__


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


def _read(kind: PoseKind, numbers: np.ndarray) -> np.ndarray:
    """Return finite numbers of a kind as a unit dual quaternion, or say why they are no pose."""
    row = np.empty(8)
    result = door().entries['pose'](int(kind), numbers, row)
    if result == 0:
        return row
    fault = fault_of(result).kind
    if fault == Fault.POSE_NOT_ROTATION:
        raise PoseError(f'the rotation quaternion of the pose {numbers.tolist()} is zero; a '
                        'rotation needs a direction')
    if fault == Fault.POSE_NOT_RIGID:
        raise PoseError('this matrix is no rigid motion (R R^T = I, det R = 1):\n'
                        f'{numbers.reshape(4, 4)}')
    raise PoseError(f'the pose {numbers.tolist()} is farther away than numbers reach')


class Pose:
    """
    Pose of a frame b in a frame a: the unit dual quaternion ``x_a_b = real + eps dual``.

    ``real`` is the rotation quaternion ``r = (w, x, y, z)`` and ``dual = 1/2 t r`` with the
    translation ``t`` as a pure quaternion. A pose never changes; its arrays are read-only.
    """

    __slots__ = ('_dual', '_real', '_row')

    def __init__(self, real: ArrayLike, dual: ArrayLike) -> None:
        """
        Normalise and store the two parts.

        :param real: rotation quaternion ``(w, x, y, z)``, any length but zero.
        :param dual: dual part, ``1/2 t r``; its component along ``real`` is removed.
        :raises PoseError: if a part is not four finite numbers, ``real`` is zero, or the
            translation is beyond all numbers.
        """
        given = (*floats(real, 4, 'the real part of a pose'),
                 *floats(dual, 4, 'the dual part of a pose'))
        self._set(_read(PoseKind.DUAL_QUATERNION, np.array(given)))

    def _set(self, row: np.ndarray) -> Pose:
        """Store a unit dual quaternion."""
        numbers = row.tolist()
        self._real, self._dual, self._row = tuple(numbers[:4]), tuple(numbers[4:]), row
        return self

    @classmethod
    def _of(cls, kind: PoseKind, numbers: ArrayLike) -> Pose:
        """Return the pose of finite numbers."""
        return new_pose(cls)._set(_read(kind, np.array(numbers, dtype=float)))

    @classmethod
    def _of_parts(cls, kind: PoseKind, position: Any, quaternion: Any, order: str) -> Pose:
        """Return the pose of a position and a quaternion; floats() says what is wrong."""
        try:
            numbers, row = np.array((*position, *quaternion), dtype=float), np.empty(8)
            if numbers.shape == (7,) and len(position) == 3 and (
                    door().entries['pose'](kind, numbers, row) == 0):
                return new_pose(cls)._set(row)
        except (OverflowError, TypeError, ValueError):
            pass
        return cls._of(kind, (*floats(position, 3, 'a position'),
                              *floats(quaternion, 4, f'a quaternion {order}')))

    @classmethod
    def unchecked(cls, real: Quaternion, dual: Quaternion) -> Pose:
        """Return a pose of two tuples that are known to be a unit dual quaternion."""
        pose = new_pose(cls)
        pose._real, pose._dual = real, dual
        return pose

    def numbers(self) -> np.ndarray:
        """Return the numbers ``(real, dual)`` as the kernels take them; they must not change."""
        try:
            return self._row
        except AttributeError:  # nobody has asked yet
            self._row = np.array(self._real + self._dual)
            return self._row

    @classmethod
    def identity(cls) -> Pose:
        """Return the pose that moves nothing."""
        return cls((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))

    @classmethod
    def from_xyz_wxyz(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """Build a pose from a translation (3,) [m] and ``(w, x, y, z)``, as MuJoCo writes it."""
        return cls._of_parts(PoseKind.XYZ_WXYZ, position, quaternion, '(w, x, y, z)')

    @classmethod
    def from_xyz_xyzw(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """
        Build a pose from a translation (3,) [m] and ``(x, y, z, w)``, as ROS and SciPy write it.

        The quaternion need not have unit length.
        """
        return cls._of_parts(PoseKind.XYZ_XYZW, position, quaternion, '(x, y, z, w)')

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """
        Build a pose from a homogeneous matrix.

        :param matrix: shape (4, 4), bottom row ``(0, 0, 0, 1)``.
        :raises PoseError: if the upper left 3x3 block is not a rotation.
        """
        T = array_of(matrix, PoseError, 'a pose matrix is (4, 4) and finite')
        if T.shape != (4, 4) or not np.all(np.isfinite(T)):
            raise PoseError(f'a pose matrix is (4, 4) and finite, got shape {T.shape}:\n{T}')
        return cls._of(PoseKind.MATRIX, T.reshape(-1))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike, rpy: ArrayLike) -> Pose:
        """
        Build a pose from URDF's ``<origin xyz rpy>``.

        :param xyz: translation in metres.
        :param rpy: roll, pitch, yaw about the fixed axes x, y, z: ``Rz(yaw) Ry(pitch) Rx(roll)``.
        """
        roll, pitch, yaw = floats(rpy, 3, 'roll, pitch, yaw')
        r = quaternion.mul((math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)),
                           (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0))
        return cls.from_xyz_wxyz(xyz, quaternion.mul_x(r, math.cos(roll / 2), math.sin(roll / 2)))

    @classmethod
    def exp(cls, xi: ArrayLike) -> Pose:
        """
        Return the pose reached after one second at the constant body twist ``xi``.

        :param xi: ``(v, w)``, linear first, shape (6,).
        """
        xi = floats(xi, 6, 'a twist')
        if math.hypot(*xi[3:]) > FARTHEST:
            raise PoseError(f'a twist turns by at most {FARTHEST:g} rad, got {xi[3:]}')
        return cls(*dual_quaternion.exp(xi[:3], xi[3:]))

    def log(self) -> np.ndarray:
        """Return the twist, linear first, at most pi of rotation, whose exp is this pose."""
        return np.concatenate(dual_quaternion.log((self._real, self._dual)))

    @property
    def real(self) -> np.ndarray:
        """Rotation part ``(w, x, y, z)``, shape (4,), read-only."""
        return frozen(self._real)

    @property
    def dual(self) -> np.ndarray:
        """Dual part ``1/2 t r``, shape (4,), read-only."""
        return frozen(self._dual)

    @property
    def position(self) -> np.ndarray:
        """Return the translation in metres, shape (3,), read-only."""
        return frozen(self._translation())

    @property
    def quaternion(self) -> np.ndarray:
        """Rotation ``(w, x, y, z)`` with ``w >= 0``, shape (4,), read-only."""
        return frozen(_positive(self._real))

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrix, shape (4, 4)."""
        T = np.eye(4)
        T[:3, :3] = quaternion.to_matrix(self._real)
        T[:3, 3] = self._translation()
        return T

    @property
    def rpy(self) -> np.ndarray:
        """Roll, pitch, yaw as in URDF (roll is 0 where pitch is +-pi/2), shape (3,), read-only."""
        w, x, y, z = self._real
        sin_pitch = 2 * (w * y - x * z)
        forward = w * w + x * x - y * y - z * z, 2 * (x * y + w * z)  # x axis seen from above
        horizontal = math.hypot(*forward)
        pitch = math.atan2(sin_pitch, horizontal)
        if horizontal < 1e-9:
            return frozen((0.0, pitch, math.remainder(2 * math.atan2(z, w), math.tau)))
        roll = math.atan2(2 * (y * z + w * x), w * w - x * x - y * y + z * z)
        return frozen((roll, pitch, math.atan2(forward[1], forward[0])))

    def inverse(self) -> Pose:
        """Return the pose of frame a in frame b."""
        return Pose.unchecked(*dual_quaternion.conj((self._real, self._dual)))

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...

    @overload
    def __matmul__(self, other: ArrayLike) -> np.ndarray: ...

    def __matmul__(self, other: Pose | ArrayLike) -> Pose | np.ndarray:
        """
        Compose two poses, ``x_a_c = x_a_b @ x_b_c``, or move points from frame b to frame a.

        :param other: a Pose, a point of shape (3,) or points of shape (N, 3).
        """
        if isinstance(other, Pose):
            return Pose(*dual_quaternion.mul((self._real, self._dual), (other._real, other._dual)))
        points = array_of(other, PoseError, 'a pose moves points of shape (3,) or (N, 3)')
        if points.ndim not in (1, 2) or points.shape[-1] != 3:
            raise PoseError(f'a pose moves points of shape (3,) or (N, 3), got {points.shape}')
        T = self.matrix
        return points @ T[:3, :3].T + T[:3, 3]

    def interpolate(self, other: Pose, s: float) -> Pose:
        """Move a fraction s along the one screw that leads from here to ``other`` (ScLERP)."""
        return self @ Pose.exp(float(s) * (self.inverse() @ other).log())

    def distance(self, other: Pose) -> tuple[float, float]:
        """Return the distance of the origins [m] and the angle between the frames [rad]."""
        turn = quaternion.mul(quaternion.conj(self._real), other._real)
        angle = 2 * math.atan2(math.hypot(*turn[1:]), abs(turn[0]))
        return math.dist(self._translation(), other._translation()), angle

    def __eq__(self, other: object) -> bool:
        """Compare motions exactly: a dual quaternion and its negative are the same pose."""
        return (self._canonical() == other._canonical() if isinstance(other, Pose)
                else NotImplemented)

    def __hash__(self) -> int:
        """Agree with ``==``."""
        return hash(self._canonical())

    def __repr__(self) -> str:
        """Show position and quaternion as the call that makes the pose, to six digits."""
        numbers = [', '.join(f'{c:.6g}' for c in v) for v in (self.position, self.quaternion)]
        return f'Pose.from_xyz_wxyz(({numbers[0]}), ({numbers[1]}))'

    def __reduce__(self) -> tuple:
        """Pickle by the two parts."""
        return Pose.unchecked, (self._real, self._dual)

    def _translation(self) -> tuple[float, float, float]:
        """Return ``t = 2 dual conj(real)``."""
        return dual_quaternion.translation((self._real, self._dual))

    def _canonical(self) -> tuple:
        sign = 1.0 if _positive(self._real) is self._real else -1.0
        return tuple(sign * c + 0.0 for c in self._real + self._dual)


def _positive(a: Quaternion) -> Quaternion:
    """Return the one of ``a`` and ``-a`` whose first component that is not zero is positive."""
    first = next((c for c in a if c != 0.0), 1.0)
    return a if first > 0 else (-a[0], -a[1], -a[2], -a[3])
