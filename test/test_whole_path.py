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

"""A whole path at once: followed without a jump, judged by Pinocchio; bad input is refused."""

from __future__ import annotations

from benchmark import hard_paths, robots
from benchmark.protocol import Referee
from dq_ik import load_robot, Pose
from dq_ik.errors import DqIkError
from dq_ik.robot.bundled import robot_file
from dq_ik.stream.path_postures import Postures
from dq_ik.stream.whole_path import follow_path
import numpy as np
import pytest

pytest.importorskip('pinocchio')

DT = 1.0 / hard_paths.RATE


def load(name, folder):
    """Return a robot of the benchmark and its chain."""
    robot = robots.load(name, folder)
    chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
    assert chain.joint_names == robot.joints
    return robot, chain


def judged(robot, result, poses):
    """Return which frames Pinocchio finds at their poses, within limits."""
    referee = Referee(robot)
    return np.array([referee.within_limits(q)
                     and referee.errors(q, pose[None]).max() <= 1e-5 * (1.0 + 1e-6)
                     for q, pose in zip(result.q, poses)])


def largest_step(result):
    """Return the largest step of a joint."""
    return np.abs(np.diff(result.q, axis=0)).max()


@pytest.mark.parametrize(('name', 'bound', 'seed'), [
    ('panda', 0.005, 116), ('iiwa', 0.005, 123), ('iiwa', 0.005, 136), ('ur5', 0.01, 115),
    ('ur5', 0.01, 125)])
def test_hard_paths_are_followed_from_end_to_end(name, bound, seed, tmp_path):
    """No frame is lost and no step is above the bound, on paths that were hard."""
    robot, chain = load(name, tmp_path)
    path = hard_paths.hard(robot, seed)
    result = follow_path(chain, path.poses, DT, velocity=bound / DT)
    assert result, result.message
    assert judged(robot, result, path.poses).all()
    assert largest_step(result) <= bound * (1.0 + 1e-9)
    assert result.largest_step == pytest.approx(largest_step(result) / bound)
    assert result.message.startswith('all 4000 poses are followed')


def test_the_start_is_kept(tmp_path):
    """A given start is the first posture, and the same seed gives the same motion."""
    robot, chain = load('iiwa', tmp_path)
    path = hard_paths.hard(robot, 11, seconds=2.0)
    result = follow_path(chain, path.poses, DT, start=path.q[0], velocity=2.5)
    assert np.allclose(result.q[0], path.q[0], atol=1e-4)
    assert result.success
    assert judged(robot, result, path.poses).all()
    again = follow_path(chain, path.poses, DT, start=path.q[0], velocity=2.5)
    assert np.array_equal(again.q, result.q)


def test_no_posture_depends_on_the_speed_of_the_machine():
    """Solves end by their iterations; with the usual time budget a pause of 50 ms could count."""
    chain = load_robot(robot_file('panda')).chain()
    assert Postures(chain, 1e-5)._solver.options.timeout == 60.0


def test_speed_limits_of_the_urdf_hold_for_each_joint(tmp_path):
    """Without a velocity, each joint keeps its own limit of the URDF."""
    robot, chain = load('panda', tmp_path)
    path = hard_paths.ordinary(robot, 4, seconds=1.0)
    result = follow_path(chain, path.poses, 2.0 * DT)
    assert judged(robot, result, path.poses).all()
    assert (np.abs(np.diff(result.q, axis=0)) <= chain.velocity * 2.0 * DT * (1 + 1e-9)).all()


@pytest.mark.parametrize('name', ['arm5', 'planar_2r', 'planar_3r', 'prismatic', 'xarm7', 'tiago',
                                  'talos'])
def test_arms_of_any_number_of_joints(name, tmp_path):
    """Two joints to nine, slides among them, with and without self-motions."""
    if name in robots.SOURCES:
        chain = load(name, tmp_path)[1]
    else:
        chain = load_robot(robot_file(name)).chain()
    q = hard_paths.hard_motion(chain.lower, chain.upper, 5, seconds=1.0)
    poses = chain.fk_batch(q)[:, 0]
    result = follow_path(chain, poses, DT, velocity=6.0)
    assert result, result.message
    assert largest_step(result) <= 6.0 * DT * (1.0 + 1e-9)


def test_a_joint_without_end_stops_turns_on():
    """Three turns of the base are followed, from the posture that is given."""
    text = robot_file('arm6').read_text().replace('type="revolute"', 'type="continuous"', 1)
    chain = load_robot(text).chain()
    assert np.isinf(chain.upper[0])
    q = np.tile([0.0, 0.3, 0.8, 0.2, 0.9, 0.1], (600, 1))
    q[:, 0] = np.linspace(0.0, 6.0 * np.pi, 600)
    poses = chain.fk_batch(q)[:, 0]
    for start in (q[0], None):
        result = follow_path(chain, poses, 0.01, start=start, velocity=4.0)
        assert result, result.message
        assert result.q[-1, 0] - result.q[0, 0] == pytest.approx(6.0 * np.pi, abs=0.1)


def test_poses_are_taken_in_every_form(tmp_path):
    """Matrices, dual quaternions, poses and positions with quaternions give the same motion."""
    _, chain = load('ur5', tmp_path)
    q = hard_paths.ordinary_motion(chain.lower, chain.upper, 1, seconds=0.2)
    poses = [chain.fk(row) for row in q]
    expected = follow_path(chain, poses, DT).q
    forms = {'matrices': np.array([pose.matrix for pose in poses]),
             'dual quaternions': chain.fk_batch(q)[:, 0]}
    for form, values in forms.items():
        assert np.allclose(follow_path(chain, values, DT).q, expected, atol=1e-6), form
    seven = np.array([[*pose.position, *pose.quaternion] for pose in poses])
    assert np.allclose(follow_path(chain, seven, DT, order='wxyz').q, expected, atol=1e-6)


