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
"""Many goals at once: the same answers as one by one, seeds, forms, progress."""

from __future__ import annotations

from collections import deque

from arms import arm, judged, PATIENT
from dq_ik import Goal, GoalError, Pose, SeedError, solve_batch, Solver, Status
from dq_ik.native import parallel
import numpy as np
import pytest
import rich.progress
from scipy.spatial.transform import RigidTransform, Rotation

COUNT = 700  # more than one chunk


def goals_of(name: str, count: int, seed: int = 1) -> list:
    """Return poses of random configurations."""
    chain, rng = arm(name), np.random.default_rng(seed)
    return [chain.fk(chain.random(rng)) for _ in range(count)]


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_a_batch_gives_the_answers_of_single_solves(method):
    solver = Solver(arm('panda'), method=method, timeout=PATIENT)
    goals = goals_of('panda', COUNT)
    batch = solver.solve_batch(goals)
    assert len(batch) == COUNT
    assert batch.q.shape == (COUNT, 7)
    assert batch.success.all()
    for i, goal in enumerate(goals):
        single = solver.solve(goal)
        assert batch.q[i].tobytes() == single.q.tobytes()
        assert batch.iterations[i] == single.iterations
        assert batch.restarts[i] == single.restarts


def test_rows_of_a_batch_are_results():
    goals = goals_of('arm6', 5)
    batch = arm('arm6').solve_batch(goals, timeout=PATIENT)
    for i, goal in enumerate(goals):
        result = batch[i]
        metres, radians = judged(arm('arm6'), result.q).distance(goal)
        assert result.status is Status.CONVERGED
        assert metres <= 1e-5
        assert radians <= 1e-5
        assert batch.status[i] == Status.CONVERGED
        assert np.array_equal(batch.position_error[i], result.position_error)
        assert np.array_equal(batch.rotation_error[i], result.rotation_error)
        assert batch.time[i] == result.time > 0.0
    assert np.array_equal(batch[-1].q, batch.q[-1])


def test_iterating_a_batch_ends():
    batch = arm('arm6').solve_batch(goals_of('arm6', 3), timeout=PATIENT)
    assert len(list(batch)) == 3
    with pytest.raises(IndexError):
        batch[3]


def test_forms_of_goals():
    goals = goals_of('panda', 10)
    solver = Solver(arm('panda'), timeout=PATIENT)
    expected = solver.solve_batch(goals).q
    pairs = [(g.position, Rotation.from_matrix(g.matrix[:3, :3])) for g in goals]
    for form in (np.array([[*g.real, *g.dual] for g in goals]),
                 np.array([g.matrix for g in goals]), pairs,
                 [Goal(g) for g in goals], tuple(goals)):
        np.testing.assert_allclose(solver.solve_batch(form).q, expected, rtol=0, atol=1e-9)


def test_rows_of_seven_numbers_are_refused():
    rows = np.array([[*g.position, *g.quaternion] for g in goals_of('panda', 3)])
    with pytest.raises(GoalError, match=r'from_xyz_wxyz.*from_xyz_xyzw'):
        Solver(arm('panda')).solve_batch(rows)


def test_dual_quaternions_of_any_length_are_normalised():
    rows = np.array([[*g.real, *g.dual] for g in goals_of('panda', 10)])
    solver = Solver(arm('panda'), timeout=PATIENT)
    np.testing.assert_allclose(solver.solve_batch(3.0 * rows).q, solver.solve_batch(rows).q,
                               rtol=0, atol=1e-9)


def test_seeds_one_for_all_or_one_each():
    chain, goals = arm('panda'), goals_of('panda', 20)
    rng = np.random.default_rng(2)
    solver = Solver(chain, timeout=PATIENT)
    seeds = np.array([chain.random(rng) for _ in goals])
    each, shared = solver.solve_batch(goals, seeds), solver.solve_batch(goals, seeds[0])
    for i, goal in enumerate(goals):
        assert np.array_equal(each.q[i], solver.solve(goal, seeds[i]).q)
        assert np.array_equal(shared.q[i], solver.solve(goal, seeds[0]).q)


def test_several_tips_and_modes():
    chain = arm('two_arms')
    rng = np.random.default_rng(3)
    goals = [chain.fk_all(chain.random(rng)) for _ in range(5)]
    batch = chain.solve_batch(goals, timeout=PATIENT)
    assert batch.success.all()
    assert batch.position_error.shape == (5, 2)
    points = [Goal(g, rotation_weight=0.0) for g in goals_of('planar_2r', 4)]
    many = arm('planar_2r').solve_batch(points, mode='all', timeout=PATIENT)
    assert all(1 <= len(many[i].solutions) <= 2 for i in range(4))


def test_a_trace_is_kept_for_each_row():
    batch = Solver(arm('panda'), trace=10, timeout=PATIENT).solve_batch(goals_of('panda', 3))
    assert all(len(batch[i].trace) > 0 for i in range(3))


