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
"""Of several nodes of one name, the oldest commands; the others wait until it is gone."""

from __future__ import annotations

from collections.abc import Callable
import os
import re
import socket
import time

from dq_ik.ros.running import NO_EVENTS_IN, NO_EVENTS_OUT, WARN_PERIOD
from rclpy.node import Node
from std_msgs.msg import String

# A hidden topic: ``ros2 topic list`` does not show it.
TOPIC = '~/_instance'
# Seconds between two signs of life, and without one until a node is believed to be gone.
PERIOD = 0.5
PATIENCE = 2.0
# What a node says: time of its start [ns], then where it runs.
WORDS = re.compile(r'\d{20} \S+, process \d+')


class Turn:
    """
    Tells who commands, by signs of life of all nodes of this name.

    The graph cannot tell: it shows a killed node for up to 20 s. It only makes a node listen first
    where another one of its name is, or was.
    """

    def __init__(self, node: Node, on_change: Callable[[bool], None]) -> None:
        """
        Announce this node.

        :param on_change: called with whether this node commands, when that changes; before the
            first call it does.
        """
        self._node = node
        self._on_change = on_change
        self._name = node.get_fully_qualified_name()
        self._own = f'{time.time_ns():020d} {socket.gethostname()}, process {os.getpid()}'
        self._until = 0.0  # this node waits until then
        self.mine = True
        node.create_subscription(String, TOPIC, self._on_sign, 10, event_callbacks=NO_EVENTS_IN)
        is_known = node.count_publishers(node.resolve_topic_name(TOPIC)) > 0
        self._publisher = node.create_publisher(
            String, TOPIC, 10, event_callbacks=NO_EVENTS_OUT)
        if is_known:
            self._wait('the graph still shows another node of this name')
        self._say()

    def tick(self) -> None:
        """Give a sign of life; to be called once in a period."""
        self._say()
        if not self.mine and time.monotonic() > self._until:
            self.mine = True
            self._node.get_logger().info(f'no other node {self._name}: this one commands')
            self._on_change(True)

    def _say(self) -> None:
        self._publisher.publish(String(data=self._own))

    def _on_sign(self, msg: String) -> None:
        if msg.data == self._own or not WORDS.fullmatch(msg.data):
            return
        place = msg.data.partition(' ')[2]
        if msg.data < self._own:
            self._wait(f'another node {self._name} is older and commands ({place})')
        else:
            self._say()  # at once, so that it does not begin
            self._node.get_logger().warning(
                f'another node {self._name} has started ({place}); it waits until this one ends',
                throttle_duration_sec=WARN_PERIOD)

    def _wait(self, why: str) -> None:
        self._until = time.monotonic() + PATIENCE
        if self.mine:
            self.mine = False
            self._node.get_logger().warning(
                f'{why}: this one sends no commands until that is gone. Give it another name or '
                'namespace, or set another ROS_DOMAIN_ID')
            self._on_change(False)
