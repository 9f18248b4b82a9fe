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

from contextlib import contextmanager
import math
import os
import signal
import subprocess
import sys
import threading
import time

from dq_ik.pose import Pose
from dq_ik.ros.client import Client
from dq_ik.ros.description import LATCHED
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, close, Q, stamped, START_UP, World
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String

ros_processes.use_own_domain()
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


# --- under load ----------------------------------------------------------------------------------

DYING = """
import os, rclpy
from moveit_msgs.srv import GetPositionIK
rclpy.init()
node = rclpy.create_node('dying')
client = node.create_client(GetPositionIK, '/dq_ik/compute_ik')
assert client.wait_for_service(20.0)
request = GetPositionIK.Request()
request.ik_request.pose_stamped.pose.position.x = 9.0
request.ik_request.timeout.sec = 1
for _ in range(10):
    client.call_async(request)
os.kill(os.getpid(), 9)
"""


def nothing(world):
    time.sleep(1.0)


def parameters_change(world):
    for number in range(20):
        results = world.change(rate=float(100 * (number % 2))) + world.change(
            position_tolerance='1e-6' if number % 2 else '1e-5')
        assert all(result.successful for result in results)
    assert not world.change(method='magic')[0].successful


def description_changes(world):
    for number in range(10):
        text = ros_robot.urdf_text().replace('name="tester"', f'name="tester{number}"')
        assert world.change(robot_description=text)[0].successful
        assert not world.change(robot_description=text[:-20])[0].successful


def client_dies_in_mid_call(world):
    environment = {**os.environ, 'PYTHONPATH': str(ros_processes.ROOT)}
    end = subprocess.run([sys.executable, '-c', DYING], env=environment, timeout=60, check=False)
    assert end.returncode == -signal.SIGKILL


class Flood:
    """Eight clients, each of which asks again as soon as it is answered."""

    def __init__(self, node):
        from moveit_msgs.srv import GetPositionIK
        # Each client gets the responses of all, and rclpy's 10 are too few for those of the dying.
        self.clients = [node.create_client(GetPositionIK, '/dq_ik/compute_ik',
                                           qos_profile=QoSProfile(depth=100)) for _ in range(8)]
        assert all(client.wait_for_service(10.0) for client in self.clients)
        self.request = GetPositionIK.Request()
        self.request.ik_request.pose_stamped = stamped(CHAIN.fk(Q))
        self.asked, self.codes, self.going_on = 0, [], True
        for client in self.clients:
            self.ask(client)

    def ask(self, client):
        self.asked += 1
        client.call_async(self.request).add_done_callback(lambda done: self.take(client, done))

    def take(self, client, done):
        self.codes.append(done.result().error_code.val)
        if self.going_on:
            self.ask(client)

    def end(self, node):
        """Stop to ask, and wait for the last answers."""
        self.going_on = False
        wait_until(lambda: len(self.codes) == self.asked, what=f'{self.asked} answers')
        for client in self.clients:
            node.destroy_client(client)
        return set(self.codes)


@contextmanager
def stream(world):
    """Send goals at 500 Hz meanwhile; yields the numbers of commands and of goals."""
    counts, stop = [0, 0], threading.Event()

    def send():
        due = time.monotonic()
        while not stop.is_set():
            world.send(CHAIN.fk(Q + 0.1 * math.sin(0.01 * counts[1])))
            counts[1] += 1
            due = max(due + 0.002, time.monotonic() - 0.1)
            time.sleep(max(0.0, due - time.monotonic()))
    before = world.count.get('/dq_ik/joint_commands', 0)
    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield counts
    finally:
        stop.set()
        thread.join()
        counts[0] = world.count.get('/dq_ik/joint_commands', 0) - before


@pytest.mark.parametrize('event', [
    nothing, parameters_change, description_changes, client_dies_in_mid_call])
def test_flood_of_requests_beside_a_fast_stream(world, event):
    """Every request is answered, goals are followed, and the last goal is met in the end."""
    pytest.importorskip('moveit_msgs.srv')
    with Client('flooding') as client:
        flood = Flood(client.node)
        with stream(world) as counts:
            event(world)
        codes = flood.end(client.node)
    commands, goals = counts
    assert codes == {1}
    assert flood.asked > 20
    assert commands > 0.05 * goals  # the newest goal replaces those that wait
    world.change(rate=0.0, robot_description=ros_robot.urdf_text(), position_tolerance=1e-5)


# --- start and end -------------------------------------------------------------------------------

def test_ros_that_does_not_start_is_exit_code_1():
    with ros_processes.run_node(arguments=('--params-file', '/nowhere.yaml')) as node:
        assert node.process.wait(timeout=60) == 1
        assert 'dq_ik: ROS does not start: ' in node.log
        assert 'Traceback' not in node.log


