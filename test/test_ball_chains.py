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
"""Chains with balls: no answer or iterate is outside, the best reach is SciPy's, goals rest."""

from __future__ import annotations

import math

from arms import PATIENT
from ball_chains import chain_of, CHAINS, excess, read, SCALE, survey, turned
from dq_ik import Goal, load_robot, Pose, Solver, Status
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.errors import SeedError
from dq_ik.robot.balls import Ball
from dq_ik.stream.steps import Steps
from helpers import close
import numpy as np
import pytest
from test_joint_kinds import FLOATING, limb

METHODS = ('pgs', 'pls')
every_chain = pytest.mark.parametrize('name', CHAINS)
both = pytest.mark.parametrize('method', METHODS)


def one_ball(swing, twist=(-0.5, 0.5)):
    """Return a chain with one ball."""
    return load_robot(limb('ball'), balls={'b': Ball(('s0x', 's0y', 's0z'), swing=swing,
                                                     twist=twist)}).chain()


@both
@every_chain
def test_no_answer_and_no_iterate_is_outside(name, method):
    for kind, found in survey(name, method, 200).items():
        assert (kind, found.outside, found.met, found.stalled) == (kind, 0, 50, 0)


@both
def test_a_goal_at_the_pose_of_a_seed_outside_is_not_met(method):
    chain = one_ball(0.7)
    result = Solver(chain, method=method, timeout=PATIENT).solve(chain.fk((2, 0, 0)), (2, 0, 0))
    assert result.status is Status.BEST_REACH_LIMITS
    assert result.limited_joints == ('b',)
    assert chain.within_limits(result.q)


def test_clamp_and_within_limits_know_cones():
    chain = one_ball((0.7, 0.3))
    assert not chain.within_limits((0.8, 0, 0))
    assert not chain.within_limits((0, 0.4, 0))
    assert chain.within_limits((0, 0.4, 0), slack=0.11)
    assert chain.within_limits((0.69, 0, 0))
    close(chain.clamp((2, 0, 0)), (0.7, 0, 0), 1e-12)
    close(chain.clamp((0, -1, 0)), (0, -0.3, 0), 1e-12)
    close(chain.clamp((0, 0, 3)), (0, 0, 0.5), 1e-12)
    for q in np.random.default_rng(1).uniform(-3, 3, (50, 3)):
        assert chain.within_limits(chain.clamp(q))
    inside = np.array((0.1, -0.2, 0.3))
    assert np.array_equal(chain.clamp(inside), inside)


def test_a_locked_ball_outside_is_moved_inside_and_stays():
    chain = chain_of('arm')
    seed = np.array((2.0, 0.0, 0.0, 0.3, 0.1, 0.2, 0.3))
    result = chain.solve(chain.fk(np.zeros(7)), seed, locked_joints='b0', timeout=PATIENT)
    close(result.q[:3], chain.clamp(seed)[:3], 0)


def test_bounds_without_a_rotation_inside_the_cone_are_refused():
    chain = one_ball(0.5)
    goal = chain.fk(np.zeros(3))
    with pytest.raises(SeedError, match=r"no value is inside both .* for 'b\.x', 'b\.y', 'b\.z'"):
        chain.solve(goal, bounds=((1, -0.1, -0.1), (2, 0.1, 0.1)))
    with pytest.raises(SeedError, match=r"'b\.x', 'b\.y', 'b\.z' in row 1"):
        chain.solve_batch([goal, goal], bounds=([(-1, -1, -1), (1, -0.1, -0.1)], (2, 2, 2)))


@every_chain
def test_bounds_around_a_configuration_inside_are_taken(name):
    chain = chain_of(name)
    rng = np.random.default_rng(8)
    for _ in range(300):
        q, width = chain.random(rng), rng.uniform(0.0, 0.6, chain.n)
        result = chain.solve(chain.fk(q), q, bounds=(q - width, q + width), timeout=PATIENT)
        assert result.success


@pytest.mark.parametrize('step', [1e-9, 1e-3, 0.1])
def test_a_goal_beyond_the_largest_step_is_approached(step):
    chain = chain_of('arm')
    q = np.array((0.3, 0.1, 0.2, 0.9, -0.2, 0.3, 0.1))
    result = chain.solve(chain.fk(-q), q, max_joint_step=step, timeout=PATIENT)
    assert turned('arm', q, result.q) <= step + 2e-12
    assert step < 1e-6 or result.status is Status.STEP_LIMITED


