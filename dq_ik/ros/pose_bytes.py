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
"""
Pose goals as they come over the wire.

rclpy makes seven objects of a ``geometry_msgs/PoseStamped``, which takes it longer than the solve
takes us. So the topics of pose goals hand over bytes, and what is needed is read in place.
"""

from __future__ import annotations

import struct

from dq_ik.errors import GoalError
from dq_ik.pose import Pose
from dq_ik.ros.conversions import pose_from_msg, pose_from_numbers
from geometry_msgs.msg import PoseStamped
from rclpy.serialization import deserialize_message

PLAIN = b'\x00\x01'  # how a message in little-endian CDR begins
LENGTH_OF_FRAME, FRAME = 12, 16  # where its parts are
LENGTH, POSE = struct.Struct('<I'), struct.Struct('<7d')


def read_stamped_pose(data: bytes) -> tuple[str, Pose]:
    """
    Return frame and pose of a serialised ``geometry_msgs/PoseStamped``.

    :raises GoalError: if the message is damaged.
    :raises PoseError: if the pose is none.
    """
    if data[:2] == PLAIN:
        try:
            length, = LENGTH.unpack_from(data, LENGTH_OF_FRAME)
            end = FRAME + length  # behind the zero that ends the name
            frame = data[FRAME:end - 1].decode()
            # Numbers of eight bytes are aligned to eight, counted from behind the first four.
            numbers = POSE.unpack_from(data, 4 + (end + 3 & ~7))
        except (struct.error, UnicodeDecodeError):
            pass  # the middleware says what is wrong
        else:
            return frame, pose_from_numbers(numbers[:3], numbers[3:])
    msg = stamped_pose(data)
    return msg.header.frame_id, pose_from_msg(msg.pose)


def stamped_pose(data: bytes) -> PoseStamped:
    """Return the message that was serialised; raises GoalError if it is damaged."""
    try:
        return deserialize_message(data, PoseStamped)
    except (RuntimeError, UnicodeDecodeError) as error:
        raise GoalError(f'the goal message is damaged: {error}') from None
