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
"""Sensible messages and requests for the test robot; others are made from them."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import Any

from dq_ik.options import IkOptions, NAMES
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.settings import NodeSettings
from geometry_msgs.msg import PoseStamped
from moveit_msgs.srv import GetPositionFK, GetPositionIK
import numpy as np
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
import ros_robot
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from .messages import NUMBERS, Oddity, TEXTS
from .robots import mutated, random_description

ARM = {'base_link': 'arm_base', 'tip_links': ['flange'], 'group': 'arm'}
ROBOT = {'robot_description': ros_robot.urdf_text(),
         'robot_description_semantic': ros_robot.SRDF, **ARM}


class Questions:
    """Draws messages and requests, most of which have an answer."""

    def __init__(self, r: Random) -> None:
        self.r, self.robot = r, ros_robot.robot()
        self.chain = self.robot.groups['arm']
        names = [joint.name for joint in self.robot.model.joints]
        self.odd = Oddity(r, (*self.robot.model.links, *names, *self.robot.groups))

    def goal(self) -> PoseStamped:
        """Return a goal within reach."""
        q = self.chain.spread(np.array([self.r.random() for _ in range(self.chain.n)]))
        msg = PoseStamped()
        msg.header.frame_id = 'arm_base'
        fill_pose(msg.pose, self.chain.fk(q))
        return msg

    def joint_state(self) -> JointState:
        """Return joint states of all joints that move."""
        return JointState(name=list(ros_robot.MOVABLE),
                          position=[self.r.uniform(-1.0, 1.0) for _ in ros_robot.MOVABLE])

    def srdf(self) -> String:
        """Return groups of the robot, or others."""
        return String(data=self.r.choice((ros_robot.SRDF, mutated(self.r, ros_robot.SRDF).text)))

    def ik(self) -> GetPositionIK.Request:
        """Return a request that has an answer."""
        request = GetPositionIK.Request()
        request.ik_request.group_name = 'arm'
        request.ik_request.pose_stamped = self.goal()
        if self.r.random() < 0.5:
            request.ik_request.robot_state.joint_state = self.joint_state()
        request.ik_request.timeout.nanosec = self.r.choice((0, 1, 10_000_000))
        request.ik_request.ik_link_name = self.r.choice(('', 'flange'))
        return request

    def fk(self) -> GetPositionFK.Request:
        """Return a request that has an answer."""
        request = GetPositionFK.Request(fk_link_names=['flange', self.r.choice(self.odd.names)])
        request.robot_state.joint_state = self.joint_state()
        return request

    def parameters(self) -> SetParameters.Request:
        """Return a change of one parameter: a value of its type, or anything."""
        name = self.r.choice((*NAMES, *NodeSettings.__dataclass_fields__))
        default = getattr(IkOptions(), name, getattr(NodeSettings(), name, None))
        value: Any = self.r.choice((*NUMBERS, *TEXTS, 1, 0, -1, True, list(NUMBERS[:3]), ['a']))
        if isinstance(default, float) and self.r.random() < 0.7:
            value = self.r.choice((*NUMBERS, 1e-12, 0.01, 0.5, 10.0))
        if name.startswith('robot_description'):
            value = self.r.choice((random_description(self.r).text, ros_robot.SRDF, *TEXTS))
        elif self.r.random() < 0.5:
            value = list(default) if isinstance(default, tuple) else default
            value = getattr(NodeSettings(**{k: tuple(v) if isinstance(v, list) else v
                                            for k, v in ARM.items()}), name, value)
            value = list(value) if isinstance(value, tuple) else value
        if value == []:
            value = ['']
        return SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])

    def defaults(self) -> SetParametersAtomically.Request:
        """Return the parameters of the test robot, and every other one as it is by default."""
        parameters = [Parameter('use_sim_time', value=False)]
        for settings in (NodeSettings(), IkOptions()):
            for field in fields(settings):
                value = ROBOT.get(field.name, field.default)
                if not field.metadata.get('read_only'):
                    parameters.append(_parameter(field, value))
        return SetParametersAtomically.Request(
            parameters=[parameter.to_parameter_msg() for parameter in parameters])


def _parameter(field: Any, value: Any) -> Parameter:
    """Return a parameter; an empty list says what it is a list of."""
    if isinstance(value, (tuple, list)):
        text = 'str' in str(field.type)
        kind = Parameter.Type.STRING_ARRAY if text else Parameter.Type.DOUBLE_ARRAY
        return Parameter(field.name, kind, list(value))
    return Parameter(field.name, value=value)
