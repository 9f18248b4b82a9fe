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
"""Goals that look at a point and goals relative to another tip, as messages over real DDS."""

from pathlib import Path
import time

from diagnostic_msgs.msg import DiagnosticStatus
from domains import reserve
from dq_ik.errors import OptionError
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.description import LATCHED
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.settings import NodeSettings
from geometry_msgs.msg import PointStamped, PoseStamped
import numpy as np
import pytest
from rclpy.parameter import Parameter
from ros_bench import Sender, wait_until
import ros_robot
from ros_world import ARM, CHAIN, close, Q, stamped
from sensor_msgs.msg import JointState
from test_look_at import angle_off

DOMAIN = reserve()
TWO_ARMS = (Path(__file__).parents[1] / 'urdf' / 'two_arms.urdf').read_text()
LEFT, RIGHT = TIPS = 'left_tool', 'right_tool'
PAIR = load_robot(TWO_ARMS).chain(None, TIPS)
POINT = (0.5, 0.3, 0.2)
Z = (0.0, 0.0, 1.0)


def point_of(xyz, frame='arm_base'):
    msg = PointStamped()
    msg.header.frame_id = frame
    msg.point.x, msg.point.y, msg.point.z = map(float, xyz)
    return msg


class Follower:
    """An ik node, publishers of its goal topics, and the newest of what it says."""

    def __init__(self, bench, name, chain, **parameters):
        self.chain = chain
        self.node = bench.add(IkNode, remap={'__node': name}, use_tf=False,
                              velocity_scaling=0.0, **parameters)
        self.commands = bench.newest(JointState, f'{name}/joint_commands')
        self.answers = bench.newest(DiagnosticStatus, f'{name}/status', LATCHED)
        self._sender = Sender(bench.node, name)
        wait_until(lambda: bench.node.count_publishers(f'/{name}/joint_commands'))

    def send(self, topic, msg):
        """Publish a goal."""
        publisher = self._sender.to(topic, type(msg))
        self.commands.clear()
        publisher.publish(msg)

    def follow(self, topic, msg):
        """Send a goal; return the joint vector of the command that answers."""
        self.send(topic, msg)
        wait_until(lambda: bool(self.commands), what='a command')
        command = self.commands[0]
        return self.chain.configuration(dict(zip(command.name, command.position)))

    def refused(self, topic, msg):
        """Send a bad goal; return what the node says, after checking that it does nothing."""
        self.answers.clear()
        self.send(topic, msg)
        wait_until(lambda: bool(self.answers), what='a status')
        time.sleep(0.1)
        assert not self.commands
        assert self.answers[0].level == DiagnosticStatus.ERROR
        return self.answers[0].message


@pytest.fixture(scope='module')
def arm(bench):
    return Follower(bench, 'one', CHAIN, robot_description=ros_robot.urdf_text(), **ARM)


@pytest.fixture(scope='module')
def pair(bench):
    return Follower(bench, 'two', PAIR, robot_description=TWO_ARMS, tip_links=list(TIPS))


def between(q):
    return PAIR.fk(q, LEFT).inverse() @ PAIR.fk(q, RIGHT)


# --- looking at a point --------------------------------------------------------------------------

def test_the_tip_looks_at_a_point(arm):
    arm.follow('goal_pose', stamped(CHAIN.fk(Q)))
    for point in (POINT, (0.3, -0.4, 0.6)):
        q = arm.follow('look_at', point_of(point))
        assert angle_off(CHAIN.fk(q), point, Z) < 1.1e-5
    wait_until(lambda: arm.answers and arm.answers[0].level == DiagnosticStatus.OK)


def test_the_point_may_be_given_in_any_frame_of_the_robot(arm):
    q = arm.follow('look_at', point_of(POINT, 'torso'))
    assert angle_off(CHAIN.fk(q), np.add(POINT, (0.0, 0.0, -0.2)), Z) < 1.1e-5
    tip = CHAIN.fk(q)
    q = arm.follow('look_at', point_of((0.05, 0.0, 0.4), 'flange'))
    assert angle_off(CHAIN.fk(q), tip @ (0.05, 0.0, 0.4), Z) < 1.1e-5


def test_the_axis_is_a_parameter(arm):
    axis = [1.0, 0.0, 0.0]
    assert arm.node.set_parameters([Parameter('look_at_axis', value=axis)])[0].successful
    q = arm.follow('look_at', point_of(POINT))
    assert angle_off(CHAIN.fk(q), POINT, axis) < 1.1e-5
    for bad, said in (([0.0, 0.0, 0.0], 'must have a direction'), ([1.0], 'of 3 finite numbers')):
        answer, = arm.node.set_parameters([Parameter('look_at_axis', value=bad)])
        assert said in answer.reason
    assert arm.node.set_parameters([Parameter('look_at_axis', value=list(Z))])[0].successful


def test_an_axis_without_a_direction_is_refused_at_the_start():
    with pytest.raises(OptionError, match='look_at_axis is zero'):
        NodeSettings(look_at_axis=(0.0, 0.0, 0.0))


