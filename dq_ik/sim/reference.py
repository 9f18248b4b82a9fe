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

"""The reference that a joint servo follows: commands, smoothed to what the joints can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dq_ik.robot.model import Joint
from dq_ik.stream.limits import MotionLimits
from dq_ik.stream.motion import Motion
import numpy as np


class Reference:
    """
    A joint vector that moves toward the newest command within the limits of the joints.

    It speeds up and brakes as the motors can, so that a servo behind it is never asked for a jump.
    A command is either a target for some joints or a trajectory of them; joints that a command
    does not name keep their last one.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        start: Mapping[str, float],
        acceleration: np.ndarray | float = np.inf,
    ) -> None:
        """
        Rest at ``start``.

        :param joints: single-axis joints, in the order of the vector
        :param start: positions at the beginning, by name [rad or m]
        :param acceleration: greatest acceleration of each joint, shape ``(n,)``
        """
        self._index = {joint.name: index for index, joint in enumerate(joints)}
        self._lower = np.array([joint.lower for joint in joints])
        self._upper = np.array([joint.upper for joint in joints])
        speed = np.array([joint.velocity or np.inf for joint in joints])
        self._motion = Motion(
            [start[name] for name in self._index],
            MotionLimits.of(len(joints), speed, acceleration), lower=self._lower,
            upper=self._upper, limiting='joint')
        self.q, self.qdot = self._motion.q, self._motion.qdot
        self._target = self.q.copy()
        self._times = np.zeros(0)
        self._points = np.zeros((0, len(self._index)))
        self._elapsed = 0.0

    def aim(self, positions: Mapping[str, float]) -> None:
        """Go to positions, by joint name; skip unknown names and values that are not finite."""
        self._times = np.zeros(0)
        for name, position in positions.items():
            if name in self._index and np.isfinite(position):
                self._target[self._index[name]] = position

    def follow(self, names: Sequence[str], times: np.ndarray, points: np.ndarray) -> None:
        """
        Pass through points at given times from now, straight in between.

        :param names: joint of each column of ``points``
        :param times: increasing times from now, shape ``(k,)`` [s]
        :param points: joint positions at these times, shape ``(k, len(names))``
        """
        known = [column for column, name in enumerate(names) if name in self._index]
        joints = [self._index[names[column]] for column in known]
        path = np.tile(self._target, (len(times) + 1, 1))
        path[0] = self.q
        path[1:, joints] = np.asarray(points, float)[:, known]
        self._times = np.concatenate([[0.0], np.asarray(times, float)])
        self._points = path
        self._elapsed = 0.0

    def advance(self, dt: float) -> np.ndarray:
        """Return the reference after ``dt`` seconds."""
        if len(self._times):
            self._elapsed += dt
            self._target = self._sample(self._elapsed)
        self._motion.aim(self._target)
        self.q, self.qdot = self._motion.step(dt)
        return self.q

    def _sample(self, time: float) -> np.ndarray:
        return np.array([np.interp(time, self._times, column) for column in self._points.T])
