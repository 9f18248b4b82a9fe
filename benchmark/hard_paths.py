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
"""
Paths that are hard to follow, and ordinary ones, by robot and seed.

The poses of a path are those of a joint motion within the limits, so that every path can be
followed. A tracker gets the poses one by one and the first posture, and knows nothing else.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .cases import RATE
from .protocol import Referee
from .robots import Robot

SECONDS = 8.0
SHARE = 0.9  # of each joint's range that a path uses
NO_RANGE = np.pi  # rad to both sides for joints without end stops
SINES = 3
IN_TIME = 0.98  # share of the speed limits that a motion may use
SLOWEST, FASTEST = 0.05, 0.15  # Hz of the sines
SEGMENT = 1.0  # seconds of a piece of an ordinary path...
STRIDE = 1.2  # ...in which a joint moves by at most this much [rad or m]


@dataclass(frozen=True)
class Path:
    """
    Poses of the tip at RATE, and the joint motion that they come from.

    :param q: joint motion, shape (frames, n)
    :param poses: of the tip in the base frame, shape (frames, 4, 4)
    """

    q: np.ndarray
    poses: np.ndarray

    @property
    def largest_step(self) -> float:
        """Return the largest step of a joint from one frame to the next [rad or m]."""
        return float(np.abs(np.diff(self.q, axis=0)).max())


def hard(robot: Robot, seed: int, seconds: float = SECONDS,
         speeds: ArrayLike | None = None) -> Path:
    """
    Return the poses of a joint motion over 90 % of all ranges.

    :param speeds: limits of the joints [rad/s]; a motion that is faster is played more slowly
    """
    q = hard_motion(robot.lower, robot.upper, seed, seconds)
    if speeds is not None:
        haste = float((np.abs(np.diff(q, axis=0)).max(axis=0) * RATE / speeds).max())
        q = hard_motion(robot.lower, robot.upper, seed, seconds, min(1.0, IN_TIME / haste))
    return _posed(robot, q)


def ordinary(robot: Robot, seed: int, seconds: float = SECONDS) -> Path:
    """Return the poses of a joint motion of at most 1.2 rad per second."""
    return _posed(robot, ordinary_motion(robot.lower, robot.upper, seed, seconds))


def hard_motion(lower: ArrayLike, upper: ArrayLike, seed: int, seconds: float = SECONDS,
                pace: float = 1.0) -> np.ndarray:
    """
    Return a joint motion (frames, n): each joint moves by a sum of three sines.

    Frequencies (0.05 to 0.15 Hz), phases and shares are random; the shares add up to 1.

    :param pace: below 1, the motion is played more slowly, and less of it
    """
    rng = np.random.default_rng(seed)
    middle, half = _middle(lower, upper)
    times = pace * np.arange(round(seconds * RATE)) / RATE
    q = np.empty((len(times), len(middle)))
    for joint in range(len(middle)):
        frequencies = rng.uniform(SLOWEST, FASTEST, SINES)
        phases = rng.uniform(0.0, 2.0 * np.pi, SINES)
        shares = rng.random(SINES)
        waves = np.sin(2.0 * np.pi * np.outer(times, frequencies) + phases)
        q[:, joint] = middle[joint] + half[joint] * waves @ (shares / shares.sum())
    return q


def ordinary_motion(lower: ArrayLike, upper: ArrayLike, seed: int,
                    seconds: float = SECONDS) -> np.ndarray:
    """
    Return a joint motion (frames, n) from one random posture to the next, one per second.

    All joints move at once, with the least jerk, and rest for an instant at each posture.
    """
    rng = np.random.default_rng(seed)
    middle, half = _middle(lower, upper)
    points = [rng.uniform(middle - half, middle + half)]
    while len(points) * SEGMENT < seconds + SEGMENT:
        points.append(rng.uniform(np.maximum(points[-1] - STRIDE, middle - half),
                                  np.minimum(points[-1] + STRIDE, middle + half)))
    times = np.arange(round(seconds * RATE)) / RATE / SEGMENT
    piece = times.astype(int)
    u = (times - piece)[:, None]
    start, end = np.array(points)[piece], np.array(points)[piece + 1]
    return start + (end - start) * u ** 3 * (10.0 - 15.0 * u + 6.0 * u ** 2)


def _middle(lower: ArrayLike, upper: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle and half the width of the part of each range that paths use."""
    low, high = np.array(lower, float), np.array(upper, float)
    limited = np.isfinite(high - low)
    low, high = np.where(limited, low, -NO_RANGE), np.where(limited, high, NO_RANGE)
    return 0.5 * (low + high), 0.5 * SHARE * (high - low)


def _posed(robot: Robot, q: np.ndarray) -> Path:
    referee = Referee(robot)
    return Path(q, np.array([referee.poses(row)[0] for row in q]))
