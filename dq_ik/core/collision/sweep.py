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
Whether a whole step is free of collisions, not only its ends.

A point of a body moves by no more than ``sum |step_k| R_k``, R_k its reach from axis k. Pieces
that are farther apart than that stay apart. For the others: a plane that separates two pieces at
both ends of a step separates them on the way, but for the sagitta of the points' paths. The plane
goes along with the body whose joints are those that both have in common. What is shown so is
shown without rounding errors of first order: no sheet is so thin that a step tunnels it.
"""

import math

from dq_ik.core.algebra import quaternion, triple
from dq_ik.core.collision.decide import pair_collides
from dq_ik.core.collision.overlap import separation
from dq_ik.core.collision.place import place
from dq_ik.core.collision.rows import bodies_of, in_common, path_of
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.jacobian import twist_at
from dq_ik.core.memory.layout import BALL, ELEMENT_KIND, VARIABLE
from dq_ik.core.memory.scene_layout import ROW_ANCHOR, ROW_GAP, ROW_KEPT, ROW_SAGITTA

HALVINGS = 4  # of a step that cannot be shown to be free
ROUNDING = 1e-9  # [m]


@routine
def measure(links, scene, placing, guard, q):
    """
    Write the step from q to ``guard.to``, and bounds of the motion of all bodies.

    The bodies are placed at q.

    :returns: the largest bound [m]
    """
    for i in range(scene.n_variables):
        source = scene.source[i]
        guard.turn[i] = 0.0 if source < 0 else guard.to[source] - q[source]
    for element in range(links.index.shape[0]):
        i = links.index[element, VARIABLE]
        if links.index[element, ELEMENT_KIND] == BALL and scene.source[i] >= 0:
            k = scene.source[i]
            back = quaternion.conj(quaternion.exp(triple.at(q, k)))
            turned = quaternion.mul(back, quaternion.exp(triple.at(guard.to, k)))
            triple.put(quaternion.log(turned), guard.turn, i)
    for i in range(q.shape[0]):
        guard.step[i] = 0.0
    for i in range(scene.n_variables):
        if scene.source[i] >= 0:
            guard.step[scene.source[i]] = guard.turn[i]
    largest = 0.0
    for body in range(scene.n_bodies):
        start, stop = path_of(links, scene, body)
        centre = triple.at(placing.centre[body], 0)
        placing.motion[body], _ = _motion(links, placing, guard, start, stop, centre, centre,
                                          scene.ball[body, 3])
        largest = max(largest, placing.motion[body])
    return largest


@kernel
def _motion(links, placing, guard, start, stop, end, other_end, radius):
    """
    Bound how far the points of a capsule move by the joints of a part of its way.

    :returns: the bound, and the sum of all angles
    """
    motion, angle = 0.0, 0.0
    for back in range(stop - start):
        entry = stop - 1 - back
        rate = abs(guard.turn[links.slot[links.path[entry, 1]]])
        if rate == 0.0:
            continue
        screw = placing.screw[links.path[entry, 0]]
        linear, angular = twist_at(screw, end)
        other, _ = twist_at(screw, other_end)
        turning = math.sqrt(triple.dot(angular, angular))
        speed = math.sqrt(max(triple.dot(linear, linear), triple.dot(other, other)))
        motion += rate * (speed + turning * (radius + motion))
        angle += rate * turning
    return motion, angle


@routine
def _bounds(links, scene, placing, guard, number):
    """Bound the relative motion of the pieces of a row, and the sagitta of their points' paths."""
    first, second = bodies_of(scene, guard, number)
    a_start, a_stop = path_of(links, scene, first[0])
    b_start, b_stop = path_of(links, scene, second[0])
    if guard.index[number, ROW_ANCHOR] != scene.n_links or a_start == a_stop or b_start == b_stop:
        common = in_common(links, a_start, a_stop, b_start, b_stop)
        a_start, b_start = a_start + common, b_start + common
    a, a_angle = _of_piece(links, scene, placing, guard, first[1], a_start, a_stop)
    b, b_angle = _of_piece(links, scene, placing, guard, second[1], b_start, b_stop)
    return a + b, 0.25 * (a * a_angle + b * b_angle)


