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
"""Twists, joint jogs and the clutch over real DDS; ``dq_ik jog`` in a terminal of its own."""

from __future__ import annotations

from contextlib import contextmanager
import os
import pty
import signal
import subprocess
import sys
import termios
import time

from diagnostic_msgs.msg import DiagnosticStatus
from domains import reserve
from dq_ik.pose import Pose
from dq_ik.ros.description import LATCHED
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.jog_client import twist_message
from geometry_msgs.msg import PoseStamped
import numpy as np
import pytest
from rclpy.parameter import Parameter
from ros_bench import Sender, wait_until
import ros_robot
from ros_world import ARM, CHAIN, close, Q, stamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from test_ros_goal_kinds import LEFT, PAIR, RIGHT, TIPS, TWO_ARMS

DOMAIN = reserve()
URDF = ros_robot.urdf_text()
FORWARD = (0.1, 0.0, 0.0, 0.0, 0.0, 0.0)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Jogged:
    """An ik node, publishers of its topics, and all commands since the last look."""

    def __init__(self, bench, name, chain, **parameters):
        self.chain, self._bench = chain, bench
        self.node = bench.add(IkNode, remap={'__node': name}, use_tf=False, **parameters)
        self.path, self.times = [], []
        bench.node.create_subscription(JointState, f'{name}/joint_commands', self._take, 100)
        self.answers = bench.newest(DiagnosticStatus, f'{name}/status', LATCHED)
        self._sender = Sender(bench.node, name)
        wait_until(lambda: bench.node.count_publishers(f'/{name}/joint_commands'))

    def _take(self, msg):
        self.times.append(time.monotonic())
        self.path.append(self.chain.configuration(dict(zip(msg.name, msg.position))))

    def send(self, topic, msg):
        self._sender.to(topic, type(msg)).publish(msg)

    def place(self, q, tip='flange'):
        """Send a pose and return when the arm is there."""
        before = len(self.path)
        self.send('goal_pose', stamped(self.chain.fk(q)))
        wait_until(lambda: len(self.path) > before and close(self.path[-1], self.chain.fk(q)))
        self.path.clear()

    def stream(self, topic, make, seconds, period=0.02):
        """Send messages for a while; return the commands until the arm rests again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.send(topic, make())
            time.sleep(period)
        self.rest()
        path, self.path = np.array(self.path), []
        return path

    def rest(self):
        """Wait until the commands stand still."""
        def stands():
            return len(self.path) > 5 and np.array_equal(self.path[-1], self.path[-6])
        if self.node._settings.rate == 0:
            before = -1
            while before != len(self.path):
                before = len(self.path)
                time.sleep(0.5)
        else:
            wait_until(stands, what='rest')

    def now(self):
        return self._bench.node.get_clock().now().to_msg()

    def refused(self, topic, msg):
        """Send what means nothing; return what the node says, after checking that it rests."""
        self.answers.clear()
        before = self.node._follower.stream.command
        self.send(topic, msg)
        wait_until(lambda: bool(self.answers) and self.answers[0].level == DiagnosticStatus.ERROR,
                   what='a refusal')
        time.sleep(0.1)
        np.testing.assert_array_equal(self.node._follower.stream.command, before)
        return self.answers[0].message


def twist(numbers=FORWARD, frame='arm_base', stamp=None):
    msg = twist_message(numbers, frame, PoseStamped().header.stamp)
    if stamp is not None:
        msg.header.stamp = stamp
    return msg


@pytest.fixture(scope='module')
def arm(bench):
    """Return a node without rate: it answers goals as they come."""
    return Jogged(bench, 'jogged', CHAIN, robot_description=URDF, **ARM)


@pytest.fixture(scope='module')
def timed(bench):
    """Return a node with a rate and with limits of the motion."""
    return Jogged(bench, 'timed', CHAIN, robot_description=URDF, rate=100.0,
                  velocity_scaling=1.0, ramp_time=0.1, **ARM)


def check_steps(path, share=1.0):
    """No step is longer than the speed limit allows in two periods of a busy machine."""
    steps = np.abs(np.diff(path, axis=0))
    assert np.all(steps <= share * CHAIN.velocity * 0.02 * (1 + 1e-6))


@pytest.mark.parametrize('which', ['arm', 'timed'])
def test_a_twist_moves_the_tool_and_stops_smoothly(which, request):
    arm = request.getfixturevalue(which)
    arm.place(Q)
    path = arm.stream('twist', lambda: twist(stamp=arm.now()), 0.6)
    check_steps(path)
    moved = CHAIN.fk(path[-1]).position - CHAIN.fk(Q).position
    assert 0.03 < moved[0] < 0.12
    assert np.abs(moved[1:]).max() < 1e-4
    assert CHAIN.fk(path[-1]).distance(CHAIN.fk(Q))[1] < 1e-4
    lengths = np.linalg.norm(np.diff([CHAIN.fk(q).position for q in path], axis=0), axis=1)
    assert lengths[-1] < 0.4 * lengths.max()  # it slowed down
    wait_until(lambda: arm.answers and 'jogging' in arm.answers[0].message)


@pytest.mark.parametrize(('frame', 'axis'), [
    ('', (1.0, 0.0, 0.0)), ('torso', (1.0, 0.0, 0.0)), ('flange', None)])
def test_twists_are_along_the_axes_of_their_frame(arm, frame, axis):
    arm.place(Q)
    start = CHAIN.fk(Q)
    wanted = start.matrix[:3, 0] if axis is None else np.array(axis)
    path = arm.stream('twist', lambda: twist(frame=frame), 0.3)
    moved = CHAIN.fk(path[-1]).position - start.position
    assert moved @ wanted > 0.01
    assert np.linalg.norm(moved - (moved @ wanted) * wanted) < 1e-4


def test_goals_and_twists_take_turns_without_a_jump(timed):
    timed.place(Q)
    for _ in range(3):
        timed.send('goal_pose', stamped(CHAIN.fk(Q + 0.3)))
        time.sleep(0.15)
        for _ in range(10):
            timed.send('twist', twist((0.0, 0.1, 0.0, 0.0, 0.0, 0.0)))
            time.sleep(0.02)
        timed.send('goal_pose', stamped(CHAIN.fk(Q)))
        time.sleep(0.1)
    wait_until(lambda: close(timed.path[-1], CHAIN.fk(Q)), what='the last goal')
    check_steps(np.array(timed.path))


def test_zero_twists_do_not_take_over_from_goals(timed):
    timed.place(Q)
    timed.send('goal_pose', stamped(CHAIN.fk(Q + 0.2)))
    for _ in range(20):
        timed.send('twist', twist((0.0,) * 6))
        time.sleep(0.02)
    wait_until(lambda: close(timed.path[-1], CHAIN.fk(Q + 0.2)), what='the goal')


def test_at_the_end_of_the_reach_the_node_says_so_and_goes_on(arm):
    arm.place(Q)
    end = time.monotonic() + 10.0
    while time.monotonic() < end and not (
            arm.answers and 'as far as limits and speeds' in arm.answers[0].message):
        arm.send('twist', twist((0.5, 0.0, 0.0, 0.0, 0.0, 0.0)))
        time.sleep(0.02)
    assert arm.answers[0].level == DiagnosticStatus.WARN
    arm.rest()
    arm.path.clear()
    path = arm.stream('twist', lambda: twist((-0.2, 0.0, 0.0, 0.0, 0.0, 0.0)), 0.8)
    assert CHAIN.fk(path[-1]).position[0] < CHAIN.fk(path[0]).position[0] - 0.03


@pytest.mark.parametrize(('numbers', 'frame', 'said'), [
    ((np.nan, 0, 0, 0, 0, 0), 'arm_base', 'must be finite'),
    ((0, 0, 0, 0, 0, np.inf), 'arm_base', 'must be finite'),
    ((1e7, 0, 0, 0, 0, 0), 'arm_base', 'at most 1000'),
    (FORWARD, 'nowhere', "frame 'nowhere' is no link of 'tester'")])
def test_a_bad_twist_is_refused(arm, numbers, frame, said):
    arm.place(Q)
    assert said in arm.refused('twist', twist(tuple(map(float, numbers)), frame))


def test_an_old_twist_is_refused(arm):
    arm.place(Q)
    stamp = arm.now()
    stamp.sec -= 2
    said = arm.refused('twist', twist(stamp=stamp))
    assert 's old, more than twist_timeout, 0.2 s' in said


def test_joints_are_jogged_and_bad_ones_refused(arm):
    messages = pytest.importorskip('control_msgs.msg')
    arm.place(Q)
    make = messages.JointJog
    path = arm.stream('joint_jog', lambda: make(joint_names=['j1', 'j3'], velocities=[0.5, -0.5]),
                      0.4)
    check_steps(path)
    moved = path[-1] - Q
    assert moved[0] > 0.05
    assert moved[0] == pytest.approx(-moved[2], abs=1e-4)
    assert np.abs(moved[[1, 3, 4, 5]]).max() < 1e-4
    for msg, said in ((make(joint_names=['lift'], velocities=[1.0]), "no joint 'lift' to jog"),
                      (make(joint_names=['j1'], velocities=[]), '1 names but 0 velocities'),
                      (make(joint_names=['j1'], displacements=[0.1, 0.2]), '2 displacements'),
                      (make(joint_names=['j1'], displacements=[np.inf]), 'must be finite'),
                      (make(joint_names=['j1'], displacements=[0.1], duration=-1.0),
                       'duration of a joint jog is -1.0'),
                      (make(joint_names=['j1'], velocities=[np.nan]), 'must be finite')):
        assert said in arm.refused('joint_jog', msg)


@pytest.mark.parametrize('which', ['arm', 'timed'])
def test_a_displacement_is_gone_once_and_exactly(which, request):
    node = request.getfixturevalue(which)
    messages = pytest.importorskip('control_msgs.msg')
    node.place(Q)
    node.send('joint_jog', messages.JointJog(
        joint_names=['j1', 'j3'], displacements=[0.2, -0.1]))
    wait_until(lambda: bool(node.path) and abs(node.path[-1][0] - Q[0]) > 0.19)
    node.rest()
    path = np.array(node.path)
    check_steps(path)
    np.testing.assert_allclose(path[-1] - Q, [0.2, 0, -0.1, 0, 0, 0], atol=1e-4)


def test_the_clutch_moves_the_tool_from_where_it_is(arm):
    arm.place(Q)
    assert arm.node.set_parameters([Parameter('clutch', value=True)])[0].successful
    try:
        hand = Pose.from_xyz_rpy((5.0, 5.0, 5.0), (0.0, 0.0, 0.0))
        arm.send('goal_pose', stamped(hand))
        time.sleep(0.3)
        assert not arm.path  # open: the hand moves alone
        arm.send('clutch', Bool(data=True))
        time.sleep(0.3)
        arm.send('goal_pose', stamped(hand))
        wait_until(lambda: bool(arm.path))
        assert max(CHAIN.fk(arm.path[-1]).distance(CHAIN.fk(Q))) < 2e-5  # no jump
        lifted = Pose.from_xyz_rpy((5.0, 5.0, 5.02), (0.0, 0.0, 0.0))
        arm.path.clear()
        arm.send('goal_pose', stamped(lifted))
        wanted = CHAIN.fk(Q).position + np.array([0.0, 0.0, 0.02])
        wait_until(lambda: arm.path and np.allclose(
            CHAIN.fk(arm.path[-1]).position, wanted, rtol=0.0, atol=3e-5), what='the lift')
    finally:
        arm.node.set_parameters([Parameter('clutch', value=False)])


def test_each_tip_has_a_twist(bench):
    pair = Jogged(bench, 'pair', PAIR, robot_description=TWO_ARMS, tip_links=list(TIPS))
    q = 0.3 * PAIR.random(np.random.default_rng(1))
    for tip in TIPS:
        pair.send(f'{tip}/goal_pose', stamped(PAIR.fk(q, tip), PAIR.base))
    wait_until(lambda: pair.path and max(
        max(PAIR.fk(pair.path[-1], tip).distance(PAIR.fk(q, tip))) for tip in TIPS) < 1e-4)
    start = PAIR.fk_all(pair.path[-1])
    path = pair.stream(f'{LEFT}/twist', lambda: twist(
        (0.0, 0.0, 0.05, 0.0, 0.0, 0.0), PAIR.base), 0.3)
    after = PAIR.fk_all(path[-1])
    assert after[LEFT].position[2] > start[LEFT].position[2] + 0.005
    assert max(after[RIGHT].distance(start[RIGHT])) < 2e-5


# --- the command ---------------------------------------------------------------------------------

def jog_words(*arguments):
    return [sys.executable, '-m', 'dq_ik', 'jog', *arguments, '--timeout', '20']


def environment():
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(
        [ROOT, os.environ.get('PYTHONPATH', '')]), 'ROS_DOMAIN_ID': str(DOMAIN)}


@contextmanager
def jog_terminal():
    """
    Run the command in a terminal; yield its process and our end, when it has said all keys.

    It begins with Ctrl-C ignored, as what a script starts in the background does.
    """
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        jog_words('--node', '/jogged'), stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    said = b''
    while b'quit' not in said:
        said += os.read(ours, 1000)
    assert not termios.tcgetattr(theirs)[3] & termios.ICANON
    assert b'Traceback' not in said
    try:
        yield process, ours
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)


def test_jog_in_a_terminal_moves_the_arm_and_restores_the_terminal(arm):
    arm.place(Q)
    with jog_terminal() as (process, ours):
        for _ in range(10):
            os.write(ours, b'\x1b[A')
            time.sleep(0.03)
        time.sleep(0.3)
        os.write(ours, b't+q')
        while process.poll() is None:
            time.sleep(0.05)
        assert process.returncode == 0
        assert b'axes of the tool' in os.read(ours, 10000)
    arm.rest()
    moved = CHAIN.fk(arm.path[-1]).position - CHAIN.fk(Q).position
    assert 0.005 < moved[0] < 0.1
    assert np.abs(moved[1:]).max() < 1e-4
    check_steps(np.array(arm.path))


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_jog_restores_the_terminal_when_it_is_ended(arm, how):
    with jog_terminal() as (process, _):
        process.send_signal(how)
        assert process.wait(20.0) == 130


@pytest.mark.parametrize('how', ['replay', 'pipe'])
def test_jog_takes_recorded_and_piped_keys(arm, tmp_path, how):
    arm.place(Q)
    if how == 'replay':
        file = tmp_path / 'keys'
        file.write_text('# up\n' + ''.join(f'{0.05 * k:.2f} r\n' for k in range(8)) + '0.6 q\n')
        done = subprocess.run(jog_words('--node', '/jogged', '--replay', str(file)), timeout=60,
                              env=environment(), capture_output=True, text=True, check=False)
    else:
        done = subprocess.run(jog_words('--node', '/jogged'), input='rrrr', timeout=60,
                              env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    arm.rest()
    assert CHAIN.fk(arm.path[-1]).position[2] > CHAIN.fk(Q).position[2]
    check_steps(np.array(arm.path))


def test_jog_says_what_is_wrong(arm, tmp_path):
    file = tmp_path / 'keys'
    file.write_text('soon w\n')
    for words, said in ((('--node', '/nobody', '--timeout', '1'), 'there is no node /nobody'),
                        (('--node', '/jogged', '--replay', str(file)), "line 1 is 'soon w'"),
                        (('--node', '/jogged', '--replay', 'none'), 'No such file or directory'),
                        (('--speed', '7'), 'it must be above 0 and at most 1')):
        done = subprocess.run([sys.executable, '-m', 'dq_ik', 'jog', *words], timeout=60,
                              env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert said in done.stdout + done.stderr
