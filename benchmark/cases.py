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
"""The questions: problem sets of every kind, made by Pinocchio and a seeded generator."""
from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .protocol import cost_of, Referee, Settings
from .robots import Robot

STRICT = Settings()
LOOSE = Settings(position_tolerance=1e-3, rotation_tolerance=1e-3)
RATE = 500.0  # Hz of the streams
JOINT_SPEED = 1.0  # rad/s or m/s at most between two way-points of a stream


@dataclass(frozen=True)
class Problems:
    """
    A list of goals with seeds; ``stream`` frames make one path (0: separate problems).

    With ``matrices``, the goals are given as 4x4 arrays, and what a solver makes of them is timed.
    Without ``warm``, a turn begins with the caches as the solvers before have left them.
    """

    robot: Robot
    settings: Settings
    goals: np.ndarray
    seeds: np.ndarray
    stream: int = 0
    optimum: np.ndarray | None = None
    matrices: bool = False
    warm: bool = True

    def first(self, count: int) -> Problems:
        """Return the first few of separate problems."""
        return replace(self, goals=self.goals[:count], seeds=self.seeds[:count])

    def as_matrices(self, *, warm: bool) -> Problems:
        """Return the same problems, given as 4x4 arrays."""
        return replace(self, matrices=True, warm=warm)


def reachable(robot: Robot, count: int, settings: Settings = STRICT, *,
              seeds: str = 'mid') -> Problems:
    """
    Return the poses of random configurations: TRAC-IK's protocol.

    :param seeds: ``mid`` starts in the middle of the ranges, ``random`` anywhere
    """
    rng, referee = _start(robot)
    return _posed(robot, referee, settings, _uniform(referee, rng, count),
                  _seeds(referee, rng, count, seeds))


def on_limits(robot: Robot, count: int, settings: Settings = STRICT) -> Problems:
    """Return poses that some configuration reaches with one to three joints on their limits."""
    rng, referee = _start(robot)
    q = _uniform(referee, rng, count)
    for row in q:
        joints = rng.choice(robot.dof, size=rng.integers(1, 4), replace=False)
        row[joints] = np.where(rng.random(len(joints)) < 0.5, referee.lower[joints],
                               referee.upper[joints])
    return _posed(robot, referee, settings, q, _seeds(referee, rng, count, 'mid'))


def singular(robot: Robot, count: int, settings: Settings = STRICT) -> Problems:
    """Return poses of singular configurations."""
    rng, referee = _start(robot)
    q = most_singular(referee, rng, count)
    return _posed(robot, referee, settings, q, _seeds(referee, rng, count, 'mid'))


def most_singular(referee: Referee, rng: np.random.Generator, count: int) -> np.ndarray:
    """
    Return singular configurations, shape ``(count, n)``.

    Half of the joints of a random configuration are set to zero, where the axes of common arms
    align; the pool's most singular members, by the smallest singular value, are kept.
    """
    pool = _uniform(referee, rng, 20 * count)
    straight = np.clip(0.0, referee.lower, referee.upper)
    pool = np.where(rng.random(pool.shape) < 0.5, straight, pool)
    smallest = [np.linalg.svd(referee.jacobian(q), compute_uv=False)[-1] for q in pool]
    q = pool[np.argsort(smallest)[:count]]
    rng.shuffle(q)
    return q


def nearby(robot: Robot, count: int, distance: float = 0.3) -> Problems:
    """Return poses of configurations that differ from a random seed by at most ``distance``."""
    rng, referee = _start(robot)
    seeds = _uniform(referee, rng, count)
    q = np.clip(seeds + rng.uniform(-distance, distance, seeds.shape), referee.lower,
                referee.upper)
    return _posed(robot, referee, Settings(budget=20e-3), q, seeds)


def stream(robot: Robot, frames: int, paths: int) -> Problems:
    """
    Return smooth paths at 500 Hz, each frame to be solved from the last answer, without restarts.

    Every frame is reachable: the path is that of a spline through random configurations. A solver
    that follows it by its own joint motion may still run into limits.
    """
    from scipy.interpolate import PchipInterpolator
    rng, referee = _start(robot)
    settings = Settings(budget=1.0 / RATE, restarts=False)
    q = []
    for _ in range(paths):
        times, points = [0.0], [_uniform(referee, rng, 1)[0]]
        while times[-1] < frames / RATE:
            points.append(_uniform(referee, rng, 1)[0])
            times.append(times[-1] + 1.5 * np.abs(points[-1] - points[-2]).max() / JOINT_SPEED)
        q.append(PchipInterpolator(times, points)(np.arange(frames) / RATE))
    q = np.concatenate(q)
    problems = _posed(robot, referee, settings, q, q)
    return Problems(robot, settings, problems.goals, q, stream=frames)


def unreachable(robot: Robot, count: int) -> Problems:
    """
    Return goals beyond the reach with random orientation, and their best possible costs.

    The optimum comes from SciPy's bounded least squares with twelve starts.
    """
    rng, referee = _start(robot)
    settings = Settings(rotation_weight=0.25)
    samples = np.array([referee.poses(q)[0, :3, 3] for q in _uniform(referee, rng, 2000)])
    centre = samples.mean(axis=0)
    reach = np.linalg.norm(samples - centre, axis=1).max()
    goals = np.array([referee.poses(q) for q in _uniform(referee, rng, count)])
    for goal in goals:
        direction = goal[0, :3, 3] - centre
        direction /= np.linalg.norm(direction)
        goal[0, :3, 3] = centre + direction * reach * rng.uniform(1.1, 1.6)
    optimum = np.array([_optimum(referee, goal, settings, rng) for goal in goals])
    return Problems(robot, settings, goals, _seeds(referee, rng, count, 'mid'), optimum=optimum)


def _optimum(referee: Referee, goal: np.ndarray, settings: Settings, rng) -> float:
    """Return the least cost that SciPy finds within the limits."""
    import pinocchio
    from scipy.optimize import least_squares
    weights = np.tile(np.repeat([1.0, settings.weight], 3), len(goal))

    def turns(q):
        return [target[:3, :3] @ pose[:3, :3].T for pose, target in zip(referee.poses(q), goal)]

    def residual(q):
        moves = [target[:3, 3] - pose[:3, 3] for pose, target in zip(referee.poses(q), goal)]
        return weights * np.ravel([(move, pinocchio.log3(turn))
                                   for move, turn in zip(moves, turns(q))])

    def derivative(q):
        out = -referee.jacobian(q)
        for i, turn in enumerate(turns(q)):
            rows = slice(6 * i + 3, 6 * i + 6)
            out[rows] = pinocchio.Jlog3(turn) @ out[rows]
        return weights[:, None] * out

    best = np.inf
    for start in _uniform(referee, rng, 12):
        answer = least_squares(residual, start, derivative, bounds=(referee.lower, referee.upper),
                               xtol=1e-10)
        best = min(best, cost_of(referee.errors(answer.x, goal), settings))
    return best


def _start(robot: Robot):
    return np.random.default_rng(7), Referee(robot)


def _uniform(referee: Referee, rng, count: int) -> np.ndarray:
    return rng.uniform(referee.lower, referee.upper, size=(count, len(referee.lower)))


def _seeds(referee: Referee, rng, count: int, kind: str) -> np.ndarray:
    if kind == 'random':
        return _uniform(referee, rng, count)
    return np.tile(0.5 * (referee.lower + referee.upper), (count, 1))


def _posed(robot, referee, settings, q, seeds) -> Problems:
    return Problems(robot, settings, np.array([referee.poses(row) for row in q]), seeds)
