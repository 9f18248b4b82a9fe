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
"""Balls in the node and on the command line: everybody else sees the joints of the URDF."""

from __future__ import annotations

import json

from builtin_interfaces.msg import Time
from domains import reserve
from dq_ik.cli.main import main
from dq_ik.errors import OptionError, UrdfError
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.requests import options_of
from dq_ik.robot.bundled import share_folder
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.frames import Frames
from dq_ik.ros.groups import build_robot, GroupNames
from dq_ik.ros.services.compute_fk import compute_fk
from dq_ik.ros.services.compute_ik import IkServer
from dq_ik.ros.services.requests import ErrorCode, fill_error, RequestError
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import Tracker
from moveit_msgs import msg as moveit_msgs
from moveit_msgs.srv import GetPositionFK, GetPositionIK
import numpy as np
import pytest
from rclpy.parameter import Parameter
from ros_bench import wait_until
from ros_world import stamped
from sensor_msgs.msg import JointState
from test_ball_angles import arm, balled, CENTERS, NAMES

DOMAIN = reserve()
TEXT = arm('zyx')
BALL = ('shoulder=j1,j2,j3:swing=0.8:twist=-0.5,0.6:center='
        + ','.join(map(str, CENTERS['zyx'])))
SETTINGS = NodeSettings(balls=(BALL,))
PLAIN, CHAIN = balled('zyx')
SRDF = """<robot name="arm">
<group name="whole"><chain base_link="l0" tip_link="l7"/></group>
<group name="upper"><chain base_link="l0" tip_link="l2"/></group></robot>"""


def posture(seed=1):
    """Return a posture inside the cone, as the URDF's joints."""
    return CHAIN.joint_positions(CHAIN.random(np.random.default_rng(seed)))


def ask(start, goal, constraints=(), settings=SETTINGS):
    """Ask compute_ik as a client that knows the URDF alone; return code and joints."""
    server = IkServer(build_robot(TEXT, settings), IkOptions(), settings)
    msg = moveit_msgs.PositionIKRequest(pose_stamped=stamped(goal, 'l0'))
    msg.robot_state.joint_state.name = list(start)
    msg.robot_state.joint_state.position = list(start.values())
    msg.constraints.joint_constraints = [moveit_msgs.JointConstraint(
        joint_name=name, position=middle, tolerance_above=half, tolerance_below=half)
        for name, middle, half in constraints]
    response = GetPositionIK.Response()
    try:
        query = server.query(msg, {})
        server.fill(response, query, server.solve(query))
    except RequestError as error:
        fill_error(response.error_code, error.code, str(error))
    state = response.solution.joint_state
    assert not response.solution.multi_dof_joint_state.joint_names
    return response.error_code, dict(zip(state.name, state.position))


# --- services ------------------------------------------------------------------------------------

def test_compute_ik_takes_and_gives_the_joints_of_the_urdf():
    for seed in range(20):
        goal = PLAIN.fk(PLAIN.configuration(posture(seed)))
        code, joints = ask(posture(seed + 100), goal)
        assert code.val == ErrorCode.SUCCESS, code.message
        assert set(joints) == set(PLAIN.joint_names)
        q = PLAIN.configuration(joints)
        assert PLAIN.within_limits(q, 1e-9)
        assert PLAIN.fk(q).distance(goal) < (1.1e-5, 1.1e-5)


def test_the_seed_is_read_as_angles():
    """A goal that is met already is answered with the very posture of the request."""
    start = posture(3)
    code, joints = ask(start, PLAIN.fk(PLAIN.configuration(start)))
    assert code.val == ErrorCode.SUCCESS
    assert joints == pytest.approx(start, abs=1e-6)


def test_constraints_of_a_balls_joints_hold_or_nothing_is_answered():
    kept = 0
    for seed in range(20):
        wanted = posture(seed)
        goal = PLAIN.fk(PLAIN.configuration(wanted))
        code, joints = ask(posture(seed + 50), goal, [('j2', wanted['j2'], 0.1)])
        if code.val == ErrorCode.SUCCESS:
            kept += 1
            assert abs(joints['j2'] - wanted['j2']) <= 0.1 + 1e-9
        else:
            assert "the constraint of 'j2' does not hold" in code.message
    assert kept >= 10


def test_compute_fk_knows_the_links_inside_a_ball():
    robot, state = build_robot(TEXT, SETTINGS), posture(4)
    request = GetPositionFK.Request(fk_link_names=['l1', 'l2', 'l7'])
    request.robot_state.joint_state.name = list(state)
    request.robot_state.joint_state.position = list(state.values())
    response = compute_fk(request, GetPositionFK.Response(), robot, Frames(robot.model, 'l0'), {},
                          Time())
    assert response.error_code.val == ErrorCode.SUCCESS
    poses = PLAIN.model.link_poses(state)
    for link, found in zip(response.fk_link_names, response.pose_stamped):
        np.testing.assert_allclose(
            [found.pose.position.x, found.pose.position.y, found.pose.position.z],
            poses[link].position, atol=1e-12)


# --- groups and options --------------------------------------------------------------------------

def test_a_group_that_ends_inside_a_ball_has_the_joints_themselves():
    settings = NodeSettings(balls=(BALL,), robot_description_semantic=SRDF)
    robot = build_robot(TEXT, settings, {'inner': GroupNames('l1', ('l7',))})
    assert not robot.refused
    assert robot.groups['whole'].joint_names[:3] == ('shoulder.x', 'shoulder.y', 'shoulder.z')
    assert robot.groups['whole'].angles.names == PLAIN.joint_names
    assert robot.groups['upper'].joint_names == ('j1', 'j2')
    assert robot.groups['inner'].joint_names[:2] == ('j2', 'j3')


