#!/usr/bin/env python3
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
"""Move the tool on a circle by velocities; say after each of two rounds how it went."""

from contextlib import suppress
import math
import sys

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

SPEED, PERIOD = 0.1, 5.0  # m/s, s


class Circle(Node):
    """Publishes a velocity 50 times per second; its direction goes round."""

    def __init__(self):
        super().__init__('jog_circle')
        self.twists = self.create_publisher(TwistStamped, 'dq_ik/twist', 1)
        self.heard, self.rounds, self.start = [], 0, self.get_clock().now()
        self.create_subscription(DiagnosticStatus, 'dq_ik/status', self.heard.append, 1)
        self.create_timer(0.02, self.send)
        self.create_timer(PERIOD, self.tell)

    def send(self):
        """Send the velocity that belongs to this moment, along the axes of the base."""
        now = self.get_clock().now()
        angle = 2.0 * math.pi * (now - self.start).nanoseconds * 1e-9 / PERIOD
        msg = TwistStamped()
        msg.header.stamp, msg.header.frame_id = now.to_msg(), 'panda_link0'
        msg.twist.linear.y, msg.twist.linear.z = SPEED * math.cos(angle), SPEED * math.sin(angle)
        self.twists.publish(msg)

    def tell(self):
        """Say what the node answered last."""
        answer = self.heard[-1].message if self.heard else 'no answer: does the ik node run?'
        print(f'one round of the circle in {PERIOD:g} s: {answer}', flush=True)
        self.heard.clear()
        self.rounds += 1


if __name__ == '__main__':
    rclpy.init()
    node, rounds = Circle(), int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        while node.rounds < rounds:
            rclpy.spin_once(node)
