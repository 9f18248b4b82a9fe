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
"""A robot that follows goals, twists and joint velocities in this process, without motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import threading
from typing import Any, TYPE_CHECKING

from dq_ik.errors import DqIkError
from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.stream.jog import Jog, JogSettings
from dq_ik.stream.report import MotionReport, Report
from dq_ik.stream.tracker import Tracker
import numpy as np

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene

LONGEST_STEP = 0.1  # after a pause the robot does not catch up at once [s]


class InProcess:
    """
    What the ik node and an ideal arm are together: orders in, joint positions and news out.

    Orders may come from any thread; :meth:`step` is called by one, about 30 times per second.
    """

    def __init__(self, chain: Chain, q: np.ndarray | None = None) -> None:
        """
        Be at rest.

        :param q: where the joints are; None: neutral
        """
        self.chain = chain
        self._lock = threading.RLock()
        self._options, self._settings = IkOptions(), JogSettings()
        self.tracker = Tracker(chain, self._options, self._settings, q)
        self._jog = Jog(chain, self._options, self._settings)
        self._now = self._last = 0.0
        self._watched: Scene | str | None = None
        self.report = Report()

    def watch(self, scene: Scene | str | None) -> None:
        """
        Keep away from the bodies of a scene from now on.

        :param scene: None: any may collide; a text: why nothing is followed until there is one
        """
        with self._lock:
            if scene == self._watched:
                return
            self._watched = scene
            if isinstance(scene, str):
                self._jog.stop()
                self.report = Report(False, scene, title='Not followed')
            else:
                self.tracker.watch(scene)
                self.report = Report()

    def goal(self, tip: str, goal: Goal | Pose) -> None:
        """Follow a goal from now on."""
        with self._lock:
            self._jog.stop()
            self.tracker.set_goal(tip, goal, self._now)

    def option(self, name: str, value: str | bool | float) -> None:
        """Change a setting of the stream or of the solver, or ``position_only``."""
        with self._lock:
            if name == 'position_only':
                name, value = 'goal_mode', 'position' if value else 'pose'
            change: Any = {name: value}
            if hasattr(self._settings, name):
                self._settings = replace(self._settings, **change)
            else:
                self._options = IkOptions.of(self._options, **change)
            self.tracker.configure(self._options, self._settings)
            self._jog.configure(self._options, self._settings)

    def twist(self, tip: str, twist: Sequence[float], frame: str) -> None:
        """Move a tip at a velocity for a moment; ``frame`` is the tip or the base."""
        self._begin_jog()
        with self._lock:
            self._jog.twist(tip, twist, self._now, None if frame == tip else Pose.identity())

    def joints(self, velocities: dict[str, float]) -> None:
        """Move joints at velocities for a moment."""
        self._begin_jog()
        with self._lock:
            self._jog.joints(velocities, self._now)

    def _begin_jog(self) -> None:
        with self._lock:
            if not self._jog.active:
                self.tracker.hold()

    def step(self, now: float) -> None:
        """Let time pass until ``now`` [s] on a steady clock."""
        with self._lock:
            dt = min(now - self._last, LONGEST_STEP) if self._last else 0.0
            self._now = self._last = now
            if isinstance(self._watched, str):
                return
            try:
                self._advance(now, dt)
            except DqIkError as error:
                self.tracker.hold()
                self.report = Report(False, str(error), title='Not followed')

    def _advance(self, now: float, dt: float) -> None:
        if self._jog.active:
            q, result = self._jog.advance(self.tracker.target, now, dt)
            self.tracker.set_target(q, now, dt)
            self.report = _jogging(result) if self._jog.active else Report()
        if self.tracker.active or self.tracker.wants_step:
            answer = self.tracker.tick(now, dt)
            if answer is not None:
                self.report = _answer(answer)
            self.tracker.settle(now)

    @property
    def positions(self) -> dict[str, float]:
        """Joint positions by name."""
        return self.chain.joint_positions(self.tracker.command)

    @property
    def motion(self) -> MotionReport:
        """Return how the robot moves."""
        with self._lock:
            tracker = self.tracker
            return MotionReport(tracker.policy, tracker.phase, tracker.outlook,
                                tracker.speed_share, tracker.acceleration_share)


def _answer(result: IkResult) -> Report:
    """Return the news of an answer to goals."""
    return Report(result.success, result.message, float(max(result.position_error)),
                  float(max(result.rotation_error)), result.time)


def _jogging(result: IkResult | None) -> Report:
    """Return the news of a robot that is jogged."""
    if result is None or result.success:
        return Report(True, 'jogging', title='Moving')
    return Report(False, 'as far as limits and speeds of the joints allow: ' + result.message,
                  title='Moving')
