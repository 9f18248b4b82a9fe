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
The gap between two convex pieces, by the algorithm of Gilbert, Johnson and Keerthi.

The points ``a - b`` of two pieces are a convex set; their gap is its distance from the origin.
For any direction v, all points are beyond the plane through the farthest one along -v:
``v w / |v|`` is a *lower bound* of the gap, whatever led to v. The point v of the set nearest to
the origin so far gives an upper bound. "Free" is said by the lower bound only: rounding and nearly
flat simplices then cost false collisions, never missed ones.
"""

import math

from dq_ik.core.algebra import lanes, triple
from dq_ik.core.collision.simplex import nearest_point
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.scene_layout import PIECE_FIRST, PIECE_STOP

MOST_ITERATIONS = 60
CLOSE = 1e-7  # between the bounds, at which the gap is known [m]
SMALLEST = 1e-12  # length of a vector that has a direction [m]


@kernel
def support(scene, placing, piece, link, direction):
    """Vertex of a piece farthest along a direction."""
    frame = placing.link[link]
    d = triple.rotate_back(frame, direction)
    farthest, place = lanes.everywhere(-math.inf), lanes.everywhere(0.0)
    for row in range(scene.piece[piece, PIECE_FIRST], scene.piece[piece, PIECE_STOP]):
        along = (d[0] * lanes.get(scene.vertex, 3 * row)
                 + d[1] * lanes.get(scene.vertex, 3 * row + 1)
                 + d[2] * lanes.get(scene.vertex, 3 * row + 2))
        further = along > farthest
        farthest = lanes.select(further, along, farthest)
        place = lanes.select(further, float(row), place)
    lanes.put(farthest, placing.farthest, 0)
    lanes.put(place, placing.farthest, 1)
    lane = 0
    for other in range(1, lanes.WIDTH):
        if placing.farthest[0, other] > placing.farthest[0, lane]:
            lane = other
    row = 3 * int(placing.farthest[1, lane])
    return triple.transform(frame, (
        scene.vertex[row, lane], scene.vertex[row + 1, lane], scene.vertex[row + 2, lane]))


@routine
def gap(scene, placing, piece_a, link_a, piece_b, link_b, direction, near, enough):
    """
    Bound the gap between the hulls of two pieces from below.

    :param direction: from b to a, to begin with; a guess
    :param near: a gap that is no larger need not be known any better
    :param enough: nor one that is larger than this
    :returns: the lower bound, below zero where none is known; the vector from b to a that shows
        it; and how many points of the simplex are left
    """
    simplex, share = placing.simplex, placing.share
    v, low, count = direction, -1.0, 0
    length = math.sqrt(triple.dot(v, v))
    if not length > SMALLEST:
        v, length = (1.0, 0.0, 0.0), 1.0
    best = v
    for iteration in range(MOST_ITERATIONS):
        a = support(scene, placing, piece_a, link_a, triple.scale(v, -1.0))
        b = support(scene, placing, piece_b, link_b, v)
        w = triple.sub(a, b)
        along = triple.dot(v, w) / length
        if along > low:
            low, best = along, triple.scale(v, along / length)
        if low > enough or (iteration > 0 and length - low < CLOSE):
            break
        triple.put(w, simplex[count], 0)
        triple.put(a, simplex[count], 3)
        v, count = nearest_point(simplex, count + 1, share)
        shorter = math.sqrt(triple.dot(v, v))
        if count == 4 or shorter <= max(near, SMALLEST) or (
                iteration > 0 and not shorter < length):
            break
        length = shorter
    return low, best, count


@kernel
def witness(placing, count):
    """Point of the first piece that is nearest to the second one, of a simplex that is left."""
    point = (0.0, 0.0, 0.0)
    for i in range(count):
        point = triple.add(point, triple.scale(triple.at(placing.simplex[i], 3),
                                               placing.share[i]))
    return point
