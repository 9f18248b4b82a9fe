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

"""Why a goal is missed: out of reach first, then limits, then the largest step; never by guess."""

from __future__ import annotations

from arms import arm, PATIENT
from dq_ik import Goal, load_robot, Pose, Solver, Status
from helpers import close
import numpy as np
import pytest
from test_solver import flat

STRETCHED = 1.7  # m, of planar_2r
SLIDE = ("<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
         "<joint name='turn' type='continuous'><parent link='a'/><child link='b'/>"
         "<origin xyz='0 0 1'/><axis xyz='0 0 1'/></joint>"
         "<joint name='slide' type='prismatic'><parent link='b'/><child link='c'/>"
         "<origin xyz='0.2 0 0'/><axis xyz='1 0 0'/><limit lower='{}' upper='{}'/>"
         '</joint></robot>')


def test_goals_beyond_the_reach_are_never_blamed_on_limits():
    """Of such goals, half were blamed on joint limits."""
    chain = arm('panda')
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for direction in directions:
        position = direction * rng.uniform(1.6, 3.0)
        result = chain.solve(Pose.from_xyz_wxyz(position, rng.normal(size=4)), timeout=PATIENT)
        assert result.status is Status.BEST_REACH_WORKSPACE
        beyond = np.linalg.norm(position - chain.reach_from[0]) - chain.reach[0]
        close(result.beyond_reach, [beyond], 1e-12)
        assert f'out of reach, {beyond:.3g} m beyond the reach of 1.09 m' in result.message


def test_no_configuration_is_farther_than_the_reach():
    for name in ('panda', 'arm5', 'arm6', 'planar_3r', 'two_arms', 'hand', 'mimic', 'prismatic'):
        chain, rng = arm(name), np.random.default_rng(1)
        for _ in range(300):
            for k, pose in enumerate(chain.fk_all(chain.random(rng)).values()):
                way = np.linalg.norm(pose.position - chain.reach_from[k])
                assert way <= chain.reach[k] * (1.0 + 1e-12)


@pytest.mark.parametrize(('lower', 'upper', 'reach'), [
    (0.5, 1.0, 1.2), (-0.3, 0.1, 0.5), (-2.0, -1.0, 2.2), (-0.1, 'inf', np.inf)])
def test_a_slide_counts_at_its_longest(lower, upper, reach):
    chain = load_robot(SLIDE.format(lower, upper)).chain()
    close(chain.reach, [reach], 1e-15)
    close(chain.reach_from, [(0.0, 0.0, 1.0)], 0)
    far = Pose.from_xyz_rpy((5.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    close(chain.solve(far, timeout=PATIENT).beyond_reach, [max(0.0, 5.0 - reach)], 1e-12)


def test_the_farthest_of_several_goals_is_told_by_its_tip():
    chain = arm('two_arms')
    goals = chain.fk_all(chain.neutral)
    goals['right_tool'] = Pose.from_xyz_rpy((9.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    result = chain.solve(goals, timeout=PATIENT)
    assert result.status is Status.BEST_REACH_WORKSPACE
    assert result.beyond_reach[0] == 0.0
    assert "the goal of 'right_tool' is out of reach" in result.message


@pytest.mark.parametrize(('fields', 'beyond'), [
    ({'position_weight': (1, 0, 0)}, 3.0 - STRETCHED), ({'position_weight': (0, 1, 0)}, 0.5),
    ({'position_weight': (0, 0, 1)}, 0.0), ({'position_tolerance': (1.2, 2.0, 0.0)}, 0.1),
    ({'position_tolerance': (1.5, 2.0, 0.0)}, 0.0),
    ({'position_weight': (0, 1, 0), 'frame': 'goal'}, 3.0 - STRETCHED),
    ({'look_at': (9.0, 9.0, 9.0), 'position_weight': 0.0}, 0.0)])
def test_only_what_a_goal_asks_for_is_out_of_reach(fields, beyond):
    """The goal is at (3, 2.2), turned by a quarter; the arm reaches 1.7 m."""
    goal = Pose.from_xyz_rpy((3.0, 2.2 * ('tolerance' not in str(fields)), 0.0),
                             (0.0, 0.0, np.pi / 2))
    result = arm('planar_2r').solve(Goal(goal, **{'rotation_weight': 1.0, **fields}), timeout=5.0)
    close(result.beyond_reach, [beyond], 1e-9)


def test_a_relative_goal_has_no_distance_from_the_base():
    chain = arm('two_arms')
    goals = {'left_tool': chain.fk(chain.neutral, 'left_tool'),
             'right_tool': Goal(flat(9.0, 0.0), relative_to='left_tool')}
    result = chain.solve(goals, timeout=PATIENT)
    assert not result
    close(result.beyond_reach, [0.0, 0.0], 0)


def test_time_that_runs_out_still_tells_the_distance():
    result = arm('panda').solve(flat(3.0, 0.0), timeout=1e-6)
    assert result.status is Status.TIMED_OUT
    assert 'out of reach' in result.message


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_locked_joints_and_bounds_are_no_step(method):
    """The largest step was blamed, though none was set."""
    chain = arm('planar_2r')
    goal = Goal(chain.fk((0.5, 0.5)), rotation_weight=0.0)
    locked = chain.solve(goal, (0.0, 0.4), method=method, locked_joints=('joint_1',),
                         timeout=PATIENT)
    assert locked.status is Status.BEST_REACH_WORKSPACE
    assert locked.limited_joints == ()
    bounds = np.array([-0.1, -0.1]), np.array([0.1, 2.0])
    bound = Solver(chain, method=method, max_restarts=0, timeout=PATIENT).solve(
        goal, (0.0, 0.4), bounds=bounds)
    assert bound.status is Status.BEST_REACH_LIMITS
    assert bound.limited_joints == ('joint_1',)


def test_the_truth_of_a_result_is_its_success():
    chain = arm('planar_2r')
    assert chain.solve(chain.fk((0.5, 0.5)))
    assert not chain.solve(flat(3.0, 0.0))
    with pytest.raises(TypeError, match='success'):
        bool(chain.solve_batch([flat(1.0, 0.0)]))
