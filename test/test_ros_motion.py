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
"""The node as it is by default: speeds within the URDF's limits, from the measured joints on."""

import time

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.pose import Pose
from dq_ik.ros.client import Client
import numpy as np
import pytest
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, close, Q, stamped, START_UP, World
from sensor_msgs.msg import JointState

ros_processes.use_own_domain()
pytestmark = pytest.mark.timeout(600)
SLACK = 1.5  # stamps of messages against the steady clock of the node


class Motion(World):
    """A world that keeps all commands with their stamps."""

    def __init__(self, client, node):
        self.commands = []
        super().__init__(client, node)

    def take(self, topic, msg):
        super().take(topic, msg)
        if topic == '/dq_ik/joint_commands':
            stamp = msg.header.stamp
            self.commands.append((stamp.sec + 1e-9 * stamp.nanosec, self.command()))

    def arrive(self, pose):
        """Send a goal; return the stamps and commands until it is met."""
        self.commands.clear()
        self.send(pose)
        wait_until(lambda: self.commands and close(self.commands[-1][1], pose), 20.0, 'arrival')
        return np.array([t for t, _ in self.commands]), np.array([q for _, q in self.commands])

    def measure(self, q):
        """Publish joint states until the node must have heard them."""
        for _ in range(10):
            self.joints.publish(JointState(name=list(ros_robot.ARM), position=q.tolist()))
            time.sleep(0.02)


@pytest.fixture(scope='module')
def world():
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), velocity_scaling=1.0,
                                **ARM) as node, Client('tester') as client:
        made = Motion(client, node)
        wait_until(lambda: made.goal.get_subscription_count() or not node.alive, START_UP)
        assert node.alive, node.log
        wait_until(lambda: client.node.count_publishers('/dq_ik/joint_commands')
                   and made.joints.get_subscription_count())
        yield made
        assert node.alive, node.log


def test_one_goal_far_away_is_reached_at_limited_speed(world):
    world.measure(Q)
    times, commands = world.arrive(CHAIN.fk(Q + 0.8))
    np.testing.assert_array_equal(commands[0], Q)
    assert len(commands) > 10
    spans = np.maximum(np.diff(times), 0.01)[:, None]
    assert (np.abs(np.diff(commands, axis=0)) <= SLACK * CHAIN.velocity * spans).all()
    way, fastest = np.abs(commands[-1] - Q), CHAIN.velocity
    assert times[-1] - times[0] >= np.max(way / fastest) - 0.05
    world.status('reached', DiagnosticStatus.OK)


def test_status_says_that_the_arm_is_on_its_way(world):
    world.arrive(CHAIN.fk(Q))
    world.send(CHAIN.fk(Q + 0.8))
    world.status('on the way', DiagnosticStatus.WARN)
    world.status('reached', DiagnosticStatus.OK)
    values = {pair.key: pair.value for pair in world.newest['/dq_ik/status'].values}
    assert values['policy'] == 'intercept'
    assert values['nearest_limit'] in ros_robot.ARM
    assert 0.0 <= float(values['margin']) <= 0.5


def test_after_a_pause_the_stream_starts_where_somebody_else_put_the_arm(world):
    world.arrive(CHAIN.fk(Q))
    time.sleep(1.2)
    elsewhere = Q + np.array([0.9, 0.3, -0.4, 0.5, 0.2, 1.0])
    world.measure(elsewhere)
    _, commands = world.arrive(CHAIN.fk(elsewhere))
    np.testing.assert_allclose(commands, np.tile(elsewhere, (len(commands), 1)), atol=1e-4)


def test_a_goal_out_of_reach_ends_at_the_best_reach(world):
    world.measure(Q)
    world.arrive(CHAIN.fk(Q))
    goal = Pose.from_xyz_rpy((4, 0, 0.2), (0, 1.57, 0))
    world.send(goal)
    world.status('out of reach', DiagnosticStatus.WARN)
    best = CHAIN.solve(goal).position_error[0]
    wait_until(lambda: CHAIN.fk(world.command()).distance(goal)[0] < 1.01 * best, 20.0)


def test_a_goal_that_is_too_old_is_refused(world):
    assert world.change(max_goal_age=5.0)[0].successful
    msg = stamped(CHAIN.fk(Q))
    msg.header.stamp.sec = 1000
    world.goal.publish(msg)
    world.status('s old; max_goal_age is 5.0 s', DiagnosticStatus.ERROR)
    msg.header.stamp = world.client.node.get_clock().now().to_msg()
    world.goal.publish(msg)
    world.status('reached', DiagnosticStatus.OK)
    assert world.change(max_goal_age=0.0)[0].successful


def test_the_policy_stop_holds_still(world):
    world.arrive(CHAIN.fk(Q))
    assert world.change(lost_policy='stop')[0].successful
    here = world.command()
    world.send(CHAIN.fk(Q + 0.8))
    world.status('on the way', DiagnosticStatus.WARN)
    time.sleep(0.3)
    np.testing.assert_array_equal(world.command(), here)
    assert world.change(lost_policy='intercept')[0].successful
    world.arrive(CHAIN.fk(Q))


def test_the_watchdog_stops_the_way_to_a_goal_without_a_rate(world):
    world.arrive(CHAIN.fk(Q))
    assert world.change(goal_timeout=0.1)[0].successful
    goal = CHAIN.fk(Q + 0.8)
    world.send(goal)
    world.status('holding position', DiagnosticStatus.STALE)
    held = world.command()
    time.sleep(0.5)
    np.testing.assert_array_equal(world.command(), held)
    assert not close(held, goal)
    assert world.change(goal_timeout=0.0)[0].successful
    world.arrive(CHAIN.fk(Q))
