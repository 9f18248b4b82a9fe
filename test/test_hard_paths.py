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
"""The paths of the benchmark: within limits, as fast as stated, the same for the same seed."""

from __future__ import annotations

from types import SimpleNamespace

from benchmark import hard_paths, paths, report_paths, robots
from benchmark.protocol import Referee
import numpy as np
import pytest

pytest.importorskip('pinocchio')

SEEDS = range(40)


@pytest.mark.parametrize('make', [hard_paths.hard_motion, hard_paths.ordinary_motion])
def test_motions_keep_within_the_middle_of_the_ranges(make, tmp_path):
    """A motion stays in 90 % of each range, and some motion comes near its ends."""
    robot = robots.load('panda', tmp_path)
    lower, upper = np.array(robot.lower), np.array(robot.upper)
    share = np.array([np.abs(2.0 * make(lower, upper, seed) - lower - upper) / (upper - lower)
                      for seed in SEEDS])
    assert share.shape == (len(SEEDS), 4000, 7)
    assert share.max() <= 0.9 + 1e-12
    assert (share.max(axis=(0, 1)) > 0.8).all()


@pytest.mark.parametrize(('name', 'peak'), [('panda', 0.005), ('iiwa', 0.005), ('ur5', 0.0107)])
def test_hard_motions_are_as_fast_as_the_bars_say(name, peak, tmp_path):
    """Panda and iiwa stay below 2.5 rad/s, the UR5 below that of a sine of 0.15 Hz."""
    robot = robots.load(name, tmp_path)
    steps = [np.abs(np.diff(hard_paths.hard_motion(robot.lower, robot.upper, seed), axis=0)).max()
             for seed in SEEDS]
    assert 0.8 * peak < max(steps) < peak


def test_ordinary_motions_move_at_most_the_stride_in_a_second():
    """No joint goes farther than 1.2 rad in a segment, without jumps of speed."""
    q = hard_paths.ordinary_motion([-3.0, -np.inf], [3.0, np.inf], 5)
    stops = q[::500]
    assert len(stops) == 8
    assert np.abs(np.diff(stops, axis=0)).max() <= 1.2
    assert np.abs(np.diff(q, 2, axis=0)).max() < 6.0 * 1.2 / 500.0 ** 2
    assert np.abs(q[:, 1]).max() <= 0.9 * np.pi


def test_a_path_holds_the_poses_of_its_motion(tmp_path):
    """Seed and arm give one path; its poses are Pinocchio's."""
    robot = robots.load('ur5', tmp_path)
    path = hard_paths.hard(robot, 7, seconds=0.2)
    assert path.poses.shape == (100, 4, 4)
    assert np.array_equal(path.q, hard_paths.hard_motion(robot.lower, robot.upper, 7, 0.2))
    assert not np.array_equal(path.q, hard_paths.hard_motion(robot.lower, robot.upper, 8, 0.2))
    assert Referee(robot).errors(path.q[50], path.poses[50:51]).max() < 1e-12
    assert path.largest_step == pytest.approx(np.abs(np.diff(path.q, axis=0)).max())


def test_slowed_paths_keep_the_speed_limits(tmp_path):
    """The motion of a slowed path is within the limits, and one in time stays as it is."""
    robot = robots.load('ur5', tmp_path)
    slow = hard_paths.hard(robot, 7, speeds=np.full(6, 1.0))
    assert 0.97 / 500 < slow.largest_step <= 1.0 / 500
    assert np.array_equal(hard_paths.hard(robot, 7, 0.2, np.full(6, 9.0)).q,
                          hard_paths.hard(robot, 7, 0.2).q)


def test_a_row_counts_flips_and_steps_over_missing_answers():
    """A jump across frames without an answer is seen; the first step is from the start."""
    row = paths.Row('hard', 'arm', 0.01, 'solver')
    q = np.array([[0.0, 0.005], [np.nan, np.nan], [0.0, 0.305]])
    row.add(np.zeros(2), q, np.array([True, False, True]), np.full(2, 0.01), 3e-3)
    assert (row.paths, row.followed, row.frames, row.solved, row.flips) == (1, 0, 3, 2, 1)
    assert row.largest_step == pytest.approx(30.0)
    assert row.summary()['mean_us'] == pytest.approx(1000.0)


def test_streams_and_peers_follow_the_same_paths(tmp_path, monkeypatch):
    """A stream keeps its bound; a peer is asked frame after frame; both are judged alike."""
    from benchmark.runner import Runner
    from benchmark.worker import Host
    host = Host('ours')
    worker = SimpleNamespace(peer='ours', reason='', alive=True, solvers=host.hello()['solvers'],
                             call=lambda name, *given: getattr(host, name)(*given))
    monkeypatch.setattr(paths, 'PEERS', ('dq_ik pgs',))
    monkeypatch.setattr(paths, 'RESTARTING', ())
    monkeypatch.setattr(paths.Field, 'path', lambda self, kind, seed: hard_paths.hard(
        self.robot, seed, 0.4))
    case = paths.Case('hard', 'ur5', 0.01, peers=True)
    rows = {row['solver']: row for row in paths.stream_rows(
        Runner([worker]), paths.Field('ur5', tmp_path), case, True, lambda text: None)}
    assert set(rows) == {'dq_ik stream', 'dq_ik stream, look-ahead', 'dq_ik pgs'}
    for row in rows.values():
        assert (row['paths'], row['frames'], row['flips']) == (4, 800, 0)
        assert row['solved'] > 790
    assert rows['dq_ik stream']['largest_step'] <= 1.0 + 1e-9
    text = '\n'.join(report_paths.paths({'paths': list(rows.values())}))
    assert '| UR5 (6) | 0.01 | dq_ik stream | 4 | 100 | 100 | 0 |' in text


def test_whole_paths_are_reported(tmp_path, monkeypatch):
    """Whole paths have a table of their own, with the time per path."""
    monkeypatch.setattr(paths, 'WHOLE', (paths.Case('ordinary', 'ur5', 0.01),))
    monkeypatch.setattr(paths.Field, 'path', lambda self, kind, seed: hard_paths.ordinary(
        self.robot, seed, 0.2))
    row, = paths.measure_whole(tmp_path, True, lambda text: None)
    assert (row['paths'], row['followed'], row['solved']) == (4, 4, 400)
    assert 0.0 < row['longest'] < row['seconds']
    text = '\n'.join(report_paths.paths({'whole_paths': [row]}))
    assert '| UR5 (6) | 0.01 | 4 | 100 | 0 |' in text
    assert list(report_paths.paths({})) == []
