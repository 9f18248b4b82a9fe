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

"""Send goals at a steady rate, and count the joint commands that answer them."""

from __future__ import annotations

import argparse
import math
import sys
import time

from dq_ik.pose import Pose
from dq_ik.ros.client import Client
from dq_ik.ros.conversions import fill_pose
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

PERIOD = 4.0  # of the circle that the goals move on [s]


def circle(base: str, rate: float) -> list[bytes]:
    """Return the goals of one round, ready to be sent."""
    goals = []
    for index in range(round(PERIOD * rate)):
        angle = 2.0 * math.pi * index / (PERIOD * rate)
        place = (0.45, 0.1 * math.sin(angle), 0.5 + 0.1 * math.cos(angle))
        msg = PoseStamped()
        msg.header.frame_id = base
        fill_pose(msg.pose, Pose.from_xyz_rpy(place, (math.pi, 0.0, 0.0)))
        goals.append(serialize_message(msg))
    return goals


def stream(node: Node, base: str, rate: float, duration: float) -> tuple[float, float]:
    """Return goals sent and commands received per second."""
    publisher = node.create_publisher(PoseStamped, 'dq_ik/goal_pose', 1)
    answers: list[bytes] = []
    node.create_subscription(
        JointState, 'dq_ik/joint_commands', answers.append, 10, raw=True)
    goals = circle(base, rate)
    while not (publisher.get_subscription_count()
               and node.count_publishers('dq_ik/joint_commands')):
        time.sleep(0.05)
    time.sleep(1.0)
    count = round(rate * duration)
    began = time.perf_counter()
    for index in range(count):
        # Each goal has its moment: what was late makes the next ones no later.
        time.sleep(max(0.0, began + index / rate - time.perf_counter()))
        publisher.publish(goals[index % len(goals)])
    elapsed = time.perf_counter() - began + 1.0 / rate
    time.sleep(0.2)
    return count / elapsed, len(answers) / elapsed


def main() -> int:
    """Stream as the arguments say, and print both rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', default='panda_link0', help='frame of the goals')
    parser.add_argument('--rate', type=float, default=500.0, help='goals per second')
    parser.add_argument('--duration', type=float, default=10.0, help='seconds')
    given = parser.parse_args()
    with Client('goal_stream') as client:
        print(*stream(client.node, given.base, given.rate, given.duration))
    return 0


if __name__ == '__main__':
    sys.exit(main())
