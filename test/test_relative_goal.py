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

"""Relative goals: a pose in the frame of another tip, which moves too."""

from __future__ import annotations

from arms import arm, judged, PATIENT
from dq_ik import Goal, GoalError, Pose, Solver
from helpers import close
import numpy as np
import pytest

LEFT, RIGHT = 'left_tool', 'right_tool'


def between(chain, q) -> Pose:
    """Pose of the right hand in the frame of the left one, by Pinocchio."""
    return judged(chain, q, LEFT).inverse() @ judged(chain, q, RIGHT)


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_both_hands_hold_one_box(method):
    chain, rng = arm('two_arms'), np.random.default_rng(1)
    solver = Solver(chain, method=method, timeout=PATIENT)
    for _ in range(10):
        q = chain.random(rng)
        box, grasp = chain.fk(q, LEFT), between(chain, q)
        result = solver.solve([box, Goal(grasp, relative_to=LEFT)], chain.random(rng))
        assert result.success
        assert chain.within_limits(result.q)
        assert max(judged(chain, result.q, LEFT).distance(box)) <= 1.1e-5
        assert max(between(chain, result.q).distance(grasp)) <= 1.1e-5


@pytest.mark.parametrize('method', ['dls', 'svd', 'qr', 'pgs_paper'])
def test_other_methods_get_there_from_nearby(method):
    chain, rng = arm('two_arms'), np.random.default_rng(1)
    q = 0.5 * chain.random(rng)
    grasp = between(chain, q)
    goals = [chain.fk(q, LEFT), Goal(grasp, relative_to=LEFT)]
    result = chain.solve(goals, q + rng.uniform(-0.05, 0.05, chain.n), method=method,
                         max_restarts=0, tolerance=1e-4, timeout=PATIENT)
    assert result.success
    assert max(between(chain, result.q).distance(grasp)) <= 1.1e-4


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_a_relative_goal_alone_moves_both_hands(method):
    chain, rng = arm('two_arms'), np.random.default_rng(2)
    solver = Solver(chain, method=method, timeout=PATIENT, max_restarts=0)
    grasp = between(chain, chain.random(rng))
    seed = chain.random(rng)
    result = solver.solve({RIGHT: Goal(grasp, relative_to=LEFT)}, seed)
    assert result.success
    assert max(between(chain, result.q).distance(grasp)) <= 1.1e-5
    moved = {name[:4] for name, by in zip(chain.joint_names, np.abs(result.q - seed))
             if by > 1e-3}
    assert {'left', 'righ'} <= moved


def test_joints_that_carry_both_hands_stay():
    chain, rng = arm('two_arms'), np.random.default_rng(3)
    grasp, seed = between(chain, chain.random(rng)), chain.random(rng)
    result = chain.solve({RIGHT: Goal(grasp, relative_to=LEFT)}, seed, max_restarts=0,
                         timeout=PATIENT)
    shared = [i for i, name in enumerate(chain.joint_names) if 'torso' in name]
    assert shared
    close(result.q[shared], seed[shared], 1e-12)


def test_the_grasp_holds_while_the_box_is_carried():
    chain = arm('two_arms')
    solver = Solver(chain, max_restarts=0, timeout=PATIENT)
    q = 0.5 * chain.random(np.random.default_rng(1))
    box, grasp = chain.fk(q, LEFT), between(chain, q)
    for s in np.linspace(0.0, 0.05, 50):
        goal = Pose.from_xyz_rpy(box.position + s * np.array((1, 0, 1)), box.rpy)
        result = solver.solve([goal, Goal(grasp, relative_to=LEFT)], q)
        assert result.success
        assert max(between(chain, result.q).distance(grasp)) <= 1.1e-5
        assert np.abs(result.q - q).max() < 0.1
        q = result.q


def test_a_free_turn_about_an_axis_may_be_relative():
    chain, rng = arm('two_arms'), np.random.default_rng(4)
    grasp = between(chain, chain.random(rng))
    goal = Goal(grasp, relative_to=LEFT, axis=(0.0, 0.0, 1.0))
    result = chain.solve({RIGHT: goal}, chain.random(rng), timeout=PATIENT)
    assert result.success
    x = between(chain, result.q)
    close(x.position, grasp.position, 1.1e-5)
    close(x.matrix[:3, 2], grasp.matrix[:3, 2], 2e-5)


def test_a_grasp_out_of_reach_says_so():
    chain = arm('two_arms')
    far = Pose.from_xyz_rpy((9.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    result = chain.solve({RIGHT: Goal(far, relative_to=LEFT)}, timeout=PATIENT)
    assert not result.success
    assert np.all(np.isfinite(result.q))
    assert chain.within_limits(result.q)
    assert result.position_error[1] > 5.0


@pytest.mark.parametrize(('goals', 'said'), [
    ([Pose.identity(), Goal(Pose.identity(), relative_to='middle')],
     "another tip of the chain: 'left_tool'; got 'middle'"),
    ([Pose.identity(), Goal(Pose.identity(), relative_to=RIGHT)],
     "another tip of the chain: 'left_tool'; got 'right_tool'")])
def test_unknown_tips_are_refused(goals, said):
    with pytest.raises(GoalError, match=said):
        arm('two_arms').solve(goals)


def test_a_chain_with_one_tip_has_no_other():
    with pytest.raises(GoalError, match=r"\(none\); got 'panda_hand'"):
        arm('panda').solve(Goal(Pose.identity(), relative_to='panda_hand'))


@pytest.mark.parametrize(('fields', 'said'), [
    ({'position_weight': (1.0, 1.0, 0.0)}, "need frame='goal'"),
    ({'rotation_tolerance': (0.1, 0.0, 0.0)}, "need frame='goal'"),
    ({'look_at': (1.0, 0.0, 0.0)}, 'not both')])
def test_what_means_nothing_for_a_relative_goal_is_refused(fields, said):
    with pytest.raises(GoalError, match=said):
        Goal(Pose.identity(), relative_to=LEFT, **fields)
