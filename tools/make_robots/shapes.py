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
"""Boxes, rods and balls: what the links look like, and how heavy they are where."""
from __future__ import annotations

from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np

Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """A primitive solid in the frame of its link."""

    kind: str
    size: tuple[float, ...]
    colour: str
    xyz: Vector = ORIGIN
    rpy: Vector = ORIGIN

    @property
    def volume(self) -> float:
        """Volume [m^3]."""
        if self.kind == 'box':
            return self.size[0] * self.size[1] * self.size[2]
        if self.kind == 'cylinder':
            radius, length = self.size
            return pi * radius ** 2 * length
        return 4.0 / 3.0 * pi * self.size[0] ** 3

    def inertia(self, mass: float) -> np.ndarray:
        """Inertia about the own centre, axes of the link, for a uniform ``mass``."""
        if self.kind == 'box':
            square = np.square(self.size)
            principal = mass / 12.0 * (square.sum() - square)
        elif self.kind == 'cylinder':
            radius, length = self.size
            across = mass * (3.0 * radius ** 2 + length ** 2) / 12.0
            principal = np.array([across, across, 0.5 * mass * radius ** 2])
        else:
            principal = np.full(3, 0.4 * mass * self.size[0] ** 2)
        rotation = rotation_matrix(self.rpy)
        return rotation @ np.diag(principal) @ rotation.T


def box(size: Vector, colour: str, at: Vector = ORIGIN, rpy: Vector = ORIGIN) -> Shape:
    """Return a box of edge lengths ``size`` centred ``at`` a point."""
    return Shape('box', size, colour, at, rpy)


def ball(radius: float, colour: str, at: Vector = ORIGIN) -> Shape:
    """Return a sphere."""
    return Shape('sphere', (radius,), colour, at)


def rod(start: Vector, end: Vector, radius: float, colour: str) -> Shape:
    """Return a cylinder whose axis runs from one point to another."""
    x, y, z = np.subtract(end, start)
    centre = tuple(0.5 * (a + b) for a, b in zip(start, end))
    length = float(np.linalg.norm([x, y, z]))
    rpy = (0.0, atan2(hypot(x, y), z), atan2(y, x))
    return Shape('cylinder', (radius, length), colour, centre, rpy)


def rotation_matrix(rpy: Vector) -> np.ndarray:
    """Return the rotation of URDF's fixed-axis roll, pitch, yaw."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def mass_properties(shapes: tuple[Shape, ...], mass: float) -> tuple[np.ndarray, np.ndarray]:
    """Return centre of mass and inertia about it when ``mass`` fills the shapes evenly."""
    shares = np.array([shape.volume for shape in shapes])
    shares *= mass / shares.sum()
    points = np.array([shape.xyz for shape in shapes])
    centre = shares @ points / mass
    inertia = np.zeros((3, 3))
    for shape, share, offset in zip(shapes, shares, points - centre):
        steiner = offset @ offset * np.eye(3) - np.outer(offset, offset)
        inertia += shape.inertia(share) + share * steiner
    return centre, inertia
