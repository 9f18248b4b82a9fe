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

import mink
import mujoco
import numpy as np

from .common import FrameTasks

PACKAGE = 'mink'


class Mink(FrameTasks):
    """Full steps; limits by its configuration limit."""

    def __init__(self, robot, settings):
        """Let MuJoCo read the URDF with all its frames."""
        compiler = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco></robot>'
        text = robot.urdf.read_text().replace('</robot>', compiler)
        model = mujoco.MjModel.from_xml_string(text)
        self._configuration = mink.Configuration(model)
        self._stops = [mink.ConfigurationLimit(model, gain=0.99)]
        tasks = [mink.FrameTask(tip, 'body', position_cost=1.0, lm_damping=0.01,
                                orientation_cost=settings.weight) for tip in robot.tips]
        order = [model.joint(name).qposadr[0] for name in robot.joints]
        super().__init__(robot, settings, tasks, order, tuple(model.jnt_range.T))

    def translate(self, goals):
        """Return its poses."""
        return [mink.SE3.from_matrix(goal) for goal in goals]

    def matrices(self, goals):
        """Return the goals as matrices."""
        return np.array([goal.as_matrix() for goal in goals])

    def configuration(self, q):
        """Move its only configuration."""
        self._configuration.update(q)
        return self._configuration

    def velocity(self, configuration):
        """Solve its programme by DAQP."""
        return mink.solve_ik(configuration, self._tasks, 1.0, 'daqp', damping=1e-9,
                             limits=self._stops)


SOLVERS = {'mink': Mink}
