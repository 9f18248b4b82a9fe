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
"""The joints that a command lists: variables of a chain, their mimics, and joints at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dq_ik.errors import ChainError, listing
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel, SINGLE_AXIS
import numpy as np


class JointMap:
    """From positions of the URDF's joints in a chain (n,) to those of a command."""

    def __init__(self, chain: Chain, names: Sequence[str] = (),
                 others: Mapping[str, float] | None = None) -> None:
        """
        Check that each named joint has a position.

        :param names: joints or variables of the chain, mimics of them, or keys of ``others``;
            empty: all of these.
        :param others: constant positions of joints outside the chain.
        """
        self.chain = chain
        self._others = dict(others or {})
        own = chain.joint_positions(chain.neutral)
        self.names = list(names or {**own, **self._others})
        for name in self.names:
            if name not in own and name not in self._others:
                raise ChainError(f"joint '{name}' does not move with this group; "
                                 f'its joints are {listing(own)}')
        self._is_identity = self.names == list(chain.angles.names)
        self._at_zero = self(np.zeros(chain.n))

    def __call__(self, angles: np.ndarray) -> np.ndarray:
        """Return the positions of the command, in the order of its names."""
        if self._is_identity:
            return angles
        positions = {**self._others, **self.chain.angles.named(angles)}
        return np.array([positions[name] for name in self.names])

    def velocity(self, rates: np.ndarray) -> np.ndarray:
        """Return the velocities of the command."""
        return self(rates) - self._at_zero  # the map is linear, but for offsets of mimics


def single_axis_positions(model: RobotModel, state: Mapping[str, float]) -> dict[str, float]:
    """
    Return the positions of all joints of a robot that one number describes.

    :param state: by variable; joints left out are at neutral, mimic joints follow.
    """
    positions = model.whole.joint_positions(model.whole.configuration(state, strict=False))
    return {joint.name: positions[joint.name] for joint in model.joints
            if joint.kind in SINGLE_AXIS}
