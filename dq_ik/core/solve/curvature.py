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

"""What makes the Gauss-Newton matrix the Hessian of half the cost: the curvature of motions."""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.compile import kernel, routine
from dq_ik.core.goals.pose import log_curvature
from dq_ik.core.kinematics.jacobian import twist_at
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import (
    AIM,
    BALL,
    ELEMENT_KIND,
    FIXED,
    GOAL_AXES,
    KIND,
    PARENT,
    PATH_START,
    PATH_STOP,
    SCREW,
    TIP_ELEMENT,
    UNIFORM,
    VARIABLE,
    WEIGHT,
)


@routine
def add_curvature(blocks):
    """
    Add to the Gauss-Newton matrix what makes it the Hessian of half the cost.

    With the screws (v, w) of two joints on the way to a tip at p, a nearer to the base than b,
    ``d2p / dqa dqb = wa x (vb + wb x p)``, and for the rotation vector e:
    ``kappa wa.wb + c (e.wa)(e.wb) - e.(wa x wb) / 2`` with ``kappa = 1 - c |e|^2`` takes the place
    of ``wa.wb``. Rotations with unequal weights or allowances, pointing, and targets that depend
    on the configuration keep the Gauss-Newton matrix, which descends as well.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    for k in range(tree.tip.shape[0]):
        goal = work.goals[k]
        if goal[AIM] != FIXED:
            continue
        square_r = goal[WEIGHT + 3] * goal[WEIGHT + 3] if goal[KIND] == UNIFORM else 0.0
        e_p = _pull(goal, work.residual[k])
        e_r = (work.error[k, 3], work.error[k, 4], work.error[k, 5])
        angle = math.sqrt(e_r[0] * e_r[0] + e_r[1] * e_r[1] + e_r[2] * e_r[2])
        c = log_curvature(angle)
        point = (work.point[k, 0], work.point[k, 1], work.point[k, 2])
        start, stop = tree.tip_index[k, PATH_START], tree.tip_index[k, PATH_STOP]
        for late in range(start, stop):
            s = work.screw[tree.path[late, 0]]
            w_b = (s[3], s[4], s[5])
            v_b = quaternion.cross(w_b, point)
            pull = quaternion.cross((v_b[0] + s[0], v_b[1] + s[1], v_b[2] + s[2]), e_p)
            turn = quaternion.cross(w_b, e_r)
            along_b = e_r[0] * w_b[0] + e_r[1] * w_b[1] + e_r[2] * w_b[2]
            j = tree.slot[tree.path[late, 1]]
            for early in range(start, late + 1):
                t = work.screw[tree.path[early, 0]]
                # e_p . (wa x vb) = wa . (vb x e_p);  e_r . (wa x wb) = wa . (wb x e_r)
                bend = t[3] * pull[0] + t[4] * pull[1] + t[5] * pull[2]
                twist = t[3] * turn[0] + t[4] * turn[1] + t[5] * turn[2]
                along_a = e_r[0] * t[3] + e_r[1] * t[4] + e_r[2] * t[5]
                both = t[3] * w_b[0] + t[4] * w_b[1] + t[5] * w_b[2]
                term = -bend + square_r * (
                    c * (along_a * along_b - angle * angle * both) - 0.5 * twist)
                i = tree.slot[tree.path[early, 1]]
                work.A[i, j] += term
                if early < late:
                    work.A[j, i] += term
        _level_balls(tree, work, k, point, e_p, (
            square_r * e_r[0], square_r * e_r[1], square_r * e_r[2]))


@kernel
def _level_balls(tree, work, k, point, e_p, e_r):
    """
    Take the order from the three turns of each ball on the way to a tip.

    The sum above takes them one after the other, x first. A ball takes them at once, and
    ``exp(x) exp(y) = exp(x + y + [x, y] / 2 + ...)``: the second derivatives differ by half the
    slope along the third axis.
    """
    element = tree.tip_index[k, TIP_ELEMENT]
    while element >= 0:
        if tree.index[element, ELEMENT_KIND] == BALL:
            i, first = tree.index[element, VARIABLE], tree.index[element, SCREW]
            for third in range(3):
                v, w = twist_at(work.screw[first + third], point)
                half = 0.5 * (v[0] * e_p[0] + v[1] * e_p[1] + v[2] * e_p[2]
                              + w[0] * e_r[0] + w[1] * e_r[1] + w[2] * e_r[2])
                a, b = i + (third + 1) % 3, i + (third + 2) % 3
                term = half if third != 1 else -half
                work.A[a, b] += term
                work.A[b, a] += term
        element = tree.index[element, PARENT]


@kernel
def _pull(goal, residual):
    """Position error times its squared weights, along the base's axes."""
    pull = (goal[WEIGHT] * residual[0], goal[WEIGHT + 1] * residual[1],
            goal[WEIGHT + 2] * residual[2])
    if goal[KIND] != GOAL_AXES:
        return pull
    return quaternion.rotate((goal[0], goal[1], goal[2], goal[3]), pull)
