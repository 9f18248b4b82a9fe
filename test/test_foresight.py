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
"""Dead ends are announced before they come, and only then. No ROS."""

from math import inf

from arms import arm
from dq_ik import Goal, Pose
from dq_ik.stream.foresight import time_to_loss
from dq_ik.stream.steps import Steps
import numpy as np
import pytest
from test_steps import hard_path, pose

DT = 0.01
SPEED = 0.2  # m/s


def folded(chain):
    """Return a configuration with all tips close to the base."""
    rng = np.random.default_rng(1)
    drawn = [rng.uniform(0.8 * chain.lower, 0.8 * chain.upper) for _ in range(300)]
    return min(drawn, key=lambda q: max(
        np.linalg.norm(pose.position) for pose in chain.fk_all(q).values()))


def outwards(chain, q):
    """Return a function of time: goals that leave the reach, away from the base."""
    start = chain.fk(q)
    away = start.position / np.linalg.norm(start.position)
    return lambda time: Pose.from_xyz_wxyz(SPEED * time * away, (1.0, 0.0, 0.0, 0.0)) @ start


@pytest.mark.parametrize('name', ['panda', 'arm6'])
@pytest.mark.parametrize('of', [
    lambda pose: pose, lambda pose: Goal(pose, rotation_weight=0.0)], ids=['pose', 'position'])
def test_the_end_of_the_reach_is_announced(name, of):
    chain = arm(name)
    q = folded(chain)
    path, steps = outwards(chain, q), Steps(chain, q, 10.0)
    told = {}
    for k in range(1000):
        goal = of(path(DT * k))
        if not steps.step(goal, DT).success:
            break
        told[DT * k] = time_to_loss(steps, goal)
    end = DT * k
    assert 0.5 < end < 9.0
    for time, left in told.items():
        if time < end - 0.6:
            assert left == inf
        elif 0.05 < end - time < 0.25:
            assert time + left == pytest.approx(end, abs=0.1)


def test_a_trial_leaves_the_stream_as_it_is():
    chain = arm('panda')
    q = hard_path(chain, 5000, 200)
    poses = [pose(row) for row in chain.fk_batch(q)[:, 0]]
    plain, asked = Steps(chain, q[0], 5.0), Steps(chain, q[0], 5.0)
    for goal in poses:
        expected, found = plain.step(goal, 0.002), asked.step(goal, 0.002)
        time_to_loss(asked, goal)
        np.testing.assert_array_equal(found.q, expected.q)


def test_goals_that_stand_are_not_lost():
    chain = arm('panda')
    goal, steps = chain.fk(chain.neutral), Steps(chain, chain.neutral, 5.0)
    for _ in range(100):
        steps.step(goal, DT)
        assert time_to_loss(steps, goal) == inf


def test_one_of_two_tips_is_enough():
    chain = arm('two_arms')
    q = folded(chain)
    left, right = chain.fk_all(q).values()
    steps = Steps(chain, q, 10.0)
    warned = []
    for k in range(1000):
        away = Pose.from_xyz_wxyz((SPEED * DT * k, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        goals = [away @ left, right]
        if not steps.step(goals, DT).success:
            break
        warned.append(time_to_loss(steps, goals) < inf)
    assert not any(warned[:-60])
    assert all(warned[-20:-1])


def test_losses_of_hard_paths_are_announced():
    """All but losses of milliseconds; some warnings come to nothing: the goal turns."""
    chain = arm('panda')
    warnings, losses = [], []
    for seed in range(5000, 5012):
        q = hard_path(chain, seed, 4000)
        steps = Steps(chain, q[0], 2.5)
        good, warned = [], []
        for row in chain.fk_batch(q)[:, 0]:
            goal = pose(row)
            good.append(steps.step(goal, 0.002).success)
            if len(good) % 25 == 0:
                warned.append(good[-1] and time_to_loss(steps, goal) < inf)
        warnings += warned
        losses += [any(warned[k // 25 - 6:k // 25]) for k in range(150, 4000)
                   if all(good[k - 150:k]) and not good[k]]
    assert len(losses) >= 10
    assert np.mean(losses) > 0.9
    assert np.mean(warnings) < 0.1


@pytest.mark.parametrize('far', [10.0, 1e8])
def test_goals_that_jump_wildly_are_lost_and_nothing_is_raised(far):
    chain, rng = arm('panda'), np.random.default_rng(3)
    steps = Steps(chain, chain.neutral, 5.0)
    told = []
    for _ in range(50):
        goal = Pose.from_xyz_wxyz(far * rng.normal(size=3), rng.normal(size=4))
        steps.step(goal, 0.03)
        told.append(time_to_loss(steps, goal))
    assert set(told[10:]) <= {0.0}
