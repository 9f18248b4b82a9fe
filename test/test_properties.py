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
"""What holds for every input: limits, tolerances, finite numbers; judged by Pinocchio."""

from __future__ import annotations

from functools import cache
import math

from arms import arm, PATIENT, URDF
from dq_ik import Goal, Pose, Solver
from dq_ik.options import METHODS, MODES
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio
import pytest

NAMES = ('panda', 'arm6', 'arm5', 'planar_3r', 'prismatic')
TOLERANCE = 1e-5
QUICK = settings(max_examples=60, deadline=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])


@cache
def judge(name: str):
    """Return Pinocchio's model of a robot, its data and the frame of the tip."""
    model = pinocchio.buildModelFromUrdf(str(URDF / f'{name}.urdf'))
    return model, model.createData(), model.getFrameId(arm(name).tips[0], pinocchio.BODY)


def pose_by_pinocchio(name: str, q: np.ndarray) -> Pose:
    """Return the tip's pose; continuous joints are stored as cosine and sine there."""
    model, data, frame = judge(name)
    values = pinocchio.neutral(model)
    for i, joint in enumerate(model.names[1:], start=1):
        if joint not in arm(name).joint_names:
            continue
        value = q[arm(name).joint_names.index(joint)]
        start, size = model.idx_qs[i], model.nqs[i]
        values[start:start + size] = value if size == 1 else (math.cos(value), math.sin(value))
    pinocchio.framesForwardKinematics(model, data, values)
    return Pose.from_matrix(data.oMf[frame].homogeneous)


@cache
def solver(name: str, method: str, mode: str = 'speed') -> Solver:
    """Return a solver, made once."""
    return Solver(arm(name), method=method, mode=mode, timeout=PATIENT, max_restarts=10,
                  max_iterations=0 if method in ('pgs', 'pls') else 50)


numbers = st.floats(-3.0, 3.0)
poses = st.builds(
    lambda p, w: Pose.exp((*p, 0, 0, 0)) @ Pose.exp((0, 0, 0, *w)),
    st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers))
seeds = st.integers(0, 2**32 - 1)


def check(name: str, goal: Pose, result) -> None:
    """Assert what every answer promises."""
    chain = arm(name)
    assert np.all(np.isfinite(result.q))
    assert chain.within_limits(result.q)
    assert np.all(np.isfinite(result.position_error))
    assert np.all(np.isfinite(result.rotation_error))
    metres, radians = pose_by_pinocchio(name, result.q).distance(goal)
    met = metres <= TOLERANCE + 1e-9 and radians <= TOLERANCE + 1e-9
    assert met or not result.success
    assert abs(metres - result.position_error[0]) < 1e-9
    assert abs(radians - result.rotation_error[0]) < 1e-6


@pytest.mark.parametrize('method', METHODS)
@QUICK
@given(name=st.sampled_from(NAMES), goal=poses, seed=seeds)
def test_any_pose(method, name, goal, seed):
    start = arm(name).random(np.random.default_rng(seed))
    check(name, goal, solver(name, method).solve(goal, start))


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@QUICK
@given(name=st.sampled_from(NAMES), seed=seeds)
def test_poses_within_reach_are_found(method, name, seed):
    rng = np.random.default_rng(seed)
    goal = arm(name).fk(arm(name).random(rng))
    result = Solver(arm(name), method=method, timeout=PATIENT).solve(goal, arm(name).random(rng))
    assert result.success
    check(name, goal, result)


@pytest.mark.parametrize('mode', MODES)
@settings(QUICK, max_examples=15)
@given(name=st.sampled_from(NAMES), seed=seeds)
def test_any_mode(mode, name, seed):
    rng = np.random.default_rng(seed)
    goal = arm(name).fk(arm(name).random(rng))
    check(name, goal, solver(name, 'pgs', mode).solve(goal, arm(name).random(rng)))


@pytest.mark.parametrize('method', METHODS)
@settings(QUICK, max_examples=20)
@given(size=st.sampled_from([1e3, 1e9, 1e30, 1e100, 1e160, 1e300]), seed=seeds)
def test_huge_goals_give_finite_answers_within_limits(method, size, seed):
    rng = np.random.default_rng(seed)
    goal = Pose.from_xyz_wxyz(size * rng.normal(size=3), rng.normal(size=4))
    result = solver('panda', method).solve(goal, arm('panda').random(rng))
    assert not result.success
    assert np.all(np.isfinite(result.q))
    assert arm('panda').within_limits(result.q)


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@settings(QUICK, max_examples=20)
@given(seed=seeds, exponent=st.integers(0, 8))
def test_huge_seeds_give_finite_answers_within_limits(method, seed, exponent):
    rng = np.random.default_rng(seed)
    chain = arm('prismatic')
    start = rng.normal(size=4) * 10.0**exponent
    goal = chain.fk(chain.random(rng))
    result = solver('prismatic', method).solve(goal, start)
    assert np.all(np.isfinite(result.q))
    assert np.all(result.q[:3] >= chain.lower[:3])
    assert np.all(result.q[:3] <= chain.upper[:3])
    if exponent < 6:  # further out the turns of a continuous joint are coarser than the tolerance
        assert result.success
        assert abs(result.q[3] - start[3]) <= math.pi + 1e-3


@pytest.mark.parametrize('method', ['pgs', 'pls'])
@settings(QUICK, max_examples=30)
@given(goal=poses, seed=seeds, frame=st.sampled_from(['base', 'goal']),
       weights=st.tuples(*[st.sampled_from([0.0, 0.3, 1.0])] * 6).filter(any))
def test_any_weights(method, goal, seed, weights, frame):
    chain = arm('arm6')
    asked = Goal(goal, position_weight=weights[:3], rotation_weight=weights[3:], frame=frame)
    result = solver('arm6', method).solve(asked, chain.random(np.random.default_rng(seed)))
    assert np.all(np.isfinite(result.q))
    assert chain.within_limits(result.q)
    x = pose_by_pinocchio('arm6', result.q)
    error = goal.position - x.position
    if frame == 'goal':
        error = goal.matrix[:3, :3].T @ error
    free = np.array(weights[:3]) == 0.0
    assert abs(np.linalg.norm(error[~free]) - result.position_error[0]) < 1e-9
    assert not result.success or result.position_error[0] <= TOLERANCE
