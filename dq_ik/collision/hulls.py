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
"""Convex pieces as triangles, to be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
import math

from dq_ik.collision.convex import Piece
from dq_ik.robot.shapes import LARGEST
import numpy as np
from scipy.spatial import ConvexHull, QhullError

ROUND = 160  # points of a sphere
CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
THIN = 1e-4  # half the thickness that a flat piece is drawn with [m]
HALF_SPACE = 1.0  # half a side of the square that stands for a half-space [m]


def triangles(pieces: Iterable[Piece], wider: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the surfaces of some pieces as vertices ``(k, 3)`` and triangles ``(m, 3)``.

    No pieces are a half-space: a square about the origin, with its back below.

    :param wider: by which each vertex is farther from the middle of its piece [m]
    """
    vertices, faces, count = [], [], 0
    for piece in pieces:
        corners, own = _hull(_points(piece, wider))
        vertices.append(corners)
        faces.append(own + count)
        count += len(corners)
    if not vertices:
        s = HALF_SPACE
        return (np.array([[-s, -s, 0.0], [s, -s, 0.0], [s, s, 0.0], [-s, s, 0.0]]),
                np.array([[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]]))
    return np.concatenate(vertices), np.concatenate(faces)


def _points(piece: Piece, wider: float) -> np.ndarray:
    """Return points whose hull is a piece; spheres are points too."""
    points = piece.vertices
    if piece.rounding > 0.0:
        points = (points[:, None] + (piece.rounding + wider) * _sphere()).reshape(-1, 3)
    elif wider > 0.0:
        away = points - points.mean(axis=0)
        lengths = np.linalg.norm(away, axis=1, keepdims=True)
        points = points + wider * np.divide(away, lengths, out=np.zeros_like(away),
                                            where=lengths > 0.0)
    return points


def _hull(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a hull, and its triangles with their backs inside."""
    points = np.clip(points, -LARGEST, LARGEST)
    try:
        hull = ConvexHull(points)
    except QhullError:  # flat, or less than that
        points = (points[:, None] + THIN * CUBE).reshape(-1, 3)
        try:
            hull = ConvexHull(points)
        except QhullError:  # thousands of kilometres long
            return _box(points)
    faces = hull.simplices
    a, b, c = (hull.points[faces[:, k]] for k in range(3))
    inside = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
    faces = np.where(inside[:, None], faces[:, ::-1], faces)
    number = np.full(len(points), -1)
    number[hull.vertices] = np.arange(len(hull.vertices))
    return hull.points[hull.vertices], number[faces]


def _box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the box around some points."""
    corners, faces = _hull(CUBE)
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high) + 0.5 * (high - low) * corners, faces


def _sphere() -> np.ndarray:
    """Return points of the unit sphere, evenly spread along a spiral."""
    k = np.arange(ROUND) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / ROUND), math.pi * (1.0 + math.sqrt(5.0)) * k
    return np.stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)],
                    axis=1)
