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
"""The benchmark: its referee refuses wrong answers, its clock and its turns are fair."""
from __future__ import annotations

from dataclasses import replace
from functools import partial
import gc
import os
import signal
import sys
import time
from types import SimpleNamespace

from benchmark import batches, cases, install, robots, runner, suite, timing, worker
from benchmark.portions import next_portion
from benchmark.protocol import (
    Answers,
    count_flips,
    given_matrices,
    judge,
    Referee,
    Settings,
    Tally,
    trace,
)
from benchmark.runner import Runner, start_workers, Worker
from benchmark.timing import attempt, interleaved, run, undisturbed
from benchmark.worker import Host
from dq_ik.robot.urdf import load_robot
import numpy as np
import pytest

pytest.importorskip('pinocchio')


@pytest.fixture
def panda(tmp_path):
    """Return the 7-joint arm as the benchmark sees it."""
    return robots.load('panda', tmp_path)


def verdict(robot, q, goals, claimed):
    """Judge one answer; return the tally."""
    tally = Tally('case', robot.name, 'solver')
    answers = Answers(np.array([q]), np.array([claimed]), np.array([1e-3]))
    judge(tally, Referee(robot), Settings(), goals[None], answers)
    return tally


def test_referee_accepts_a_right_answer_even_when_unclaimed(panda):
    q = 0.5 * np.add(panda.lower, panda.upper)
    tally = verdict(panda, q, Referee(panda).poses(q), claimed=False)
    assert (tally.solved, tally.claimed, tally.refused) == (1, 0, 0)


def test_referee_refuses_a_claim_beyond_the_tolerance(panda):
    q = 0.5 * np.add(panda.lower, panda.upper)
    goals = Referee(panda).poses(q)
    goals[0, 0, 3] += 1.1e-5
    tally = verdict(panda, q, goals, claimed=True)
    assert (tally.solved, tally.refused) == (0, 1)


def test_referee_refuses_a_right_pose_outside_the_limits(panda):
    q = np.array(panda.upper)
    q[0] += 1e-3
    tally = verdict(panda, q, Referee(panda).poses(q), claimed=True)
    assert (tally.solved, tally.refused, tally.outside_limits) == (0, 1, 1)


def test_no_answer_is_not_solved(panda):
    goals = Referee(panda).poses(np.array(panda.lower))
    tally = verdict(panda, np.full(7, np.nan), goals, claimed=False)
    assert (tally.asked, tally.solved, tally.outside_limits) == (1, 0, 0)


def test_a_jump_in_a_stream_is_a_flip():
    path = np.array([[0.0, 0.0], [0.05, 0.0], [0.05, 0.5], [np.nan, np.nan], [0.05, 0.52]])
    answers = Answers(path, np.ones(5, bool), np.zeros(5))
    assert count_flips(answers, np.array([-0.05, 0.0])) == 1


def test_chain_is_cut_out_with_its_kinematics_and_limits(tmp_path):
    pin = pytest.importorskip('pinocchio')
    whole = pin.buildModelFromUrdf(str(robots.OWN / 'two_arms.urdf'))
    robot = robots.cut(robots.ElementTree.parse(robots.OWN / 'two_arms.urdf').getroot(), 'arm',
                       'arm', 'torso', ('right_tool',), tmp_path)
    assert robot.joints == tuple(f'right_joint_{i}' for i in range(1, 8))
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper)
    full = pin.neutral(whole)
    for joint, value in zip(robot.joints, q):
        full[whole.joints[whole.getJointId(joint)].idx_q] = value
    data = whole.createData()
    pin.framesForwardKinematics(whole, data, full)
    torso, tool = (data.oMf[whole.getFrameId(name)] for name in ('torso', 'right_tool'))
    np.testing.assert_allclose(Referee(robot).poses(q)[0], torso.actInv(tool).homogeneous,
                               atol=1e-12)


def test_synthetic_robots_have_the_size_asked_for(tmp_path):
    assert robots.snake(20, tmp_path).dof == 20
    star = robots.star(3, tmp_path)
    assert (star.dof, len(star.tips)) == (21, 3)


def test_stream_is_smooth_reachable_and_repeatable(panda):
    first, again = cases.stream(panda, 100, 2), cases.stream(panda, 100, 2)
    np.testing.assert_array_equal(first.goals, again.goals)
    steps = np.abs(np.diff(first.seeds.reshape(2, 100, 7), axis=1)).max()
    assert steps < 0.01
    np.testing.assert_allclose(Referee(panda).poses(first.seeds[5]), first.goals[5])


