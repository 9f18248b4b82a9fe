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
The best reach: goals out of reach are answered by the constrained optimum, stably and smoothly.

The judge is bounded least squares of SciPy from many starts; its optima of 1,000 goals are kept in
``data/best_reach.csv`` (see optimum.py), and some are found anew here. The exact Hessian is
compared with finite differences in uncompiled.py.
"""

from __future__ import annotations

import math

from arms import arm, judged, PATIENT
from dq_ik import Goal, Pose, Solver, Status
from dq_ik.core.memory.layout import POOL
from dq_ik.core.search.choice import remember
from helpers import close
import numpy as np
import optimum
import pytest

METHODS = ('pgs', 'pls')
ROWS = optimum.read()


@pytest.mark.parametrize('method', METHODS)
def test_a_thousand_goals_out_of_reach_get_the_optimum_of_scipy(method):
    """Within 1 % of SciPy's cost on at least 99 %, at a median of less than a millisecond."""
    assert len(ROWS) == 1000
    good, times, statuses = 0, [], set()
    for robot in optimum.NUMBERS:
        rows = [(goal, least) for name, goal, least in ROWS if name == robot]
        solver = Solver(arm(robot), method=method, rotation_scale=optimum.SCALE, timeout=PATIENT)
        batch = solver.solve_batch(np.array([goal for goal, _ in rows]))
        for result, (_, least) in zip(batch, rows):
            good += result.cost <= 1.01 * least
            times.append(result.time)
            statuses.add(result.status)
    assert good >= 990
    assert np.median(times) < 1e-3
    # Some goals that SciPy missed are reached.
    assert statuses == {Status.BEST_REACH_LIMITS, Status.BEST_REACH_WORKSPACE, Status.CONVERGED}


@pytest.mark.parametrize('row', [0, 2, 400, 402, 700, 701])
def test_the_kept_optima_are_those_of_scipy(row):
    robot, goal, least = ROWS[row]
    found = optimum.least_cost(arm(robot), Pose(goal[:4], goal[4:]), np.random.default_rng(7), 4)
    assert found >= least * (1.0 - 1e-4)


def test_candidates_near_each_other_take_one_place():
    pool, cost = np.full((POOL, 2), np.nan), np.full(POOL, np.inf)
    for value, q in ((3.0, (0.0, 0.0)), (1.0, (1.0, 0.0)), (2.0, (0.1, -0.1)), (4.0, (1.0, 0.1))):
        remember(pool, cost, value, np.array(q))
    assert cost.tolist() == [1.0, 2.0] + [np.inf] * (POOL - 2)
    close(pool[:2], ((1.0, 0.0), (0.1, -0.1)), 0.0)
    for place in range(2, 2 * POOL):
        remember(pool, cost, float(place + 1), np.array((place, 0.0)))
    assert cost.tolist() == list(range(1, POOL + 1))


@pytest.mark.parametrize('method', METHODS)
def test_more_attempts_do_not_hide_the_best_reach(method):
    """Most of them come to one place; the few at the best one are asked for it, too."""
    goals = [Pose.from_xyz_wxyz((0.184, 0.002, 1.172), (0.863, 0.343, 0.203, 0.31)),
             Pose.from_xyz_wxyz((-0.1, 0.014, 1.678), (0.62, 0.283, -0.321, 0.658))]
    for restarts in (10, 20, 50, 100, 200):
        result = Solver(arm('two_arms'), method=method, rotation_scale=0.25, timeout=PATIENT,
                        max_restarts=restarts).solve(goals)
        assert result.cost == pytest.approx(1.1695e-4, rel=1e-3)


@pytest.mark.parametrize('method', METHODS)
def test_joints_pressed_on_limits_are_named_and_no_others(method):
    """At an optimum the gradient presses outwards at named joints and vanishes at free ones."""
    chain = arm('panda')
    for robot, numbers, _ in ROWS[:40]:
        assert robot == 'panda'
        goal = Pose(numbers[:4], numbers[4:])
        result = Solver(chain, method=method, rotation_scale=0.25, timeout=PATIENT).solve(goal)
        x, J = chain.fk(result.q), chain.jacobian(result.q)
        turn = (goal @ x.inverse()).log()[3:]
        slope = J[:3].T @ (goal.position - x.position) + 0.25**2 * J[3:].T @ turn
        for i, name in enumerate(chain.joint_names):
            at_upper, at_lower = result.q[i] == chain.upper[i], result.q[i] == chain.lower[i]
            pressed = (at_upper and slope[i] > 1e-6) or (at_lower and slope[i] < -1e-6)
            assert (name in result.limited_joints) == pressed
            if not (at_upper or at_lower):
                assert abs(slope[i]) < 1e-6
        assert (result.status is Status.BEST_REACH_LIMITS) == (
            bool(result.limited_joints) and not result.beyond_reach.any())


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('row', [0, 1, 2, 3, 420, 421, 710, 711])
def test_a_fixed_goal_out_of_reach_moves_nothing(row, method):
    """A thousand warm starts after settling: no joint moves by more than 1e-6 rad in all."""
    robot, numbers, _ = ROWS[row]
    goal = Pose(numbers[:4], numbers[4:])
    solver = Solver(arm(robot), method=method, max_restarts=0, timeout=PATIENT)
    q = arm(robot).neutral
    for _ in range(5):
        q = solver.solve(goal, q).q
    settled = q
    for _ in range(1000):
        q = solver.solve(goal, q).q
        assert np.abs(q - settled).max() <= 1e-6


