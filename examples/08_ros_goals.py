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

"""Lead the tool of the arm around a square; say after each of two rounds how it went."""

from contextlib import suppress
import sys

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.node import Node

X, CENTER, SIDE, PERIOD = 0.45, 0.45j, 0.2, 8.0  # m, y + z j [m], m, s


class Square(Node):
    """Publishes a pose on the square 50 times per second."""

    def __init__(self):
        super().__init__('follow_square')
        self.goals = self.create_publisher(PoseStamped, 'dq_ik/goal_pose', 1)
        self.heard, self.rounds, self.start = [], 0, self.get_clock().now()
        self.create_subscription(DiagnosticStatus, 'dq_ik/status', self.heard.append, 1)
        self.create_timer(0.02, self.send)
        self.create_timer(PERIOD, self.tell)

    def send(self):
        """Send the point that belongs to this moment; the tool points down."""
        seconds = (self.get_clock().now() - self.start).nanoseconds * 1e-9
        edge, along = divmod(4.0 * seconds / PERIOD % 4.0, 1.0)
        place = CENTER + complex(SIDE * (along - 0.5), -0.5 * SIDE) * 1j ** edge
        goal = PoseStamped()
        goal.header.frame_id = 'panda_link0'
        position, orientation = goal.pose.position, goal.pose.orientation
        position.x, position.y, position.z = X, place.real, place.imag
        orientation.x, orientation.w = 1.0, 0.0
        self.goals.publish(goal)

    def tell(self):
        """Say what the solver answered last."""
        answer = self.heard[-1].message if self.heard else 'no answer: does the ik node run?'
        print(f'one round of the square in {PERIOD:g} s: {answer}', flush=True)
        self.heard.clear()
        self.rounds += 1


if __name__ == '__main__':
    rclpy.init()
    node, rounds = Square(), int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with suppress(KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        while node.rounds < rounds:
            rclpy.spin_once(node)
