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
"""The life of the node: start, end, descriptions, clocks, missing packages."""

import signal
import time

from dq_ik.ros.client import Client
from dq_ik.ros.description import LATCHED
from dq_ik.ros.services.requests import ErrorCode
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.qos import qos_profile_sensor_data
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, close, Q, ROBOT, stamped, START_UP
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String

ros_processes.use_own_domain()
pytestmark = pytest.mark.timeout(600)
SLIDE = ('<robot name="other"><link name="a"/><link name="b"/>'
         '<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>'
         '<axis xyz="1 0 0"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>')


def wait_for(process, text, timeout=START_UP):
    """Wait until the node has logged a text."""
    wait_until(lambda: text in process.log or not process.alive, timeout, text)
    assert text in process.log, process.log


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_node_with_exit_code_0(how):
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node:
        wait_for(node, 'ready after')
        time.sleep(0.2)
        assert node.stop(how) == 0
        assert 'Traceback' not in node.log


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM])
def test_signals_during_the_start_end_the_node_quietly(how):
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node:
        wait_for(node, 'preparing the robot')
        assert node.stop(how) == 0
        assert 'Traceback' not in node.log


@pytest.mark.parametrize(('parameters', 'reason'), [
    ({'robot_description': '<robot'}, ''), ({'tip_links': ['nope']}, "'nope'"),
    ({'rate': -1.0}, 'rate'), ({'method': 'magic'}, 'method'), ({'rate': 'fast'}, 'rate')])
def test_bad_start_ends_with_exit_code_1_and_one_line(parameters, reason):
    given = {'robot_description': ros_robot.urdf_text(), **ARM, **parameters}
    with ros_processes.run_node(**given) as node:
        assert node.process.wait(timeout=60) == 1
        assert reason in node.log
        assert 'Traceback' not in node.log


def test_a_parameter_with_a_typo_is_named():
    """A file for all nodes has parameters of others, which are no typos."""
    given = {'robot_description': ros_robot.urdf_text(), **ARM, 'max_joint_stepp': 0.1,
             'publish_frequency': 30.0}
    with ros_processes.run_node(('-r', '__node:=typo'), **given) as node:
        wait_until(lambda: 'ready after' in node.log or not node.alive, START_UP)
        assert node.alive, node.log
        wait_until(lambda: "there is no parameter 'max_joint_stepp' (did you mean "
                   "'max_joint_step'?); it is not used" in node.log, 20.0)
        assert 'publish_frequency' not in node.log


def test_without_moveit_msgs_topics_work_and_the_log_says_how_to_get_it():
    with ros_processes.run_node(arguments=('-r', '__node:=plain'), block=('moveit_msgs',),
                                robot_description=ros_robot.urdf_text(), **ARM) as node:
        wait_for(node, 'moveit_msgs is not installed')
        wait_for(node, '-moveit-msgs')
        with Client('plain_tester') as client:
            msg = stamped(CHAIN.fk(Q))
            answer = client.publish_and_wait(
                PoseStamped, '/plain/goal_pose', msg, JointState, '/plain/joint_commands', 20.0)
        assert close(CHAIN.configuration(dict(zip(answer.name, answer.position))), CHAIN.fk(Q))


def test_description_by_topic_and_swap_at_run_time():
    with (ros_processes.run_node(arguments=('-r', '__node:=late')) as node,
          Client('late_tester') as client):
        publisher = client.node.create_publisher(String, '/robot_description', LATCHED)
        wait_for(node, 'waiting for robot_description')
        publisher.publish(String(data='<robot'))
        wait_for(node, 'robot_description not used')
        publisher.publish(String(data=ros_robot.urdf_text()))
        wait_for(node, "'finger_left'")  # several leaves: the error lists them
        publisher.publish(String(data=SLIDE))
        wait_for(node, "robot 'other'")
        msg = PoseStamped()
        msg.header.frame_id = 'a'
        msg.pose.position.x = 0.25
        answer = client.publish_and_wait(
            PoseStamped, '/late/goal_pose', msg, JointState, '/late/joint_commands', 20.0)
        assert answer.name == ['slide']
        assert answer.position[0] == pytest.approx(0.25, abs=1e-5)
        publisher.publish(String(data=SLIDE.replace('slide', 'drawer')))
        wait_until(lambda: node.log.count("robot 'other'") == 2)
        answer = client.publish_and_wait(
            PoseStamped, '/late/goal_pose', msg, JointState, '/late/joint_commands', 20.0)
        assert answer.name == ['drawer']
        publisher.publish(String(data='<robot name="broken"/>'))
        wait_until(lambda: node.log.count('robot_description not used') >= 3)
        answer = client.publish_and_wait(
            PoseStamped, '/late/goal_pose', msg, JointState, '/late/joint_commands', 20.0)
        assert answer.name == ['drawer']


