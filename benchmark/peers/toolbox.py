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
"""The Robotics Toolbox for Python: Levenberg-Marquardt in C++ with restarts of its own."""
from __future__ import annotations

import numpy as np
from roboticstoolbox import Robot

from .common import Matrices, one_tip

PACKAGE = 'roboticstoolbox-python'


class IkLm(Matrices):
    """``ik_LM`` in its two fastest damping rules; it has no clock, only counts."""

    def __init__(self, robot, settings, rule, gain):
        """Build the elementary transform sequence."""
        self._ets = Robot.URDF(str(robot.urdf)).ets(end=one_tip(robot))
        self._ets.qlim = np.array([robot.lower, robot.upper])
        half_square = 0.5 * min(settings.position_tolerance, settings.rotation_tolerance) ** 2
        self._options = {'ilimit': 30, 'slimit': 100 if settings.restarts else 1,
                         'tol': 0.98 * half_square, 'joint_limits': True, 'k': gain,
                         'method': rule}

    def solve(self, goals, seed):
        """Return its last iterate and its own verdict."""
        answer = self._ets.ik_LM(goals[0], q0=seed, **self._options)
        return answer.q, bool(answer.success)


SOLVERS = {
    'toolbox LM Chan': lambda robot, settings: IkLm(robot, settings, 'chan', 1.0),
    'toolbox LM Sugihara': lambda robot, settings: IkLm(robot, settings, 'sugihara', 1e-4),
}
