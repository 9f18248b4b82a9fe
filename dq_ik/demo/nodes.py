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
The table of nodes of the demo, read by ``dq_ik demo`` and by ``launch/demo.launch.py``.

Nothing here imports ROS: a row says which executable runs under which name, with which
parameters and remappings, and the reader starts it in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dq_ik.robot.urdf import load_robot

VIEWERS = ('rviz', 'web', 'none')
IK_NODE = 'dq_ik'
PATH_NODE = 'dq_ik_path'
TF_RATE = 60.0

#: executables of this package and the modules that hold their ``main``
MODULES = {
    'ik_node': 'dq_ik.ros.follow.node',
    'viewer_node': 'dq_ik.ros.viewer_node',
    'sim_node': 'dq_ik.ros.sim_node',
    'goal_marker': 'dq_ik.ros.markers.node',
    'path_node': 'dq_ik.ros.path_node',
}


@dataclass(frozen=True)
class DemoSettings:
    """What the user may choose."""

    urdf: Path
    description: str  # text of the URDF
    base: str = ''
    tips: tuple[str, ...] = ()
    balls: tuple[str, ...] = ()
    solver: str = 'pgs'
    viewer: str = 'web'
    sim: bool = True
    path: bool = True
    duration: float = 0.0  # seconds of motion; 0: until interrupted
    port: int = 0  # of the web page; 0: its default
    rviz_config: Path | None = None
    world: Path | None = None  # file of objects around the robot
    start: Mapping[str, float] = field(default_factory=dict)  # of joints that do not start neutral
    tool: tuple[float, ...] = ()  # in the frame of the tip: x, y, z, or with roll, pitch, yaw


@dataclass(frozen=True)
class NodeRow:
    """One node of the demo."""

    package: str
    executable: str
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()


def demo_nodes(settings: DemoSettings) -> tuple[NodeRow, ...]:
    """Return the nodes that the demo consists of, the solver first."""
    rows = [_ik_node(settings)]
    if settings.sim:
        rows.append(_sim_node(settings))
    if settings.viewer == 'web':
        rows.append(_viewer_node(settings))
    if settings.viewer == 'rviz':
        rows.extend(_rviz_nodes(settings))
    if settings.path:
        rows.append(_path_node(settings))
    return tuple(rows)


def _commands(settings: DemoSettings) -> str:
    """Return the topic of the joint commands: without simulation they are the joint states."""
    return f'{IK_NODE}/joint_commands' if settings.sim else 'joint_states'


def _description(settings: DemoSettings) -> dict[str, Any]:
    return {'robot_description': settings.description}


def _chain(settings: DemoSettings) -> dict[str, Any]:
    """Return the parameters that say which links to move."""
    chain: dict[str, Any] = _description(settings)
    if settings.base:
        chain['base_link'] = settings.base
    if settings.tips:
        chain['tip_links'] = list(settings.tips)
    if settings.tool:
        chain['tool_offset'] = list(settings.tool)
    return chain


def _bodies(settings: DemoSettings) -> dict[str, Any]:
    """Return the parameters of the nodes that know bodies and objects."""
    bodies: dict[str, Any] = {'solid_visuals': True, 'urdf_folder': str(settings.urdf.parent)}
    if settings.world:
        bodies['world_file'] = str(settings.world)
    return bodies


def _ik_node(settings: DemoSettings) -> NodeRow:
    balls = {'balls': list(settings.balls)} if settings.balls else {}
    away = {'collision': 'world'} if settings.world else {}
    return NodeRow(
        'dq_ik', 'ik_node', IK_NODE,
        {**_chain(settings), **_bodies(settings), **balls, **away, 'method': settings.solver},
        (('~/joint_commands', _commands(settings)),))


def _sim_node(settings: DemoSettings) -> NodeRow:
    start = {f'start.{joint}': position for joint, position in settings.start.items()}
    return NodeRow(
        'dq_ik', 'sim_node', 'dq_ik_sim', {**_description(settings), **start},
        (('joint_commands', _commands(settings)),))


def _viewer_node(settings: DemoSettings) -> NodeRow:
    parameters = {**_chain(settings), **_bodies(settings), 'ik_node': IK_NODE}
    if settings.port:
        parameters['port'] = settings.port
    return NodeRow('dq_ik', 'viewer_node', 'dq_ik_viewer', parameters)


def _rviz_nodes(settings: DemoSettings) -> list[NodeRow]:
    frame = ('-f', load_robot(settings.description).root)
    layout = ('-d', str(settings.rviz_config)) if settings.rviz_config else ()
    return [
        NodeRow('robot_state_publisher', 'robot_state_publisher', 'robot_state_publisher',
                {**_description(settings), 'publish_frequency': TF_RATE}),
        NodeRow('dq_ik', 'goal_marker', 'dq_ik_goal_marker',
                {**_chain(settings), **_bodies(settings), 'ik_node': IK_NODE,
                 'collision_markers': settings.world is not None},
                ((f'{IK_NODE}/joint_commands', _commands(settings)),)),
        NodeRow('rviz2', 'rviz2', 'rviz2', arguments=layout + frame),
    ]


def _path_node(settings: DemoSettings) -> NodeRow:
    return NodeRow(
        'dq_ik', 'path_node', PATH_NODE,
        {**_chain(settings), 'ik_node': IK_NODE, 'duration': float(settings.duration)},
        ((f'{IK_NODE}/joint_commands', _commands(settings)),))
