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
"""Joint vectors as messages: JointState, and JointTrajectory and Float64MultiArray on demand."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from builtin_interfaces.msg import Duration
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.ros.running import NO_EVENTS_OUT
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.commands import JointMap, single_axis_positions
from dq_ik.stream.segments import Segments
import numpy as np
from rclpy.node import Node
from rclpy.time import Time
from sensor_msgs.msg import JointState

# Sends a joint vector to a controller.
Controller = Callable[[np.ndarray, JointMap, Time], None]


@dataclass(frozen=True)
class CommandMaps:
    """How positions of a group become a JointState and a controller's message."""

    state: JointMap
    controller: JointMap


def command_maps(chain: Chain, model: RobotModel, settings: NodeSettings,
                 current: Mapping[str, float]) -> CommandMaps:
    """
    Find the joints of all outputs; raises ChainError if ``controller_joints`` do not fit.

    :param model: the robot as the URDF has it.
    :param current: joint positions, for ``all_joints``.
    """
    others = single_axis_positions(model, current) if settings.all_joints else None
    return CommandMaps(JointMap(chain, others=others),
                       JointMap(chain, settings.controller_joints or chain.angles.names))


class Outputs:
    """The publishers of commands. Messages are made once and filled again for each command."""

    def __init__(self, node: Node, settings: NodeSettings) -> None:
        """Create the publishers; :meth:`configure` must follow."""
        self.silent = False  # while another node of this name commands
        self._publisher = node.create_publisher(
            JointState, '~/joint_commands', 10, event_callbacks=NO_EVENTS_OUT)
        self._controllers: list[Controller] = []
        if settings.trajectory_topic:
            self._controllers.append(_trajectory(node, settings))
        if settings.command_array_topic:
            self._controllers.append(_command_array(node, settings))

    def configure(self, maps: CommandMaps) -> None:
        """Take the joints of another group or robot."""
        self._maps = maps
        self._command = JointState(name=maps.state.names)

    def publish(self, q: np.ndarray, time: Time, qdot: np.ndarray | None = None) -> None:
        """
        Send a command.

        :param q: positions of the group's joints, as the URDF has them.
        :param time: when its step was taken, so that stamps lie as far apart as steps.
        :param qdot: their velocities where they are known.
        """
        if self.silent:
            return
        command, joints = self._command, self._maps.state
        stamp = command.header.stamp
        stamp.sec, stamp.nanosec = time.seconds_nanoseconds()
        command.position = _doubles(joints(q))
        if qdot is not None:
            command.velocity = _doubles(joints.velocity(qdot))
        elif command.velocity:
            command.velocity = array('d')
        self._publisher.publish(command)
        for send in self._controllers:
            send(q, self._maps.controller, time)


def _trajectory(node: Node, settings: NodeSettings) -> Controller:
    """Send the way from the last command to this one, and on to a stop (:class:`Segments`)."""
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
    segments = Segments(settings.trajectory_time)
    publisher = node.create_publisher(JointTrajectory, settings.trajectory_topic, 10)

    def send(q: np.ndarray, joints: JointMap, now: Time) -> None:
        points = [JointTrajectoryPoint(
            time_from_start=Duration(sec=int(later), nanosec=int(1e9 * (later % 1.0))),
            positions=_doubles(joints(position)), velocities=_doubles(joints.velocity(velocity)))
            for later, position, velocity in segments.points_to(
                q, 1e-9 * now.nanoseconds, joints.chain)]
        msg = JointTrajectory(joint_names=joints.names, points=points)
        msg.header.stamp = now.to_msg()
        publisher.publish(msg)
    return send


def _command_array(node: Node, settings: NodeSettings) -> Controller:
    """Send the positions alone, as a forward command controller takes them."""
    from std_msgs.msg import Float64MultiArray
    msg = Float64MultiArray()
    publisher = node.create_publisher(Float64MultiArray, settings.command_array_topic, 10)

    def send(q: np.ndarray, joints: JointMap, _now: Time) -> None:
        msg.data = _doubles(joints(q))
        publisher.publish(msg)
    return send


def _doubles(values: np.ndarray) -> array:
    """Return numbers as messages hold them."""
    return array('d', values.tobytes())
