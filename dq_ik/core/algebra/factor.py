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
Small dense factorisations in memory that is handed in: elimination, Householder, Jacobi.

Nothing here allocates or raises, and every loop is bounded: numbers that are not finite only give
answers that are not finite, or zero.

A matrix of any shape is laid down with the vectors of its shorter side as rows, so that all inner
loops run along rows: ``B = J`` where J is wide, ``B = J^T`` where it is square or tall.
"""

import math

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine

TINY = 1e-15  # pivots below count as zero
EPSILON = 2.0 ** -52  # distance from 1 to the next number
LIFT = 1e-12  # added to the diagonal of R: without full rank answers are large, not infinite
ORTHOGONAL = 4e-15  # cosine of rows that count as orthogonal: the rounding of their product
MAX_SWEEPS = 30  # rows are orthogonal after 5 to 10


# --- products ------------------------------------------------------------------------------------


@kernel
def dot(a, b):
    """Inner product, over the length of the first vector."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def add(factor, a, b_out):
    """Add a multiple of one vector to another, in place."""
    for i in range(a.shape[0]):
        b_out[i] += factor * a[i]


@kernel
def times(J, x, y_out):
    """``y = J x``."""
    for r in range(J.shape[0]):
        y_out[r] = dot(J[r], x)


@kernel
def times_transposed(J, y, x_out):
    """``x = J^T y``."""
    fill(0.0, x_out)
    for r in range(J.shape[0]):
        add(y[r], J[r], x_out)


@kernel
def gram(J, G_out):
    """``G = J J^T``, lower triangle."""
    for r in range(J.shape[0]):
        for s in range(r + 1):
            G_out[r, s] = dot(J[r], J[s])


@kernel
def by_short_side(J, B_out):
    """Write J with the vectors of its shorter side as rows; square counts as tall."""
    for r in range(J.shape[0]):
        for c in range(J.shape[1]):
            if J.shape[0] < J.shape[1]:
                B_out[r, c] = J[r, c]
            else:
                B_out[c, r] = J[r, c]


# --- elimination ---------------------------------------------------------------------------------


@kernel
def eliminate(L, y, count):
    """Eliminate in a symmetric matrix (lower triangle), last first; False if a pivot is <= 0."""
    for p in range(count - 1, -1, -1):
        if not L[p, p] > TINY:
            return False
        inverse = 1.0 / L[p, p]
        for s in range(p):
            if L[p, s] == 0.0:
                continue
            factor = L[p, s] * inverse
            for r in range(s + 1):
                L[s, r] -= factor * L[p, r]
            y[s] -= factor * y[p]
    return True


@kernel
def solve_positive(L, y, count):
    """
    Solve ``A y' = y`` in place for symmetric A, by ``A = L^T D L``.

    :param L: in: A, lower triangle; out: ``D L``
    :returns: False if A is not positive definite; y is of no use then
    """
    if not eliminate(L, y, count):
        return False
    for p in range(count):
        value = y[p]
        for r in range(p):
            value -= L[p, r] * y[r]
        y[p] = value / L[p, p]
    return True


# --- QR by Householder ---------------------------------------------------------------------------


@routine
def factor_qr(B, diagonal_out):
    """
    Factor ``B^T = Q R`` in place by reflections, with the signs of LAPACK.

    Row p of B ends as column p of R in front of the diagonal, then the normal of reflection p;
    the diagonal of R is apart. A normal that begins with zero means no reflection.
    """
    for p in range(B.shape[0]):
        row = B[p]
        tail = 0.0
        for i in range(p + 1, row.shape[0]):
            tail += row[i] * row[i]
        diagonal_out[p] = row[p]
        if tail == 0.0:
            row[p] = 0.0
            continue
        length = math.copysign(math.sqrt(tail + row[p] * row[p]), row[p])
        diagonal_out[p] = -length
        for i in range(p, row.shape[0]):
            row[i] /= length
        row[p] += 1.0
        for r in range(p + 1, B.shape[0]):
            _reflect(row, p, B[r])


@kernel
def _reflect(normal, start, a_out):
    """Mirror a vector on the plane across a normal that begins at ``start``, in place."""
    if normal[start] == 0.0:
        return
    along = 0.0
    for i in range(start, normal.shape[0]):
        along += normal[i] * a_out[i]
    along /= normal[start]
    for i in range(start, normal.shape[0]):
        a_out[i] -= along * normal[i]


