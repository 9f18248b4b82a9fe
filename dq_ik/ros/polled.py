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
"""Topics that are read when somebody wants to know, not whenever something arrives."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.subscription import Subscription

# Enough for a robot that reports 1000 times per second and is looked at 30 times.
STATES = QoSProfile(depth=100, reliability=QoSReliabilityPolicy.BEST_EFFORT)


class _Never(CallbackGroup):
    """Callbacks that no executor runs, so that none waits for their messages either."""

    def can_execute(self, entity: Any) -> bool:
        """Say no."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Say no."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """There is nothing to end."""


class PolledTopic:
    """
    A subscription whose messages wait in the middleware until they are taken.

    To wake an executor costs more than to read a message. A topic that is much faster than what is
    done with it, such as joint states on a screen, is better looked at now and then.
    """

    def __init__(self, node: Node, kind: type, topic: str, qos: QoSProfile | int,
                 raw: bool = False) -> None:
        """
        Begin to collect.

        :param qos: its depth is how many messages wait; older ones are lost.
        :param raw: give messages as bytes.
        """
        self._node = node
        self._subscription = node.create_subscription(
            kind, topic, lambda _: None, qos, callback_group=_Never(), raw=raw,
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False))

    def take(self) -> list[Any]:
        """Return the messages that came since the last time, the newest last."""
        return take_all(self._subscription)

    def close(self) -> None:
        """Leave the topic."""
        self._node.destroy_subscription(self._subscription)


def take_all(subscription: Subscription) -> list[Any]:
    """Return the messages that wait in a subscription, the newest last."""
    messages, handle = [], subscription.handle
    with handle:
        while (taken := handle.take_message(subscription.msg_type, subscription.raw)) is not None:
            messages.append(taken[0])
    return messages
