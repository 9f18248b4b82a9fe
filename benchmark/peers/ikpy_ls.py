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
"""ikpy: SciPy's bounded least squares on the pose matrix."""
from __future__ import annotations

import ikpy.chain
import numpy as np

from .common import Check, Matrices, one_tip, Restarts

PACKAGE = 'ikpy'


class Ikpy(Matrices):
    """It has no tolerance, no clock and no verdict; the check is ours."""

    def __init__(self, robot, settings):
        """Read the chain and mark what moves."""
        one_tip(robot)
        self._chain = ikpy.chain.Chain.from_urdf_file(str(robot.urdf), base_elements=[robot.base])
        names = [link.name for link in self._chain.links]
        self._chain.active_links_mask = np.isin(names, robot.joints)
        self._moving = [names.index(joint) for joint in robot.joints]
        self._lower, self._upper = np.array(robot.lower), np.array(robot.upper)
        self._check = Check(robot, settings)
        self._restarts = Restarts(robot, settings)

    def solve(self, goals, seed):
        """Return the first answer that passes the check."""
        return self._restarts.search(lambda q, end: self._attempt(goals, q), seed,
                                     lambda: goals)

    def _attempt(self, goals, seed):
        start = np.zeros(len(self._chain.links))
        inner = 1e-9  # SciPy refuses starts on the bounds
        start[self._moving] = np.clip(seed, self._lower + inner, self._upper - inner)
        full = self._chain.inverse_kinematics_frame(goals[0], initial_position=start,
                                                    orientation_mode='all')
        q = full[self._moving]
        return q, self._check(q, goals)


SOLVERS = {'ikpy': Ikpy}