def test_the_newest_goal_counts_whatever_its_kind(arm):
    arm.follow('look_at', point_of(POINT))
    assert close(arm.follow('goal_pose', stamped(CHAIN.fk(Q))), CHAIN.fk(Q))
    assert angle_off(CHAIN.fk(arm.follow('look_at', point_of(POINT))), POINT, Z) < 1.1e-5


@pytest.mark.parametrize(('xyz', 'frame', 'said'), [
    ((np.nan, 0.0, 0.0), 'arm_base', 'a point must be 3 finite numbers'),
    ((0.0, np.inf, 0.0), 'arm_base', 'not finite or no place on earth'),
    ((1e10, 0.0, 0.0), 'arm_base', 'no place on earth'),
    (POINT, 'nowhere', "frame 'nowhere' is no link of 'tester'")])
def test_a_bad_point_is_refused_and_the_last_good_goal_stays(arm, xyz, frame, said):
    q = arm.follow('look_at', point_of(POINT))
    assert said in arm.refused('look_at', point_of(xyz, frame))
    np.testing.assert_array_equal(arm.node._follower.stream.command, q)
    assert arm.node._follower.stream._goals['flange'].look_at == POINT


def test_one_tip_has_no_relative_goals(bench, arm):
    topics = dict(bench.node.get_topic_names_and_types())
    assert '/one/look_at' in topics
    assert '/one/relative_goal' not in topics


# --- relative to another tip ---------------------------------------------------------------------

def test_the_grasp_holds_while_the_other_hand_moves(pair):
    q = 0.5 * PAIR.random(np.random.default_rng(1))
    box, grasp = PAIR.fk(q, LEFT), between(q)
    pair.follow(f'{LEFT}/goal_pose', stamped(box, PAIR.base))
    q = pair.follow(f'{RIGHT}/relative_goal', stamped(grasp, LEFT))
    assert max(between(q).distance(grasp)) < 1.1e-5
    assert max(PAIR.fk(q, LEFT).distance(box)) < 1.1e-5
    for step in (0.01, 0.02, 0.03):
        moved = Pose.from_xyz_wxyz(np.add(box.position, (step, 0.0, step)), box.quaternion)
        q = pair.follow(f'{LEFT}/goal_pose', stamped(moved, PAIR.base))
        assert max(PAIR.fk(q, LEFT).distance(moved)) < 1.1e-5
        assert max(between(q).distance(grasp)) < 1.1e-5


def test_a_pose_ends_the_grasp(pair):
    q = 0.5 * PAIR.random(np.random.default_rng(1))
    grasp = between(q)
    pair.follow(f'{RIGHT}/relative_goal', stamped(grasp, LEFT))
    pair.follow(f'{RIGHT}/goal_pose', stamped(PAIR.fk(q, RIGHT), PAIR.base))
    q = pair.follow(f'{LEFT}/goal_pose', stamped(PAIR.fk(q, LEFT), PAIR.base))
    assert set(map(type, pair.node._follower.stream._goals.values())) == {Pose}
    assert max(between(q).distance(grasp)) < 2.2e-5


@pytest.mark.parametrize('frame', [RIGHT, PAIR.base, 'nowhere', ''])
def test_a_frame_that_is_no_other_tip_is_refused(pair, frame):
    q = 0.5 * PAIR.random(np.random.default_rng(1))
    grasp = between(q)
    before = pair.follow(f'{RIGHT}/relative_goal', stamped(grasp, LEFT))
    said = pair.refused(f'{RIGHT}/relative_goal', stamped(grasp, frame))
    assert f"is another tip: '{LEFT}'; got {frame!r}" in said
    np.testing.assert_array_equal(pair.node._follower.stream.command, before)
    assert pair.node._follower.stream._goals[RIGHT].relative_to == LEFT


def test_a_relative_pose_that_is_no_pose_is_refused(pair):
    msg = PoseStamped()
    msg.header.frame_id = LEFT
    fill_pose(msg.pose, Pose.identity())
    msg.pose.orientation.w = 0.0
    assert 'is zero' in pair.refused(f'{RIGHT}/relative_goal', msg)


def test_the_mode_holds_for_relative_goals(pair):
    """Position only: the orientation between the hands is free."""
    q = 0.5 * PAIR.random(np.random.default_rng(1))
    pair.follow(f'{RIGHT}/relative_goal', stamped(between(q), LEFT))
    assert pair.node.set_parameters([Parameter('goal_mode', value='position')])[0].successful
    turned = between(q) @ Pose.from_xyz_rpy((0, 0, 0), (0.0, 0.0, 1.0))
    q = pair.follow(f'{RIGHT}/relative_goal', stamped(turned, LEFT))
    metres, radians = between(q).distance(turned)
    assert metres < 1.1e-5
    assert radians > 0.1
    assert pair.node.set_parameters([Parameter('goal_mode', value='pose')])[0].successful
