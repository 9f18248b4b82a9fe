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
"""The topics on which goals arrive, and those on which the node tells what it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple

from dq_ik.ros.goals import CURRENT, goal_kinds, goal_topics, GoalKind, POSE
from dq_ik.ros.remote import NEWEST
from dq_ik.ros.running import NO_EVENTS_IN, NO_EVENTS_OUT, take_all
from rclpy.node import Node

MOMENT = 1_000_000_000  # goals that wait together were received within such a time [ns]


class SentGoal(NamedTuple):
    """A goal as it was sent; the message of a pose is serialised."""

    tip: str
    kind: GoalKind
    msg: Any


class GoalTopics:
    """
    ``~/goal_pose``, or ``~/<tip>/goal_pose`` of several tips, and those of other kinds.

    Goals sent together are handed over together, and of two kinds for a tip the newest counts.
    Who wants to see the goals that are followed listens to ``current`` below each topic.
    """

    def __init__(self, node: Node, take: Callable[[list[SentGoal]], None]) -> None:
        """
        Take the goals; :meth:`listen` must follow.

        :param take: called with the goals that have arrived, in the order of their arrival.
        """
        self._node, self._take = node, take
        self._subscriptions: dict[tuple[str, GoalKind], Any] = {}
        self._current: dict[tuple[str, GoalKind], Any] = {}
        self._newest: tuple[int, GoalKind | None] = 0, None

    def listen(self, tips: tuple[str, ...]) -> None:
        """Open the topics of these tips, in place of those before."""
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)
        for publisher in self._current.values():
            self._node.destroy_publisher(publisher)
        topics = {(tip, kind): topic for kind in goal_kinds(tips)
                  for tip, topic in goal_topics('~', tips, kind).items()}
        taker = self._taker_of_one if len(tips) == 1 else self._taker_of_several
        self._current = {
            key: self._node.create_publisher(
                key[1].message, topic + CURRENT, 10, event_callbacks=NO_EVENTS_OUT)
            for key, topic in topics.items()}
        self._subscriptions = {
            key: self._node.create_subscription(
                key[1].message, topic, taker(*key), NEWEST, raw=key[1] is POSE,
                event_callbacks=NO_EVENTS_IN)
            for key, topic in topics.items()}

    def tell(self, goals: Iterable[SentGoal]) -> None:
        """Publish what is followed, to those who listen."""
        for goal in goals:
            publisher = self._current[goal.tip, goal.kind]
            if publisher.get_subscription_count():
                publisher.publish(goal.msg)

    def _taker_of_one(self, tip: str, kind: GoalKind) -> Callable[..., None]:
        """
        Return the callback of a topic of the only tip.

        The executor may call it with a goal that is older than one of another kind which it has
        handed over just before. Then it is left out.
        """
        def take(msg: Any, info: Mapping[str, Any]) -> None:
            time, (newest, last) = info['received_timestamp'], self._newest
            if last is not kind and 0 < newest - time < MOMENT:
                return
            self._newest = time, kind
            self._take([SentGoal(tip, kind, msg)])
        return take

    def _taker_of_several(self, tip: str, kind: GoalKind) -> Callable[..., None]:
        """Return the callback of a topic of several; it takes what waits on all others, too."""
        def take(msg: Any, info: Mapping[str, Any]) -> None:
            found = [(info['received_timestamp'], SentGoal(tip, kind, msg))]
            for key, subscription in self._subscriptions.items():
                if key != (tip, kind):
                    found += [(info['received_timestamp'], SentGoal(*key, waiting))
                              for waiting, info in take_all(subscription)]
            self._take([goal for _, goal in sorted(found, key=itemgetter(0))])
        return take
