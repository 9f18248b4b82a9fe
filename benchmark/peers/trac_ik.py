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
"""TRAC-IK through ``pytracik``: KDL and SQP run side by side until the first succeeds."""
from __future__ import annotations

import pytracik

from .common import one_tip, quaternion_xyzw

PACKAGE = 'pytracik'
PER_COMPONENT = 3.0 ** -0.5  # its tolerance is per component; ours on the norm


class TracIk:
    """Its restarts cannot be switched off, so it restarts in streams too."""

    def __init__(self, robot, settings):
        """Give it the limits anew: it reads zero ones from some files."""
        eps = 0.99 * PER_COMPONENT * min(settings.position_tolerance, settings.rotation_tolerance)
        self._solver = pytracik.TRAC_IK(robot.base, one_tip(robot), robot.urdf.read_text(),
                                        settings.budget, eps, pytracik.SolveType.Speed)
        pytracik.set_joint_limits(self._solver, list(robot.lower), list(robot.upper))

    def translate(self, goals):
        """Return position and quaternion."""
        return *goals[0, :3, 3].tolist(), *quaternion_xyzw(goals[0, :3, :3])

    def solve(self, goals, seed):
        """Return an answer or None."""
        answer = pytracik.ik(self._solver, seed, *goals)
        q = answer[1:]
        return (q, True) if answer[0] >= 0 else (None, False)


SOLVERS = {'TRAC-IK': TracIk}