def test_singular_goals_are_singular(tmp_path):
    referee = Referee(robots.load('arm6', tmp_path))
    for q in cases.most_singular(referee, np.random.default_rng(0), 20):
        assert np.linalg.svd(referee.jacobian(q), compute_uv=False)[-1] < 1e-3
        assert referee.within_limits(q)


def test_a_peer_that_raises_gives_no_answer_but_a_reason():
    class Broken:

        def solve(self, goals, seed):
            raise RuntimeError('no luck')

    assert attempt(Broken(), None, None) == (None, False, 'RuntimeError: no luck')
    answers = run(Broken(), [None, None], np.zeros((2, 3)), chained=False)
    assert answers.trouble == 'RuntimeError: no luck'
    assert not answers.claimed.any()
    assert np.isnan(answers.q).all()


def test_in_a_chain_the_last_good_answer_is_the_next_seed():
    class Counting:

        def solve(self, goals, seed):
            return (seed + 1.0 if goals else None), goals

    answers = run(Counting(), [True, False, True], np.zeros((1, 2)), chained=True)
    np.testing.assert_array_equal(answers.q[:, 0], [1.0, np.nan, 2.0])
    assert answers.claimed.tolist() == [True, False, True]


def test_a_stretch_during_which_others_had_the_core_is_repeated():
    class Interrupted:
        calls = 0

        def solve(self, goals, seed):
            self.calls += 1
            if self.calls == 1:
                time.sleep(0.02)
            return seed, True

    solver = Interrupted()
    answers = undisturbed(partial(run, solver, [None], np.zeros((1, 2)), chained=False))
    assert solver.calls == 1 + answers.disturbed > 1
    assert answers.seconds[0] < 0.01


def test_reachable_poses_are_those_of_configurations_and_seeds_are_in_the_middle(panda):
    problems = cases.reachable(panda, 20)
    chain = load_robot(panda.urdf).chain(panda.base, list(panda.tips))
    assert (problems.settings.position_tolerance, problems.settings.rotation_tolerance) == (
        1e-5, 1e-5)
    assert problems.seeds == pytest.approx(np.tile((chain.lower + chain.upper) / 2, (20, 1)))
    assert all(chain.solve(goal[0], timeout=1.0).success for goal in problems.goals)


def test_runner_verifies_a_real_peer_in_its_own_process(panda):
    workers = start_workers(['pinocchio_loop', 'no_such_peer'], {}, 0)
    try:
        host = Runner(workers)
        problems = cases.reachable(panda, 10, Settings(budget=0.2))
        tallies = host.play('mid', problems, None, cell_seconds=20.0)
    finally:
        for process in workers:
            process.close()
    assert [tally.solver for tally in tallies] == ['Pinocchio loop']
    assert tallies[0].asked == 10
    assert tallies[0].solved >= 8
    assert tallies[0].refused == tallies[0].outside_limits == 0
    assert [line['solver'] for line in host.skipped] == ['no_such_peer']


def test_a_peer_that_hangs_is_ended(monkeypatch):
    worker = Worker('pinocchio_loop', sys.executable, 0)
    worker._process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(runner, 'PATIENCE', 0.1)
    with pytest.raises(EOFError):
        worker.call('has_batch', 'Pinocchio loop')
    worker.close()
    assert not worker.alive


def test_batch_of_a_peer_without_one_is_a_loop_on_each_core(panda):
    workers = start_workers(['pinocchio_loop'], {}, 0)
    try:
        cores = sorted(os.sched_getaffinity(0))[:2]
        rows = list(batches.measure(Runner(workers), panda, 400, set(cores)))
    finally:
        for process in workers:
            process.close()
    assert [(row['solver'], row['how'], row['asked'], row['cores']) for row in rows] == 2 * [
        ('Pinocchio loop', 'a loop on each core', 20, len(cores))]
    assert [row['given'] for row in rows] == ['own type', '4x4']
    assert all(row['solved'] >= 10 and row['per_second'] > 10.0 for row in rows)


def test_batch_of_ours_takes_both_forms_in_turn(panda):
    problems = cases.reachable(panda, 50)
    host = Host('ours')
    assert host.load('dq_ik pgs', panda, problems.settings, problems.goals[0], problems.seeds[0],
                     False) == ''
    own, matrices = host.batch('dq_ik pgs', problems.goals, None, os.sched_getaffinity(0))
    assert own[0].claimed.all()
    assert matrices[0].claimed.all()
    assert len(own[1]) == len(matrices[1]) == worker.ROUNDS


