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

"""How far two pieces overlap, and along which direction they come apart soonest."""

import math

from dq_ik.core.algebra import triple
from dq_ik.core.collision.gjk import support
from dq_ik.core.compile import routine
from dq_ik.core.memory.scene_layout import BODY_LINK, CAPSULE_END, HALF_SPACE, PIECE_KIND

TURNS = 24  # of a normal in search of the shallowest overlap
FIRST_TURN = 0.3  # [rad]
SMALLEST = 1e-12  # length of a vector that has a direction [m]


@routine
def separation(scene, placing, first, second, normal):
    """
    Distance of two pieces along a normal, below zero where they overlap along it.

    It is no larger than their gap, whatever the normal is.

    :returns: the distance, the point of the first and that of the second, radii left out
    """
    a = support(scene, placing, first[1], scene.body[first[0], BODY_LINK],
                triple.scale(normal, -1.0))
    radii = scene.rounding[first[1]] + scene.rounding[second[1]]
    if scene.piece[second[1], PIECE_KIND] == HALF_SPACE:
        low = triple.dot(normal, a) - scene.capsule[second[1], CAPSULE_END]
        return low - radii, a, triple.sub(a, triple.scale(normal, low))
    b = support(scene, placing, second[1], scene.body[second[0], BODY_LINK], normal)
    return triple.dot(normal, triple.sub(a, b)) - radii, a, b


@routine
def shallowest(scene, placing, first, second, direction):
    """
    Find the direction in which two pieces overlap least: turn it as long as that helps.

    :returns: the separation, below zero; the direction; a point of the first piece
    """
    length = math.sqrt(triple.dot(direction, direction))
    normal = (0.0, 0.0, 1.0)
    if length > SMALLEST:
        normal = triple.scale(direction, 1.0 / length)
    best, a, b = separation(scene, placing, first, second, normal)
    turn = FIRST_TURN
    for _ in range(TURNS):
        way = triple.sub(a, b)
        across = triple.sub(way, triple.scale(normal, triple.dot(normal, way)))
        size = math.sqrt(triple.dot(across, across))
        if size <= SMALLEST:
            break
        tried = triple.add(normal, triple.scale(across, turn / size))
        tried = triple.scale(tried, 1.0 / math.sqrt(triple.dot(tried, tried)))
        value, a_tried, b_tried = separation(scene, placing, first, second, tried)
        if value > best:
            best, normal, a, b = value, tried, a_tried, b_tried
        else:
            turn *= 0.5
    return best, normal, a