@both
def test_iterates_of_joints_of_more_than_a_turn_are_inside(method):
    text = limb(*['hinge'] * 6).replace('2.5', '3.5')
    for axis in ('1 0 0', '0 0 1'):
        text = text.replace("xyz='0 1 0'/><limit", f"xyz='{axis}'/><limit", 2)
    chain = load_robot(text).chain()
    solver = Solver(chain, method=method, timeout=PATIENT, trace=500, max_restarts=20)
    rng, count = np.random.default_rng(3), 0
    for _ in range(60):
        result = solver.solve(chain.fk(chain.random(rng)), chain.random(rng))
        count += result.restarts > 0
        assert np.all(np.abs(result.trace) <= 3.5)
    assert count > 5


# --- best reach ---------------------------------------------------------------------------------

@both
@every_chain
def test_goals_out_of_reach_get_the_optimum_of_scipy(name, method):
    chain = chain_of(name)
    solver = Solver(chain, method=method, timeout=PATIENT, rotation_scale=SCALE)
    rows = [(numbers, cost) for row, numbers, cost in read() if row == name]
    ratio = []
    for numbers, cost in rows:
        result = solver.solve(Pose(numbers[:4], numbers[4:]))
        ratio.append(result.cost / cost)
        assert result.status in (Status.BEST_REACH_LIMITS, Status.BEST_REACH_WORKSPACE,
                                 Status.CONVERGED)
        assert excess(name, result.q[None]) <= 1e-9
    assert len(rows) == 100
    assert sum(r > 1.01 for r in ratio) <= 1


@both
@every_chain
def test_the_best_reach_is_found_where_steps_and_bounds_meet_cones(name, method):
    """The answer lies on edges of several limits of one ball; solving on gains nothing."""
    chain, stalled = chain_of(name), 0
    short = Solver(chain, method=method, timeout=PATIENT, max_joint_step=0.3, max_restarts=20)
    free = Solver(chain, method=method, timeout=PATIENT, max_restarts=0)
    for count in range(60):
        rng = np.random.default_rng(600 + count)
        seed, goal = chain.random(rng), chain.fk(rng.uniform(-3.0, 3.0, chain.n))
        width = rng.uniform(0.02, 0.5, chain.n)
        bounds = (seed - width, seed + width) if count % 2 else None
        result = short.solve(goal, seed, bounds=bounds)
        stalled += result.status is Status.STALLED
        if bounds:
            held = free.solve(goal, seed, bounds=bounds)
            again = free.solve(goal, held.q, bounds=bounds)
            stalled += held.status is Status.STALLED
            assert again.cost >= held.cost * (1.0 - 1e-6) or held.status is Status.STALLED
    assert stalled <= 2


@every_chain
def test_a_held_goal_out_of_reach_comes_to_rest(name):
    chain = chain_of(name)
    solver = Solver(chain, max_restarts=0, timeout=PATIENT)
    rng = np.random.default_rng(4)
    for _ in range(15):
        direction = rng.normal(size=3)
        place = chain.reach_from[0] + (rng.uniform(0.8, 2.0) * chain.reach[0] * direction
                                       / np.linalg.norm(direction))
        goal, q = Pose.from_xyz_wxyz(place, rng.normal(size=4)), chain.random(rng)
        for _ in range(100):
            q = solver.solve(goal, q).q
        for _ in range(10):
            last, q = q, solver.solve(goal, q).q
            assert np.abs(q - last).max() <= 1e-9


@both
@every_chain
def test_far_goals_end_as_best_reach(name, method):
    chain = chain_of(name)
    solver = Solver(chain, method=method, timeout=PATIENT, max_restarts=10)
    for direction in np.random.default_rng(5).normal(size=(20, 3)):
        place = 1e6 * direction / np.linalg.norm(direction)
        result = solver.solve(Pose.from_xyz_wxyz(place, (1, 0.1, 0.2, 0.3)))
        assert result.status is Status.BEST_REACH_WORKSPACE
        stretched = solver.solve(Goal(Pose.from_xyz_wxyz(place, (1, 0, 0, 0)),
                                      rotation_weight=0.0))
        assert stretched.position_error[0] <= result.position_error[0] + 1e-3


