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

"""Cyclic coordinate descent ([Rotations] algorithm 1), for poses, slides, screws and weights."""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance, TURN
from dq_ik.core.memory.blocks import record, tree_of, work_of
from dq_ik.core.memory.clock import is_over_in_step
from dq_ik.core.memory.layout import PATH_START, PATH_STOP, WEIGHT
from dq_ik.core.solve.residual import evaluate

SCREW_STEPS = 8  # to the optimum of a variable that turns and slides


@routine
def descend_cyclically(blocks, q):
    """
    Cyclic coordinate descent: each variable in turn goes to its own optimum inside the limits.

    The turns go from the tips to the base. For one screw the position and rotation costs are
    ``const - 2 (a cos x + b sin x)`` in its angle x, so the optimum is ``atan2(b, a)``; for a
    slide it is the mean way; a screw does both. The rotation is measured by ``2 - 2 cos`` of its
    angle. A weak joint goes that part of its way by which it is weaker than the strongest.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    strongest = 0.0
    for i in range(q.shape[0]):
        strongest = max(strongest, strength_of(work, i))
    for variable in range(q.shape[0] - 1, -1, -1):
        if is_over_in_step(work, q.shape[0]):
            break
        evaluate(blocks, q)
        cosine, sine, way, weight = 0.0, 0.0, 0.0, 0.0
        for k in range(tree.tip.shape[0]):
            for entry in range(tree.tip_index[k, PATH_START], tree.tip_index[k, PATH_STOP]):
                if tree.slot[tree.path[entry, 1]] != variable:
                    continue
                a, b, w, s = _one_screw(work.screw[tree.path[entry, 0]], work.goals[k],
                                        work.point[k], work.error[k])
                cosine, sine, way, weight = cosine + a, sine + b, way + w, weight + s
        fill(0.0, work.x)
        if strongest > 0.0:
            best = _optimum(cosine, sine, way, weight)
            if weight == 0.0:
                best = _turn_within(best, work.lower[variable] - q[variable],
                                    work.upper[variable] - q[variable])
            work.x[variable] = strength_of(work, variable) / strongest * best
        advance(blocks, q, work.x, 1.0, work.trial)
        copy(work.trial, q)
        record(blocks, q)
    return evaluate(blocks, q)


@kernel
def _optimum(cosine, sine, way, weight):
    """Minimise ``- cosine cos x - sine sin x - way x + weight x^2 / 2``."""
    if weight == 0.0:
        return math.atan2(sine, cosine)
    x = 0.0
    for _ in range(SCREW_STEPS):
        slope = cosine * math.sin(x) - sine * math.cos(x) - way + weight * x
        x -= slope / (max(cosine * math.cos(x) + sine * math.sin(x), 0.0) + weight)
    return x


@kernel
def _turn_within(best, low, high):
    """Return the turn that is the best one within limits; of the limits the nearer, all around."""
    if best < low:
        best += TURN
    elif best > high:
        best -= TURN
    if low <= best <= high:
        return best
    return low if math.cos(best - low) > math.cos(best - high) else high


@routine
def _one_screw(screw, goal, point, error):
    """Shares of one tip in an optimum: of cos and sin for a turn, way and weight for a slide."""
    square_p = goal[WEIGHT] ** 2
    square_r = goal[WEIGHT + 3] ** 2
    axis = (screw[3], screw[4], screw[5])
    length = math.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    e_p = (error[0], error[1], error[2])
    if length == 0.0:
        along = screw[0] * e_p[0] + screw[1] * e_p[1] + screw[2] * e_p[2]
        square = screw[0] ** 2 + screw[1] ** 2 + screw[2] ** 2
        return 0.0, 0.0, square_p * along, square_p * square
    axis = (axis[0] / length, axis[1] / length, axis[2] / length)
    # The arm from the axis to the tip, and to the goal, across the axis: velocity = axis x arm.
    velocity = quaternion.cross(axis, (point[0], point[1], point[2]))
    velocity = (velocity[0] + screw[0] / length, velocity[1] + screw[1] / length,
                velocity[2] + screw[2] / length)
    arm = quaternion.cross(velocity, axis)
    goal_arm = (arm[0] + e_p[0], arm[1] + e_p[1], arm[2] + e_p[2])
    a = square_p * (arm[0] * goal_arm[0] + arm[1] * goal_arm[1] + arm[2] * goal_arm[2])
    b = square_p * (velocity[0] * goal_arm[0] + velocity[1] * goal_arm[1]
                    + velocity[2] * goal_arm[2])
    r = quaternion.exp((error[3], error[4], error[5]))
    along = r[1] * axis[0] + r[2] * axis[1] + r[3] * axis[2]
    a += square_r * (r[0] * r[0] - along * along)
    b += square_r * 2.0 * r[0] * along
    return a, b, 0.0, 0.0


@kernel
def strength_of(work, i):
    """Strength of a joint; 0 where it is locked, or of no use for the goals."""
    return math.sqrt(work.gain[i]) if work.low[i] < work.high[i] else 0.0
