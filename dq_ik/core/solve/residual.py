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
The weighted errors of all goals, their derivative, and the normal equations.

Several tips are stacked ([ProjectedLineSearch] eqs. 16-18); the cost is
``E = (g - F)^T W (g - F)``. What a goal of each kind asks for is in :mod:`dq_ik.core.goals`; the
solvers know the errors and their derivative only.
"""

from __future__ import annotations

import math

from dq_ik.core.algebra import dual_quaternion, quaternion
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.goals import look_at, relative
from dq_ik.core.goals.pointing import across, direction_error, is_pointing
from dq_ik.core.goals.pose import log_derivative, rotation_error
from dq_ik.core.kinematics.jacobian import columns, twist_at, UNWEIGHTED
from dq_ik.core.kinematics.tree import forward_kinematics, tip_frame
from dq_ik.core.memory.arrays import matrix, vector
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import (
    AIM,
    FIXED,
    GOAL_AXES,
    KIND,
    LOOK_AT,
    PATH_START,
    PATH_STOP,
    RELATIVE,
    SLACK,
    SLOT_START,
    SLOT_STOP,
    TOLERANCE,
    UNIFORM,
    WEIGHT,
)


@routine
def evaluate(blocks, q):
    """
    Forward kinematics and weighted errors at q.

    Fills ``work.turns``, ``work.world``, ``work.screw``, ``work.point`` (tips' positions),
    ``work.error`` (unweighted) and ``work.residual`` (weighted).

    :returns: the cost E, and the largest error in units of its tolerance (at most 1: all goals are
        met)
    """
    tree, work = tree_of(blocks), work_of(blocks)
    forward_kinematics(tree, q, work.turns, work.world, work.screw)
    cost = 0.0
    worst = 0.0
    for k in range(work.goals.shape[0]):
        r, p = tip_frame(tree, k, work.world)
        if work.goals[k, AIM] == LOOK_AT:
            look_at.retarget(work.goals[k], r, p)
        elif work.goals[k, AIM] == RELATIVE:
            relative.retarget(tree, work.goals[k], work.world)
        e_p, e_r = _error(r, p, work.goals[k])
        for i in range(3):
            work.point[k, i] = p[i]
            work.error[k, i] = e_p[i]
            work.error[k, 3 + i] = e_r[i]
        tip_cost, tip_worst = _weigh(work.goals[k], e_p, e_r, work.residual[k])
        cost += tip_cost
        if worst <= math.inf and not tip_worst <= worst:  # also where it is not a number
            worst = tip_worst
    return cost, worst


@kernel
def _error(r, p, goal):
    """Error (position, rotation vector) of a tip towards a goal, along the base's axes."""
    target = dual_quaternion.load(goal)
    p_goal = dual_quaternion.translation(target)
    e_p = (p_goal[0] - p[0], p_goal[1] - p[1], p_goal[2] - p[2])
    if is_pointing(goal):
        return e_p, direction_error(r, target[0], goal)
    return e_p, rotation_error(r, target[0])


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
    worst_p, worst_r = square_p / goal[TOLERANCE] ** 2, square_r / goal[TOLERANCE + 1] ** 2
    return cost, math.sqrt(max(worst_p, worst_r) + 0.0 * (worst_p + worst_r))  # or not a number


@kernel
def _beyond(value, slack):
    """Return what is left of a value after an allowance to both sides; not a number stays so."""
    return value - min(max(value, -slack), slack)


@kernel
def linearise(tree, goals, work):
    """
    Fill ``work.column`` with the weighted Jacobian columns at the state last evaluated.

    A relative goal depends on the joints of two tips: its columns are in ``work.J``.
    """
    for k in range(goals.shape[0]):
        goal = goals[k]
        point = (work.point[k, 0], work.point[k, 1], work.point[k, 2])
        if goal[KIND] == UNIFORM and goal[AIM] == FIXED:
            columns(tree, k, point, _weights(goal), work.screw, work.column)
        else:
            columns(tree, k, point, UNWEIGHTED, work.screw, work.column)
            for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
                _derive(goal, point, work.error[k], work.column[slot])
        if goal[AIM] == RELATIVE:
            _stack_relative(tree, k, point, work)


@kernel
def _weights(goal):
    """Return the six weights of a goal."""
    return (goal[WEIGHT], goal[WEIGHT + 1], goal[WEIGHT + 2],
            goal[WEIGHT + 3], goal[WEIGHT + 4], goal[WEIGHT + 5])


@kernel
def _derive(goal, point, error, column):
    """Turn a twist of the tip into the weighted derivative of its error, in place."""
    linear = (column[0], column[1], column[2])
    angular = (column[3], column[4], column[5])
    if goal[AIM] == LOOK_AT:
        angular = look_at.with_motion(goal, point, linear, angular)
    if is_pointing(goal):
        angular = across(angular, goal)
    else:
        angular = log_derivative((error[3], error[4], error[5]), angular)
    if goal[KIND] == GOAL_AXES:
        back = quaternion.conj((goal[0], goal[1], goal[2], goal[3]))
        linear = quaternion.rotate(back, linear)
        angular = quaternion.rotate(back, angular)
    weight = _weights(goal)
    for r in range(3):
        column[r] = weight[r] * linear[r]
        column[3 + r] = weight[3 + r] * angular[r]


@kernel
def _stack_relative(tree, k, point, work):
    """Fill the rows of ``work.J`` of a relative goal: its columns minus those of the other tip."""
    goal, column = work.goals[k], vector(work.y, 0, 6)
    _scatter(tree, k, work)
    other = relative.other_of(goal)
    for entry in range(tree.tip_index[other, PATH_START], tree.tip_index[other, PATH_STOP]):
        linear, angular = twist_at(work.screw[tree.path[entry, 0]], point)
        for r in range(3):
            column[r], column[3 + r] = linear[r], angular[r]
        _derive(goal, point, work.error[k], column)
        for r in range(6):
            work.J[6 * k + r, tree.slot[tree.path[entry, 1]]] -= column[r]


@kernel
def _scatter(tree, k, work):
    """Write the columns of tip k to its rows of ``work.J``, which are zero elsewhere."""
    for r in range(6):
        fill(0.0, work.J[6 * k + r])
    for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
        for r in range(6):
            work.J[6 * k + r, tree.slot[slot]] = work.column[slot, r]


@routine
def assemble(blocks):
    """Linearise and build the normal equations."""
    tree, work = tree_of(blocks), work_of(blocks)
    linearise(tree, work.goals, work)
    normal_equations(tree, work)


@kernel
def normal_equations(tree, work):
    """Fill ``work.A = J^T W J`` (both triangles) and ``work.b = J^T W e``, summed over tips."""
    A, b, column = work.A, work.b, work.column
    n = b.shape[0]
    for i in range(n):
        b[i] = 0.0
        for j in range(n):
            A[i, j] = 0.0
    for k in range(tree.tip.shape[0]):
        residual = work.residual[k]
        if work.goals[k, AIM] == RELATIVE:
            _add_dense(k, residual, work)
            continue
        start, stop = tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]
        for s in range(start, stop):
            i = tree.slot[s]
            b[i] += _dot6(column[s], residual)
            for t in range(start, s + 1):
                A[i, tree.slot[t]] += _dot6(column[s], column[t])
    for i in range(n):
        for j in range(i):
            A[j, i] = A[i, j]


