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
Whether bodies collide, and which are nearest: spheres, then capsules, then the pieces themselves.

Each stage answers "apart" only where that is certain, so that the last one decides what is left.
"""

import math

from dq_ik.core.algebra import triple
from dq_ik.core.collision.gjk import gap, support, witness
from dq_ik.core.collision.place import place, place_capsules
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.scene_layout import (
    BODY_FIRST,
    BODY_LINK,
    BODY_STOP,
    CAPSULE_END,
    CAPSULE_RADIUS,
    CAPSULE_START,
    HALF_SPACE,
    NEAREST_DISTANCE,
    NEAREST_PAIR,
    PIECE_KIND,
    POINT_A,
    POINT_B,
)

SMALLEST = 1e-12  # squared length of a segment that has a direction [m^2]


@routine
def collides(links, scene, placing, q):
    """Return the first pair that is no farther apart than the margin at q; -1: all are free."""
    place(links, scene, placing, q)
    for pair in range(scene.n_pairs):
        if pair_collides(scene, placing, pair):
            return pair
    return -1


@routine
def pair_collides(scene, placing, pair):
    """Tell whether a pair is not farther apart than the margin, where the bodies are placed."""
    a, b = scene.pair[pair, 0], scene.pair[pair, 1]
    if ball_gap(scene, placing, a, b) > scene.margin:
        return False
    place_capsules(scene, placing, a)
    place_capsules(scene, placing, b)
    for i in range(scene.body[a, BODY_FIRST], scene.body[a, BODY_STOP]):
        for j in range(scene.body[b, BODY_FIRST], scene.body[b, BODY_STOP]):
            bound, direction = capsule_gap(scene, placing, i, j)
            if bound > scene.margin:
                continue
            low, _, _ = piece_gap(scene, placing, (a, i), (b, j), direction, scene.margin,
                                  scene.margin)
            if not low > scene.margin:
                return True
    return False


@kernel
def ball_gap(scene, placing, a, b):
    """Distance between the spheres around two bodies."""
    way = triple.sub(triple.at(placing.centre[a], 0), triple.at(placing.centre[b], 0))
    return math.sqrt(triple.dot(way, way)) - scene.ball[a, 3] - scene.ball[b, 3]


@kernel
def capsule_gap(scene, placing, i, j):
    """Distance between the capsules of two pieces, and the direction from the second one."""
    p, p_end = triple.at(placing.capsule[i], 0), triple.at(placing.capsule[i], 3)
    if scene.piece[j, PIECE_KIND] == HALF_SPACE:
        normal = triple.at(scene.capsule[j], CAPSULE_START)
        low = min(triple.dot(normal, p), triple.dot(normal, p_end))
        return low - scene.capsule[i, CAPSULE_RADIUS] - scene.capsule[j, CAPSULE_END], normal
    way = _between_segments(p, triple.sub(p_end, p), triple.at(placing.capsule[j], 0),
                            triple.sub(triple.at(placing.capsule[j], 3),
                                       triple.at(placing.capsule[j], 0)))
    radii = scene.capsule[i, CAPSULE_RADIUS] + scene.capsule[j, CAPSULE_RADIUS]
    return math.sqrt(triple.dot(way, way)) - radii, way


@kernel
def _between_segments(p, u, q, v):
    """
    Shortest vector from the segment ``q + t v`` to the segment ``p + s u``.

    Nearly parallel segments may give another pair of points, whose distance is the same but for
    rounding; capsules are wider than that.
    """
    r = triple.sub(p, q)
    a, e, b = triple.dot(u, u), triple.dot(v, v), triple.dot(u, v)
    c, f = triple.dot(u, r), triple.dot(v, r)
    s, det = 0.0, a * e - b * b
    if det > SMALLEST * a * e:
        s = _unit((b * f - c * e) / det)
    t = 0.0
    if e > SMALLEST:
        t = (b * s + f) / e
    if e <= SMALLEST or t < 0.0 or t > 1.0:
        t = _unit(t)
        s = _unit((b * t - c) / a) if a > SMALLEST else 0.0
    return triple.sub(triple.add(r, triple.scale(u, s)), triple.scale(v, t))


@kernel
def _unit(value):
    """Move a number between 0 and 1."""
    return min(max(value, 0.0), 1.0)


@kernel
def piece_gap(scene, placing, first, second, direction, near, enough):
    """
    Bound the gap between two pieces from below; half-spaces are second.

    :param first: number of a body and of a piece of it
    :param near: a gap that is no larger need not be known any better
    :param enough: nor one that is larger than this
    :returns: the bound, the vector from the second to the first, how many points show it
    """
    i, j = first[1], second[1]
    link = scene.body[first[0], BODY_LINK]
    radii = scene.rounding[i] + scene.rounding[j]
    if scene.piece[j, PIECE_KIND] == HALF_SPACE:
        a = support(scene, placing, i, link, triple.scale(direction, -1.0))
        low = triple.dot(direction, a) - scene.capsule[j, CAPSULE_END]
        triple.put(a, placing.simplex[0], 3)
        placing.share[0] = 1.0
        return low - radii, triple.scale(direction, low), 1
    low, way, count = gap(scene, placing, i, link, j, scene.body[second[0], BODY_LINK], direction,
                          near + radii, enough + radii)
    return low - radii, way, count


@routine
def nearest(links, scene, placing, q, farthest, out):
    """
    Find the pair that is nearest at q: its number, distance and points.

    Of bodies that overlap, the distance is 0 and the two points are one.

    :param farthest: pairs farther apart do not count [m]
    :param out: ``(8,)``, a row NEAREST; the pair is -1 where there is none
    """
    place(links, scene, placing, q)
    out[NEAREST_PAIR], out[NEAREST_DISTANCE] = -1.0, farthest
    for pair in range(scene.n_pairs):
        if _approach_bodies(scene, placing, scene.pair[pair, 0], scene.pair[pair, 1], out):
            out[NEAREST_PAIR] = float(pair)


@routine
def body_gaps(links, scene, placing, q, farthest, gaps, row):
    """
    Find how far each body is at q from those that it is kept apart from; 0: they overlap.

    :param farthest: what is farther counts as this far [m]
    :param gaps: ``(n_bodies,)`` [m]
    :param row: ``(8,)`` to work in
    """
    place(links, scene, placing, q)
    for body in range(scene.n_bodies):
        gaps[body] = farthest
    for pair in range(scene.n_pairs):
        a, b = scene.pair[pair, 0], scene.pair[pair, 1]
        row[NEAREST_DISTANCE] = max(gaps[a], gaps[b])
        if _approach_bodies(scene, placing, a, b, row):
            gaps[a] = min(gaps[a], row[NEAREST_DISTANCE])
            gaps[b] = min(gaps[b], row[NEAREST_DISTANCE])


@kernel
def _approach_bodies(scene, placing, a, b, out):
    """Write the gap of two bodies, if it is smaller than what is written; tell whether it is."""
    found = False
    if ball_gap(scene, placing, a, b) > out[NEAREST_DISTANCE]:
        return found
    place_capsules(scene, placing, a)
    place_capsules(scene, placing, b)
    for i in range(scene.body[a, BODY_FIRST], scene.body[a, BODY_STOP]):
        for j in range(scene.body[b, BODY_FIRST], scene.body[b, BODY_STOP]):
            if _approach(scene, placing, (a, i), (b, j), out):
                found = True
    return found


@kernel
def _approach(scene, placing, first, second, out):
    """Write the gap of two pieces, if it is smaller than what is written; tell whether it is."""
    bound, direction = capsule_gap(scene, placing, first[1], second[1])
    if bound > out[NEAREST_DISTANCE]:
        return False
    low, way, count = piece_gap(scene, placing, first, second, direction, 0.0,
                                out[NEAREST_DISTANCE])
    if low >= out[NEAREST_DISTANCE]:
        return False
    out[NEAREST_DISTANCE] = max(low, 0.0)
    length = math.sqrt(triple.dot(way, way))
    inward = triple.scale(way, 0.0 if length == 0.0 else 1.0 / length)
    a = triple.sub(witness(placing, count), triple.scale(inward, scene.rounding[first[1]]))
    triple.put(a, out, POINT_A)
    triple.put(triple.sub(a, triple.scale(inward, max(low, 0.0))), out, POINT_B)
    return True
