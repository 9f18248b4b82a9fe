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

"""Goals that look at a point: the axis points there from wherever the tip is."""

from __future__ import annotations

from arms import arm, PATIENT
from dq_ik import Goal, GoalError, Pose, Solver, Status
from helpers import close
import numpy as np
import pytest

POINT = (0.6, 0.2, 0.3)
AXES = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.3, -0.5, 0.8))


def angle_off(x: Pose, point, axis) -> float:
    """Angle between the axis of a pose and the way from its origin to a point, by matrices."""
    ray = x.matrix[:3, :3] @ (np.asarray(axis) / np.linalg.norm(axis))
    way = np.asarray(point) - x.position
    return float(np.arctan2(np.linalg.norm(np.cross(ray, way)), ray @ way))


@pytest.mark.parametrize('method', ['pgs', 'pls', 'dls', 'pgs_paper'])
@pytest.mark.parametrize('axis', AXES)
@pytest.mark.parametrize('name', ['panda', 'arm6', 'arm5'])
def test_the_axis_points_at_the_point_from_any_seed(name, axis, method):
    chain, rng = arm(name), np.random.default_rng(5)
    solver = Solver(chain, method=method, timeout=PATIENT)
    for _ in range(10):
        result = solver.solve(Goal(look_at=POINT, axis=axis), chain.random(rng))
        assert result.success
        assert chain.within_limits(result.q)
        assert angle_off(chain.fk(result.q), POINT, axis) < 1.1e-5


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_a_position_may_be_asked_for_as_well(method):
    chain, rng = arm('panda'), np.random.default_rng(6)
    solver = Solver(chain, method=method, timeout=PATIENT)
    for _ in range(20):
        x = chain.fk(chain.random(rng))
        point = x.position + 0.4 * x.matrix[:3, 2]
        result = solver.solve(Goal(x, look_at=point))
        assert result.success
        reached = chain.fk(result.q)
        close(reached.position, x.position, 1.1e-5)
        assert angle_off(reached, point, (0, 0, 1)) < 1.1e-5


def test_newton_steps_end_exactly_because_the_derivative_knows_the_motion_of_the_tip():
    chain, rng = arm('panda'), np.random.default_rng(7)
    solver = Solver(chain, tolerance=1e-10, max_restarts=0, timeout=PATIENT)
    near = []
    for _ in range(20):
        q = chain.random(rng)
        x = chain.fk(q)
        point = x.position + 0.05 * x.matrix[:3, 2]  # near: the direction changes with each step
        seed = np.clip(q + rng.uniform(-0.05, 0.05, chain.n), chain.lower, chain.upper)
        near.append(solver.solve(Goal(look_at=point), seed))
    assert all(result.success for result in near)
    assert np.median([result.iterations for result in near]) <= 6


def test_a_moving_point_is_followed_without_jumps():
    chain = arm('panda')
    solver = Solver(chain, max_restarts=0, timeout=PATIENT)
    q = chain.neutral
    x = chain.fk(q)
    steps = []
    for s in np.linspace(0.0, 1.0, 200):
        point = x.position + 0.5 * x.matrix[:3, 2] + 0.3 * s * x.matrix[:3, 0]
        result = solver.solve(Goal(look_at=point), q)
        assert result.success
        steps.append(np.abs(result.q - q).max())
        q = result.q
    assert max(steps[1:]) < 0.02


def test_a_point_behind_the_limits_is_a_best_reach():
    chain = arm('planar_2r')  # its axis z is across the plane for ever
    result = chain.solve(Goal(look_at=(0.5, 0.2, 0.0)), timeout=PATIENT)
    assert not result.success
    assert result.status is not Status.CONVERGED


def test_a_point_at_the_tip_itself_is_no_crash():
    chain = arm('panda')
    result = chain.solve(Goal(look_at=chain.fk(chain.neutral).position), chain.neutral)
    assert np.all(np.isfinite(result.q))


@pytest.mark.parametrize(('given', 'said'), [
    ({'look_at': (1.0, 2.0)}, 'look_at must be 3 finite numbers'),
    ({'look_at': (1.0, 2.0, np.nan)}, 'look_at must be 3 finite numbers'),
    ({'look_at': 'left'}, 'look_at must be 3 numbers'),
    ({'look_at': POINT, 'axis': (0, 0, 0)}, 'axis is three finite numbers with a direction'),
    ({'look_at': POINT, 'frame': 'goal'}, "has frame='base', got 'goal'")])
def test_bad_points_are_refused(given, said):
    with pytest.raises((GoalError, ValueError), match=said):
        Goal(**given)
