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
"""What a node knows of its robot: description and SRDF by parameter or topic, joint states."""

from __future__ import annotations

from collections.abc import Callable
import math
from time import perf_counter
from typing import Any

from dq_ik.errors import DqIkError
from dq_ik.ros.conversions import positions_by_name
from dq_ik.ros.running import NO_EVENTS_IN, WARN_PERIOD
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
# Best effort: as fast as a robot reports, and with every publisher.
STATES = QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT)


def listen_for_description(node: Node, given: str, use: Callable[[str], None]) -> None:
    """
    Call ``use`` with the URDF text, now if it is given, else as ``robot_description`` brings it.

    A description from the topic that ``use`` refuses is logged, and what was there before goes on.

    :param given: value of the parameter ``robot_description``, may be empty
    """
    if given:
        use(given)
    else:
        node.get_logger().info('waiting for robot_description')
        listen_for_text(node, 'robot_description', use)


def listen_for_text(node: Node, topic: str, use: Callable[[str], None]) -> None:
    """Call ``use`` with every text of a latched topic; what it refuses is logged."""
    def on_message(msg: String) -> None:
        try:
            use(msg.data)
        except DqIkError as error:
            node.get_logger().error(f'{topic} not used: {error}')

    node.create_subscription(String, topic, on_message, LATCHED, event_callbacks=NO_EVENTS_IN)


class CurrentState:
    """The newest position of each joint. Publishers may send parts of it, or of other robots."""

    def __init__(self, node: Node | None = None) -> None:
        """Know nothing yet, and listen to ``joint_states`` if there is a node."""
        self.positions: dict[str, float] = {}
        self._times: dict[str, float] = {}
        self._node = node
        if node is not None:
            node.create_subscription(
                JointState, 'joint_states', self.update, STATES, event_callbacks=NO_EVENTS_IN)

    def update(self, msg: Any) -> None:
        """Take a ``sensor_msgs/JointState``, unless lengths differ or a value is no position."""
        try:
            heard = positions_by_name(msg)
            self.positions.update(heard)
            self._times.update(dict.fromkeys(heard, perf_counter()))
        except DqIkError as error:
            if self._node is not None and msg.position:  # others may send velocities alone
                self._node.get_logger().warning(
                    f'joint_states not used: {error}', throttle_duration_sec=WARN_PERIOD)

    def knows(self, names: tuple[str, ...], since: float = -math.inf) -> bool:
        """Whether every one of these joints was heard of since a time of ``perf_counter``."""
        return all(self._times.get(name, -math.inf) > since for name in names)
