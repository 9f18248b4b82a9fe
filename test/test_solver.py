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
"""The door of the solvers: arms with answers by hand, statuses, turns, bounds, and errors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import math

from arms import arm, judged, nearby, PATIENT
from dq_ik import Goal, IkOptions, Pose, SeedError, solve, Solver, Status
from helpers import close
import numpy as np
import pytest

TURN = 2.0 * math.pi
UPPER_1 = math.radians(170.0)  # limit of joint_1 of the planar arms


def flat(x: float, y: float, angle: float = 0.0) -> Pose:
    """Return a pose in the plane z = 0."""
    return Pose.from_xyz_rpy((x, y, 0.0), (0.0, 0.0, angle))


def two_links(x: float, y: float, l1: float, l2: float) -> list[tuple[float, float]]:
    """Return both configurations of two links whose end is at (x, y): the law of cosines."""
    cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2.0 * l1 * l2)
    return [(math.atan2(y, x) - math.atan2(l2 * math.sin(q2), l1 + l2 * math.cos(q2)), q2)
            for q2 in (math.acos(cosine), -math.acos(cosine))]


def same_rows(actual: np.ndarray, expected: list, atol: float) -> None:
    """Assert that two sets of configurations agree in any order."""
    assert len(actual) == len(expected)
    close(sorted(actual.tolist()), sorted(map(list, expected)), atol)


# --- known answers -------------------------------------------------------------------------------


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@pytest.mark.parametrize('point', [(1.2, 0.5), (0.4, -0.9), (-0.3, 0.8), (0.9, 1.1)])
def test_two_links_reach_a_point_in_the_two_known_ways(point, method):
    goal = Goal(flat(*point), rotation_weight=0.0)
    result = arm('planar_2r').solve(goal, method=method, mode='all', timeout=PATIENT)
    assert result.success
    same_rows(result.solutions, two_links(*point, 1.0, 0.7), 5e-5)


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@pytest.mark.parametrize(('x', 'y', 'angle'),
                         [(0.7, 0.3, 0.4), (-0.2, 0.6, 2.0), (0.5, -0.5, -1.0)])
def test_three_links_reach_a_pose_in_the_two_known_ways(x, y, angle, method):
    wrist = (x - 0.3 * math.cos(angle), y - 0.3 * math.sin(angle))
    expected = [(q1, q2, angle - q1 - q2) for q1, q2 in two_links(*wrist, 0.5, 0.4)]
    chain = arm('planar_3r')
    result = chain.solve(flat(x, y, angle), method=method, mode='all', timeout=PATIENT)
    same_rows(result.solutions, [q for q in expected if chain.within_limits(q)], 1e-4)


def test_a_pose_of_two_links_fixes_both_joints():
    close(arm('planar_2r').solve(arm('planar_2r').fk((0.5, -1.1))).q, (0.5, -1.1), 1e-4)


def test_a_goal_that_is_met_already_costs_nothing():
    chain = arm('panda')
    q = chain.random(np.random.default_rng(1))
    result = chain.solve(chain.fk(q), q)
    assert result.success
    assert result.iterations == 0
    assert np.array_equal(result.q, q)


# --- statuses ------------------------------------------------------------------------------------


def test_a_far_goal_is_out_of_the_workspace_and_the_arm_stretches_towards_it():
    goal = Goal(flat(3.0, 0.0), rotation_weight=0.0)
    result = arm('planar_2r').solve(goal, (0.3, 0.5), timeout=PATIENT)
    assert result.status is Status.BEST_REACH_WORKSPACE
    assert not result.success
    close(result.q, (0.0, 0.0), 1e-6)
    close(result.position_error, [1.3], 1e-9)
    assert result.limited_joints == ()
    assert 'out of reach, 1.3 m beyond the reach of 1.7 m' in result.message
    assert '1.3e+03 mm' in result.message


def test_a_goal_behind_a_limit_names_the_joint_in_the_way():
    goal = Goal(flat(-1.7, 0.0), rotation_weight=0.0)
    result = arm('planar_2r').solve(goal, timeout=PATIENT)
    to_goal = math.hypot(-1.7 - math.cos(UPPER_1), math.sin(UPPER_1))  # from the elbow
    assert result.status is Status.BEST_REACH_LIMITS
    assert result.limited_joints == ('joint_1',)
    assert 'joint_1' in result.message
    close(abs(result.q[0]), UPPER_1, 1e-12)
    close(result.position_error, [to_goal - 0.7], 1e-9)


def test_a_step_limit_is_told_from_a_joint_limit():
    chain = arm('planar_2r')
    result = chain.solve(chain.fk((0.5, 0.5)), (0.0, 0.4), max_joint_step=0.1, timeout=PATIENT)
    assert result.status is Status.STEP_LIMITED
    close(result.q, (0.1, 0.5), 0.05)
    assert np.all(np.abs(result.q - (0.0, 0.4)) <= 0.1 + 1e-15)
    assert result.limited_joints == ()


def test_a_budget_too_short_is_reported_as_such():
    result = arm('panda').solve(Pose.from_xyz_rpy((2.0, 0.0, 0.5), (0, 0, 0)), timeout=1e-6)
    assert result.status is Status.TIMED_OUT
    assert arm('panda').within_limits(result.q)
    assert 'time ran out' in result.message


def test_every_status_has_a_sentence():
    assert len({status.sentence for status in Status}) == len(Status)


def test_an_arm_without_joints_says_how_far_it_is():
    chain = arm('planar_2r').model.chain('link_2', 'tool')
    assert chain.n == 0
    assert chain.solve(flat(0.7, 0.0)).success
    result = chain.solve(flat(1.0, 0.0))
    assert result.status is Status.BEST_REACH_WORKSPACE
    close(result.position_error, [0.3], 1e-12)


# --- answers are what they say -------------------------------------------------------------------


@pytest.mark.parametrize('name', ['panda', 'arm6', 'prismatic', 'mimic', 'planar_3r'])
@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_success_is_judged_on_the_final_vector(name, method):
    chain = arm(name)
    rng = np.random.default_rng(3)
    solver = Solver(chain, method=method, timeout=PATIENT)
    for _ in range(20):
        goal = chain.fk(chain.random(rng))
        result = solver.solve(goal, chain.random(rng))
        metres, radians = judged(chain, result.q).distance(goal)
        assert result.success
        assert result.status is Status.CONVERGED
        assert chain.within_limits(result.q)
        assert metres <= 1e-5
        assert radians <= 1e-5
        close(result.position_error, [metres], 1e-9)
        close(result.rotation_error, [radians], 1e-7)


def test_tolerances_decide_when_a_goal_is_met():
    chain = arm('arm6')
    rng = np.random.default_rng(5)
    for _ in range(10):
        goal, seed = chain.fk(chain.random(rng)), chain.random(rng)
        loose = chain.solve(goal, seed, position_tolerance=0.05, rotation_tolerance=0.1)
        tight = chain.solve(goal, seed, position_tolerance=1e-9, rotation_tolerance=1e-9)
        assert loose.success
        assert loose.position_error[0] <= 0.05
        assert tight.success
        assert tight.position_error[0] <= 1e-9
        assert loose.iterations < tight.iterations


def test_one_tolerance_stands_for_both():
    options = IkOptions.of(tolerance=1e-3)
    assert (options.position_tolerance, options.rotation_tolerance) == (1e-3, 1e-3)


def test_a_result_cannot_be_changed():
    result = arm('planar_2r').solve(flat(1.2, 0.5))
    q, before = result.q, float(result.q[0])
    q[0] += 1.0
    assert result.q[0] == before
    for values in (result.position_error, result.rotation_error, result.solutions, result.trace):
        with pytest.raises(ValueError, match='read-only'):
            values.fill(0.0)
    with pytest.raises(AttributeError):
        result.status = Status.CONVERGED


# --- the same input gives the same bits ----------------------------------------------------------


@pytest.mark.parametrize('method', ['pgs', 'pls', 'pgs_paper', 'dls'])
def test_the_same_input_gives_the_same_bits(method):
    chain = arm('panda')
    rng = np.random.default_rng(7)
    goals = [chain.fk(chain.random(rng)) for _ in range(20)]
    solvers = [Solver(chain, method=method, timeout=PATIENT) for _ in range(2)]
    for goal in goals:
        a, b = (solver.solve(goal) for solver in solvers)
        assert a.q.tobytes() == b.q.tobytes()
        assert (a.iterations, a.restarts) == (b.iterations, b.restarts)


def test_threads_share_a_solver():
    chain = arm('panda')
    rng = np.random.default_rng(8)
    goals = [chain.fk(chain.random(rng)) for _ in range(200)]
    solver = Solver(chain, timeout=PATIENT)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solver.solve, goals))
    for goal, result in zip(goals, together):
        assert result.q.tobytes() == solver.solve(goal).q.tobytes()


def test_another_random_seed_gives_other_restarts():
    chain = arm('panda')
    goal = chain.fk(chain.random(np.random.default_rng(10)))
    found = [chain.solve(goal, mode='all', random_seed=seed, timeout=PATIENT).solutions
             for seed in (0, 1)]
    assert not np.array_equal(*found)


# --- turns, bounds, seeds ------------------------------------------------------------------------


@pytest.mark.parametrize('turns', [-3, 0, 2])
def test_a_continuous_joint_returns_the_turn_nearest_to_the_seed(turns):
    chain = arm('prismatic')
    goal = chain.fk((0.1, 0.1, -0.2, 0.3))
    result = chain.solve(goal, (0.0, 0.0, 0.0, turns * TURN - 1.0))
    close(result.q[3], 0.3 + turns * TURN, 1e-5)
    assert result.success


@pytest.mark.parametrize(('seed', 'expected'),
                         [(6.0, 6.5), (0.0, 6.5 - TURN), (-6.0, 6.5 - 2 * TURN)])
def test_a_wide_joint_returns_the_turn_nearest_to_the_seed(seed, expected):
    chain = arm('arm6')
    q = np.array((0.2, 0.3, -1.0, 0.4, 0.8, 6.5))
    start = q.copy()
    start[5] = seed
    close(chain.solve(chain.fk(q), start).q[5], expected, 1e-4)


def test_a_turn_beyond_the_limits_is_given_up():
    chain = arm('arm6')
    q = np.array((0.2, 0.3, -1.0, 0.4, 0.8, 7.2 - TURN))  # 7.2 is beyond 400 degrees
    result = chain.solve(chain.fk(q), (*q[:5], 6.9))
    assert result.success
    close(result.q[5], 7.2 - TURN, 1e-4)


def test_bounds_narrow_the_limits_of_one_call():
    chain = arm('planar_2r')
    solver = Solver(chain, timeout=PATIENT)
    goal = Goal(flat(1.2, 0.5), rotation_weight=0.0)
    for sign in (1, -1):
        lower, upper = (chain.lower[1], 0.0) if sign < 0 else (0.0, chain.upper[1])
        result = solver.solve(goal, bounds=((-math.inf, lower), (math.inf, upper)))
        assert result.success
        assert sign * result.q[1] > 0.0
    outside = solver.chain.solve(goal, bounds=((-0.1, -0.1), (0.1, 0.1)), timeout=PATIENT)
    assert not outside.success
    assert np.all(np.abs(outside.q) <= 0.1)
    assert solver.solve(goal).success


def test_bounds_that_leave_nothing_are_refused_by_name():
    with pytest.raises(SeedError, match="'joint_2'"):
        Solver(arm('planar_2r')).solve(flat(1, 0), bounds=((-1.0, 5.0), (1.0, 6.0)))


def test_without_a_seed_a_search_starts_near_the_goal_and_a_stream_at_the_neutral_posture():
    chain = arm('panda')
    goal = chain.fk(chain.random(np.random.default_rng(5)))
    search = Solver(chain, timeout=PATIENT, trace=1)
    stream = Solver(chain, timeout=PATIENT, max_restarts=0, trace=1)
    first, from_neutral = search.solve(goal).trace[0], stream.solve(goal, chain.neutral).trace[0]
    assert np.abs(first - from_neutral).max() > 0.1
    assert chain.fk(first).distance(goal)[0] < chain.fk(from_neutral).distance(goal)[0]
    assert np.array_equal(stream.solve(goal).q, stream.solve(goal, chain.neutral).q)


def test_a_seed_outside_the_limits_is_moved_inside():
    chain = arm('planar_2r')
    result = chain.solve(chain.fk((0.5, 1.0)), (40.0, -40.0), timeout=PATIENT)
    assert result.success
    assert chain.within_limits(result.q)


def test_a_large_joint_step_is_never_exceeded():
    chain = arm('panda')
    rng = np.random.default_rng(11)
    solver = Solver(chain, max_joint_step=0.2, timeout=PATIENT)
    for _ in range(30):
        seed = chain.random(rng)
        result = solver.solve(chain.fk(nearby(chain, seed, rng, 0.5)), seed)
        assert np.all(np.abs(result.q - seed) <= 0.2 + 1e-12)


def test_module_function_and_method_agree():
    chain = arm('planar_2r')
    goal = flat(1.2, 0.5)
    assert np.array_equal(solve(chain, goal).q, chain.solve(goal).q)
