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

"""The goal topics of an ik node, seen from the outside: send goals, hear those of others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.follow.follower import NEWEST, topic_name
from dq_ik.stream.report import Report

# Goals of ours that may still come back to us, recognised by tip and time stamp.
ECHOES = 200
# Goals that may wait to be heard: those of a fast stream between two frames of a screen.
WAITING = 50
# Answers that are no answers.
TITLES = {DiagnosticStatus.ERROR: 'Not followed', DiagnosticStatus.STALE: 'Holding'}


class GoalTopics:
    """Publishers and listeners for the goals of all tips of a chain, in the frame of its base."""

    def __init__(
        self, node: Node, remote: str, chain: Chain, on_goal: Callable[[str, Pose], None]
    ) -> None:
        """
        Open the topics.

        :param remote: name of the ik node
        :param on_goal: called by :meth:`hear` with tip and pose for goals that others send; goals
            in other frames than the base are left out
        """
        self._node = node
        self._base = chain.base
        self._on_goal = on_goal
        self._sent: deque[tuple[str, int, int]] = deque(maxlen=ECHOES)
        self._foreign: dict[str, PoseStamped] = {}  # the newest of each tip
        topics = {tip: f'{remote}/{topic_name(tip)}/goal_pose' for tip in chain.tips}
        if len(topics) == 1:
            topics = {chain.tips[0]: f'{remote}/goal_pose'}
        self._publishers = {
            tip: node.create_publisher(PoseStamped, topic, NEWEST)
            for tip, topic in topics.items()}
        self._listeners = [
            node.create_subscription(PoseStamped, topic, partial(self._take, tip), WAITING)
            for tip, topic in topics.items()]

    def close(self) -> None:
        """Leave the topics."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)
        for listener in self._listeners:
            self._node.destroy_subscription(listener)

    def send(self, tip: str, pose: Pose) -> None:
        """Publish a goal; may be called from any thread."""
        msg = PoseStamped()
        msg.header.frame_id = self._base
        msg.header.stamp = self._node.get_clock().now().to_msg()
        fill_pose(msg.pose, pose)
        self._sent.append(_identity(tip, msg))
        self._publishers[tip].publish(msg)

    def hear(self) -> None:
        """Pass on the newest goal of each tip that somebody else has sent since the last time."""
        foreign, self._foreign = self._foreign, {}
        for tip, msg in foreign.items():
            try:
                pose = pose_from_msg(msg.pose)
            except DqIkError as error:
                self._node.get_logger().warning(
                    f'goal ignored: {error}', throttle_duration_sec=5.0)
                continue
            if msg.header.frame_id == self._base:
                self._on_goal(tip, pose)

    def _take(self, tip: str, msg: PoseStamped) -> None:
        if _identity(tip, msg) not in self._sent:
            self._foreign[tip] = msg


def _identity(tip: str, msg: PoseStamped) -> tuple[str, int, int]:
    """Return what tells a goal from others: its tip and its stamp."""
    return tip, msg.header.stamp.sec, msg.header.stamp.nanosec


def report_from_status(msg: DiagnosticStatus) -> Report:
    """Return what a status message of the ik node says."""
    values = {item.key: item.value for item in msg.values}
    return Report(
        reached=msg.level == DiagnosticStatus.OK,
        message=msg.message,
        position_error=float(values.get('position_error', 'nan')),
        rotation_error=float(values.get('rotation_error', 'nan')),
        solve_time=float(values.get('time', 'nan')),
        title=TITLES.get(msg.level, ''),
    )
