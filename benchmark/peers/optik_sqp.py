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

from .common import Matrices, one_tip

PACKAGE = 'optik-py'


class Optik(Matrices):
    """One thread, like everybody else here."""

    def __init__(self, robot, settings):
        """Build the robot and the configuration."""
        self._robot = optik.Robot.from_urdf_file(str(robot.urdf), robot.base, one_tip(robot))
        self._robot.set_parallelism(1)
        worst = min(settings.position_tolerance, settings.rotation_tolerance)
        options = {} if settings.restarts else {'max_restarts': 1}
        self._config = optik.SolverConfig('speed', max_time=settings.budget,
                                          tol_f=0.5 * worst ** 2, **options)

    def solve(self, goals, seed):
        """Return an answer or None."""
        answer = self._robot.ik(self._config, goals[0], seed)
        return (np.array(answer[0]), True) if answer else (None, False)


SOLVERS = {'OptIK': Optik}