@kernel
def _of_piece(links, scene, placing, guard, piece, start, stop):
    """Bound how far a piece moves."""
    if start == stop:
        return 0.0, 0.0
    return _motion(links, placing, guard, start, stop, triple.at(placing.capsule[piece], 0),
                   triple.at(placing.capsule[piece], 3), scene.capsule[piece, 6])


@routine
def free_share(links, scene, placing, guard, q):
    """
    Return how much of the straight step from q is free.

    The rows are those at q, where the bodies are placed; the step is the one that was measured.
    Bodies that overlap at q may not overlap deeper.

    What is left of it is written to ``guard.trial``.

    :returns: 0 to 1
    """
    share, sure, count = _choose(links, scene, placing, guard)
    for _ in range(HALVINGS):
        _between(links, scene, guard, q, share)
        if _is_free(links, scene, placing, guard, share):
            return share
        if count == 0:
            break
        share *= 0.5
    if 0.0 < sure < share:
        _between(links, scene, guard, q, sure)
        if _is_free(links, scene, placing, guard, sure):
            return sure
    _between(links, scene, guard, q, 0.0)
    return 0.0


@routine
def _choose(links, scene, placing, guard):
    """
    Mark the rows that need a plane; their bodies are placed at the start.

    :returns: the share of the step that pieces without a row allow, the one that bounds of the
        motion allow for all, and how many rows are marked
    """
    most = 0.0
    for body in range(scene.n_bodies):
        most = max(most, 2.0 * placing.motion[body])
    share, beyond = 1.0, guard.reach[0] - scene.margin
    if most > beyond:
        share = max(beyond, 0.0) / most
    sure, count = share, 0
    for number in range(guard.n_rows[0]):
        row = guard.row[number]
        row[ROW_SAGITTA] = -1.0
        first, second = bodies_of(scene, guard, number)
        spare = row[ROW_GAP] - scene.margin
        if share * (placing.motion[first[0]] + placing.motion[second[0]]) < spare:
            continue
        motion, sagitta = _bounds(links, scene, placing, guard, number)
        if share * motion < spare:
            continue
        row[ROW_SAGITTA] = sagitta
        count += 1
        sure = min(sure, 0.99 * max(spare, 0.0) / motion if motion > 0.0 else 1.0)
    return share, sure, count


@kernel
def _between(links, scene, guard, q, share):
    """Write the configuration after a share of the step."""
    for i in range(q.shape[0]):
        guard.trial[i] = guard.to[i] if share == 1.0 else q[i] + share * (guard.to[i] - q[i])
    for element in range(links.index.shape[0]):
        i = links.index[element, VARIABLE]
        if links.index[element, ELEMENT_KIND] == BALL and scene.source[i] >= 0 and share < 1.0:
            k = scene.source[i]
            turn = triple.scale(triple.at(guard.turn, i), share)
            triple.put(quaternion.log(quaternion.mul(quaternion.exp(triple.at(q, k)),
                                                     quaternion.exp(turn))), guard.trial, k)


@routine
def _is_free(links, scene, placing, guard, share):
    """Tell whether the way to ``guard.trial`` is free."""
    place(links, scene, placing, guard.trial)
    for number in range(guard.n_rows[0]):
        row = guard.row[number]
        if row[ROW_SAGITTA] < 0.0:
            continue
        first, second = bodies_of(scene, guard, number)
        normal = triple.rotate(placing.link[guard.index[number, ROW_ANCHOR]],
                               triple.at(row, ROW_KEPT))
        low, _, _ = separation(scene, placing, first, second, normal)
        if not row[ROW_GAP] > scene.margin:
            if not low >= row[ROW_GAP] - ROUNDING:
                return False
            continue
        if not low > scene.margin:
            return False
        ends = math.sqrt(row[ROW_GAP] - scene.margin) + math.sqrt(low - scene.margin)
        if not ends >= 2.0 * share * math.sqrt(row[ROW_SAGITTA]):
            return False
    for pair in range(scene.n_pairs):
        if (placing.overlaps[scene.pair[pair, 0], scene.pair[pair, 1]] == 0
                and pair_collides(scene, placing, pair)):
            return False
    return True
