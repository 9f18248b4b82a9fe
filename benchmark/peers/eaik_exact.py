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

from eaik.IK_Robot import IKRobot
from eaik.pybindings import EAIK
import numpy as np
import pinocchio

from .common import Matrices, one_tip

PACKAGE = 'EAIK'
TURN = 2.0 * np.pi


class Arm(IKRobot):
    """Its robot from axes and offsets, with the turn of the tool that its own class leaves out."""

    def __init__(self, axes, offsets, tool):
        """Hand over what the zero pose shows."""
        self._robot = EAIK.Robot(axes.T, offsets.T, tool, [], True)


class Eaik(Matrices):
    """Returns the first solution within limits, or where a path is followed the nearest."""

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
        self._robot = Arm(axes, offsets, tip.rotation)
        if not self._robot.hasKnownDecomposition():
            raise ValueError('no known decomposition of this arm')
        self._lower, self._upper = np.array(robot.lower), np.array(robot.upper)
        self._limits = list(zip(robot.lower, robot.upper))
        self._tracks = not settings.restarts

    def solve(self, goals, seed):
        """Return an answer or None."""
        answer = self._robot.IK(goals[0])
        return self._nearest(answer, seed) if self._tracks else self._first(answer)

    def translate_batch(self, goals):
        """Return the poses of the only tip."""
        return goals[:, 0]

    def solve_batch(self, goals, seeds):
        """Solve many problems on all cores."""
        found = self._robot.IK_batched(goals, len(os.sched_getaffinity(0)))
        answers = [self._first(answer) for answer in found]
        none = np.full(seeds.shape[1], np.nan)
        return [none if q is None else q for q, _ in answers], [ok for _, ok in answers]

    def _first(self, answer):
        """Look at one solution after the other, in plain numbers: numpy is slow on so few."""
        for values, approximate in zip(answer.Q.tolist(), answer.is_LS.tolist()):
            if not approximate:
                q = [value + TURN if value < lower else value - TURN if value > upper else value
                     for value, (lower, upper) in zip(values, self._limits)]
                if all(lower <= value <= upper for value, (lower, upper) in zip(q, self._limits)):
                    return np.array(q), True
        return None, False

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
