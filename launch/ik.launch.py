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
The solver for a robot of yours: one node, configured by ``config/dq_ik.yaml``.

The robot comes from the topic ``robot_description``, or from the argument ``urdf``.
"""

from dq_ik.robot.bundled import share_folder
from dq_ik.robot.urdf import read_source
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ('urdf', '', 'URDF or xacro file; empty: the topic robot_description'),
    ('base', '', 'link that stands still; empty: the root'),
    ('tip', '', 'links that follow goals, separated by spaces; empty: the only leaf'),
    ('params_file', str(share_folder() / 'config' / 'dq_ik.yaml'), 'parameters of the node'),
    ('name', 'dq_ik', 'name of the node'),
    ('namespace', '', 'namespace of the node'),
    ('joint_commands', '~/joint_commands', 'topic of the joint commands'),
)


def start(context: LaunchContext) -> list:
    """Return the node for the arguments of this launch."""
    given = {name: LaunchConfiguration(name).perform(context) for name, *_ in ARGUMENTS}
    own = {}
    if given['urdf']:
        own['robot_description'] = ParameterValue(read_source(given['urdf']), value_type=str)
    if given['base']:
        own['base_link'] = ParameterValue(given['base'], value_type=str)
    if given['tip']:
        own['tip_links'] = given['tip'].split()
    return [Node(
        package='dq_ik', executable='ik_node', name=given['name'], namespace=given['namespace'],
        output='screen', parameters=[given['params_file'], *([own] if own else [])],
        remappings=[('~/joint_commands', given['joint_commands'])])]


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments, then start the node."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=start),
    ])
