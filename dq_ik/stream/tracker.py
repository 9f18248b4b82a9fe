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
"""The tracker: goals in, joint commands out. The caller gives it goals and the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import math
from typing import Any

from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
from dq_ik.stream.limits import MotionLimits, STEEPEST
from dq_ik.stream.motion import Motion
from dq_ik.stream.outlook import Outlook, share_of_limits
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.steps import Following, Steps, UNLIMITED
import numpy as np

LONGEST_STEP = 0.1  # after a pause the arm does not catch up at once [s]


def goal_maker(settings: StreamSettings) -> Callable[[Goal | Pose, str], Goal | Pose]:
    """
    Return the function that turns a goal and a tip into a goal of the chosen ``goal_mode``.

    A goal whose pose is not its target stays as it is: the mode could not be about it.
    """
    extras: dict[str, dict[str, Any]] = {
        'pose': {}, 'position': {'rotation_weight': 0.0}, 'orientation': {'position_weight': 0.0},
        'axis': {'axis': settings.goal_axis}}
    extra = extras[settings.goal_mode]

    def make(goal: Goal | Pose, tip: str) -> Goal | Pose:
        if not extra or (isinstance(goal, Goal) and not goal.asks_for_pose):
            return goal
        if isinstance(goal, Goal):
            return replace(goal, **extra)
        return Goal(goal, tip=tip, **extra)
    return make


class Tracker:
    """
    Follows the newest goal of each tip: goals in, joint commands out, and never a jump.

    Each step starts from the last answer and stays within what the joints' speeds allow in the
    time between (:mod:`dq_ik.stream.steps`). A goal that cannot be followed is met again as soon
    as the joints can be there; one out of reach is approached as closely as the robot can. With
    ``velocity_scaling`` 0 the speeds have no limit, and a goal that jumps is answered at once.
    """

    def __init__(self, chain: Chain, options: IkOptions | None = None,
                 settings: StreamSettings | None = None, q: np.ndarray | None = None) -> None:
        """
        Start at rest.

        :param q: where the joints are; None: neutral.
        """
        self.chain = chain
        self._steps: Steps | None = None
        self.motion: Motion | None = None  # limits of acceleration, where there is a rate
        self.command = chain.neutral if q is None else chain.clamp(q)
        self.configure(options or IkOptions(), settings or StreamSettings())
        self.reseed(self.command)

    def configure(self, options: IkOptions, settings: StreamSettings) -> None:
        """Take new options; the motion goes on."""
        self._finder = Solver(self.chain, replace(options, mode='distance', max_joint_step=0.0))
        self._goal = goal_maker(settings)
        self.goal_timeout, self.policy = settings.goal_timeout, settings.lost_policy
        speed = self.chain.velocity * settings.velocity_scaling
        self._is_limited = settings.velocity_scaling > 0
        velocity = speed if self._is_limited else np.full(self.chain.n, np.inf)
        following = Following(
            policy=settings.lost_policy, momentum=settings.momentum,
            look_ahead=settings.look_ahead, barrier=settings.avoid_limits_gain,
            step_ratio=settings.step_ratio if self._is_limited else 0.0)
        if self._steps is None:
            self._steps = Steps(self.chain, self.command, velocity, options, following)
        else:
            self._steps.configure(velocity, options, following)
        limits = MotionLimits.chosen(self.chain, settings)
        if not self._is_limited or settings.rate == 0:
            self.motion = None
        elif self.motion is None:
            self.motion = Motion(self.command, limits, lower=self.chain.lower,
                                 upper=self.chain.upper, limiting=settings.limiting)
        else:
            self.motion.configure(limits, settings.limiting)

    def reseed(self, q: np.ndarray) -> None:
        """Start anew from these joint positions, at rest, without goals."""
        self.command = self.chain.clamp(q)
        self._place(self.command)
        if self.motion is not None:
            self.motion.place(self.command)
        self.qdot = np.zeros(self.chain.n)
        self._goals: dict[str, Goal | Pose] = {}
        self._is_new = False  # a goal that was not answered yet
        self._goal_time: float | None = None
        self._answer_time: float | None = None
        self._move_time = -math.inf
        self.pending = False
        self.holding = False

    def _place(self, q: np.ndarray) -> None:
        """Make a joint vector the target, at rest."""
        self.steps.reseed(q)
        self.target = q

    @property
    def steps(self) -> Steps:
        """Return what answers the goals."""
        assert self._steps is not None
        return self._steps

    @property
    def active(self) -> bool:
        """Whether a goal was ever given."""
        return self._goal_time is not None

    @property
    def has_new_goal(self) -> bool:
        """Whether a goal was given since the last step."""
        return self._is_new

    def set_goal(self, tip: str, goal: Goal | Pose, now: float) -> None:
        """
        Take a goal; the newest of each tip counts, whatever its kind.

        Tips without a goal keep the pose they had when the first goal came.

        :param goal: a pose in the base frame, or a goal of another kind.
        :param now: time [s] on a steady clock.
        """
        if not self._goals and len(self.chain.tips) > 1:
            self._goals = dict(self.chain.fk_all(self.target))
        self._goals[tip] = goal
        self._goal_time = now
        self._is_new = True
        self.holding = False

    def set_target(self, q: np.ndarray, now: float) -> None:
        """Take a joint vector in place of goals, no farther away than a step may lead."""
        self._goals = {}
        self._is_new = self.pending = False
        self._place(self.chain.clamp(q))
        self._goal_time = now
        self.holding = False

    def solve(self, dt: float) -> IkResult:
        """
        Take a step towards the goals as they are now; its end is the new target.

        :param dt: time since the last step [s].
        """
        tips = self.chain.tips
        goals: Any = (self._goal(self._goals[tips[0]], tips[0]) if len(tips) == 1 else
                      [self._goal(self._goals[tip], tip) for tip in tips])
        before, self._is_new, fresh = self.target, False, self._is_new
        result = self.steps.step(goals, dt, fresh=fresh)
        if self.steps.wants_search:
            result = self._search(goals, result)
        self.target = result.q
        at_rest = bool(np.array_equal(before, self.target)) and not fresh
        self.pending = not result.success and not (at_rest and not self.steps.state.aiming[0])
        return result

    def _search(self, goals: Any, result: IkResult) -> IkResult:
        """Look for the best reach from many starts, and go there."""
        found = self._finder.solve(goals, self.steps.q)
        if self._is_limited:
            self.steps.aim_at(found.q)
            return result
        self.steps.reseed(found.q)
        return found

    def follow(self, tip: str, goal: Goal | Pose, now: float) -> IkResult:
        """Take a goal, solve, and command the answer at once."""
        self.set_goal(tip, goal, now)
        return self.answer(now)

    def answer(self, now: float) -> IkResult:
        """Take a step towards the goals that were set, and command it at once."""
        dt = self._since_answer(now)
        result = self.solve(dt if self._is_limited else 1.0)
        self._move(now, dt)
        return result

    def _since_answer(self, now: float) -> float:
        """Return the time since the last step, 0 at the first one; note that this is one."""
        since = 0.0 if self._answer_time is None else now - self._answer_time
        self._answer_time = now
        return min(max(since, 0.0), LONGEST_STEP)

    def tick(self, now: float, dt: float) -> IkResult | None:
        """
        Advance the command by ``dt``; the result is that of a step towards a goal, if any.

        :param now: time [s] on the clock of ``set_goal``.
        """
        result = None
        if self._is_new or self.pending:
            since = self._since_answer(now)
            result = self.solve(since if self._is_limited else 1.0)
        if self.is_stale(now):
            self.hold()
        if self.motion is None:
            self._move(now, dt)
            return result
        if not self.holding:
            self.motion.aim(self.target)
        self.command, self.qdot = self.motion.step(dt)
        if self.holding:
            self._place(self.command)
        return result

    def _move(self, now: float, dt: float) -> None:
        """Command the target, which is ``dt`` after the command before."""
        self.qdot = (self.target - self.command) / dt if dt > 0.0 else np.zeros(self.chain.n)
        self.command, self._move_time = self.target, now

    def settle(self, now: float) -> None:
        """Forget the speed of the last command, if it was the last one of a motion."""
        if self.motion is None and now - self._move_time > LONGEST_STEP:
            self.qdot = np.zeros(self.chain.n)

    def hold(self) -> None:
        """Brake and stay, until the next goal."""
        self.holding = True
        self.pending = False
        if self.motion is not None:
            self.motion.stop()

    @property
    def speed_share(self) -> float:
        """Return the greatest speed of the command as a part of its limit; NaN: no limit."""
        return share_of_limits(self.qdot, self.steps.velocity, UNLIMITED)

    @property
    def acceleration_share(self) -> float:
        """Return the greatest acceleration as a part of its limit; NaN: no limit, or no rate."""
        if self.motion is None:
            return math.nan
        return share_of_limits(
            self.motion.acceleration, self.motion.limits.acceleration, STEEPEST)

    @property
    def outlook(self) -> Outlook:
        """Return how far the command is from the next limits; joints that are held have none."""
        counts = self.steps.movable | (self.qdot != 0.0)
        return Outlook.of(self.chain.joint_names, self.command, self.qdot,
                          np.where(counts, self.chain.lower, -np.inf), self.chain.upper)

    @property
    def phase(self) -> str:
        """
        Return what the stream does.

        ``following`` or, where the goal is not met, ``on the way``, ``best reach`` or ``stopped``;
        ``jogging`` and ``idle`` without goals; ``holding`` after the watchdog.
        """
        if not self.active or (not self._goals and not self.qdot.any()):
            return 'idle'
        if self.holding:
            return 'holding'
        if not self._goals:
            return 'jogging'
        if not self.steps.state.lost[0]:
            return 'following'
        if self.policy == 'stop':
            return 'stopped'
        return 'on the way' if self.pending else 'best reach'

    def goal_age(self, now: float) -> float | None:
        """Return the seconds since the last goal, None if there was none."""
        return None if self._goal_time is None else now - self._goal_time

    def is_stale(self, now: float) -> bool:
        """Tell whether no goal came for too long, and the motion still has to be stopped."""
        age = self.goal_age(now)
        return not self.holding and age is not None and 0 < self.goal_timeout < age