@pytest.mark.parametrize(('ball', 'error', 'words'), [
    ('s=j1,j2', UrdfError, 'needs three joints'),
    ('s=j1,j2,j9', UrdfError, "unknown joint 'j9'"),
    ('s=j1,j2,j3:swing=1:twist=-1.5,1', UrdfError, "ball 's': swing 1.*need joint 'j3'"),
    ('elbow=j1,j2,j3:swing=0.5:twist=-0.5,0.5', UrdfError, "more than one joint named 'elbow'"),
])
def test_bad_balls_are_refused_with_a_sentence(ball, error, words):
    with pytest.raises(error, match=words):
        build_robot(TEXT, NodeSettings(balls=(ball,)))


def test_options_speak_of_the_urdfs_joints():
    rest = PLAIN.configuration(posture(5))
    options = options_of(CHAIN, IkOptions(rest_posture=rest, locked_joints=('j3', 'j1', 'j2')))
    assert options.locked_joints == ('shoulder',)
    np.testing.assert_allclose(CHAIN.angles.of(np.array(options.rest_posture)), rest, atol=1e-12)
    with pytest.raises(OptionError, match="'j2' of ball 'shoulder', which is locked as a whole"):
        options_of(CHAIN, IkOptions(locked_joints=('j2',)))


# --- node ----------------------------------------------------------------------------------------

def test_a_stream_has_the_names_and_keeps_the_limits_of_the_urdf(bench):
    node = bench.add(IkNode, remap={'__node': 'balled'}, use_tf=False, robot_description=TEXT,
                     balls=[BALL])
    commands: list[JointState] = []
    bench.node.create_subscription(JointState, 'balled/joint_commands', commands.append, 100)
    goals = bench.node.create_publisher(type(stamped(CHAIN.fk(CHAIN.neutral))),
                                        'balled/goal_pose', 1)
    states = bench.node.create_publisher(JointState, 'joint_states', 10)
    wait_until(goals.get_subscription_count)
    start = posture(6)
    wait_until(lambda: states.publish(JointState(
        name=list(start), position=list(start.values()))) or node._state.knows(NAMES))
    goal = PLAIN.fk(PLAIN.configuration(posture(7)))

    def is_there():
        goals.publish(stamped(goal, 'l0'))
        return commands and sum(PLAIN.fk(np.array(commands[-1].position)).distance(goal)) < 1e-4
    wait_until(is_there)
    path = np.array([msg.position for msg in commands])
    assert all(tuple(msg.name) == PLAIN.joint_names for msg in commands)
    assert path[0] == pytest.approx(list(start.values()), abs=0.1)
    for q in path:
        assert PLAIN.within_limits(q, 1e-9)
    answer = node.set_parameters([Parameter('balls', value=['s=j1,j2,j3:swing=3:twist=-3,3'])])[0]
    assert 'gimbal lock' in answer.reason
    assert node.set_parameters([Parameter('balls', value=['s=j1,j2,j3'])])[0].successful
    assert node._prepared.chain.joint_names == PLAIN.joint_names


# --- command line --------------------------------------------------------------------------------

def test_commands_speak_of_the_urdfs_joints(tmp_path, capsys):
    file = tmp_path / 'arm.urdf'
    file.write_text(TEXT)
    pose = PLAIN.fk(PLAIN.configuration(posture(8)))
    words = ['--ball', BALL, '--xyz', *map(str, pose.position), '--rpy', *map(str, pose.rpy)]
    assert main(['solve', str(file), *words, '--seed', 'j2=0.2', '--json']) == 0
    joints = json.loads(capsys.readouterr().out)['joints']
    assert PLAIN.fk(PLAIN.configuration(joints)).distance(pose) < (1.1e-5, 1.1e-5)
    assert main(['info', str(file), '--ball', BALL]) == 0
    shown = capsys.readouterr().out
    assert 'swing 0.8, twist -0.5 .. 0.6' in shown
    assert 'ball of j1, j2, j3' in shown
    assert main(['solve', str(file), *words, '--ball', 's=j1,j2']) == 1
    assert 'needs three joints' in capsys.readouterr().err
    assert main(['demo', '--urdf', str(file), '--ball', 'x', '--no-browser']) == 1
    assert 'is no ball; write name=' in capsys.readouterr().err


@pytest.mark.parametrize(('link', 'joints'), [
    ('left_upper_arm', 'left_shoulder'), ('right_thigh', 'right_hip')])
def test_shoulders_and_hips_of_the_humanoid_can_be_dragged(link, joints):
    """As the demo does with these tips: a ring turns the limb, its joints follow."""
    text = (share_folder() / 'urdf' / 'humanoid.urdf').read_text()
    tips = ('left_upper_arm', 'right_upper_arm', 'left_thigh', 'right_thigh')
    balls = tuple(f'{name}={name}_x,{name}_y,{name}_z' for name in (
        'left_shoulder', 'right_shoulder', 'left_hip', 'right_hip'))
    chain = build_robot(text, NodeSettings(tip_links=tips, balls=balls)).groups['default']
    stream = Tracker(chain, IkOptions(), StreamSettings())
    start = chain.joint_positions(stream.command)
    for k in range(200):
        turn = Pose.exp((0, 0, 0, 0, -0.004 * k, 0))
        goal = chain.fk(chain.neutral, link) @ turn
        result = stream.follow(link, goal, 0.01 * k)
    assert result.success
    moved = chain.joint_positions(stream.command)
    assert abs(moved[f'{joints}_y'] - start[f'{joints}_y']) > 0.4
