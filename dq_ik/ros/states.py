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
"""Joint positions of the whole robot: the last joint_states, and what a request says on top."""

from __future__ import annotations

import math
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState

# Best effort: as fast as a robot reports, and with every publisher.
STATES = QoSProfile(depth=10, reliability=QoSReliabilityPolicy.BEST_EFFORT)


class CurrentState:
    """The newest position of each joint. Publishers may send parts of it, or of other robots."""

    def __init__(self, node: Node | None = None) -> None:
        """Know nothing yet, and listen to ``joint_states`` if there is a node."""
        self.positions: dict[str, float] = {}
        if node is not None:
            node.create_subscription(JointState, 'joint_states', self.update, STATES)

    def update(self, msg: Any) -> None:
        """Take a ``sensor_msgs/JointState``, unless lengths differ or a value is not finite."""
        if len(msg.name) == len(msg.position) and math.isfinite(sum(msg.position)):
            self.positions.update(zip(msg.name, msg.position))

    def knows(self, names: tuple[str, ...]) -> bool:
        """Whether every one of these joints was heard of."""
        return all(name in self.positions for name in names)
