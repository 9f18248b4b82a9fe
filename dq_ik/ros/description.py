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

"""The robot description: a parameter, or else the latched topic; likewise its SRDF."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from std_msgs.msg import String

from dq_ik.errors import DqIkError

LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


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

    node.create_subscription(String, topic, on_message, LATCHED)
