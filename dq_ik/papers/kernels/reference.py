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
The solvers of the documents with which the two methods of the package are compared.

Jacobian transpose, damped least squares, singular values, QR, Gauss-Newton and cyclic coordinate
descent ([Recipe] figure 8, [ProjectedLineSearch] section 2, [Rotations] algorithm 1). They serve
for comparison and teaching, so they read like their formulas.
"""

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.algebra.factor import (
    dot,
    EPSILON,
    gram,
    solve_positive,
    solve_qr,
    solve_svd,
    times,
    times_transposed,
)
from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import record, tree_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.memory.layout import Method, PATH_START, PATH_STOP, WEIGHT
from dq_ik.core.solve.residual import assemble, evaluate, stack

FIXED_LENGTH = 0.005  # of the Jacobian transpose ([ProjectedLineSearch] section 5)
LAMBDA = 1e-3  # damping of [Recipe] eq. 35
SMALLEST = 1e-3  # singular values below this part of the largest count as zero
STAGNATION = 1e-10  # relative change of the cost that ends an attempt


@routine
def attempt(blocks, method, q, max_iterations):
    """
    Run one attempt by a reference method.

    The singular-value and Gauss-Newton methods ignore the limits and project their final answer
    onto them, as Blender did ([ProjectedLineSearch] section 2); the others project every iterate.
    """
    tree, work = tree_of(blocks), work_of(blocks)
    cost, worst = evaluate(blocks, q)
    best, best_worst = math.inf, math.inf
    copy(q, work.best)
    if not math.isfinite(cost):
        return best, best_worst, 0
    inside = method != Method.SVD and method != Method.GAUSS_NEWTON
    for iteration in range(max_iterations + 1):
        stalled = iteration == max_iterations or is_over(work)
        if inside or worst <= 1.0 or stalled:
            fill(0.0, work.x)
            advance(tree, q, work.x, 0.0, work.lower, work.upper, work.trial)
            best, best_worst = _keep(blocks, best, best_worst)
        if best_worst <= 1.0 or stalled:
            return best, best_worst, iteration
        before = cost
        cost, worst = _iterate(blocks, method, q, inside)
        if abs(before - cost) <= STAGNATION * before or not math.isfinite(cost):
            fill(0.0, work.x)
            advance(tree, q, work.x, 0.0, work.lower, work.upper, work.trial)
            best, best_worst = _keep(blocks, best, best_worst)
            return best, best_worst, iteration + 1
    return best, best_worst, max_iterations


@routine
def _keep(blocks, best, best_worst):
    """Keep the projected configuration ``work.trial`` if it is the best so far."""
    work = work_of(blocks)
    cost, worst = evaluate(blocks, work.trial)
    if cost < best:
        copy(work.trial, work.best)
        return cost, worst
    return best, best_worst


@routine
def _iterate(blocks, method, q, inside):
    """One iteration in place; return the cost and the worst error after it."""
    tree, work = tree_of(blocks), work_of(blocks)
    if method == Method.CCD:
        return _descend_cyclically(blocks, q)
    evaluate(blocks, q)
    assemble(blocks)
    stack(tree, work)
    _step(blocks, method)
    if inside:
        advance(tree, q, work.x, 1.0, work.lower, work.upper, work.trial)
    else:
        fill(-math.inf, work.lowest)
        fill(math.inf, work.highest)
        advance(tree, q, work.x, 1.0, work.lowest, work.highest, work.trial)
    copy(work.trial, q)
    record(blocks, q)
    return evaluate(blocks, q)


@kernel
def _stacked_error(blocks):
    """See the weighted errors of all tips as one vector."""
    residual = work_of(blocks).residual
    return vector(residual, 0, 6 * residual.shape[0])


@routine
def _step(blocks, method):
    """Write the step of a linear method into ``work.x`` ([Recipe] figure 8)."""
    J = work_of(blocks).J
    if method == Method.TRANSPOSE:
        _transpose(blocks, False)
    elif method == Method.TRANSPOSE_BUSS:
        _transpose(blocks, True)
    elif method == Method.DLS:
        _damped(blocks)
    elif method == Method.SVD:
        _pseudo_inverse(blocks, SMALLEST)
    elif method == Method.QR:
        _minimum_norm(blocks)
    else:  # [Rotations] algorithm 1
        _pseudo_inverse(blocks, EPSILON * max(J.shape[0], J.shape[1]))


@routine
def _transpose(blocks, buss):
    """``x = length J^T e``, of a fixed length or the best one for the linearised error."""
    work, e = work_of(blocks), _stacked_error(blocks)
    x = work.x
    times_transposed(work.J, e, x)
    length = 2.0 * FIXED_LENGTH  # [ProjectedLineSearch] eqs. 26, 27
    if buss:  # [ProjectedLineSearch] eq. 28
        z = work.y
        times(work.J, x, z)
        square = dot(z, z)
        length = dot(e, z) / square if square > 0.0 else 0.0
    for i in range(x.shape[0]):
        x[i] *= length


@routine
def _damped(blocks):
    """``x = J^T (J J^T + lambda I)^-1 e`` ([Recipe] eq. 35); none where rounding forbids it."""
    work, e = work_of(blocks), _stacked_error(blocks)
    gram(work.J, work.G)
    for i in range(e.shape[0]):
        work.G[i, i] += LAMBDA
    copy(e, work.y)
    if solve_positive(work.G, work.y, e.shape[0]):
        times_transposed(work.J, work.y, work.x)
    else:
        fill(0.0, work.x)


@routine
def _pseudo_inverse(blocks, cutoff):
    """``V S^+ U^T e`` without singular values below a part of the largest."""
    work, e = work_of(blocks), _stacked_error(blocks)
    solve_svd(work.J, e, cutoff, work.B, work.W, work.s, work.x)


@routine
def _minimum_norm(blocks):
    """
    Least squares by QR: of J where it is tall, else of its transpose for the least norm.

    Differs from [Recipe] figure 8, whose ``R x = Q^T e`` holds for square or tall J only.
    """
    work, e = work_of(blocks), _stacked_error(blocks)
    solve_qr(work.J, e, work.B, work.s, work.y, work.x)


@routine
def _descend_cyclically(blocks, q):
    """
    Cyclic coordinate descent: each variable in turn goes to its own optimum inside the limits.

    The turns go from the tips to the base. For one screw the position and rotation costs are
    ``const - 2 (a cos x + b sin x)`` in its angle x, so the optimum is ``atan2(b, a)``; for a
    slide it is the mean way. The rotation is measured by ``2 - 2 cos`` of its angle.
    """
    tree, work = tree_of(blocks), work_of(blocks)
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
        if weight > 0.0:
            work.x[variable] = way / weight
        elif cosine != 0.0 or sine != 0.0:
            work.x[variable] = math.atan2(sine, cosine)
        advance(tree, q, work.x, 1.0, work.lower, work.upper, work.trial)
        copy(work.trial, q)
        record(blocks, q)
    return evaluate(blocks, q)


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
