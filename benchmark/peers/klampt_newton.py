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
"""Klampt: damped Newton-Raphson in C++ with joint limits."""
from __future__ import annotations

from xml.etree import ElementTree

from klampt import WorldModel
from klampt.model import ik
import numpy as np

from .common import Check, Matrices, Restarts

PACKAGE = 'Klampt'
ITERATIONS = 100


class Klampt(Matrices):
    """One objective per tip; random restarts around it."""

    def __init__(self, robot, settings):
        """Read the URDF, find the joints among all links."""
        self._world = WorldModel()
        if not self._world.readFile(str(robot.urdf)):
            raise ValueError('cannot read the URDF')
        self._robot = self._world.robot(0)
        moved = {joint.get('name'): joint.find('child').get('link')
                 for joint in ElementTree.parse(robot.urdf).getroot().findall('joint')}
        self._moving = [self._robot.link(moved[joint]).getIndex() for joint in robot.joints]
        lower, upper = self._robot.getJointLimits()
        for i, low, high in zip(self._moving, robot.lower, robot.upper):
            lower[i], upper[i] = low, high
        self._robot.setJointLimits(lower, upper)
        self._solver = ik.IKSolver(self._robot)
        self._solver.setActiveDofs(self._moving)
        self._solver.setMaxIters(ITERATIONS)
        self._solver.setTolerance(0.5 * min(settings.position_tolerance,
                                            settings.rotation_tolerance))
        self._tips = [self._robot.link(tip) for tip in robot.tips]
        self._check = Check(robot, settings)
        self._restarts = Restarts(robot, settings)

    def solve(self, goals, seed):
        """Return the first success, or where the first attempt ended."""
        self._solver.clear()
        for tip, goal in zip(self._tips, goals):
            rotation = goal[:3, :3].T.ravel().tolist()
            self._solver.add(ik.objective(tip, R=rotation, t=goal[:3, 3].tolist()))
        return self._restarts.search(lambda q, end: self._attempt(goals, q), seed,
                                     lambda: goals)

    def _attempt(self, goals, seed):
        full = np.array(self._robot.getConfig())
        full[self._moving] = seed
        self._robot.setConfig(full.tolist())
        self._solver.solve()
        q = np.array(self._robot.getConfig())[self._moving]
        return q, self._check(q, goals)


SOLVERS = {'Klampt': Klampt}