def test_a_pose_out_of_reach_is_lost_and_the_rest_is_followed(tmp_path):
    """Poses beyond reach in the middle are lost, and no joint is faster than allowed for them."""
    robot, chain = load('ur5', tmp_path)
    poses = hard_paths.ordinary(robot, 2, seconds=2.0).poses[::5]
    poses[80:100, :3, 3] += 3.0
    result = follow_path(chain, poses, 5.0 * DT, velocity=3.0)
    assert not result
    assert np.array_equal(~result.lost, judged(robot, result, poses))
    assert result.lost[80:100].all()
    assert result.lost.sum() < 50
    assert largest_step(result) <= 15.0 * DT * (1.0 + 1e-9)
    assert f'{result.lost.sum()} of 200 poses are lost' in result.message


def test_a_pose_that_jumps_is_caught_at_limited_speed(tmp_path):
    """The joints need time for a jump of the pose; they take it, and no more than the limit."""
    robot, chain = load('ur5', tmp_path)
    before = hard_paths.ordinary(robot, 1, seconds=0.6)
    after = hard_paths.ordinary(robot, 2, seconds=2.0)
    poses = np.concatenate([before.poses, after.poses])[::5]
    result = follow_path(chain, poses, 5.0 * DT, velocity=5.0)
    assert largest_step(result) <= 25.0 * DT * (1.0 + 1e-9)
    assert np.array_equal(~result.lost, judged(robot, result, poses))
    assert 0 < result.lost.sum() < 120
    assert not result.lost[-120:].any()


def test_nothing_in_reach():
    """A path far away is lost as a whole, and the arm rests."""
    chain = load_robot(robot_file('panda')).chain('panda_link0', 'panda_hand_tcp')
    result = follow_path(chain, [Pose.from_xyz_rpy((9.0, 0.0, 0.0), (0.0, 0.0, 0.0))] * 3, DT)
    assert result.lost.all()
    assert largest_step(result) == 0.0
    assert result.message.startswith('none of the 3 poses is reached')


def test_a_path_of_one_pose():
    """One pose is a path."""
    chain = load_robot(robot_file('panda')).chain('panda_link0', 'panda_hand_tcp')
    goal = Pose.from_xyz_rpy((0.5, 0.0, 0.4), (np.pi, 0.0, 0.0))
    result = follow_path(chain, [goal], DT)
    assert result.q.shape == (1, 7)
    assert chain.fk(result.q[0]).distance(goal)[0] < 1e-5


@pytest.mark.parametrize(('change', 'sentence'), [
    ({'poses': []}, 'at least one pose'),
    ({'poses': 3.0}, 'sequence of poses, got 3.0'),
    ({'poses': np.zeros((3, 7))}, "need order='wxyz'"),
    ({'poses': np.array([[0, 0, 1, 1, 0, 0, 0], [0, 0, np.nan, 1, 0, 0, 0]]), 'order': 'wxyz'},
     'pose 1 of the path: a position must be'),
    ({'order': 'wyxz'}, "order is 'wxyz' or 'xyzw', got 'wyxz'"),
    ({'poses': [np.eye(4), np.diag([2.0, 1.0, 1.0, 1.0])]}, 'pose 1 of the path'),
    ({'poses': [np.full((4, 4), np.nan)]}, 'pose 0 of the path'),
    ({'dt': 0.0}, 'above 0 s, got 0.0'),
    ({'dt': float('nan')}, 'above 0 s, got nan'),
    ({'velocity': [1.0, 2.0]}, '7 numbers'),
    ({'velocity': [1.0] * 6 + [0.0]}, "above 0 for 'panda_joint7'"),
    ({'velocity': float('inf')}, 'a speed limit above 0'),
    ({'start': [0.0] * 3}, '7 numbers'),
    ({'start': [9.0] * 7}, 'outside the joint limits'),
    ({'start': [0.1, 0.1, 0.1, -1.0, 0.1, 1.0, 0.1]}, 'not at the first pose'),
])
def test_bad_input_is_refused(change, sentence):
    """The error says what is wrong and what would be right."""
    chain = load_robot(robot_file('panda')).chain('panda_link0', 'panda_hand_tcp')
    given = {'poses': [chain.fk(chain.neutral)] * 2, 'dt': DT} | change
    with pytest.raises(DqIkError, match=sentence):
        follow_path(chain, given.pop('poses'), given.pop('dt'), **given)


def test_chains_without_a_single_tip_or_with_balls_are_refused():
    """Two tips, or a joint of three variables, cannot be followed yet."""
    two = load_robot(robot_file('two_arms')).chain(None, ['left_tool', 'right_tool'])
    with pytest.raises(DqIkError, match="one tip; this chain has 'left_tool', 'right_tool'"):
        follow_path(two, [np.eye(4)], DT)
    floating = load_robot('<robot name="free"><link name="a"/><link name="b"/><joint name="j" '
                          'type="floating"><parent link="a"/><child link="b"/></joint></robot>')
    with pytest.raises(DqIkError, match="one variable each; these have several: 'j'"):
        follow_path(floating.chain(), [np.eye(4)], DT)