def test_portions_follow_the_pace_and_cover_all_problems(panda):
    problems = cases.reachable(panda, 100)
    sizes = {pace: len(next_portion(problems, 0, pace).goals) for pace in (0.0, 1e-6, 1e-3, 1.0)}
    assert sizes == {0.0: 4, 1e-6: 25, 1e-3: 20, 1.0: 1}
    assert next_portion(problems, 95, 1e-6).rows == slice(95, 100)


def test_portions_are_warmed_up_on_other_problems(panda):
    problems = cases.reachable(panda, 1000)
    portion = next_portion(problems, 0, 1e-5)
    np.testing.assert_array_equal(portion.goals, problems.goals[:250])
    np.testing.assert_array_equal(portion.warm_goals, problems.goals[400:])
    assert len(next_portion(problems, 0, 10e-3).warm_goals) == 0
    assert len(next_portion(cases.reachable(panda, 4000), 0, 1e-5).warm_goals) == 600


def test_cold_caches_are_not_warmed_up(panda):
    problems = cases.reachable(panda, 1000).as_matrices(warm=False)
    assert problems.matrices
    assert len(next_portion(problems, 0, 1e-5).warm_goals) == 0


def test_random_poses_as_matrices_count_cold_caches(tmp_path):
    made = {turn.case: turn.make() for turn in suite.turns(
        replace(suite.QUICK, arms=('panda',), few=('panda',), count=10, frames=5, paths=1),
        set(suite.MATRICES), tmp_path)}
    assert {case: (problems.matrices, problems.warm) for case, problems in made.items()} == {
        'mid_4x4': (True, False), 'stream_4x4': (True, True)}


def test_a_stream_is_dealt_out_path_by_path(panda):
    problems = cases.stream(panda, 50, 3)
    portion = next_portion(problems, 50, 1e-3)
    assert (portion.rows, portion.chained) == (slice(50, 100), True)


class Recorder:
    """A solver that notes its goals and whether the garbage collector is on."""

    def __init__(self, robot, settings):
        self.goals, self.collecting, self.seeds = [], [], []

    def translate(self, goals):
        return goals[0, 0, 3]

    def solve(self, goal, seed):
        self.goals.append(goal)
        self.seeds.append(seed.copy())
        self.collecting.append(gc.isenabled())
        return seed + 0.001, True


@pytest.fixture
def recorder(monkeypatch, panda):
    """Return a host with a recorder that was loaded for the arm, and the recorder."""
    module = SimpleNamespace(PACKAGE='none', SOLVERS={'recorder': Recorder})
    monkeypatch.setitem(sys.modules, 'benchmark.peers.recorder', module)
    monkeypatch.setattr(timing, 'REPEATS', 1)  # others on this machine shall not change the count
    host = Host('recorder')
    problems = cases.reachable(panda, 30)
    assert host.load('recorder', panda, problems.settings, problems.goals[0],
                     problems.seeds[0], False) == ''
    solver = host._solvers['recorder']
    solver.goals.clear()
    solver.collecting.clear()
    solver.seeds.clear()
    return host, solver


def test_what_a_solver_makes_of_a_matrix_is_part_of_its_call(panda):
    goals, seed = cases.reachable(panda, 1).goals[0], np.zeros(7)
    solver = Recorder(panda, Settings())
    given = given_matrices(solver)
    assert given.translate(goals) is goals
    given.solve(goals, seed)
    assert solver.goals == [goals[0, 0, 3]]


def test_ours_is_given_the_matrix_itself(panda):
    from benchmark.peers.ours import SOLVERS
    problems = cases.reachable(panda, 1)
    own = SOLVERS['dq_ik pgs'](panda, problems.settings)
    given = given_matrices(own)
    goal = given.translate(problems.goals[0])
    np.testing.assert_array_equal(goal, problems.goals[0, 0])
    assert goal.flags.c_contiguous
    assert not isinstance(own.translate(problems.goals[0]), np.ndarray)
    q, claimed = given.solve(goal, problems.seeds[0])
    assert verdict(panda, q, problems.goals[0], claimed).solved == 1


