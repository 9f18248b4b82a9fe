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
The step of a chain with one tip, from six equations for any number of joints.

``(J^T J + d M) x = J^T e`` ([Kenwright2022] eq. 30) is solved by ``x = M^-1 J^T y`` with
``(J M^-1 J^T + d I) y = e``. The six rows are taken as two blocks of three, so that everything
stays in registers; held joints are taken out of J and their motion out of e.
"""

from dq_ik.core.algebra.triple import dot
from dq_ik.core.compile import kernel

# Symmetric 3x3 matrices are tuples (xx, yx, yy, zx, zy, zz), general ones nine numbers by rows.


@kernel
def solve_tip(column, e, gain, damping, free, count, x):
    """
    Solve for the free joints with the others held.

    :param column: ``(n, 6)`` weighted Jacobian columns
    :param e: weighted error, two tuples of three
    :param gain: ``(n,)`` diagonal of ``M^-1``
    :param x: in: values of the held joints; out: the free ones too
    """
    n = x.shape[0]
    if count < n:
        for p in range(count):
            x[free[p]] = 0.0
        for i in range(n):
            e = without(e, column[i], x[i])
    y_p, y_r = solve_blocks(_blocks(column, gain, damping, free, count), e)
    for p in range(count):
        i = free[p]
        x[i] = gain[i] * along(column[i], (y_p, y_r))


@kernel
def along(c, e):
    """Inner product of a column with two tuples of three."""
    return (c[0] * e[0][0] + c[1] * e[0][1] + c[2] * e[0][2]
            + c[3] * e[1][0] + c[4] * e[1][1] + c[5] * e[1][2])


@kernel
def without(e, c, x):
    """Return the error that is left after a column moved by x."""
    return ((e[0][0] - c[0] * x, e[0][1] - c[1] * x, e[0][2] - c[2] * x),
            (e[1][0] - c[3] * x, e[1][1] - c[4] * x, e[1][2] - c[5] * x))


@kernel
def sweep_tip(column, e, metric, damping, q, lower, upper, x):
    """
    One sweep of projected Gauss-Seidel, in place ([Kenwright2022] algorithm 1 with eq. 31).

    The same numbers as :func:`dq_ik.core.solve.step.gauss_seidel_sweep`, without the matrix: the
    error that is left takes the place of the row's product.
    """
    for i in range(q.shape[0]):
        e = without(e, column[i], x[i])
    for i in range(q.shape[0]):
        c = column[i]
        value = x[i] + own_change(c, e, damping * metric[i], x[i])
        value = min(max(value, lower[i] - q[i]), upper[i] - q[i])
        e = without(e, c, value - x[i])
        x[i] = value


@kernel
def own_change(c, e, resistance, x):
    """Change of an unknown x that solves its own row, with the error e left by all of them."""
    square = along(c, ((c[0], c[1], c[2]), (c[3], c[4], c[5])))
    return (along(c, e) - resistance * x) * (1.0 / (square + resistance))  # e comes last


@kernel
def _blocks(column, gain, damping, free, count):
    """Blocks ``(P, C, R)`` of ``J M^-1 J^T + d I``: position, rotation by position, rotation."""
    position = (damping, 0.0, damping, 0.0, 0.0, damping)
    rotation = (damping, 0.0, damping, 0.0, 0.0, damping)
    coupling = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for p in range(count):
        blocks = add_column((position, coupling, rotation), column[free[p]], gain[free[p]])
        position, coupling, rotation = blocks
    return position, coupling, rotation


@kernel
def add_column(blocks, c, g):
    """Add ``g c c^T`` to the blocks of :func:`_blocks`."""
    position, coupling, rotation = blocks
    v = (c[0], c[1], c[2])
    w = (c[3], c[4], c[5])
    w_g = (g * w[0], g * w[1], g * w[2])
    return (_add_square(position, v, (g * v[0], g * v[1], g * v[2])),
            _add_outer(coupling, w_g, v), _add_square(rotation, w, w_g))


@kernel
def _add_square(s, a, b):
    """Add ``a b^T`` with b parallel to a."""
    return (s[0] + a[0] * b[0],
            s[1] + a[1] * b[0], s[2] + a[1] * b[1],
            s[3] + a[2] * b[0], s[4] + a[2] * b[1], s[5] + a[2] * b[2])


@kernel
def _add_outer(m, a, b):
    """Add ``a b^T``."""
    return (m[0] + a[0] * b[0], m[1] + a[0] * b[1], m[2] + a[0] * b[2],
            m[3] + a[1] * b[0], m[4] + a[1] * b[1], m[5] + a[1] * b[2],
            m[6] + a[2] * b[0], m[7] + a[2] * b[1], m[8] + a[2] * b[2])


@kernel
def solve_blocks(blocks, e):
    """Solve the six equations by eliminating the position: ``S = R - C P^-1 C^T``."""
    position, c, rotation = blocks
    factor = _factor(position)
    z0 = _solve(factor, (c[0], c[1], c[2]))  # rows of C P^-1
    z1 = _solve(factor, (c[3], c[4], c[5]))
    z2 = _solve(factor, (c[6], c[7], c[8]))
    schur = (rotation[0] - dot(z0, (c[0], c[1], c[2])),
             rotation[1] - dot(z1, (c[0], c[1], c[2])),
             rotation[2] - dot(z1, (c[3], c[4], c[5])),
             rotation[3] - dot(z2, (c[0], c[1], c[2])),
             rotation[4] - dot(z2, (c[3], c[4], c[5])),
             rotation[5] - dot(z2, (c[6], c[7], c[8])))
    e_p, e_r = e
    y_r = _solve(_factor(schur),
                 (e_r[0] - dot(z0, e_p), e_r[1] - dot(z1, e_p), e_r[2] - dot(z2, e_p)))
    y = _solve(factor, e_p)
    y_p = (y[0] - z0[0] * y_r[0] - z1[0] * y_r[1] - z2[0] * y_r[2],
           y[1] - z0[1] * y_r[0] - z1[1] * y_r[1] - z2[1] * y_r[2],
           y[2] - z0[2] * y_r[0] - z1[2] * y_r[1] - z2[2] * y_r[2])
    return y_p, y_r


@kernel
def _factor(s):
    """
    Factor ``L D L^T`` of a positive definite matrix: (1 / D, below the diagonal of L).

    The first two divisions do not wait for each other.
    """
    i0 = 1.0 / s[0]
    i1 = s[0] / (s[0] * s[2] - s[1] * s[1])
    l10 = s[1] * i0
    l20 = s[3] * i0
    below = s[4] - l20 * s[1]
    l21 = below * i1
    i2 = 1.0 / (s[5] - l20 * s[3] - l21 * below)
    return (i0, i1, i2, l10, l20, l21)


@kernel
def _solve(factor, b):
    """Solve ``L D L^T y = b``."""
    i0, i1, i2, l10, l20, l21 = factor
    y1 = b[1] - l10 * b[0]
    y2 = (b[2] - l20 * b[0] - l21 * y1) * i2
    y1 = y1 * i1 - l21 * y2
    return (b[0] * i0 - l10 * y1 - l20 * y2, y1, y2)


@kernel
def has_six_equations(work, q):
    """Tell whether one tip with no more equations than joints is asked for."""
    return work.goals.shape[0] == 1 and q.shape[0] >= 6


@kernel
def tip_residual(work):
    """Weighted error of the only tip, two tuples of three."""
    e = work.residual[0]
    return (e[0], e[1], e[2]), (e[3], e[4], e[5])
