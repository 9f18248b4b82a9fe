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
"""A small robot for the tests of the ROS layer: lift, arm, tool, and a gripper with a mimic."""

from __future__ import annotations

from dq_ik.ros.groups import build_robot, GroupNames, Robot
from dq_ik.ros.settings import NodeSettings

_LINKS = ('world', 'base_link', 'torso', 'arm_base', 'l1', 'l2', 'l3', 'l4', 'l5', 'flange',
          'tool', 'palm', 'finger_left', 'finger_right')
_FIXED = (
    ('world_joint', 'world', 'base_link', '0 0 0.1'),
    ('shoulder', 'torso', 'arm_base', '0 0 0.2'),
    ('tool_joint', 'flange', 'tool', '0 0 0.15'),
    ('palm_joint', 'flange', 'palm', '0 0 0.05'),
)
_MOVING = (
    ('lift', 'prismatic', 'base_link', 'torso', '0 0 0.3', '0 0 1', 0.0, 0.4),
    ('j1', 'revolute', 'arm_base', 'l1', '0 0 0.1', '0 0 1', -2.9, 2.9),
    ('j2', 'revolute', 'l1', 'l2', '0 0 0.1', '0 1 0', -1.8, 1.8),
    ('j3', 'revolute', 'l2', 'l3', '0 0 0.4', '0 1 0', -2.5, 2.5),
    ('j4', 'continuous', 'l3', 'l4', '0 0 0.2', '0 0 1', 0.0, 0.0),
    ('j5', 'revolute', 'l4', 'l5', '0 0 0.2', '0 1 0', -2.1, 2.1),
    ('j6', 'revolute', 'l5', 'flange', '0 0 0.1', '0 0 1', -6.2, 6.2),
    ('grip', 'prismatic', 'palm', 'finger_left', '0 0.01 0.05', '0 1 0', 0.0, 0.04),
)


def urdf_text() -> str:
    """Return the URDF of the robot."""
    links = ''.join(f'<link name="{name}"/>' for name in _LINKS)
    fixed = ''.join(
        f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/></joint>' for name, parent, child, xyz in _FIXED)
    moving = ''.join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        f'<limit lower="{lower}" upper="{upper}" velocity="2.0" effort="10"/></joint>'
        for name, kind, parent, child, xyz, axis, lower, upper in _MOVING)
    mimic = ('<joint name="grip_mimic" type="prismatic"><parent link="palm"/>'
             '<child link="finger_right"/><origin xyz="0 -0.01 0.05"/><axis xyz="0 -1 0"/>'
             '<limit lower="0" upper="0.04" velocity="2.0" effort="10"/>'
             '<mimic joint="grip" multiplier="1.0" offset="0.0"/></joint>')
    return f'<robot name="tester">{links}{fixed}{moving}{mimic}</robot>'


# All joints that move, in the order of a depth-first walk.
MOVABLE = ('lift', 'j1', 'j2', 'j3', 'j4', 'j5', 'j6', 'grip', 'grip_mimic')
ARM = ('j1', 'j2', 'j3', 'j4', 'j5', 'j6')
POSTURE = {'j1': 0.3, 'j2': 0.4, 'j3': 0.7, 'j4': -0.4, 'j5': 0.8, 'j6': 0.2}

SRDF = """
<robot name="tester">
  <virtual_joint name="virtual_joint" type="fixed" parent_frame="odom" child_link="world"/>
  <group name="arm"><chain base_link="arm_base" tip_link="flange"/></group>
  <group name="arm_by_joints">
    <joint name="virtual_joint"/><joint name="j1"/><joint name="j2"/><joint name="j3"/>
    <joint name="j4"/><joint name="j5"/><joint name="j6"/><joint name="tool_joint"/>
  </group>
  <group name="hand">
    <link name="palm"/><link name="finger_left"/><link name="finger_right"/>
  </group>
  <group name="all"><group name="arm"/><joint name="lift"/><joint name="shoulder"/></group>
  <group name="gap"><joint name="j1"/><joint name="j6"/></group>
</robot>
"""


def robot(**settings: object) -> Robot:
    """Return the robot with the arm as its group, and the arm on its lift as another one."""
    chosen = {'base_link': 'arm_base', 'tip_links': ('flange',), 'group': 'arm', **settings}
    return build_robot(urdf_text(), NodeSettings(**chosen),
                       {'arm_on_lift': GroupNames('', ('flange',)),
                        'arm_and_hand': GroupNames('arm_base', ('flange', 'finger_left'))})
