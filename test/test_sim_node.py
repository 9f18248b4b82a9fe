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

"""The simulated arm over ROS topics."""

from __future__ import annotations

import os
from pathlib import Path
import time

from builtin_interfaces.msg import Duration
from domains import reserve
from dq_ik.ros.description import LATCHED
from dq_ik.ros.sim_node import SimNode
from dq_ik.sim import SimulationError
import pytest
from ros_bench import ros_bench, wait_until
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tools.fuzz.patience import Patience
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
DOMAIN = reserve()


@pytest.fixture
def bench():
    """Open a domain for one test."""
    with ros_bench(DOMAIN) as opened:
        yield opened


def joint(inbox: list, name: str) -> float:
    """Return a joint's position in the newest joint state."""
    if not inbox:
        return float('nan')
    return inbox[0].position[list(inbox[0].name).index(name)]


def test_a_joint_command_is_followed(bench):
    """From the start position of the parameter to the command."""
    bench.add(SimNode, robot_description=PANDA, start__panda_joint1=0.3)
    states = bench.newest(JointState, 'joint_states')
    commands = bench.node.create_publisher(JointState, 'joint_commands', 1)
    wait_until(lambda: abs(joint(states, 'panda_joint1') - 0.3) < 1e-6, what='start position')
    wait_until(lambda: commands.get_subscription_count() > 0)
    commands.publish(JointState(name=['panda_joint1'], position=[-0.2]))
    wait_until(lambda: abs(joint(states, 'panda_joint1') + 0.2) < 1e-4, what='command')
    assert len(states[0].velocity) == len(states[0].effort) == len(states[0].name)
    assert states[0].header.stamp.sec > 0


def test_a_joint_trajectory_is_followed_and_a_bad_one_refused(bench):
    """Times must increase and lengths must agree."""
    bench.add(SimNode, robot_description=PANDA, engine='kinematic')
    states = bench.newest(JointState, 'joint_states')
    publisher = bench.node.create_publisher(JointTrajectory, 'joint_trajectory', 1)
    wait_until(lambda: bool(states) and publisher.get_subscription_count() > 0)
    names = ['panda_joint1', 'panda_joint3']
    bad = JointTrajectory(joint_names=names, points=[JointTrajectoryPoint(positions=[1.0])])
    publisher.publish(bad)
    publisher.publish(JointTrajectory())
    time.sleep(0.3)
    assert joint(states, 'panda_joint1') == pytest.approx(0.0)
    publisher.publish(JointTrajectory(joint_names=names, points=[
        JointTrajectoryPoint(positions=[0.2, 0.1], time_from_start=Duration(nanosec=200_000_000)),
        JointTrajectoryPoint(positions=[0.1, 0.4], time_from_start=Duration(nanosec=600_000_000)),
    ]))
    wait_until(lambda: abs(joint(states, 'panda_joint3') - 0.4) < 1e-6, what='last point')
    assert joint(states, 'panda_joint1') == pytest.approx(0.1)


def test_a_robot_without_physics_moves_all_the_same(bench, capfd):
    """Where MuJoCo is the node's own choice; where it is the user's, he is told."""
    pytest.importorskip('mujoco')
    flat = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="5" ixz="0" iyz="0"/>'
    robot = (f'<robot name="flat"><link name="a"/><link name="b">{flat}</inertial></link>'
             '<joint name="turn" type="continuous"><parent link="a"/><child link="b"/></joint>'
             '</robot>')
    states = bench.newest(JointState, 'flat/joint_states')
    bench.add(SimNode, robot_description=robot, remap={'joint_states': 'flat/joint_states'})
    wait_until(lambda: bool(states), what='joint states')
    assert list(states[0].name) == ['turn']
    log = capfd.readouterr().err
    assert 'no physics: MuJoCo cannot simulate flat' in log
    assert 'without physics' in log
    with pytest.raises(SimulationError):
        bench.add(SimNode, robot_description=robot, engine='mujoco')


def test_joint_states_keep_the_rate(bench):
    """100 per second by default, of the time in which the machine lets this process run."""
    bench.add(SimNode, robot_description=PANDA)
    heard: list[float] = []
    bench.node.create_subscription(
        JointState, 'joint_states', lambda _: heard.append(time.monotonic()), 100)
    wait_until(lambda: len(heard) > 10)

    def keeps_the_rate():
        clock, before = Patience(os.getpid()), len(heard)
        for _ in range(5):
            time.sleep(0.4)
            clock.now()
        return len(heard) - before > 95.0 * clock.now()
    wait_until(keeps_the_rate, what='95 joint states per second')


def test_the_description_may_come_by_topic_and_bad_ones_are_survived(bench):
    """The latched topic, as robot_state_publisher has it."""
    bench.add(SimNode, engine='kinematic')
    states = bench.newest(JointState, 'joint_states')
    publisher = bench.node.create_publisher(String, 'robot_description', LATCHED)
    publisher.publish(String(data='<robot name="nothing"/>'))
    publisher.publish(String(data=PANDA))
    wait_until(lambda: bool(states), what='joint states')
    assert list(states[0].name)[:2] == ['panda_joint1', 'panda_joint2']
