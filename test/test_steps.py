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
"""Steps of a stream: never faster than the joints may, lost as seldom as can be. No ROS."""

import itertools

from arms import arm
from dq_ik import Goal, load_robot, Pose
from dq_ik.core.solve.verdict import Status
from dq_ik.errors import DqIkError
from dq_ik.stream.steps import Following, Steps
import numpy as np
import pytest
from scipy.optimize import brentq

DT = 0.002
PLANAR = '<robot name="planar">' + '<link name="l0"/>' + ''.join(
    f'<link name="l{k + 1}"/><joint name="j{k}" type="revolute"><parent link="l{k}"/>'
    f'<child link="l{k + 1}"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>'
    '<limit lower="-2.5" upper="2.5" velocity="3" effort="1"/></joint>'
    for k in range(6)) + '</robot>'
CONTINUOUS = np.pi  # half the range taken of joints without limits


def hard_path(chain, seed, frames=2000):
    """Return the configurations of smooth joint motions over 90 % of the ranges."""
    rng = np.random.default_rng(seed)
    lower = np.where(np.isfinite(chain.lower), chain.lower, -CONTINUOUS)
    upper = np.where(np.isfinite(chain.upper), chain.upper, CONTINUOUS)
    time = DT * np.arange(frames)[:, None, None]
    frequency = rng.uniform(0.05, 0.15, (chain.n, 3))
    phase = rng.uniform(0.0, 2.0 * np.pi, (chain.n, 3))
    share = rng.dirichlet(np.ones(3), chain.n)
    waves = np.sum(share * np.sin(2 * np.pi * frequency * time + phase), axis=-1)
    return 0.5 * (lower + upper) + 0.45 * (upper - lower) * waves


def follow(name, seed, bound, frames=2000, **following):
    """Follow a hard path; return chain, its configurations and the answers."""
    chain = arm(name)
    q = hard_path(chain, seed, frames)
    steps = Steps(chain, q[0], bound / DT, following=Following(**following))
    return chain, q, steps.run(chain.fk_batch(q)[:, 0], DT)


def pose(numbers):
    return Pose(numbers[:4], numbers[4:])


def largest_step(start, answers):
    return np.abs(np.diff(np.vstack([start, answers]), axis=0)).max()


@pytest.mark.parametrize('seed', range(5000, 5006))
@pytest.mark.parametrize(('name', 'bound', 'solved'), [
    ('panda', 0.015, 0.8), ('panda', 0.005, 0.6), ('arm6', 0.01, 0.99)])
def test_hard_paths_are_followed_without_a_jump(name, bound, solved, seed):
    chain, q, result = follow(name, seed, bound)
    assert largest_step(q[0], result.q) <= bound
    assert (result.q >= chain.lower).all()
    assert (result.q <= chain.upper).all()
    assert result.success.mean() > solved
    goals, reached = chain.fk_batch(q)[:, 0], chain.fk_batch(result.q)[:, 0]
    for k in np.flatnonzero(result.success)[::50]:
        errors = pose(reached[k]).distance(pose(goals[k]))
        assert errors < (1.01e-5, 1.01e-5)


def test_each_ingredient_follows_more_of_the_paths():
    """On many paths: momentum and barrier, then the intercept, then the look-ahead."""
    plain = {'momentum': False, 'barrier': 0.0, 'look_ahead': False, 'policy': 'best_reach'}
    pushed = {**plain, 'momentum': True, 'barrier': 3.0}
    usual = {**pushed, 'policy': 'intercept'}
    lost = [np.mean([1.0 - follow('panda', seed, 0.005, **which)[2].success.mean()
                     for seed in range(5000, 5016)])
            for which in (plain, pushed, usual, {**usual, 'look_ahead': True})]
    assert lost[0] > lost[1] > lost[2]
    assert lost[0] > 1.5 * lost[3]


def _singular(chain, q, joint):
    """Return q with one joint moved to where the Jacobian is singular."""
    turn = np.eye(chain.n)[joint]
    return q + turn * brentq(lambda x: np.linalg.det(chain.jacobian(q + turn * x)), -0.5, 0.5)


@pytest.mark.parametrize('period', [0.002, 0.01])
@pytest.mark.parametrize(('joint', 'near'), [(2, -1.6), (2, -2.5), (4, 0.2)],
                         ids=['shoulder', 'elbow', 'wrist'])
def test_the_branch_is_kept_where_a_frame_is_singular(joint, near, period):
    """One frame is just on a singularity; the arm goes on to the other side."""
    chain = arm('arm6')
    time = period * (np.arange(100)[:, None] - 50)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        middle = np.array([0.3, 0.5, -2.0, 0.7, 0.2, 0.2])
        middle[joint] = near
        middle = _singular(chain, middle + rng.uniform(-0.1, 0.1, 6), joint)
        q = middle + time * rng.uniform(-1.0, 1.0, 6)
        result = Steps(chain, q[0], 10.0).run(chain.fk_batch(q)[:, 0], period)
        assert result.success.all(), seed
        assert np.abs(result.q - q)[55:].max() < 1e-3, seed


