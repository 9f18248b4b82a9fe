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
"""The other side of the jog topics: learns what an ik node moves, and sends it velocities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from dq_ik.ros.follow.jog_topics import TWIST
from dq_ik.ros.goals import goal_topics
from dq_ik.ros.remote import NEWEST
from geometry_msgs.msg import TwistStamped
from rclpy.node import Node


def twist_message(twist: Sequence[float], frame: str, stamp: Any) -> TwistStamped:
    """Return a twist, linear first, along the axes of a frame."""
    msg = TwistStamped()
    msg.header.stamp, msg.header.frame_id = stamp, frame
    linear, angular = msg.twist.linear, msg.twist.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = map(float, twist)
    return msg


class TwistTopics:
    """Publishers of the twists of an ik node's tips."""

    def __init__(self, node: Node, remote: str, tips: Sequence[str]) -> None:
        """
        Open the topics.

        :param remote: name of the ik node
        """
        self._node = node
        self._publishers = {
            tip: node.create_publisher(TwistStamped, topic, NEWEST)
            for tip, topic in goal_topics(remote, tips, TWIST).items()}

    def send(self, tip: str, twist: Sequence[float], frame: str) -> None:
        """Publish a twist, stamped with the present; may be called from any thread."""
        stamp = self._node.get_clock().now().to_msg()
        self._publishers[tip].publish(twist_message(twist, frame, stamp))

    def close(self) -> None:
        """Leave the topics."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)

    @property
    def are_heard(self) -> bool:
        """Whether somebody listens to each of them."""
        return all(twist.get_subscription_count() for twist in self._publishers.values())


class JointTopic:
    """Publisher of the joint velocities of an ik node; it needs control_msgs."""

    def __init__(self, node: Node, remote: str) -> None:
        """
        Open the topic.

        :param remote: name of the ik node
        :raises ImportError: if control_msgs is not installed
        """
        from control_msgs.msg import JointJog

        self._node, self._message = node, JointJog
        self._publisher = node.create_publisher(JointJog, f'{remote}/joint_jog', NEWEST)

    def send(self, velocities: Mapping[str, float]) -> None:
        """Publish velocities, stamped with the present; may be called from any thread."""
        jog = self._message(joint_names=list(velocities), velocities=[*velocities.values()])
        jog.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(jog)


class JogClient:
    """Publishes on the twist topics of an ik node, and on its joint jog where there is one."""

    def __init__(self, node: Node, remote: str) -> None:
        """
        Listen to the diagnostics, which name tips, base and joints.

        :param remote: name of the ik node
        """
        self._node, self._remote = node, remote
        self.tips: list[str] = []
        self.joints: list[str] = []
        self.base = ''
        self._jogs: JointTopic | None = None
        node.create_subscription(DiagnosticArray, '/diagnostics', self._learn, 10)

    def wait(self, timeout: float) -> bool:
        """Wait until the node is known and listens; tell whether it does."""
        end = time.monotonic() + timeout
        if not _until(lambda: bool(self.tips), end):
            return False
        self._twists = twists = TwistTopics(self._node, self._remote, self.tips)
        try:
            self._jogs = JointTopic(self._node, self._remote)
        except ImportError:
            self.joints = []
        return _until(lambda: twists.are_heard, end)

    def send_twist(self, tip: str, twist: Sequence[float], frame: str) -> None:
        """Publish the twist of a tip, stamped with the present."""
        self._twists.send(tip, twist, frame)

    def send_joints(self, velocities: Mapping[str, float]) -> None:
        """Publish velocities of joints, stamped with the present."""
        if self._jogs is not None:
            self._jogs.send(velocities)

    def _learn(self, msg: DiagnosticArray) -> None:
        name = self._remote.rpartition('/')[2]
        for status in msg.status:
            if status.name.startswith(f'{name}:') and not self.tips:
                facts = {item.key: item.value for item in status.values}
                self.base, self.joints = facts.get('base', ''), facts.get('joints', '').split()
                self.tips = facts.get('tips', '').split()


def _until(condition: Callable[[], bool], end: float) -> bool:
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
