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

"""A follower without physics: it goes where it is told, as fast as the joints may move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dq_ik.robot.model import RobotModel, SINGLE_AXIS
from dq_ik.sim.arm import ArmState, driven_joints, start_positions
from dq_ik.sim.reference import Reference

LONGEST_STEP = 0.02


class KinematicArm:
    """The arm for machines without MuJoCo: positions are exact, efforts are zero."""

    kind = 'moving as fast as they may, without physics'

    def __init__(self, model: RobotModel, start: Mapping[str, float] | None = None) -> None:
        self._joints = driven_joints(model)
        self._mimics = tuple(
            joint for joint in model.joints if joint.kind in SINGLE_AXIS and joint.mimic)
        self._reference = Reference(self._joints, start_positions(self._joints, start))
        self._velocity = np.zeros(len(self._joints))
        self._names = tuple(joint.name for joint in (*self._joints, *self._mimics))
        self._index = {joint.name: index for index, joint in enumerate(self._joints)}

    def aim(self, positions: Mapping[str, float]) -> None:
        """Command joint positions, by name."""
        self._reference.aim(positions)

    def follow(self, names: Sequence[str], times: np.ndarray, points: np.ndarray) -> None:
        """Command a trajectory of some joints."""
        self._reference.follow(names, times, points)

    def advance(self, duration: float) -> None:
        """Move toward the command for ``duration`` seconds."""
        steps = max(1, int(np.ceil(duration / LONGEST_STEP)))
        for _ in range(steps):
            before = self._reference.q
            after = self._reference.advance(duration / steps)
            self._velocity = (after - before) * steps / duration

    def state(self) -> ArmState:
        """Return positions and velocities; mimic joints follow their masters."""
        q = self._reference.q
        masters = [self._index[joint.mimic.joint] for joint in self._mimics]
        multipliers = np.array([joint.mimic.multiplier for joint in self._mimics])
        offsets = np.array([joint.mimic.offset for joint in self._mimics])
        positions = np.concatenate([q, multipliers * q[masters] + offsets])
        velocities = np.concatenate([self._velocity, multipliers * self._velocity[masters]])
        return ArmState(self._names, positions, velocities, np.zeros(len(positions)))
