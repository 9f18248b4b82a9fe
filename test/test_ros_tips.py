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
"""Goals of several tips, with an executor that the test moves step by step."""

import time

from domains import reserve
from dq_ik.pose import Pose
from dq_ik.ros.follow.goal_topics import GoalTopics
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.goals import LOOK_AT, POSE
from dq_ik.ros.running import take_all
from geometry_msgs.msg import PointStamped, PoseStamped
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from ros_bench import wait_until
import ros_robot
from ros_world import stamped
from sensor_msgs.msg import JointState

TIPS = ('flange', 'finger_left')
CHAIN = ros_robot.robot().groups['arm_and_hand']
Q = CHAIN.configuration({**ros_robot.POSTURE, 'grip': 0.02})
DOMAIN = reserve()


class World:
    """The node, which moves only in :meth:`step`, and a sender of goals."""

    def __init__(self):
        self.context = Context()
        rclpy.init(args=[], context=self.context, domain_id=DOMAIN)
        given = {'robot_description': ros_robot.urdf_text(), 'base_link': 'arm_base',
                 'tip_links': list(TIPS), 'use_tf': False, 'velocity_scaling': 0.0}
        self.node = IkNode(context=self.context, parameter_overrides=[
            Parameter(name, value=value) for name, value in given.items()])
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.sender = Node('sender', context=self.context)
        self.goals = {tip: self.sender.create_publisher(PoseStamped, f'/dq_ik/{tip}/goal_pose', 1)
                      for tip in TIPS}
        self.look_at = self.sender.create_publisher(PointStamped, '/dq_ik/flange/look_at', 1)
        self.commands = self.sender.create_subscription(
            JointState, '/dq_ik/joint_commands', lambda _: None, 100)
        for publisher in (*self.goals.values(), self.look_at):
            wait_until(publisher.get_subscription_count)
        wait_until(lambda: self.sender.count_publishers('/dq_ik/joint_commands'))
        time.sleep(0.5)

    def answers(self):
        """Let everything that was sent arrive, then the node work; return its commands."""
        time.sleep(0.3)
        for _ in range(30):
            self.executor.spin_once(timeout_sec=0.01)
        time.sleep(0.2)
        return [msg for msg, _ in take_all(self.commands)]

    def close(self):
        self.executor.shutdown()
        self.sender.destroy_node()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture(scope='module')
def world():
    made = World()
    yield made
    made.close()


def poses(msg):
    return CHAIN.fk_all(CHAIN.configuration(dict(zip(msg.name, msg.position))))


def test_goals_sent_together_are_answered_together(world):
    for tip in TIPS:
        world.goals[tip].publish(stamped(CHAIN.fk(Q, tip)))
    command, = world.answers()
    for tip, pose in poses(command).items():
        assert pose.distance(CHAIN.fk(Q, tip)) < (1.1e-5, 1.1e-5)


@pytest.mark.parametrize(('times', 'heard'), [
    ((10, 20), ['pose', 'look_at']),  # in their order
    ((20, 10), ['pose']),  # the executor asked the topic of the newer goal first
    ((20, 10, 15), ['pose']),  # what is left out does not make others new
    ((20, 10, 30), ['pose', 'look_at']),
    ((5_000_000_000, 10), ['pose', 'look_at']),  # the clock was set back
])
def test_of_two_kinds_for_the_only_tip_the_newest_counts(times, heard):
    got = []
    topics = GoalTopics(None, lambda goals: got.extend(goal.msg for goal in goals))
    takers = {kind: topics._taker_of_one('tool', kind) for kind in (POSE, LOOK_AT)}
    takers[POSE]('pose', {'received_timestamp': times[0]})
    for time_ in times[1:]:
        takers[LOOK_AT]('look_at', {'received_timestamp': time_})
    assert got == heard


@pytest.mark.parametrize('bad', TIPS)
def test_a_bad_goal_is_refused_alone(world, bad, monkeypatch):
    """Whichever is heard first."""
    refused = []
    monkeypatch.setattr(world.node._follower, '_refuse', refused.append)
    for tip in TIPS:
        world.goals[tip].publish(
            stamped(CHAIN.fk(Q, tip), 'no_such_frame' if tip == bad else 'arm_base'))
    command, = world.answers()
    assert len(refused) == 1
    assert 'no_such_frame' in str(refused[0])
    for tip, pose in poses(command).items():
        assert pose.distance(CHAIN.fk(Q, tip)) < (1.1e-5, 1.1e-5)


@pytest.mark.parametrize('last', ['pose', 'look_at'])
def test_of_two_kinds_that_wait_together_the_newest_counts(world, last):
    """However the executor sorts their topics."""
    point = PointStamped()
    point.header.frame_id = 'arm_base'
    point.point.x = 0.5
    senders = [(world.look_at, point), (world.goals['flange'], stamped(CHAIN.fk(Q, 'flange')))]
    for publisher, msg in senders if last == 'pose' else reversed(senders):
        publisher.publish(msg)
        time.sleep(0.05)
    assert world.answers()
    goal = world.node._follower.stream._goals['flange']
    assert ('pose' if isinstance(goal, Pose) else 'look_at') == last
