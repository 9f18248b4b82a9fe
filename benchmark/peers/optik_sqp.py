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
"""OptIK: sequential quadratic programming in Rust with restarts of its own."""
from __future__ import annotations

import numpy as np
import optik

from .common import one_tip
from ..protocol import Referee

PACKAGE = 'optik-py'


class Optik:
    """One thread, like everybody else here."""

    def __init__(self, robot, settings):
        """Build the robot and the configuration."""
        self._robot = optik.Robot.from_urdf_file(str(robot.urdf), robot.base, one_tip(robot))
        self._robot.set_parallelism(1)
        worst = min(settings.position_tolerance, settings.rotation_tolerance)
        self._base = self._left_out(robot)
        options = {} if settings.restarts else {'max_restarts': 1}
        self._config = optik.SolverConfig('speed', max_time=settings.budget,
                                          tol_f=0.5 * worst ** 2, **options)

    def _left_out(self, robot):
        """Return the inverse pose of its base: it leaves out fixed joints before the first."""
        middle = 0.5 * np.add(robot.lower, robot.upper)
        return np.array(self._robot.fk(middle)) @ np.linalg.inv(Referee(robot).poses(middle)[0])

    def translate(self, goals):
        """Return the pose as seen from its base."""
        return self._base @ goals[0]

    def solve(self, goals, seed):
        """Return an answer or None."""
        answer = self._robot.ik(self._config, goals, seed)
        return (np.array(answer[0]), True) if answer else (None, False)


SOLVERS = {'OptIK': Optik}
