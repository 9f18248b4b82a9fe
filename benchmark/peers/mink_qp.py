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
"""mink: differential IK as a quadratic programme on MuJoCo, iterated to the goal."""
from __future__ import annotations

from time import perf_counter

import mink
import mujoco
import numpy as np

from .common import Restarts

PACKAGE = 'mink'
ITERATIONS = 100


class Mink:
    """One step per millisecond of pretended time; limits by its configuration limit."""

    def __init__(self, robot, settings):
        """Let MuJoCo read the URDF with all its frames."""
        compiler = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco></robot>'
        text = robot.urdf.read_text().replace('</robot>', compiler)
        self._model = mujoco.MjModel.from_xml_string(text)
        self._order = [self._model.joint(name).qposadr[0] for name in robot.joints]
        self._lower, self._upper = self._model.jnt_range.T
        self._configuration = mink.Configuration(self._model)
        self._tasks = [mink.FrameTask(tip, 'body', position_cost=1.0, lm_damping=0.01,
                                      orientation_cost=settings.weight)
                       for tip in robot.tips]
        self._limits = [mink.ConfigurationLimit(self._model, gain=0.99)]
        self._allowed = settings.position_tolerance, settings.rotation_tolerance
        self._restarts = Restarts(robot, settings)

    def translate(self, goals):
        """Return its poses."""
        return [mink.SE3.from_matrix(goal) for goal in goals]

    def solve(self, goals, seed):
        """Return the first success, or where the first attempt ended."""
        for task, goal in zip(self._tasks, goals):
            task.set_target(goal)
        return self._restarts.search(self._attempt, seed)

    def _attempt(self, seed, deadline):
        q = np.empty(len(seed))
        q[self._order] = seed
        configuration = self._configuration
        configuration.update(q)
        for _ in range(ITERATIONS):
            errors = [task.compute_error(configuration) for task in self._tasks]
            if all(np.linalg.norm(e[:3]) <= self._allowed[0]
                   and np.linalg.norm(e[3:]) <= self._allowed[1] for e in errors):
                return configuration.q[self._order], True
            if perf_counter() > deadline:
                break
            velocity = mink.solve_ik(configuration, self._tasks, 1.0, 'daqp', damping=1e-9,
                                     limits=self._limits)
            configuration.update(np.clip(configuration.integrate(velocity, 1.0),
                                         self._lower, self._upper))
        return configuration.q[self._order], False


SOLVERS = {'mink': Mink}
