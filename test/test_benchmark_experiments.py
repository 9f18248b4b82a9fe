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
"""The experiments of the papers: motions, motion capture, worked algorithms, and a whole run."""
from __future__ import annotations

import json
from pathlib import Path

from benchmark import calls, compare, micro, robots
from benchmark.experiments import algorithms, bvh, hand, humanoid, motion
from benchmark.experiments.tracking import Tracker
import numpy as np
import pytest

pytest.importorskip('pinocchio')

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


def test_full_range_gestures_go_from_limit_to_limit(tmp_path):
    robot = robots.load('hand', tmp_path)
    q = motion.full_range(robot).sample(0.005, 1600)
    reached = np.ptp(q, axis=0) / (np.array(robot.upper) - robot.lower)
    assert reached.min() > 0.99
    assert reached.max() < 1.0 + 1e-12


def test_positions_leave_the_rotations_free(tmp_path):
    tracker = Tracker(robots.load('hand', tmp_path))
    q = motion.gestures(tracker.robot).sample(0.5, 4)
    found = {kind: tracker.follow('pgs', tracker.goals(q), q[0], kind=kind, timeout=1.0)
             for kind in ('positions', 'poses')}
    assert found['positions'].solved.all()
    assert found['positions'].errors[:, :, 1].max() > 1e-3
    assert found['poses'].errors[found['poses'].solved].max() < 2e-5


@pytest.mark.parametrize('method', ['pgs', 'pls'])
def test_a_hand_comes_back_into_reach_in_small_steps(tmp_path, method):
    """Without a largest step, one frame jumps by 0.8 rad while the goals move 0.05 mm."""
    tracker = Tracker(robots.load('hand', tmp_path))
    row = hand._out_and_back(tracker, method, True)
    assert row['largest_step'] <= hand.LARGEST_STEP + 1e-9
    ways = 0.025 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, 1000)))
    goals = hand.pulled(tracker, 7.5, ways)
    assert np.linalg.norm(np.diff(goals[:, :, :3, 3], axis=0), axis=2).max() < 1e-3
    track = tracker.follow(method, goals, hand.at(tracker, 7.5), max_restarts=0, timeout=1.0,
                           max_joint_step=hand.LARGEST_STEP)
    assert np.abs(np.diff(track.q, axis=0)).max() <= hand.LARGEST_STEP + 1e-9
    assert track.solved[-1]


def test_a_hand_is_followed_to_the_letter_of_the_paper(tmp_path):
    """One Jacobian and three sweeps a frame: the fingertips stay within some millimetres."""
    tracker = Tracker(robots.load('hand', tmp_path))
    row = hand._to_the_letter(tracker, 3, True)
    assert row['iterations'] == 1.0
    assert row['rms_mm'] < 5.0


@pytest.mark.parametrize('name', algorithms.SYSTEMS)
def test_worked_algorithms_converge(name):
    _, residual, difference = algorithms.work_through(algorithms.SYSTEMS[name])
    assert residual < 1e-9
    assert difference < 1e-8


def figure_bvh(frames: int) -> str:
    """Return a figure of 1.7 m in centimetres that lifts its left hand by turning the arm."""
    def joint(name: str, offset: str, children: str = '') -> str:
        end = children or 'End Site { OFFSET 0 0 0 }'
        return f'JOINT {name} {{ OFFSET {offset} CHANNELS 3 Zrotation Xrotation Yrotation {end} }}'

    limbs = [joint('Head', '0 60 0'), joint('LeftArm', '20 45 0', joint('LeftHand', '50 0 0')),
             joint('RightArm', '-20 45 0', joint('RightHand', '-50 0 0')),
             joint('LeftFoot', '10 -90 0'), joint('RightFoot', '-10 -90 0')]
    root = ('ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation '
            f'Xrotation Yrotation {" ".join(limbs)} }}')
    lines = []
    for i in range(frames):
        values = np.zeros(27)
        values[1] = 90.0
        values[9] = 2.0 * i  # LeftArm about z
        lines.append(' '.join(map(str, values)))
    motion_part = '\n'.join(lines)
    return f'HIERARCHY {root}\nMOTION\nFrames: {frames}\nFrame Time: 0.05\n{motion_part}\n'


