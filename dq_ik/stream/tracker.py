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

from dataclasses import replace
import math
from typing import Any, TYPE_CHECKING

from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
from dq_ik.stream.goal_mode import goal_maker
from dq_ik.stream.limits import MotionLimits
from dq_ik.stream.motion import Motion
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.steps import Following, Steps
from dq_ik.stream.tracker_facts import TrackerFacts
import numpy as np

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene

LONGEST_STEP = 0.1  # after a pause the arm does not catch up at once [s]


class Tracker(TrackerFacts):
    """
    Follows the newest goal of each tip: goals in, joint commands out, and never a jump.

    Each step starts from the last answer and stays within what the joints' speeds allow in the
    time between (:mod:`dq_ik.stream.steps`). A goal that cannot be followed is met again as soon
    as the joints can be there; one out of reach is approached as closely as the robot can. With
    ``velocity_scaling`` 0 the speeds have no limit, and a goal that jumps is answered at once.
    With a scene no command and no way to it lets bodies collide; where they are in the way, the
    arm slides along them (:mod:`dq_ik.stream.guard`).
    """

    def __init__(self, chain: Chain, options: IkOptions | None = None,
                 settings: StreamSettings | None = None, q: np.ndarray | None = None, *,
                 scene: Scene | None = None) -> None:
        """
        Start at rest.

        :param q: where the joints are; None: neutral.
        :param scene: bodies that must not collide; None: any may
        """
        self.chain = chain
        self.motion: Motion | None = None  # limits of acceleration, where there is a rate
        self._set_command(chain.neutral if q is None else chain.clamp(q))
        self.steps = Steps(chain, self.command, chain.velocity, scene=scene)
        self.forced_stops = 0  # commands for which bodies counted more than accelerations
        self.configure(options or IkOptions(), settings or StreamSettings())
        self.reseed(self.command)

    def configure(self, options: IkOptions, settings: StreamSettings) -> None:
        """Take new options; the motion goes on."""
        self._options = replace(options, mode='distance', max_joint_step=0.0)
        self._finder = Solver(self.chain, self._options, collision=self.scene)
        self._goal = goal_maker(settings)
        self.goal_timeout, self.policy = settings.goal_timeout, settings.lost_policy
        self._is_limited = settings.velocity_scaling > 0
        self._limiting = settings.limiting
        share = settings.velocity_scaling if self._is_limited else 1e12
        velocity, self._speeds = share * self.chain.velocity, share * self.chain.angles.velocity
        following = Following(
            policy=settings.lost_policy, momentum=settings.momentum,
            look_ahead=settings.look_ahead, barrier=settings.avoid_limits_gain,
            step_ratio=settings.step_ratio if self._is_limited else 0.0)
        self.steps.configure(velocity, options, following)
        limits = MotionLimits.chosen(self.chain, settings)
        if not self._is_limited or settings.rate == 0:
            self.motion = None
        elif self.motion is None:
            self.motion = Motion(self.positions, limits, lower=self.chain.angles.lower,
                                 upper=self.chain.angles.upper, limiting=settings.limiting)
        else:
            self.motion.configure(limits, settings.limiting)
        self._brake()

    def watch(self, scene: Scene | None) -> None:
        """Keep away from the bodies of a scene from now on; None: from none."""
        if scene is not self.scene:
            self.steps.watch(scene)
            self._finder = Solver(self.chain, self._options, collision=scene)
            self._brake()

    def _brake(self) -> None:
        """Tell the guard how fast joints can brake; only the route of the targets is free."""
        if self.motion is not None:
            self.motion.limiting = 'path' if self.steps.guard is not None else self._limiting
        if self.steps.guard is not None:
            known = self.motion is not None and len(self.positions) == self.chain.n
            self.steps.guard.brake(self.motion.limits.acceleration if self.motion and known
                                   else np.inf)

    def reseed(self, q: np.ndarray) -> None:
        """Start anew from these joint positions, at rest, without goals."""
        self._set_command(self.chain.clamp(q))
        self._place(self.command)
        if self.motion is not None:
            self.motion.place(self.positions)
        self._qdot: np.ndarray | None = np.zeros(self.chain.n)
        self._goals: dict[str, Goal | Pose] = {}
        self._is_new = False  # a goal that was not answered yet
        self._goal_time: float | None = None
        self._answer_time: float | None = None
        self._move_time = -math.inf
        self.pending = False
        self.holding = False

    def _set_command(self, q: np.ndarray) -> None:
        self.command, self.positions = q, self.chain.angles.of(q)  # of the URDF's joints

    def _place(self, q: np.ndarray) -> None:
        """Make a joint vector the target, at rest."""
        self.steps.reseed(q)
        self.target = q

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

    def set_target(self, q: np.ndarray, now: float, dt: float = 0.01) -> None:
        """
        Take a joint vector in place of goals, no farther away than a step may lead.

        With a scene the target stops short of bodies.

        :param dt: time since the last target [s]
        """
        self._goals = {}
        self._is_new = self.pending = False
        wanted = self.chain.clamp(q)
        if self.steps.guard is not None:
            wanted, _ = self.steps.guard.lead(self.target, wanted, dt, slow=True)
        self._place(wanted)
        self._goal_time = now
        self.holding = False

    def solve(self, dt: float) -> IkResult:
        """
        Take a step towards the goals as they are now; its end is the new target.

        :param dt: time since the last step [s].
        """
        goals = self._wanted()
        before, self._is_new, fresh = self.target, False, self._is_new
        result = self.steps.step(goals, dt, fresh=fresh)
        if not result.success and self.steps.wants_search:
            result = self._search(goals, result)
        self.target = result.q
        self.pending = not result.success and (
            fresh or bool(self.steps.state.aiming[0]) or bool((before != self.target).any())
            or (self.steps.guard is not None and self.steps.guard.guarding))
        return result

    @property
    def wants_step(self) -> bool:
        """
        Whether a step has something to do.

        There is a new goal, or one that is not met, or the world around has changed.
        """
        guard = self.steps.guard
        return self._is_new or self.pending or (
            guard is not None and not self.holding and guard.stirred)

    def _wanted(self) -> Any:
        """Return the goals as they are now, as solvers take them; none: to stay."""
        if not self._goals:
            self._goals = dict(self.chain.fk_all(self.target))
        tips = self.chain.tips
        if len(tips) == 1:
            return self._goal(self._goals[tips[0]], tips[0])
        return [self._goal(self._goals[tip], tip) for tip in tips]

    def _search(self, goals: Any, result: IkResult) -> IkResult:
        """Look for the best reach from many starts, and go there."""
        found = self._finder.solve(goals, self.steps.q)
        if self._is_limited or self.steps.guard is not None:
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
        result, asked = None, bool(self._goals)
        if self.wants_step:
            since = self._since_answer(now)
            result = self.solve(since if self._is_limited else 1.0)
            if result.success and not asked:  # it stays, as nobody asked for anything else
                result = None
        if self.is_stale(now):
            self.hold()
        if self.motion is None:
            self._move(now, dt)
            return result
        if not self.holding:
            self.motion.aim(self.chain.angles.of(self.target))
        before = self.command
        self.positions, self._qdot = self.motion.step(dt)
        self.command = self.chain.angles.vector(self.positions)
        if self.steps.guard is not None:
            self._stay_free(before, dt)
        if self.holding:
            self._place(self.command)
        return result

    def _stay_free(self, before: np.ndarray, dt: float) -> None:
        """Stop the command where the way to it is not free, at once if need be."""
        assert self.steps.guard is not None
        assert self.motion is not None
        start = self.chain.angles.of(before)
        command, share = self.steps.guard.lead(before, self.command, dt, slow=False)
        if share == 1.0:
            return
        self.forced_stops += 1
        self._set_command(command)
        self._qdot = (self.positions - start) / dt
        self.motion.place(self.positions)
        self._place(self.command)
        self._is_new = bool(self._goals)

    def _move(self, now: float, dt: float) -> None:
        """Command the target, which is ``dt`` after the command before."""
        self._qdot, self._before, self._way_time = None, self.positions, dt
        self._set_command(self.target)
        self._move_time = now

    @property
    def qdot(self) -> np.ndarray:
        """Return the velocity of the command (n,), of the joints of the URDF."""
        if self._qdot is None:  # nobody has asked since the last move
            self._qdot = (np.zeros(self.chain.n) if self._way_time <= 0.0 else
                          (self.positions - self._before) / self._way_time)
        return self._qdot

    def settle(self, now: float) -> None:
        """Forget the speed of the last command, if it was the last one of a motion."""
        if self.motion is None and now - self._move_time > LONGEST_STEP:
            self._qdot = np.zeros(self.chain.n)

    def hold(self) -> None:
        """Brake and stay, until the next goal."""
        self.holding = True
        self.pending = False
        if self.motion is not None:
            self.motion.stop()
