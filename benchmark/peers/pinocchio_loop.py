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
"""A damped loop on Pinocchio, as its users write it: damping by the error, and clamping."""
from __future__ import annotations

from time import perf_counter

import numpy as np
import pinocchio

from .common import Restarts

PACKAGE = 'pin'
ITERATIONS = 100
STALLED = 0.99  # of the squared error: less progress is none


def difference(pose, target):
    """Return the way and the turn to the target in world axes; their squares are the cost."""
    return (target.translation - pose.translation,
            pinocchio.log3(target.rotation @ pose.rotation.T))


class DampedLoop:
    """Damped least squares of position and rotation; several tips are stacked."""

    def __init__(self, robot, settings):
        """Build the model."""
        self._model = pinocchio.buildModelFromUrdf(str(robot.urdf))
        self._data = self._model.createData()
        self._tips = [self._model.getFrameId(tip) for tip in robot.tips]
        self._order = [self._model.joints[self._model.getJointId(joint)].idx_q
                       for joint in robot.joints]
        self._lower = self._model.lowerPositionLimit
        self._upper = self._model.upperPositionLimit
        self._allowed = settings.position_tolerance, settings.rotation_tolerance
        self._scale = np.tile([1.0] * 3 + [settings.weight] * 3, len(self._tips))
        self._restarts = Restarts(robot, settings)

    def translate(self, goals):
        """Return placements."""
        return [pinocchio.SE3(goal) for goal in goals]

    def solve(self, goals, seed):
        """Return the first success, or where the first attempt ended."""
        return self._restarts.search(lambda q, end: self._attempt(goals, q, end), seed,
                                     lambda: np.array([goal.homogeneous for goal in goals]))

    def _attempt(self, targets, seed, deadline):
        q = np.empty(len(seed))
        q[self._order] = seed
        model, data, last = self._model, self._data, np.inf
        for _ in range(ITERATIONS):
            pinocchio.computeJointJacobians(model, data, q)
            pinocchio.updateFramePlacements(model, data)
            error = np.concatenate([part for tip, target in zip(self._tips, targets)
                                    for part in difference(data.oMf[tip], target)])
            pairs = error.reshape(-1, 2, 3)
            lengths = np.sqrt(np.einsum('tij,tij->ti', pairs, pairs))
            if (lengths <= self._allowed).all():
                return q[self._order], True
            if perf_counter() > deadline:
                break
            error *= self._scale
            square = error @ error
            if square > STALLED * last:
                break
            last = square
            jacobian = np.vstack([pinocchio.getFrameJacobian(
                model, data, tip, pinocchio.LOCAL_WORLD_ALIGNED)
                for tip in self._tips]) * self._scale[:, None]
            damping = 0.05 * square + 1e-9
            matrix = jacobian @ jacobian.T
            matrix[np.diag_indices_from(matrix)] += damping
            step = jacobian.T @ np.linalg.solve(matrix, error)
            q = np.clip(q + step, self._lower, self._upper)
        return q[self._order], False


SOLVERS = {'Pinocchio loop': DampedLoop}
