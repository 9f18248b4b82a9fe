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
"""Joint states and the goals of others, as nodes beside the ik node hear them."""

from functools import partial
from pathlib import Path
import time

from domains import reserve
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.description import CurrentState
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.path_node import PathNode
from dq_ik.ros.remote import GoalTopics
from dq_ik.stream.tally import Tally
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.node import Node
from ros_bench import wait_until
import ros_robot
from sensor_msgs.msg import JointState

DOMAIN = reserve()
PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
HERE = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.0, 0.0, 0.4))


def test_joint_states_are_those_of_now(bench):
    """Two publishers, each with a part of the robot."""
    state = CurrentState(bench.node)
    publishers = [bench.node.create_publisher(JointState, 'joint_states', 10) for _ in range(2)]
    for publisher, name in zip(publishers, ('arm', 'hand')):
        wait_until(publisher.get_subscription_count)
        for value in range(30):
            publisher.publish(JointState(name=[name], position=[float(value)]))
            time.sleep(0.001)
    wait_until(lambda: state.positions == {'arm': 29.0, 'hand': 29.0})
    assert state.knows(('arm', 'hand'))
    assert not state.knows(('arm', 'leg'))


def test_goals_of_others_are_told_from_our_own(bench):
    """However fast ours come; of theirs the newest counts, and only in the frame of the base."""
    chain = ros_robot.robot().groups['arm']
    heard = []
    ours = GoalTopics(bench.node, 'somebody', chain, lambda tip, pose: heard.append((tip, pose)))
    other = bench.add(Node, name='other')
    theirs = GoalTopics(other, 'somebody', chain, lambda tip, pose: None)
    followed = bench.node.create_publisher(PoseStamped, 'somebody/goal_pose/current', 200)
    bench.node.create_subscription(PoseStamped, 'somebody/goal_pose', followed.publish, 200)
    wait_until(lambda: bench.node.count_subscribers('somebody/goal_pose/current') == 2)
    time.sleep(0.5)
    for pose in [Pose.identity()] * 4 + [HERE]:
        theirs.send('flange', pose)
        for _ in range(20):
            ours.send('flange', Pose.identity())
    wait_until(lambda: 'flange' in ours._foreign
               and ours._foreign['flange'][1].pose.position.x > 0.0)
    time.sleep(0.1)
    ours.hear()
    assert len(heard) == 1
    assert heard[0][0] == 'flange'
    assert heard[0][1].distance(HERE) == pytest.approx((0.0, 0.0), abs=1e-9)
    msg = PoseStamped()
    msg.header.frame_id = 'elsewhere'
    fill_pose(msg.pose, HERE)
    followed.publish(msg)
    time.sleep(0.2)
    ours.hear()
    assert len(heard) == 1
    ours.close()


def test_a_goal_sent_once_goes_to_the_ik_node_and_from_there_to_those_who_watch(bench):
    """``ros2 topic pub --once`` waits for one subscriber: no other may take the goal."""
    bench.add(IkNode, robot_description=PANDA, tip_links=[TIP], use_tf=False)
    chain = load_robot(PANDA).chain(None, TIP)
    heard = []
    watching = GoalTopics(bench.node, 'dq_ik', chain, lambda tip, pose: heard.append(pose))
    path = bench.add(
        partial(PathNode, Tally()), robot_description=PANDA, tip_links=[TIP], rest=100.0)
    wait_until(lambda: bench.node.count_subscribers('dq_ik/goal_pose/current') == 2)
    assert bench.node.count_subscribers('dq_ik/goal_pose') == 1
    commands = bench.newest(JointState, 'dq_ik/joint_commands')
    wait_until(lambda: bool(commands), what='the path begins')
    sender = bench.add(Node, name='sender').create_publisher(PoseStamped, 'dq_ik/goal_pose', 1)
    wait_until(sender.get_subscription_count)
    msg = PoseStamped()
    msg.header.frame_id = 'panda_link0'
    goal = Pose.from_xyz_rpy((0.4, 0.1, 0.5), (3.1, 0.0, 0.2))
    fill_pose(msg.pose, goal)

    def rests() -> bool:  # a goal of the path may arrive with ours, and replace it
        if path._resting_until <= time.monotonic():
            sender.publish(msg)
        return path._resting_until > time.monotonic()

    wait_until(rests, what='the path rests')

    def arrived() -> bool:
        q = chain.configuration(dict(zip(commands[0].name, commands[0].position)))
        return chain.fk(q).distance(goal)[0] < 1e-4

    wait_until(arrived, what='the arm is at the goal')
    watching.hear()
    assert heard[-1].distance(goal) == pytest.approx((0.0, 0.0), abs=1e-6)
    watching.close()