@pytest.mark.parametrize(('swing', 'twist', 'goal', 'best'), [
    ((1.2, 0.4), (-0.5, 0.5), (2.0, 0.0, 0.0), (1.2, 0.0, 0.0)),
    ((1.2, 0.4), (-0.5, 0.5), (0.0, 1.0, 0.0), (0.0, 0.4, 0.0)),
    ((0.0, 0.8), (-0.5, 0.5), (0.5, 0.6, 0.0), None),
    (0.0, (-0.5, 0.5), (0.4, 0.3, 0.2), None),
    (0.8, (0.0, 0.0), (0.3, 0.4, 1.0), None),
])
def test_cones_may_be_elliptic_and_thin(swing, twist, goal, best):
    """No rotation of a fine grid of the admissible ones is nearer to the goal."""
    chain = one_ball(swing, twist)
    target = Goal(chain.fk(goal), position_weight=0.0)
    result = chain.solve(target, timeout=PATIENT)
    assert result.status is Status.BEST_REACH_LIMITS
    assert chain.within_limits(result.q)
    if best is not None:
        close(result.q, best, 1e-6)
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 25), np.linspace(0, 1, 25),
                                np.linspace(0, 1, 25), indexing='ij'), axis=-1).reshape(-1, 3)
    least = min(chain.fk(q).distance(chain.fk(goal))[1] for q in chain.spread(grid))
    assert result.rotation_error[0] <= least + 1e-9


def test_streams_keep_balls_inside_and_slow():
    chain, dt = chain_of('shoulder'), 0.01
    rng = np.random.default_rng(6)
    steps = Steps(chain, np.zeros(chain.n), 1.0)
    last, targets = np.zeros(chain.n), [chain.random(rng) for _ in range(4)]
    targets[1] = rng.uniform(-2.5, 2.5, chain.n)  # out of reach
    for target in targets:
        for _ in range(60):
            q = steps.step({chain.tips[0]: chain.fk(target)}, dt).q
            assert turned('shoulder', last, q) <= 1.0 * dt * (1.0 + 1e-6)
            assert excess('shoulder', q[None]) <= 1e-9
            last = q


# --- reference methods --------------------------------------------------------------------------

@pytest.mark.parametrize('method', ['svd', 'gauss_newton'])
def test_methods_without_limits_project_their_answer_alone(method):
    chain = chain_of('arm')
    rng, left = np.random.default_rng(7), 0
    solver = Solver(chain, method=method, timeout=PATIENT, trace=200, max_restarts=0)
    for _ in range(20):
        result = solver.solve(chain.fk(rng.uniform(-2, 2, 7)), chain.random(rng))
        left += excess('arm', result.trace) > 0.1
        assert excess('arm', result.q[None]) <= 1e-9
    assert left > 10


def test_cyclic_descent_takes_the_nearer_limit_around_the_circle():
    """One joint, one iteration: no value within the limits brings the tip nearer to its goal."""
    text = limb('hinge').replace("lower='-2.5' upper='2.5'", "lower='-0.1' upper='3.0'")
    chain = load_robot(text).chain()
    solver = Solver(chain, method='ccd', timeout=PATIENT, max_restarts=0, max_iterations=1)
    grid = [chain.fk([q]).position for q in np.linspace(-0.1, 3.0, 2001)]
    for angle in np.linspace(-math.pi, math.pi, 41):
        place = chain.fk([angle]).position
        goal = Goal(Pose.from_xyz_wxyz(place, (1, 0, 0, 0)), rotation_weight=0.0)
        for seed in (0.0, 1.5, 2.9):
            result = solver.solve(goal, [seed])
            least = min(np.linalg.norm(p - place) for p in grid)
            assert result.position_error[0] <= least + 1e-3


def test_a_floating_base_is_clamped_nowhere():
    chain = load_robot(FLOATING).chain(tips='body')
    q = np.array((5.0, -6.0, FARTHEST, 1.0, 2.0, -2.0))
    assert np.array_equal(chain.clamp(q), q)
    assert chain.within_limits(q)
