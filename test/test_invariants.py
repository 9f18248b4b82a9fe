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
"""
What holds for any robot that we accept, any goal, any seed and any options.

Hypothesis draws cases of ``tools/fuzz`` and makes failing ones small; a short fuzz draws more.
``make fuzz`` goes on for as long as wanted.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from arms import judged
from dq_ik import BatchResult, DqIkError, Goal, load_robot, Pose, Solver
from dq_ik.robot.balls import Ball
from hypothesis import assume, given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
from processes import python
import pytest
from tools.fuzz.batches import check_answers
from tools.fuzz.judge import goals_of, Judge, tolerances
from tools.fuzz.limits import check_joints
from tools.fuzz.problems import configuration, random_chain, random_goal
from tools.fuzz.robots import file_texts, mutated, random_tree
from tools.fuzz.solves import run_case

ROOT = Path(__file__).parents[1]
randoms = st.randoms(use_true_random=False)
CASES = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SMALL = ('<robot name="r">' + ''.join(f'<link name="{link}"/>' for link in 'abcd') + ''.join(
    f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
    f'<axis xyz="{axis}"/><limit lower="-0.5" upper="0.5"/></joint>'
    for name, parent, child, axis in (
        ('x', 'a', 'b', '1 0 0'), ('y', 'b', 'c', '0 1 0'), ('z', 'c', 'd', '0 0 1')))
    + '</robot>')


@CASES
@given(r=randoms)
def test_any_case_keeps_the_promises(r):
    outcome = run_case(r, solves=10, batch=25)
    assert outcome.violations == []


@CASES
@given(r=randoms)
def test_changed_text_is_a_robot_or_refused_with_a_sentence(r):
    text = mutated(r, r.choice(file_texts()[:10])).text
    try:
        load_robot(text)
    except DqIkError as error:
        assert len(str(error)) > 20  # noqa: PT017


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_short_fuzz():
    run = python('-m', 'tools.fuzz', '--minutes', 0.33, '--seed', 1, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


def test_robots_of_example_robot_data_load():
    """All load but two: one file has no links, in one a joint mimics a joint that is not there."""
    pytest.importorskip('cmeel')
    refused = []
    for text in file_texts():
        try:
            load_robot(text)
        except DqIkError as error:
            refused.append(str(error))
    assert len(file_texts()) > 40
    assert sorted(sentence[:60] for sentence in refused) == [
        "joint 'Left_index_q2' mimics the unknown joint 'index_q1'; t",
        "robot 'robot' has no link; it needs at least one"]


# --- the judge itself ----------------------------------------------------------------------------

@CASES
@given(seed=st.integers(0, 2**32))
def test_the_judge_agrees_with_the_slow_reference(seed):
    r = Random(seed)
    try:
        made = random_tree(r)
        chain = random_chain(r, load_robot(made.text, balls=made.balls or None))
    except DqIkError:
        return
    q = np.array([configuration(r, chain) for _ in range(3)])
    if np.abs(q).max(initial=0.0) > 100.0:  # where the exponential of a matrix is not exact
        return
    judge = Judge(chain, q)
    for tip in chain.tips:
        for row in range(3):
            expected = judged(chain, q[row], tip).matrix
            size = 1e-9 * (1.0 + judge.length[row])
            np.testing.assert_allclose(judge.pose[tip][row], expected, rtol=0, atol=size)


@CASES
@given(seed=st.integers(0, 2**32))
def test_the_judge_measures_what_the_solver_reports(seed):
    r = Random(seed)
    chain = load_robot(ROOT / 'urdf' / 'two_arms.urdf').chain(tips=('left_tool', 'right_tool'))
    solver = Solver(chain, max_restarts=0)
    goals = {tip: random_goal(r, chain, configuration(r, chain), tip) for tip in chain.tips}
    goals = {tip: goal for tip, goal in goals_of(chain, goals).items()
             if goal.position_tolerance is None and abs(goal.pose.position).max() < 1e6}
    assume(goals)
    result = solver.solve(goals, chain.neutral)
    judge = Judge(chain, result.q[None])
    for tip, goal in goals.items():
        number = chain.tips.index(tip)
        reported = result.position_error[number], result.rotation_error[number]
        np.testing.assert_allclose(judge.errors(goal, tip, 0), reported, rtol=0, atol=1e-6)
        assert tolerances(goal, solver.options) == (1e-5, 1e-5)


@pytest.mark.parametrize('balls', [None, {'ball': Ball(('x', 'y', 'z'), swing=0.5)}])
def test_the_judge_of_batches_blames_what_is_wrong(balls):
    """Answers as they are pass; a joint moved a little, far, or to nowhere does not."""
    chain = load_robot(SMALL, balls=balls).chain()
    solver, rng = Solver(chain, max_restarts=0), np.random.default_rng(1)
    q = chain.spread(rng.random((4, chain.n)))
    targets = Judge(chain, q).pose['d'][:, None]
    batch = solver.solve_batch(targets[:, 0], q)
    assert batch.success.all()

    def blamed(change):
        answers = batch._answers.copy()
        answers[1, batch._layout.places['q'].start] += change
        found = set()
        check_answers(solver, targets, BatchResult(batch._layout, answers),
                      lambda what, row, *_: found.add((what, int(row))))
        return found
    assert blamed(0.0) == set()
    assert ('a false success', 1) in blamed(1e-3)
    outside = 'a ball swings too far' if balls else 'a joint is outside its limits'
    assert (outside, 1) in blamed(2.0)
    assert ('q is not finite', 1) in blamed(np.nan)


# --- what the fuzz found -------------------------------------------------------------------------

def within(chain, q):
    """Assert that joints, mimics and balls are inside their limits."""
    found = []
    check_joints(chain, np.array(q)[None], lambda *details: found.append(details))
    assert found == []


@pytest.mark.parametrize('method', ['pgs', 'pls', 'pgs_paper', 'dls', 'transpose'])
@pytest.mark.parametrize('options', [
    {}, {'timeout': 1e-6}, {'max_joint_step': 0.01}, {'max_restarts': 0},
    {'joint_weights': (0.0, 1.0, 1e-3)}, {'locked_joints': ('ball.x',)}])
@pytest.mark.parametrize('seed', [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (100.0, 3.0, -9.0)])
def test_balls_stay_in_their_cone_from_any_seed(method, options, seed):
    chain = load_robot(SMALL, balls={'ball': Ball(('x', 'y', 'z'), swing=0.5)}).chain()
    solver = Solver(chain, method=method, **options)
    for pose in (chain.fk(seed), Pose.from_xyz_rpy((1e30, 0, 0), (0, 0, 0)),
                 Pose.from_xyz_rpy((0, 0, 0), (0.5, 0.5, 2.0))):
        within(chain, solver.solve(pose, seed).q)


@pytest.mark.parametrize('size', [1e30, 1e60, 1e99, 1e154, 1e299])
@pytest.mark.parametrize('mode', ['speed', 'all', 'manipulability', 'distance'])
@pytest.mark.parametrize('name', ['planar_3r', 'panda'])
def test_a_huge_position_without_weight_does_no_harm(size, mode, name):
    chain = load_robot(ROOT / 'urdf' / f'{name}.urdf').chain()
    goal = Goal(Pose.from_xyz_rpy((size, 0.3 * size, size), (0.1, 0, 0)), position_weight=0.0)
    result = Solver(chain, mode=mode, trace=20).solve(goal, chain.neutral)
    for rows in (result.q, result.solutions, result.trace, result.cost):
        assert np.isfinite(rows).all()
