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

"""The simulated arm as a ROS node: joint commands in, joint states out."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
import sys
import time
from typing import Any

from dq_ik.options import setting
from dq_ik.robot.model import RobotModel
from dq_ik.ros.conversions import seconds
from dq_ik.ros.description import listen_for_description
from dq_ik.ros.groups import read_robot
from dq_ik.ros.parameters import declare
from dq_ik.ros.running import run, steady_timer
from dq_ik.ros.settings import DescriptionSettings
from dq_ik.sim import open_arm, SimulatedArm, SimulationError
from dq_ik.sim.arm import driven_joints, ENGINES, start_positions
import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

LONGEST_STEP = 0.1


@dataclass(frozen=True)
class SimSettings(DescriptionSettings):
    """Parameters of the node."""

    engine: str = setting(
        'auto', 'mujoco: physics; kinematic: a velocity-limited follower; auto: what is installed',
        choices=ENGINES, read_only=True)
    rate: float = setting(
        100.0, 'joint states per second [Hz]', minimum=1.0, maximum=1000.0, read_only=True)
    gravity_compensation: bool = setting(
        True, 'let the motors carry the weight of the arm', read_only=True)


class SimNode(Node):
    """
    Lets an arm follow ``joint_commands`` or ``joint_trajectory`` and publishes ``joint_states``.

    Parameters ``start.<joint>`` say where the joints are at the beginning.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('dq_ik_sim', **kwargs)
        self._settings = declare(self, SimSettings)
        self._arm: SimulatedArm | None = None
        self._last = time.monotonic()
        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self.create_subscription(JointState, 'joint_commands', self._on_command, 1)
        self.create_subscription(JointTrajectory, 'joint_trajectory', self._on_trajectory, 1)
        listen_for_description(self, self._settings.robot_description, self._use)
        steady_timer(self, 1.0 / self._settings.rate, self._step)

    def _use(self, urdf: str) -> None:
        model = read_robot(urdf)
        usual = start_positions(model)
        start = {joint.name: self._start(joint.name, usual[joint.name])
                 for joint in driven_joints(model)}
        self._arm = self._open(model, urdf, start)
        self._last = time.monotonic()
        self.get_logger().info(f"'{model.name}' with {len(start)} motors, {self._arm.kind}")

    def _open(self, model: RobotModel, urdf: str, start: dict[str, float]) -> SimulatedArm:
        """Return the arm; where the engine is ours to choose, one that can simulate it."""
        engine, carried = self._settings.engine, self._settings.gravity_compensation
        try:
            return open_arm(model, urdf, engine, start, carried)
        except SimulationError as error:
            if engine != 'auto':
                raise
            self.get_logger().warning(f'no physics: {str(error).splitlines()[0]}')
            return open_arm(model, urdf, 'kinematic', start, carried)

    def _start(self, joint: str, neutral: float) -> float:
        name = f'start.{joint}'
        if not self.has_parameter(name):
            self.declare_parameter(name, neutral)
        return self.get_parameter(name).value

    def _on_command(self, msg: JointState) -> None:
        if self._arm is not None:
            self._arm.aim(dict(zip(msg.name, msg.position)))

    def _on_trajectory(self, msg: JointTrajectory) -> None:
        if self._arm is None or not msg.points:
            return
        times = np.array([seconds(point.time_from_start) for point in msg.points])
        lengths = {len(point.positions) for point in msg.points}
        if lengths != {len(msg.joint_names)} or np.any(np.diff(times) <= 0.0):
            self.get_logger().warning(
                'trajectory not followed: each point needs one position per joint, and times must '
                'increase', throttle_duration_sec=5.0)
            return
        points = np.array([point.positions for point in msg.points])
        if np.all(np.isfinite(points)):
            self._arm.follow(msg.joint_names, times, points)

    def _step(self) -> None:
        """Let as much simulated time pass as real time did; after a pause, do not catch up."""
        now = time.monotonic()
        elapsed, self._last = now - self._last, now
        if self._arm is None:
            return
        self._arm.advance(min(elapsed, LONGEST_STEP))
        state = self._arm.state()
        msg = JointState(
            name=state.names, position=array('d', state.positions),
            velocity=array('d', state.velocities), effort=array('d', state.efforts))
        msg.header.stamp = self.get_clock().now().to_msg()
        self._states.publish(msg)


def main(args: list[str] | None = None) -> int:
    """Run the node until shutdown."""
    return run('dq_ik_sim', SimNode, args)


if __name__ == '__main__':
    sys.exit(main())
