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
"""The linear algebra of a step: projected Gauss-Seidel, the free set, the exact solve on it."""

from __future__ import annotations

from dq_ik.core.compile import FRONT_END
from dq_ik.core.solve import step
from helpers import BOTH, close, variant
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.optimize import lsq_linear

SIZES = st.integers(1, 9)
SEEDS = st.integers(0, 2**32 - 1)


def problem(n: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return a damped system of n joints with limits around q: A, b, J, e, q, lower, upper."""
    rng = np.random.default_rng(seed)
    J, e = rng.normal(size=(6, n)), rng.normal(size=6)
    q = rng.uniform(-1.0, 1.0, n)
    lower, upper = q - rng.uniform(0.0, 0.3, n), q + rng.uniform(0.0, 0.3, n)
    on = rng.random(n) < 0.2
    lower[on] = q[on]
    damping = 10.0 ** rng.uniform(-4.0, 0.0)
    return J.T @ J + damping * np.eye(n), J.T @ e, J, e, q, lower, upper, damping


def swept(how: str, A, b, q, lower, upper, sweeps: int) -> np.ndarray:
    """Return the unknowns after so many sweeps from zero."""
    x = np.zeros(len(b))
    for _ in range(sweeps):
        variant(step.gauss_seidel_sweep, how)(A, b, q, lower, upper, x)
    return x


@pytest.mark.parametrize('how', BOTH)
@settings(max_examples=30, deadline=None)
@given(n=SIZES, seed=SEEDS)
def test_sweeps_end_at_the_karush_kuhn_tucker_point(how, n, seed):
    A, b, _, _, q, lower, upper, _ = problem(n, seed)
    x = swept(how, A, b, q, lower, upper, 20 if how == 'plain' else 20000)
    gradient = A @ x - b
    assert np.all(q + x >= lower - 1e-15)
    assert np.all(q + x <= upper + 1e-15)
    if how == 'plain':  # too slow for enough sweeps: the compiled twin does them
        return
    free = (q + x > lower + 1e-12) & (q + x < upper - 1e-12)
    close(gradient[free], 0.0, 1e-7)
    assert np.all(gradient[q + x <= lower + 1e-12] >= -1e-7)
    pressed = (q + x >= upper - 1e-12) & (upper > lower)
    assert np.all(gradient[pressed] <= 1e-7)


@pytest.mark.skipif(not FRONT_END, reason='too slow for enough sweeps without a compiler')
@settings(max_examples=30, deadline=None)
@given(n=SIZES, seed=SEEDS)
def test_sweeps_agree_with_bounded_least_squares_of_scipy(n, seed):
    A, b, J, e, q, lower, upper, damping = problem(n, seed)
    x = swept('compiled', A, b, q, lower, upper, 20000)
    stacked = np.vstack([J, np.sqrt(damping) * np.eye(n)])
    wide = (lower - q - 1e-12, upper - q + 1e-12)  # SciPy wants room between the bounds
    expected = lsq_linear(stacked, np.concatenate([e, np.zeros(n)]), wide, tol=1e-14)

    def value(x):
        return np.sum((J @ x - e) ** 2) + damping * x @ x
    assert value(x) <= value(expected.x) + 1e-8


@pytest.mark.parametrize('how', BOTH)
@settings(max_examples=20, deadline=None)
@given(n=SIZES, seed=SEEDS)
def test_a_sweep_never_increases_the_quadratic_and_reports_its_change(how, n, seed):
    A, b, _, _, q, lower, upper, _ = problem(n, seed)
    x = np.zeros(n)
    value = 0.0
    for _ in range(5):
        before = x.copy()
        change = variant(step.gauss_seidel_sweep, how)(A, b, q, lower, upper, x)
        close(change, np.abs(x - before).max(), 1e-15)
        now = 0.5 * x @ A @ x - b @ x
        assert now <= value + 1e-12
        value = now


@pytest.mark.parametrize('how', BOTH)
def test_without_limits_the_sweeps_solve_the_system(how):
    A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    b = np.array([1.0, 2.0, 3.0])
    wide = np.full(3, 100.0)
    close(swept(how, A, b, np.zeros(3), -wide, wide, 100), np.linalg.solve(A, b), 1e-12)


@pytest.mark.parametrize('how', BOTH)
def test_one_unknown_beyond_its_limit_stops_there(how):
    A, b = np.array([[2.0]]), np.array([8.0])  # 4 without limits
    one = np.array([1.0])
    close(swept(how, A, b, np.array([0.25]), -one, one, 1), [0.75], 1e-15)
    close(swept(how, A, -b, np.array([0.25]), -one, one, 1), [-1.25], 1e-15)


@pytest.mark.parametrize('how', BOTH)
def test_free_joints_are_those_that_end_between_their_limits(how):
    q = np.zeros(5)
    lower, upper = -np.ones(5), np.ones(5)
    x = np.array([0.5, 1.0, -1.0, -0.999, 0.0])
    free = np.zeros(5, np.int64)
    count = variant(step.free_joints, how)(q, lower, upper, x, free)
    assert free[:count].tolist() == [0, 3, 4]


@pytest.mark.parametrize('how', BOTH)
@settings(max_examples=30, deadline=None)
@given(n=SIZES, seed=SEEDS)
def test_the_free_unknowns_are_solved_exactly_with_the_others_held(how, n, seed):
    A, b, *_ = problem(n, seed)
    rng = np.random.default_rng(seed)
    held = rng.random(n) < 0.4
    free = np.flatnonzero(~held)
    x = np.where(held, rng.normal(size=n), 99.0)
    kept = x.copy()
    order = np.zeros(n, np.int64)
    order[:len(free)] = free
    assert variant(step.solve_free, how)(A, b, order, len(free), np.zeros((n, n)), np.zeros(n), x)
    assert np.array_equal(x[held], kept[held])
    expected = np.linalg.solve(A[np.ix_(free, free)], b[free] - A[np.ix_(free, held)] @ x[held])
    close(x[free], expected, 1e-8 * max(1.0, np.abs(expected).max(initial=0.0)))


@pytest.mark.parametrize('how', BOTH)
def test_a_matrix_that_is_not_positive_definite_is_refused(how):
    A = np.array([[1.0, 2.0], [2.0, 1.0]])
    free, x = np.arange(2), np.zeros(2)
    assert not variant(step.solve_free, how)(
        A, np.ones(2), free, 2, np.zeros((2, 2)), np.zeros(2), x)


def test_zeros_between_branches_of_a_tree_change_nothing():
    rng = np.random.default_rng(3)
    J = rng.normal(size=(12, 9))
    J[:6, 6:] = 0.0
    J[6:, 3:6] = 0.0  # three joints of a trunk, two branches of three
    A, b = J.T @ J + 1e-3 * np.eye(9), rng.normal(size=9)
    x = np.zeros(9)
    assert step.solve_free(A, b, np.arange(9), 9, np.zeros((9, 9)), np.zeros(9), x)
    close(x, np.linalg.solve(A, b), 1e-9)


def manipulability(how: str, J: np.ndarray) -> float:
    """Return the measure; J is kept and the work arrays are full of rubbish."""
    m = len(J)
    return variant(step.manipulability, how)(J.copy(), np.full((m, m), 9.0), np.full(m, 9.0))


@pytest.mark.parametrize('how', BOTH)
def test_manipulability_is_the_product_of_the_singular_values(how):
    rng = np.random.default_rng(4)
    for shape in ((6, 7), (6, 6), (6, 5), (12, 9), (6, 2)):
        J = rng.normal(size=shape)
        expected = np.prod(np.linalg.svd(J, compute_uv=False))
        close(manipulability(how, J), expected, 1e-9 * expected)


@pytest.mark.parametrize('how', BOTH)
def test_rows_without_weight_do_not_count_in_the_manipulability(how):
    J = np.random.default_rng(5).normal(size=(6, 7))
    J[3:] = 0.0
    expected = np.prod(np.linalg.svd(J[:3], compute_uv=False))
    close(manipulability(how, J), expected, 1e-9)
