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
from typing import Any

from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
from dq_ik.stream.limits import SpeedLimit
from dq_ik.stream.settings import StreamSettings
import numpy as np

# Joints without a velocity limit may move this fast [rad/s or m/s], which is at once.
UNLIMITED = 1e6
# A goal this far [m, rad] from the one before is a new place, not the next point of a path.
JUMP = (0.1, 0.5)


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
    Follows the newest goal of each tip, starting every solve from the last solution.

    There are no restarts along a path: a stream must not jump to another branch. Only a goal that
    jumps itself, and cannot be reached from where the robot is, is searched for elsewhere; the
    solution nearest to the present posture is taken. What cannot be reached is approached as
    closely as the robot can (best reach).
    """

    def __init__(self, chain: Chain, options: IkOptions, settings: StreamSettings,
                 q: np.ndarray | None = None) -> None:
        """
        Start at rest.

        :param q: where the joints are; None: neutral.
        """
        self.chain = chain
        self.reseed(chain.neutral if q is None else q)
        self.configure(options, settings)

    def configure(self, options: IkOptions, settings: StreamSettings) -> None:
        """Take new options; the motion goes on."""
        self.solver = Solver(self.chain, replace(options, max_restarts=0, mode='speed'))
        self.finder = Solver(self.chain, replace(options, mode='distance', max_joint_step=0.0))
        self._goal = goal_maker(settings)
        self.goal_timeout = settings.goal_timeout
        speed = np.minimum(self.chain.velocity * settings.velocity_scaling, UNLIMITED)
        self.limit = SpeedLimit(
            speed, speed / settings.ramp_time) if settings.velocity_scaling > 0 else None

    def reseed(self, q: np.ndarray) -> None:
        """Start anew from these joint positions, at rest, without goals."""
        self.target = self.command = self.chain.clamp(q)
        self.qdot = np.zeros(self.chain.n)
        self._goals: dict[str, Goal | Pose] = {}
        self._moves: list[tuple[Goal | Pose | None, Goal | Pose]] = []  # since the last solve
        self._goal_time: float | None = None
        self.holding = False

    @property
    def active(self) -> bool:
        """Whether a goal was ever given."""
        return self._goal_time is not None

    def set_goal(self, tip: str, goal: Goal | Pose, now: float) -> None:
        """
        Take a goal; the newest of each tip counts, whatever its kind.

        Tips without a goal keep the pose they had when the first goal came.

        :param goal: a pose in the base frame, or a goal of another kind.
        :param now: time [s] on a steady clock.
        """
        if self._goal_time is None and len(self.chain.tips) > 1:
            self._goals = dict(self.chain.fk_all(self.target))
        self._moves.append((self._goals.get(tip), goal))
        self._goals[tip] = goal
        self._goal_time = now
        self.holding = False

    def solve(self) -> IkResult:
        """Solve for the goals as they are now; the solution is the new target."""
        tips = self.chain.tips
        goals: Any = (self._goal(self._goals[tips[0]], tips[0]) if len(tips) == 1 else
                      [self._goal(self._goals[tip], tip) for tip in tips])
        result = self.solver.solve(goals, self.target)
        if not result.success and any(_is_far(*move) for move in self._moves):
            result = self.finder.solve(goals, self.target)
        self.target = result.q
        self._moves.clear()
        return result

    def follow(self, tip: str, goal: Goal | Pose, now: float) -> IkResult:
        """Take a goal, solve, and command the solution at once."""
        self.set_goal(tip, goal, now)
        return self.answer()

    def answer(self) -> IkResult:
        """Solve for the goals that were set, and command the solution at once."""
        result = self.solve()
        self.command = self.target
        return result

    def tick(self, now: float, dt: float) -> IkResult | None:
        """
        Advance the command by ``dt``; the result is that of a new goal, if there was one.

        :param now: time [s] on the clock of ``set_goal``.
        """
        result = self.solve() if self._moves else None
        if self._is_stale(now):
            self.hold()
        if self.limit is None:
            self.command = self.target
        else:
            q, self.qdot = self.limit.step(self.command, self.qdot, self.target, dt)
            self.command = np.clip(q, self.chain.lower, self.chain.upper)
        return result

    def hold(self) -> None:
        """Brake and stay, until the next goal."""
        self.holding = True
        if self.limit is not None:
            stop = self.limit.stop(self.command, self.qdot)
            self.target = np.clip(stop, self.chain.lower, self.chain.upper)

    def goal_age(self, now: float) -> float | None:
        """Return the seconds since the last goal, None if there was none."""
        return None if self._goal_time is None else now - self._goal_time

    def _is_stale(self, now: float) -> bool:
        age = self.goal_age(now)
        return not self.holding and age is not None and 0 < self.goal_timeout < age


def _is_far(old: Goal | Pose | None, new: Goal | Pose) -> bool:
    """Tell whether a goal jumped; one in another frame or of another kind has."""
    if old is None:
        return True
    (old_frame, old_place), (frame, place) = (
        ('', goal) if isinstance(goal, Pose) else goal.place for goal in (old, new))
    metres, radians = old_place.distance(place)
    return frame != old_frame or metres > JUMP[0] or radians > JUMP[1]
