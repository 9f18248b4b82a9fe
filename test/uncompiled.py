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
Checks that look inside the kernels, run as plain Python by test_plain.py and by hand.

``DQ_IK_NATIVE=plain python -m pytest test/uncompiled.py``: the exact Hessian and gradient by
finite differences, and every method as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from arms import arm, judged, PATIENT
from ball_chains import chain_of, CHAINS, excess
from dq_ik import Goal, Pose, Solver
from dq_ik.core.compile import FRONT_END
from dq_ik.core.kinematics.configuration import advance, move
from dq_ik.core.memory.blocks import prepare_work, request_of, take_row, tree_of, work_of
from dq_ik.core.memory.layout import AIM, FIXED, WEIGHT
from dq_ik.core.search.search import begin
from dq_ik.core.solve import starts
from dq_ik.core.solve.curvature import add_curvature
from dq_ik.core.solve.pls import search_line
from dq_ik.core.solve.residual import assemble, evaluate
from dq_ik.core.solve.step import damp
from dq_ik.core.track.momentum import _haste, HASTE, prepare_projection
from dq_ik.native.load import door
from dq_ik.options import METHODS
from dq_ik.robot.chain import Chain
from dq_ik.stream.steps import Steps
from helpers import assert_derivative, close
import numpy as np
import pytest

assert not FRONT_END, 'run without DQ_IK_KERNELS'
assert not door().level, 'run with DQ_IK_NATIVE=plain'

ROBOTS = ('panda', 'arm5', 'prismatic', 'mimic', 'two_arms')
DT = 0.002
FAR = Pose.from_xyz_rpy((0.9, 0.4, 1.1), (0.7, -0.4, 1.9))


class Cost:
    """Half the cost of a goal, its gradient and its Hessian, as the kernels compute them."""

    def __init__(self, chain: str | Chain, goals: object) -> None:
        """Prepare a request with these goals."""
        self.chain = arm(chain) if isinstance(chain, str) else chain
        solver = Solver(self.chain, timeout=PATIENT)
        request = solver._requests.with_goals(goals, None)
        answer, work = np.empty(solver._answer_size), np.empty(solver._memory_size)
        prepare_work(solver._robot, work)
        self.blocks = take_row(solver._robot, request, answer, 0, work)
        begin(self.blocks, PATIENT)
        self.work = work_of(self.blocks)

    def value(self, q: np.ndarray) -> np.ndarray:
        """Return half the cost."""
        return np.array([0.5 * evaluate(self.blocks, q)[0]])

    def gradient(self, q: np.ndarray) -> np.ndarray:
        """Return the gradient of half the cost."""
        evaluate(self.blocks, q)
        assemble(self.blocks)
        return -self.work.b.copy()

    def hessian(self, q: np.ndarray) -> np.ndarray:
        """Return the Hessian of half the cost."""
        self.gradient(q)
        add_curvature(self.blocks)
        return self.work.A.copy()


def goals_for(name: str, **fields) -> list[Goal]:
    """Return a goal for each tip."""
    return [Goal(FAR, **fields) for _ in arm(name).tips]


KINDS = {
    'pose': {}, 'point': {'rotation_weight': 0.0}, 'orientation': {'position_weight': 0.0},
    'pointing': {'axis': (1.0, 2.0, 2.0)},
    'pointing in the goal frame': {'axis': (0.0, 0.0, 1.0), 'frame': 'goal',
                                   'position_weight': (1.0, 0.5, 0.2)},
    'base axes': {'position_weight': (1.0, 0.5, 0.2), 'rotation_weight': (0.3, 1.0, 0.6)},
    'goal axes': {'position_weight': (1.0, 0.5, 0.2), 'rotation_weight': (0.3, 1.0, 0.6),
                  'frame': 'goal'},
    'look at': {'look_at': (0.5, 0.3, 0.8), 'axis': (1.0, 2.0, 2.0)},
    'box': {'position_tolerance': (0.1, 0.2, 0.0), 'rotation_tolerance': (0.0, 0.1, 0.2)},
}


