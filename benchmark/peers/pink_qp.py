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

import numpy as np
import pink
from pink.limits import ConfigurationLimit
import pinocchio

from .common import FrameTasks

PACKAGE = 'pin-pink'


class Pink(FrameTasks):
    """Full steps; limits by its configuration limit."""

    def __init__(self, robot, settings):
        """Build the model and one frame task per tip."""
        model = self._model = pinocchio.buildModelFromUrdf(str(robot.urdf))
        self._data = model.createData()
        self._stops = [ConfigurationLimit(model, config_limit_gain=0.99)]
        tasks = [pink.FrameTask(tip, position_cost=1.0, lm_damping=0.01,
                                orientation_cost=settings.weight) for tip in robot.tips]
        order = [model.joints[model.getJointId(joint)].idx_q for joint in robot.joints]
        super().__init__(robot, settings, tasks, order,
                         (model.lowerPositionLimit, model.upperPositionLimit))

    def translate(self, goals):
        """Return placements."""
        return [pinocchio.SE3(goal) for goal in goals]

    def matrices(self, goals):
        """Return the goals as matrices."""
        return np.array([goal.homogeneous for goal in goals])

    def configuration(self, q):
        """Make one that shares the data."""
        return pink.Configuration(self._model, self._data, q, copy_data=False)

    def velocity(self, configuration):
        """Solve its programme by DAQP."""
        return pink.solve_ik(configuration, self._tasks, 1.0, 'daqp', damping=1e-9,
                             limits=self._stops, safety_break=False)


SOLVERS = {'Pink': Pink}
