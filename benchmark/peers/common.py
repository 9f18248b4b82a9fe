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
"""What several adapters need: restarts around solvers without, loops, and a pose check."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from ..protocol import cost_of, Referee, Settings
from ..robots import Robot

Attempt = Callable[[np.ndarray, float], tuple[np.ndarray, bool]]


class Restarts:
    """
    Calls an attempt from the seed, then from random configurations until the budget ends.

    Where the best reach is asked for, the best of all attempts is returned, by Pinocchio's word.
    """

    def __init__(self, robot: Robot, settings: Settings):
        """Remember limits and budget."""
        self._lower, self._upper = np.array(robot.lower), np.array(robot.upper)
        self._settings = settings
        self._rng = np.random.default_rng(1)
        self._referee = Referee(robot) if settings.rotation_weight else None

    def search(self, attempt: Attempt, seed: np.ndarray,
               matrices: Callable[[], np.ndarray]) -> tuple[np.ndarray, bool]:
        """
        Return the first success, or else the answer from the seed (or the best reach).

        :param matrices: returns the goals, shape ``(n_tips, 4, 4)``
        """
        deadline = perf_counter() + self._settings.budget
        best, solved = attempt(np.clip(seed, self._lower, self._upper), deadline)
        if solved or not self._settings.restarts:
            return best, solved
        goals = None if self._referee is None else matrices()
        least = self._cost(best, goals)
        while perf_counter() < deadline:
            q, solved = attempt(self._rng.uniform(self._lower, self._upper), deadline)
            if solved:
                return q, True
            cost = self._cost(q, goals)
            if cost < least:
                best, least = q, cost
        return best, False

    def _cost(self, q: np.ndarray, goals: np.ndarray | None) -> float:
        if goals is None or not self._referee.within_limits(q):
            return np.inf
        return cost_of(self._referee.errors(q, goals), self._settings)


class FrameTasks(ABC):
    """
    Differential inverse kinematics with one frame task per tip, iterated to the goal.

    mink and Pink share their interface: tasks know their errors in a configuration, and a
    quadratic programme gives the velocity that reduces them. A step takes one second of pretended
    time: the whole way, as in Newton's method.
    """

    ITERATIONS = 100

    def __init__(self, robot: Robot, settings: Settings, tasks: list, order: list[int],
                 limits: tuple[np.ndarray, np.ndarray]):
        """
        Take over what the peer has built.

        :param order: where the robot's joints are in the peer's configuration
        :param limits: lower and upper limits of the peer's configuration
        """
        self._tasks, self._order, self._limits = tasks, order, limits
        self._allowed = settings.position_tolerance, settings.rotation_tolerance
        self._restarts = Restarts(robot, settings)

    def solve(self, goals: list, seed: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return the first success, or where the first attempt ended."""
        for task, goal in zip(self._tasks, goals):
            task.set_target(goal)
        return self._restarts.search(self._attempt, seed, lambda: self.matrices(goals))

    @abstractmethod
    def matrices(self, goals: list) -> np.ndarray:
        """Return the goals as matrices."""

    @abstractmethod
    def configuration(self, q: np.ndarray) -> Any:
        """Return the peer's configuration at ``q``."""

    @abstractmethod
    def velocity(self, configuration: Any) -> np.ndarray:
        """Return the velocity that reduces the errors of the tasks, within limits."""

    def _attempt(self, seed: np.ndarray, deadline: float) -> tuple[np.ndarray, bool]:
        q = np.empty(len(seed))
        q[self._order] = seed
        configuration = self.configuration(q)
        for _ in range(self.ITERATIONS):
            errors = [task.compute_error(configuration) for task in self._tasks]
            if all(np.linalg.norm(e[:3]) <= self._allowed[0]
                   and np.linalg.norm(e[3:]) <= self._allowed[1] for e in errors):
                return configuration.q[self._order], True
            if perf_counter() > deadline:
                break
            q = configuration.integrate(self.velocity(configuration), 1.0)
            configuration.update(np.clip(q, *self._limits))
        return configuration.q[self._order], False


class Matrices:
    """Takes its goals as they are: matrices of shape ``(n_tips, 4, 4)``."""

    def translate(self, goals: np.ndarray) -> np.ndarray:
        """Return the goals unchanged."""
        return goals

    def given_matrices(self) -> Matrices:
        """Return itself: there is nothing to translate."""
        return self


class Check:
    """Tells whether an answer is good, for peers that do not tell themselves (by Pinocchio)."""

    def __init__(self, robot: Robot, settings: Settings):
        """Build the referee's kinematics for own use."""
        self._referee = Referee(robot)
        self._allowed = np.array([settings.position_tolerance, settings.rotation_tolerance])

    def __call__(self, q: np.ndarray, goals: np.ndarray) -> bool:
        """Return whether ``q`` is within limits and tolerance."""
        return self._referee.within_limits(q) and bool(
            (self._referee.errors(q, goals) <= self._allowed).all())


def one_tip(robot: Robot) -> str:
    """Return the only tip of the robot; refuse trees."""
    if len(robot.tips) > 1:
        raise ValueError('handles one tip only')
    return robot.tips[0]


def quaternion_xyzw(rotation: np.ndarray) -> tuple[float, float, float, float]:
    """Return the quaternion of a rotation matrix, scalar last (by the largest component)."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.tolist()
    squares = (1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz)
    largest = squares.index(max(squares))
    column = ((squares[0], xy + yx, xz + zx, zy - yz), (xy + yx, squares[1], yz + zy, xz - zx),
              (xz + zx, yz + zy, squares[2], yx - xy), (zy - yz, xz - zx, yx - xy, squares[3]))
    scale = 0.5 / squares[largest] ** 0.5
    return tuple(scale * value for value in column[largest])
