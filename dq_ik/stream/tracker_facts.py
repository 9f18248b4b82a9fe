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
"""What a tracker tells about itself: where it stands, and what is near."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
import math
from typing import Any, TYPE_CHECKING

from dq_ik.contact import Contact
from dq_ik.core.memory.scene_layout import BLOCKED_AFTER
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
from dq_ik.stream.foresight import time_to_loss
from dq_ik.stream.limits import STEEPEST
from dq_ik.stream.motion import Motion
from dq_ik.stream.outlook import Outlook, share_of_limits
from dq_ik.stream.steps import Steps, UNLIMITED
import numpy as np

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene


class TrackerFacts(ABC):
    """The part of :class:`dq_ik.stream.tracker.Tracker` that changes nothing."""

    chain: Chain
    steps: Steps
    motion: Motion | None
    command: np.ndarray
    positions: np.ndarray
    policy: str
    goal_timeout: float
    pending: bool
    holding: bool
    _finder: Solver
    _goals: dict[str, Any]
    _goal_time: float | None
    _is_new: bool
    _speeds: np.ndarray

    @property
    @abstractmethod
    def qdot(self) -> np.ndarray:
        """Return the velocity of the command (n,), of the joints of the URDF."""

    @abstractmethod
    def _wanted(self) -> Any:
        """Return the goals as they are now, as solvers take them."""

    @property
    def active(self) -> bool:
        """Whether a goal was ever given."""
        return self._goal_time is not None

    @property
    def has_new_goal(self) -> bool:
        """Whether a goal was given since the last step."""
        return self._is_new

    @property
    def scene(self) -> Scene | None:
        """Return the bodies that must not collide; None: any may."""
        return None if self.steps.guard is None else self.steps.guard.scene

    @property
    def speed_share(self) -> float:
        """Return the greatest speed of the command as a part of its limit; NaN: no limit."""
        return share_of_limits(self.qdot, self._speeds, UNLIMITED)

    @property
    def acceleration_share(self) -> float:
        """Return the greatest acceleration as a part of its limit; NaN: no limit, or no rate."""
        if self.motion is None:
            return math.nan
        return share_of_limits(
            self.motion.acceleration, self.motion.limits.acceleration, STEEPEST)

    @property
    def outlook(self) -> Outlook:
        """Return how far limits and dead ends are; joints that are held have no limits."""
        counts = self.steps.movable | (self.qdot != 0.0)
        angles = self.chain.angles
        limits = Outlook.of(angles.names, self.positions, self.qdot,
                            np.where(counts, angles.lower, -np.inf), angles.upper)
        follows = self._goals and not self.holding and not self.steps.state.lost[0]
        return replace(limits, time_to_loss=time_to_loss(self.steps, self._wanted())
                       if follows else math.inf)

    def nearest(self, farthest: float = 10.0) -> Contact | None:
        """Return the nearest pair of bodies at the command; None: none, or there is no scene."""
        return None if self.scene is None else self.scene.clearance(self.command, farthest)

    def free_search(self) -> Callable[[], IkResult] | None:
        """
        Prepare to look for a posture free of collisions that meets the goals as they are now.

        :returns: what looks for it, in any thread; None: there are no goals, or no scene
        """
        if not self._goals or self.scene is None:
            return None
        return partial(self._finder.solve, self._wanted(), self.command)

    def free_answer(self) -> IkResult | None:
        """
        Look for a posture free of collisions that meets the goals as they are now.

        There may be one where the stream is blocked; the way there is a planner's work.

        :returns: None where there are no goals, or no scene
        """
        search = self.free_search()
        return None if search is None else search()

    @property
    def blocked(self) -> bool:
        """Whether bodies keep the stream off its goal."""
        guard = self.steps.guard
        return guard is not None and bool(guard.state.pressed[0] >= BLOCKED_AFTER)

    @property
    def phase(self) -> str:
        """
        Return ``following``, or what the stream does off the goal.

        That is ``on the way``, ``best reach``, ``blocked`` or ``stopped``.

        Without goals it is ``jogging`` or ``idle``, after the watchdog ``holding``.
        """
        if not self.active or (not self._goals and not self.qdot.any()):
            return 'idle'
        if self.holding:
            return 'holding'
        if not self._goals:
            return 'jogging'
        if not self.steps.state.lost[0]:
            return 'following'
        if self.blocked:
            return 'blocked'
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
