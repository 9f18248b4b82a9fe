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

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from time import perf_counter
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.ros.description import CurrentState, LATCHED
from dq_ik.ros.follow import status
from dq_ik.ros.follow.jog_topics import Host, JogTopics, RATE
from dq_ik.ros.follow.outputs import command_maps, Outputs
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.follow.start import was_moved
from dq_ik.ros.follow.turn import Turn
from dq_ik.ros.goals import check_age, CURRENT, goal_kinds, goal_topics, GoalKind, read_goal
from dq_ik.ros.remote import NEWEST
from dq_ik.ros.running import NO_EVENTS_IN, NO_EVENTS_OUT, steady_timer, take_all, WARN_PERIOD
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.tracker import Tracker
from rclpy.node import Node

# What the middleware says about a message, such as when it was received [ns].
PURSUIT = 0.01  # period of the steps to a goal that is not met yet, where there is no rate [s]


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
        self._goals: dict[tuple[str, GoalKind], Any] = {}
        self._current: dict[tuple[str, GoalKind], Any] = {}  # publishers of followed goals
        self._timer: Any = None
        self._tick_time = 0.0
        self._longest_step = 2.0 / RATE
        self._refusal_time = -status.REFUSAL_SHOWN
        self._summary_time = perf_counter()

    def use(self, prepared: Prepared) -> None:
        """Follow goals with this robot and these settings; the same group goes on moving."""
        last = getattr(self, '_prepared', None)
        if last is None or last.chain is not prepared.chain:
            self.stream = Tracker(prepared.chain, prepared.options, prepared.settings)
            if last is None or last.chain.tips != prepared.chain.tips:
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
            self._pursuit = steady_timer(self._node, PURSUIT, self.on_pursuit)
            self._pursuit.cancel()
        self._prepared = prepared
        if last is None:
            self._jog = JogTopics(self._node, prepared, Host(
                lambda: self.stream, lambda: self._name, self._state, self._status, self._frame,
                self._start, self._refuse, self.on_tick))
        self._jog.use(prepared)
        if last is None:
            self._turn = Turn(self._node, self._take_turn)

    def reseed(self) -> str:
        """Start anew from the current joint states; returns a sentence about it."""
        chain = self._prepared.chain
        self._jog.stop()
        self.stream.reseed(chain.configuration(self._state.positions, strict=False))
        known = self._state.knows(chain.joint_names)
        start = 'the current joint_states' if known else 'the neutral pose'
        return f'the stream starts from {start}'

    # --- callbacks -------------------------------------------------------------------------------

    def on_goal(self, tip: str, kind: GoalKind, msg: Any, info: Mapping[str, Any]) -> None:
        """Take the goals that have arrived; without a rate, answer them at once."""
        started = perf_counter()
        goals = self._arrived(tip, kind, msg, info)
        if sum(self._set_goal(*goal, started) for goal in goals) and self._timer is None:
            self._answer(started, True)

    def on_pursuit(self) -> None:
        """Go on towards a goal that is not met yet, where there is no rate."""
        now, stream = perf_counter(), self.stream
        if self._timer is not None or not stream.pending:
            self._pursuit.cancel()
        elif stream.is_stale(now):
            self._hold(now)
        else:
            self._answer(now, False)

    def _answer(self, started: float, fresh: bool) -> None:
        """Take a step towards the goals and command it."""
        stream = self.stream
        try:
            result = stream.answer(started)
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.command)
        self.counters.commands += 1
        self._report(result, started, fresh)
        if stream.pending and self._pursuit.is_canceled():
            self._pursuit.reset()

    def on_tick(self) -> None:
        """Advance the command by one period."""
        now, stream = perf_counter(), self.stream
        dt, self._tick_time = min(now - self._tick_time, self._longest_step), now
        held, fresh = stream.holding, stream.has_new_goal
        try:
            self._jog.advance(now, dt)
            if not stream.active:
                return
            result = stream.tick(now, dt)
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.command, stream.qdot if stream.motion else None)
        self.counters.commands += 1
        if result is not None:
            self._report(result, now, fresh)
        if stream.holding and not held:
            self._hold(now)

    def _hold(self, now: float) -> None:
        self.stream.hold()
        self._status.offer(DiagnosticStatus.STALE, partial(
            status.hold_status, self._name, self.stream.goal_age(now) or 0.0), now)

    def summarise(self) -> None:
        """Publish the diagnostics of the last second, and a status that was held back."""
        now = perf_counter()
        self.stream.settle(now)
        facts = (('robot', self._prepared.robot.model.name), ('base', self._prepared.chain.base),
                 ('tips', ' '.join(self._prepared.chain.tips)),
                 ('joints', ' '.join(self._prepared.chain.joint_names)),
                 ('commands', self._turn.mine), *status.motion_facts(self.stream))
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

    def _take_turn(self, mine: bool) -> None:
        """Command from now on, or be silent; either way without the goals there were."""
        self._outputs.silent = self._status.silent = not mine
        self.reseed()

    # --- parts -----------------------------------------------------------------------------------

    def _subscribe(self, tips: tuple[str, ...]) -> None:
        """
        Listen to ``~/goal_pose``, or ``~/<tip>/goal_pose`` of several, and to other kinds.

        Who wants to see the goals listens to ``current`` below each of these topics.
        """
        for subscription in self._goals.values():
            self._node.destroy_subscription(subscription)
        for publisher in self._current.values():
            self._node.destroy_publisher(publisher)
        topics = {(tip, kind): topic for kind in goal_kinds(tips)
                  for tip, topic in goal_topics('~', tips, kind).items()}
        self._current = {
            key: self._node.create_publisher(
                key[1].message, topic + CURRENT, 10, event_callbacks=NO_EVENTS_OUT)
            for key, topic in topics.items()}
        self._goals = {
            key: self._node.create_subscription(
                key[1].message, topic, self._taker(*key), NEWEST, event_callbacks=NO_EVENTS_IN)
            for key, topic in topics.items()}

    def _taker(self, tip: str, kind: GoalKind) -> Callable[..., None]:
        """Return the callback of a topic; the executor inspects a partial at every call."""
        return lambda msg, info: self.on_goal(tip, kind, msg, info)

    def _set_timer(self, rate: float) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        self._longest_step = 2.0 / (rate or RATE)  # after a pause the motion does not catch up
        if rate > 0:
            self._tick_time = perf_counter()
            self._timer = steady_timer(self._node, 1.0 / rate, self.on_tick)

    def _arrived(self, tip: str, kind: GoalKind, msg: Any,
                 info: Mapping[str, Any]) -> list[tuple[str, GoalKind, Any]]:
        """
        Return a goal and all that wait on other topics, in the order of their arrival.

        Goals sent together are answered together, and of two kinds for a tip the newest counts.
        """
        found = [(info['received_timestamp'], (tip, kind, msg))]
        for key, subscription in self._goals.items():
            if key != (tip, kind):
                found += [(info['received_timestamp'], (*key, waiting))
                          for waiting, info in take_all(subscription)]
        return [goal for _, goal in sorted(found, key=itemgetter(0))]

    def _set_goal(self, tip: str, kind: GoalKind, msg: Any, now: float) -> bool:
        """Take a goal; tell whether it can be followed."""
        self.counters.goals += 1
        stream, axis = self.stream, self._prepared.settings.look_at_axis
        try:
            check_age(msg, self._node.get_clock().now(), self._prepared.settings.max_goal_age)
            if not stream.active or was_moved(stream, self._state, now):
                self._start()
            read = read_goal(kind, msg, tip, stream.chain, self._frame, axis)
            goal, msg = self._jog.clutched(tip, read, msg)
            if goal is None:
                return False
            stream.set_goal(tip, goal, now)
            self._jog.stop(goal is read)
        except DqIkError as error:
            self._refuse(error)
            return False
        if self._current[tip, kind].get_subscription_count():
            self._current[tip, kind].publish(msg)
        return True

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
        self._refusal_time = perf_counter()
        self._status.offer(DiagnosticStatus.ERROR, partial(
            status.refusal_status, self._name, str(error)), self._refusal_time)

    def _report(self, result: IkResult, started: float, fresh: bool) -> None:
        """Count an answer and offer its status; ``started`` is when its goal was taken up."""
        now, reached = perf_counter(), result.success
        if fresh:
            self.counters.latencies.append(now - started)
        if fresh or not self.stream.pending:
            self.counters.reached += reached
            self.counters.best_reach += not reached and not self.stream.pending
        if not fresh and now - self._refusal_time < status.REFUSAL_SHOWN:
            return
        level = DiagnosticStatus.OK if reached else DiagnosticStatus.WARN
        self._status.offer(level, partial(
            status.result_status, self._name, result, self.stream), now)
