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
Goals as arrays, the weighted error of all tips, and its derivative.

The error of a tip with pose x towards a goal g is ``e = (p_g - p, log(r_g r*))`` along the base's
axes: position first ([Rotations] eq. 86 with the sign turned; [Recipe] section 3.3). With equal
weights on the three axes ``-J^T W e`` is the exact gradient of half the cost, since ``log`` points
along its own axis. Several tips are stacked ([ProjectedLineSearch] eqs. 16-18); the cost is
``E = (g - F)^T W (g - F)``.
"""

from __future__ import annotations

import math

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.jacobian import columns, UNWEIGHTED
from dq_ik.core.kinematics.tree import forward_kinematics, tip_frame
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import (
    AXIS,
    GOAL_AXES,
    KIND,
    SLACK,
    SLOT_START,
    SLOT_STOP,
    TOLERANCE,
    UNIFORM,
    WEIGHT,
)

SMALL_ANGLE = 1e-4  # below, the series is exact to double precision


@kernel
def evaluate(tree, goals, q, work):
    """
    Forward kinematics and weighted errors at q.

    Fills ``work.turns``, ``work.world``, ``work.screw``, ``work.point`` (tips' positions),
    ``work.error`` (unweighted) and ``work.residual`` (weighted).

    :returns: the cost E, and the largest error in units of its tolerance (at most 1: all goals are
        met)
    """
    forward_kinematics(tree, q, work.turns, work.world, work.screw)
    cost = 0.0
    worst = 0.0
    for k in range(goals.shape[0]):
        x = tip_frame(tree, k, work.world)
        e_p, e_r = _error(x, goals[k], work.point[k])
        for r in range(3):
            work.error[k, r] = e_p[r]
            work.error[k, 3 + r] = e_r[r]
        tip_cost, tip_worst = _weigh(goals[k], e_p, e_r, work.residual[k])
        cost += tip_cost
        if not tip_worst <= worst:  # also where it is not a number
            worst = tip_worst
    return cost, worst


@routine
def look(blocks, q):
    """Do as :func:`evaluate`, called instead of inlined: for places outside the hot loops."""
    tree, work = tree_of(blocks), work_of(blocks)
    return evaluate(tree, work.goals, q, work)


@kernel
def _error(x, goal, point_out):
    """Error (position, rotation vector) of pose (r, t) towards a goal, along the base's axes."""
    target = dual_quaternion.load(goal)
    r, p = x
    p_goal = dual_quaternion.translation(target)
    for i in range(3):
        point_out[i] = p[i]
    e_p = (p_goal[0] - p[0], p_goal[1] - p[1], p_goal[2] - p[2])
    if not _is_pointing(goal):
        return e_p, quaternion.log(quaternion.mul(target[0], quaternion.conj(r)))
    axis = (goal[AXIS], goal[AXIS + 1], goal[AXIS + 2])
    return e_p, _arc(quaternion.rotate(r, axis), quaternion.rotate(target[0], axis))


@kernel
def _is_pointing(goal):
    """Tell whether a goal asks for the direction of an axis only."""
    return goal[AXIS] != 0.0 or goal[AXIS + 1] != 0.0 or goal[AXIS + 2] != 0.0


@kernel
def _arc(a, b):
    """Rotation vector of the shortest arc that turns unit vector a onto unit vector b."""
    c = quaternion.cross(a, b)
    sine = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if sine > 1e-12:
        factor = math.atan2(sine, cosine) / sine
        return (factor * c[0], factor * c[1], factor * c[2])
    if cosine > 0.0:
        return (0.0, 0.0, 0.0)
    # Opposite: any axis across a will do.
    c = quaternion.cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
    factor = math.pi / math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    return (factor * c[0], factor * c[1], factor * c[2])


@kernel
def _weigh(goal, e_p, e_r, residual_out):
    """Write the weighted residual of one tip; return its cost and its error in tolerances."""
    if goal[KIND] == GOAL_AXES:
        back = quaternion.conj((goal[0], goal[1], goal[2], goal[3]))
        e_p = quaternion.rotate(back, e_p)
        e_r = quaternion.rotate(back, e_r)
    cost = 0.0
    square_p = 0.0
    square_r = 0.0
    for r in range(3):
        linear = _beyond(e_p[r], goal[SLACK + r])
        angular = _beyond(e_r[r], goal[SLACK + 3 + r])
        if goal[WEIGHT + r] > 0.0:
            square_p += linear * linear
        if goal[WEIGHT + 3 + r] > 0.0:
            square_r += angular * angular
        residual_out[r] = goal[WEIGHT + r] * linear
        residual_out[3 + r] = goal[WEIGHT + 3 + r] * angular
        cost += residual_out[r] * residual_out[r] + residual_out[3 + r] * residual_out[3 + r]
    return cost, math.sqrt(max(square_p / goal[TOLERANCE] ** 2,
                               square_r / goal[TOLERANCE + 1] ** 2))


@kernel
def _beyond(value, slack):
    """Return what is left of a value after an allowance to both sides; not a number stays so."""
    return value - min(max(value, -slack), slack)


@kernel
def linearise(tree, goals, work):
    """Fill ``work.column`` with the weighted Jacobian columns at the state last evaluated."""
    for k in range(goals.shape[0]):
        goal = goals[k]
        point = (work.point[k, 0], work.point[k, 1], work.point[k, 2])
        if goal[KIND] == UNIFORM:
            columns(tree, k, point, _weights(goal), work.screw, work.column)
        else:
            columns(tree, k, point, UNWEIGHTED, work.screw, work.column)
            _turn(tree, k, goal, work.error[k], work.column)


@kernel
def _weights(goal):
    """Return the six weights of a goal."""
    return (goal[WEIGHT], goal[WEIGHT + 1], goal[WEIGHT + 2],
            goal[WEIGHT + 3], goal[WEIGHT + 4], goal[WEIGHT + 5])


@kernel
def _turn(tree, k, goal, error, column):
    """Turn columns into the weighted derivative of the error along the axes of the weights."""
    e_r = (error[3], error[4], error[5])
    back = quaternion.conj((goal[0], goal[1], goal[2], goal[3]))
    weight = _weights(goal)
    for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
        c = column[slot]
        linear = (c[0], c[1], c[2])
        angular = (c[3], c[4], c[5])
        if _is_pointing(goal):
            angular = _across(angular, goal)
        else:
            angular = log_derivative(e_r, angular)
        if goal[KIND] == GOAL_AXES:
            linear = quaternion.rotate(back, linear)
            angular = quaternion.rotate(back, angular)
        for r in range(3):
            c[r] = weight[r] * linear[r]
            c[3 + r] = weight[3 + r] * angular[r]


@kernel
def _across(angular, goal):
    """Drop from an angular velocity the turn that a pointing goal leaves free."""
    a = quaternion.rotate((goal[0], goal[1], goal[2], goal[3]),
                          (goal[AXIS], goal[AXIS + 1], goal[AXIS + 2]))
    along = a[0] * angular[0] + a[1] * angular[1] + a[2] * angular[2]
    return (angular[0] - along * a[0], angular[1] - along * a[1], angular[2] - along * a[2])


@kernel
def log_derivative(e, w):
    """
    Rate at which ``e = log(r_g r*)`` falls when r turns at angular velocity w.

    ``w + e x w / 2 + c e x (e x w)``, the inverse right Jacobian of the rotation group,
    ``c = 1/a^2 - (1 + cos a) / (2 a sin a)`` with ``a = |e|``, so that Newton steps on ``log`` are
    exact ([Kenwright2022] Appendix B asks for the derivative of log).
    """
    once = quaternion.cross(e, w)
    twice = quaternion.cross(e, once)
    c = log_curvature(math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]))
    return (w[0] + 0.5 * once[0] + c * twice[0],
            w[1] + 0.5 * once[1] + c * twice[1],
            w[2] + 0.5 * once[2] + c * twice[2])


@kernel
def log_curvature(angle):
    """Return ``1/a^2 - (1 + cos a) / (2 a sin a) = (1 - a/2 cot(a/2)) / a^2``; 1/12 at 0."""
    if angle < SMALL_ANGLE:
        return 1.0 / 12.0 + angle * angle / 720.0
    return (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
