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
"""A moving goal that the robot at hand can follow without a jump. No ROS inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
import math
from typing import Protocol

import numpy as np

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
from dq_ik.viewer.goals import FigureOfEight, PERIOD

SIZES = (1.0, 0.5, 0.25)  # fractions of the figure that suits the length of the arm
CENTRES = 12  # configurations tried as the middle of the figure
SAMPLES = 60  # goals per round that are checked
LARGEST_STEP = 0.4  # of a joint from one checked goal to the next [rad or m]
SWAY = 0.1  # of a joint's range


class Path(Protocol):
    """Goals as a function of time."""

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip ``time`` seconds after the beginning, in the base frame."""


@dataclass(frozen=True)
class Eights:
    """A figure of eight for every tip, at constant orientation."""

    figures: tuple[FigureOfEight, ...]

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        return {tip: pose for figure in self.figures for tip, pose in figure.poses(time).items()}


@dataclass(frozen=True)
class Sway:
    """The poses of a robot that sways about a configuration: followable by any robot."""

    chain: Chain
    centre: np.ndarray
    amplitude: np.ndarray

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        phases = 2.0 * math.pi * (time / PERIOD + np.arange(self.chain.n) / self.chain.n)
        return self.chain.fk_all(self.chain.clamp(self.centre + self.amplitude * np.sin(phases)))


def find_path(chain: Chain) -> Path:
    """
    Return a path for all tips of a robot.

    Figures of eight are tried about several configurations, large ones first. A robot that can
    follow none, such as a planar arm, gets goals that come from swaying joints.
    """
    solver = Solver(chain, max_restarts=0)
    centres = list(_centres(chain))
    for size in SIZES:
        for centre in centres:
            path = Eights(tuple(
                replace(figure, size=size * figure.size) for figure in (
                    FigureOfEight.around(chain, tip, start)
                    for tip, start in chain.fk_all(centre).items())))
            if _follows(solver, path, centre):
                return path
    return Sway(chain, centres[0], SWAY * _finite_range(chain))


def _centres(chain: Chain) -> Iterator[np.ndarray]:
    """Yield configurations between neutral and random ones, with all tips above the ground."""
    rng = np.random.default_rng(0)
    yield chain.neutral
    ground = min(0.0, *(pose.position[2] for pose in chain.fk_all(chain.neutral).values()))
    found = 0
    for _ in range(20 * CENTRES):
        q = chain.clamp(0.5 * (chain.neutral + chain.random(rng)))
        if all(pose.position[2] >= ground for pose in chain.fk_all(q).values()):
            yield q
            found += 1
        if found == CENTRES:
            return


def _follows(solver: Solver, path: Path, q: np.ndarray) -> bool:
    """Tell whether the solver, started at ``q``, meets all goals of one round in small steps."""
    for sample in range(SAMPLES + 1):
        goals = path.goals(PERIOD * sample / SAMPLES)
        result = solver.solve(goals, seed=q)
        if not result.success or np.max(np.abs(result.q - q)) > LARGEST_STEP:
            return False
        q = result.q
    return True


def _finite_range(chain: Chain) -> np.ndarray:
    """Return the range of each variable, that of a turn where there is no limit."""
    span = np.subtract(chain.upper, chain.lower)
    return np.where(np.isfinite(span), span, 2.0 * math.pi)
