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
"""
Hard paths: who follows them, how often the joints jump, and what a whole path at once gives.

Peers solve each frame from their last answer, and know nothing of a bound on the joints' steps.
Our stream gets the bound and keeps it. All answers are judged by Pinocchio.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from dq_ik import load_robot
from dq_ik.stream.whole_path import follow_path
import numpy as np

from . import hard_paths, robots
from .cases import Problems
from .hard_paths import RATE
from .protocol import FLIP, Referee, Settings
from .robots import Robot
from .runner import DEATHS, Entrant, Runner

STREAMS = ('dq_ik stream', 'dq_ik stream, look-ahead')
PEERS = ('PlaCo', 'mink', 'ssik (analytic)', 'TRAC-IK')
RESTARTING = ('toolbox LM Chan',)
ALLOWED = 1e-5 * (1.0 + 1e-6)  # m and rad
FIRST_SEED = 7000


@dataclass(frozen=True)
class Case:
    """
    Paths of one kind for one robot.

    :param bound: largest step of a joint per frame [rad or m]; 0: the speed limits of the URDF
    """

    kind: str
    robot: str
    bound: float
    peers: bool = False


CASES = (
    Case('hard', 'ur5', 0.01, peers=True),
    Case('hard', 'panda', 0.015, peers=True), Case('hard', 'panda', 0.005),
    Case('hard', 'iiwa', 0.015, peers=True), Case('hard', 'iiwa', 0.005),
    Case('hard', 'ur10', 0.01), Case('hard', 'xarm7', 0.03), Case('hard', 'xarm7', 0.01),
    Case('hard', 'baxter', 0.015), Case('hard', 'baxter', 0.005),
    *(Case(kind, robot, 0.0) for kind in ('hard', 'slowed')
      for robot in ('panda', 'iiwa', 'ur5', 'ur10', 'xarm7', 'baxter')),
    *(Case('ordinary', robot, 0.005) for robot in
      ('panda', 'iiwa', 'ur5', 'ur10', 'xarm7', 'baxter')),
)
WHOLE = (Case('hard', 'panda', 0.005), Case('hard', 'iiwa', 0.005), Case('hard', 'ur5', 0.01))


@dataclass
class Row:
    """What one solver did with the paths of a case."""

    kind: str
    label: str
    bound: float
    solver: str
    paths: int = 0
    followed: int = 0
    frames: int = 0
    solved: int = 0
    flips: int = 0
    largest_step: float = 0.0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, start: np.ndarray, q: np.ndarray, good: np.ndarray, step: np.ndarray,
            seconds: float) -> None:
        """Count one path; ``q`` are the answers, NaN where there is none."""
        self.paths += 1
        self.followed += bool(good.all())
        self.frames += len(q)
        self.solved += int(good.sum())
        moves = np.abs(np.diff([start, *q[np.isfinite(q).all(axis=1)]], axis=0))
        self.flips += int((moves.max(axis=1, initial=0.0) > FLIP).sum())
        self.largest_step = max(self.largest_step, float((moves / step).max(initial=0.0)))
        self.seconds += seconds
        self.longest = max(self.longest, seconds)

    def summary(self) -> dict:
        """Return the numbers that go into the report."""
        return asdict(self) | {'mean_us': 1e6 * self.seconds / max(self.frames, 1)}


class Field:
    """A robot with its referee and its paths, by kind and seed."""

    def __init__(self, name: str, folder: Path):
        """Load the robot."""
        self.robot: Robot = robots.load(name, folder)
        self.referee = Referee(self.robot)
        chain = load_robot(self.robot.urdf).chain(self.robot.base, self.robot.tips)
        self.chain = chain
        order = [chain.joint_names.index(name) for name in self.robot.joints]
        self.speeds = np.array(chain.velocity)[order]
        self._order = np.array(order)

    def step(self, case: Case) -> np.ndarray:
        """Return the largest step of each joint."""
        return np.full(self.robot.dof, case.bound) if case.bound else self.speeds / RATE

    def path(self, kind: str, seed: int) -> hard_paths.Path:
        """Return a path; a slowed one keeps the speed limits of the URDF."""
        if kind == 'ordinary':
            return hard_paths.ordinary(self.robot, seed)
        slow = kind == 'slowed'
        return hard_paths.hard(self.robot, seed, speeds=self.speeds if slow else None)

    def good(self, q: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """Tell which answers Pinocchio finds at their poses and within limits."""
        return np.array([
            bool(np.isfinite(row).all()) and self.referee.within_limits(row)
            and self.referee.errors(row, pose[None]).max() <= ALLOWED
            for row, pose in zip(q, poses)])

    def whole(self, path: hard_paths.Path, step: np.ndarray) -> tuple[np.ndarray, float]:
        """Follow a whole path at once; return joints and seconds."""
        back = np.argsort(self._order)
        result = follow_path(self.chain, path.poses, 1.0 / RATE, velocity=step[back] * RATE)
        return result.q[:, self._order], result.time


def measure(runner: Runner, folder: Path, quick: bool, progress: Callable[[str], None]
            ) -> list[dict]:
    """Let streams and peers follow the paths; return one row per case and solver."""
    fields = lru_cache(maxsize=None)(lambda name: Field(name, folder))
    return [row for case in CASES
            for row in stream_rows(runner, fields(case.robot), case, quick, progress)]


def stream_rows(runner: Runner, field: Field, case: Case, quick: bool,
                progress: Callable[[str], None]) -> Iterator[dict]:
    """Yield the rows of a case; peers that are slow get fewer paths."""
    count, seconds = (4, 3.0) if quick else (160, 60.0)
    step = field.step(case)
    entered = list(_enter(runner, field, case))
    rows = {entrant.name: Row(case.kind, field.robot.label, case.bound, entrant.name)
            for entrant in entered}
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        path = field.path(case.kind, seed)
        for entrant in list(entered):
            row = rows[entrant.name]
            progress(f'{case.kind} paths · {field.robot.label} · {entrant.name} · {row.paths + 1}')
            try:
                q, spent = entrant.worker.call('follow', entrant.name, path.poses, path.q[0], step)
            except DEATHS:
                runner.skip(entrant.name, field.robot, 'its process died on a hard path')
                entered.remove(entrant)
                continue
            row.add(path.q[0], q, field.good(q, path.poses), step, spent)
            if row.seconds > seconds:
                entered.remove(entrant)
    yield from (row.summary() for row in rows.values() if row.paths)


def _enter(runner: Runner, field: Field, case: Case) -> Iterator[Entrant]:
    """Load the robot into the streams and, where they take part, into the peers."""
    path = field.path(case.kind, FIRST_SEED)
    for names, restarts in ((STREAMS + PEERS * case.peers, False),
                            (RESTARTING * case.peers, True)):
        settings = Settings(budget=1.0 / RATE, restarts=restarts)
        problems = Problems(field.robot, settings, path.poses[:1, None], path.q[:1])
        yield from runner.enter('paths', problems, names) if names else ()


def measure_whole(folder: Path, quick: bool, progress: Callable[[str], None]) -> list[dict]:
    """Follow whole paths that are given at once, from the best start."""
    out = []
    for case in WHOLE:
        field = Field(case.robot, folder)
        row = Row(case.kind, field.robot.label, case.bound, 'dq_ik whole path')
        for seed in range(FIRST_SEED, FIRST_SEED + (4 if quick else 160)):
            progress(f'whole paths · {field.robot.label} · {row.paths + 1}')
            path, step = field.path(case.kind, seed), field.step(case)
            q, seconds = field.whole(path, step)
            row.add(q[0], q, field.good(q, path.poses), step, seconds)
        out.append(row.summary())
    return out
