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

"""Numbers that are far too large: accepted with the right answer, or refused with a sentence."""

from __future__ import annotations

import math

from arms import arm, judged, PATIENT, URDF
from dq_ik import ChainError, Goal, load_robot, Pose, SeedError, Solver, UrdfError
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.options import METHODS
from helpers import close
import numpy as np
import pytest

FLOATING = ("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
            "<joint name='base' type='floating'><parent link='a'/><child link='b'/></joint>"
            "<joint name='turn' type='continuous'><parent link='b'/><child link='c'/>"
            "<origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint></robot>")


def three(kind: str, limits: str) -> str:
    """Return an arm of three joints that cross."""
    joints = ''.join(
        f"<link name='l{i + 1}'/><joint name='j{i}' type='{kind}'><parent link='l{i}'/>"
        f"<child link='l{i + 1}'/><origin xyz='0.3 0 0.1'/><axis xyz='{axis}'/>{limits}</joint>"
        for i, axis in enumerate(('0 0 1', '0 1 0', '1 0 0')))
    return f"<robot name='r'><link name='l0'/>{joints}</robot>"


def test_a_scaled_dual_quaternion_is_the_pose_of_its_unit_one():
    """Its length says nothing, however large: 1e200 is the identity."""
    chain = arm('panda')
    numbers = chain.fk(chain.random(np.random.default_rng(0))).numbers()
    for size in (1e-9, 1e200, 1e300):
        given = size * numbers
        goal = Pose(given[:4], given[4:])
        result = chain.solve(goal, chain.neutral, timeout=PATIENT)
        assert result.success
        close(judged(chain, result.q).matrix, chain.fk(result.q).matrix, 1e-12)
        assert judged(chain, result.q).distance(Pose(numbers[:4], numbers[4:]))[0] < 1.1e-5
    one, huge = (chain.solve(Pose((size, 0, 0, 0), (0, 0, 0, 0)), timeout=PATIENT)
                 for size in (1.0, 1e200))
    assert one.q.tobytes() == huge.q.tobytes()


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('size', [1e20, 1e86, 1e120, 1e160, 1e300])
def test_far_goals_of_a_floating_base_have_finite_answers(method, size):
    chain = load_robot(FLOATING).chain()
    goal = Pose.from_xyz_rpy((size, -size, 0.0), (0.1, 0.2, 0.3))
    result = chain.solve(goal, method=method, timeout=0.01)
    assert np.all(np.abs(result.q) <= FARTHEST)
    assert np.all(np.isfinite(result.position_error))
    assert not result.success


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize(('lower', 'upper'), [
    ('-1', 'inf'), ('-inf', '1'), ('-inf', 'inf'), ('-1', '1e300'), ('-1e308', '1e308'),
    ('0.5', '1e16')])
@pytest.mark.parametrize('method', METHODS)
def test_limits_that_are_none_give_finite_answers(kind, lower, upper, method):
    chain = load_robot(three(kind, f"<limit lower='{lower}' upper='{upper}'/>")).chain()
    assert all(low == max(float(lower), -math.inf) or low == -math.inf for low in chain.lower)
    assert not np.any((np.abs(chain.upper) > FARTHEST) & np.isfinite(chain.upper))
    rng = np.random.default_rng(0)
    solver = Solver(chain, method=method, timeout=0.02)
    for _ in range(3):
        q = chain.random(rng)
        assert np.all(np.abs(q) < 10.0)
        result = solver.solve(chain.fk(q), chain.random(rng))
        assert np.all(np.isfinite(result.q))
        assert chain.within_limits(result.q)
        assert np.all(np.isfinite(result.position_error))
        if method in ('pgs', 'pls'):
            assert result.success


@pytest.mark.parametrize(('lower', 'upper'), [('inf', 'inf'), ('-inf', '-inf'), ('1e10', '1e300')])
def test_limits_that_allow_no_position_are_refused(lower, upper):
    with pytest.raises(UrdfError, match=r"'j0' has the limits .* between -1e.09 and 1e.09"):
        load_robot(three('revolute', f"<limit lower='{lower}' upper='{upper}'/>"))


def test_a_mimic_cannot_give_its_master_a_limit_that_is_too_far():
    text = three('revolute', "<limit lower='-1' upper='1'/>").replace(
        "type='revolute'", "type='continuous'", 1).replace(
        "<axis xyz='1 0 0'/>", "<axis xyz='1 0 0'/><mimic joint='j0' multiplier='1e-12'/>")
    chain = load_robot(text).chain()
    assert (chain.lower[0], chain.upper[0]) == (-math.inf, math.inf)


@pytest.mark.parametrize('seed', [1e3, 1e6, 1e9])
def test_answers_of_large_seeds_are_accurate(seed):
    chain = load_robot(three('continuous', '')).chain()
    goal = Goal(chain.fk((0.3, 0.4, 0.5)), rotation_weight=0.0)
    for restarts in (0, 100):
        result = chain.solve(goal, np.full(3, seed), max_restarts=restarts, timeout=PATIENT)
        assert result.success
        assert np.all(np.abs(result.q - seed) <= 2.0 * math.pi)
        assert judged(chain, result.q).distance(goal.pose)[0] < 1.1e-5


@pytest.mark.parametrize('seed', [1.01e9, -1e11, 1e200, 1.7e308])
@pytest.mark.parametrize('name', ['panda', 'humanoid'])
def test_seeds_that_are_too_far_are_refused(seed, name):
    """A number that large is coarser than the tolerance, and no robot is there."""
    chain = arm(name)
    goals = chain.fk_all(chain.neutral)
    q = chain.neutral.copy()
    q[1] = seed
    with pytest.raises(SeedError, match=chain.joint_names[1]):
        chain.solve(goals, q)
    with pytest.raises(SeedError, match=r'1e\+09'):
        chain.solve_batch([goals], q)
    if len(goals) == 1:
        with pytest.raises(SeedError, match=chain.joint_names[1]):
            chain.solve(goals[chain.tips[0]], q)


def test_bounds_that_are_too_far_are_refused():
    chain = load_robot(three('continuous', '')).chain()
    with pytest.raises(SeedError, match='j0'):
        chain.solve(chain.fk((0.3, 0.4, 0.5)), bounds=([1e50, -1, -1], [1e51, 1, 1]))


@pytest.mark.parametrize('far', [1.1e9, 1e154, 1e308])
def test_origins_and_tools_far_away_are_refused(far):
    """With them, forward kinematics would be NaN, and goals made of it."""
    text = (URDF / 'panda.urdf').read_text()
    assert '<origin xyz="0 0 0.333"' in text
    with pytest.raises(UrdfError, match=r'joint1. has its origin farther away than 1e\+09 m'):
        load_robot(text.replace('<origin xyz="0 0 0.333"', f'<origin xyz="0 0 {-far}"'))
    with pytest.raises(ChainError, match=r'the tool is at .* must be within 1e\+09 m'):
        load_robot(text).chain(None, 'panda_hand', Pose.from_xyz_rpy((0, far, 0), (0, 0, 0)))