def places(name: str, kind: str) -> Iterator[tuple[Cost, np.ndarray]]:
    """Yield a cost of this kind at some configurations."""
    cost = Cost(name, goals_for(name, **KINDS[kind]))
    rng = np.random.default_rng(1)
    for _ in range(3):
        yield cost, cost.chain.random(rng)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('name', ROBOTS)
def test_the_gradient_is_that_of_the_cost(name, kind):
    for cost, q in places(name, kind):
        assert_derivative(cost.value, cost.gradient(q)[None], q, atol=1e-6)


@pytest.mark.parametrize('fields', [
    {}, {'axis': (1.0, 2.0, 2.0)},
    {'position_weight': (1.0, 0.5, 0.2), 'rotation_weight': (0.3, 1.0, 0.6), 'frame': 'goal'}])
@pytest.mark.parametrize('other', [{}, {'rotation_weight': 0.0}])
def test_the_gradient_of_a_relative_goal_is_that_of_the_cost(fields, other):
    near = Pose.from_xyz_rpy((0.1, -0.5, 0.2), (0.3, 0.9, -0.4))
    cost = Cost('two_arms', [Goal(FAR, **other), Goal(near, relative_to='left_tool', **fields)])
    rng = np.random.default_rng(2)
    for _ in range(3):
        q = cost.chain.random(rng)
        assert_derivative(cost.value, cost.gradient(q)[None], q, atol=1e-6)


@pytest.mark.parametrize('kind', ['pose', 'point', 'orientation'])
@pytest.mark.parametrize('name', ROBOTS)
def test_the_hessian_is_exact(name, kind):
    for cost, q in places(name, kind):
        H = cost.hessian(q)
        close(H, H.T, 1e-12)
        assert_derivative(cost.gradient, H, q, atol=1e-5)


def test_a_length_that_gains_nothing_is_halved():
    """[ProjectedLineSearch] eq. 39: the full step ends as far beyond the goal as it began."""
    chain = arm('planar_2r')
    cost = Cost(chain, Goal(chain.fk(np.zeros(2)), rotation_weight=0.0))
    q = np.array((0.3, 0.0))
    cost.gradient(q)
    cost.work.x[:] = (-0.6, 0.0)
    moved, value, _ = search_line(cost.blocks, q, *evaluate(cost.blocks, q))
    assert moved
    close(q, (0.0, 0.0), 1e-15)
    assert value < 1e-20


def test_targets_that_move_with_the_arm_keep_the_gauss_newton_matrix():
    near = Pose.from_xyz_rpy((0.1, -0.5, 0.2), (0.3, 0.9, -0.4))
    for cost in (Cost('panda', goals_for('panda', **KINDS['look at'])),
                 Cost('two_arms', [Goal(near, rotation_weight=0.0),
                                   Goal(near, relative_to='left_tool')])):
        q = cost.chain.random(np.random.default_rng(1))
        cost.gradient(q)
        A, fixed = cost.work.A.copy(), cost.work.goals[:, AIM] == FIXED
        add_curvature(cost.blocks)
        assert np.array_equal(cost.work.A, A) == (not fixed.any())
        cost.work.goals[fixed, WEIGHT:WEIGHT + 6] = 0.0
        cost.gradient(q)
        A = cost.work.A.copy()
        add_curvature(cost.blocks)
        assert np.array_equal(cost.work.A, A)


@pytest.mark.parametrize('kind', ['pose', 'point', 'orientation'])
@pytest.mark.parametrize('name', CHAINS)
def test_the_hessian_of_balls_is_exact_in_their_tangent_space(name, kind):
    """A ball turns by all three numbers of a step at once, so that no order is left."""
    chain = chain_of(name)
    cost = Cost(chain, Goal(FAR, **KINDS[kind]))
    tree, q_new = tree_of(cost.blocks), np.empty(chain.n)
    q = chain.random(np.random.default_rng(1))

    def value_after(step: np.ndarray) -> float:
        move(tree, q, step, q_new)
        return cost.value(q_new)[0]

    H = cost.hessian(q)
    close(H, H.T, 1e-12)
    for d in np.random.default_rng(2).normal(size=(10, chain.n)):
        bend = (value_after(1e-4 * d) + value_after(-1e-4 * d) - 2.0 * value_after(0.0 * d)) / 1e-8
        assert d @ H @ d == pytest.approx(bend, abs=1e-5 * (1.0 + abs(bend)))


