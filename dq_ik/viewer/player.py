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
"""What moves by itself: goals along a path, or joints to a posture; one at a time."""

from __future__ import annotations

from collections.abc import Callable
import time

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.stream.joint_goal import JointGoal
from dq_ik.stream.path import Path
from dq_ik.viewer.outlet import Outlet
import numpy as np

SETTLING = 1.0  # in which the arm has come to rest after the last velocity [s]


class Player:
    """Plays a path of goals, or leads the joints; a new motion ends the one before."""

    def __init__(self, chain: Chain, outlet: Outlet,
                 set_goal: Callable[[str, Pose], None]) -> None:
        """
        Play nothing.

        :param set_goal: moves the handle of a tip and sends its goal
        """
        self._outlet, self._set_goal = outlet, set_goal
        self._lead = JointGoal(chain)
        self._path: Path | None = None
        self._start = 0.0
        self._moved: float | None = None
        self.turn = 0  # changes whenever a motion begins or is ended

    @property
    def is_playing(self) -> bool:
        """Whether goals move along a path."""
        return self._path is not None

    @property
    def moves_joints(self) -> bool:
        """Whether joints are on their way to a posture."""
        return self._lead.posture is not None

    @property
    def is_jogging(self) -> bool:
        """Whether the arm moves, or may still move, without goals."""
        return self._moved is not None and time.monotonic() - self._moved < SETTLING

    def play(self, path: Path) -> None:
        """Play a path from its beginning."""
        self.turn += 1
        self._lead.end()
        self._path, self._start = path, time.monotonic()

    def go_to(self, q: np.ndarray) -> None:
        """Lead the joints to a posture."""
        self.turn += 1
        self._path = None
        self._lead.aim(q)
        self.jog()

    def jog(self) -> None:
        """Note that something moves the arm without goals."""
        self._moved = time.monotonic()

    def stop(self) -> None:
        """Play nothing any more; goals and joints stay where they are."""
        self.turn += 1
        self._path = None
        self._lead.end()

    def tick(self, now: float, q: np.ndarray, speed: float) -> None:
        """
        Send the goals or velocities of this moment; the last goals are those of the path's end.

        :param q: where the joints are
        :param speed: share of the joints' speed limits
        """
        if self._path is not None:
            elapsed = now - self._start
            for tip, pose in self._path.goals(elapsed).items():
                self._set_goal(tip, pose)
            if elapsed >= self._path.duration:
                self._path = None
        velocities = self._lead.velocities(q, now, speed)
        if velocities and self._outlet.joints is not None:
            self.jog()
            self._outlet.joints(velocities)
