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
The linear algebra of one step: damping, projected Gauss-Seidel, exact solve.

``A x = b`` with ``A = J^T W J + D`` and ``b = J^T W e`` ([Kenwright2022] eqs. 27-30), subject to
``lower <= q + x <= upper``.
"""

import math

from dq_ik.core.algebra.factor import dot, eliminate, solve_positive
from dq_ik.core.algebra.vector import copy, fill, is_zero
from dq_ik.core.compile import kernel, routine

DAMPING = 0.05  # times the cost: strong far from the goal, vanishing at it (after Sugihara)
DAMPING_FLOOR = 1e-9
STALL_AFTER = 2  # iterations between two checks of the progress
STALLED_ALONE = 0.98  # the cost must fall to this part, of an attempt that no other follows


@kernel
def damping_at(cost):
    """Damping of the step of an attempt; a number or lanes."""
    return DAMPING * cost + DAMPING_FLOOR


@kernel
def damp(A, damping, metric):
    """Add ``damping * metric`` to the diagonal ([Kenwright2022] eq. 30)."""
    for i in range(A.shape[0]):
        A[i, i] += damping * metric[i]


@kernel
def gauss_seidel_sweep(A, b, q, lower, upper, x):
    """
    One sweep of projected Gauss-Seidel, in place ([Kenwright2022] algorithm 1 with eq. 31).

    Each unknown is solved from its own row and clamped, so that ``q + x`` stays inside the limits.

    :returns: the largest change of an unknown
    """
    n = b.shape[0]
    change = 0.0
    for i in range(n):
        r = b[i]
        for j in range(n):
            r -= A[i, j] * x[j]
        value = min(max(x[i] + r / A[i, i], lower[i] - q[i]), upper[i] - q[i])
        change = max(change, abs(value - x[i]))
        x[i] = value
    return change


@kernel
def free_joints(q, lower, upper, x, free_out):
    """List the joints that the step x does not press onto a limit; return how many there are."""
    count = 0
    for i in range(q.shape[0]):
        free_out[count] = i  # stays if i is free; without a branch, which would be hard to foresee
        count += int((lower[i] - q[i] < x[i]) & (x[i] < upper[i] - q[i]))
    return count


@kernel
def solve_free(A, b, free, count, L, y, x):
    """
    Solve for the free unknowns with the others held.

    By the factorisation ``A = L^T D L`` of the free part. Unknowns are eliminated from the tips to
    the base, so that the zeros between branches of a tree stay zeros and are skipped.

    :param x: in: values of the held unknowns; out: the free ones too
    :param L: work matrix; its rows up to the diagonal end as ``D L``
    :param y: work array
    :returns: False if the matrix is not positive definite on the free joints
    """
    n = b.shape[0]
    for p in range(count):
        x[free[p]] = 0.0
    for p in range(count):
        i = free[p]
        y[p] = b[i]
        for r in range(p + 1):
            L[p, r] = A[i, free[r]]
        if count < n:
            for j in range(n):
                y[p] -= A[i, j] * x[j]
    if not solve_positive(L, y, count):
        return False
    for p in range(count):
        x[free[p]] = y[p]
    return True


@routine
def manipulability(J, G, y):
    """
    Yoshikawa's measure: the product of the singular values of the weighted Jacobian.

    For any number of joints and tips: the square root of ``det(J J^T)``, or of ``det(J^T J)``
    where there are fewer joints than rows.

    :param J: out: its rows that are not zero, first
    :param G: work matrix, as many rows and columns as J has rows
    :param y: work array, as many as J has rows
    """
    n = J.shape[1]
    rows = 0
    for r in range(J.shape[0]):  # rows without weight do not count
        if not is_zero(J[r]):
            copy(J[r], J[rows])
            rows += 1
    size = min(n, rows)
    fill(0.0, y)
    for i in range(size):
        for j in range(i + 1):
            G[i, j] = dot(J[i], J[j]) if rows <= n else _column_product(J, rows, i, j)
    if not eliminate(G, y, size):
        return 0.0
    product = 1.0
    for i in range(size):
        product *= math.sqrt(G[i, i])
    return product


@kernel
def _column_product(J, rows, i, j):
    """Inner product of two columns, over the first rows."""
    total = 0.0
    for m in range(rows):
        total += J[m, i] * J[m, j]
    return total