def out_and_back(chain, direction: tuple, near: float, far: float, count: int) -> list[Goal]:
    """Return points along a line out of reach and back, as parts of the stretched length."""
    way = np.array(direction) / np.linalg.norm(direction) * chain.reach[0]
    parts = near + (far - near) * np.sin(np.linspace(0.0, math.pi, count)) ** 2
    return [Goal(Pose.from_xyz_rpy(tuple(part * way), (0, 0, 0)), rotation_weight=0.0)
            for part in parts]


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize(('name', 'direction'), [
    ('planar_2r', (1, 0, 0)), ('planar_2r', (0.6, 0.8, 0)), ('planar_3r', (1, 1, 0)),
    ('panda', (1, 0.2, 0.3)), ('arm6', (1, 0, 0.4))])
def test_a_goal_moved_out_of_reach_and_back_gives_smooth_joints(name, direction, method):
    """[Kenwright2022] section IX: the stretched arm neither trembles nor stays stretched."""
    chain = arm(name)
    goals = out_and_back(chain, direction, 0.6, 1.3, 2000)
    solver = Solver(chain, method=method, max_restarts=0, timeout=PATIENT)
    q = Solver(chain, timeout=PATIENT).solve(goals[0], chain.neutral).q
    results = []
    for goal in goals:
        results.append(solver.solve(goal, q))
        assert np.abs(results[-1].q - q).max() < 0.1
        q = results[-1].q
    reached = [result.success for result in results]
    assert reached[0]
    assert not reached[1000]
    assert reached[-1]
    changes = np.count_nonzero(np.diff(reached))
    assert changes == 2  # out once, back once


def test_an_arm_stretched_towards_a_goal_within_reach_bends():
    """At (0, 0) no slope says how: a stationary point that is not the best reach."""
    chain = arm('planar_2r')
    for x in (1.69, 1.5, 1.0, 0.75):
        goal = Goal(Pose.from_xyz_rpy((x, 0.0, 0.0), (0, 0, 0)), rotation_weight=0.0)
        result = chain.solve(goal, (0.0, 0.0), max_restarts=0, timeout=PATIENT)
        assert result.success, x


@pytest.mark.parametrize('fields', [
    {'position_weight': (1.0, 0.5, 0.2)}, {'axis': (0, 0, 1)},
    {'position_weight': (1.0, 0.5, 0.2), 'frame': 'goal'}], ids=str)
def test_other_kinds_of_goals_settle_too(fields):
    chain = arm('panda')
    goal = Goal(Pose.from_xyz_rpy((1.2, 0.4, 0.9), (0.3, 0.5, 0.1)), **fields)
    solver = Solver(chain, max_restarts=0, timeout=PATIENT)
    q = Solver(chain, timeout=PATIENT).solve(goal).q
    for _ in range(5):
        q = solver.solve(goal, q).q
    close(solver.solve(goal, q).q, q, 1e-6)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('distance', [10.0, 1e3, 1e6])
def test_a_goal_far_away_is_pointed_at(distance, method):
    """The farther the goal, the larger the rounding of its slope: it must count as flat."""
    chain = arm('planar_3r')
    goal = Goal(Pose.from_xyz_rpy((0.6 * distance, 0.8 * distance, 0.0), (0, 0, 0)),
                rotation_weight=0.0)
    result = Solver(chain, method=method, timeout=PATIENT).solve(goal)
    assert result.status is Status.BEST_REACH_WORKSPACE
    reach = chain.reach[0]
    np.testing.assert_allclose(judged(chain, result.q).position, (0.6 * reach, 0.8 * reach, 0.0),
                               rtol=0, atol=1e-6)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('distance', [1e4, 1e5, 1e6, 1e9])
def test_far_poses_end_as_best_reach_in_streams(distance, method):
    """The rotation weighs so little beside the distance that the valley is long and flat."""
    chain = arm('panda')
    solver = Solver(chain, method=method, max_restarts=0, timeout=PATIENT)
    for count in range(100, 112):
        rng = np.random.default_rng(count)
        way = rng.normal(size=3)
        place = distance * way / np.linalg.norm(way)
        result = solver.solve(Pose.from_xyz_wxyz(place, rng.normal(size=4)), chain.random(rng))
        assert result.status is Status.BEST_REACH_WORKSPACE
