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
"""Pink: differential IK as a quadratic programme on Pinocchio, iterated to the goal."""
from __future__ import annotations

from time import perf_counter

import numpy as np
import pink
from pink.limits import ConfigurationLimit
import pinocchio

from .common import Restarts

PACKAGE = 'pin-pink'
ITERATIONS = 100


class Pink:
    """Full steps; limits by its configuration limit."""

    def __init__(self, robot, settings):
        """Build the model and one frame task per tip."""
        self._model = pinocchio.buildModelFromUrdf(str(robot.urdf))
        self._data = self._model.createData()
        self._order = [self._model.joints[self._model.getJointId(joint)].idx_q
                       for joint in robot.joints]
        self._tasks = [pink.FrameTask(tip, position_cost=1.0, lm_damping=0.01,
                                      orientation_cost=settings.weight)
                       for tip in robot.tips]
        self._limits = [ConfigurationLimit(self._model, config_limit_gain=0.99)]
        self._allowed = settings.position_tolerance, settings.rotation_tolerance
        self._restarts = Restarts(robot, settings)

    def translate(self, goals):
        """Return placements."""
        return [pinocchio.SE3(goal) for goal in goals]

    def solve(self, goals, seed):
        """Return the first success, or where the first attempt ended."""
        for task, goal in zip(self._tasks, goals):
            task.set_target(goal)
        return self._restarts.search(self._attempt, seed)

    def _attempt(self, seed, deadline):
        q = np.empty(len(seed))
        q[self._order] = seed
        configuration = pink.Configuration(self._model, self._data, q, copy_data=False)
        for _ in range(ITERATIONS):
            errors = [task.compute_error(configuration) for task in self._tasks]
            if all(np.linalg.norm(e[:3]) <= self._allowed[0]
                   and np.linalg.norm(e[3:]) <= self._allowed[1] for e in errors):
                return configuration.q[self._order], True
            if perf_counter() > deadline:
                break
            velocity = pink.solve_ik(configuration, self._tasks, 1.0, 'daqp', damping=1e-9,
                                     limits=self._limits, safety_break=False)
            configuration.update(np.clip(configuration.integrate(velocity, 1.0),
                                         self._model.lowerPositionLimit,
                                         self._model.upperPositionLimit))
        return configuration.q[self._order], False


SOLVERS = {'Pink': Pink}
