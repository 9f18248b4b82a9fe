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

"""What every simulated arm does, and how one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dq_ik.errors import DqIkError
from dq_ik.robot.model import Joint, RobotModel, SINGLE_AXIS

ENGINES = ('auto', 'mujoco', 'kinematic')


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
    if engine == 'kinematic' or (engine == 'auto' and not has_mujoco()):
        from dq_ik.sim.kinematic_arm import KinematicArm
        return KinematicArm(model, start)
    from dq_ik.sim.mujoco_arm import MujocoArm
    return MujocoArm(model, urdf, start, gravity_compensation)


def has_mujoco() -> bool:
    """Tell whether the physics engine is installed."""
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return False
    return True


def driven_joints(model: RobotModel) -> tuple[Joint, ...]:
    """Return the joints that a motor moves: one axis, and not the mimic of another joint."""
    return tuple(
        joint for joint in model.joints if joint.kind in SINGLE_AXIS and joint.mimic is None)


def start_positions(
    joints: Sequence[Joint], start: Mapping[str, float] | None
) -> np.ndarray:
    """Return where the joints are at the beginning, shape ``(n,)``."""
    given = start or {}
    return np.array([given.get(joint.name, neutral_position(joint)) for joint in joints])


def neutral_position(joint: Joint) -> float:
    """Return 0 where the limits allow it, else the middle of the limits."""
    if joint.lower <= 0.0 <= joint.upper:
        return 0.0
    return float(np.clip(0.5 * (joint.lower + joint.upper), joint.lower, joint.upper))
