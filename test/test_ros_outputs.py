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
"""Joint vectors as messages."""

from copy import deepcopy
from itertools import pairwise
from types import SimpleNamespace

from dq_ik.errors import ChainError
from dq_ik.ros.follow.outputs import command_maps, Outputs
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.commands import JointMap
from dq_ik.stream.segments import Segments
import numpy as np
import pytest
from rclpy.time import Time
import ros_robot
from scipy.interpolate import CubicHermiteSpline

NOW = Time(seconds=7, nanoseconds=123)


@pytest.fixture(scope='module')
def robot():
    return ros_robot.robot()


class FakeNode:
    """Collects what is published, by topic."""

    def __init__(self):
        self.sent = {}

    def create_publisher(self, kind, topic, qos, event_callbacks=None):
        self.sent[topic] = []
        return SimpleNamespace(publish=lambda msg: self.sent[topic].append(deepcopy(msg)))


def outputs(chain, current=None, **settings):
    node, chosen = FakeNode(), NodeSettings(**settings)
    made = Outputs(node, chosen)
    made.configure(command_maps(chain, chain.model, chosen, current or {}))
    return made, node.sent


def test_joint_state_has_urdf_names_stamp_and_nothing_else(robot):
    made, sent = outputs(robot.groups['arm'])
    made.publish(np.arange(6.0), NOW)
    msg = sent['~/joint_commands'][0]
    assert msg.name == list(ros_robot.ARM)
    assert list(msg.position) == [0, 1, 2, 3, 4, 5]
    assert (msg.header.stamp.sec, msg.header.stamp.nanosec) == (7, 123)
    assert len(msg.velocity) == len(msg.effort) == 0


def test_velocity_is_sent_where_it_is_known(robot):
    made, sent = outputs(robot.groups['arm'])
    made.publish(np.zeros(6), NOW, np.arange(6.0))
    made.publish(np.ones(6), NOW)
    moving, last = sent['~/joint_commands']
    assert list(moving.velocity) == [0, 1, 2, 3, 4, 5]
    assert (list(last.position), len(last.velocity)) == ([1] * 6, 0)


def test_mimic_joints_are_computed(robot):
    chain = robot.groups['arm_and_hand']
    made, sent = outputs(chain)
    made.publish(chain.configuration({'grip': 0.03}), NOW)
    msg = sent['~/joint_commands'][0]
    positions = dict(zip(msg.name, msg.position))
    assert positions['grip'] == positions['grip_mimic'] == pytest.approx(0.03)


def test_all_joints_are_listed_where_they_are(robot):
    made, sent = outputs(robot.groups['arm'], {'lift': 0.2, 'grip': 0.01}, all_joints=True)
    made.publish(np.ones(6), NOW)
    msg = sent['~/joint_commands'][0]
    positions = dict(zip(msg.name, msg.position))
    assert set(positions) == set(ros_robot.MOVABLE)
    assert (positions['lift'], positions['grip_mimic'], positions['j3']) == (0.2, 0.01, 1.0)


def test_the_first_trajectory_goes_to_the_command(robot):
    made, sent = outputs(robot.groups['arm'], trajectory_topic='/arm/joint_trajectory',
                         trajectory_time=1.25)
    made.publish(np.arange(6.0), NOW)
    msg = sent['/arm/joint_trajectory'][0]
    assert (msg.header.stamp.sec, msg.header.stamp.nanosec) == (7, 123)
    assert msg.joint_names == list(ros_robot.ARM)
    ahead = msg.points[0].time_from_start
    assert (ahead.sec, ahead.nanosec) == (1, 250_000_000)
    assert list(msg.points[0].positions) == [0, 1, 2, 3, 4, 5]
    assert not any(msg.points[-1].velocities)


def spline(points, time):
    """Return position and velocity as a controller that interpolates by cubics has them."""
    for (t0, q0, v0), (t1, q1, v1) in pairwise(points):
        if time < t1:
            cubic = CubicHermiteSpline([t0, t1], [q0, q1], [v0, v1])
            return cubic(time), cubic(time, 1)
    return points[-1][1], 0.0 * points[-1][1]


@pytest.mark.parametrize('jitter', [0.0, 0.004])
def test_a_controller_moves_smoothly_between_commands(robot, jitter):
    """Commands at 100 Hz, sampled at 1 kHz: never at rest on the way, and never a jump."""
    chain, rng = robot.groups['arm'], np.random.default_rng(1)
    segments, points, positions, speeds = Segments(0.05), [], [], []
    times = 0.01 * np.arange(1, 200) + rng.uniform(0.0, jitter, 199)
    for now, later in pairwise(times):
        points = segments.points_to(np.full(6, 0.5 * np.sin(now)), now, chain)
        for tick in np.arange(np.ceil(1e3 * now), np.ceil(1e3 * later)):
            q, v = spline(points, 1e-3 * tick - now)
            positions.append(q[0])
            speeds.append(v[0])
    steps = np.diff(positions[100:1200])
    assert min(steps) > 0.0
    assert max(steps) < 1e-3 * (0.51 if jitter == 0.0 else 1.0)  # a way of 10 ms in 6 ms
    assert min(speeds[100:1200]) > 0.02
    assert not points[-1][2].any()


def test_command_array_follows_the_order_of_the_controller(robot):
    made, sent = outputs(robot.groups['arm'], command_array_topic='/forward/commands',
                         controller_joints=('j6', 'j1'))
    made.publish(np.arange(6.0), NOW)
    assert list(sent['/forward/commands'][0].data) == [5.0, 0.0]


def test_joint_that_does_not_move_with_the_group_is_refused(robot):
    with pytest.raises(ChainError, match=r"'lift'.*'j1'"):
        JointMap(robot.groups['arm'], ('j1', 'lift'))
