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
"""EAIK: analytic solutions of six-joint arms by subproblems; for reference."""
from __future__ import annotations

import os

from eaik.IK_HP import HPRobot
import numpy as np
import pinocchio

from .common import Matrices, one_tip

PACKAGE = 'EAIK'
TURN = 2.0 * np.pi


class Eaik(Matrices):
    """Returns the solution nearest to the seed among those within limits."""

    def __init__(self, robot, settings):
        """Hand over axes and offsets in the zero pose."""
        if robot.dof != 6:
            raise ValueError('analytic solutions for six joints only')
        model = pinocchio.buildModelFromUrdf(str(robot.urdf))
        data = model.createData()
        pinocchio.framesForwardKinematics(model, data, np.zeros(6))
        tip = data.oMf[model.getFrameId(one_tip(robot))]
        axes = np.array([data.oMi[i].rotation @ pinocchio.computeJointJacobian(
            model, data, np.zeros(6), i)[3:, i - 1] for i in range(1, 7)])
        points = np.array([data.oMi[i].translation for i in range(1, 7)])
        offsets = np.vstack([points[0], np.diff(points, axis=0), tip.translation - points[-1]])
        self._robot = HPRobot(axes, offsets)
        if not self._robot.hasKnownDecomposition():
            raise ValueError('no known decomposition of this arm')
        self._tool = tip.rotation.T
        self._lower, self._upper = np.array(robot.lower), np.array(robot.upper)

    def solve(self, goals, seed):
        """Return an answer or None."""
        return self._nearest(self._robot.IK(self._turned(goals)[0]), seed)

    def translate_batch(self, goals):
        """Return the poses of the only tip."""
        return goals[:, 0]

    def solve_batch(self, goals, seeds):
        """Solve many problems on all cores."""
        found = self._robot.IK_batched(self._turned(goals), len(os.sched_getaffinity(0)))
        answers = [self._nearest(*pair) for pair in zip(found, seeds)]
        none = np.full(seeds.shape[1], np.nan)
        return [none if q is None else q for q, _ in answers], [ok for _, ok in answers]

    def _turned(self, poses):
        poses = poses.copy()
        poses[:, :3, :3] = poses[:, :3, :3] @ self._tool
        return poses

    def _nearest(self, answer, seed):
        if not len(answer.Q):
            return None, False
        q = np.asarray(answer.Q)[~np.asarray(answer.is_LS, bool)]
        q = seed + (q - seed + np.pi) % TURN - np.pi
        q = np.where(q < self._lower, q + TURN, np.where(q > self._upper, q - TURN, q))
        q = q[((q >= self._lower) & (q <= self._upper)).all(axis=1)]
        if not len(q):
            return None, False
        return q[np.abs(q - seed).max(axis=1).argmin()], True


SOLVERS = {'EAIK (analytic)': Eaik}
