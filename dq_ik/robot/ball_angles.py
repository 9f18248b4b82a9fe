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
"""The rotation of a ball as the angles of the three joints that it is made of, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
import math

from dq_ik.errors import listing
from dq_ik.pose import Pose
from dq_ik.robot.model import Joint
import numpy as np

# Angles stay away from gimbal lock, where the first and the third axis are one, by so much [rad].
FROM_LOCK = 0.1
# A ball turns by no more than this part of what its joints can: its steps cut corners of the cone.
INSIDE = 0.99
# Extreme angles are found on a grid (tilt, azimuth, twist) that shrinks around each of its peaks,
# to the points next to the best so far.
GRID, FINE, ZOOMS, SHRINK = (6, 24, 6), (5, 5, 5), 16, 0.5
ROUNDING = 1e-9  # by which an angle may leave the limits of its joint [rad]


class BallAngles:
    """
    Converts between rotation vectors of a ball and angles of its joints.

    ``R = exp(u1 a1) exp(u2 a2) exp(u3 a3)`` with the axes u in the frame of the last link when all
    angles are 0. Two sets of angles have the same R, one on each side of gimbal lock; those on the
    side of ``center`` are meant. The rotation of the ball is that from the center to R, along axes
    of which z is the twist axis.
    """

    def __init__(self, joints: Sequence[Joint], axes: np.ndarray, axis: np.ndarray,
                 center: Sequence[float] | np.ndarray, swing: float | tuple[float, float],
                 twist: tuple[float, float]) -> None:
        """
        Take the joints of a ball.

        :param axes: their unit axes in the last link's frame at 0, one per row.
        :param axis: of the twist, in the same frame.
        :param center: angles in the middle of the cone and at twist 0.
        :param swing: half angle of the cone, or two, about the ball's x and y.
        :param twist: range about the axis.
        """
        self.joints, self.twist = tuple(joints), twist
        self.swing = np.broadcast_to(np.asarray(swing, float), 2)
        self.axes, self.center = axes, np.asarray(center, float)
        u1, u2, u3 = axes
        self._bend = np.array([u2 * (u2 @ u3), u3 - u2 * (u2 @ u3), np.cross(u2, u3)])
        self._back = np.array([u2 * (u2 @ u1), u1 - u2 * (u2 @ u1), np.cross(u1, u2)])
        self._along, self._cosine, self._sine = self._bend @ u1
        self._lock = math.atan2(self._sine, self._cosine)
        self._side = 1.0 if wrapped(self.center[1] - self._lock) >= 0.0 else -1.0
        self._across = [rotation(_tilt(u))[:, :2] for u in (u1, u3)]
        self._frame = rotation(_tilt(axis / np.linalg.norm(axis)))
        self._middle = self.matrix(self.center) @ self._frame

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the joints."""
        return tuple(joint.name for joint in self.joints)

    @property
    def middle(self) -> Pose:
        """Return the rotation R at the center."""
        return _turn(self.matrix(self.center))

    def matrix(self, angles: np.ndarray) -> np.ndarray:
        """Return R (3, 3) of angles."""
        first, second, third = (rotation(u * a) for u, a in zip(self.axes, angles))
        return first @ second @ third

    def rotation_vector(self, angles: np.ndarray) -> np.ndarray:
        """Return the rotation vector of the ball for angles of its joints."""
        return _turn(self._middle.T @ self.matrix(angles) @ self._frame).log()[3:]

    def angles(self, w: np.ndarray) -> np.ndarray:
        """Return what the joints are at, (..., 3), for rotation vectors (..., 3) of the ball."""
        return self._of_matrix(rotation(w))

    def _of_matrix(self, turn: np.ndarray) -> np.ndarray:
        """Return the angles (..., 3) for matrices (..., 3, 3) of the ball."""
        R = self._middle @ turn @ self._frame.T
        u1, _, u3 = self.axes
        size = math.hypot(self._sine, self._cosine)
        second = self._lock + self._side * np.arccos(
            np.clip((u1 @ R @ u3 - self._along) / size, -1.0, 1.0))
        turn = np.stack([np.ones_like(second), np.cos(second), np.sin(second)], axis=-1)
        across_first, across_third = self._across
        first = _bearing(R @ u3 @ across_first) - _bearing(turn @ self._bend @ across_first)
        third = _bearing(turn @ self._back @ across_third) - _bearing(u1 @ R @ across_third)
        found = np.stack([first, second, third], axis=-1)
        return self.center + wrapped(found - self.center)

    # --- limits ----------------------------------------------------------------------------------

    @cached_property
    def fault(self) -> str:
        """
        Return why the joints cannot follow the ball all over its cone and twist range, '' if so.

        They must stay within their limits, and away from gimbal lock: near it, angles jump.
        """
        swing = ', '.join(f'{half:.4g}' for half in dict.fromkeys(self.swing))
        cone = f'swing {swing} and twist {self.twist[0]:.4g} to {self.twist[1]:.4g}'
        way_out = 'give a smaller swing or twist, or another center'
        from_lock = self._side * np.sin(self.ends[:, 1] - self._lock)
        if from_lock.min() < math.sin(FROM_LOCK) or (
                np.abs(self.ends - self.center).max() > math.pi - FROM_LOCK):
            return (f'{cone} lead to gimbal lock of {listing(self.names)}, where the axes of the '
                    f"first and the third are one: '{self.names[1]}' must stay {FROM_LOCK} rad "
                    f'away from it; {way_out}')
        for joint, lower, upper in zip(self.joints, *self.ends):
            if lower < joint.lower - ROUNDING or upper > joint.upper + ROUNDING:
                return (f"{cone} need joint '{joint.name}' from {lower:.4g} to {upper:.4g}; its "
                        f'limits are {joint.lower:.4g} to {joint.upper:.4g}; {way_out}')
        return ''

    @cached_property
    def ends(self) -> np.ndarray:
        """Return the least and the greatest angles (2, 3) over the cone and the twist range."""
        low, high = np.array(((0.0, -math.pi, self.twist[0]), (1.0, math.pi, self.twist[1])))
        places = _grid(low[None], high[None], GRID)[0]
        angles = self._of_swing_and_twist(places)
        spacing = (high - low) / (np.array(GRID) - 1)
        low[1], high[1] = -math.inf, math.inf

        def farthest(joint: int, sign: float) -> float:
            around = places[_peaks(sign * angles[:, joint])]
            best = -math.inf
            for zoom in range(ZOOMS):
                half = spacing * SHRINK**zoom
                below, above = np.maximum(low, around - half), np.minimum(high, around + half)
                grids = _grid(below, above, FINE)
                values = sign * self._of_swing_and_twist(grids.reshape(-1, 3))[:, joint]
                values = values.reshape(grids.shape[:2])
                around = grids[np.arange(len(grids)), values.argmax(axis=1)]
                best = max(best, float(values.max()))
            return sign * best
        return np.array([[farthest(joint, sign) for joint in range(3)] for sign in (-1.0, 1.0)])

    def _of_swing_and_twist(self, points: np.ndarray) -> np.ndarray:
        """Return the angles (N, 3) at shares of the swing, azimuths and twists (N, 3)."""
        share, azimuth, twist = points.T
        zero = np.zeros_like(share)
        x, y = share * np.outer(self.swing, np.ones_like(share)) * (
            np.cos(azimuth), np.sin(azimuth))
        swings = rotation(np.stack([x, y, zero], -1))
        return self._of_matrix(swings @ rotation(np.stack([zero, zero, twist], -1)))

    @cached_property
    def velocity(self) -> float:
        """
        Return the speed [rad/s] about any axis at which no joint is faster than it may be.

        ``omega = R3^T (R2^T u1 da1 + u2 da2 + u3 da3)``: the inverse depends on the second angle.
        """
        limits = np.array([joint.velocity for joint in self.joints])
        if self.fault:
            return float(limits.min())
        slowest = math.inf
        for second in np.linspace(self.ends[0, 1], self.ends[1, 1], 65):
            axes = np.stack([self.axes[0] @ rotation(second * self.axes[1]), *self.axes[1:]], 1)
            gains = np.linalg.norm(np.linalg.inv(axes), axis=1)
            slowest = min(slowest, float(np.min(limits / gains)))
        return INSIDE * slowest


