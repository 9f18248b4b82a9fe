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

from functools import partial
from time import perf_counter
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.ros.description import CurrentState, LATCHED
from dq_ik.ros.follow import status
from dq_ik.ros.follow.bodies import StreamBodies
from dq_ik.ros.follow.goal_topics import GoalTopics, SentGoal
from dq_ik.ros.follow.jog_topics import Host, JogTopics, RATE
from dq_ik.ros.follow.outputs import command_maps, Outputs
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.follow.start import was_moved
from dq_ik.ros.follow.turn import PERIOD, Turn
from dq_ik.ros.goals import check_age, read_goal
from dq_ik.ros.running import NO_EVENTS_OUT, steady_timer, WARN_PERIOD
from dq_ik.ros.services.collisions import Collisions
from dq_ik.ros.settings import NodeSettings
from dq_ik.stream.tracker import Tracker
from rclpy.node import Node
from rclpy.time import Time

PURSUIT = 0.01  # period of the steps to a goal that is not met yet, where there is no rate [s]


class Follower:
    """
    Follows goals. Owns the goal topics, the outputs, the status and the timer of ``rate``.

    All its callbacks run in the node's one executor thread.
    """

    def __init__(self, node: Node, settings: NodeSettings, state: CurrentState,
                 collisions: Collisions) -> None:
        """
        Create what does not depend on the robot.

        :param state: kept up to date by the node.
        """
        self._node, self._clock = node, node.get_clock()
        self._state = state
        self._bodies = StreamBodies(node, state, collisions)
        self.counters = status.Counters()
        self._outputs = Outputs(node, settings)
        self._status = status.StatusTopic(node.create_publisher(
            DiagnosticStatus, '~/status', LATCHED, event_callbacks=NO_EVENTS_OUT))
        self._diagnostics = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, event_callbacks=NO_EVENTS_OUT)
        self._topics = GoalTopics(node, self.on_goals)
        self._timer: Any = None
        self._pursuit: Any = None  # a timer while there is something to pursue
        self._beats = 0
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
                self._topics.listen(prepared.chain.tips)
        else:
            self.stream.configure(prepared.options, prepared.settings)
        self._bodies.use(prepared, self.stream)
        self._outputs.configure(prepared.maps)
        self._status.period = 1.0 / prepared.settings.status_rate
        self._name = f'{self._node.get_name()}: {prepared.robot.default_group}'
        if last is None or last.settings.rate != prepared.settings.rate:
            self._set_timer(prepared.settings.rate)
        self._prepared = prepared
        if last is None:
            self._jog = JogTopics(self._node, prepared, Host(
                lambda: self.stream, lambda: self._name, self._state, self._status, self._frame,
                self._start, self._refuse, self._bodies.check, self.on_tick))
        self._jog.use(prepared)
        if last is None:
            self._turn = Turn(self._node, self._take_turn)
            steady_timer(self._node, PERIOD, self.on_beat)

    def close(self) -> None:
        """End the thread that prepares bodies."""
        self._bodies.close()

    def reseed(self) -> str:
        """Start anew from the current joint states; returns a sentence about it."""
        chain = self._prepared.chain
        self._jog.stop()
        self.stream.reseed(chain.configuration(self._state.positions, strict=False))
        known = self._state.knows(chain.angles.names)
        start = 'the current joint_states' if known else 'the neutral pose'
        return f'the stream starts from {start}'

    # --- callbacks -------------------------------------------------------------------------------

    def on_goals(self, goals: list[SentGoal]) -> None:
        """Take the goals that have arrived; without a rate, answer them at once."""
        started, time = perf_counter(), self._clock.now()
        followed = []
        for sent in goals:
            if goal := self._set_goal(sent, started):
                followed.append(goal)
        if followed and self._timer is None:
            self._bodies.update()
            self._answer(started, time, True)
        self._topics.tell(followed)

    def on_pursuit(self) -> None:
        """Go on towards a goal that is not met yet, or out of the way, where there is no rate."""
        now, time, stream = perf_counter(), self._clock.now(), self.stream
        if self._timer is not None or stream.holding or not (stream.pending or stream.scene):
            self._end_pursuit()
        elif stream.is_stale(now):
            self._hold(now)
        else:
            self._bodies.update()
            if stream.wants_step:
                self._answer(now, time, False)

    def _answer(self, started: float, time: Time, fresh: bool) -> None:
        """Take a step towards the goals and command it."""
        stream = self.stream
        try:
            result = stream.answer(started)
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.positions, time)
        self.counters.commands += 1
        self._report(result, started, fresh)
        if stream.pending or stream.scene:
            self._pursue()

    def on_tick(self) -> None:
        """Advance the command by one period."""
        now, time, stream = perf_counter(), self._clock.now(), self.stream
        dt, self._tick_time = min(now - self._tick_time, self._longest_step), now
        held, fresh = stream.holding, stream.has_new_goal
        self._bodies.update()
        try:
            self._jog.advance(now, dt)
            if not stream.active:
                return
            result = stream.tick(now, dt)
        except DqIkError as error:
            self._refuse(error)
            return
        self._outputs.publish(stream.positions, time, stream.qdot if stream.motion else None)
        self.counters.commands += 1
        if result is not None:
            self._report(result, now, fresh)
        if stream.holding and not held:
            self._hold(now)

    def _hold(self, now: float) -> None:
        self.stream.hold()
        self._status.offer(DiagnosticStatus.STALE, partial(
            status.hold_status, self._name, self.stream.goal_age(now) or 0.0), now)

    def on_beat(self) -> None:
        """Give a sign of life, and every other time a summary."""
        self._turn.tick()
        self._beats += 1
        if self._beats % 2 == 0:
            self.summarise()

    def summarise(self) -> None:
        """Publish the diagnostics of the last second, and a status that was held back."""
        now = perf_counter()
        self.stream.settle(now)
        facts = (('robot', self._prepared.robot.model.name), ('base', self._prepared.chain.base),
                 ('tips', ' '.join(self._prepared.chain.tips)),
                 ('joints', ' '.join(self._prepared.chain.angles.names)),
                 ('commands', self._turn.mine),
                 *status.motion_facts(self.stream, self.stream.outlook))
        summary = status.diagnostics(self._name, self.counters, now - self._summary_time,
                                     self.stream.goal_age(now), facts)
        msg = DiagnosticArray(status=[summary])
        msg.header.stamp = self._clock.now().to_msg()
        self._diagnostics.publish(msg)
        self._summary_time = now
        self.counters = status.Counters()
        self._status.flush(now)
        if self._prepared.settings.all_joints:  # the other joints may have moved
            self._outputs.configure(command_maps(
                self._prepared.chain, self._prepared.robot.model, self._prepared.settings,
                self._state.positions))

    def _take_turn(self, mine: bool) -> None:
        """Command from now on, or be silent; either way without the goals there were."""
        self._outputs.silent = self._status.silent = not mine
        self.reseed()

    # --- parts -----------------------------------------------------------------------------------

    def _pursue(self) -> None:
        """Take the next step a period after this one, unless a goal comes before."""
        if self._pursuit is None:
            self._pursuit = steady_timer(self._node, PURSUIT, self.on_pursuit)
        else:
            self._pursuit.reset()

    def _end_pursuit(self) -> None:
        if self._pursuit is not None:
            self._node.destroy_timer(self._pursuit)
            self._pursuit = None

    def _set_timer(self, rate: float) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        self._longest_step = 2.0 / (rate or RATE)  # after a pause the motion does not catch up
        if rate > 0:
            self._tick_time = perf_counter()
            self._timer = steady_timer(self._node, 1.0 / rate, self.on_tick)

    def _set_goal(self, sent: SentGoal, now: float) -> SentGoal | None:
        """Take a goal; return what is followed, None if it cannot be."""
        self.counters.goals += 1
        stream, settings, (tip, kind, msg) = self.stream, self._prepared.settings, sent
        try:
            check_age(msg, self._clock, settings.max_goal_age)
            self._bodies.check()
            if not stream.active or was_moved(stream, self._state, now):
                self._start()
            read = read_goal(kind, msg, tip, stream.chain, self._frame, settings.look_at_axis)
            goal, msg = self._jog.clutched(tip, read, msg)
            if goal is None:
                return None
            stream.set_goal(tip, goal, now)
            self._refusal_time = -status.REFUSAL_SHOWN  # it was about an older goal
            if self._jog.engaged:
                self._jog.stop(goal is read)
        except DqIkError as error:
            self._refuse(error)
            return None
        return sent if goal is read else SentGoal(tip, kind, msg)

    def _start(self) -> None:
        self._bodies.check()
        if self._prepared.settings.wait_for_joint_states and not self._state.knows(
                self._prepared.chain.angles.names):
            raise DqIkError('the current joint_states are not known yet')
        self._node.get_logger().info(self.reseed(), throttle_duration_sec=WARN_PERIOD)

    def _frame(self, name: str) -> Pose:
        """Return a frame in the base frame, with the arm where it is commanded to be."""
        own = self._prepared.chain.angles.named(self.stream.positions)
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
        self._status.offer(level, partial(status.result_status, self._name, result, self.stream,
                                          self._bodies.hint(result, now)), now)
