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
"""The parameters of the nodes that are no options of the solver."""

from __future__ import annotations

from dataclasses import dataclass

from dq_ik.errors import OptionError
from dq_ik.options import setting
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.robot.tool import tool_pose, with_tool
from dq_ik.stream.jog import JogSettings

COLLISION = ('off', 'self', 'world')


@dataclass(frozen=True)
class DescriptionSettings:
    """Parameters of every node that needs to know the robot."""

    robot_description: str = setting(
        '', "URDF text; empty: read from the latched topic 'robot_description'", read_only=True)


@dataclass(frozen=True)
class GoalSenderSettings(DescriptionSettings):
    """Parameters of every node that gives goals to an ik node."""

    base_link: str = setting(
        '', 'link that goals are relative to; empty: the root of the robot', read_only=True)
    tip_links: tuple[str, ...] = setting(
        (), 'links to give goals to; empty: the only end of the robot that moves', read_only=True)
    tool_offset: tuple[float, ...] = setting(
        (), 'that of the ik node', read_only=True)
    ik_node: str = setting(
        'dq_ik', 'node that follows the goals and has the parameters of the solver',
        read_only=True)

    @property
    def tool(self) -> Pose:
        """Return the tool in the tip."""
        return tool_pose(self.tool_offset)

    def chain(self, model: RobotModel) -> Chain:
        """Return the part of a robot that goals are given to."""
        base = self.base_link or None
        model, tips = with_tool(model, base, self.tip_links or None, self.tool_offset)
        return model.chain(base, tips)


@dataclass(frozen=True)
class SceneSettings:
    """Parameters of every node that shows bodies and objects."""

    urdf_folder: str = setting(
        '', 'folder that relative mesh files are looked for in', read_only=True)
    solid_visuals: bool = setting(
        False, 'for collisions, a link without <collision> is as solid as its <visual>',
        read_only=True)
    world_file: str = setting(
        '', 'objects that are known at the start: a YAML file, or the name of a world of this '
        'package, as table; empty: none', read_only=True)


@dataclass(frozen=True)
class RobotSettings(SceneSettings):
    """Which robot the ik node moves, and which groups of it."""

    robot_description: str = setting(
        '', "URDF text; empty: read from the latched topic 'robot_description'")
    robot_description_semantic: str = setting(
        '', "SRDF text; empty: the latched topic 'robot_description_semantic', if there is one; "
        'its groups are served in addition to the ones below')
    base_link: str = setting('', 'link that stands still; empty: the root of the robot')
    tip_links: tuple[str, ...] = setting(
        (), 'links that follow goals; empty: the only end of the robot that moves')
    tool_offset: tuple[float, ...] = setting(
        (), 'tool on the only tip, as the link <tip>_tool: x, y, z [m], or with roll, pitch, yaw '
        '[rad]; empty: none')
    group: str = setting(
        '', 'group that the goal topics drive; also names the group of base_link and tip_links')
    group_names: tuple[str, ...] = setting(
        (), 'further groups, each with parameters groups.<name>.base_link and .tip_links',
        read_only=True)
    balls: tuple[str, ...] = setting(
        (), 'three crossing joints each that turn as one ball: hip=roll,pitch,yaw with the limits '
        'of the URDF, or with a cone hip=roll,pitch,yaw:swing=1:twist=-0.5,0.5 [rad]')
    soft_limits: bool = setting(
        False, 'use the soft limits of the URDF <safety_controller>', read_only=True)


@dataclass(frozen=True)
class NodeSettings(JogSettings, RobotSettings):
    """What the ik node does with the solver."""

    look_at_axis: tuple[float, ...] = setting(
        (0.0, 0.0, 1.0), 'axis of the tip that points at the point of a look_at goal', length=3)
    collision: str = setting(
        'off', 'what streams keep away from: nothing (off), the robot itself (self), or also the '
        'objects of the topics collision_object and attached_collision_object (world)',
        choices=COLLISION)
    max_goal_age: float = setting(
        0.0, 'refuse goals whose stamp is older than this [s]; 0: take all; stamp 0 is never old',
        minimum=0.0, maximum=3600.0)
    wait_for_joint_states: bool = setting(
        False, 'follow no goal before the current joint_states are known')
    all_joints: bool = setting(
        False, 'joint_commands also lists joints outside the group, where joint_states has them')
    trajectory_topic: str = setting(
        '', 'also send trajectory_msgs/JointTrajectory there; empty: off', read_only=True)
    trajectory_time: float = setting(
        0.1, 'time [s] in which such a trajectory brakes when commands end', minimum=0.001,
        maximum=60.0, read_only=True)
    command_array_topic: str = setting(
        '', 'also send std_msgs/Float64MultiArray there; empty: off', read_only=True)
    controller_joints: tuple[str, ...] = setting(
        (), 'joints of the controller messages, in the order of the controller; empty: the group')
    status_rate: float = setting(
        10.0, 'greatest rate [Hz] of ~/status while nothing changes; changes are sent at once',
        minimum=0.1, maximum=1000.0)
    use_tf: bool = setting(
        True, 'follow goals in frames outside the robot by tf2, where tf2_ros is installed',
        read_only=True)
    accept_empty_group: bool = setting(
        True, 'compute_ik takes an empty group_name as the group of the goal topics')
    allow_approximate: bool = setting(
        False, 'compute_ik answers SUCCESS with the best reach when a goal cannot be met')
    report_timed_out: bool = setting(
        False, 'compute_ik answers TIMED_OUT instead of NO_IK_SOLUTION when the time ran out')

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        super().__post_init__()
        if not any(self.look_at_axis):
            raise OptionError('look_at_axis is zero; it must have a direction')
