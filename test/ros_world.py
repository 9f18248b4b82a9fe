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
"""The other side of the node under test: sends goals and requests, keeps what the node says."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dq_ik.ros.conversions import fill_pose
from geometry_msgs.msg import PoseStamped
import numpy as np
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros_bench import wait_until
import ros_robot
from sensor_msgs.msg import JointState

ROBOT = ros_robot.robot()
CHAIN = ROBOT.groups['arm']
Q = np.array([ros_robot.POSTURE[name] for name in ros_robot.ARM])
ARM = {'base_link': 'arm_base', 'tip_links': ['flange'], 'group': 'arm'}
START_UP = 400.0  # a checkout without a library builds it first


def close(q, pose):
    """Tell whether the arm at q meets a pose."""
    return CHAIN.fk(q).distance(pose) < (1.1e-5, 1.1e-5)


def stamped(pose, frame='arm_base'):
    """Return a pose as a message."""
    msg = PoseStamped()
    msg.header.frame_id = frame
    fill_pose(msg.pose, pose)
    return msg


class World:
    """The other side: publishes goals, keeps the newest of what the node says."""

    def __init__(self, client, node):
        self.client, self.process = client, node
        self.newest, self.count = {}, {}
        self.goal = client.node.create_publisher(PoseStamped, '/dq_ik/goal_pose', 1)
        self.joints = client.node.create_publisher(JointState, '/joint_states', 10)
        for kind, topic in ((JointState, '/dq_ik/joint_commands'),
                            (DiagnosticStatus, '/dq_ik/status'),
                            (DiagnosticArray, '/diagnostics')):
            client.node.create_subscription(
                kind, topic, lambda msg, topic=topic: self.take(topic, msg), 10)

    def take(self, topic, msg):
        self.newest[topic] = msg
        self.count[topic] = self.count.get(topic, 0) + 1

    def send(self, pose, frame='arm_base'):
        self.goal.publish(stamped(pose, frame))

    def follow(self, pose, frame='arm_base'):
        """Send a goal and return the next command as a joint vector."""
        before = self.count.get('/dq_ik/joint_commands', 0)
        self.send(pose, frame)
        wait_until(lambda: self.count.get('/dq_ik/joint_commands', 0) > before, what='a command')
        return self.command()

    def command(self):
        msg = self.newest['/dq_ik/joint_commands']
        return CHAIN.configuration(dict(zip(msg.name, msg.position)))

    def status(self, text, level=None):
        """Wait for a status that contains a text."""
        def seen():
            msg = self.newest.get('/dq_ik/status')
            return msg is not None and text in msg.message and level in (None, msg.level)
        try:
            wait_until(seen)
        except AssertionError as error:
            newest = self.newest.get('/dq_ik/status')
            raise AssertionError(f'no status with {text!r}; the newest is {newest}') from error

    def ask(self, pose, **fields):
        from moveit_msgs.srv import GetPositionIK
        request = GetPositionIK.Request()
        request.ik_request.group_name = 'arm'
        request.ik_request.pose_stamped = stamped(pose)
        for name, value in fields.items():
            setattr(request.ik_request, name, value)
        return self.client.call(GetPositionIK, '/dq_ik/compute_ik', request, 20.0)

    def change(self, **parameters):
        request = SetParameters.Request(parameters=[
            Parameter(name, value=value).to_parameter_msg() for name, value in parameters.items()])
        return self.client.call(SetParameters, '/dq_ik/set_parameters', request, 20.0).results
