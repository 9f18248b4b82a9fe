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
"""PyBullet: ``calculateInverseKinematics``, called again until the pose is right."""
from __future__ import annotations

from time import perf_counter

import numpy as np
import pybullet

from .common import Check, Matrices, one_tip, quaternion_xyzw, Restarts

PACKAGE = 'pybullet'


class Bullet(Matrices):
    """
    Its damped least squares without limits, restarted when the answer is outside.

    Its variant with limits only prefers to keep them, and ends millimetres from the goal.
    """

    def __init__(self, robot, settings):
        """Load the chain into a simulation without graphics."""
        self._client = pybullet.connect(pybullet.DIRECT)
        tip = one_tip(robot)
        self._body = pybullet.loadURDF(str(robot.urdf), useFixedBase=True,
                                       physicsClientId=self._client)
        count = pybullet.getNumJoints(self._body, physicsClientId=self._client)
        infos = [pybullet.getJointInfo(self._body, i, physicsClientId=self._client)
                 for i in range(count)]
        index = {info[1].decode(): i for i, info in enumerate(infos)}
        self._joints = [index[joint] for joint in robot.joints]
        self._tip = next(i for i, info in enumerate(infos) if info[12].decode() == tip)
        self._options = {'maxNumIterations': 100, 'physicsClientId': self._client,
                         'residualThreshold': 0.01 * settings.position_tolerance}
        self._check = Check(robot, settings)
        self._restarts = Restarts(robot, settings)

    def solve(self, goals, seed):
        """Return the first answer that passes the check."""
        position = goals[0, :3, 3].tolist()
        turn = quaternion_xyzw(goals[0, :3, :3])
        return self._restarts.search(
            lambda q, end: self._attempt(goals, position, turn, q, end), seed,
            lambda: goals)

    def _attempt(self, goals, position, turn, seed, deadline):
        q = seed
        while True:
            for joint, value in zip(self._joints, q.tolist()):
                pybullet.resetJointState(self._body, joint, value, physicsClientId=self._client)
            last, q = q, np.array(pybullet.calculateInverseKinematics(
                self._body, self._tip, position, turn, **self._options))
            solved = self._check(q, goals)
            if solved or perf_counter() > deadline or np.abs(q - last).max() < 1e-4:
                return q, solved


SOLVERS = {'PyBullet': Bullet}
