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
"""Key poses and the motion through them, for arms, hand and humanoid; no page, no ROS."""

from __future__ import annotations

import csv
import io
import json
import math

from ball_chains import chain_of as chain_with_balls
from dq_ik.demo.choices import find_robot, TIPS
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.key_path import csv_text, KeyPath, motion_text, PERIOD, record
from dq_ik.stream.key_poses import KeyPose, KeyPoses
import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

ARM = load_robot(find_robot('panda')[0]).chain(None, 'panda_hand_tcp')
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])


def chain_of(robot: str):
    return load_robot(find_robot(robot)[0]).chain(None, TIPS[robot])


def three_poses() -> KeyPoses:
    poses = KeyPoses()
    for name, shift in (('low', -0.2), ('mid', 0.0), ('high', 0.2)):
        poses.save(KeyPose.at(name, ARM, HOME + shift))
    return poses


def test_poses_keep_their_order_and_can_be_moved_renamed_and_deleted():
    poses = three_poses()
    poses.move('high', -1)
    assert poses.names == ('low', 'high', 'mid')
    poses.move('low', -1)
    poses.move('low', 99)
    assert poses.names == ('high', 'mid', 'low')
    poses.rename('mid', 'rest')
    poses.delete('high')
    assert poses.names == ('rest', 'low')
    assert poses['rest'].q(ARM) == pytest.approx(HOME)


def test_saving_under_a_name_again_replaces_the_pose_in_its_place():
    poses = three_poses()
    poses.save(KeyPose.at('low', ARM, HOME))
    assert poses.names == ('low', 'mid', 'high')
    assert poses['low'].q(ARM) == pytest.approx(HOME)


def test_a_free_name_is_free():
    poses = KeyPoses()
    for _ in range(3):
        poses.save(KeyPose.at(poses.free_name(), ARM, HOME))
    poses.delete('pose 1')
    assert poses.free_name() not in poses.names
    assert len(poses) == 2


@pytest.mark.parametrize('act', [
    lambda poses: poses.delete('nobody'), lambda poses: poses.rename('low', 'mid'),
    lambda poses: poses.rename('low', ' '), lambda poses: poses.save(
        KeyPose.at('', ARM, HOME)), lambda poses: poses['nobody']])
def test_what_cannot_be_done_says_why_and_changes_nothing(act):
    poses = three_poses()
    with pytest.raises(DqIkError, match=r'nobody|taken|needs a name'):
        act(poses)
    assert poses.names == ('low', 'mid', 'high')


@pytest.mark.parametrize('robot', ['hand', 'humanoid', 'two_arms'])
def test_files_are_read_back(robot):
    chain = chain_of(robot)
    rng, poses, again = np.random.default_rng(0), KeyPoses(), KeyPoses()
    for _ in range(3):
        poses.save(KeyPose.at(poses.free_name(), chain, chain.random(rng)))
    assert again.load(poses.to_json(chain), chain) == 3
    assert again.names == poses.names
    for one, two in zip(poses, again):
        assert one.q(chain) == pytest.approx(two.q(chain))
        for tip in chain.tips:
            assert one.goals[tip].distance(two.goals[tip]) == pytest.approx((0, 0), abs=1e-9)


def test_a_file_may_hold_joints_alone():
    poses = KeyPoses()
    poses.load(json.dumps({'poses': [{'name': 'a', 'joints': {'panda_joint4': -1.0}}]}), ARM)
    assert poses['a'].goals['panda_hand_tcp'] == ARM.fk(poses['a'].q(ARM))


@pytest.mark.parametrize(('text', 'words'), [
    ('', 'no key poses'), ('[]', 'no key poses'), ('{"poses": 3}', 'no key poses'),
    ('[' * 100_000, 'no key poses'),
    ('{"poses": [{"name": "a"}]}', 'joints'),
    ('{"poses": [{"name": "a", "joints": {"elbow": 1}}]}', "not of this robot.*'elbow'"),
    ('{"poses": [{"name": "a", "joints": {"panda_joint1": NaN}}]}', 'not finite'),
    ('{"poses": [{"name": "", "joints": {}}]}', 'no name'),
    ('{"poses": [{"name": "a", "joints": {"panda_joint1": "x"}}]}', 'joints'),
    ('{"poses": [{"name": "a", "joints": {}, "goals": {"nose": {"position": [0, 0, 0], '
     '"quaternion_wxyz": [1, 0, 0, 0]}}}]}', 'nose'),
    ('{"poses": [{"name": "a", "joints": {}, "goals": {"panda_hand_tcp": {"position": [0, 0], '
     '"quaternion_wxyz": [1, 0, 0, 0]}}}]}', 'position')])
def test_a_bad_file_is_refused_whole(text, words):
    poses = three_poses()
    with pytest.raises(DqIkError, match=words):
        poses.load(text, ARM)
    assert poses.names == ('low', 'mid', 'high')


