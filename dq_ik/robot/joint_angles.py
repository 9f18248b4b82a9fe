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
"""The joints of a chain as the URDF has them: a ball that stands for three joints is these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dq_ik.pose import frozen
from dq_ik.robot.joint_table import Variable
from dq_ik.robot.model import Joint, RobotModel
import numpy as np


class JointAngles:
    """
    Converts joint vectors of a chain, with rotation vectors of balls, and those of the URDF.

    Both have n numbers, in the same order. Without such balls they are the same.
    """

    def __init__(self, model: RobotModel, variables: Sequence[Variable]) -> None:
        """Find the balls among the variables of a chain, and the joints that follow these."""
        joints = {joint.name: joint for joint in model.joints if joint.made_of}
        self._balls = [(slice(i, i + 3), made_of) for i, variable in enumerate(variables)
                       if variable.joint in joints and variable.name.endswith('.x')
                       and (made_of := joints[variable.joint].made_of)]
        self._variables = tuple(variable.name for variable in variables)
        parts: list[Variable | Joint] = list(variables)
        for where, ball in self._balls:
            parts[where] = ball.joints
        self.names = tuple(part.name for part in parts)
        self.lower, self.upper, self.velocity, self.acceleration, self.jerk = (
            frozen([getattr(part, what) for part in parts])
            for what in ('lower', 'upper', 'velocity', 'acceleration', 'jerk'))
        self._mimics = [(joint.name, joint.mimic) for joint in model.joints
                        if joint.mimic and joint.mimic.joint in self._variables]

    def of(self, q: np.ndarray) -> np.ndarray:
        """Return the positions of the URDF's joints (n,) at a joint vector."""
        if not self._balls:
            return q
        angles = q.copy()
        for where, ball in self._balls:
            angles[where] = ball.angles(q[where])
        return angles

    def vector(self, angles: np.ndarray) -> np.ndarray:
        """Return q (n,), at which the joints of the URDF have these positions."""
        if not self._balls:
            return angles
        q = angles.copy()
        for where, ball in self._balls:
            q[where] = ball.rotation_vector(angles[where])
        return q

    def named(self, angles: np.ndarray) -> dict[str, float]:
        """Return the positions (n,) of the URDF's joints by name, mimic joints included."""
        values = dict(zip(self.names, angles.tolist()))
        for name, mimic in self._mimics:
            values[name] = mimic.multiplier * values[mimic.joint] + mimic.offset
        return values

    def placed(self, q: np.ndarray, positions: Mapping[str, float]) -> np.ndarray:
        """Return a joint vector with named values, of joints of the URDF or of variables."""
        angles = _with(self.of(q), self.names, positions)
        return _with(self.vector(angles), self._variables, positions) if self._balls else angles


def _with(values: np.ndarray, names: Sequence[str], positions: Mapping[str, float]) -> np.ndarray:
    """Return a copy of values with the named ones replaced."""
    return np.array([positions.get(name, value) for name, value in zip(names, values.tolist())])
