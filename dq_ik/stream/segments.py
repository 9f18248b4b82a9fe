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
"""Commands as pieces of a trajectory, for controllers that interpolate."""

from __future__ import annotations

from itertools import pairwise

from dq_ik.robot.chain import Chain
import numpy as np

LONGEST, SHORTEST = 0.1, 1e-3  # of a period between two commands [s]

Point = tuple[float, np.ndarray, np.ndarray]  # time from now [s], position, velocity


class Segments:
    """
    Makes of each command the way to it, from where the last way is by now, and on to a stop.

    A controller that interpolates then moves without a break, one period behind the commands,
    whenever they come. A trajectory of one point would begin at rest at every command. If no
    further command comes, the joints brake. The last point is at rest: joint_trajectory_controller
    refuses others.
    """

    def __init__(self, stop_time: float) -> None:
        """
        Begin without a last command.

        :param stop_time: in which the joints brake when commands end [s]
        """
        self._stop_time = stop_time
        self._points: list[Point] = []
        self._time = 0.0
        self._command = np.empty(0)

    def points_to(self, q: np.ndarray, now: float, chain: Chain) -> list[Point]:
        """
        Return the points of the way, times from now on.

        :param q: positions of the chain's joints as the URDF has them
        :param now: time of the command [s]
        """
        rest, since = np.zeros_like(q), now - self._time
        if len(self._command) != len(q) or since < 0.0 or since > LONGEST + self._stop_time:
            self._points = [(self._stop_time, q, rest)]
        else:
            period = min(max(since, SHORTEST), LONGEST)
            speed = (q - self._command) / period
            points = [(0.0, *sample(self._points, since)), (period, q, speed)]
            if speed.any():
                stop = np.clip(q + 0.5 * self._stop_time * speed, chain.angles.lower,
                               chain.angles.upper)
                points.append((period + self._stop_time, stop, rest))
            self._points = points
        self._time, self._command = now, q
        return self._points


def sample(points: list[Point], time: float) -> tuple[np.ndarray, np.ndarray]:
    """Return position and velocity on cubic splines through points, as a controller has them."""
    for (t0, q0, v0), (t1, q1, v1) in pairwise(points):
        if time < t1:
            span = t1 - t0
            s, way = (time - t0) / span, q1 - q0
            a, b = span * v0, span * v1
            c, d = 3.0 * way - 2.0 * a - b, a + b - 2.0 * way
            return q0 + s * (a + s * (c + s * d)), (a + s * (2.0 * c + 3.0 * s * d)) / span
    return points[-1][1], np.zeros_like(points[-1][1])
