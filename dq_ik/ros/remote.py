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
"""An ik node seen from outside: its goal topics, its status, and the options of its solver."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
import math
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.ros.frames import FrameError
from dq_ik.ros.goals import (
    check_goal_topics,
    CURRENT,
    goal_topics,
    GoalKind,
    POSE,
    read_goal,
    write_goal,
)
from dq_ik.stream.outlook import Outlook
from dq_ik.stream.report import MotionReport, Report
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import qos_profile_parameter_events, QoSProfile
from rclpy.task import Future

NEWEST = QoSProfile(depth=1)
# Goals of ours that may still come back to us, recognised by tip and time stamp.
ECHOES = 200
# Goals that may wait to be heard: those of a fast stream between two frames of a screen.
WAITING = 50
# Answers that are no answers.
TITLES = {DiagnosticStatus.ERROR: 'Not followed', DiagnosticStatus.STALE: 'Holding'}
# Seconds between two questions for the options, and the options that are watched.
ASK_PERIOD = 1.0
Setting = str | bool | float
WATCHED = ('method', 'mode', 'goal_mode', 'velocity_scaling', 'collision')
TOOL = 'tool_offset'


class GoalTopics:
    """
    Publishers and listeners for the goals of all tips of a chain, in the frame of its base.

    Goals of others are heard from the ik node (topics in :data:`CURRENT`), not from those who
    send them: ``ros2 topic pub --once`` waits for one subscriber, which must be the ik node.
    """

    def __init__(
        self, node: Node, remote: str, chain: Chain, on_goal: Callable[[str, Any], None],
        kinds: Sequence[GoalKind] = (POSE,),
    ) -> None:
        """
        Open the topics.

        :param remote: name of the ik node
        :param on_goal: called by :meth:`hear` with tip and goal for goals of others that the ik
            node follows: a Pose, or a Goal of another kind; goals in other frames than the base
            are left out
        :param kinds: of goals to send and hear
        """
        self._node = node
        self._chain = chain
        self._on_goal = on_goal
        self._sent: deque[tuple[str, int, int]] = deque(maxlen=ECHOES)
        self._foreign: dict[str, tuple[GoalKind, Any]] = {}  # the newest of each tip
        check_goal_topics(node, remote, chain.tips)
        topics = [(kind, tip, topic) for kind in kinds
                  for tip, topic in goal_topics(remote, chain.tips, kind).items()]
        self._publishers = {
            (kind, tip): node.create_publisher(kind.message, topic, NEWEST)
            for kind, tip, topic in topics}
        self._listeners = [
            node.create_subscription(
                kind.message, topic + CURRENT, partial(self._take, kind, tip), WAITING)
            for kind, tip, topic in topics]

    def close(self) -> None:
        """Leave the topics."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)
        for listener in self._listeners:
            self._node.destroy_subscription(listener)

    def send(self, tip: str, goal: Goal | Pose) -> None:
        """Publish a goal; may be called from any thread."""
        kind, msg = write_goal(goal, self._chain.base)
        msg.header.stamp = self._node.get_clock().now().to_msg()
        self._sent.append(_identity(tip, msg))
        self._publishers[kind, tip].publish(msg)

    def hear(self) -> None:
        """Pass on the newest goal of each tip that somebody else has sent since the last time."""
        foreign, self._foreign = self._foreign, {}
        for tip, (kind, msg) in foreign.items():
            try:
                self._on_goal(tip, read_goal(kind, msg, tip, self._chain, _leave_out))
            except FrameError:
                pass
            except DqIkError as error:
                self._node.get_logger().warning(
                    f'goal ignored: {error}', throttle_duration_sec=5.0)

    def _take(self, kind: GoalKind, tip: str, msg: Any) -> None:
        if _identity(tip, msg) not in self._sent:
            self._foreign[tip] = kind, msg


def _leave_out(frame: str) -> Pose:
    """Refuse a frame other than the base."""
    raise FrameError(frame)


def _identity(tip: str, msg: Any) -> tuple[str, int, int]:
    """Return what tells a goal from others: its tip and its stamp."""
    return tip, msg.header.stamp.sec, msg.header.stamp.nanosec


def report_from_status(msg: DiagnosticStatus) -> Report:
    """Return what a status message of the ik node says."""
    values = {item.key: item.value for item in msg.values}
    return Report(
        reached=msg.level == DiagnosticStatus.OK,
        message=msg.message,
        position_error=_number(values.get('position_error', '')),
        rotation_error=_number(values.get('rotation_error', '')),
        solve_time=_number(values.get('time', '')),
        title='Moving' if msg.message.startswith('jogging') else TITLES.get(msg.level, ''),
    )


