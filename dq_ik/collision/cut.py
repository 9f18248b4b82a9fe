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
Meshes cut by planes into few convex pieces that together contain them.

The hull of what is on one side of a plane contains that side of the solid: every point of the
solid lies between two points of the surface, or between corners of the cut. Planes are chosen so
that the hulls of both sides together are smallest. So no mesh needs to be closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

MOST_PIECES = 6
LEAST_GAIN = 0.01  # part of the volume by which a cut must make the hulls smaller
THINNEST = 0.05  # part of a hull's size that a piece must have along the normal of the cut
FRACTIONS = np.arange(1, 12) / 12.0  # of the size, at which cuts are tried...
FINER = (-1.0 / 24.0, 1.0 / 24.0)  # ...and then beside the best one
TOUCH = 1e-9  # of a plane [m]
FINE = 4000  # points of a surface; one of more is tried with one point of each cell...
CELLS = 32  # ...of so many along each axis


@dataclass(frozen=True)
class _Part:
    """
    A part of a surface, the planes that cut it off, and its hull.

    :param triangles: ``(m, 3, 3)``
    :param corners: ``(k, 3)`` where planes meet inside
    :param planes: ``(normal, offset)``: points have ``normal x >= offset``
    """

    triangles: np.ndarray
    corners: np.ndarray
    planes: tuple[tuple[np.ndarray, float], ...]
    vertices: np.ndarray
    volume: float
    faces: np.ndarray  # (f, 4) of the hull; inside where ``normal x + offset <= 0``


@dataclass(frozen=True)
class _Cut:
    """Two parts, and by how much smaller they are than the whole."""

    gain: float
    parts: tuple[_Part, _Part] | None = None


def convex_pieces(triangles: np.ndarray, most: int = MOST_PIECES) -> list[np.ndarray]:
    """
    Return the vertices of convex pieces that together contain a surface and what it encloses.

    :param triangles: ``(m, 3, 3)`` [m]
    """
    whole = _part(triangles, np.empty((0, 3)), ())
    smallest = LEAST_GAIN * whole.volume
    if whole.volume - _enclosed(triangles) < smallest:
        return [whole.vertices]
    cuts = {0: (whole, _best_cut(whole))}
    while len(cuts) < most:
        number = max(cuts, key=lambda key: cuts[key][1].gain)
        cut = cuts[number][1]
        if cut.parts is None or cut.gain < smallest:
            break
        del cuts[number]
        start = max([number, *cuts]) + 1
        cuts |= {start + k: (part, _best_cut(part)) for k, part in enumerate(cut.parts)}
    return [part.vertices for part, _ in cuts.values()]


def hull_vertices(points: np.ndarray) -> np.ndarray:
    """Return the corners of the hull of some points; of flat ones, all points."""
    return _hull(points)[0]


def _enclosed(triangles: np.ndarray) -> float:
    """Return the volume that a surface encloses; 0 where it is open."""
    _, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    _, count = np.unique(_sides_of(index.reshape(-1, 3)), axis=0, return_counts=True)
    if (count != 2).any():
        return 0.0
    a, b, c = triangles.transpose(1, 0, 2)
    return abs(float(np.einsum('ij,ij->', a, np.cross(b, c)))) / 6.0


