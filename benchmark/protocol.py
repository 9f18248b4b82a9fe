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
"""The rules: what a solver is asked, what it answers, and who decides whether it is right."""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from .robots import Robot

LIMIT_SLACK = 1e-6  # rad or m; URDF numbers are printed with about as many digits
TRACE = 500  # points of an error trace at most
FLIP = 0.1  # rad or m; a larger joint step between two frames of a stream is a jump


@dataclass(frozen=True)
class Settings:
    """
    What every solver is told before it is asked.

    ``rotation_weight`` [m/rad] weighs rotation against position where a goal cannot be met; zero
    leaves it to the solver.
    """

    position_tolerance: float = 1e-5
    rotation_tolerance: float = 1e-5
    budget: float = 5e-3
    restarts: bool = True
    rotation_weight: float = 0.0

    @property
    def weight(self) -> float:
        """Weight of rotation for solvers that need a number."""
        return self.rotation_weight or 0.25


class Solver(Protocol):
    """What an adapter offers: ``Adapter(robot, settings)`` with these methods."""

    def translate(self, goals: np.ndarray) -> Any:
        """
        Return the goals in the solver's own types; this is not timed.

        :param goals: poses of the tips in the base frame, shape ``(n_tips, 4, 4)``
        """

    def solve(self, goals: Any, seed: np.ndarray) -> tuple[np.ndarray | None, bool]:
        """
        Return joint values (or None) and whether the solver claims success; this is timed.

        :param goals: what :meth:`translate` returned
        :param seed: where to start, shape ``(n,)``
        """


class Given:
    """A solver that is given 4x4 arrays: what it makes of them is part of the timed call."""

    def __init__(self, solver: Solver):
        """Take over a solver with types of its own."""
        self._solver = solver

    def translate(self, goals: np.ndarray) -> np.ndarray:
        """Return the goals as they are."""
        return goals

    def solve(self, goals: np.ndarray, seed: np.ndarray) -> tuple[np.ndarray | None, bool]:
        """Translate and solve."""
        return self._solver.solve(self._solver.translate(goals), seed)


def given_matrices(solver: Any) -> Any:
    """Return a solver that is given 4x4 arrays; some adapters take them as they are."""
    return solver.given_matrices() if hasattr(solver, 'given_matrices') else Given(solver)


@dataclass
class Answers:
    """What a worker sends back for a list of problems, one row each; NaN where no answer."""

    q: np.ndarray
    claimed: np.ndarray
    seconds: np.ndarray
    disturbed: int = 0
    trouble: str = ''

    @classmethod
    def none(cls, count: int, dof: int) -> Answers:
        """Return ``count`` rows without an answer yet."""
        return cls(np.full((count, dof), np.nan), np.zeros(count, bool), np.zeros(count))

    def put(self, rows: slice, part: Answers) -> None:
        """Take over the answers to some of the problems."""
        self.q[rows], self.claimed[rows], self.seconds[rows] = part.q, part.claimed, part.seconds
        self.disturbed += part.disturbed
        self.trouble = self.trouble or part.trouble