def test_motion_capture_becomes_goals_of_the_humanoid(tmp_path):
    tracker = Tracker(robots.load('humanoid', tmp_path))
    capture = bvh.read(written(tmp_path, figure_bvh(41)))
    goals = bvh.goals(capture, tracker, 0.5)
    tips = tracker.robot.tips
    home = tracker.goals(np.zeros((1, tracker.robot.dof)))[0]
    assert goals.shape == (5, 6, 4, 4)
    pelvis, hand = tips.index('pelvis'), tips.index('left_hand')
    np.testing.assert_allclose(goals[:, pelvis, 2, 3], home[pelvis, 2, 3])
    np.testing.assert_allclose(goals[0, :, :3, :3], home[:, :3, :3], atol=1e-12)
    height = np.diff(goals[:, hand, 2, 3])
    assert (height > 0.0).all()
    still = [tips.index(name) for name in ('right_hand', 'left_foot', 'head')]
    np.testing.assert_allclose(goals[4, still], goals[0, still], atol=1e-12)


def test_motion_capture_without_hands_is_refused(tmp_path):
    tracker = Tracker(robots.load('humanoid', tmp_path))
    with pytest.raises(bvh.BvhError, match='no node for left_hand: looked for lefthand'):
        bvh.goals(bvh.read(written(tmp_path, BVH)), tracker, 0.04)


@pytest.mark.parametrize(('interval', 'count'), [(0.05, 41), (0.7, 3), (1.0, 3)])
def test_motion_capture_is_sampled_at_the_interval(tmp_path, interval, count):
    tracker = Tracker(robots.load('humanoid', tmp_path))
    goals, start = humanoid.goals_of(tracker, interval, True,
                                     written(tmp_path, figure_bvh(41)))
    assert goals.shape == (count, 6, 4, 4)
    np.testing.assert_array_equal(start, np.zeros(71))


@pytest.mark.slow
def test_kinematics_are_measured_beside_pinocchio():
    rows = micro.measure()
    assert [row['robot'] for row in rows] == ['Panda (7)', 'humanoid (71)']
    assert all(row[key] > 0.0 for row in rows for key in row if key != 'robot')
    assert {'python_jacobian', 'pinocchio_fk', 'pinocchio_jacobian'} <= rows[0].keys()


def test_the_fastest_way_counts():
    assert micro.fastest({'fk: one': 2.0, 'fk: all': 1.0, 'jacobian': 3.0}) == {
        'fk': 1.0, 'jacobian': 3.0}


@pytest.mark.slow
def test_calls_are_compared_by_the_form_of_the_goal_and_in_fresh_processes(monkeypatch):
    monkeypatch.setattr(calls, 'PROCESSES', 1)
    monkeypatch.setattr(calls, 'GOALS', 20)
    found = calls.measure()
    assert [row['solver'] for row in found['rows']] == ['dq_ik pgs', 'dq_ik pls']
    assert all(row['pose_us'] > 0.0 and row['ratio'] > 0.0 for row in found['rows'])
    assert 0.0 < found['first']['numpy'] < found['first']['dq_ik']


@pytest.mark.slow
def test_quick_run_writes_page_table_and_numbers(tmp_path):
    pytest.importorskip('matplotlib')
    pytest.importorskip('rich')
    from benchmark.__main__ import main
    numbers = tmp_path / 'run.json'
    main(['--quick', '--only', 'two_arms', '--peers', 'pinocchio_loop', '--json', str(numbers),
          '--docs', str(tmp_path)])
    run = json.loads(numbers.read_text())
    rows = {row['solver']: row for row in run['rows']}
    assert set(rows) == {'dq_ik pgs', 'dq_ik pls', 'Pinocchio loop'}
    for name in ('dq_ik pgs', 'dq_ik pls'):
        assert rows[name]['asked'] >= 10
        assert rows[name]['solved'] >= 0.9 * rows[name]['asked']  # 5 ms may pass elsewhere
        assert rows[name]['outside_limits'] == rows[name]['refused'] == 0
    assert '| solver | two arms (15) |' in (tmp_path / 'benchmark.md').read_text()
    assert len((tmp_path / 'benchmark.csv').read_text().splitlines()) == 4
    assert compare.main([str(numbers), str(numbers)]) == 0
