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
"""Serialised pose goals, against the middleware's own reading of them."""

import struct

from dq_ik.errors import DqIkError, GoalError, PoseError
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.pose_bytes import read_stamped_pose, stamped_pose
from geometry_msgs.msg import PoseStamped
from hypothesis import given
from hypothesis.strategies import binary, characters, floats, integers, lists, text
import pytest
from rclpy.serialization import deserialize_message, serialize_message


def goal(frame='base', pose=None):
    msg = PoseStamped()
    msg.header.frame_id = frame
    msg.header.stamp.sec, msg.header.stamp.nanosec = 12, 34
    fill_pose(msg.pose, pose or Pose.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, 0.5, -0.6)))
    return msg


GOAL = serialize_message(goal())


@given(text(characters(codec='utf-8', exclude_characters='\0'), max_size=20),
       lists(floats(-1.0, 1.0), min_size=6, max_size=6))
def test_a_goal_is_read_as_the_middleware_reads_it(frame, numbers):
    """Whatever the length of the frame's name: the numbers behind it are aligned."""
    msg = goal(frame, Pose.from_xyz_rpy(numbers[:3], numbers[3:]))
    data = serialize_message(msg)
    assert read_stamped_pose(data) == (frame, pose_from_msg(msg.pose))
    assert stamped_pose(data) == msg


def test_a_goal_in_the_other_byte_order_is_left_to_the_middleware():
    frame, numbers = b'base\0', (0.1, 0.2, 0.3, 0.0, 0.0, 0.6, 0.8)
    data = (bytes(4) + struct.pack('>iII', 12, 34, len(frame)) + frame + bytes(7)
            + struct.pack('>7d', *numbers))
    assert deserialize_message(data, PoseStamped).header.frame_id == 'base'
    name, pose = read_stamped_pose(data)
    assert name == 'base'
    assert pose.distance(Pose.from_xyz_wxyz((0.1, 0.2, 0.3), (0.8, 0.0, 0.0, 0.6))
                         ) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize('data', [
    pytest.param(b'', id='nothing'), pytest.param(b'\x00\x01', id='two bytes'),
    pytest.param(GOAL[:-1], id='one byte too few'), pytest.param(GOAL[:20], id='no numbers'),
    pytest.param(b'\x00\x01\x00\x00' + b'\xff' * 80, id='a frame without end'),
    pytest.param(b'\x00\x00\x00\x00' + b'\xff' * 80, id='the same, the other byte order')])
def test_a_damaged_goal_is_refused(data):
    with pytest.raises(GoalError, match='damaged'):
        read_stamped_pose(data)


@given(binary(max_size=120), integers(0, 120))
def test_bytes_of_any_kind_are_a_goal_or_refused(noise, place):
    for data in (noise, GOAL[:place] + noise, GOAL[:4] + noise + GOAL[4 + len(noise):]):
        try:
            frame, pose = read_stamped_pose(data)
        except DqIkError:
            continue
        assert isinstance(frame, str)
        assert isinstance(pose, Pose)


def test_an_impossible_pose_is_refused():
    msg = goal()
    msg.pose.position.x = float('nan')
    with pytest.raises(PoseError, match='finite'):
        read_stamped_pose(serialize_message(msg))
