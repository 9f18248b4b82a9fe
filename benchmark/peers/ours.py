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
"""This project: the two solvers, their forms as published, and the reference solvers."""
from __future__ import annotations

from copy import copy
from functools import partial
from time import perf_counter

from dq_ik import load_robot, Pose, Solver
from dq_ik.stream.steps import Following, Steps
import numpy as np

from ..cases import RATE

PACKAGE = 'dq_ik'
MAIN = ('pgs', 'pls', 'pgs_paper', 'pls_paper')
REFERENCE = ('transpose', 'transpose_buss', 'dls', 'svd', 'qr', 'gauss_newton', 'ccd')


class Ours:
    """A prepared solver, called as a user would from Python; it takes poses or 4x4 arrays."""

    _matrices = False

    def __init__(self, robot, settings, method):
        """Load the robot and prepare the solver."""
        chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
        restarts = {} if settings.restarts else {'max_restarts': 0}
        self._solver = Solver(chain, method=method, timeout=settings.budget,
                              position_tolerance=settings.position_tolerance,
                              rotation_tolerance=settings.rotation_tolerance,
                              rotation_scale=settings.rotation_weight, **restarts)
        self._tips = robot.tips
        self._into = np.array([robot.joints.index(name) for name in chain.joint_names])
        self._back = np.argsort(self._into)
        self._same = bool((self._into == np.arange(chain.n)).all())

    def translate(self, goals):
        """Return a pose (or a 4x4 array), or one per tip."""
        poses = list(goals) if self._matrices else [Pose.from_matrix(goal) for goal in goals]
        return poses[0] if len(poses) == 1 else poses

    def given_matrices(self):
        """Return the same solver; its goals stay 4x4 arrays."""
        other = copy(self)
        other._matrices = True
        return other

    def solve(self, goals, seed):
        """Return the answer, which is a best reach when not solved; reading it is timed."""
        if self._same:
            result = self._solver.solve(goals, seed)
            return result.q, result.success
        result = self._solver.solve(goals, seed[self._into])
        return result.q[self._back], result.success

    def translate_batch(self, goals):
        """Return rows of dual quaternions, or 4x4 arrays."""
        if self._matrices:
            return np.ascontiguousarray(goals[:, 0])
        poses = [Pose.from_matrix(goal) for goal in goals[:, 0]]
        return np.array([[*pose.real, *pose.dual] for pose in poses])

    def solve_batch(self, goals, seeds):
        """Solve many problems on all cores."""
        result = self._solver.solve_batch(goals, seeds)
        return result.q, result.success


class Stream(Ours):
    """The stream of the node: one step per goal, inside the joints' speed limits."""

    def __init__(self, robot, settings, look_ahead):
        """Load the robot."""
        super().__init__(robot, settings, 'pgs')
        self._options = self._solver.options
        self._following = Following(look_ahead=look_ahead, step_ratio=0.0)

    def follow(self, poses, start, step):
        """Follow a path from its start; return the joints of each frame and the seconds."""
        speeds = step[self._into] * RATE
        begun = perf_counter()
        steps = Steps(self._solver.chain, start[self._into], speeds, self._options,
                      self._following)
        q = steps.run(poses, 1.0 / RATE).q
        return q[:, self._back], perf_counter() - begun


SOLVERS = {f'dq_ik {method}': partial(Ours, method=method) for method in MAIN + REFERENCE}
SOLVERS |= {'dq_ik stream': partial(Stream, look_ahead=False),
            'dq_ik stream, look-ahead': partial(Stream, look_ahead=True)}
