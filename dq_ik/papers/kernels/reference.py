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
from dq_ik.core.algebra.vector import copy, fill, is_zero
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance, move
from dq_ik.core.memory.arrays import matrix, vector
from dq_ik.core.memory.blocks import record, tree_of, work_of
from dq_ik.core.memory.clock import is_over
from dq_ik.core.memory.layout import Method
from dq_ik.core.solve.residual import assemble, evaluate, stack
from dq_ik.papers.kernels.coordinate_descent import descend_cyclically, strength_of

FIXED_LENGTH = 0.005  # of the Jacobian transpose ([ProjectedLineSearch] section 5)
LAMBDA = 1e-3  # damping of [Recipe] eq. 35
SMALLEST = 1e-3  # singular values below this part of the largest count as zero
STAGNATION = 1e-10  # relative change of the cost that ends an attempt


@routine
def attempt(blocks, method, q, max_iterations):
    """
    Run one attempt by a reference method.

    The singular-value and Gauss-Newton methods ignore the limits, also those of balls, and project
    their final answer onto them, as Blender did ([ProjectedLineSearch] section 2); the others
    project every iterate.
    """
    work = work_of(blocks)
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
            advance(blocks, q, work.x, 0.0, work.trial)
            best, best_worst = _keep(blocks, best, best_worst)
        if best_worst <= 1.0 or stalled:
            return best, best_worst, iteration
        before = cost
        cost, worst = _iterate(blocks, method, q, inside)
        if abs(before - cost) <= STAGNATION * before or not math.isfinite(cost):
            fill(0.0, work.x)
            advance(blocks, q, work.x, 0.0, work.trial)
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
        return descend_cyclically(blocks, q)
    evaluate(blocks, q)
    assemble(blocks)
    stack(tree, work)
    _scale_columns(work)
    _step(blocks, method)
    for i in range(q.shape[0]):
        work.x[i] *= strength_of(work, i)
    if inside:
        advance(blocks, q, work.x, 1.0, work.trial)
    else:
        move(tree, q, work.x, work.trial)
    copy(work.trial, q)
    record(blocks, q)
    return evaluate(blocks, q)


@kernel
def _scale_columns(work):
    """
    Scale each column of J by the strength of its joint ([Recipe] section 3.3).

    With ``x = S y`` a linear method solves ``J S y = e``: weak joints move less. A column of zeros
    takes its joint out of the system.
    """
    for i in range(work.J.shape[1]):
        strength = strength_of(work, i)
        if strength != 1.0:
            for r in range(work.J.shape[0]):
                work.J[r, i] *= strength


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

    Differs from [Recipe] figure 8, whose ``R x = Q^T e`` holds for square or tall J only. Rows
    that ask for nothing are left out, so that a position alone is a wide J.
    """
    work, e = work_of(blocks), _stacked_error(blocks)
    n, rows = work.J.shape[1], 0
    for r in range(work.J.shape[0]):
        if not is_zero(work.J[r]):
            copy(work.J[r], work.J[rows])
            e[rows] = e[r]
            rows += 1
    if rows == 0:
        fill(0.0, work.x)
        return
    short = min(rows, n)
    solve_qr(matrix(work.J, 0, rows, n), vector(e, 0, rows),
             matrix(work.B, 0, short, max(rows, n)), vector(work.s, 0, short),
             vector(work.y, 0, rows), work.x)
