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

from benchmark import hard_paths, robots
from benchmark.protocol import Referee
import numpy as np
import pytest

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
