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
"""Displacements of joints: each goes a given way from where it is, and comes to rest there."""

from __future__ import annotations

from dq_ik.robot.joint_angles import JointAngles
from dq_ik.stream.limits import MotionLimits
from dq_ik.stream.motion import Motion
import numpy as np

ARRIVED = 1e-9  # distance from its end at which a joint is there [rad or m]


class Shift:
    """
    Moves joints by displacements; a new one counts from where the joints are when it comes.

    What is left of the one before is not added, so that no backlog grows. From rest, all joints
    arrive together.
    """

    def __init__(self, joints: JointAngles) -> None:
        """Be at rest."""
        self._joints = joints
        self._last = self._ends = np.zeros(len(joints.names))
        self.rest()

    def rest(self) -> None:
        """Stand still at once."""
        self._motion: Motion | None = None
        self._wanted: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def active(self) -> bool:
        """Whether something moves, or is about to."""
        return self._motion is not None or self._wanted is not None

    def take(self, displacement: np.ndarray, speed: np.ndarray) -> None:
        """
        Take a displacement; 0 everywhere, as of an idle joystick, means to stop.

        :param displacement: (n,) [rad or m].
        :param speed: greatest speeds (n,), above 0 where there is a displacement.
        """
        if displacement.any():
            self._wanted = displacement, speed
        else:
            self.end()

    def end(self) -> None:
        """Brake, since something else is wanted now."""
        self._wanted = None
        if self._motion is not None:
            self._motion.stop()
            self._ends = np.full_like(self._last, np.nan)

    def advance(self, angles: np.ndarray, dt: float, ramp_time: float) -> np.ndarray:
        """
        Return the step (n,) of a period.

        :param angles: where the joints are.
        :param ramp_time: from rest to the greatest speed [s].
        """
        if self._wanted is not None:
            self._begin(angles, *self._wanted, ramp_time)
            self._wanted = None
        if self._motion is None:
            return np.zeros_like(angles)
        after, velocity = self._motion.step(dt)
        step, self._last = after - self._last, after
        left = np.abs(self._ends - after)  # NaN: the joint may stop anywhere
        if not velocity.any() and not (left > ARRIVED).any():
            self.rest()
        return step

    def _begin(self, angles: np.ndarray, displacement: np.ndarray, speed: np.ndarray,
               ramp_time: float) -> None:
        """Aim at the end of a displacement, from rest or in motion."""
        size = np.abs(displacement)
        longest = float(np.max(size / np.where(size > 0.0, speed, 1.0)))
        velocity = size / longest if longest > 0.0 else size
        limits = MotionLimits.of(len(angles), velocity,
                                 velocity / ramp_time if ramp_time > 0.0 else np.inf)
        if self._motion is None:
            self._last = angles
            self._motion = Motion(angles, limits, lower=self._joints.lower,
                                  upper=self._joints.upper, limiting='joint')
        else:
            self._motion.configure(limits, 'joint')
        target = np.clip(self._last + displacement, self._joints.lower, self._joints.upper)
        self._ends = np.where(displacement != 0.0, target, np.nan)
        self._motion.aim(target)
