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
"""The benchmark: its referee refuses wrong answers, its readers and tables do what they say."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('pinocchio')
pytest.importorskip('scipy')

from benchmark import bars, cases, compare, report, robots
from benchmark.experiments import algorithms, bvh, motion
from benchmark.protocol import Answers, count_flips, judge, Referee, Settings, Tally
from benchmark.runner import Runner, start_workers
from benchmark.timing import attempt, undisturbed


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
    assert undisturbed(Broken(), None, None)[:3] == (None, False, 'RuntimeError: no luck')


def test_runner_verifies_a_real_peer_in_its_own_process(panda):
    workers = start_workers(['pinocchio_loop', 'no_such_peer'], {}, 0)
    try:
        runner = Runner(workers)
        problems = cases.reachable(panda, 10, Settings(budget=0.2))
        tallies = runner.play('mid', panda, problems, None, cell_seconds=20.0)
    finally:
        for worker in workers:
            worker.close()
    assert [tally.solver for tally in tallies] == ['Pinocchio loop']
    assert tallies[0].asked == 10
    assert tallies[0].solved >= 8
    assert tallies[0].refused == tallies[0].outside_limits == 0
    assert [line['solver'] for line in runner.skipped] == ['no_such_peer']


def cell(**changes):
    """Return a row of a run."""
    row = {'case': 'mid', 'robot': 'panda', 'label': 'Panda (7)', 'dof': 7, 'solver': 'dq_ik pgs',
           'asked': 10_000, 'solved': 10_000, 'claimed': 10_000, 'refused': 0,
           'outside_limits': 0, 'flips': 0, 'disturbed': 0, 'optimal': 0, 'mean_us': 8.0,
           'median_us': 6.0, 'p99_us': 30.0, 'solved_mean_us': 8.0, 'curve_us': [4.0, 6.0, 30.0]}
    return row | changes


def results(*rows):
    """Return a run with these rows."""
    meta = {'date': 'today', 'command': 'python -m benchmark', 'commit': 'abc', 'processor': 'CPU',
            'cores': 2, 'core': 1, 'load': 0.0, 'system': 'Linux', 'python': '3.11',
            'seconds': 1.0, 'packages': {'numpy': '2'}, 'solvers': {'TRAC-IK': '1'}}
    return {'meta': meta, 'rows': list(rows), 'batch': [], 'kinematics': [], 'experiments': {},
            'skipped': [{'solver': 'KDL', 'robot': 'all', 'reason': 'not installed'}]}


def test_comparison_flags_slower_and_less_solved_cells(tmp_path, capsys):
    old, same, slow, less = (tmp_path / f'{name}.json' for name in ('old', 'same', 'slow', 'less'))
    old.write_text(json.dumps(results(cell())))
    same.write_text(json.dumps(results(cell(median_us=6.5))))
    slow.write_text(json.dumps(results(cell(median_us=9.0))))
    less.write_text(json.dumps(results(cell(solved=9_900))))
    assert compare.main([str(old), str(same)]) == 0
    assert compare.main([str(old), str(slow)]) == 1
    assert compare.main([str(old), str(less)]) == 1
    assert 'time x  1.50' in capsys.readouterr().out


def test_comparison_forgives_peers(tmp_path):
    old, new = tmp_path / 'old.json', tmp_path / 'new.json'
    old.write_text(json.dumps(results(cell(solver='TRAC-IK'))))
    new.write_text(json.dumps(results(cell(solver='TRAC-IK', median_us=60.0))))
    assert compare.main([str(old), str(new)]) == 0


def test_bars_are_judged_by_the_numbers():
    trac = cell(solver='TRAC-IK', mean_us=1000.0)
    good = {bar.demand: bar.met for bar in bars.bars(results(cell(), trac))}
    assert all(good.values())
    assert len(good) == 3
    bad = {bar.demand: bar.met
           for bar in bars.bars(results(cell(solved=9_998, mean_us=13.0), trac))}
    assert not any(bad.values())


def test_report_names_where_we_lose_and_who_was_skipped(tmp_path):
    pytest.importorskip('matplotlib')
    faster = cell(solver='EAIK (analytic)', mean_us=4.0, median_us=4.0)
    report.write(results(cell(solved=9_999), faster), tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    assert '| mid, Panda (7) | EAIK (analytic) | median 4.0 us, ours 6.0 us |' in page
    assert '| mid, Panda (7) | EAIK (analytic) | solves 100 %, ours 99.99 % |' in page
    assert '- KDL, all: not installed' in page
    assert (tmp_path / 'images/benchmark/success_over_time.svg').stat().st_size > 1000


BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Head
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 2 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 90 0 0 0 0 0 0 0
1 90 0 90 0 0 0 90 0
"""


