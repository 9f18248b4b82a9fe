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

"""
Move two hands of one robot at once: they draw two circles, each other's mirror image.

Start the robot with ``dq_ik demo --robot two_arms`` first.
"""

from contextlib import suppress
import math
import sys

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik import load_robot
from geometry_msgs.msg import PoseStamped
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

TIPS = ('left_tool', 'right_tool')
RADIUS, PERIOD = 0.08, 5.0  # m, s


class Circles(Node):
    """Publishes a goal for each hand 50 times per second, each on a topic of its own."""

    def __init__(self):
        super().__init__('two_arms')
        chain = load_robot('two_arms').chain(None, TIPS)
        bent = chain.configuration({'left_joint_4': -1.2, 'right_joint_4': -1.2})
        self.frame, self.centers = chain.base, chain.fk_all(bent)
        self.goals = {
            tip: self.create_publisher(PoseStamped, f'dq_ik/{tip}/goal_pose', 1) for tip in TIPS}
        self.heard, self.rounds, self.start = [], 0, self.get_clock().now()
        self.create_subscription(DiagnosticStatus, 'dq_ik/status', self.heard.append, 1)
        self.create_timer(0.02, self.send)
        self.create_timer(PERIOD, self.tell)

    def send(self):
        """Send the points of both circles that belong to this moment."""
        seconds = (self.get_clock().now() - self.start).nanoseconds * 1e-9
        angle = 2.0 * math.pi * seconds / PERIOD
        for tip, side in zip(TIPS, (1.0, -1.0)):
            center = self.centers[tip]
            goal = PoseStamped()
            goal.header.frame_id = self.frame
            position, orientation = goal.pose.position, goal.pose.orientation
            position.x = center.position[0] + RADIUS * math.sin(angle)
            position.y = center.position[1] + side * RADIUS * (1.0 - math.cos(angle))
            position.z = center.position[2]
            orientation.w, orientation.x, orientation.y, orientation.z = center.quaternion
            self.goals[tip].publish(goal)

    def tell(self):
        """Say what the solver answered last."""
        answer = self.heard[-1].message if self.heard else 'no answer: does the ik node run?'
        print(f'one circle of each hand in {PERIOD:g} s: {answer}', flush=True)
        self.heard.clear()
        self.rounds += 1


if __name__ == '__main__':
    rclpy.init()
    node, rounds = Circles(), int(sys.argv[1]) if len(sys.argv) > 1 else 2
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        while node.rounds < rounds:
            rclpy.spin_once(node)
