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

"""Convex pieces: hulls of vertices, rounded by a radius, and the capsules around them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math

from dq_ik.pose import Pose
from dq_ik.robot.shapes import Box, Capsule, Cylinder, Sphere
import numpy as np

SIDES = 32  # of the polygon that stands for a circle and contains it
WIDER = 1e-6  # by which capsules and spheres are wider than need be: more than rounding [m]


@dataclass(frozen=True)
class Piece:
    """
    The hull of some vertices ``(k, 3)``, rounded by a radius [m].

    A sphere is one vertex and its radius, a capsule two vertices and its radius.
    """

    vertices: np.ndarray
    rounding: float = 0.0

    def moved(self, pose: Pose) -> Piece:
        """Return the piece in another frame: ``pose`` is that of its own frame there."""
        matrix = pose.matrix
        return Piece(self.vertices @ matrix[:3, :3].T + matrix[:3, 3], self.rounding)

    @cached_property
    def capsule(self) -> np.ndarray:
        """Return a capsule that contains the piece: two ends and the radius, seven numbers."""
        centred = self.vertices - self.vertices.mean(axis=0)
        _, _, axes = np.linalg.svd(centred, full_matrices=False)
        candidates = [_capsule(self.vertices, axis) for axis in (*axes, *np.eye(3))]
        best = min(candidates, key=_volume)
        best[6] += self.rounding + WIDER
        return best


def ball_around(pieces: tuple[Piece, ...]) -> np.ndarray:
    """Return a sphere that contains some pieces: centre and radius, four numbers."""
    points = np.concatenate([piece.vertices for piece in pieces])
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = max(float(np.linalg.norm(piece.vertices - centre, axis=1).max()) + piece.rounding
                 for piece in pieces)
    return np.array([*centre, radius + WIDER])


def piece_of(shape: Box | Cylinder | Capsule | Sphere) -> Piece:
    """Return a shape as one piece about its own origin."""
    match shape:
        case Box(size):
            signs = np.array(np.meshgrid(*3 * [[-0.5, 0.5]])).reshape(3, -1).T
            return Piece(signs * size)
        case Cylinder(radius, length):
            return Piece(np.concatenate([ring(radius, z) for z in (-0.5 * length, 0.5 * length)]))
        case Capsule(radius, length):
            return Piece(np.array([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]]), radius)
        case Sphere(radius):
            return Piece(np.zeros((1, 3)), radius)


def ring(radius: float, z: float) -> np.ndarray:
    """Return the corners (SIDES, 3) of a polygon that contains a circle about z."""
    angles = 2.0 * math.pi / SIDES * np.arange(SIDES)
    wide = radius / math.cos(math.pi / SIDES)
    return np.stack([wide * np.cos(angles), wide * np.sin(angles), np.full(SIDES, z)], axis=1)


def _capsule(points: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return a capsule along an axis that contains some points."""
    _, _, across = np.linalg.svd(axis[None])
    flat = points @ across[1:].T
    middle = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    off = np.linalg.norm(flat - middle, axis=1)
    radius = float(off.max())
    along, cap = points @ across[0], np.sqrt(np.maximum(radius**2 - off**2, 0.0))
    low, high = float((along + cap).min()), float((along - cap).max())
    if low > high:
        low = high = 0.5 * (low + high)
    centre = middle @ across[1:]
    ends = centre + low * across[0], centre + high * across[0]
    spare = np.clip(along, low, high)
    radius = float(np.hypot(off, along - spare).max())
    return np.array([*ends[0], *ends[1], radius])


def _volume(capsule: np.ndarray) -> float:
    radius = float(capsule[6])
    length = float(np.linalg.norm(capsule[3:6] - capsule[:3]))
    return radius**2 * (length + 4.0 / 3.0 * radius)