def test_a_motion_that_is_free_at_every_place_comes_to_rest():
    """Three of the six joints of a planar arm are free: no momentum keeps them in motion."""
    chain = load_robot(PLANAR).chain()
    q = np.array([0.3, 0.4, -0.5, 0.6, 0.2, -0.4])
    steps = Steps(chain, q, 3.0, following=Following(barrier=0.0))
    turns = np.stack([[0.3 + 0.2 * DT * k, *q[1:]] for k in range(1000)])
    steps.state.qdot[:] = [0.0, 0.5, -1.0, 0.5, 0.0, 0.0]
    speeds = np.abs(np.diff(steps.run(chain.fk_batch(turns)[:, 0], DT).q, axis=0)) / DT
    assert speeds.max() < 0.25


def test_velocities_have_no_noise():
    """A smooth path is answered by smooth joints, far below the tolerance of the goal."""
    chain = arm('panda')
    time = DT * np.arange(1000)[:, None]
    middle = 0.5 * (chain.lower + chain.upper)
    q = middle + 0.3 * np.sin(1.5 * time + np.arange(chain.n))
    steps = Steps(chain, q[0], 10.0, following=Following(barrier=0.0, look_ahead=False))
    answers = steps.run(chain.fk_batch(q)[:, 0], DT).q
    jerk = np.diff(answers[10:], n=3, axis=0) / DT**3
    assert np.abs(jerk).max() < 100.0  # 1e-5 of noise would be 1e3 and more


@pytest.mark.parametrize('policy', ['intercept', 'best_reach', 'stop'])
def test_no_frame_has_more_than_60_solves(policy):
    chain = arm('panda')
    q = hard_path(chain, 5001)
    steps = Steps(chain, q[0], 0.003 / DT, following=Following(policy=policy))
    most = 0
    for numbers in chain.fk_batch(q)[:, 0]:
        steps.step(pose(numbers), DT)
        most = max(most, int(steps.state.solves[0]))
    assert most <= 60


def test_a_stopped_stream_stays_where_it_lost_its_goal():
    chain, q, result = follow('panda', 5001, 0.002, policy='stop', frames=1000)
    lost = ~result.success
    assert lost.any()
    assert np.array_equal(result.q[1:][lost[1:]], result.q[:-1][lost[1:]])


def test_joints_do_not_outrun_a_goal_that_hardly_moves():
    chain, q, result = follow('panda', 5000, 0.02, frames=4000)
    goals = chain.fk_batch(q)[:, 0]
    way = np.array([_way(a, b) for a, b in itertools.pairwise(goals)])
    moved = np.abs(np.diff(result.q, axis=0)).max(axis=1)
    assert (moved <= np.maximum(10.0 * way, 0.4 * DT) * (1 + 1e-6)).all()


def _way(a, b):
    metres, radians = pose(a).distance(pose(b))
    return np.hypot(metres, 0.3 * radians)


def test_a_goal_that_rests_moves_nothing():
    chain = arm('panda')
    q = hard_path(chain, 5003, 200)
    steps = Steps(chain, q[0], 5.0)
    for numbers in chain.fk_batch(q)[:, 0]:
        steps.step(pose(numbers), DT)
    goal = chain.fk(q[-1])
    answers = [steps.step(goal, DT).q for _ in range(50)]
    assert all(np.array_equal(answers[1], answer) for answer in answers[2:])


def test_trees_and_other_kinds_of_goals_keep_to_the_speeds():
    chain = arm('two_arms')
    rng = np.random.default_rng(3)
    start = chain.neutral
    steps = Steps(chain, start, 1.0)
    left, right = chain.tips
    box = chain.fk(start, left).inverse() @ chain.fk(start, right)
    last = start
    for k in range(300):
        goals = {left: chain.fk(start + 0.1 * np.sin(0.01 * k) * rng.uniform(0.9, 1.0), left),
                 right: Goal(box, relative_to=left)}
        result = steps.step(goals, DT)
        assert np.abs(result.q - last).max() <= 1.0 * DT
        last = result.q
    assert result.status in (Status.CONVERGED, Status.ON_THE_WAY)


def test_balls_turn_no_faster_than_they_may():
    chain = arm('humanoid')
    rng = np.random.default_rng(2)
    steps = Steps(chain, chain.neutral, 2.0)
    goals = chain.fk_all(chain.clamp(chain.neutral + rng.uniform(-0.3, 0.3, chain.n)))
    last = chain.neutral
    for _ in range(20):
        q = steps.step(goals, DT).q
        assert np.abs(q - last).max() <= 2.0 * DT * 1.01  # of a ball: of its angle
        assert chain.within_limits(q)
        last = q


@pytest.mark.parametrize('bad', [np.eye(3), np.full((4, 4), np.nan), 'there', None])
def test_a_bad_goal_is_named_and_changes_nothing(bad):
    chain = arm('panda')
    steps = Steps(chain, chain.neutral, 1.0)
    with pytest.raises(DqIkError):
        steps.step(bad, DT)
    assert np.array_equal(steps.q, chain.neutral)


def test_a_bad_time_is_refused():
    chain = arm('panda')
    with pytest.raises(DqIkError):
        Steps(chain, chain.neutral, 1.0).step(chain.fk(chain.neutral), -1.0)
