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

"""Where attempts in lanes begin: as :mod:`dq_ik.core.solve.starts`, one start per lane."""

import math

from dq_ik.core.algebra import frame, lanes
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import TURN
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import TRIAL
from dq_ik.core.solve.starts import distance_over_turn, goal_at_base, measure, turns_all

TINY = 1e-30  # keeps the direction of a zero vector a number
STARTS = 256  # stored configurations from which the starts are chosen


@routine
def choose_in_lanes(blocks, round_):
    """
    Write the starts of a round to the rows TRIAL of the lanes, inside the limits.

    Each lane gets the nearest of its part of the stored configurations, in later rounds the next
    nearest. In the first round the seed, if one was given, takes the first lane.

    :returns: whether it does
    """
    tree, work = tree_of(blocks), work_of(blocks)
    table, rows, n = tree.stored, work.lanes, tree.n
    first = TRIAL * n
    if round_ == 0:
        measure(blocks, STARTS)
    lanes.put(_nearest_in_lanes(work.distance), rows, 0)
    for lane in range(lanes.WIDTH):
        column = lanes.WIDTH * int(rows[0, lane]) + lane
        work.distance[column] = math.inf
        for i in range(n + frame.WIDTH):
            rows[first + i, lane] = table[i, column]
    if turns_all(tree):
        lanes.put(_turned_lanes(blocks, rows, first), rows, first)
    seeded = work.seeded[0] > 0 and round_ == 0
    if seeded:
        for i in range(n):
            rows[first + i, 0] = work.seed[i]
    for i in range(n):
        q = lanes.clamp(lanes.get(rows, first + i), work.lower[i], work.upper[i])
        lanes.put(q, rows, first + i)
    return seeded


@kernel
def _nearest_in_lanes(distance):
    """
    Rows of the smallest distances in the columns of an array (.., lanes).

    The two halves are searched side by side: each comparison waits for the one before it.
    """
    half = STARTS // lanes.WIDTH // 2
    nearest, place = lanes.get(distance, 0), lanes.everywhere(0.0)
    nearest_2, place_2 = lanes.get(distance, half), lanes.everywhere(float(half))
    for i in range(1, half):
        one, two = lanes.get(distance, i), lanes.get(distance, half + i)
        nearer, nearer_2 = one < nearest, two < nearest_2
        nearest = lanes.select(nearer, one, nearest)
        place = lanes.select(nearer, float(i), place)
        nearest_2 = lanes.select(nearer_2, two, nearest_2)
        place_2 = lanes.select(nearer_2, float(half + i), place_2)
    return lanes.select(nearest_2 < nearest, place_2, place)


@kernel
def _turned_lanes(blocks, rows, first):
    """Do as :func:`turned` for the stored configurations and tips in lanes."""
    tree, work = tree_of(blocks), work_of(blocks)
    tip = first + tree.n
    r = (lanes.get(rows, tip), lanes.get(rows, tip + 1), lanes.get(rows, tip + 2),
         lanes.get(rows, tip + 3))
    p = (lanes.get(rows, tip + 4), lanes.get(rows, tip + 5), lanes.get(rows, tip + 6))
    _, u, v = distance_over_turn(goal_at_base(tree, work.goals[0]), r, p)
    angle = lanes.get(rows, first) + _angle(u, v)
    angle = lanes.select(work.upper[0] < angle, angle - TURN, angle)
    return lanes.select(angle < work.lower[0], angle + TURN, angle)


@kernel
def _angle(x, y):
    """Angle of points in lanes, to 1e-5: four times the arc tangent of a quarter."""
    scale = 0.5 / lanes.sqrt(x * x + y * y + TINY)
    cosine = lanes.sqrt(lanes.absolute(0.5 + scale * x))
    sine = lanes.sqrt(lanes.absolute(0.5 - scale * x))
    t = sine / (1.0 + cosine)
    return lanes.select(y < 0.0, -4.0, 4.0) * t * lanes.arc_tangent_over(t * t)
