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
"""Goals that move: paths for a demo and for the buttons of a page. No ROS and no page inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import math
from typing import Protocol

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
import numpy as np

PERIOD = 6.0  # of a figure of eight [s]
EIGHT_SIZE = 0.14  # half the width of a figure, as a fraction of the length of the arm
SQUARE_SIZE = 0.09  # half a side of a square, as a fraction of the length of the arm
CORNERS = ((0, 0, 0), (0, 1, 0), (0, 1, 2), (0, -1, 2), (0, -1, 0))  # of a square, from its start
SIZES = (1.0, 0.5, 0.25)  # fractions of that figure which are tried
CENTRES = 12  # configurations tried as the middle of the figure
SAMPLES = 60  # goals per round that are checked
LARGEST_STEP = 0.4  # of a joint from one checked goal to the next [rad or m]
SWAY = 0.1  # amplitude of a joint, as a fraction of its range
BEYOND = 1.02  # distance of a goal out of reach, as a fraction of the greatest reach
STRIDE = 0.5  # share of the way from the configuration now to a random one
GLIDE_TIME = 1.5  # [s]


class Path(Protocol):
    """Goals as a function of time; ``duration`` is infinite for a path without an end [s]."""

    @property
    def duration(self) -> float:
        """Time after which the goals rest [s]."""

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip ``time`` seconds after the beginning, in the base frame."""


@dataclass(frozen=True)
class FigureOfEight:
    """
    A figure of eight for each tip, at constant orientation, one round per PERIOD.

    It lies in the plane of the base's y and z axes and crosses itself at the start.

    :param starts: pose of each tip at the start
    :param sizes: half the width of each figure [m]
    """

    starts: Mapping[str, Pose]
    sizes: Mapping[str, float]
    duration = math.inf

    @classmethod
    def around(cls, chain: Chain, starts: Mapping[str, Pose], scale: float = 1.0) -> FigureOfEight:
        """Return figures in proportion to the length of the arm."""
        return cls(starts, {tip: scale * EIGHT_SIZE * arm_length(chain, tip) for tip in starts})

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        phase = 2.0 * math.pi * time / PERIOD
        offset = np.array([0.0, math.sin(phase), 0.5 * math.sin(2.0 * phase)])
        return {tip: Pose.from_xyz_wxyz(start.position + self.sizes[tip] * offset,
                                        start.quaternion)
                for tip, start in self.starts.items()}


@dataclass(frozen=True)
class Square:
    """
    A square for each tip, at constant orientation, one round per PERIOD, slow at its corners.

    It lies in the plane of the base's y and z axes, and the start is the middle of its lower side.

    :param starts: pose of each tip at the start
    :param sizes: length of half a side [m]
    """

    starts: Mapping[str, Pose]
    sizes: Mapping[str, float]
    duration = math.inf

    @classmethod
    def around(cls, chain: Chain, starts: Mapping[str, Pose]) -> Square:
        """Return squares in proportion to the length of the arm."""
        return cls(starts, {tip: SQUARE_SIZE * arm_length(chain, tip) for tip in starts})

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        part, share = divmod(len(CORNERS) * time / PERIOD, 1.0)
        before, after = (np.array(CORNERS[(int(part) + k) % len(CORNERS)]) for k in (0, 1))
        offset = before + eased(share) * (after - before)
        return {tip: Pose.from_xyz_wxyz(start.position + self.sizes[tip] * offset,
                                        start.quaternion)
                for tip, start in self.starts.items()}


@dataclass(frozen=True)
class Sway:
    """The poses of a robot that sways about a configuration: any robot can follow them."""

    chain: Chain
    centre: np.ndarray
    amplitude: np.ndarray
    duration = math.inf

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        phases = 2.0 * math.pi * (time / PERIOD + np.arange(self.chain.n) / self.chain.n)
        return self.chain.fk_all(self.chain.clamp(self.centre + self.amplitude * np.sin(phases)))


@dataclass(frozen=True)
class Glide:
    """
    The poses of a robot that moves from one configuration to another, slow at both ends.

    The solver can follow such goals step by step; a goal that jumps would be a search.
    """

    chain: Chain
    start: np.ndarray
    end: np.ndarray
    duration = GLIDE_TIME

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        share = eased(time / self.duration)
        return self.chain.fk_all(self.start + share * (self.end - self.start))


def eased(share: float) -> float:
    """Return a share of a way, slow at both ends (smoothstep)."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)


def find_path(chain: Chain) -> Path:
    """
    Return a path that all tips of a robot can follow without a jump.

    Figures of eight are tried about several configurations, large ones first. A robot that can
    follow none, such as a planar arm, gets goals that come from swaying joints.
    """
    solver = Solver(chain, max_restarts=0)
    centres = list(_centres(chain))
    for size in SIZES:
        for centre in centres:
            path = FigureOfEight.around(chain, chain.fk_all(centre), size)
            if _follows(solver, path, centre):
                return path
    return Sway(chain, centres[0], SWAY * _finite_range(chain))


def arm_length(chain: Chain, tip: str) -> float:
    """Return the reach of a tip [m]; a metre if it has none, as on a mobile base."""
    reach = chain.reach[chain.tip_number(tip)]
    return reach if 0.0 < reach < math.inf else 1.0


def unreachable_goal(chain: Chain, tip: str, near: Pose) -> Pose:
    """Return a pose beyond reach, in the direction of ``near`` as seen from the first joint."""
    centre = chain.reach_from[chain.tip_number(tip)]
    way = near.position - centre
    distance = float(np.linalg.norm(way))
    direction = way / distance if distance > 1e-6 else np.array([1.0, 0.0, 0.0])
    return Pose.from_xyz_wxyz(centre + BEYOND * arm_length(chain, tip) * direction,
                              near.quaternion)


def random_configuration(
    chain: Chain, rng: np.random.Generator, near: np.ndarray
) -> np.ndarray:
    """
    Return a configuration within all limits, not far from one, with the tips above the ground.

    :param near: joint positions now, shape ``(n,)``
    """
    for _ in range(50):
        q = near + STRIDE * (chain.random(rng) - near)
        if all(pose.position[2] > 0.0 for pose in chain.fk_all(q).values()):
            break
    return q


def _centres(chain: Chain) -> Iterator[np.ndarray]:
    """Yield configurations between home and random ones, with all tips above the ground."""
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
