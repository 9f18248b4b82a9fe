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

"""The web page as a ROS node: goals out, joint states and status in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import os
from pathlib import Path
import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.goal import Goal
from dq_ik.options import METHODS, MODES, setting
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.shapes import parse_visuals
from dq_ik.ros.description import CurrentState, LATCHED, listen_for_description
from dq_ik.ros.goals import goal_kinds
from dq_ik.ros.groups import read_robot
from dq_ik.ros.jog_client import JointTopic, TwistTopics
from dq_ik.ros.parameters import declare
from dq_ik.ros.remote import GoalTopics, motion_from_status, RemoteOptions, report_from_status
from dq_ik.ros.running import run, steady_timer
from dq_ik.ros.services.shared_world import SharedWorld
from dq_ik.ros.settings import GoalSenderSettings, SceneSettings
from dq_ik.stream.report import MotionReport, Report
from dq_ik.viewer.address import DEFAULT_PORT, LOOPBACK
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.page import Page
from dq_ik.viewer.panel_html import flaw_sentences
from dq_ik.viewer.server import open_server
from rclpy.node import Node

LOOK_PERIOD = 1.0  # between two looks for the solver [s]
SILENCE = 4.0  # a solver without diagnostics for so long, which it sends each second, is gone [s]
POLITENESS = 10  # niceness of the process


@dataclass(frozen=True)
class ViewerSettings(SceneSettings, GoalSenderSettings):
    """Parameters of the node."""

    host: str = setting(
        LOOPBACK, 'network interface of the page; other than loopback, anybody there can drag',
        read_only=True)
    port: int = setting(
        DEFAULT_PORT, 'port of the page; the next free one is taken if it is busy',
        minimum=0, maximum=65535, read_only=True)
    rate: float = setting(
        30.0, 'how often the scene is drawn [Hz]', minimum=1.0, maximum=60.0, read_only=True)


class ViewerNode(Node):
    """
    Shows the robot of ``robot_description`` at ``joint_states``; sends the goals that are dragged.

    Everything goes over topics and parameter services, so the nodes behind may be anybody's.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('dq_ik_viewer', **kwargs)
        self._settings = declare(self, ViewerSettings)
        self._page: Page | None = None
        self._chain: Chain | None = None
        self._urdf = ''
        self._state = CurrentState(self)
        self._goals: GoalTopics | None = None
        self._twists: TwistTopics | None = None
        self._joints = self._open_joints()
        self._objects = SharedWorld(self, self._settings, self._state)
        self._options = RemoteOptions(
            self, self._settings.ik_node, self._on_option, self._use_tool)
        self._server = open_server(self._settings.host, self._settings.port)
        try:
            listen_for_description(self, self._settings.robot_description, self._use)
        except BaseException:  # also an interrupt
            self._server.stop()
            raise
        self._say_where()
        self._status_topic = self.resolve_topic_name(f'{self._settings.ik_node}/status')
        self.create_subscription(DiagnosticStatus, self._status_topic, self._on_status, LATCHED)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._is_solver_there: bool | None = None
        self._heard_at: float | None = None  # the last of the solver's diagnostics
        steady_timer(self, 1.0 / self._settings.rate, self._tick)
        steady_timer(self, LOOK_PERIOD, self._look_for_solver)

    @property
    def page(self) -> Page | None:
        """Return the page, once there is a robot to show."""
        return self._page

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return self._server.url

    def destroy_node(self) -> None:
        """Close the page, then the node."""
        self._server.stop()
        self._objects.close()
        super().destroy_node()

    def _say_where(self) -> None:
        wanted = self._settings.port
        if wanted and self._server.get_port() != wanted:
            self.get_logger().warning(f'port {wanted} is busy, the page is on another one')
        self.get_logger().info(f'open {self.address} in a browser')

    def _use(self, urdf: str) -> None:
        """Show another robot."""
        chain = self._settings.chain(read_robot(urdf))
        surroundings = self._objects.around(chain, urdf)
        self._server.scene.reset()
        self._server.gui.reset()
        folder = Path(self._settings.urdf_folder) if self._settings.urdf_folder else None
        twists = TwistTopics(self, self._settings.ik_node, chain.tips)
        outlet = Outlet(
            self._send, self._options.change, twists.send,
            self._joints.send if self._joints else None, surroundings,
            tool=(self._settings.tool, self._set_tool) if len(chain.tips) == 1 else None)
        page = Page(
            self._server, chain, parse_visuals(urdf), outlet,
            methods=METHODS, modes=MODES, urdf_folder=folder)
        for sentence in flaw_sentences(page.robot.flaws):
            self.get_logger().warning(sentence)
        if self._goals is not None and self._twists is not None:
            self._goals.close()
            self._twists.close()
        self._twists = twists
        self._goals = GoalTopics(
            self, self._settings.ik_node, chain, page.show_goal, goal_kinds(chain.tips))
        self._chain, self._page, self._urdf = chain, page, urdf
        self._options.ask()

    def _set_tool(self, tool: Pose) -> None:
        """Ask the solver for a tool; the page follows when the solver has it."""
        self._options.change_tool([*tool.position.tolist(), *tool.rpy.tolist()])

    def _use_tool(self, offset: Sequence[float]) -> None:
        """Show the tool that the solver has."""
        before = self._settings
        self._settings = replace(before, tool_offset=tuple(offset) if any(offset) else ())
        if self._page is not None and self._settings != before:
            try:
                self._use(self._urdf)
            except DqIkError as error:
                self._settings = before
                self.get_logger().warning(f'tool not shown: {error}')

    def _open_joints(self) -> JointTopic | None:
        """Open the topic of joint velocities, if its message is installed."""
        try:
            return JointTopic(self, self._settings.ik_node)
        except ImportError:
            self.get_logger().info('no control_msgs: joints cannot be moved on the page')
            return None

    def _send(self, tip: str, goal: Goal | Pose) -> None:
        if self._goals is not None:
            self._goals.send(tip, goal)

    def _on_option(self, name: str, value: str | bool | float, refusal: str) -> None:
        if self._page is None:
            return
        if refusal:
            self._page.show_report(
                Report(False, f'{name} was not set: {refusal}', title='Not set'))
        else:
            self._page.show_option(name, value)

    def _on_status(self, msg: DiagnosticStatus) -> None:
        if self._page is not None:
            self._is_solver_there = True
            if self._heard_at is not None:
                self._heard_at = time.monotonic()
            self._page.show_report(report_from_status(msg))
            self._show_motion(msg)

    def _on_diagnostics(self, msg: DiagnosticArray) -> None:
        name = self._settings.ik_node.rpartition('/')[2]
        for status in msg.status:
            if status.name.startswith(f'{name}:'):
                self._heard_at = time.monotonic()
                self._show_motion(status)

    def _show_motion(self, msg: DiagnosticStatus) -> None:
        """Show the motion, if a message says something about it."""
        motion = motion_from_status(msg)
        if self._page is not None and motion is not None:
            self._page.show_motion(motion)

    def _look_for_solver(self) -> None:
        """Say when nobody follows the goals; DDS knows of a killed node after a long time only."""
        is_silent = self._heard_at is not None and time.monotonic() - self._heard_at > SILENCE
        is_there = not is_silent and self.count_publishers(self._status_topic) > 0
        if self._page is not None and is_there != self._is_solver_there:
            self._is_solver_there = is_there
            self._page.show_report(Report() if is_there else Report(
                message=f'for the solver, node {self._settings.ik_node}', title='Waiting'))
            if not is_there:
                self._page.show_motion(MotionReport())

    def _tick(self) -> None:
        """Show what has come since the last time."""
        if self._page is None or self._chain is None or self._goals is None:
            return
        self._goals.hear()
        if self._state.knows(self._chain.joint_names):
            self._page.show_joints(self._state.positions)
        self._page.tick()


def main(args: list[str] | None = None) -> int:
    """Run the node until shutdown; drawing gives way to whatever moves the robot."""
    os.nice(POLITENESS)
    return run('dq_ik_viewer', ViewerNode, args)


if __name__ == '__main__':
    sys.exit(main())
