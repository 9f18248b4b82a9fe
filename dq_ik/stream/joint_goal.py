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
"""The way to a posture by joint velocities: straight in joint space, within the speed limits."""

from __future__ import annotations

import math

from dq_ik.robot.chain import Chain
import numpy as np

# Speed per distance [1/s]: the joints slow down near the posture. More would swing, because what
# is known of the joints is about 0.1 s old, and the ramps of a jog take 0.2 s.
GAIN = 3.0
CLOSE = 1e-4  # distance of each joint from the posture at which it counts as met [rad or m]
PATIENCE = 1.5  # time without getting nearer after which the way is given up [s]
USUAL_SPEED = 1.0  # of a joint whose speed has no limit [rad/s or m/s]


class JointGoal:
    """Leads the joints to a posture; it may be moved on the way."""

    def __init__(self, chain: Chain) -> None:
        """Lead nowhere."""
        self._chain = chain
        self._most = _usual(chain.angles.velocity)
        self.posture: np.ndarray | None = None
        self._nearest, self._nearer_at = math.inf, 0.0

    def aim(self, q: np.ndarray) -> None:
        """Lead to a posture from now on, or to the nearest one within the limits."""
        self.posture = self._chain.clamp(q)
        self._nearest = math.inf

    def end(self) -> None:
        """Lead nowhere any more."""
        self.posture = None

    def velocities(self, q: np.ndarray, now: float, speed: float = 1.0) -> dict[str, float]:
        """
        Return the velocity of each joint of the URDF; all are zero once, at the end of the way.

        It ends when the posture is met, or when the joints do not get nearer: a command that
        runs ahead of a joint which is stuck would be dangerous.

        :param q: where the joints are
        :param now: time [s] on a steady clock
        :param speed: share of the speed limits
        """
        if self.posture is None:
            return {}
        angles = self._chain.angles
        way = angles.of(self.posture) - angles.of(q)
        distance = float(np.max(np.abs(way), initial=0.0))
        if distance < self._nearest - 0.1 * CLOSE:
            self._nearest, self._nearer_at = distance, now
        if distance < CLOSE or now - self._nearer_at > PATIENCE:
            self.end()
            return dict.fromkeys(angles.names, 0.0)
        fastest = float(np.max(GAIN * np.abs(way) / (speed * self._most)))
        return dict(zip(angles.names, (way * GAIN / max(1.0, fastest)).tolist()))


def usual_speeds(chain: Chain) -> np.ndarray:
    """Return the speed limit of each joint (n,), a usual speed where there is none."""
    return _usual(chain.velocity)


def _usual(speeds: np.ndarray) -> np.ndarray:
    """Return speed limits (n,), a usual speed where there is none."""
    return np.where(np.isfinite(speeds), speeds, USUAL_SPEED)
