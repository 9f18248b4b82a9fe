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
"""The follower: goal topics in, joint commands and status out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.ros.conversions import pose_from_msg
from dq_ik.ros.description import CurrentState, LATCHED
from dq_ik.ros.follow import status
from dq_ik.ros.follow.outputs import command_maps, Outputs
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.remote import goal_topics, NEWEST
from dq_ik.ros.running import NO_EVENTS_IN, NO_EVENTS_OUT, steady_timer
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.tracker import Tracker
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.subscription import Subscription

WARN_PERIOD = 5.0


class Follower:
    """
    Follows goals. Owns the goal subscriptions, the outputs, the status and the timer of ``rate``.

    All its callbacks run in the node's one executor thread.
    """

    def __init__(self, node: Node, settings: NodeSettings, state: CurrentState) -> None:
        """
        Create what does not depend on the robot.

        :param state: kept up to date by the node.
        """
        self._node = node
        self._state = state
        self.counters = status.Counters()
        self._outputs = Outputs(node, settings)
        self._status = status.StatusTopic(node.create_publisher(
            DiagnosticStatus, '~/status', LATCHED, event_callbacks=NO_EVENTS_OUT))
        self._diagnostics = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, event_callbacks=NO_EVENTS_OUT)
        self._goals: dict[str, Any] = {}
        self._timer: Any = None
        self._tick_time = 0.0
        self._longest_step = 0.0
        self._summary_time = perf_counter()

    def use(self, prepared: Prepared) -> None:
        """Follow goals with this robot and these settings; the same group goes on moving."""
        last = getattr(self, '_prepared', None)
        if last is None or last.chain is not prepared.chain:
            self.stream = Tracker(prepared.chain, prepared.options, prepared.settings)
            self._subscribe(prepared.chain.tips)
        else:
            self.stream.configure(prepared.options, prepared.settings)
        self._outputs.configure(prepared.maps)
        self._status.period = 1.0 / prepared.settings.status_rate
        self._name = f'{self._node.get_name()}: {prepared.robot.default_group}'
        if last is None or last.settings.rate != prepared.settings.rate:
            self._set_timer(prepared.settings.rate)
        if last is None:
            steady_timer(self._node, 1.0, self.summarise)
        self._prepared = prepared

    def reseed(self) -> str:
        """Start anew from the current joint states; returns a sentence about it."""
        chain = self._prepared.chain
        self.stream.reseed(chain.configuration(self._state.positions))
        known = self._state.knows(chain.joint_names)
        start = 'the current joint_states' if known else 'the neutral pose'
        return f'the stream starts from {start}'

    # --- callbacks -------------------------------------------------------------------------------

    def on_goal(self, tip: str, msg: PoseStamped) -> None:
        """Take the newest goal of a tip; without a rate, answer it at once."""
        started = perf_counter()
        stream = self.stream
        try:
            self._set_goal(tip, msg, started)
            if len(self._goals) > 1:
                self._set_goals_of_others(tip, started)
            if self._timer is not None:
                return
            result = stream.answer()
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.command)
        self.counters.commands += 1
        self._report(result, started)

    def on_tick(self) -> None:
        """Advance the command by one period."""
        now = perf_counter()
        dt, self._tick_time = now - self._tick_time, now
        stream = self.stream
        if not stream.active:
            return
        held = stream.holding
        try:
            result = stream.tick(now, min(dt, self._longest_step))
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.command, stream.qdot if stream.limit else None)
        self.counters.commands += 1
        if result is not None:
            self._report(result, now)
        if stream.holding and not held:
            self._status.offer(DiagnosticStatus.STALE, partial(
                status.hold_status, self._name, stream.goal_age(now) or 0.0), now)

    def summarise(self) -> None:
        """Publish the diagnostics of the last second, and a status that was held back."""
        now = perf_counter()
        facts = (('robot', self._prepared.robot.model.name), ('base', self._prepared.chain.base),
                 ('tips', ' '.join(self._prepared.chain.tips)))
        summary = status.diagnostics(self._name, self.counters, now - self._summary_time,
                                     self.stream.goal_age(now), facts)
        msg = DiagnosticArray(status=[summary])
        msg.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(msg)
        self._summary_time = now
        self.counters = status.Counters()
        self._status.flush(now)
        if self._prepared.settings.all_joints:  # the other joints may have moved
            self._outputs.configure(command_maps(
                self._prepared.chain, self._prepared.settings, self._state.positions))

    # --- parts -----------------------------------------------------------------------------------

    def _subscribe(self, tips: tuple[str, ...]) -> None:
        """Listen to ``~/goal_pose``, or to ``~/<tip>/goal_pose`` for each of several tips."""
        for subscription in self._goals.values():
            self._node.destroy_subscription(subscription)
        self._goals = {
            tip: self._node.create_subscription(
                PoseStamped, topic, self._taker(tip), NEWEST, event_callbacks=NO_EVENTS_IN)
            for tip, topic in goal_topics('~', tips).items()}

    def _taker(self, tip: str) -> Callable[[PoseStamped], None]:
        """Return the callback of a tip; the executor inspects a partial at every call."""
        return lambda msg: self.on_goal(tip, msg)

    def _set_timer(self, rate: float) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        if rate > 0:
            self._tick_time = perf_counter()
            self._longest_step = 2.0 / rate  # after a pause the motion does not catch up
            self._timer = steady_timer(self._node, 1.0 / rate, self.on_tick)

    def _set_goal(self, tip: str, msg: PoseStamped, now: float) -> None:
        self.counters.goals += 1
        frame, pose = msg.header.frame_id, pose_from_msg(msg.pose)
        stream = self.stream
        if not stream.active:
            self._start()
        if frame != stream.chain.base:
            pose = self._frame(frame) @ pose
        stream.set_goal(tip, pose, now)

    def _set_goals_of_others(self, tip: str, now: float) -> None:
        """Take what has arrived for other tips too: goals sent together are answered together."""
        for other, subscription in self._goals.items():
            for msg in take_all(subscription) if other != tip else ():
                try:
                    self._set_goal(other, msg, now)
                except DqIkError as error:
                    self._refuse(error)

    def _start(self) -> None:
        if self._prepared.settings.wait_for_joint_states and not self._state.knows(
                self._prepared.chain.joint_names):
            raise DqIkError('the current joint_states are not known yet')
        self._node.get_logger().info(self.reseed(), throttle_duration_sec=WARN_PERIOD)

    def _frame(self, name: str) -> Pose:
        """Return a frame in the base frame, with the arm where it is commanded to be."""
        own = self._prepared.chain.joint_positions(self.stream.command)
        return self._prepared.base_frames.pose(name, {**self._state.positions, **own})

    def _refuse(self, error: Exception) -> None:
        """Say why a goal is not followed; the command stays as it is."""
        self.counters.refused += 1
        self.counters.last_refusal = str(error)
        self._node.get_logger().warning(
            f'goal not followed: {error}', throttle_duration_sec=WARN_PERIOD)
        self._status.offer(DiagnosticStatus.ERROR, partial(
            status.refusal_status, self._name, str(error)), perf_counter())

    def _report(self, result: IkResult, started: float) -> None:
        """
        Count an answer and offer its status.

        :param started: when its goal was taken up.
        """
        now, reached = perf_counter(), result.success
        self.counters.latencies.append(now - started)
        self.counters.reached += reached
        self.counters.best_reach += not reached
        level = DiagnosticStatus.OK if reached else DiagnosticStatus.WARN
        self._status.offer(level, partial(status.result_status, self._name, result), now)


def take_all(subscription: Subscription) -> list[Any]:
    """Return the messages that wait in a subscription, the newest last."""
    messages, handle = [], subscription.handle
    with handle:
        while (taken := handle.take_message(subscription.msg_type, subscription.raw)) is not None:
            messages.append(taken[0])
    return messages