def test_srdf_by_topic_names_the_groups():
    """A robot with several leaves is refused until its SRDF comes; bad SRDFs change nothing."""
    with (ros_processes.run_node(arguments=('-r', '__node:=grouped')) as node,
          Client('grouped_tester') as client):
        urdf, srdf = (client.node.create_publisher(String, topic, LATCHED) for topic in (
            '/robot_description', '/robot_description_semantic'))
        srdf.publish(String(data='<robot'))
        wait_for(node, 'robot_description_semantic not used: the SRDF is not well-formed XML')
        urdf.publish(String(data=ros_robot.urdf_text()))
        wait_for(node, 'robot_description not used: ')
        srdf.publish(String(data=ros_robot.SRDF))
        wait_for(node, "group 'arm' from arm_base to flange")
        answer = client.publish_and_wait(
            PoseStamped, '/grouped/goal_pose', stamped(CHAIN.fk(Q)), JointState,
            '/grouped/joint_commands', 20.0)
        assert close(CHAIN.configuration(dict(zip(answer.name, answer.position))), CHAIN.fk(Q))
        srdf.publish(String(data='<robot><group name="arm"><chain base_link="arm_base" '
                                 'tip_link="tool"/></group></robot>'))
        wait_for(node, "group 'arm' from arm_base to tool")


def test_paused_clock_stops_stamps_but_not_answers():
    """With use_sim_time and a clock that stands still, goals are followed and budgets end."""
    moveit = pytest.importorskip('moveit_msgs.srv')
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), use_sim_time=True,
                                arguments=('-r', '__node:=sim'), rate=50.0, **ARM) as node:
        wait_for(node, 'ready after')
        with Client('sim_tester') as client:
            clock = client.node.create_publisher(Clock, '/clock', qos_profile_sensor_data)
            wait_until(clock.get_subscription_count)
            tick = Clock()
            tick.clock.sec = 42
            for _ in range(5):
                clock.publish(tick)
                time.sleep(0.05)
            msg = stamped(CHAIN.fk(Q))
            answer = client.publish_and_wait(
                PoseStamped, '/sim/goal_pose', msg, JointState, '/sim/joint_commands', 20.0)
            assert answer.header.stamp.sec == 42
            request = moveit.GetPositionIK.Request()
            request.ik_request.pose_stamped.header.frame_id = 'arm_base'
            request.ik_request.pose_stamped.pose.position.x = 5.0
            response = client.call(moveit.GetPositionIK, '/sim/compute_ik', request, 20.0)
            assert response.error_code.val == ErrorCode.NO_IK_SOLUTION


def test_several_tips_have_a_topic_each():
    with ros_processes.run_node(arguments=('-r', '__node:=two'), base_link='arm_base',
                                robot_description=ros_robot.urdf_text(),
                                tip_links=['flange', 'finger_left']) as node:
        wait_for(node, 'ready after')
        chain = ROBOT.groups['arm_and_hand']
        q = chain.configuration({**ros_robot.POSTURE, 'grip': 0.02})

        def reached(answer: JointState) -> set[str]:
            commanded = chain.configuration(dict(zip(answer.name, answer.position)))
            return {tip for tip in chain.tips
                    if max(chain.fk(commanded, tip).distance(chain.fk(q, tip))) < 1.1e-5}

        with Client('two_tester') as client:
            for tip, met in ('flange', set()), ('finger_left', {'flange', 'finger_left'}):
                answer = client.publish_and_wait(
                    PoseStamped, f'/two/{tip}/goal_pose', stamped(chain.fk(q, tip)), JointState,
                    '/two/joint_commands', 20.0, lambda answer, met=met: reached(answer) >= met)
        assert set(answer.name) == {*ros_robot.ARM, 'grip', 'grip_mimic'}
        assert reached(answer) == {'flange', 'finger_left'}