class Referee:
    """Judges answers by the forward kinematics of Pinocchio; no solver takes part in this."""

    def __init__(self, robot: Robot):
        """Build Pinocchio's model of the robot."""
        import pinocchio
        self._pin = pinocchio
        self._model = pinocchio.buildModelFromUrdf(str(robot.urdf))
        self._data = self._model.createData()
        self._tips = [self._model.getFrameId(tip) for tip in robot.tips]
        joints = [self._model.getJointId(joint) for joint in robot.joints]
        self._order = np.array([self._model.joints[joint].idx_q for joint in joints])
        self.lower, self.upper = np.array(robot.lower), np.array(robot.upper)

    def poses(self, q: np.ndarray) -> np.ndarray:
        """Return the poses of the tips, shape ``(n_tips, 4, 4)``."""
        self._update(q)
        return np.array([self._data.oMf[tip].homogeneous for tip in self._tips])

    def errors(self, q: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """Return the errors of the tips [m, rad], shape ``(n_tips, 2)``."""
        self._update(q)
        out = np.empty((len(goals), 2))
        for row, tip, goal in zip(out, self._tips, goals):
            pose = self._data.oMf[tip]
            row[0] = np.linalg.norm(goal[:3, 3] - pose.translation)
            row[1] = np.linalg.norm(self._pin.log3(pose.rotation.T @ goal[:3, :3]))
        return out

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return the stacked Jacobian of the tips, columns in the robot's order."""
        self._update(q)
        blocks = [self._pin.computeFrameJacobian(self._model, self._data, self._pin_q, tip,
                                                 self._pin.LOCAL_WORLD_ALIGNED)
                  for tip in self._tips]
        return np.vstack(blocks)[:, self._order]

    def within_limits(self, q: np.ndarray) -> bool:
        """Tell whether every joint keeps its range."""
        return bool((q >= self.lower - LIMIT_SLACK).all()
                    and (q <= self.upper + LIMIT_SLACK).all())

    def _update(self, q: np.ndarray) -> None:
        self._pin_q = np.empty(len(self._order))
        self._pin_q[self._order] = q
        self._pin.framesForwardKinematics(self._model, self._data, self._pin_q)


@dataclass
class Tally:
    """What one solver did in one case on one robot."""

    case: str
    robot: str
    solver: str
    asked: int = 0
    solved: int = 0
    claimed: int = 0
    refused: int = 0
    outside_limits: int = 0
    flips: int = 0
    disturbed: int = 0
    seconds: list[float] = field(default_factory=list)
    solved_seconds: list[float] = field(default_factory=list)
    trace_mm: list[float | None] = field(default_factory=list)
    optimal: int = 0

    def summary(self) -> dict:
        """Return the numbers that go into the report; times in microseconds."""
        row = {key: value for key, value in asdict(self).items()
               if key not in ('seconds', 'solved_seconds')}
        times = np.array(self.seconds) * 1e6
        row |= {'mean_us': float(times.mean()), 'median_us': float(np.median(times)),
                'p99_us': float(np.percentile(times, 99)),
                'solved_mean_us': float(np.mean(self.solved_seconds) * 1e6)
                if self.solved_seconds else None,
                'curve_us': [float(t) for t in
                             np.percentile(np.array(self.solved_seconds) * 1e6, range(0, 101, 2))]
                if self.solved_seconds else []}
        return row


def judge(tally: Tally, referee: Referee, settings: Settings, goals: np.ndarray,
          answers: Answers, optimum: np.ndarray | None = None) -> np.ndarray:
    """
    Add a list of answers to a tally; return the largest position error of each [m].

    An answer is *solved* when all tips are within tolerance and all joints within limits, claimed
    or not. A claim that is not solved is *refused*. An answer whose joints leave their limits
    counts as such whether claimed or not.

    :param optimum: best possible costs of unreachable goals, one per problem
    """
    allowed = np.array([settings.position_tolerance, settings.rotation_tolerance]) * (1.0 + 1e-6)
    distances = np.empty(len(goals))
    for i, (q, goal) in enumerate(zip(answers.q, goals)):
        answered = bool(np.isfinite(q).all())
        inside = answered and referee.within_limits(q)
        errors = referee.errors(q, goal) if answered else np.full((len(goal), 2), np.inf)
        distances[i] = errors[:, 0].max()
        solved = inside and bool((errors <= allowed).all())
        claimed = bool(answers.claimed[i])
        tally.asked += 1
        tally.solved += solved
        tally.claimed += claimed
        tally.refused += claimed and not solved
        tally.outside_limits += answered and not inside
        tally.seconds.append(float(answers.seconds[i]))
        if solved:
            tally.solved_seconds.append(float(answers.seconds[i]))
        if optimum is not None:
            cost = cost_of(errors, settings) if inside else np.inf
            tally.optimal += bool(cost <= 1.01 * optimum[i])
    tally.disturbed += answers.disturbed
    return distances


def trace(distances: np.ndarray) -> list[float | None]:
    """Return errors over time for a figure [mm], the worst of each interval; None if no answer."""
    parts = np.array_split(1e3 * distances, min(len(distances), TRACE))
    return [float(part.max()) if np.isfinite(part).all() else None for part in parts]


def cost_of(errors: np.ndarray, settings: Settings) -> float:
    """Return ``sum |e_p|^2 + (w e_r)^2`` over the tips [m^2]."""
    return float((errors[:, 0] ** 2 + (settings.weight * errors[:, 1]) ** 2).sum())


def count_flips(answers: Answers, start: np.ndarray) -> int:
    """Return how often a joint jumps between consecutive answers of a stream."""
    path = [start, *(q for q in answers.q if np.isfinite(q).all())]
    return int((np.abs(np.diff(path, axis=0)).max(axis=1) > FLIP).sum())
