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

"""Ask the ik node once for the joint positions that belong to a pose, as MoveIt's clients do."""

import sys

from moveit_msgs.msg import MoveItErrorCodes
from moveit_msgs.srv import GetPositionIK
import rclpy


def main() -> int:
    """Print the solution, or why there is none."""
    rclpy.init()
    node = rclpy.create_node('one_shot_query')
    client = node.create_client(GetPositionIK, 'dq_ik/compute_ik')
    if not client.wait_for_service(timeout_sec=10.0):
        print('the ik node is not running')
        return 1

    request = GetPositionIK.Request()
    goal = request.ik_request.pose_stamped
    goal.header.frame_id = 'panda_link0'
    goal.pose.position.x, goal.pose.position.z = 0.5, 0.4
    goal.pose.orientation.x, goal.pose.orientation.w = 1.0, 0.0  # the tool points down

    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=5.0)
    answer = future.result()
    if answer is None or answer.error_code.val != MoveItErrorCodes.SUCCESS:
        print(f'no solution: {answer.error_code.message if answer else "no answer"}')
        return 2
    for name, position in zip(answer.solution.joint_state.name,
                              answer.solution.joint_state.position):
        print(f'{name:<20} {position:9.5f}')
    rclpy.shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
