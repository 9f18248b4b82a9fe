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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from builtin_interfaces.msg import Duration
import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from dq_ik.errors import ChainError, listing
from dq_ik.robot.chain import Chain
from dq_ik.ros.conversions import single_axis_positions
from dq_ik.ros.settings import NodeSettings


class JointMap:
    """From a joint vector to positions by URDF joint name: ``scale * q[index] + offset``."""

    def __init__(self, chain: Chain, names: Sequence[str],
                 others: Mapping[str, float] | None = None) -> None:
        """
        Find where each named position comes from.

        :param names: joints or variables of the chain, mimics of them, or keys of ``others``.
        :param others: constant positions of joints outside the chain.
        """
        self.names = list(names)
        self.index = np.zeros(len(names), dtype=np.intp)
        self.scale = np.zeros(len(names))
        self.offset = np.zeros(len(names))
        variable = {name: i for i, name in enumerate(chain.joint_names)}
        mimics = {joint.name: joint.mimic for joint in chain.model.joints if joint.mimic}
        for i, name in enumerate(names):
            if name in variable:
                self.index[i], self.scale[i] = variable[name], 1.0
            elif name in mimics and mimics[name].joint in variable:
                mimic = mimics[name]
                self.index[i], self.scale[i], self.offset[i] = (
                    variable[mimic.joint], mimic.multiplier, mimic.offset)
            elif others and name in others:
                self.offset[i] = others[name]
            else:
                raise ChainError(f"joint '{name}' does not move with this group; "
                                 f'its joints are {listing(chain.joint_positions(chain.neutral))}')
        self._is_identity = self.names == list(chain.joint_names)

    def __call__(self, q: np.ndarray) -> np.ndarray:
        """Return the positions at q."""
        return q if self._is_identity else self.scale * q[self.index] + self.offset

    def velocity(self, qdot: np.ndarray) -> np.ndarray:
        """Return the velocities at qdot."""
        return self.scale * qdot[self.index]


def command_names(chain: Chain, others: Mapping[str, float] | None = None) -> list[str]:
    """Return the joints of a command: the chain's variables and mimics, then ``others``."""
    own = list(chain.joint_positions(chain.neutral))
    return own + [name for name in others or () if name not in own]


def other_positions(chain: Chain, state: Mapping[str, float]) -> dict[str, float]:
    """Return where ``state`` has all joints of the robot that one number describes."""
    whole = chain.model.whole
    return single_axis_positions(whole.joint_positions(whole.configuration(state)), chain.model)


# Sends a joint vector to a controller.
Controller = Callable[[np.ndarray, JointMap], None]


@dataclass(frozen=True)
class CommandMaps:
    """How a joint vector of a group becomes a JointState and a controller's message."""

    state: JointMap
    controller: JointMap


def command_maps(chain: Chain, settings: NodeSettings,
                 current: Mapping[str, float]) -> CommandMaps:
    """
    Find the joints of all outputs; raises ChainError if ``controller_joints`` do not fit.

    :param current: joint positions, for ``all_joints``.
    """
    others = other_positions(chain, current) if settings.all_joints else None
    return CommandMaps(JointMap(chain, command_names(chain, others), others),
                       JointMap(chain, settings.controller_joints or chain.joint_names))


class Outputs:
    """The publishers of commands. Messages are made once and filled again for each command."""

    def __init__(self, node: Node, settings: NodeSettings) -> None:
        """Create the publishers; :meth:`configure` must follow."""
        self._clock = node.get_clock()
        self._publisher = node.create_publisher(JointState, '~/joint_commands', 10)
        self._controllers: list[Controller] = []
        if settings.trajectory_topic:
            self._controllers.append(_trajectory(node, settings))
        if settings.command_array_topic:
            self._controllers.append(_command_array(node, settings))

    def configure(self, maps: CommandMaps) -> None:
        """Take the joints of another group or robot."""
        self._maps = maps
        self._command = JointState(name=maps.state.names)

    def publish(self, q: np.ndarray, qdot: np.ndarray | None = None) -> None:
        """
        Send a command.

        :param qdot: velocity of the command where it is known.
        """
        command, joints = self._command, self._maps.state
        command.header.stamp = self._clock.now().to_msg()
        command.position = _doubles(joints(q))
        command.velocity = array('d') if qdot is None else _doubles(joints.velocity(qdot))
        self._publisher.publish(command)
        for send in self._controllers:
            send(q, self._maps.controller)


def _trajectory(node: Node, settings: NodeSettings) -> Controller:
    """
    Send one point, ``trajectory_time`` ahead, with the stamp 0 that means "start now".

    It has positions only: the controller refuses a last point that moves, and one at rest would
    stop at every command.
    """
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
    whole, fraction = divmod(settings.trajectory_time, 1.0)
    ahead = Duration(sec=int(whole), nanosec=int(1e9 * fraction))
    point = JointTrajectoryPoint(time_from_start=ahead)
    msg = JointTrajectory(points=[point])
    publisher = node.create_publisher(JointTrajectory, settings.trajectory_topic, 10)

    def send(q: np.ndarray, joints: JointMap) -> None:
        msg.joint_names = joints.names
        point.positions = _doubles(joints(q))
        publisher.publish(msg)
    return send


def _command_array(node: Node, settings: NodeSettings) -> Controller:
    """Send the positions alone, as a forward command controller takes them."""
    from std_msgs.msg import Float64MultiArray
    msg = Float64MultiArray()
    publisher = node.create_publisher(Float64MultiArray, settings.command_array_topic, 10)

    def send(q: np.ndarray, joints: JointMap) -> None:
        msg.data = _doubles(joints(q))
        publisher.publish(msg)
    return send


def _doubles(values: np.ndarray) -> array:
    """Return numbers as messages hold them."""
    return array('d', values.tobytes())