def motion_from_status(msg: DiagnosticStatus) -> MotionReport | None:
    """Return what a status or diagnostics message of the ik node says about the motion, if any."""
    values = {item.key: item.value for item in msg.values}
    if 'phase' not in values and 'margin' not in values:
        return None
    return MotionReport(
        policy=values.get('policy', ''),
        phase=values.get('phase', ''),
        outlook=Outlook(
            _number(values.get('margin', '')), values.get('nearest_limit', ''),
            _number(values.get('time_left', '')), values.get('next_limit', ''),
            _number(values.get('time_to_loss', ''))),
        speed=_number(values.get('speed', '')),
        acceleration=_number(values.get('acceleration', '')),
    )


def _number(text: str) -> float:
    """Return the number that a text holds, or NaN: other nodes may write what they like."""
    try:
        return float(text)
    except ValueError:
        return math.nan


class RemoteOptions:
    """
    Sets and follows settings of a node: those of the solver, the speed and the tool.

    ``position_only`` stands for the parameter ``goal_mode``: ``position`` or ``pose``.
    """

    def __init__(
        self, node: Node, remote: str, on_change: Callable[[str, Setting, str], None],
        on_tool: Callable[[Sequence[float]], None] | None = None,
    ) -> None:
        """
        Watch the parameters of ``remote``.

        :param remote: name of the other node
        :param on_change: called with name, value and an empty text after each change, by whomever;
            with the reason instead of that text when a change of ours was refused
        :param on_tool: called with the tool offset of the node; None: it is of no interest
        """
        self._node = node
        self._on_change, self._on_tool = on_change, on_tool
        self._watched = WATCHED if on_tool is None else (*WATCHED, TOOL)
        self._remote = node.resolve_topic_name(remote)
        self._client = AsyncParameterClient(node, remote)
        self._asking = node.create_timer(ASK_PERIOD, self._ask)
        node.create_subscription(
            ParameterEvent, '/parameter_events', self._on_event, qos_profile_parameter_events)

    def ask(self) -> None:
        """Learn the values in use, as soon as the node is there."""
        self._asking.reset()

    def _ask(self) -> None:
        if self._client.services_are_ready():
            for name in self._watched:  # one by one: a node that lacks one would answer none
                self._client.get_parameters([name]).add_done_callback(
                    partial(self._on_values, name))

    def change(self, name: str, value: Any) -> None:
        """Change a setting; the answer comes to ``on_change``."""
        if not self._client.services_are_ready():
            self._on_change(name, value, f'there is no node {self._remote}')
            return
        parameter = to_parameter(name, value)
        future = self._client.set_parameters([parameter])
        future.add_done_callback(lambda done: self._on_result(name, value, done))

    def change_tool(self, offset: Sequence[float]) -> None:
        """Put a tool on the tip: x, y, z [m], roll, pitch, yaw [rad]; all zero: none."""
        self.change(TOOL, list(offset))

    def _on_result(self, name: str, value: Any, done: Future) -> None:
        result = done.result().results[0]
        if not result.successful:
            self._on_change(name, value, result.reason or 'refused')

    def _on_values(self, name: str, done: Future) -> None:
        self._asking.cancel()
        for value in done.result().values:
            self._report(ParameterMsg(name=name, value=value))

    def _on_event(self, event: ParameterEvent) -> None:
        if event.node == self._remote:
            for parameter in (*event.new_parameters, *event.changed_parameters):
                if parameter.name in self._watched:
                    self._report(parameter)

    def _report(self, parameter: ParameterMsg) -> None:
        value = parameter_value_to_python(parameter.value)
        if value is not None and self._on_tool is not None and parameter.name == TOOL:
            self._on_tool(value)
        elif value is not None:
            self._on_change(*from_parameter(parameter.name, value), '')


def to_parameter(name: str, value: Any) -> Parameter:
    """Return a setting of the page as a parameter of the ik node."""
    if name == 'position_only':
        return Parameter('goal_mode', value='position' if value else 'pose')
    return Parameter(name, value=value)


def from_parameter(name: str, value: str | float) -> tuple[str, Setting]:
    """Return a parameter of the ik node as a setting of the page; the inverse of to_parameter."""
    if name == 'goal_mode':
        return 'position_only', value == 'position'
    return name, value