def written(folder: Path, text: str) -> Path:
    """Write a file and return its path."""
    path = folder / 'walk.bvh'
    path.write_text(text)
    return path


def test_bvh_reader_places_the_skeleton(tmp_path):
    capture = bvh.read(written(tmp_path, BVH))
    assert [node.name for node in capture.nodes] == ['Hips', 'Head', 'Head_end']
    np.testing.assert_allclose(capture.poses(0)[:, :3, 3], [[0, 90, 0], [0, 100, 0], [0, 102, 0]])
    # The hips turn a quarter about z, so up becomes -x; the head nods about its own x.
    np.testing.assert_allclose(capture.poses(1)[:, :3, 3], [[1, 90, 0], [-9, 90, 0], [-9, 90, 2]],
                               atol=1e-12)


@pytest.mark.parametrize(('change', 'message'), [
    (('HIERARCHY', 'NONSENSE'), "expected 'HIERARCHY'"),
    (('Frames: 2', 'Frames: 3'), '3 frames of 9 channels do not fit 18 numbers'),
    (('OFFSET 0 10 0', 'OFFSET 0 ten 0'), 'ten'),
    (('MOTION', 'COMMOTION'), "unexpected word 'COMMOTION'"),
])
def test_bvh_reader_says_what_is_wrong(tmp_path, change, message):
    with pytest.raises(bvh.BvhError, match=message):
        bvh.read(written(tmp_path, BVH.replace(*change)))


def test_motion_keeps_the_limits_and_closes_its_cycle(tmp_path):
    robot = robots.load('humanoid', tmp_path)
    q = motion.gymnastics(robot).sample(0.05, 300)
    assert (q >= np.array(robot.lower) - 1e-12).all()
    assert (q <= np.array(robot.upper) + 1e-12).all()
    np.testing.assert_allclose(q[0], q[240])
    assert np.ptp(q, axis=0).max() > 2.5
    left, right = (robot.joints.index(f'{side}_shoulder_x') for side in ('left', 'right'))
    np.testing.assert_allclose(q[20, left], -q[20, right])


@pytest.mark.parametrize('name', algorithms.SYSTEMS)
def test_worked_algorithms_converge(name):
    _, residual, difference = algorithms.work_through(algorithms.SYSTEMS[name])
    assert residual < 1e-9
    assert difference < 1e-8


@pytest.mark.slow
def test_quick_run_writes_page_figures_and_numbers(tmp_path):
    pytest.importorskip('matplotlib')
    pytest.importorskip('rich')
    from benchmark.__main__ import main
    main(['--quick', '--only', 'five', 'kinematics', '--peers', 'pinocchio_loop',
          '--json', str(tmp_path / 'run.json'), '--docs', str(tmp_path)])
    run = json.loads((tmp_path / 'run.json').read_text())
    ours = [row for row in run['rows'] if row['solver'] == 'dq_ik pgs']
    assert len(ours) == 1
    assert ours[0]['solved'] == ours[0]['asked']
    assert 'Forward kinematics and Jacobians' in (tmp_path / 'benchmark.md').read_text()
