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
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from dq_ik import plain
from dq_ik.errors import PoseError
from dq_ik.plain import Quaternion

# Rotation matrices may be off by this much (rounded files), then they are normalised.
ROTATION_TOLERANCE = 1e-4
# Below this angle [rad] the series of exp and log are exact to double precision.
SMALL_ANGLE = 1e-3


new_pose = object.__new__


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
        real = plain.floats(real, 4, 'the real part of a pose')
        dual = plain.floats(dual, 4, 'the dual part of a pose')
        self._real, self._dual = plain.normalized(real, dual)
        self._row: np.ndarray = np.array(self._real + self._dual)

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
        """
        Build a pose from a translation and a quaternion with w first, as MuJoCo writes it.

        :param position: translation in metres, shape (3,).
        :param quaternion: ``(w, x, y, z)``, need not have unit length.
        """
        t = plain.floats(position, 3, 'a position')
        r = plain.unit(plain.floats(quaternion, 4, 'a quaternion (w, x, y, z)'))
        return cls(r, tuple(0.5 * c for c in plain.mul((0.0, *t), r)))

    @classmethod
    def from_xyz_xyzw(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """
        Build a pose from a translation and a quaternion with w last, as ROS and SciPy write it.

        :param position: translation in metres, shape (3,).
        :param quaternion: ``(x, y, z, w)``, need not have unit length.
        """
        x, y, z, w = plain.floats(quaternion, 4, 'a quaternion (x, y, z, w)')
        return cls.from_xyz_wxyz(position, (w, x, y, z))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """
        Build a pose from a homogeneous matrix.

        :param matrix: shape (4, 4), bottom row ``(0, 0, 0, 1)``.
        :raises PoseError: if the upper left 3x3 block is not a rotation.
        """
        T = np.asarray(matrix, dtype=float)
        if T.shape != (4, 4) or not np.all(np.isfinite(T)):
            raise PoseError(f'a pose matrix is (4, 4) and finite, got shape {T.shape}:\n{T}')
        R = T[:3, :3]
        if (np.abs(R @ R.T - np.eye(3)).max() > ROTATION_TOLERANCE or np.linalg.det(R) < 0
                or np.abs(T[3] - (0, 0, 0, 1)).max() > ROTATION_TOLERANCE):
            raise PoseError(f'this matrix is no rigid motion (R R^T = I, det R = 1):\n{T}')
        return cls.from_xyz_wxyz(T[:3, 3], plain.quaternion_of_matrix(R.tolist()))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike, rpy: ArrayLike) -> Pose:
        """
        Build a pose from URDF's ``<origin xyz rpy>``.

        :param xyz: translation in metres.
        :param rpy: roll, pitch, yaw about the fixed axes x, y, z: ``Rz(yaw) Ry(pitch) Rx(roll)``.
        """
        roll, pitch, yaw = plain.floats(rpy, 3, 'roll, pitch, yaw')
        r = plain.mul(plain.mul((math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2)),
                      (math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0)),
                 (math.cos(roll / 2), math.sin(roll / 2), 0.0, 0.0))
        return cls.from_xyz_wxyz(xyz, r)

    @classmethod
    def exp(cls, xi: ArrayLike) -> Pose:
        """
        Return the pose reached after one second at the constant body twist ``xi``.

        :param xi: ``(v, w)``, linear first, shape (6,).
        """
        xi = plain.floats(xi, 6, 'a twist')
        v, w = xi[:3], xi[3:]
        angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if angle < SMALL_ANGLE:  # series; the neglected terms are of order angle^4
            half_sinc = 0.5 - angle**2 / 48
            b, c = 0.5 - angle**2 / 24, 1 / 6 - angle**2 / 120
        else:
            half_sinc = math.sin(angle / 2) / angle
            b, c = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
        w_v = plain.cross(w, v)
        w_w_v = plain.cross(w, w_v)
        t = [v[i] + b * w_v[i] + c * w_w_v[i] for i in range(3)]
        return cls.from_xyz_wxyz(t, (math.cos(angle / 2), *(half_sinc * c for c in w)))

    def log(self) -> np.ndarray:
        """Return the twist, linear first, at most pi of rotation, whose exp is this pose."""
        w = plain.rotation_vector(self._real)
        t = self._translation()
        angle = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if angle < SMALL_ANGLE:  # series; the neglected term is of order angle^4
            c = 1 / 12 + angle**2 / 720
        else:
            c = (1 - 0.5 * angle / math.tan(0.5 * angle)) / angle**2
        w_t = plain.cross(w, t)
        w_w_t = plain.cross(w, w_t)
        return np.array([t[i] - 0.5 * w_t[i] + c * w_w_t[i] for i in range(3)] + w)

    @property
    def real(self) -> np.ndarray:
        """Rotation part ``(w, x, y, z)``, shape (4,), read-only."""
        return plain.frozen(self._real)

    @property
    def dual(self) -> np.ndarray:
        """Dual part ``1/2 t r``, shape (4,), read-only."""
        return plain.frozen(self._dual)

    @property
    def position(self) -> np.ndarray:
        """Translation in metres, shape (3,), read-only."""
        return plain.frozen(self._translation())

    @property
    def quaternion(self) -> np.ndarray:
        """Rotation ``(w, x, y, z)`` with ``w >= 0``, shape (4,), read-only."""
        return plain.frozen(plain.positive(self._real))

    @property
    def matrix(self) -> np.ndarray:
        """Homogeneous matrix, shape (4, 4)."""
        w, x, y, z = self._real
        T = np.eye(4)
        T[:3, :3] = ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                     (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                     (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
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
            return plain.frozen((0.0, pitch, math.remainder(2 * math.atan2(z, w), math.tau)))
        roll = math.atan2(2 * (y * z + w * x), w * w - x * x - y * y + z * z)
        return plain.frozen((roll, pitch, math.atan2(forward[1], forward[0])))

    def inverse(self) -> Pose:
        """Return the pose of frame a in frame b."""
        return Pose.unchecked(plain.conj(self._real), plain.conj(self._dual))

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
            real = plain.mul(self._real, other._real)
            dual = plain.add(plain.mul(self._real, other._dual),
                             plain.mul(self._dual, other._real))
            return Pose.unchecked(*plain.normalized(real, dual))
        points = np.asarray(other, dtype=float)
        if points.ndim not in (1, 2) or points.shape[-1] != 3:
            raise PoseError(f'a pose moves points of shape (3,) or (N, 3), got {points.shape}')
        T = self.matrix
        return points @ T[:3, :3].T + T[:3, 3]

    def interpolate(self, other: Pose, s: float) -> Pose:
        """
        Move along the one screw that leads from here to ``other`` (ScLERP).

        :param other: the pose reached at ``s = 1``.
        :param s: fraction of the way; 0 gives this pose.
        """
        return self @ Pose.exp(float(s) * (self.inverse() @ other).log())

    def distance(self, other: Pose) -> tuple[float, float]:
        """Return the distance of the origins [m] and the angle between the frames [rad]."""
        t_a, t_b = self._translation(), other._translation()
        turn = plain.mul(plain.conj(self._real), other._real)
        angle = 2 * math.atan2(math.sqrt(sum(c * c for c in turn[1:])), abs(turn[0]))
        return math.dist(t_a, t_b), angle

    def __eq__(self, other: object) -> bool:
        """Compare motions exactly: a dual quaternion and its negative are the same pose."""
        if not isinstance(other, Pose):
            return NotImplemented
        return self._canonical() == other._canonical()

    def __hash__(self) -> int:
        """Agree with ``==``."""
        return hash(self._canonical())

    def __repr__(self) -> str:
        """Show position and quaternion as the call that makes the pose, to six digits."""
        numbers = [', '.join(f'{c:.6g}' for c in v) for v in (self.position, self.quaternion)]
        return f'Pose.from_xyz_wxyz(({numbers[0]}), ({numbers[1]}))'

    def __reduce__(self) -> tuple:
        """Pickle by the two parts."""
        return Pose, (self._real, self._dual)

    def _translation(self) -> tuple[float, float, float]:
        """Return ``t = 2 dual conj(real)``."""
        _, x, y, z = plain.mul(self._dual, plain.conj(self._real))
        return 2 * x, 2 * y, 2 * z

    def _canonical(self) -> tuple:
        sign = 1.0 if plain.positive(self._real) is self._real else -1.0
        return tuple(sign * c + 0.0 for c in self._real + self._dual)
