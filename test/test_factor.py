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
"""The small dense factorisations against NumPy: all shapes and ranks, and numbers not finite."""

from __future__ import annotations

from dq_ik.core.algebra import factor
from helpers import BOTH, close, variant
import numpy as np
import pytest

SHAPES = ((1, 1), (6, 1), (6, 5), (6, 6), (6, 7), (12, 9), (12, 12), (3, 20), (36, 71))
DEFICIENT = ((6, 5), (6, 6), (6, 7), (12, 9), (9, 12))
REFUSED = (np.nan, np.inf, 1e200)  # the last: squares overflow

each_shape = pytest.mark.parametrize('shape', SHAPES, ids=str)
both = pytest.mark.parametrize('how', BOTH)


def sample(shape: tuple[int, int], rank: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return a random matrix, of this rank if any is given, and a right-hand side."""
    rng = np.random.default_rng(shape)
    J = rng.normal(size=shape)
    if rank is not None:
        J = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    return J, rng.normal(size=shape[0])


def rubbish(*shape: int) -> np.ndarray:
    """Return an array that nobody has cleaned."""
    return np.full(shape, np.nan)


def short_rows(J: np.ndarray) -> np.ndarray:
    """Return J with its shorter side as rows."""
    return (J if J.shape[0] < J.shape[1] else J.T).copy()


def solved(how: str, solver: str, J: np.ndarray, e: np.ndarray, cutoff: float = 0.0) -> np.ndarray:
    """Return the least-squares answer of a solver of the module; J and e are kept."""
    m, n = J.shape
    short, x = min(m, n), rubbish(n)
    kept = J.copy(), e.copy()
    with np.errstate(all='ignore'):  # plain Python warns of numbers that are not finite
        if solver == 'qr':
            variant(factor.solve_qr, how)(
                J, e, rubbish(short, max(m, n)), rubbish(short), rubbish(m), x)
        else:
            variant(factor.solve_svd, how)(
                J, e, cutoff, rubbish(short, max(m, n)), rubbish(short, short), rubbish(short), x)
    assert np.array_equal(J, kept[0], equal_nan=True)
    assert np.array_equal(e, kept[1], equal_nan=True)
    return x


def default_cutoff(J: np.ndarray) -> float:
    """Return the part of the largest singular value below which lstsq sees zero."""
    return factor.EPSILON * max(J.shape)


# --- factors -------------------------------------------------------------------------------------


@both
@each_shape
def test_products_are_those_of_numpy(how, shape):
    J, e = sample(shape)
    x, y, G = rubbish(shape[1]), rubbish(shape[0]), np.zeros((shape[0], shape[0]))
    variant(factor.times_transposed, how)(J, e, x)
    close(x, J.T @ e, 1e-12)
    variant(factor.times, how)(J, x, y)
    close(y, J @ x, 1e-10)
    variant(factor.gram, how)(J, G)
    close(G, np.tril(J @ J.T), 1e-12)


@both
@each_shape
def test_positive_systems_are_solved(how, shape):
    J, e = sample(shape)
    A, y = J @ J.T + 0.1 * np.eye(len(e)), e.copy()
    assert variant(factor.solve_positive, how)(np.tril(A), y, len(e))
    close(y, np.linalg.solve(A, e), 1e-9)


@both
@pytest.mark.parametrize('diagonal', [0.0, -1.0, np.nan])
def test_other_systems_are_refused(how, diagonal):
    A = np.diag([1.0, diagonal, 1.0])
    assert not variant(factor.solve_positive, how)(A, np.ones(3), 3)


@both
@each_shape
def test_the_triangle_is_that_of_lapack(how, shape):
    B = short_rows(sample(shape)[0])
    R = np.linalg.qr(B.T)[1]
    diagonal = rubbish(len(B))
    variant(factor.factor_qr, how)(B, diagonal)
    close(diagonal, np.diag(R), 1e-12)
    close(np.tril(B[:, :len(B)], -1), np.triu(R, 1).T, 1e-12)


@both
@each_shape
@pytest.mark.parametrize('rank', [None, 1, 0])
def test_singular_values_and_vectors(how, shape, rank):
    J = short_rows(sample(shape, rank)[0])
    B, W, s = J.copy(), rubbish(len(J), len(J)), rubbish(len(J))
    variant(factor.factor_svd, how)(B, W, s)
    scale = max(1.0, np.abs(J).max())
    close(sorted(s, reverse=True), np.linalg.svd(J, compute_uv=False), 1e-13 * scale)
    close(W @ W.T, np.eye(len(J)), 1e-13)
    close(W.T @ B, J, 1e-13 * scale)
    close(B @ B.T, np.diag(s * s), 1e-12 * scale * scale)


# --- least squares -------------------------------------------------------------------------------


@both
@each_shape
@pytest.mark.parametrize('solver', ['qr', 'svd'])
def test_full_rank_gives_the_answer_of_lstsq(how, shape, solver):
    J, e = sample(shape)
    expected = np.linalg.lstsq(J, e, rcond=None)[0]
    found = solved(how, solver, J, e, default_cutoff(J))
    close(found, expected, 1e-9 * max(1.0, np.abs(expected).max()))


@both
@pytest.mark.parametrize('shape', DEFICIENT, ids=str)
def test_without_full_rank_singular_values_give_the_answer_of_lstsq(how, shape):
    """The rank is lost by columns of zeros and by columns twice: no rounding blurs it."""
    J, e = sample(shape)
    J[:, 1] = 0.0
    J[:, 2] = J[:, 0]
    expected = np.linalg.lstsq(J, e, rcond=None)[0]
    close(solved(how, 'svd', J, e, default_cutoff(J)), expected, 1e-9)


@both
@pytest.mark.parametrize('shape', DEFICIENT, ids=str)
def test_small_singular_values_are_cut_off(how, shape):
    J, e = sample(shape)
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    s[-2:] = 5e-4 * s[0], 2e-3 * s[0]
    J = U * s @ Vt
    close(solved(how, 'svd', J, e, 1e-3), np.linalg.pinv(J, rcond=1e-3) @ e, 1e-8)


def by_lapack(J: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Return the answer by QR with the diagonal of R lifted, from the formulas."""
    Q, R = np.linalg.qr(short_rows(J).T)
    R += factor.LIFT * np.eye(len(R))
    return Q @ np.linalg.solve(R.T, e) if J.shape[0] < J.shape[1] else np.linalg.solve(R, Q.T @ e)


@both
@pytest.mark.parametrize('shape', DEFICIENT, ids=str)
def test_without_full_rank_qr_gives_the_answer_of_lapack(how, shape):
    """Zeros in a row of a wide J, in a column of a tall one: no rounding blurs the rank."""
    J, e = sample(shape)
    if shape[0] < shape[1]:
        J[2] = 0.0
    else:
        J[:, 2] = 0.0
    expected = by_lapack(J, e)
    close(solved(how, 'qr', J, e), expected, 1e-9 * np.abs(expected).max())


@both
@pytest.mark.parametrize('shape', DEFICIENT, ids=str)
def test_qr_without_full_rank_stays_finite(how, shape):
    J, e = sample(shape, rank=2)
    assert np.all(np.isfinite(solved(how, 'qr', J, e)))


@both
@each_shape
def test_a_matrix_of_zeros(how, shape):
    J, e = np.zeros(shape), np.zeros(shape[0])
    assert not solved(how, 'qr', J, e).any()
    assert not solved(how, 'svd', J, e + 1.0).any()
    assert np.all(np.isfinite(solved(how, 'qr', J, e + 1.0)))


@both
@pytest.mark.parametrize('value', REFUSED)
@pytest.mark.parametrize('shape', [(6, 5), (6, 6), (6, 7), (36, 71)], ids=str)
def test_numbers_that_are_not_finite_end_too(how, shape, value):
    J, e = sample(shape)
    J[1, 0] = value
    for solver in ('qr', 'svd'):
        assert solved(how, solver, J, e).shape == (shape[1],)
    everywhere = np.full(shape, value)
    for solver in ('qr', 'svd'):
        assert solved(how, solver, everywhere, e).shape == (shape[1],)
