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
Where attempts begin: at the seed, then at stored configurations, nearest to the goals first.

A first joint that turns the whole chain is set where it brings the stored tip nearest to the goal:
with the goal (p_g, r_g) and the stored tip (p, r) in the frame of that joint, a turn by a gives

    w_p^2 |Rz(a) p - p_g|^2 + 4 w_r^2 (1 - <rz(a) r, r_g>^2) = k - u cos a - v sin a,

which is least, ``k - sqrt(u^2 + v^2)``, at ``a = atan2(v, u)``. The second term is the squared
angle between two rotations, to second order. The table is in single precision: a start need not
be exact, and kernels pass over it twice as fast.
"""

import math

from dq_ik.core.algebra import dual_quaternion, frame, quaternion
from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import place_balls, TURN
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import (
    AIM,
    ELEMENT_KIND,
    FARTHEST,
    FIXED,
    MULTIPLIER,
    REVOLUTE,
    WEIGHT,
)
import numpy as np

NEAREST_FIRST = 25  # stored configurations tried in order of distance; then in stored order


@kernel
def at_seed(work, q_out):
    """Write the seed, moved into the limits."""
    copy(work.centre, q_out)


@routine
def choose(blocks, restart, q_out):
    """Write the start of an attempt, inside the limits."""
    tree, work = tree_of(blocks), work_of(blocks)
    table = tree.stored
    if restart == 0:
        at_seed(work, q_out)
        return
    if restart == 1:
        measure(blocks, table.shape[1])
    place = restart % table.shape[1]
    if restart <= min(NEAREST_FIRST, table.shape[1]):
        place = _nearest(work.distance)
        work.distance[place] = math.inf
    for i in range(q_out.shape[0]):
        q_out[i] = min(max(table[i, place], work.lower[i]), work.upper[i])
    place_balls(blocks, q_out)
    if turns_all(tree) and work.goals[0, AIM] == FIXED:
        q_out[0] = _turned(blocks, place)


@kernel
def _nearest(distance):
    """Place of the smallest distance."""
    nearest = 0
    for place in range(distance.shape[0]):
        if distance[place] < distance[nearest]:
            nearest = place
    return nearest


@kernel
def turns_all(tree):
    """Tell whether the first variable does nothing but turn the whole chain."""
    return (tree.n_tips == 1 and tree.n_elements > 0 and tree.index[0, ELEMENT_KIND] == REVOLUTE
            and tree.element[0, MULTIPLIER] == 1.0 and tree.path.shape[0] == tree.slot.shape[0])


@kernel
def _turned(blocks, place):
    """Value of the first variable that brings a stored configuration nearest to the goal."""
    tree, work = tree_of(blocks), work_of(blocks)
    table = tree.stored
    stored = frame.load(table[tree.n:, place])
    _, u, v = distance_over_turn(goal_at_base(tree, work.goals[0]), stored[0], stored[1])
    value = table[0, place] + math.atan2(v, u)
    if value > work.upper[0]:
        value -= TURN
    elif value < work.lower[0]:
        value += TURN
    return min(max(value, work.lower[0]), work.upper[0])


@kernel
def goal_at_base(tree, goal):
    """
    Return a goal in the frame of the stored tips, in single precision.

    :returns: ``w_p^2``, ``2 w_r^2``, the rotation, and twice the position
    """
    w_p = (goal[WEIGHT] ** 2 + goal[WEIGHT + 1] ** 2 + goal[WEIGHT + 2] ** 2) / 3.0
    w_r = (goal[WEIGHT + 3] ** 2 + goal[WEIGHT + 4] ** 2 + goal[WEIGHT + 5] ** 2) / 3.0
    target = dual_quaternion.load(goal)
    t = dual_quaternion.translation(target)
    r, origin = frame.load(tree.element[0])
    back = quaternion.conj(r)
    p = quaternion.rotate(back, (_near(t[0] - origin[0]), _near(t[1] - origin[1]),
                                 _near(t[2] - origin[2])))
    r = quaternion.mul(back, target[0])
    return (np.float32(w_p), np.float32(2.0 * w_r),
            (np.float32(r[0]), np.float32(r[1]), np.float32(r[2]), np.float32(r[3])),
            (np.float32(2.0 * p[0]), np.float32(2.0 * p[1]), np.float32(2.0 * p[2])))


@kernel
def _near(value):
    """Return a coordinate whose square is a number in single precision."""
    return min(max(value, -FARTHEST), FARTHEST)


@kernel
def distance_over_turn(target, r, p):
    """
    Distance over the turn a of the first joint: (k, u, v) of ``k - u cos a - v sin a``.

    What is the same for all stored tips is left out of k.
    """
    a, b, r_goal, g = target
    c = quaternion.dot(r, r_goal)
    s = r[0] * r_goal[3] + r[1] * r_goal[2] - r[2] * r_goal[1] - r[3] * r_goal[0]
    k = a * (p[0] * p[0] + p[1] * p[1] + p[2] * (p[2] - g[2])) - b * (c * c + s * s)
    u = a * (p[0] * g[0] + p[1] * g[1]) + b * (c * c - s * s)
    v = a * (p[0] * g[1] - p[1] * g[0]) + b * (c * s + c * s)
    return k, u, v


@routine
def measure(blocks, count):
    """Fill ``work.distance`` with the squared, weighted distances of stored tips to the goals."""
    tree, work = tree_of(blocks), work_of(blocks)
    if tree.index.shape[0] == 0:
        fill(0.0, vector(work.distance, 0, count))
        return
    turning = turns_all(tree)
    alone = True
    for k in range(work.goals.shape[0]):
        if work.goals[k, AIM] == FIXED:
            first = tree.n + frame.WIDTH * k
            _add_distances(goal_at_base(tree, work.goals[k]), turning, tree.stored, first, alone,
                           vector(work.distance, 0, count))
            alone = False
    if alone:  # no pose to be near to: in stored order
        fill(0.0, vector(work.distance, 0, count))


@kernel
def _add_distances(target, turning, table, first, alone, distance):
    """
    Add the distances of one tip to those of the tips before it.

    :param first: of the seven rows of the table with its frames
    :param alone: whether no tip is before it
    """
    rw, rx, ry = _row(table, first), _row(table, first + 1), _row(table, first + 2)
    rz, px = _row(table, first + 3), _row(table, first + 4)
    py, pz = _row(table, first + 5), _row(table, first + 6)
    for i in range(distance.shape[0]):
        k, u, v = distance_over_turn(target, (rw[i], rx[i], ry[i], rz[i]), (px[i], py[i], pz[i]))
        own = k - (math.sqrt(u * u + v * v) if turning else u)
        distance[i] = own if alone else distance[i] + own


@kernel
def _row(table, row):
    """View a row of the table."""
    return vector(table, row * table.shape[1], table.shape[1])
