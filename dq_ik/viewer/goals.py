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

"""Goals that the buttons of the page propose. No viewer inside."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import JointKind

BEYOND = 1.02
PERIOD = 6.0
EIGHT_SIZE = 0.11
STRIDE = 0.5
GLIDE_TIME = 1.5


def reach_bound(chain: Chain, tip: str) -> float:
    """
    Return a distance from the base that the tip can never exceed [m].

    It is the length of the arm if every joint could be stretched: all offsets between joints, and
    the travel of those that slide.
    """
    length = float(np.linalg.norm(chain.tool.position))
    for joint in chain.model.joint_path(chain.base, tip):
        length += float(np.linalg.norm(joint.origin.position))
        if joint.kind is JointKind.PRISMATIC:
            travel = max(abs(joint.lower), abs(joint.upper))
            length += travel if math.isfinite(travel) else 1.0
    return length


def unreachable_goal(chain: Chain, tip: str, near: Pose) -> Pose:
    """Return a pose beyond reach, in the direction of ``near`` as seen from the base."""
    distance = float(np.linalg.norm(near.position))
    direction = near.position / distance if distance > 1e-6 else np.array([1.0, 0.0, 0.0])
    position = BEYOND * reach_bound(chain, tip) * direction
    return Pose.from_xyz_wxyz(position, near.quaternion)


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


@dataclass(frozen=True)
class Glide:
    """
    A way of all tips from one configuration to another, which can be followed at every moment.

    A goal that jumps is a search for the solver, a goal that glides is not.
    """

    chain: Chain
    start: np.ndarray
    end: np.ndarray

    def poses(self, time: float) -> dict[str, Pose]:
        """Return the goals ``time`` seconds after the beginning, slow at both ends."""
        share = min(time / GLIDE_TIME, 1.0)
        share *= share * (3.0 - 2.0 * share)
        return self.chain.fk_all(self.start + share * (self.end - self.start))

    def ends_at(self) -> float:
        """Return when the end is reached [s]."""
        return GLIDE_TIME


@dataclass(frozen=True)
class FigureOfEight:
    """A path through ``start`` in the plane of the base's y and z axes, one round per PERIOD."""

    tip: str
    start: Pose
    size: float

    @classmethod
    def around(cls, chain: Chain, tip: str, start: Pose) -> FigureOfEight:
        """Return a figure of eight in proportion to the arm."""
        return cls(tip, start, EIGHT_SIZE * reach_bound(chain, tip))

    def ends_at(self) -> float:
        """Return when the path ends: never."""
        return math.inf

    def poses(self, time: float) -> dict[str, Pose]:
        """Return the goal ``time`` seconds after the beginning, by tip."""
        phase = 2.0 * math.pi * time / PERIOD
        offset = self.size * np.array([0.0, math.sin(phase), 0.5 * math.sin(2.0 * phase)])
        place = self.start.position + offset
        return {self.tip: Pose.from_xyz_wxyz(place, self.start.quaternion)}
