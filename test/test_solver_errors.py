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
"""Bad input to the solvers is refused with a sentence that says what would be right."""

from __future__ import annotations

import math

from arms import arm
from dq_ik import Goal, GoalError, IkOptions, OptionError, Pose, PoseError, SeedError, Solver
from dq_ik.options import METHODS, MODES
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

HERE = Pose.from_xyz_rpy((1.2, 0.5, 0.0), (0.0, 0.0, 0.0))


@pytest.mark.parametrize('goal', [
    'there', 3.0, None, (1.0, 2.0), np.eye(3), np.zeros((2, 8)), [[1.0, 2.0], [3.0]],
    np.zeros(7), ((0, 0, 0), (1, 0, 0, 0)), {'tool': 'there'}])
def test_what_is_no_pose_is_refused(goal):
    with pytest.raises(GoalError):
        arm('planar_2r').solve(goal)


@pytest.mark.parametrize('goal', [
    np.full((4, 4), math.nan), ((0, 0, math.inf), Rotation.identity()), np.full(8, math.inf),
    np.zeros(8), 2.0 * np.eye(4)])
def test_poses_that_are_not_rigid_and_finite_are_refused(goal):
    with pytest.raises(PoseError):
        arm('planar_2r').solve(goal)


@pytest.mark.parametrize(('fields', 'words'), [
    ({'position_weight': -1.0}, 'position_weight'),
    ({'position_weight': 'much'}, 'position_weight'),
    ({'rotation_weight': (1, 2)}, 'rotation_weight'),
    ({'position_weight': 0, 'rotation_weight': 0}, 'position_weight and rotation_weight'),
    ({'position_weight': (0, 0, 0), 'rotation_weight': 0.0}, 'asks for nothing'),
    ({'pose': None, 'look_at': (1, 0, 0), 'rotation_weight': 0}, 'asks for nothing'),
    ({'rotation_weight': math.nan}, 'rotation_weight'), ({'frame': 'tool'}, "'base' or 'goal'"),
    ({'axis': (0, 0, 0)}, 'axis'), ({'axis': (1, 0)}, 'axis'), ({'axis': 'z'}, 'axis'),
    ({'position_tolerance': 0.0}, 'position_tolerance'),
    ({'position_tolerance': 'small'}, 'position_tolerance'),
    ({'rotation_tolerance': (0.1, -0.1, 0.1)}, 'rotation_tolerance')])
def test_goals_name_their_wrong_field(fields, words):
    with pytest.raises(GoalError, match=words):
        Goal(**{'pose': HERE, **fields})


def test_goals_must_fit_the_tips():
    chain = arm('two_arms')
    left, right = chain.fk_all(chain.neutral).values()
    for goals in (left, [left], [left, right, left], Goal(left), {'tail': left}, {},
                  [Goal(left, tip='tail'), right]):
        with pytest.raises(GoalError):
            chain.solve(goals)


def test_one_goal_must_name_the_tip_of_the_chain():
    with pytest.raises(GoalError, match=r"'elbow'.*'tool'"):
        arm('planar_2r').solve(Goal(HERE, tip='elbow'))


def test_two_goals_for_one_tip_are_refused():
    chain = arm('two_arms')
    left = chain.fk(chain.neutral, 'left_tool')
    with pytest.raises(GoalError, match='left_tool'):
        chain.solve([Goal(left, tip='left_tool'), Goal(left, tip='left_tool')])


@pytest.mark.parametrize('seed', [
    (0.1,), (0.1, 0.2, 0.3), 0.1, (0.1, math.nan), (math.inf, 0.1), 'here', ((0.1, 0.2),),
    (10 ** 400, 0.1), {'joint_1': 10 ** 400}])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(SeedError):
        arm('planar_2r').solve(HERE, seed)


@pytest.mark.parametrize(('options', 'words'), [
    ({'method': 'magic'}, 'method.*pgs'), ({'mode': 'best'}, 'mode.*speed'),
    ({'timeout': 0.0}, 'timeout'), ({'timeout': math.nan}, 'timeout'),
    ({'timeout': 'long'}, 'timeout'),
    ({'max_restarts': -1}, 'max_restarts'), ({'max_restarts': 1.5}, 'max_restarts'),
    ({'max_restarts': math.inf}, 'max_restarts'), ({'max_restarts': True}, 'max_restarts'),
    ({'position_tolerance': 0.0}, 'position_tolerance'), ({'speed': 3}, "'speed'.*'timeout'"),
    ({'joint_weights': (1.0,)}, 'joint_weights.*joint_1'),
    ({'joint_weights': (1.0, -1.0)}, 'joint_weights'),
    ({'joint_weights': (1.0, math.nan)}, 'joint_weights'),
    ({'joint_weights': (1e-200, 1e-200)}, '0 or from 1e-06'),
    ({'joint_weights': (1.0, 1e300)}, 'to 1e'),
    ({'joint_weights': np.ones((2, 1))}, 'joint_weights'),
    ({'joint_weights': np.array(1.0)}, 'joint_weights'),
    ({'method': np.array('pgs')}, 'method'),
    ({'rest_posture': (1.0, 10 ** 400)}, 'rest_posture'),
    ({'locked_joints': ('elbow',)}, 'elbow.*joint_2'), ({'rest_posture': (1.0,)}, 'rest_posture'),
    ({'rest_posture': (1.0, math.nan)}, 'rest_posture'), ({'rest_posture': 5}, 'rest_posture'),
    ({'timeout': 10**400}, 'timeout'), ({'joint_weights': (10**400, 1)}, 'joint_weights'),
    ({'method': np.array(['pgs', 'pls'])}, 'method'), ({'mode': None}, 'mode')])
def test_bad_options_are_refused_with_what_would_be_right(options, words):
    with pytest.raises(OptionError, match=words):
        arm('planar_2r').solve(HERE, **options)


def test_numbers_of_numpy_and_single_names_are_welcome():
    options = IkOptions.of(
        max_restarts=np.int64(3), timeout=np.float32(0.5), locked_joints='joint_1')
    assert (options.max_restarts, options.timeout) == (3, 0.5)
    assert options.locked_joints == ('joint_1',)


def test_every_option_is_described_and_within_its_own_range():
    for name, field in IkOptions.__dataclass_fields__.items():
        rules = field.metadata
        assert rules['description'].endswith('.'), name
        if rules['minimum'] is not None:
            assert rules['minimum'] <= field.default <= rules['maximum']
    assert IkOptions().method in METHODS
    assert IkOptions().mode in MODES


def test_options_are_kept_apart():
    chain = arm('planar_2r')
    first = Solver(chain, rest_posture=(0.1, 0.2), rest_posture_weight=1.0)
    second = Solver(chain, first.options, rest_posture_weight=0.0)
    assert second.options.rest_posture == (0.1, 0.2)
    assert first.options.rest_posture_weight == 1.0


def test_arrays_as_options_are_told_apart_to_the_last_bit():
    chain = arm('planar_3r')
    goal = Goal(chain.fk((0.5, 0.5, 0.5)), rotation_weight=0.0)
    rest = np.array((0.3, 0.6, 0.2))
    found = [chain.solve(goal, rest_posture=rest + shift, rest_posture_weight=1.0).q
             for shift in (0.0, 1e-10)]
    assert not np.array_equal(*found)