def _hull(points: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Return corners, volume and faces of the hull; flat ones have no volume and no faces."""
    from scipy.spatial import ConvexHull, QhullError  # slow to load, and often not needed
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return np.unique(points, axis=0), 0.0, np.empty((0, 4))
    return points[hull.vertices], float(hull.volume), hull.equations


def _part(triangles: np.ndarray, corners: np.ndarray,
          planes: tuple[tuple[np.ndarray, float], ...]) -> _Part:
    points = np.concatenate([triangles.reshape(-1, 3), corners])
    return _Part(triangles, corners, planes, *_hull(points))


def _best_cut(part: _Part) -> _Cut:
    """Return the cut that makes the hulls of a part smallest."""
    if part.volume <= 0.0:
        return _Cut(0.0)
    points, edges = _edges(part.triangles)
    best, where = 0.0, None
    for normal in _normals(part.vertices):
        along = part.vertices @ normal
        low, size = float(along.min()), float(np.ptp(along))
        volumes = {float(at): _volume_of_sides(points, edges, normal, low + at * size)
                   for at in FRACTIONS}
        first = min(volumes, key=lambda at: volumes[at])
        for step in FINER:
            volumes[first + step] = _volume_of_sides(
                points, edges, normal, low + (first + step) * size)
        at = min(volumes, key=lambda at: volumes[at])
        if part.volume - volumes[at] > best:
            best, where = part.volume - volumes[at], (normal, low + at * size)
    if where is None:
        return _Cut(0.0)
    return _Cut(best, _sides(part, *where))


def _normals(vertices: np.ndarray) -> np.ndarray:
    """Directions to cut across: the axes of the frame, and those of the shape."""
    _, _, axes = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=False)
    return np.concatenate([np.eye(3), axes])


def _edges(triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct points and the pairs of them that edges join; of a fine surface, few."""
    points, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    if len(points) > FINE:
        size = np.maximum(np.ptp(points, axis=0), TOUCH)
        cells = (CELLS * (points - points.min(axis=0)) / size).astype(int)
        _, first, cell = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        points, index = points[first], cell.reshape(-1)[index.reshape(-1)]
    return points, np.unique(_sides_of(index.reshape(-1, 3)), axis=0)


def _sides_of(index: np.ndarray) -> np.ndarray:
    """Return the sides of triangles as pairs of points, the smaller number first."""
    pairs = np.concatenate([index[:, [0, 1]], index[:, [1, 2]], index[:, [2, 0]]])
    return np.sort(pairs, axis=1)


def _volume_of_sides(points: np.ndarray, edges: np.ndarray, normal: np.ndarray,
                     offset: float) -> float:
    """Return the volume of the hulls of both sides; infinite where one is too thin."""
    height = points @ normal - offset
    if min(height.max(), -height.min()) < THINNEST * np.ptp(height):
        return np.inf
    crossing = edges[height[edges[:, 0]] * height[edges[:, 1]] < 0.0]
    share = (height[crossing[:, 0]] / (height[crossing[:, 0]] - height[crossing[:, 1]]))[:, None]
    section = points[crossing[:, 0]] * (1.0 - share) + points[crossing[:, 1]] * share
    return sum(_hull(np.concatenate([points[sign * height >= 0.0], section]))[1]
               for sign in (1.0, -1.0))


def _sides(part: _Part, normal: np.ndarray, offset: float) -> tuple[_Part, _Part]:
    """Cut a part in two."""
    corners = np.concatenate([part.corners, _corners(part, normal, offset)])
    found = []
    for sign in (1.0, -1.0):
        plane = sign * normal, sign * offset
        kept = corners[corners @ plane[0] >= plane[1] - TOUCH]
        found.append(_part(_clipped(part.triangles, *plane), kept, (*part.planes, plane)))
    return found[0], found[1]


def _corners(part: _Part, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return the points inside a part where a new plane meets two of the planes before."""
    found = []
    for (a, at_a), (b, at_b) in combinations(part.planes, 2):
        matrix = np.array([a, b, normal])
        if abs(np.linalg.det(matrix)) > TOUCH:
            point = np.linalg.solve(matrix, [at_a, at_b, offset])
            if (part.faces[:, :3] @ point + part.faces[:, 3] <= TOUCH).all():
                found.append(point)
    return np.array(found).reshape(-1, 3)


def _clipped(triangles: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return the triangles of what is on the side of a plane where its normal points."""
    height = triangles @ normal - offset
    inside = height >= 0.0
    count = inside.sum(axis=1)
    kept = [triangles[count == 3]]
    for corners in (1, 2):  # the odd corner comes first
        chosen = count == corners
        odd = inside[chosen] if corners == 1 else ~inside[chosen]
        order = (odd.argmax(axis=1)[:, None] + np.arange(3)) % 3
        p = np.take_along_axis(triangles[chosen], order[:, :, None], axis=1)
        h = np.take_along_axis(height[chosen], order, axis=1)
        on_b, on_c = (p[:, 0] + (h[:, 0] / (h[:, 0] - h[:, k]))[:, None] * (p[:, k] - p[:, 0])
                      for k in (1, 2))
        kept += _polygons(p, on_b, on_c, corners)
    return np.concatenate(kept)


def _polygons(p: np.ndarray, on_b: np.ndarray, on_c: np.ndarray,
              corners: int) -> Iterable[np.ndarray]:
    """Return the triangles of a corner that is cut off, or of what is left without it."""
    if corners == 1:
        return [np.stack([p[:, 0], on_b, on_c], axis=1)]
    return [np.stack([on_b, p[:, 1], p[:, 2]], axis=1), np.stack([on_b, p[:, 2], on_c], axis=1)]
