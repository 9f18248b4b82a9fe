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
"""Limits of motion: joints that speed up and brake within their limits."""

from __future__ import annotations

import numpy as np

# A joint this close [rad or m] to its target has arrived.
ARRIVED = 1e-9


class SpeedLimit:
    """
    Moves joints to a target no faster than they may, with bounded acceleration, each by itself.

    The speed is the greatest from which a joint can still stop at its target: it never passes a
    target that stands still, and when targets move it stops at the latest where an earlier one
    was, hence within the limits.
    """

    def __init__(self, velocity: np.ndarray, acceleration: np.ndarray) -> None:
        """
        Set the limits, shape (n,) each; they may be infinite.

        :param velocity: greatest speeds [rad/s or m/s].
        :param acceleration: greatest accelerations [rad/s^2 or m/s^2].
        """
        self.velocity = velocity
        self.acceleration = np.maximum(acceleration, 1e-12)  # joints that may not move

    def step(self, q: np.ndarray, qdot: np.ndarray, target: np.ndarray,
             dt: float) -> tuple[np.ndarray, np.ndarray]:
        """
        Return position and velocity after ``dt``.

        The speed v solves ``v dt + v^2 / (2 a) = |target - q|``: this step, then a full stop.
        """
        a = self.acceleration
        e = target - q
        length = np.abs(e)
        v = 2.0 * length / (dt + np.sqrt(dt * dt + 2.0 * length / a))
        v = np.copysign(np.minimum(v, self.velocity), e)
        v = np.clip(v, qdot - a * dt, qdot + a * dt)
        near = (length < ARRIVED) & (np.abs(v) <= a * dt)
        return np.where(near, target, q + v * dt), np.where(near, 0.0, v)

    def stop(self, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """Return where the joints come to rest when they brake now."""
        return q + 0.5 * qdot * np.abs(qdot) / self.acceleration
