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
"""The elbow slider: joints that move while the tool stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dq_ik.pose import Pose
from dq_ik.stream.self_motion import SelfMotion
from dq_ik.viewer.panel import Mirror
import numpy as np

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

ELBOW = 'Elbow [%]'
SPEED = 1.0  # along the way of the elbow, at full speed [rad/s]
ELSEWHERE = 0.02  # a goal that was moved farther is another one [m]
OFF = 0.2  # a joint that is farther from the way has left it [rad]
NO_FREEDOM = ('The goals leave these joints no freedom: an elbow needs more joints than a goal '
              'has numbers. Position only gives some.')


class Elbow:
    """A slider along the self-motion; its ends are joint limits, or where the way closes."""

    def __init__(self, page: Page) -> None:
        """Add the slider."""
        self._page = page
        self._slider = Mirror(page.server.gui.add_slider(
            ELBOW, min=-100, max=100, step=1, initial_value=0,
            disabled=page.outlet.joints is None, hint='Move the joints; the tool stays'),
            self._move)
        self._motion: SelfMotion | None = None
        self._goals: dict[str, Pose] = {}
        self._place = self._time = 0.0
        self._target: float | None = None
        self._turn = -1
        page.on_tick.append(self._tick)

    def _move(self, value: int) -> None:
        page = self._page
        with page.lock:
            if self._motion is None or (
                    self._target is None and np.abs(
                        page.q - self._motion.at(self._place)).max() > OFF):
                self._begin()
            if self._motion is None:
                return
            ends = self._motion
            self._target = 0.01 * value * (ends.upper if value > 0 else -ends.lower)
            if not page.moves_joints:
                page.go_to(page.q)
            self._turn = page.turn

    def _begin(self) -> None:
        """Find the way of the elbow from here."""
        page = self._page
        wanted = page.wanted()
        motion = SelfMotion(page.chain, page.q, wanted) if wanted else None
        if motion is None or not motion.exists:
            page.notes.say(NO_FREEDOM)
            self._forget()
            return
        self._motion, self._place = motion, 0.0
        self._goals = {tip: page.goals[tip].pose for tip in wanted}

    def _forget(self) -> None:
        self._motion = self._target = None
        self._slider.show(0)

    def _tick(self, now: float) -> None:
        """Go on along the way; at its end put the tool back exactly."""
        page = self._page
        step, self._time = SPEED * page.panel.speed * min(now - self._time, 0.1), now
        if self._motion is not None and goals_moved(page, self._goals):
            self._forget()
        if self._motion is None or self._target is None:
            return
        if page.turn != self._turn:  # somebody moves something else
            self._target = None
        elif self._place != self._target:
            self._place += min(max(self._target - self._place, -step), step)
            page.go_to(self._motion.at(self._place))
            self._turn = page.turn
        elif not page.moves_joints:
            self._target = None
            page.set_goals(self._goals)


def goals_moved(page: Page, goals: Mapping[str, Pose]) -> bool:
    """Tell whether a handle is no longer where it was."""
    return any(page.goals[tip].pose.distance(pose)[0] > ELSEWHERE for tip, pose in goals.items())
