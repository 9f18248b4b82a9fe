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
"""Twist, joint jog and clutch topics: velocities in, a moving target of the stream out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from dq_ik.errors import DqIkError, GoalError
from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.ros.description import CurrentState
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.follow.start import was_moved
from dq_ik.ros.follow.status import jog_status, StatusTopic
from dq_ik.ros.goals import goal_topics, GoalKind, write_goal
from dq_ik.ros.remote import NEWEST
from dq_ik.ros.running import NO_EVENTS_IN, steady_timer
from dq_ik.stream.clutch import Clutch
from dq_ik.stream.jog import Jog
from dq_ik.stream.tracker import Tracker
from geometry_msgs.msg import TwistStamped
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Bool

RATE = 100.0  # of the commands while the arm is jogged and ``rate`` is 0 [Hz]
TWIST = GoalKind('twist', TwistStamped)
HOW_TO_GET_CONTROL_MSGS = (
    'control_msgs is not installed, so there is no ~/joint_jog; other topics are served. '
    'Install ros-$ROS_DISTRO-control-msgs, or run make in a checkout of dq_ik')


@dataclass(frozen=True)
class Host:
    """
    What jogging needs of the follower.

    :param stream: returns the tracker
    :param name: returns the name in status messages
    :param state: the measured joints
    :param status: takes the status of each step
    :param frame: finds a frame in the base frame
    :param start: reads the joint states before the first motion
    :param refuse: says why a message is not followed
    :param check: refuses motion while collisions cannot be avoided
    :param tick: advances the command; called by a timer of ours where the follower has none
    """

    stream: Callable[[], Tracker]
    name: Callable[[], str]
    state: CurrentState
    status: StatusTopic
    frame: Callable[[str], Pose]
    start: Callable[[], None]
    refuse: Callable[[Exception], None]
    check: Callable[[], None]
    tick: Callable[[], None]


class JogTopics:
    """Owns the topics beside the goals, and the timer of jogging without ``rate``."""

    def __init__(self, node: Node, prepared: Prepared, host: Host) -> None:
        """Open the topics."""
        self._node, self._host, self._prepared = node, host, prepared
        self._clutch = Clutch()
        self.engaged = True  # there may be something for a goal to stop
        self._jog = Jog(prepared.chain, prepared.options, prepared.settings)
        self._timer: Any = None
        self._twists = self._listen_to_twists()
        self._listen(Bool, '~/clutch', lambda msg: self._clutch.turn(msg.data))
        try:
            from control_msgs.msg import JointJog
        except ImportError:
            node.get_logger().info(HOW_TO_GET_CONTROL_MSGS)
        else:
            self._listen(JointJog, '~/joint_jog', self.on_joint_jog)

    def use(self, prepared: Prepared) -> None:
        """Jog this robot with these settings; the same group goes on moving."""
        last, self._prepared, self.engaged = self._prepared, prepared, True
        if last.chain is prepared.chain:
            self._jog.configure(prepared.options, prepared.settings)
            return
        self.stop()
        self._jog = Jog(prepared.chain, prepared.options, prepared.settings)
        if last.chain.tips != prepared.chain.tips:
            for subscription in self._twists:
                self._node.destroy_subscription(subscription)
            self._twists = self._listen_to_twists()

    def stop(self, release: bool = True) -> None:
        """
        Give way to a goal, or to a new start.

        :param release: whether the hand behind the clutch takes hold anew; not for its own goals.
        """
        self._jog.stop()
        if release:
            self._clutch.release()
        self._end_timer()
        self.engaged = self._prepared.settings.clutch

    def clutched(self, tip: str, goal: Goal | Pose, msg: Any) -> tuple[Goal | Pose | None, Any]:
        """
        Return the goal that a pose means with a clutch, and its message; None: it is open.

        :param msg: that of the goal as it was sent.
        """
        if not self._prepared.settings.clutch or not isinstance(goal, Pose):
            return goal, msg
        stream = self._host.stream()
        wanted = self._clutch.pose(tip, goal, stream.chain.fk(stream.target, tip))
        return wanted, None if wanted is None else write_goal(wanted, stream.chain.base)[1]

    def advance(self, now: float, dt: float) -> None:
        """Move the target of the stream by one period."""
        if not self._jog.active:
            return
        try:
            self._host.check()
        except DqIkError:
            self._jog.stop()
            raise
        stream = self._host.stream()
        q, result = self._jog.advance(stream.target, now, dt)
        stream.set_target(q, now, dt)
        followed = result is None or result.success
        self._host.status.offer(DiagnosticStatus.OK if followed else DiagnosticStatus.WARN,
                                partial(jog_status, self._host.name(), result, stream), now)

    # --- callbacks -------------------------------------------------------------------------------

    def on_twist(self, tip: str, msg: Any, now: float) -> None:
        """Take a twist of a tip."""
        linear, angular, frame = msg.twist.linear, msg.twist.angular, msg.header.frame_id
        twist = (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)

        def take() -> None:
            base = self._prepared.chain.base
            axes = None if frame == tip else (
                Pose.identity() if frame == base else self._host.frame(frame))
            self._jog.twist(tip, twist, now, axes)
        self._take(msg, take)

    def on_joint_jog(self, msg: Any) -> None:
        """Take velocities or displacements of joints."""
        names = list(msg.joint_names)
        ways, speeds = list(msg.displacements), list(msg.velocities)

        def take() -> None:
            if not names or not {len(ways), len(speeds)} <= {0, len(names)} or not ways + speeds:
                raise GoalError(
                    f'a joint jog has {len(names)} names but {len(speeds)} velocities and '
                    f'{len(ways)} displacements; each joint needs a velocity, a displacement, or '
                    'both')
            velocities = dict(zip(names, speeds)) if speeds else None
            if ways:
                self._jog.displace(dict(zip(names, ways)), velocities, msg.duration)
            elif velocities:
                self._jog.joints(velocities, perf_counter())
        self._take(msg, take)

    # --- parts -----------------------------------------------------------------------------------

    def _listen(self, kind: type, topic: str, callback: Callable[..., None]) -> Any:
        return self._node.create_subscription(
            kind, topic, callback, NEWEST, event_callbacks=NO_EVENTS_IN)

    def _listen_to_twists(self) -> list[Any]:
        topics = goal_topics('~', self._prepared.chain.tips, TWIST)
        return [self._listen(TwistStamped, topic, self._taker(tip))
                for tip, topic in topics.items()]

    def _taker(self, tip: str) -> Callable[[Any], None]:
        return lambda msg: self.on_twist(tip, msg, perf_counter())

    def _take(self, msg: Any, take: Callable[[], None]) -> None:
        """Follow a velocity from now on, or say why not."""
        was_active, self.engaged = self._jog.active, True
        try:
            self._check_age(msg.header.stamp)
            self._host.check()
            take()
            if self._jog.active and not was_active:
                self._begin()
                take()  # again: the start has forgotten it
        except DqIkError as error:
            if not was_active:
                self._jog.stop()
            self._host.refuse(error)

    def _begin(self) -> None:
        """Take over from goals: from where the arm can stop, and with a clock if need be."""
        stream = self._host.stream()
        if not stream.active or was_moved(stream, self._host.state, perf_counter()):
            self._host.start()
        else:
            stream.hold()
        self._clutch.release()
        if self._prepared.settings.rate == 0 and self._timer is None:
            self._timer = steady_timer(self._node, 1.0 / RATE, self._tick)

    def _tick(self) -> None:
        self._host.tick()
        if not self._jog.active or self._prepared.settings.rate > 0:
            self._end_timer()

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _check_age(self, stamp: Any) -> None:
        """Refuse what was sent too long ago; the stamp 0 means now."""
        if stamp.sec == 0 and stamp.nanosec == 0:
            return
        clock = self._node.get_clock()
        age = (clock.now() - Time.from_msg(stamp, clock.clock_type)).nanoseconds * 1e-9
        longest = self._prepared.settings.twist_timeout
        if age > longest:
            raise GoalError(f'the velocity is {age:.3g} s old, more than twist_timeout, '
                            f'{longest:g} s (do the clocks of the two machines agree?)')
