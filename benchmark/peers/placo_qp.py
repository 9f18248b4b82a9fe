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
"""PlaCo: a whole-body quadratic programme in C++, iterated to the goal."""
from __future__ import annotations

from time import perf_counter

import numpy as np
import placo

from .common import Matrices, Restarts

PACKAGE = 'placo'
ITERATIONS = 100


class Placo(Matrices):
    """Soft frame tasks, hard joint limits, no velocity limits."""

    def __init__(self, robot, settings):
        """Build the robot with its base fixed."""
        self._robot = placo.RobotWrapper(str(robot.urdf), placo.Flags.ignore_collisions)
        self._solver = placo.KinematicsSolver(self._robot)
        self._solver.mask_fbase(True)
        self._solver.enable_joint_limits(True)
        self._solver.enable_velocity_limits(False)
        self._solver.add_regularization_task(1e-9)
        self._joints = list(robot.joints)
        self._tips = robot.tips
        self._tasks = []
        for tip in robot.tips:
            task = self._solver.add_frame_task(tip, np.eye(4))
            task.configure(tip, 'soft', 1.0, settings.weight ** 2)
            self._tasks.append(task)
        self._allowed = settings.position_tolerance, settings.rotation_tolerance
        self._restarts = Restarts(robot, settings)

    def solve(self, goals, seed):
        """Return the first success, or where the first attempt ended."""
        for task, goal in zip(self._tasks, goals):
            task.T_world_frame = goal
        return self._restarts.search(lambda q, end: self._attempt(goals, q, end), seed,
                                     lambda: goals)

    def _attempt(self, goals, seed, deadline):
        for joint, value in zip(self._joints, seed.tolist()):
            self._robot.set_joint(joint, value)
        self._robot.update_kinematics()
        for _ in range(ITERATIONS):
            if self._arrived(goals):
                return self._answer(), True
            if perf_counter() > deadline:
                break
            try:
                self._solver.solve(True)
            except RuntimeError:  # its programme had no solution
                break
            self._robot.update_kinematics()
        return self._answer(), False

    def _arrived(self, goals):
        """Compare poses, since its task errors are those before the last step."""
        for tip, goal in zip(self._tips, goals):
            pose = self._robot.get_T_world_frame(tip)
            chord = np.linalg.norm(goal[:3, :3] - pose[:3, :3]) * 0.5 ** 0.5
            if np.linalg.norm(goal[:3, 3] - pose[:3, 3]) > self._allowed[0] \
                    or chord > self._allowed[1]:
                return False
        return True

    def _answer(self):
        return np.array([self._robot.get_joint(joint) for joint in self._joints])


SOLVERS = {'PlaCo': Placo}
