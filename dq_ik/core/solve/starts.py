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

import numpy as np

from dq_ik.core.algebra import dual_quaternion, frame, lanes, quaternion
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import TURN
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import ELEMENT_KIND, MULTIPLIER, REVOLUTE, TRIAL, WEIGHT

TINY = 1e-30  # keeps the direction of a zero vector a number
RACING = 256  # stored configurations of which a race chooses
NEAREST_FIRST = 25  # stored configurations tried in order of distance; then in stored order


@kernel
def at_seed(work, q_out):
    """Write the seed, moved into the limits."""
    for i in range(q_out.shape[0]):
        q_out[i] = min(max(work.seed[i], work.lower[i]), work.upper[i])


@routine
def choose(blocks, restart, q_out):
    """Write the start of an attempt, inside the limits."""
    tree, work = tree_of(blocks), work_of(blocks)
    table = tree.stored
    if restart == 0:
        at_seed(work, q_out)
        return
    if restart == 1:
        _measure(blocks, table.shape[1])
    place = restart % table.shape[1]
    if restart <= min(NEAREST_FIRST, table.shape[1]):
        place = _nearest(work.distance)
        work.distance[place] = math.inf
    for i in range(q_out.shape[0]):
        q_out[i] = min(max(table[i, place], work.lower[i]), work.upper[i])
    if _turns_all(tree):
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
def _turns_all(tree):
    """Tell whether the first variable does nothing but turn the whole chain."""
    return (tree.n_tips == 1 and tree.n_elements > 0 and tree.index[0, ELEMENT_KIND] == REVOLUTE
            and tree.element[0, MULTIPLIER] == 1.0 and tree.path.shape[0] == tree.slot.shape[0])


@kernel
def _turned(blocks, place):
    """Value of the first variable that brings a stored configuration nearest to the goal."""
    tree, work = tree_of(blocks), work_of(blocks)
    table = tree.stored
    stored = frame.load(table[tree.n:, place])
    _, u, v = _wave(_target(tree, work.goals[0]), stored[0], stored[1])
    value = table[0, place] + math.atan2(v, u)
    if value > work.upper[0]:
        value -= TURN
    elif value < work.lower[0]:
        value += TURN
    return min(max(value, work.lower[0]), work.upper[0])


@kernel
def _target(tree, goal):
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
    p = quaternion.rotate(back, (t[0] - origin[0], t[1] - origin[1], t[2] - origin[2]))
    r = quaternion.mul(back, target[0])
    return (np.float32(w_p), np.float32(2.0 * w_r),
            (np.float32(r[0]), np.float32(r[1]), np.float32(r[2]), np.float32(r[3])),
            (np.float32(2.0 * p[0]), np.float32(2.0 * p[1]), np.float32(2.0 * p[2])))


@kernel
def _wave(target, r, p):
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
def _measure(blocks, count):
    """Fill ``work.distance`` with the squared, weighted distances of stored tips to the goals."""
    tree, work = tree_of(blocks), work_of(blocks)
    if tree.index.shape[0] == 0:
        fill(0.0, vector(work.distance, 0, count))
        return
    turning = _turns_all(tree)
    for k in range(work.goals.shape[0]):
        first = tree.n + frame.WIDTH * k
        _add_distances(_target(tree, work.goals[k]), turning, tree.stored, first, k == 0,
                       vector(work.distance, 0, count))


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
        k, u, v = _wave(target, (rw[i], rx[i], ry[i], rz[i]), (px[i], py[i], pz[i]))
        own = k - (math.sqrt(u * u + v * v) if turning else u)
        distance[i] = own if alone else distance[i] + own


@kernel
def _row(table, row):
    """View a row of the table."""
    return vector(table, row * table.shape[1], table.shape[1])


@routine
def line_up(blocks, heat):
    """
    Write the starts of a race to the rows TRIAL of the lanes, inside the limits.

    Each lane gets the nearest of its part of the stored configurations, in later heats the next
    nearest. In the first heat the seed, if one was given, takes the first lane.

    :returns: whether it does
    """
    tree, work = tree_of(blocks), work_of(blocks)
    table, rows, n = tree.stored, work.lanes, tree.n
    first = TRIAL * n
    if heat == 0:
        _measure(blocks, RACING)
    lanes.put(_nearest_in_lanes(work.distance), rows, 0)
    for lane in range(lanes.WIDTH):
        column = lanes.WIDTH * int(rows[0, lane]) + lane
        work.distance[column] = math.inf
        for i in range(n + frame.WIDTH):
            rows[first + i, lane] = table[i, column]
    if _turns_all(tree):
        lanes.put(_turned_lanes(blocks, rows, first), rows, first)
    seeded = work.seeded[0] > 0 and heat == 0
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
    half = RACING // lanes.WIDTH // 2
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
    """Do as :func:`_turned` for the stored configurations and tips in lanes."""
    tree, work = tree_of(blocks), work_of(blocks)
    tip = first + tree.n
    r = (lanes.get(rows, tip), lanes.get(rows, tip + 1), lanes.get(rows, tip + 2),
         lanes.get(rows, tip + 3))
    p = (lanes.get(rows, tip + 4), lanes.get(rows, tip + 5), lanes.get(rows, tip + 6))
    _, u, v = _wave(_target(tree, work.goals[0]), r, p)
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
