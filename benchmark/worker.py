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
"""A process that hosts the solvers of one peer: ``python -m benchmark.worker PEER``."""
from __future__ import annotations

from functools import partial
import importlib
from importlib.metadata import PackageNotFoundError, version
import os
import pickle
import sys
import time
import traceback

import numpy as np

from .portions import Portion
from .protocol import Answers, given_matrices, Settings
from .robots import Robot
from .timing import attempt, first_line, no_collection, run, undisturbed, warm_up

STRETCH = 1e-3  # seconds of calls that are repeated if another process took the core
WARM = 1000  # problems of a batch before the clock starts
ROUNDS = 5  # times that a batch is solved in each form


class Host:
    """Loads robots into the solvers of one module, and times them."""

    def __init__(self, peer: str):
        """Import the adapter."""
        self._module = importlib.import_module(f'benchmark.peers.{peer}')
        self._solvers: dict = {}

    def hello(self) -> dict:
        """Return the names of the solvers and the version of their package."""
        try:
            number = version(self._module.PACKAGE)
        except PackageNotFoundError:
            number = 'unknown version'
        return {'solvers': list(self._module.SOLVERS), 'version': number}

    def load(self, name: str, robot: Robot, settings: Settings, goals: np.ndarray,
             seed: np.ndarray, matrices: bool) -> str:
        """
        Prepare a solver; return an empty text or the reason why it cannot take part.

        One problem is solved, so that whatever is compiled or built at first use is there.

        :param matrices: its goals will be given as 4x4 arrays
        """
        try:
            solver = self._module.SOLVERS[name](robot, settings)
            solver = self._solvers[name] = given_matrices(solver) if matrices else solver
            goal = solver.translate(goals)
        except Exception as error:  # a peer may raise anything; its reason goes to the report
            return first_line(error)
        attempt(solver, goal, seed)
        return ''

    def solve(self, name: str, portion: Portion) -> Answers:
        """Warm the caches up, then solve a portion under the clock."""
        solver = self._solvers[name]
        goals = [solver.translate(goal) for goal in portion.goals]
        answers = Answers.none(*portion.seeds.shape)
        first, size, seed = 0, 1, portion.seeds[:1]
        with no_collection():
            warm_up(solver, portion.warm_goals, portion.warm_seeds)
            while first < len(goals):
                rows = slice(first, first + size)
                seeds = seed if portion.chained else portion.seeds[rows]
                part = undisturbed(partial(run, solver, goals[rows], seeds, portion.chained))
                answers.put(rows, part)
                finite = part.q[np.isfinite(part.q).all(axis=1)]
                seed = finite[-1:] if len(finite) else seed
                first, size = rows.stop, max(1, round(STRETCH / part.seconds.mean()))
        return answers

    def follow(self, name: str, poses: np.ndarray, start: np.ndarray,
               step: np.ndarray) -> tuple[np.ndarray, float]:
        """
        Follow a path of one tip; return the joints of each frame and the seconds of all.

        A solver with a method ``follow`` gets the path and the largest step of each joint; others
        solve frame after frame, from the last answer.
        """
        solver = self._solvers[name]
        with no_collection():
            if hasattr(solver, 'follow'):
                return solver.follow(poses, start, step)
            goals = [solver.translate(pose[None]) for pose in poses]
            answers = run(solver, goals, start[None], chained=True)
        return answers.q, float(answers.seconds.sum())

    def has_batch(self, name: str) -> bool:
        """Tell whether a solver takes many problems in one call."""
        return hasattr(self._solvers[name], 'solve_batch')

    def batch(self, name: str, goals: np.ndarray, seeds: np.ndarray | None,
              cores: set[int]) -> list[tuple[Answers, list[float]]]:
        """
        Solve all problems in one call on some cores, again and again; return answers and seconds.

        The goals are in the solver's own type and 4x4 arrays in turn; the answers to both, and the
        seconds of each round, come in this order.
        """
        own = self._solvers[name]
        forms = [(solver, solver.translate_batch(goals)) for solver in (own, given_matrices(own))]
        pinned = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cores)
        try:
            for solver, targets in forms:
                solver.solve_batch(targets[:WARM], None if seeds is None else seeds[:WARM])
            rounds = [[clocked_batch(solver, targets, seeds) for solver, targets in forms]
                      for _ in range(ROUNDS)]
        finally:
            os.sched_setaffinity(0, pinned)
        return [(parts[-1][0], [seconds for _, seconds in parts]) for parts in zip(*rounds)]

    def loop(self, name: str, goals: np.ndarray, seeds: np.ndarray,
             matrices: bool) -> tuple[Answers, float]:
        """Solve one problem after the other without looking at the clock in between."""
        solver = self._solvers[name]
        solver = given_matrices(solver) if matrices else solver
        targets = [solver.translate(goal) for goal in goals]
        warm_up(solver, goals, seeds)
        answers = Answers.none(*seeds.shape)
        started = time.perf_counter()
        for i, (target, seed) in enumerate(zip(targets, seeds)):
            q, answers.claimed[i], _ = attempt(solver, target, seed)
            if q is not None:
                answers.q[i] = q
        return answers, time.perf_counter() - started


def clocked_batch(solver, targets, seeds: np.ndarray | None) -> tuple[Answers, float]:
    """Solve a batch in one call; return the answers and the seconds."""
    started = time.perf_counter()
    q, claimed = solver.solve_batch(targets, seeds)
    seconds = time.perf_counter() - started
    return Answers(np.asarray(q, float), np.asarray(claimed, bool),
                   np.full(len(q), seconds / len(q))), seconds


def main() -> None:
    """Serve requests from standard input until it closes."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), 'wb')
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # peers print; keep it apart
    host = None
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            if name == 'hello':
                host = Host(*arguments)
                reply = host.hello()
            elif name == 'pin':
                reply = os.sched_setaffinity(0, *arguments)
            else:
                reply = getattr(host, name)(*arguments)
        except Exception as error:  # reported to the parent, which decides
            traceback.print_exc()
            reply = error
        pickle.dump(reply, replies)
        replies.flush()


if __name__ == '__main__':
    main()
