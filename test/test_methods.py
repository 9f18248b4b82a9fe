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
"""Each method: easy goals, first steps by their formulas, limits and descent at every iterate."""

from __future__ import annotations

from itertools import pairwise

from arms import arm, judged, nearby, PATIENT
from dq_ik import Goal, Pose, Solver, Status
from dq_ik.options import METHODS
from dq_ik.papers.kernels import published as paper
from dq_ik.papers.kernels import reference
from helpers import close
import numpy as np
import pytest

SCALE = 0.25
# The transpose with a fixed length gets there slowly: a looser end for all.
LOOSE = 1e-2
PROJECTED = tuple(method for method in METHODS if method not in ('svd', 'gauss_newton'))
DESCENDING = ('pls', 'pls_paper')


def solver(name: str, method: str, **options) -> Solver:
    """Return a solver that stays at its seed and keeps all iterates."""
    return Solver(arm(name), method=method, max_restarts=0, rotation_scale=SCALE,
                  **{'timeout': PATIENT, 'trace': 3000, **options})


def linearised(name: str, q: np.ndarray, goal: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted Jacobian and error of an arm with one tip, from the public functions."""
    chain = arm(name)
    x = chain.fk(q)
    J = chain.jacobian(q)
    J[3:] *= SCALE
    turn = (goal @ x.inverse()).log()[3:]
    return J, np.concatenate([goal.position - x.position, SCALE * turn])


def cost(name: str, q: np.ndarray, goal: Pose) -> float:
    """Return the cost of q by products of matrices."""
    metres, radians = judged(arm(name), q).distance(goal)
    return metres**2 + (SCALE * radians) ** 2


def cases(name: str, count: int, size: float, seed: int) -> list[tuple[Pose, np.ndarray]]:
    """Return goals and seeds at most ``size`` from them in each joint."""
    chain, rng = arm(name), np.random.default_rng(seed)
    drawn = [chain.random(rng) for _ in range(count)]
    return [(chain.fk(q), nearby(chain, q, rng, size)) for q in drawn]


# --- they solve ----------------------------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_every_method_solves_easy_goals(method):
    chain = arm('arm6')
    q = np.array((0.3, 0.2, -1.0, 0.5, 0.9, 0.4))
    rng = np.random.default_rng(1)
    found = solver('arm6', method, tolerance=LOOSE)
    for _ in range(5):
        goal = chain.fk(nearby(chain, q, rng, 0.1))
        result = found.solve(goal, q)
        metres, radians = judged(chain, result.q).distance(goal)
        assert result.success
        assert metres <= LOOSE
        assert radians <= LOOSE


@pytest.mark.parametrize('method', [m for m in METHODS if m not in ('pgs', 'pls')])
def test_other_methods_answer_for_themselves(method):
    """Out of reach the answer is the nearest of their own iterates, not our best reach."""
    chain = arm('arm6')
    seed = np.array((0.3, 0.2, -1.0, 0.5, 0.9, 0.4))
    goal = chain.fk(seed) @ Pose.from_xyz_rpy((0.0, 0.0, 5.0), (0.0, 0.0, 0.0))
    result = solver('arm6', method, max_iterations=20).solve(goal, seed)
    assert result.status is Status.STALLED
    iterates = [seed, *map(chain.clamp, result.trace)]
    x = judged(chain, result.q)
    assert min(sum(judged(chain, q).distance(x)) for q in iterates) < 1e-9


@pytest.mark.parametrize('method', ['pgs', 'pls', 'pgs_paper', 'dls', 'qr', 'svd', 'gauss_newton'])
def test_methods_of_second_order_end_at_the_goal_itself(method):
    chain = arm('arm6')
    q = np.array((0.3, 0.2, -1.0, 0.5, 0.9, 0.4))
    goal = chain.fk(nearby(chain, q, np.random.default_rng(2), 0.2))
    result = solver('arm6', method, tolerance=1e-9).solve(goal, q)
    assert result.success
    assert judged(chain, result.q).distance(goal)[0] < 2e-9


@pytest.mark.parametrize('method', ['gauss_newton', 'svd', 'qr'])
def test_full_steps_converge_quadratically(method):
    """The error of a step is that of the linear model; half a step would leave half of it."""
    found = solver('arm6', method, tolerance=1e-11)
    for goal, seed in cases('arm6', 5, 0.05, 11):
        path = [cost('arm6', q, goal) ** 0.5 for q in (seed, *found.solve(goal, seed).trace)]
        assert path[1] < 0.3 * path[0]
        assert path[2] < 0.03 * path[1]


@pytest.mark.parametrize('method', METHODS)
def test_every_method_restarts(method):
    chain = arm('planar_3r')
    rng = np.random.default_rng(3)
    found = Solver(chain, method=method, timeout=PATIENT, tolerance=LOOSE)
    results = [found.solve(chain.fk(chain.random(rng)), chain.random(rng)) for _ in range(10)]
    assert all(result.success for result in results)
    assert all(chain.within_limits(result.q) for result in results)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize('method', PROJECTED)
def test_no_iterate_is_outside_the_limits(method):
    chain = arm('panda')
    found = solver('panda', method, max_iterations=50)
    touched = 0
    for goal, seed in cases('panda', 10, 1.5, 4):
        trace = found.solve(goal, seed).trace
        assert len(trace) > 0
        assert np.all(trace >= chain.lower)
        assert np.all(trace <= chain.upper)
        touched += np.any((trace == chain.lower) | (trace == chain.upper))
    assert touched > 0


@pytest.mark.parametrize('method', ['svd', 'gauss_newton'])
def test_methods_that_project_at_the_end_answer_inside_the_limits(method):
    chain = arm('panda')
    found = solver('panda', method)
    left = 0
    for goal, seed in cases('panda', 10, 1.5, 4):
        result = found.solve(goal, seed)
        assert chain.within_limits(result.q)
        left += np.any((result.trace < chain.lower) | (result.trace > chain.upper))
    assert left > 0


# --- descent -------------------------------------------------------------------------------------


def rises(name: str, path: np.ndarray, goal: Pose) -> list[int]:
    """Return the steps of a path at which the cost does not fall, but for rounding."""
    costs = [cost(name, q, goal) for q in path]
    assert len(costs) > 2
    return [k for k, (before, after) in enumerate(pairwise(costs)) if after > before + 1e-13]


@pytest.mark.parametrize('method', DESCENDING)
@pytest.mark.parametrize('name', ['panda', 'arm5', 'prismatic', 'mimic'])
def test_the_cost_never_increases_in_a_line_search(name, method):
    found = solver(name, method, max_iterations=60, trace=60)
    for goal, seed in cases(name, 5, 0.3, 5):
        assert rises(name, (seed, *found.solve(goal, seed).trace), goal) == []


@pytest.mark.parametrize('name', ['panda', 'arm5', 'prismatic', 'mimic'])
def test_the_cost_of_a_goal_out_of_reach_falls_too(name):
    """The best reach begins at the seed anew: one rise, back to what the seed costs at most."""
    far, seed = Pose.from_xyz_rpy((2.0, 1.0, 1.0), (0.5, 0.2, 0.1)), arm(name).neutral
    path = (seed, *solver(name, 'pls').solve(far, seed).trace)
    up = rises(name, path, far)
    assert len(up) <= 1
    assert all(cost(name, path[k + 1], far) < cost(name, seed, far) for k in up)


@pytest.mark.parametrize('method', DESCENDING)
def test_every_step_passes_the_projected_armijo_test(method):
    """[ProjectedLineSearch] eq. 39 with f = E / 2 and the projected displacement."""
    found = solver('panda', method, max_iterations=20, trace=20)
    for goal, seed in cases('panda', 5, 0.3, 7):
        path = (seed, *found.solve(goal, seed).trace)
        for q, q_new in pairwise(path):
            J, e = linearised('panda', q, goal)
            promised = 2e-4 * (J.T @ e) @ (q_new - q)
            assert cost('panda', q_new, goal) <= cost('panda', q, goal) - promised + 1e-12


# --- first steps by their formulas ---------------------------------------------------------------


def paper_gauss_seidel(q, J, e, lower, upper):
    """[Kenwright2022] algorithm 1 with eqs. 27-31: sweeps over the normal equations, clamped."""
    A = J.T @ J + paper.DAMPING * np.eye(len(q))
    b = J.T @ e
    x = np.zeros(len(q))
    for _ in range(paper.SWEEPS):
        for i in range(len(q)):
            x[i] = np.clip(x[i] + (b[i] - A[i] @ x) / A[i, i], lower[i] - q[i], upper[i] - q[i])
    return x


def paper_gradient(q, J, e, lower, upper, goal):
    """[ProjectedLineSearch] eqs. 26-40: halve the step until the projected Armijo test holds."""
    g, tau = 2.0 * J.T @ e, 1.0
    while True:
        q_new = np.clip(q + tau * g, lower, upper)
        if cost('panda', q_new, goal) < cost('panda', q, goal) - 1e-4 * g @ (q_new - q):
            return q_new - q
        tau *= 0.5


FORMULAS = {
    'transpose': lambda J, e: 2.0 * reference.FIXED_LENGTH * J.T @ e,
    'transpose_buss': lambda J, e: (e @ J @ J.T @ e) / np.sum((J @ J.T @ e) ** 2) * J.T @ e,
    'dls': lambda J, e: J.T @ np.linalg.inv(J @ J.T + reference.LAMBDA * np.eye(6)) @ e,
    'svd': lambda J, e: np.linalg.pinv(J, rcond=reference.SMALLEST) @ e,
    'qr': lambda J, e: np.linalg.pinv(J) @ e,
    'gauss_newton': lambda J, e: np.linalg.lstsq(J, e, rcond=None)[0],
}


@pytest.mark.parametrize('method', [*FORMULAS, 'pgs_paper', 'pls_paper'])
def test_the_first_step_follows_its_formula(method):
    chain = arm('panda')
    for goal, seed in cases('panda', 5, 0.3, 8):
        J, e = linearised('panda', seed, goal)
        if method == 'pgs_paper':
            step = paper_gauss_seidel(seed, J, e, chain.lower, chain.upper)
        elif method == 'pls_paper':
            step = paper_gradient(seed, J, e, chain.lower, chain.upper, goal)
        else:
            step = FORMULAS[method](J, e)
        expected = seed + step
        if method in PROJECTED:
            expected = chain.clamp(expected)
        close(solver('panda', method, max_iterations=1).solve(goal, seed).trace[0], expected, 1e-8)


def test_coordinate_descent_puts_each_joint_at_its_optimum():
    """The trace has one entry per joint, tips first: none can better the position by itself."""
    chain = arm('arm6')
    for goal, seed in cases('arm6', 5, 0.5, 9):
        only = Goal(goal, rotation_weight=0.0)
        trace = solver('arm6', 'ccd', max_iterations=1).solve(only, seed).trace
        for joint, q in zip(reversed(range(6)), trace):
            here = np.linalg.norm(chain.fk(q).position - goal.position)
            for change in (-1e-3, 1e-3):
                moved = chain.clamp(q + change * np.eye(6)[joint])
                assert np.linalg.norm(chain.fk(moved).position - goal.position) >= here - 1e-12


def test_strong_steps_of_pgs_solve_the_damped_system_where_no_limit_is_near():
    chain = arm('arm6')
    q = np.array((0.3, 0.2, -1.0, 0.5, 0.9, 0.4))
    goal = chain.fk(nearby(chain, q, np.random.default_rng(10), 0.1))
    J, e = linearised('arm6', q, goal)
    damping = 0.05 * e @ e + 1e-9
    expected = np.linalg.solve(J.T @ J + damping * np.eye(6), J.T @ e)
    close(solver('arm6', 'pgs', max_iterations=1).solve(goal, q).trace[0], q + expected, 1e-9)


def test_the_projected_gradient_as_published_ends_by_stagnation_too():
    far = Pose.from_xyz_rpy((2.0, 0.0, 0.5), (0.0, 0.0, 0.0))
    result = solver('panda', 'pls_paper', max_iterations=100000).solve(far)
    assert not result.success
    assert result.iterations < 100000
