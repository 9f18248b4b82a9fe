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
"""Follow goals with one of our methods, each frame from the last answer."""
from __future__ import annotations

from dataclasses import dataclass

from dq_ik import Chain, IkOptions, load_robot, Solver
import numpy as np

from ..protocol import Referee
from ..robots import Robot

OWN = ('pls', 'pgs')  # our default forms; the others are as published


@dataclass(frozen=True)
class Track:
    """What a method did frame by frame; errors are Pinocchio's."""

    q: np.ndarray
    errors: np.ndarray
    seconds: np.ndarray
    iterations: np.ndarray
    solved: np.ndarray

    @property
    def squared_error(self) -> np.ndarray:
        """Sum over the tips of the squared distances [m^2], per frame."""
        return (self.errors[:, :, 0] ** 2).sum(axis=1)


class Tracker:
    """A robot with its chain and its referee, to be tracked by any method."""

    def __init__(self, robot: Robot):
        """Load the robot twice: for us and for the referee."""
        self.robot = robot
        self.referee = Referee(robot)
        self.chain: Chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
        self._into = np.array([robot.joints.index(name) for name in self.chain.joint_names])
        self._back = np.argsort(self._into)

    def goals(self, q: np.ndarray) -> np.ndarray:
        """Return the poses of the tips at many configurations, shape ``(N, n_tips, 4, 4)``."""
        return np.array([self.referee.poses(row) for row in q])

    def follow(self, method: str, goals: np.ndarray, start: np.ndarray, *,
               tolerance: tuple[float, float] = (1e-5, 1e-5), **options) -> Track:
        """Solve frame after frame, each from the last answer, to a tolerance [m, rad]."""
        settings = IkOptions.of(method=method, position_tolerance=tolerance[0],
                                rotation_tolerance=tolerance[1], **options)
        solver = Solver(self.chain, settings)
        solver.solve(list(goals[0]), start[self._into])  # compiled and warm
        q, path, seconds, iterations = start[self._into], [], [], []
        for frame in goals:
            result = solver.solve(list(frame), q)
            q = result.q
            path.append(q[self._back])
            seconds.append(result.time)
            iterations.append(result.iterations)
        errors = np.array([self.referee.errors(row, frame) for row, frame in zip(path, goals)])
        return Track(np.array(path), errors, np.array(seconds), np.array(iterations),
                     (errors <= np.array(tolerance) * (1.0 + 1e-6)).all(axis=(1, 2)))
