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

import importlib
from importlib.metadata import PackageNotFoundError, version
import os
import pickle
import sys
import time
import traceback

import numpy as np

from .protocol import Answers, Settings
from .robots import Robot

REPEATS = 3
LONG = 10_000_000  # ns; longer calls are not repeated, others hardly change them


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

    def load(self, name: str, robot: Robot, settings: Settings) -> str:
        """Prepare a solver; return an empty text or the reason why it cannot take part."""
        try:
            self._solvers[name] = self._module.SOLVERS[name](robot, settings)
        except Exception as error:  # a peer may raise anything; its reason goes to the report
            return first_line(error)
        return ''

    def solve(self, name: str, goals: np.ndarray, seeds: np.ndarray | None,
              start: np.ndarray | None = None) -> Answers:
        """
        Solve a list of problems, or a stream in which each answer is the next seed.

        The first problem is solved once without the clock, so that caches are warm for everybody.
        """
        solver, chained = self._solvers[name], seeds is None
        seed = start if chained else seeds[0]
        answers = Answers(np.full((len(goals), len(seed)), np.nan), np.zeros(len(goals), bool),
                          np.zeros(len(goals)))
        goals = [solver.translate(goal) for goal in goals]
        answers.trouble = attempt(solver, goals[0], seed)[2]
        for i, goal in enumerate(goals):
            seed = seed if chained else seeds[i]
            q, claimed, trouble, seconds, disturbed = undisturbed(solver, goal, seed)
            answers.claimed[i], answers.seconds[i] = claimed, seconds
            answers.disturbed += disturbed
            answers.trouble = answers.trouble or trouble
            if q is not None:
                answers.q[i] = q
                seed = answers.q[i] if chained and np.isfinite(answers.q[i]).all() else seed
        return answers

    def batch(self, name: str, goals: np.ndarray, seeds: np.ndarray) -> Answers:
        """Solve all problems in one call of the peer's batch interface, on all cores."""
        solver = self._solvers[name]
        rows = np.array([[*pose.real, *pose.dual] for pose in map(solver.translate, goals)])
        started = time.perf_counter()
        q, claimed = solver.solve_batch(rows, seeds)
        share = (time.perf_counter() - started) / len(goals)
        return Answers(np.asarray(q, float), np.asarray(claimed, bool),
                       np.full(len(goals), share))


def attempt(solver, goal: np.ndarray, seed: np.ndarray):
    """Ask once; an exception of the peer counts as no answer, and is told."""
    try:
        return *solver.solve(goal, seed), ''
    except Exception as error:  # a peer may raise anything; the failure is counted
        return None, False, first_line(error)


def first_line(error: Exception) -> str:
    """Return an exception as one short line."""
    return f'{type(error).__name__}: {error}'.splitlines()[0][:200]


def undisturbed(solver, goal: np.ndarray, seed: np.ndarray):
    """
    Time one call, and again if another process took the core meanwhile.

    A call is disturbed when its wall time exceeds its processor time noticeably.
    """
    for repeat in range(REPEATS):  # noqa: B007
        busy = time.process_time_ns()
        started = time.perf_counter_ns()
        q, claimed, trouble = attempt(solver, goal, seed)
        wall = time.perf_counter_ns() - started
        busy = time.process_time_ns() - busy
        if wall > LONG or wall - busy < 5_000 + wall // 10:
            break
    return q, claimed, trouble, wall * 1e-9, repeat


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