@kernel
def _dot6(a, b):
    """Inner product of six components."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def _add_dense(k, residual, work):
    """Add the share of a goal whose columns are in ``work.J``."""
    J = matrix(work.J, 6 * k * work.J.shape[1], 6, work.J.shape[1])
    for i in range(J.shape[1]):
        for r in range(6):
            work.b[i] += J[r, i] * residual[r]
            for j in range(i + 1):
                work.A[i, j] += J[r, i] * J[r, j]


@kernel
def stack(tree, work):
    """Stack the weighted columns of all goals in ``work.J`` ([Recipe] section 3.3)."""
    for k in range(tree.tip.shape[0]):
        if work.goals[k, AIM] != RELATIVE:  # is there already
            _scatter(tree, k, work)


@kernel
def mark_moving(tree, goals, moving_out):
    """Write 1 for variables that move a goal's error, else 0."""
    fill(0.0, moving_out)
    for k in range(goals.shape[0]):
        if is_free(goals[k]):
            continue
        _mark_tip(tree, k, moving_out)
        if goals[k, AIM] == RELATIVE:
            _mark_tip(tree, relative.other_of(goals[k]), moving_out)


@kernel
def _mark_tip(tree, k, moving_out):
    """Write 1 for variables that move a tip."""
    for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
        moving_out[tree.slot[slot]] = 1.0


@kernel
def is_free(goal):
    """Tell whether a goal has no weight."""
    weight = 0.0
    for r in range(6):
        weight += goal[WEIGHT + r]
    return weight <= 0.0
