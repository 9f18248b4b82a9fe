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
"""Which solution: nearest by two measures, most manipulable, all."""

from __future__ import annotations

import math

from arms import arm, judged, PATIENT
from dq_ik import Goal, Pose, Solver
import numpy as np
import pytest

COUNT = 8


def cases(name: str) -> list[tuple]:
    """Return goals and seeds."""
    chain, rng = arm(name), np.random.default_rng(1)
    return [(chain.fk(chain.random(rng)), chain.random(rng)) for _ in range(COUNT)]


def solver(name: str, mode: str, **options) -> Solver:
    """Return a solver that uses all of its restarts."""
    return Solver(arm(name), mode=mode, timeout=PATIENT, **options)


def manipulability(name: str, q: np.ndarray) -> float:
    """Return Yoshikawa's measure, rotations weighed like the solver does."""
    J = arm(name).jacobian(q)
    J[3:] *= 0.25
    return math.sqrt(np.linalg.det(J @ J.T))


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@pytest.mark.parametrize('mode', ['distance', 'distance_max', 'manipulability', 'all'])
def test_every_mode_answers_with_a_solution(mode, method):
    found = solver('arm6', mode, method=method)
    for goal, seed in cases('arm6'):
        result = found.solve(goal, seed)
        metres, radians = judged(arm('arm6'), result.q).distance(goal)
        assert result.success
        assert metres <= 1e-5
        assert radians <= 1e-5


@pytest.mark.parametrize(('mode', 'order'), [('distance', 2), ('distance_max', np.inf)])
def test_the_nearest_solution_is_nearer_than_all_others(mode, order):
    gained = 0
    for goal, seed in cases('arm6'):
        near = solver('arm6', mode).solve(goal, seed).q
        others = solver('arm6', 'all').solve(goal, seed).solutions
        ways = [np.linalg.norm(q - seed, order) for q in others]
        assert np.linalg.norm(near - seed, order) <= min(ways) + 1e-4
        first = solver('arm6', 'speed').solve(goal, seed).q
        gained += np.linalg.norm(near - seed, order) < np.linalg.norm(first - seed, order) - 1e-3
    assert gained > 0


def test_the_two_measures_of_distance_differ():
    different = [
        not np.allclose(*(solver('panda', mode).solve(goal, seed).q
                          for mode in ('distance', 'distance_max')), atol=1e-3)
        for goal, seed in cases('panda')]
    assert any(different)


def test_the_most_manipulable_solution_is_so():
    gained = 0
    for goal, seed in cases('panda'):
        best = solver('panda', 'manipulability', rotation_scale=0.25).solve(goal, seed).q
        first = solver('panda', 'speed', rotation_scale=0.25).solve(goal, seed).q
        values = [manipulability('panda', q) for q in (best, first)]
        assert values[0] >= values[1] - 1e-9
        gained += values[0] > values[1] + 1e-6
    assert gained > 0


def test_manipulability_of_a_point_counts_its_three_rows_only():
    chain = arm('panda')
    gained = 0
    for pose, seed in cases('panda'):
        goal = Goal(pose, rotation_weight=0.0)
        values = []
        for mode in ('manipulability', 'speed'):
            J = chain.jacobian(solver('panda', mode).solve(goal, seed).q)[:3]
            values.append(math.sqrt(np.linalg.det(J @ J.T)))
        assert values[0] >= values[1] - 1e-9
        gained += values[0] > values[1] + 1e-3
    assert gained > COUNT // 2


def test_all_solutions_are_distinct_and_solve():
    chain = arm('arm6')
    for goal, seed in cases('arm6'):
        result = solver('arm6', 'all').solve(goal, seed)
        for i, q in enumerate(result.solutions):
            metres, radians = judged(chain, q).distance(goal)
            assert chain.within_limits(q)
            assert metres <= 1e-5
            assert radians <= 1e-5
            assert all(np.abs(q - other).max() >= 1e-2 for other in result.solutions[:i])
        assert np.abs(result.solutions - result.q).max(axis=1).min() < 1e-2


def test_the_eight_postures_of_a_six_joint_arm_are_found():
    """Shoulder, elbow and wrist each have two: some beyond the limits, so at least four here."""
    chain = arm('arm6')
    goal = chain.fk((0.3, 0.2, -1.0, 0.5, 0.9, 0.4))
    found = solver('arm6', 'all', max_restarts=300).solve(goal)
    assert len(found.solutions) >= 4


def test_the_number_of_solutions_can_be_limited():
    goal, seed = cases('panda')[0]
    assert len(solver('panda', 'all', max_solutions=3).solve(goal, seed).solutions) == 3


def test_an_unreachable_goal_has_no_solutions():
    far = Pose.from_xyz_rpy((2.0, 0.0, 0.5), (0.0, 0.0, 0.0))
    result = solver('panda', 'all').solve(far)
    assert not result.success
    assert result.solutions.shape == (0, 7)


def test_speed_keeps_the_answer_alone_as_its_solutions():
    goal, seed = cases('panda')[0]
    result = solver('panda', 'speed').solve(goal, seed)
    assert np.array_equal(result.solutions, result.q[None])