def test_progress_is_shown_when_asked_for(monkeypatch):
    shown = []

    def track(chunks, description, total, **_):
        shown.append((description, total))
        return chunks
    monkeypatch.setattr(rich.progress, 'track', track)
    goals = np.array([[*g.real, *g.dual] for g in goals_of('planar_2r', COUNT)])
    arm('planar_2r').solve_batch(goals)
    assert shown == []
    assert arm('planar_2r').solve_batch(goals, progress=True).success.all()
    assert shown == [('solving', -(-COUNT // parallel.CHUNK))]


def test_an_empty_batch_is_empty():
    batch = arm('panda').solve_batch([])
    assert len(batch) == 0
    assert batch.q.shape == (0, 7)
    assert batch.success.shape == (0,)


def test_the_module_function_agrees():
    goals = goals_of('panda', 3)
    assert np.array_equal(solve_batch(arm('panda'), goals).q, arm('panda').solve_batch(goals).q)


@pytest.mark.parametrize('seeds', [
    np.zeros((3, 7)), np.zeros(6), np.full(7, np.nan), 'home', {'panda_joint1': 0.0},
    [[0.0], [1, 2]], [10 ** 400] * 7])
def test_bad_seeds_are_refused(seeds):
    with pytest.raises(SeedError):
        arm('panda').solve_batch(goals_of('panda', 2), seeds)


@pytest.mark.parametrize(
    'goals', [np.zeros((2, 8)), np.full((2, 8), np.nan), np.zeros((2, 5)), [1, 2]])
def test_bad_goals_are_refused(goals):
    with pytest.raises(GoalError):
        arm('panda').solve_batch(goals)


@pytest.mark.parametrize('goals', [
    None, 5, np.array(3.0), 'here', Pose.identity(), Goal(Pose.identity()), {}, {1.0}, Goal,
    {'panda_hand_tcp': Pose.identity()}, Rotation.identity(), RigidTransform.identity()])
def test_what_is_no_batch_is_told_what_would_be(goals):
    with pytest.raises(GoalError, match=r'a batch is a sequence of goals.*\(N, 4, 4\)'):
        arm('panda').solve_batch(goals)


def test_any_iterable_of_goals_is_a_batch():
    goals = goals_of('panda', 3)
    expected = arm('panda').solve_batch(goals).q
    for batch in (dict(enumerate(goals)).values(), iter(goals), deque(goals),
                  [[goal] for goal in goals]):
        assert np.array_equal(arm('panda').solve_batch(batch).q, expected)


@pytest.mark.parametrize('row', [0, 1, 299])
def test_a_bad_row_is_named_once(row):
    chain = arm('panda')
    goals = [pose.matrix for pose in goals_of('panda', 300)]
    goals[row] = np.zeros((4, 4))
    for batch in (np.array(goals), goals):
        with pytest.raises(GoalError, match=f'^goal {row} is bad, pose not rigid: '):
            chain.solve_batch(batch)
    with pytest.raises(GoalError, match=f'^goal {row}: a pose is a Pose'):
        chain.solve_batch([*goals[:row], 'there', *goals[row + 1:]])
    seeds = np.zeros((300, 7))
    seeds[row, 3] = np.inf
    with pytest.raises(SeedError, match=rf'^seed {row} is not finite.*\[ 0\. .*inf'):
        chain.solve_batch(goals_of('panda', 300), seeds)


@pytest.mark.parametrize('as_goals', [False, True])
def test_each_row_has_bounds_of_its_own(as_goals):
    chain, rng = arm('panda'), np.random.default_rng(3)
    q = np.array([chain.random(rng) for _ in range(COUNT)])
    seeds = np.clip(q + rng.uniform(-0.05, 0.05, q.shape), chain.lower, chain.upper)
    goals = [Goal(chain.fk(row)) for row in q] if as_goals else chain.fk_batch(q)[:, 0]
    lower, upper = seeds - 0.06, seeds + 0.06
    solver = Solver(chain, max_restarts=0, timeout=PATIENT)
    batch = solver.solve_batch(goals, seeds, bounds=(lower, upper))
    assert (batch.q >= lower).all()
    assert (batch.q <= upper).all()
    assert batch.success.mean() > 0.99
    for i in range(0, COUNT, 50):
        single = solver.solve(goals[i], seeds[i], bounds=(lower[i], upper[i]))
        assert batch.q[i].tobytes() == single.q.tobytes()


def test_one_pair_of_bounds_serves_all_rows():
    chain = arm('panda')
    lower = np.full(7, -1.0)
    batch = chain.solve_batch(goals_of('panda', 20), bounds=(lower, np.full((20, 7), 1.0)))
    assert (batch.q >= np.maximum(lower, chain.lower)).all()
    assert (batch.q <= 1.0).all()


@pytest.mark.parametrize(('lower', 'sentence'), [
    (np.zeros((3, 7)), r'shape \(7,\) or \(2, 7\), got shape \(3, 7\)'),
    (np.full(7, np.nan), 'bounds are numbers'), ([[0.0], [1, 2]], 'bounds are numbers'),
    (np.array([np.full(7, -3.0), np.full(7, 3.5)]), "'panda_joint1'.* in row 1"),
])
def test_bad_bounds_are_refused(lower, sentence):
    with pytest.raises(SeedError, match=sentence):
        arm('panda').solve_batch(goals_of('panda', 2), bounds=(lower, np.full(7, 4.0)))
