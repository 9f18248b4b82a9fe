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
"""The yardstick of the node benchmark: a node that answers goals and requests without any work."""
from __future__ import annotations

from array import array
import json
import sys

from dq_ik.ros.running import run
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState


class EchoNode(Node):
    """Answers each goal with the same JointState, and each request with the same solution."""

    def __init__(self, names: list[str]) -> None:
        """
        Make the answers.

        :param names: joints that the answers list.
        """
        super().__init__('echo')
        self._command = JointState(name=names, position=array('d', [0.1] * len(names)))
        self._publisher = self.create_publisher(JointState, '~/joint_commands', 10)
        self.create_subscription(PoseStamped, '~/goal_pose', self.on_goal, 1)
        try:
            from moveit_msgs.srv import GetPositionIK
        except ImportError:
            return
        self.create_service(GetPositionIK, '~/compute_ik', self.on_request)

    def on_goal(self, _: PoseStamped) -> None:
        """Answer with a new stamp and nothing else."""
        self._command.header.stamp = self.get_clock().now().to_msg()
        self._publisher.publish(self._command)

    def on_request(self, _: object, response: object) -> object:
        """Answer with as many joints as a solution has."""
        response.solution.joint_state = self._command
        response.error_code.val = 1
        response.error_code.message = 'the goal is reached [panda_hand_tcp: 0.001 mm, 1e-06 rad]'
        return response


if __name__ == '__main__':
    sys.exit(run('echo', lambda: EchoNode(json.loads(sys.argv[1])), []))
