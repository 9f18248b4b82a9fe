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
"""RoboPlan's simple IK: damped pseudo-inverse in C++ with restarts of its own."""
from __future__ import annotations

import numpy as np
from roboplan import core, simple_ik

PACKAGE = 'roboplan-simple-ik'


class RoboPlan:
    """Full steps instead of its cautious quarter steps, no collision checks."""

    def __init__(self, robot, settings):
        """Build a scene with one joint group."""
        group = ''.join(f'<joint name="{joint}"/>' for joint in robot.joints)
        self._scene = core.Scene('bench', core.loadUrdfSceneDescription(robot.urdf))
        self._scene.importSrdf(
            f'<robot name="{robot.name}"><group name="arm">{group}</group></robot>')
        self._base, self._tips, self._joints = robot.base, robot.tips, list(robot.joints)
        self._ik = simple_ik.SimpleIk(self._scene, simple_ik.SimpleIkOptions(
            group_name='arm', max_iters=60, max_time=settings.budget,
            max_restarts=1000 if settings.restarts else 0, step_size=1.0, damping=1e-3,
            max_linear_error_norm=settings.position_tolerance,
            max_angular_error_norm=settings.rotation_tolerance, check_collisions=False))

    def translate(self, goals):
        """Return its targets."""
        return [core.CartesianConfiguration(self._base, tip, np.asfortranarray(goal))
                for tip, goal in zip(self._tips, goals)]

    def solve(self, goals, seed):
        """Return its last iterate and its own verdict."""
        start = core.JointConfiguration(self._joints, seed)
        solution = core.JointConfiguration(self._joints, seed)
        solved = self._ik.solveIk(goals, start, solution)
        return np.array(solution.positions), bool(solved)


SOLVERS = {'RoboPlan': RoboPlan}