def rotation(w: np.ndarray) -> np.ndarray:
    """Return the matrices (..., 3, 3) of rotation vectors (..., 3)."""
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(w, -1, 0)
    zero = np.zeros_like(x)
    K = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*np.shape(w), 3)
    half = np.sinc(angle / (2.0 * math.pi))  # sin(angle / 2) / (angle / 2)
    return np.eye(3) + np.sinc(angle / math.pi) * K + 0.5 * half * half * (K @ K)


def _grid(low: np.ndarray, high: np.ndarray, counts: tuple[int, ...]) -> np.ndarray:
    """Return the points (N, M, 3) of N grids between their corners (N, 3)."""
    shares = np.stack(np.meshgrid(*(np.linspace(0.0, 1.0, count) for count in counts),
                                  indexing='ij'), axis=-1).reshape(-1, 3)
    return low[:, None] + shares * (high - low)[:, None]


def _peaks(values: np.ndarray) -> np.ndarray:
    """Return where on the first grid no neighbour has a greater value, once for each plateau."""
    values = np.round(values, 9) - 1e-12 * np.arange(values.size)
    around = np.pad(values.reshape(GRID), ((1, 1), (0, 0), (1, 1)), mode='edge')
    around = np.pad(around, ((0, 0), (1, 1), (0, 0)), mode='wrap')
    cubes = np.lib.stride_tricks.sliding_window_view(around, (3, 3, 3))
    return values >= cubes.max(axis=(3, 4, 5)).ravel()


def _turn(R: np.ndarray) -> Pose:
    """Return a rotation matrix as a pose."""
    pose = np.eye(4)
    pose[:3, :3] = R
    return Pose.from_matrix(pose)


def wrapped(angle: np.ndarray) -> np.ndarray:
    """Return angles in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def _bearing(across: np.ndarray) -> np.ndarray:
    """Return the angles of vectors (..., 2) across an axis."""
    return np.arctan2(across[..., 1], across[..., 0])


def _tilt(axis: np.ndarray) -> np.ndarray:
    """Return the shortest rotation from z to a unit axis; about x where the axis is -z."""
    sine = math.hypot(axis[0], axis[1])
    if sine < 1e-12:
        return np.array((0.0 if axis[2] > 0.0 else math.pi, 0.0, 0.0))
    return np.array((-axis[1], axis[0], 0.0)) * (math.atan2(sine, axis[2]) / sine)
