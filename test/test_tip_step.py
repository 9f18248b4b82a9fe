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

"""The step of a chain with one tip: six equations give what the joints' n give."""

from __future__ import annotations

from dq_ik.core.solve.step import gauss_seidel_sweep
from dq_ik.core.solve.tip_step import solve_tip, sweep_tip
from helpers import BOTH, variant
import numpy as np
import pytest

both = pytest.mark.parametrize('how', BOTH)


def case(n: int, seed: int):
    """Return columns, errors (array and tuples), strengths and a damping."""
    rng = np.random.default_rng(seed)
    e = rng.normal(size=6)
    return (rng.normal(size=(n, 6)), e, (tuple(e[:3]), tuple(e[3:])),
            rng.uniform(0.2, 3.0, n), 10.0 ** rng.uniform(-6, 0))


@both
@pytest.mark.parametrize('n', [6, 7, 9, 30])
@pytest.mark.parametrize('held', [(), (1,), (0, 3, 5)])
def test_free_joints_solve_the_damped_normal_equations(how, n, held):
    for seed in range(5):
        column, e, halves, gain, damping = case(n, seed)
        free = np.array([i for i in range(n) if i not in held])
        x = np.full(n, 0.1)
        listed = np.concatenate([free, np.zeros(len(held), int)])
        variant(solve_tip, how)(column, halves, gain, damping, listed, len(free), x)
        J = column[free].T
        left = e - 0.1 * column[list(held)].sum(axis=0)
        expected = np.linalg.solve(J.T @ J + damping * np.diag(1 / gain[free]), J.T @ left)
        np.testing.assert_allclose(x[free], expected, rtol=1e-6, atol=1e-8)
        assert all(x[i] == 0.1 for i in held)


@both
def test_a_sweep_is_that_of_the_matrix(how):
    for seed in range(10):
        column, e, halves, gain, damping = case(7, seed)
        rng = np.random.default_rng(seed)
        q = rng.uniform(-1, 1, 7)
        lower, upper = q - rng.uniform(0, 0.3, 7), q + rng.uniform(0, 0.3, 7)
        A = column @ column.T + damping * np.diag(1 / gain)
        x = np.clip(rng.uniform(-0.3, 0.3, 7), lower - q, upper - q)
        expected = x.copy()
        variant(gauss_seidel_sweep, how)(A, column @ e, q, lower, upper, expected)
        variant(sweep_tip, how)(column, halves, 1 / gain, damping, q, lower, upper, x)
        np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-12)
        assert np.all(lower <= q + x + 1e-15)
        assert np.all(q + x <= upper + 1e-15)
