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
Goals and joint commands as the bytes that go over the wire.

To make a Python object of a message costs more than to solve for it. Subscriptions and publishers
also deal in serialised messages, so those of the stream are read and written in place.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
import struct
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from dq_ik.errors import PoseError
from dq_ik.pose import Pose
from dq_ik.ros.conversions import pose_from_msg, pose_from_numbers

# How a message in plain little-endian CDR begins, and where its parts are.
PLAIN = b'\x00\x01'
LENGTH_OF_FRAME, FRAME = 12, 16
STAMP_PART = slice(4, 12)
LENGTH = struct.Struct('<I')
POSE = struct.Struct('<7d')
STAMP = struct.Struct('<iI')
# Numbers that are looked for in a serialised message, to learn where its numbers are.
MARK = (1_234_567, 987_654_321)


def read_goal(data: bytes) -> tuple[str, Pose]:
    """
    Return frame and pose of a serialised ``geometry_msgs/PoseStamped``.

    :raises PoseError: if the message is damaged or the pose impossible.
    """
    try:
        if data[:2] != PLAIN:
            msg = deserialize_message(data, PoseStamped)
            return msg.header.frame_id, pose_from_msg(msg.pose)
        length, = LENGTH.unpack_from(data, LENGTH_OF_FRAME)
        end = FRAME + length  # behind the zero that ends the name
        frame = data[FRAME:end - 1].decode()
        # Numbers of eight bytes are aligned to eight, counted from behind the first four.
        numbers = POSE.unpack_from(data, 4 + (end + 3 & ~7))
    except (struct.error, UnicodeDecodeError, RuntimeError) as error:
        raise PoseError(f'the goal message is damaged: {error}') from None
    return frame, pose_from_numbers(*numbers)


def command_form(names: Sequence[str], has_velocity: bool) -> CommandBytes | CommandMessage:
    """Return a ``sensor_msgs/JointState`` to be filled and sent again and again."""
    try:
        return CommandBytes(names, has_velocity)
    except ValueError:
        return CommandMessage(names, has_velocity)


class CommandBytes:
    """
    A serialised JointState of which only stamp and numbers change.

    Write to the arrays ``position`` and ``velocity``, then send what :meth:`stamped` returns.
    """

    def __init__(self, names: Sequence[str], has_velocity: bool,
                 serialize: Callable[[Any], bytes] = serialize_message) -> None:
        """
        Let the middleware serialise a message, and find the places of its numbers.

        :raises ValueError: if the middleware does not write numbers as this machine holds them.
        """
        marks = array('d', range(MARK[0], MARK[0] + 2 * len(names)))
        position, velocity = marks[:len(names)], marks[len(names):]
        data = serialize(JointState(
            header=Header(stamp=Time(sec=MARK[0], nanosec=MARK[1])), name=list(names),
            position=position, velocity=velocity if has_velocity else array('d')))
        self._buffer = bytearray(data)
        self._stamp = data.index(STAMP.pack(*MARK))
        self.position = self._view(data, position)
        self.velocity = self._view(data, velocity) if has_velocity else None

    def stamped(self, nanoseconds: int) -> bytes:
        """Return the message as it is now, with a stamp."""
        STAMP.pack_into(self._buffer, self._stamp, *divmod(nanoseconds, 1_000_000_000))
        return bytes(self._buffer)

    def _view(self, data: bytes, numbers: array) -> np.ndarray:
        """Return the place of some numbers, to be written to."""
        return np.frombuffer(
            self._buffer, dtype=float, count=len(numbers), offset=data.index(numbers.tobytes()))


class CommandMessage:
    """The same as a message object, for a middleware that writes numbers in its own way."""

    def __init__(self, names: Sequence[str], has_velocity: bool) -> None:
        zeros = array('d', bytes(8 * len(names)))
        self._msg = JointState(name=list(names), position=zeros[:],
                               velocity=zeros[:] if has_velocity else array('d'))
        self.position = np.frombuffer(self._msg.position)
        self.velocity = np.frombuffer(self._msg.velocity) if has_velocity else None

    def stamped(self, nanoseconds: int) -> JointState:
        """Return the message as it is now, with a stamp."""
        seconds, rest = divmod(nanoseconds, 1_000_000_000)
        self._msg.header.stamp = Time(sec=seconds, nanosec=rest)
        return self._msg