@pytest.mark.parametrize('name', CHAINS)
def test_no_step_leaves_the_limits(name):
    chain = chain_of(name)
    blocks, q_new = Cost(chain, FAR).blocks, np.empty(chain.n)
    rng = np.random.default_rng(3)
    for _ in range(100):
        q = chain.random(rng)
        advance(blocks, q, rng.normal(size=chain.n), 1.0, q_new)
        assert excess(name, q_new[None]) <= 1e-9


def test_the_slope_of_the_haste_is_that_of_the_least_motion():
    chain = arm('panda')
    rng = np.random.default_rng(5)
    for _ in range(3):
        q, xi, speeds = chain.random(rng), rng.normal(size=6), rng.uniform(1.0, 3.0, chain.n)
        steps = Steps(chain, q, speeds)
        cost = Cost(chain, chain.fk(q))
        rest = np.linalg.svd(chain.jacobian(q))[2][-1]
        steps.state.free[:] = rest
        motion = np.linalg.pinv(chain.jacobian(q)) @ xi
        share = prepare_projection(cost.blocks, q)
        slope = _haste(cost.blocks, steps.state, DT, share, q + DT * motion)

        def value(s: np.ndarray, q: np.ndarray = q, rest: np.ndarray = rest,
                  xi: np.ndarray = xi, speeds: np.ndarray = speeds) -> np.ndarray:
            v = np.linalg.pinv(chain.jacobian(q + s[0] * rest)) @ xi
            v -= (v @ rest) * rest  # what is free is chosen, not asked for
            return np.array([HASTE * 0.5 * np.sum((v / speeds) ** 2)])

        assert_derivative(value, np.array([[slope]]), np.zeros(1), atol=2e-3 * (1.0 + abs(slope)))


def test_damping_is_the_metric_times_a_number():
    """[Kenwright2022] eq. 30: nothing but the diagonal changes."""
    rng = np.random.default_rng(4)
    A, metric = rng.normal(size=(5, 5)), rng.uniform(0.5, 2.0, 5)
    damped = A.copy()
    damp(damped, 0.3, metric)
    close(damped, A + 0.3 * np.diag(metric), 1e-15)


@pytest.mark.parametrize('method', METHODS)
def test_every_method_runs_uncompiled(method):
    chain = arm('planar_3r')
    goal = chain.fk((0.4, 0.5, 0.6))
    solver = Solver(chain, method=method, timeout=PATIENT, tolerance=2e-2, max_restarts=0)
    result = solver.solve(goal, (0.45, 0.45, 0.65))
    assert result.success
    assert judged(chain, result.q).distance(goal)[0] <= 2e-2


@pytest.mark.parametrize('name', ['panda', 'arm6'])
def test_a_stored_start_is_turned_towards_the_goal(name):
    """No other value of the first joint brings the stored tip nearer to the goal."""
    chain = arm(name)
    goal = chain.fk(chain.random(np.random.default_rng(3)))
    inside = Cost(name, goal)
    q = np.empty(chain.n)
    starts.choose(inside.blocks, 1, q)
    weight = request_of(inside.blocks).goals[0, WEIGHT + 3]

    def distance(first: float) -> float:
        x = judged(chain, np.array([first, *q[1:]]))
        agreement = np.dot(x.real, goal.real)
        return (np.sum((x.position - goal.position) ** 2)
                + 4.0 * weight ** 2 * (1.0 - agreement ** 2))

    angles = np.linspace(chain.lower[0], chain.upper[0], 400)
    assert distance(q[0]) <= min(map(distance, angles)) + 1e-6


def test_robots_are_checked_as_by_the_library():
    block, check = arm('panda').robot(20), door().entries['check_robot']
    assert check(block, len(block)) == 0
    assert check(block, len(block) - 1) < 0
    assert check(np.zeros(20), 20) < 0