def test_operations_take_turns():
    order = []
    times = interleaved({name: (2, partial(order.append, name)) for name in 'ab'})
    assert order == ['a', 'b'] * (1 + timing.ROUNDS)
    assert all(len(times[name]) == timing.ROUNDS for name in 'ab')


@pytest.mark.slow
def test_ssik_solves_by_the_module_that_it_builds(monkeypatch, tmp_path):
    pytest.importorskip('ssik')
    from benchmark.peers import ssik_exact
    monkeypatch.setattr(ssik_exact, 'CACHE', tmp_path)
    robot = robots.load('panda', tmp_path)
    problems = cases.reachable(robot, 3)
    solver = ssik_exact.Ssik(robot, problems.settings)
    module, = tmp_path.glob('ssik-*/panda_*_ik.py')
    before = module.stat().st_mtime_ns
    ssik_exact.Ssik(robot, problems.settings)
    assert module.stat().st_mtime_ns == before
    for goal, seed in zip(problems.goals, problems.seeds):
        assert verdict(robot, *solver.solve(goal, seed)[:1], goal, claimed=True).solved == 1


def test_ssik_is_left_out_where_it_has_no_native_solver(tmp_path):
    pytest.importorskip('ssik')
    if not robots.SOURCES['pr2'].file.exists():
        pytest.skip('needs example-robot-data')
    from benchmark.peers.ssik_exact import Ssik
    with pytest.raises(ValueError, match='no native solver for this arm'):
        Ssik(robots.load('pr2', tmp_path), Settings())


@pytest.mark.parametrize('restarts', [True, False])
def test_eaik_answers_within_limits(tmp_path, restarts):
    pytest.importorskip('eaik')
    from benchmark.peers.eaik_exact import Eaik
    robot = robots.load('arm6', tmp_path)
    problems = cases.reachable(robot, 20)
    solver = Eaik(robot, Settings(restarts=restarts))
    for goal, seed in zip(problems.goals, problems.seeds):
        q, claimed = solver.solve(goal, seed)
        assert verdict(robot, q, goal, claimed).solved == 1


def test_warming_up_does_not_count_and_nothing_is_collected_meanwhile(recorder, panda):
    host, solver = recorder
    portion = next_portion(cases.reachable(panda, 30), 10, 1e-5)
    answers = host.solve('recorder', portion)
    assert len(answers.seconds) == len(portion.goals) == 7
    assert len(solver.goals) > len(portion.goals)
    assert solver.goals[-7:] == [goal[0, 0, 3] for goal in portion.goals]
    assert not any(solver.collecting)
    assert gc.isenabled()


def test_a_stream_goes_on_from_the_last_answer(recorder, panda):
    host, solver = recorder
    portion = next_portion(cases.stream(panda, 5, 2), 0, 1.0)
    answers = host.solve('recorder', portion)
    np.testing.assert_array_equal(solver.seeds[0], portion.seeds[0])
    np.testing.assert_array_equal(solver.seeds[1:], answers.q[:-1])


def test_best_possible_cost_is_that_of_numeric_differences(panda):
    from scipy.optimize import least_squares
    problems, referee = cases.unreachable(panda, 2), Referee(panda)
    for goal, optimum in zip(problems.goals, problems.optimum):
        def cost(q, goal=goal):
            return cases.cost_of(referee.errors(q, goal), problems.settings) ** 0.5

        found = least_squares(cost, problems.seeds[0], bounds=(panda.lower, panda.upper))
        assert optimum <= (1.0 + 1e-6) * found.fun[0] ** 2
        assert optimum > 0.001


def test_a_trace_keeps_the_worst_and_shows_where_no_answer_was():
    values = np.full(1000, 1e-6)
    values[500], values[1] = 0.002, np.inf
    found = trace(values)
    assert len(found) == 500
    assert found[0] is None
    assert found[250] == pytest.approx(2.0)
    assert found[1] == pytest.approx(1e-3)


def test_a_peer_that_cannot_be_installed_is_named(capsys):
    install.install(sys.executable, 'no-such-peer==1.0', '--no-index')
    assert 'skipped: no-such-peer==1.0: ERROR: No matching distribution' in capsys.readouterr().out


def test_only_missing_peers_are_installed(tmp_path):
    listed = tmp_path / 'requirements.txt'
    listed.write_text('# a comment\nnumpy==0.1\n')
    assert install.wanted(listed) == ['numpy==0.1']
    assert not install.installed('numpy==0.1')
    assert install.installed(f'numpy=={np.__version__}')