@routine
def solve_qr(J, e, B, diagonal, y, x_out):
    """
    Least squares ``J x = e`` by QR: of J where it is tall, else of J^T, for the least norm.

    :param B: work matrix (short side, long side)
    :param diagonal: work array (short side,)
    :param y: work array (rows of J,)
    """
    by_short_side(J, B)
    factor_qr(B, diagonal)
    short = B.shape[0]
    copy(e, y)
    if J.shape[0] < J.shape[1]:  # R^T y = e, x = Q y
        for p in range(short):
            for r in range(p):
                y[p] -= B[p, r] * y[r]
            y[p] /= diagonal[p] + LIFT
        fill(0.0, x_out)
        copy(y, x_out)
        for p in range(short - 1, -1, -1):
            _reflect(B[p], p, x_out)
        return
    for p in range(short):  # R x = Q^T e
        _reflect(B[p], p, y)
    for p in range(short - 1, -1, -1):
        x_out[p] = y[p] / (diagonal[p] + LIFT)
        for r in range(p):
            y[r] -= B[p, r] * x_out[p]


# --- singular values by one-sided Jacobi ---------------------------------------------------------


@routine
def factor_svd(B, W_out, s_out):
    """
    Thin singular value decomposition by rotations of pairs of rows (Hestenes).

    ``W B`` has orthogonal rows with the singular values as lengths, in no order; W is orthogonal.

    :param B: in: no more rows than columns; out: ``W B``
    """
    noise = 0.0
    for p in range(B.shape[0]):
        fill(0.0, W_out[p])
        W_out[p, p] = 1.0
        noise += EPSILON * EPSILON * dot(B[p], B[p])
    for _ in range(MAX_SWEEPS):
        if not _sweep(B, W_out, noise, s_out):
            break
    for p in range(B.shape[0]):
        s_out[p] = math.sqrt(dot(B[p], B[p]))


@kernel
def _sweep(B, W, noise, squares):
    """
    Make each pair of rows orthogonal in turn; tell whether any was not.

    :param noise: rows whose squares are below may stay as they are
    :param squares: work array of the squares of the rows; measured once, then kept up to date
    """
    for p in range(B.shape[0]):
        squares[p] = dot(B[p], B[p])
    turned = False
    for q in range(1, B.shape[0]):
        for p in range(q):
            a, b, product = squares[p], squares[q], dot(B[p], B[q])
            if not min(a, b) > noise:
                continue
            if not abs(product) > ORTHOGONAL * math.sqrt(a) * math.sqrt(b):
                continue
            cotangent = (b - a) / (2.0 * product)  # of twice the angle
            tangent = math.copysign(1.0, cotangent) / (
                abs(cotangent) + math.sqrt(1.0 + cotangent * cotangent))
            cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
            _turn(B[p], B[q], cosine, cosine * tangent)
            _turn(W[p], W[q], cosine, cosine * tangent)
            squares[p], squares[q] = a - tangent * product, b + tangent * product
            turned = True
    return turned


@kernel
def _turn(a_out, b_out, cosine, sine):
    """Rotate two vectors into each other, in place."""
    for i in range(a_out.shape[0]):
        a, b = a_out[i], b_out[i]
        a_out[i] = cosine * a - sine * b
        b_out[i] = sine * a + cosine * b


@routine
def solve_svd(J, e, cutoff, B, W, s, x_out):
    """
    Least squares of the least norm, ``x = V S^+ U^T e``.

    :param cutoff: singular values up to this part of the largest count as zero
    :param B: work matrix (short side, long side)
    :param W: work matrix (short side, short side)
    :param s: out: singular values, in no order
    """
    by_short_side(J, B)
    factor_svd(B, W, s)
    largest = 0.0
    for p in range(s.shape[0]):
        largest = max(largest, s[p])
    fill(0.0, x_out)
    for p in range(s.shape[0]):
        if not s[p] > cutoff * largest:
            continue
        if J.shape[0] < J.shape[1]:  # rows of W are columns of U, those of B are s V^T
            add(dot(W[p], e) / s[p] / s[p], B[p], x_out)
        else:  # rows of B are s U^T, those of W are columns of V
            add(dot(B[p], e) / s[p] / s[p], W[p], x_out)
