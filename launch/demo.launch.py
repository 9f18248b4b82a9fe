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
"""The demo on a ROS installation: the nodes of ``dq_ik.demo.nodes``, as ``dq_ik demo`` has."""

from dq_ik.demo.choices import (
    checked_balls,
    DEFAULT_ROBOT,
    find_robot,
    find_scene,
    rviz_layout,
    start_of,
    tips_of,
    usable_viewer,
)
from dq_ik.demo.nodes import demo_nodes, DemoSettings, IK_NODE, NodeRow, VIEWERS
from dq_ik.options import METHODS
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ('robot', DEFAULT_ROBOT, 'name of a robot of this package or of example-robot-data'),
    ('urdf', '', 'URDF or xacro file instead of a robot by name'),
    ('base', '', 'link that stands still; empty: the root'),
    ('tip', '', 'links that follow goals, separated by spaces; empty: the only leaf'),
    ('balls', '', 'joints that turn as balls, separated by spaces: hip=roll,pitch,yaw'),
    ('scene', '', 'objects around the robot: a YAML file, or table; empty: none'),
    ('solver', 'pgs', 'method of the solver'),
    ('viewer', 'rviz', 'rviz, web or none; web is used where RViz is not installed'),
    ('sim', 'true', 'true: a simulated arm follows the commands; false: show the commands'),
    ('path', 'false', 'true: move the goal along a path until somebody drags it'),
)


def start(context: LaunchContext) -> list:
    """Return the actions for the arguments of this launch."""
    given = {name: LaunchConfiguration(name).perform(context) for name, *_ in ARGUMENTS}
    urdf, description = find_robot(given['robot'], given['urdf'])
    scene = find_scene(given['scene'], description)
    viewer, note = usable_viewer(given['viewer'])
    tips = tips_of(given['robot'], tuple(given['tip'].split()), given['urdf'], given['base'])
    settings = DemoSettings(
        urdf=urdf, description=description, base=given['base'], tips=tips,
        balls=checked_balls(description, given['balls'].split()),
        solver=given['solver'], viewer=viewer, sim=is_true(given['sim']),
        path=is_true(given['path']), world=scene,
        start=start_of(urdf, description, tips, scene, given['base']),
        rviz_config=rviz_layout(description))
    notes = [LogInfo(msg=note)] if note else []
    return notes + [as_node(row) for row in demo_nodes(settings)]


def is_true(text: str) -> bool:
    """Read a boolean argument."""
    return text == 'true'


def as_node(row: NodeRow) -> Node:
    """Return the launch action of a row of the table."""
    parameters = {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in row.parameters.items()}
    return Node(
        package=row.package, executable=row.executable, name=row.name, output='screen',
        parameters=[parameters] if parameters else [],
        on_exit=Shutdown(reason='there is no solver') if row.name == IK_NODE else None,
        remappings=list(row.remappings), arguments=list(row.arguments))


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments, then start the nodes they ask for."""
    choices = {'solver': list(METHODS), 'viewer': list(VIEWERS), 'sim': ['true', 'false'],
               'path': ['true', 'false']}
    return LaunchDescription([
        *(DeclareLaunchArgument(
            name, default_value=default, description=text, choices=choices.get(name))
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=start),
    ])
