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
"""Faults over real DDS: what comes is answered or named in one sentence, and the node lives."""

import time

from dq_ik.ros.client import Client
from dq_ik.ros.description import LATCHED
import pytest
from rclpy.qos import qos_profile_sensor_data
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, close, Q, START_UP, World
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String

ros_processes.use_own_domain(9)
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope='module')
def world():
    with (ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as node,
          Client('fault_tester') as client):
        wait_until(lambda: 'ready after' in node.log or not node.alive, START_UP, 'the node')
        made = World(client, node)
        wait_until(made.goal.get_subscription_count)
        yield made


@pytest.fixture(autouse=True)
def lives_on(request):
    """After each test that shares the node, it still answers, and nothing was unexpected."""
    yield
    if 'world' in request.fixturenames:
        world = request.getfixturevalue('world')
        assert world.process.alive, world.process.log
        answers(world)
        assert 'Traceback' not in world.process.log
        assert 'please report' not in world.process.log


def answers(world):
    """Send a goal again until it is followed: the goal topic may just be replaced."""
    before = world.count.get('/dq_ik/joint_commands', 0)

    def followed():
        world.send(CHAIN.fk(Q))
        time.sleep(0.05)
        return world.count.get('/dq_ik/joint_commands', 0) > before
    wait_until(followed, what=f'an answer; {world.process.log}')
    assert close(world.command(), CHAIN.fk(Q))


def said(world, text):
    """Wait until the node has logged a text."""
    wait_until(lambda: text in world.process.log, what=text)


# --- hostile messages ----------------------------------------------------------------------------

def test_srdf_of_nested_groups(world):
    """Each of 1,200 groups contains the next, twice: no deep recursion, and no 2^1200 visits."""
    groups = ''.join(f'<group name="g{i}"><group name="g{i + 1}"/><group name="g{i + 1}"/></group>'
                     for i in range(1200))
    publisher = world.client.node.create_publisher(String, '/robot_description_semantic', LATCHED)
    publisher.publish(String(data=f'<robot name="r">{groups}<group name="g1200">'
                                  '<chain base_link="arm_base" tip_link="flange"/>'
                                  '</group></robot>'))
    said(world, '1162 more')
    publisher.publish(String(data='<robot name="r"/>'))


def test_tip_names_too_long_for_topics(world):
    text = ros_robot.urdf_text().replace('finger_left', 'f' * 300)
    assert world.change(robot_description=text)[0].successful
    result = world.change(tip_links=['flange', 'f' * 300])[0]
    assert not result.successful
    assert 'of 300 characters can have no goal topic' in result.reason
    assert world.change(robot_description=ros_robot.urdf_text())[0].successful


@pytest.mark.parametrize('rate', [1e-12, 5e-324, 0.009])
def test_rate_of_once_in_a_lifetime(world, rate):
    result = world.change(rate=rate)[0]
    assert not result.successful
    assert 'it must be 0 or at least 0.01' in result.reason


def test_numbers_as_yaml_reads_them(world):
    assert world.change(position_tolerance='1e-4')[0].successful
    assert world.change(rate=0)[0].successful
    result = world.change(position_tolerance='fine')[0]
    assert not result.successful
    assert 'DOUBLE' in result.reason
    assert world.change(position_tolerance=1e-5)[0].successful


def test_absurd_joint_states(world):
    moveit = pytest.importorskip('moveit_msgs.srv')
    assert world.change(all_joints=True)[0].successful
    wait_until(world.joints.get_subscription_count)
    world.joints.publish(JointState(name=['lift'], position=[0.1]))
    world.joints.publish(JointState(name=['lift', 'grip'], position=[1e200, 0.01]))
    said(world, "joint_states not used: joint 'lift' has the position 1e+200")
    request = moveit.GetPositionFK.Request(fk_link_names=['flange'])
    answer = world.client.call(moveit.GetPositionFK, '/dq_ik/compute_fk', request)
    assert answer.error_code.val == 1
    request.robot_state.joint_state = JointState(name=['lift'], position=[1e200])
    answer = world.client.call(moveit.GetPositionFK, '/dq_ik/compute_fk', request)
    assert answer.error_code.val == -17

    def lift():
        world.follow(CHAIN.fk(Q))
        command = world.newest['/dq_ik/joint_commands']
        return dict(zip(command.name, command.position))['lift']
    wait_until(lambda: lift() == 0.1, what='the lift where joint_states have it')
    assert world.change(all_joints=False)[0].successful


def test_clock_that_jumps_and_turns_negative(world):
    assert world.change(use_sim_time=True)[0].successful
    clock = world.client.node.create_publisher(Clock, '/clock', qos_profile_sensor_data)
    wait_until(clock.get_subscription_count)

    def stamp_after(sec):
        tick = Clock()
        tick.clock.sec = sec
        clock.publish(tick)
        world.follow(CHAIN.fk(Q))
        return world.newest['/dq_ik/joint_commands'].header.stamp.sec
    for sec in (10, 2**31 - 1, 5):
        wait_until(lambda sec=sec: stamp_after(sec) == sec, what=f'the time {sec}')
    wait_until(lambda: stamp_after(-7) == 5 and 'must not be negative' in world.process.log)
    assert world.change(use_sim_time=False)[0].successful


# --- start and end -------------------------------------------------------------------------------

def test_ros_that_does_not_start_is_exit_code_1():
    with ros_processes.run_node(arguments=('--params-file', '/nowhere.yaml')) as node:
        assert node.process.wait(timeout=60) == 1
        assert 'dq_ik: ROS does not start: ' in node.log
        assert 'Traceback' not in node.log