def test_description_that_is_no_yaml_is_told_in_one_line_what_helps():
    text = ros_robot.urdf_text().replace('<link', '<!-- Note: by hand -->\n<link', 1)
    with ros_processes.run_node(arguments=('-p', f'robot_description:={text}')) as node:
        assert node.process.wait(timeout=60) == 1
        last = node.log.strip().splitlines()[-1]
        assert last.startswith('dq_ik: ROS does not start: ')
        assert last.endswith("YAML; 'dq_ik node arm.urdf' reads the file as it is)"), last
        assert len(last) < 500
        assert 'Traceback' not in node.log


def commands_of(client, node):
    """Return a list that grows by each command on the topic of a node."""
    heard = []
    client.node.create_subscription(
        JointState, f'/{node}/joint_commands', heard.append, 10)
    return heard


def ready(*nodes):
    """Wait until nodes are ready."""
    for node in nodes:
        wait_until(lambda node=node: 'ready after' in node.log or not node.alive, START_UP)
        assert node.alive, node.log


@contextmanager
def twin(name, **parameters):
    """Run a node with a name and the arm of the tests."""
    with ros_processes.run_node(
            arguments=('-r', f'__node:={name}'), robot_description=ros_robot.urdf_text(),
            **{**ARM, **parameters}) as node:
        yield node


def test_second_node_of_a_name_waits_and_takes_over():
    with twin('twin') as first, Client('twin_tester') as client:
        ready(first)
        goal = client.node.create_publisher(PoseStamped, '/twin/goal_pose', 1)
        heard = commands_of(client, 'twin')
        with twin('twin') as second:
            ready(second)
            wait_until(lambda: 'sends no commands' in second.log, what=second.log)
            assert 'ROS_DOMAIN_ID' in second.log  # two demos on one domain
            wait_until(lambda: 'it waits until this one ends' in first.log, what=first.log)
            wait_until(lambda: goal.get_subscription_count() == 2)
            time.sleep(0.2)
            heard.clear()
            for _ in range(20):
                goal.publish(stamped(CHAIN.fk(Q)))
                time.sleep(0.02)
            wait_until(lambda: len(heard) >= 15)
            time.sleep(0.2)
            assert len(heard) <= 20  # one node of two commands
            first.stop(signal.SIGKILL)
            wait_until(lambda: 'this one commands' in second.log, what=second.log)
            heard.clear()

            def followed():
                goal.publish(stamped(CHAIN.fk(Q)))
                time.sleep(0.05)
                return heard
            wait_until(followed, what='the second commands')
            assert 'sends no commands' not in first.log


def test_node_that_was_killed_is_replaced_within_seconds():
    """The graph shows the killed one for up to 20 s; the new one does not wait for that."""
    with twin('killed') as first:
        ready(first)
        first.stop(signal.SIGKILL)
        with twin('killed') as second, Client('killed_tester') as client:
            ready(second)
            began = time.monotonic()
            answer = client.publish_and_wait(
                PoseStamped, '/killed/goal_pose', stamped(CHAIN.fk(Q)), JointState,
                '/killed/joint_commands', 10.0)
            assert answer is not None, second.log
            assert time.monotonic() - began < 6.0


def test_interrupt_during_a_long_solve_ends_the_node_within_seconds():
    moveit = pytest.importorskip('moveit_msgs.srv')
    with twin('busy', method='dls', max_restarts=10000, max_iterations=1000000) as node:
        ready(node)
        with Client('busy_tester') as client:
            asking = client.node.create_client(moveit.GetPositionIK, '/busy/compute_ik')
            assert asking.wait_for_service(10.0)
            request = moveit.GetPositionIK.Request()
            request.ik_request.pose_stamped = stamped(CHAIN.fk(Q) @ Pose.from_xyz_rpy(
                (0, 0, 9), (0, 0, 0)))
            request.ik_request.timeout.sec = 60
            asking.call_async(request)
            time.sleep(0.5)
        began = time.monotonic()
        assert node.stop(signal.SIGINT) == 0
        assert time.monotonic() - began < 4.0
        assert 'Traceback' not in node.log


@pytest.mark.parametrize(('hang', 'code'), [
    ('import time; time.sleep(60)', 0),  # Python still runs
    ('import ctypes; ctypes.PyDLL(None).sleep(60)', 1)])  # and not, as in Fast DDS
def test_end_that_hangs_is_cut_off(hang, code):
    script = f'from dq_ik.ros.running import ends_in\nwith ends_in(0.5, 0): {hang}'
    environment = {**os.environ, 'PYTHONPATH': str(ros_processes.ROOT)}
    assert subprocess.run([sys.executable, '-c', script], env=environment, timeout=30,
                          check=False).returncode == code
