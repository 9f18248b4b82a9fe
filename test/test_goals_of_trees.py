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
"""Several tips at once on trees: stacked goals, free tips, weights between them."""

from __future__ import annotations

from arms import arm, judged, nearby, PATIENT
from dq_ik import Goal, Pose, Solver
from helpers import close
import numpy as np
import pytest


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_two_arms_reach_two_poses_with_a_shared_torso(method):
    chain = arm('two_arms')
    rng = np.random.default_rng(1)
    solver = Solver(chain, method=method, timeout=PATIENT)
    for _ in range(10):
        goals = chain.fk_all(chain.random(rng))
        result = solver.solve(goals, chain.random(rng))
        assert result.success
        assert result.position_error.shape == (2,)
        for tip, goal in goals.items():
            metres, radians = judged(chain, result.q, tip).distance(goal)
            assert metres <= 1e-5
            assert radians <= 1e-5


def test_lists_mappings_and_named_goals_mean_the_same():
    chain = arm('two_arms')
    left, right = chain.fk_all(chain.random(np.random.default_rng(2))).values()
    first = chain.solve([left, right])
    for goals in ((left, right), {'right_tool': right, 'left_tool': left},
                  [Goal(right, tip='right_tool'), Goal(left, tip='left_tool')],
                  {'left_tool': Goal(left), 'right_tool': right.matrix}):
        close(chain.solve(goals).q, first.q, 1e-9)


def test_a_tip_without_a_goal_is_free():
    chain = arm('two_arms')
    q = chain.random(np.random.default_rng(3))
    result = chain.solve({'right_tool': chain.fk(q, 'right_tool')}, timeout=PATIENT)
    assert result.success
    close(judged(chain, result.q, 'right_tool').matrix, chain.fk(q, 'right_tool').matrix, 2e-5)
    left = [i for i, name in enumerate(chain.joint_names) if name.startswith('left')]
    close(result.q[left], chain.neutral[left], 1e-12)
    assert result.position_error[0] == 0.0


def test_weights_decide_between_goals_in_conflict():
    chain = arm('two_arms')
    apart = [Pose.from_xyz_rpy((0.2, side, 1.0), (0, 0, 0)) for side in (1.5, -1.5)]
    torso = chain.joint_names.index('torso_yaw')
    found = []
    for left, right in ((1.0, 1.0), (10.0, 1.0), (1.0, 10.0)):
        result = chain.solve([
            Goal(apart[0], position_weight=left, rotation_weight=0.0),
            Goal(apart[1], position_weight=right, rotation_weight=0.0)], timeout=PATIENT)
        assert not result.success
        found.append(result)
    even, for_left, for_right = found
    assert for_left.position_error[0] < even.position_error[0] < for_right.position_error[0]
    assert for_right.position_error[1] < even.position_error[1] < for_left.position_error[1]
    assert np.isfinite(even.q[torso])


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_five_fingers_are_tracked_together(method):
    chain = arm('hand')
    rng = np.random.default_rng(4)
    solver = Solver(chain, method=method, timeout=PATIENT, max_restarts=0)
    for _ in range(20):
        q = chain.random(rng)
        goals = [Goal(pose, rotation_weight=0.0) for pose in chain.fk_all(q).values()]
        result = solver.solve(goals, nearby(chain, q, rng, 0.1))
        assert result.success
        for tip, goal in zip(chain.tips, goals):
            assert judged(chain, result.q, tip).distance(goal.pose)[0] <= 1e-5


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_six_poses_of_a_humanoid_are_tracked_together(method):
    chain = arm('humanoid')
    rng = np.random.default_rng(5)
    solver = Solver(chain, method=method, timeout=PATIENT, max_restarts=0)
    for _ in range(5):
        q = nearby(chain, chain.neutral, rng, 0.3)
        goals = chain.fk_all(q)
        result = solver.solve(goals, nearby(chain, q, rng, 0.05))
        assert result.success
        for tip, goal in goals.items():
            metres, radians = judged(chain, result.q, tip).distance(goal)
            assert metres <= 1e-5
            assert radians <= 1e-5
