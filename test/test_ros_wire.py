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
"""Serialised goals and commands, against the middleware's own reading of them."""

import struct

import numpy as np
import pytest

pytest.importorskip('rclpy')

from geometry_msgs.msg import PoseStamped
from hypothesis import given, strategies
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from dq_ik.errors import PoseError
from dq_ik.pose import Pose
from dq_ik.ros import wire
from dq_ik.ros.conversions import fill_pose, pose_from_msg

NAMES = ('shoulder', 'elbow_1', 'w')


def goal(frame='base', pose=None):
    msg = PoseStamped()
    msg.header.frame_id = frame
    msg.header.stamp.sec, msg.header.stamp.nanosec = 12, 34
    fill_pose(msg.pose, pose or Pose.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, 0.5, -0.6)))
    return msg


@given(strategies.text(strategies.characters(codec='utf-8', exclude_characters='\0'), max_size=20),
       strategies.lists(strategies.floats(-1.0, 1.0), min_size=6, max_size=6))
def test_goal_is_read_as_the_middleware_reads_it(frame, numbers):
    """Whatever the length of the frame's name: the numbers behind it are aligned."""
    msg = goal(frame, Pose.from_xyz_rpy(numbers[:3], numbers[3:]))
    assert wire.read_goal(serialize_message(msg)) == (frame, pose_from_msg(msg.pose))


def test_goal_in_the_other_byte_order_is_left_to_the_middleware():
    frame = b'base\0'
    numbers = (0.1, 0.2, 0.3, 0.0, 0.0, 0.6, 0.8)
    data = (bytes(4) + struct.pack('>iII', 12, 34, len(frame)) + frame + bytes(7)
            + struct.pack('>7d', *numbers))
    assert deserialize_message(data, PoseStamped).header.frame_id == 'base'
    name, pose = wire.read_goal(data)
    assert name == 'base'
    assert pose.distance(Pose.from_xyz_wxyz((0.1, 0.2, 0.3), (0.8, 0.0, 0.0, 0.6))
                         ) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize('data', [
    b'', b'\x00\x01', serialize_message(goal())[:-1], serialize_message(goal())[:20],
    b'\x00\x01\x00\x00' + b'\xff' * 80, b'\x00\x00\x00\x00' + b'\xff' * 80])
def test_damaged_goal_is_refused(data):
    with pytest.raises(PoseError, match='damaged'):
        wire.read_goal(data)


def test_impossible_pose_is_refused():
    msg = goal()
    msg.pose.position.x = float('nan')
    with pytest.raises(PoseError, match='finite'):
        wire.read_goal(serialize_message(msg))


@pytest.mark.parametrize('kind', [wire.CommandBytes, wire.CommandMessage])
@pytest.mark.parametrize('has_velocity', [False, True])
def test_command_is_read_by_the_middleware(kind, has_velocity):
    """The second message has nothing of the first."""
    command = kind(NAMES, has_velocity)
    for sign in (1.0, -1.0):
        command.position[:] = sign * np.arange(3)
        if has_velocity:
            command.velocity[:] = sign * np.arange(3, 6)
        sent = command.stamped(5_000_000_006)
        msg = deserialize_message(sent, JointState) if isinstance(sent, bytes) else sent
        assert (msg.header.stamp.sec, msg.header.stamp.nanosec) == (5, 6)
        assert tuple(msg.name) == NAMES
        assert list(msg.position) == [0, sign, 2 * sign]
        assert list(msg.velocity) == ([3 * sign, 4 * sign, 5 * sign] if has_velocity else [])
        assert len(msg.effort) == 0


def test_bytes_are_used_with_this_middleware():
    assert isinstance(wire.command_form(NAMES, False), wire.CommandBytes)


def test_a_middleware_with_its_own_numbers_gets_messages(monkeypatch):
    """Such as one that writes text."""
    with pytest.raises(ValueError, match='not found'):
        wire.CommandBytes(NAMES, False, lambda msg: repr(msg).encode())
    monkeypatch.setattr(wire.CommandBytes, '_view', lambda *_: b''.index(b'x'))
    assert isinstance(wire.command_form(NAMES, False), wire.CommandMessage)
