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
"""What every simulated arm does, and the arm without physics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from dq_ik.errors import DqIkError
from dq_ik.robot.model import Joint, Mimic, RobotModel, SINGLE_AXIS
from dq_ik.sim.reference import Reference
import numpy as np

ENGINES = ('auto', 'mujoco', 'kinematic')
LONGEST_STEP = 0.02  # of the arm without physics [s]


class SimulationError(DqIkError):
    """The robot cannot be simulated as asked."""


@dataclass(frozen=True)
class ArmState:
    """Joint names with their positions, velocities and efforts, each of shape ``(n,)``."""

    names: tuple[str, ...]
    positions: np.ndarray
    velocities: np.ndarray
    efforts: np.ndarray


class SimulatedArm(Protocol):
    """An arm that follows joint commands as time is made to pass; ``kind`` says how, in words."""

    kind: str

    def aim(self, positions: Mapping[str, float]) -> None:
        """Command joint positions, by name."""

    def follow(self, names: Sequence[str], times: np.ndarray, points: np.ndarray) -> None:
        """Command a trajectory: ``points[i]`` of the named joints at ``times[i]`` from now."""

    def advance(self, duration: float) -> None:
        """Let ``duration`` seconds pass."""

    def state(self) -> ArmState:
        """Return positions, velocities and efforts of all joints."""


class KinematicArm:
    """An arm for machines without MuJoCo: exact positions within the limits, efforts of zero."""

    kind = 'moving as fast as they may, without physics'

    def __init__(self, model: RobotModel, start: Mapping[str, float] | None = None) -> None:
        joints = driven_joints(model)
        self._chain = model.whole
        self._driven = [joint.name for joint in joints]
        self._names = (*self._driven, *(joint.name for joint, _ in mimic_joints(model)))
        self._reference = Reference(joints, start_positions(model, start))
        self.aim, self.follow = self._reference.aim, self._reference.follow

    def advance(self, duration: float) -> None:
        """Move toward the command for ``duration`` seconds."""
        steps = max(1, int(np.ceil(duration / LONGEST_STEP)))
        for _ in range(steps):
            self._reference.advance(duration / steps)

    def state(self) -> ArmState:
        """Return positions and velocities; mimic joints follow their masters."""
        q, qdot = self._reference.q, self._reference.qdot
        velocities = self._with_mimics(qdot) - self._with_mimics(np.zeros(len(qdot)))
        return ArmState(self._names, self._with_mimics(q), velocities, np.zeros(len(self._names)))

    def _with_mimics(self, values: np.ndarray) -> np.ndarray:
        known = dict(zip(self._driven, values))
        known = self._chain.joint_positions(self._chain.configuration(known))
        return np.array([known[name] for name in self._names])


def open_arm(
    model: RobotModel,
    urdf: str,
    engine: str = 'auto',
    start: Mapping[str, float] | None = None,
    gravity_compensation: bool = True,
) -> SimulatedArm:
    """
    Return an arm at rest at ``start``.

    :param urdf: text of the robot description
    :param engine: ``mujoco`` for physics, ``kinematic`` for a velocity-limited follower, ``auto``
        for physics where MuJoCo is installed
    :param start: joint positions at the beginning; the middle of the limits, or 0, where missing
    :param gravity_compensation: let the joint motors carry the weight of the arm
    """
    if engine not in ENGINES:
        raise SimulationError(f'unknown engine {engine!r}; the engines are {", ".join(ENGINES)}')
    if engine != 'kinematic':
        try:
            from dq_ik.sim.mujoco_arm import MujocoArm
            return MujocoArm(model, urdf, start, gravity_compensation)
        except ImportError as error:
            if engine == 'mujoco':
                raise SimulationError(f'pip install mujoco: {error}') from None
    return KinematicArm(model, start)


def driven_joints(model: RobotModel) -> tuple[Joint, ...]:
    """Return the joints that a motor moves: one axis, and not the mimic of another joint."""
    return tuple(
        joint for joint in model.joints if joint.kind in SINGLE_AXIS and joint.mimic is None)


def mimic_joints(model: RobotModel) -> tuple[tuple[Joint, Mimic], ...]:
    """Return the joints of one axis that follow another joint, and how."""
    return tuple((joint, joint.mimic) for joint in model.joints
                 if joint.kind in SINGLE_AXIS and joint.mimic)


def start_positions(
    model: RobotModel, start: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return where all joints begin: as given, else at 0 or in the middle of the limits."""
    return model.whole.joint_positions(model.whole.clamp(model.whole.configuration(start or {})))
