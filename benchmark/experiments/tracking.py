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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
import time
from typing import Literal

from dq_ik import Chain, Goal, IkOptions, load_robot, Pose, Solver
import numpy as np

from ..protocol import Referee
from ..robots import Robot

Kind = Literal['positions', 'poses']
OWN = ('pls', 'pgs')  # our default forms; the others are as published
PUBLISHED = ('transpose', 'transpose_buss', 'svd', 'dls', 'pls_paper', 'pgs_paper')
BUDGET = 0.015  # seconds per frame for every method
EXACT = (1e-6, 1e-6)  # m and rad; errors below count as equal
MOST = 1_000_000  # iterations of a published method: as many as it has time for


@dataclass(frozen=True)
class Track:
    """What a method did frame by frame; errors are Pinocchio's."""

    q: np.ndarray
    errors: np.ndarray
    seconds: np.ndarray
    iterations: np.ndarray
    solved: np.ndarray

    @classmethod
    def joined(cls, tracks: Sequence[Track]) -> Track:
        """Return several tracks one after the other."""
        return cls(*(np.concatenate([getattr(track, name) for track in tracks])
                     for name in ('q', 'errors', 'seconds', 'iterations', 'solved')))

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

    def follow(self, method: str, goals: np.ndarray, start: np.ndarray, *, kind: Kind = 'poses',
               tolerance: tuple[float, float] = (1e-5, 1e-5), **options) -> Track:
        """Solve frame after frame, each from the last answer, to a tolerance [m, rad]."""
        if method not in OWN:
            options = {'max_iterations': MOST} | options
        settings = IkOptions.of(method=method, position_tolerance=tolerance[0],
                                rotation_tolerance=tolerance[1], **options)
        solver = Solver(self.chain, settings)
        weight = 1.0 if kind == 'poses' else 0.0
        asked = [[Goal(x, rotation_weight=weight) for x in frame] for frame in goals]
        q = start[self._into]
        solver.solve(asked[0], q)  # compiled and warm
        path, seconds, iterations = [], [], []
        for frame in asked:
            result = solver.solve(frame, q)
            q = result.q
            path.append(q[self._back])
            seconds.append(result.time)
            iterations.append(result.iterations)
        return self._track(path, seconds, iterations, goals, kind, tolerance)

    def follow_by(self, step: Callable[[np.ndarray, dict[str, Pose]], np.ndarray],
                  goals: np.ndarray, start: np.ndarray, tolerance: tuple[float, float]) -> Track:
        """Follow poses by a function of the last answer and the targets of the tips."""
        q, path, seconds = start[self._into], [], []
        for frame in goals:
            targets = dict(zip(self.robot.tips, map(Pose.from_matrix, frame)))
            begin = time.perf_counter()
            q = step(q, targets)
            seconds.append(time.perf_counter() - begin)
            path.append(q[self._back])
        return self._track(path, seconds, [1] * len(goals), goals, 'poses', tolerance)

    def _track(self, path: list[np.ndarray], seconds: list[float], iterations: list[int],
               goals: np.ndarray, kind: Kind, tolerance: tuple[float, float]) -> Track:
        """Return the track with the referee's errors."""
        errors = np.array([self.referee.errors(row, frame) for row, frame in zip(path, goals)])
        parts = 2 if kind == 'poses' else 1
        met = errors[:, :, :parts] <= np.array(tolerance[:parts]) * (1.0 + 1e-6)
        return Track(np.array(path), errors, np.array(seconds), np.array(iterations),
                     met.all(axis=(1, 2)))