def test_goals_lie_between_the_poses_and_rest_at_each():
    """Places on the way agree with SciPy's slerp where only the orientation changes."""
    turn = Rotation.from_rotvec([0.3, -0.5, 0.9])
    goals = [Pose.identity(), Pose.from_xyz_xyzw((0, 0, 0), turn.as_quat())]
    keys = [KeyPose(str(k), {}, {'panda_hand_tcp': goal}) for k, goal in enumerate(goals)]
    path = KeyPath(keys, (0.0, 2.0))
    slerp = Slerp([0.0, 1.0], Rotation.concatenate([Rotation.identity(), turn]))
    for time in np.linspace(0.0, 2.0, 21):
        share = 0.5 - 0.5 * math.cos(math.pi * 0.5 * time)  # near, not equal, to the easing
        goal = path.goals(time)['panda_hand_tcp'].matrix[:3, :3]
        assert np.abs(goal - slerp(share).as_matrix()).max() < 0.02
    assert path.goals(1.0)['panda_hand_tcp'].matrix[:3, :3] == pytest.approx(
        slerp(0.5).as_matrix())
    slow = path.goals(1e-3)['panda_hand_tcp'].distance(goals[0])[1]
    assert slow < 1e-5
    assert path.goals(9.0)['panda_hand_tcp'].distance(goals[1])[1] < 1e-9
    assert path.goals(-1.0)['panda_hand_tcp'].distance(goals[0])[1] < 1e-9


def test_a_closed_path_comes_back_to_its_start():
    path = KeyPath.through(ARM, list(three_poses()), is_closed=True)
    assert path.duration == math.inf
    for tip, pose in path.goals(path.times[-1] + 0.1).items():
        assert pose.distance(path.goals(0.1)[tip]) == pytest.approx((0, 0), abs=1e-9)


def test_half_the_speed_takes_twice_the_time():
    poses = list(three_poses())
    whole, half = (KeyPath.through(ARM, poses, speed).duration for speed in (1.0, 0.5))
    assert half == pytest.approx(2.0 * whole)
    with pytest.raises(DqIkError, match='two key poses, there are 1'):
        KeyPath.through(ARM, poses[:1])


def test_the_recorded_motion_meets_every_pose_within_limits_and_speeds():
    """At the time of each key pose the tool is there."""
    poses = list(three_poses())
    path = KeyPath.through(ARM, poses, 0.5)
    times, q = record(ARM, path)
    assert times[0] == 0.0
    assert times[-1] == path.duration
    assert np.all((q >= ARM.lower) & (q <= ARM.upper))
    assert np.all(np.abs(np.diff(q, axis=0)) <= ARM.velocity * PERIOD * (1 + 1e-9))
    for key, when in zip(poses, path.times):
        row = q[np.abs(times - when).argmin()]
        assert ARM.fk(row).distance(key.goals['panda_hand_tcp'])[0] < 2e-3
    assert ARM.fk(q[-1]).distance(poses[-1].goals['panda_hand_tcp'])[0] < 1e-4


@pytest.mark.parametrize('robot', ['humanoid', 'hand'])
def test_pinned_tips_stay_while_another_moves(robot):
    """The first tip goes to and fro; all others keep their goals at every moment."""
    chain = chain_of(robot)
    q = chain.clamp(chain.neutral + 0.1)
    goals = chain.fk_all(q)
    moving = chain.tips[0]
    near = Pose.from_xyz_wxyz(goals[moving].position + np.array([0.0, 0.0, -0.008]),
                              goals[moving].quaternion)
    keys = [KeyPose.at('a', chain, q, goals),
            KeyPose.at('b', chain, q, {**goals, moving: near})]
    times, rows = record(chain, KeyPath.through(chain, keys, 0.2))
    for row in rows[:: 10]:
        poses = chain.fk_all(row)
        for tip in chain.tips[1:]:
            assert poses[tip].distance(goals[tip])[0] < 1.5e-3, tip
    assert chain.fk_all(rows[-1])[moving].distance(goals[moving])[0] > 2e-3


def test_csv_has_names_times_and_joints():
    text = csv_text(['a', 'b,"c'], np.array([0.0, 0.5]), np.array([[1.0, 2.0], [3.0, -4.5]]))
    assert list(csv.reader(io.StringIO(text))) == [
        ['time', 'a', 'b,"c'], ['0', '1', '2'], ['0.5', '3', '-4.5']]


def test_files_of_a_robot_with_balls_speak_of_the_joints_of_the_urdf():
    chain, poses = chain_with_balls('shoulder'), KeyPoses()
    for k in range(2):
        poses.save(KeyPose.at(f'p{k}', chain, chain.random(np.random.default_rng(k))))
    names = ['s0', 's1x', 's1y', 's1z', 's2', 's3x', 's3y', 's3z']
    kept = json.loads(poses.to_json(chain))['poses']
    assert [list(pose['joints']) for pose in kept] == [names, names]
    again = KeyPoses()
    again.load(poses.to_json(chain), chain)
    for pose in poses:
        assert again[pose.name].q(chain) == pytest.approx(pose.q(chain), abs=1e-12)
    rows = list(csv.DictReader(io.StringIO(motion_text(chain, KeyPath.through(chain, [*poses])))))
    assert list(rows[0]) == ['time', *names]
    first = chain.configuration({name: float(rows[0][name]) for name in names})
    assert first == pytest.approx(poses['p0'].q(chain), abs=1e-5)
