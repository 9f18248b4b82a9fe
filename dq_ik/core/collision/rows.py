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
The gaps between bodies that are near each other, and how the joints change them.

A row is a pair of pieces: its gap, the normal n from the second piece to the first, the nearest
points, and the derivative ``n (J_a - J_b)`` by the variables of the chain.
"""

import math

from dq_ik.core.algebra import triple
from dq_ik.core.algebra.vector import fill
from dq_ik.core.collision.decide import ball_gap, capsule_gap, piece_gap
from dq_ik.core.collision.gjk import witness
from dq_ik.core.collision.overlap import separation, shallowest
from dq_ik.core.collision.place import place_capsules
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.jacobian import twist_at
from dq_ik.core.memory.layout import PATH_START, PATH_STOP
from dq_ik.core.memory.scene_layout import (
    BODY_FIRST,
    BODY_LINK,
    BODY_STOP,
    HALF_SPACE,
    MOST_ROWS,
    PIECE_KIND,
    ROW_A,
    ROW_ANCHOR,
    ROW_B,
    ROW_COUNTS,
    ROW_FIRST,
    ROW_GAP,
    ROW_KEPT,
    ROW_NORMAL,
    ROW_PAIR,
    ROW_PUSH,
    ROW_SECOND,
)

SMALLEST = 1e-12  # length of a vector that has a direction [m]


@routine
def gather(links, scene, placing, guard, reach):
    """
    Fill the rows of all pieces that are no farther apart than a reach, where bodies are placed.

    ``guard.reach`` becomes smaller where there is no room for all of them: the nearest stay.
    """
    guard.n_rows[0], guard.reach[0] = 0, reach
    for row in range(scene.n_bodies):
        fill(0, placing.overlaps[row])
    for pair in range(scene.n_pairs):
        a, b = scene.pair[pair, 0], scene.pair[pair, 1]
        if ball_gap(scene, placing, a, b) > guard.reach[0]:
            continue
        place_capsules(scene, placing, a)
        place_capsules(scene, placing, b)
        for i in range(scene.body[a, BODY_FIRST], scene.body[a, BODY_STOP]):
            for j in range(scene.body[b, BODY_FIRST], scene.body[b, BODY_STOP]):
                bound, direction = capsule_gap(scene, placing, i, j)
                if bound <= guard.reach[0]:
                    _add(links, scene, placing, guard, pair, (a, i), (b, j), direction)
    for body in range(scene.n_bodies):
        if placing.overlaps[body, body] > 1:
            _agree(links, scene, placing, guard, body)


@routine
def _add(links, scene, placing, guard, pair, first, second, direction):
    """Append a row, if the pieces are near enough."""
    low, way, count = piece_gap(scene, placing, first, second, direction, 0.0, guard.reach[0])
    if low > guard.reach[0]:
        return
    number = guard.n_rows[0]
    if number == MOST_ROWS:
        number = _farthest(guard)
        guard.reach[0] = min(guard.reach[0], max(guard.row[number, ROW_GAP], low))
        if low >= guard.row[number, ROW_GAP]:
            return
    else:
        guard.n_rows[0] += 1
    index = guard.index[number]
    index[ROW_PAIR], index[ROW_FIRST], index[ROW_SECOND] = pair, first[1], second[1]
    normal, point = direction, (0.0, 0.0, 0.0)
    if scene.piece[second[1], PIECE_KIND] == HALF_SPACE:
        point = witness(placing, count)
    elif low > scene.margin:
        normal = triple.scale(way, 1.0 / math.sqrt(triple.dot(way, way)))
        point = witness(placing, count)
    else:
        low, normal, point = shallowest(scene, placing, first, second, direction)
    if low <= scene.margin:
        placing.overlaps[first[0], second[0]] = 1
        placing.overlaps[second[0], second[0]] += 1
    _write(links, scene, placing, guard, number, low, normal, point)


@kernel
def _write(links, scene, placing, guard, number, low, normal, point):
    """Write a row; the point is one of the first piece, the radius left out."""
    row = guard.row[number]
    first, second = bodies_of(scene, guard, number)
    point = triple.sub(point, triple.scale(normal, scene.rounding[first[1]]))
    row[ROW_GAP], row[ROW_PUSH] = low, 0.0
    triple.put(normal, row, ROW_NORMAL)
    triple.put(point, row, ROW_A)
    triple.put(triple.sub(point, triple.scale(normal, low)), row, ROW_B)
    _derive(links, scene, placing, guard, number, first[0], second[0])


@routine
def _agree(links, scene, placing, guard, body):
    """Give all pieces that overlap one body the same way out: the shortest for all of them."""
    best, least = -1, -math.inf
    for number in range(guard.n_rows[0]):
        if is_overlap(scene, guard, number, body):
            worst = _worst(scene, placing, guard, body, triple.at(guard.row[number], ROW_NORMAL))
            if worst > least:
                best, least = number, worst
    if best < 0:
        return
    normal = triple.at(guard.row[best], ROW_NORMAL)
    middle, count = (0.0, 0.0, 0.0), 0
    for number in range(guard.n_rows[0]):
        if is_overlap(scene, guard, number, body):
            first, _ = bodies_of(scene, guard, number)
            middle = triple.add(middle, triple.at(placing.centre[first[0]], 0))
            count += 1
    way = triple.sub(triple.scale(middle, 1.0 / count), triple.at(placing.centre[body], 0))
    length = math.sqrt(triple.dot(way, way))
    for axis in range(3):  # of the body, on the side where the others are
        turned = placing.link[scene.body[body, BODY_LINK]]
        tried = (turned[axis], turned[3 + axis], turned[6 + axis])
        if triple.dot(tried, way) < 0.0:
            tried = triple.scale(tried, -1.0)
        worst = _worst(scene, placing, guard, body, tried)
        if worst > least:
            normal, least = tried, worst
    if length > SMALLEST and _worst(scene, placing, guard, body,
                                    triple.scale(way, 1.0 / length)) > least:
        normal = triple.scale(way, 1.0 / length)
    for number in range(guard.n_rows[0]):
        if is_overlap(scene, guard, number, body):
            first, second = bodies_of(scene, guard, number)
            low, a, _ = separation(scene, placing, first, second, normal)
            _write(links, scene, placing, guard, number, low, normal, a)


@kernel
def is_overlap(scene, guard, number, body):
    """Tell whether a row is one of pieces that overlap, the second of this body."""
    _, second = bodies_of(scene, guard, number)
    return second[0] == body and guard.row[number, ROW_GAP] <= scene.margin


@routine
def _worst(scene, placing, guard, body, normal):
    """Return the least separation along a normal of all pieces that overlap a body."""
    least = math.inf
    for number in range(guard.n_rows[0]):
        if is_overlap(scene, guard, number, body):
            first, second = bodies_of(scene, guard, number)
            if scene.piece[second[1], PIECE_KIND] == HALF_SPACE:
                return -math.inf
            low, _, _ = separation(scene, placing, first, second, normal)
            least = min(least, low)
    return least


@kernel
def _farthest(guard):
    """Return the row of the largest gap."""
    number = 0
    for other in range(MOST_ROWS):
        if guard.row[other, ROW_GAP] > guard.row[number, ROW_GAP]:
            number = other
    return number


@kernel
def path_of(links, scene, body):
    """First and last entry of the way to a body; none for one that stands still."""
    link = scene.body[body, BODY_LINK]
    if link == scene.n_links:
        return 0, 0
    return links.tip_index[link, PATH_START], links.tip_index[link, PATH_STOP]


@kernel
def in_common(links, a, a_stop, b, b_stop):
    """Count the screws that the ways to two bodies begin with."""
    count = 0
    while (a + count < a_stop and b + count < b_stop
           and links.path[a + count, 0] == links.path[b + count, 0]):
        count += 1
    return count


@routine
def _derive(links, scene, placing, guard, number, a, b):
    """Write the derivative of a gap, and the normal in the frame that it is kept in."""
    row, J = guard.row[number], guard.J[number]
    a_start, a_stop = path_of(links, scene, a)
    b_start, b_stop = path_of(links, scene, b)
    common = in_common(links, a_start, a_stop, b_start, b_stop)
    normal = triple.at(row, ROW_NORMAL)
    fill(0.0, J)
    _pull(links, scene, placing, a_start + common, a_stop, triple.at(row, ROW_A), normal, J)
    _pull(links, scene, placing, b_start + common, b_stop, triple.at(row, ROW_B),
          triple.scale(normal, -1.0), J)
    anchor = scene.n_links
    if a_start + common == a_stop:
        anchor = scene.body[a, BODY_LINK]
    elif b_start + common == b_stop:
        anchor = scene.body[b, BODY_LINK]
    guard.index[number, ROW_ANCHOR] = anchor
    triple.put(triple.rotate_back(placing.link[anchor], normal), row, ROW_KEPT)
    square = 0.0
    for i in range(J.shape[0]):
        square += J[i] * J[i]
    guard.index[number, ROW_COUNTS] = int(square > SMALLEST)


@kernel
def _pull(links, scene, placing, start, stop, point, normal, J):
    """Add the velocities of a point along a normal, for unit rates of the chain's variables."""
    for entry in range(start, stop):
        variable = scene.source[links.slot[links.path[entry, 1]]]
        if variable >= 0:
            linear, _ = twist_at(placing.screw[links.path[entry, 0]], point)
            J[variable] += triple.dot(normal, linear)


@kernel
def bodies_of(scene, guard, number):
    """Return the two sides of a row: body and piece."""
    index = guard.index[number]
    pair = index[ROW_PAIR]
    return ((scene.pair[pair, 0], index[ROW_FIRST]), (scene.pair[pair, 1], index[ROW_SECOND]))


@kernel
def copy_contact(guard, number, out):
    """Write a row as a row NEAREST."""
    row = guard.row[number]
    out[0], out[1] = float(guard.index[number, ROW_PAIR]), max(row[ROW_GAP], 0.0)
    for i in range(6):
        out[2 + i] = row[ROW_A + i]


@kernel
def nearest_row(guard):
    """Return the row of the smallest gap; -1: there is none."""
    number = -1
    for other in range(guard.n_rows[0]):
        if number < 0 or guard.row[other, ROW_GAP] < guard.row[number, ROW_GAP]:
            number = other
    return number
