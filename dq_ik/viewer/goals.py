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

from dq_ik.chain import Chain
from dq_ik.model import JointKind
from dq_ik.pose import Pose

BEYOND = 1.02
PERIOD = 6.0
EIGHT_SIZE = 0.11
STRIDE = 0.3


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
    return Pose.from_position_quaternion(position, near.quaternion)


def random_goals(
    chain: Chain, rng: np.random.Generator, near: np.ndarray
) -> dict[str, Pose]:
    """
    Return poses of all tips in one random configuration, so that they can be met together.

    The configuration lies part of the way from ``near`` to one drawn within all limits: a stream
    goes to its goals from where it is, without a search. It is above the ground where it can be.

    :param near: joint positions now, shape ``(n,)``
    """
    for _ in range(50):
        goals = chain.fk_all(near + STRIDE * (chain.random(rng) - near))
        if all(pose.position[2] > 0.0 for pose in goals.values()):
            break
    return goals


@dataclass(frozen=True)
class FigureOfEight:
    """A path through ``start`` in the plane of the base's y and z axes, one round per PERIOD."""

    start: Pose
    size: float

    @classmethod
    def around(cls, chain: Chain, tip: str, start: Pose) -> FigureOfEight:
        """Return a figure of eight in proportion to the arm."""
        return cls(start, EIGHT_SIZE * reach_bound(chain, tip))

    def pose(self, time: float) -> Pose:
        """Return the goal ``time`` seconds after the beginning."""
        phase = 2.0 * math.pi * time / PERIOD
        offset = self.size * np.array([0.0, math.sin(phase), 0.5 * math.sin(2.0 * phase)])
        return Pose.from_position_quaternion(self.start.position + offset, self.start.quaternion)
