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
"""Runs cases: starts the workers, deals the problems out in turn, collects verified answers."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import os
from pathlib import Path
import pickle
import random
import subprocess
import sys
from time import perf_counter

from . import cases, robots, suite
from .cases import Problems
from .protocol import Answers, count_flips, judge, Referee, Tally
from .robots import Robot

ROOT = Path(__file__).parents[1]


class Worker:
    """The other end of :mod:`benchmark.worker`."""

    def __init__(self, peer: str, python: str, core: int):
        """Start the process on one core; ``reason`` tells why it cannot take part, if so."""
        self.peer, self.reason, self.solvers, self.version = peer, '', [], ''
        self._python, self._core = python, core
        self.start()

    def start(self) -> None:
        """Start the process, again if it has died."""
        environment = os.environ | {'PYTHONPATH': str(ROOT), 'OMP_NUM_THREADS': '1'}
        self._process = subprocess.Popen(
            [self._python, '-m', 'benchmark.worker'], cwd=ROOT, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            hello = self.call('hello', self.peer)
            self.call('pin', {self._core})  # after the import: batches count the cores then
            self.solvers, self.version = hello['solvers'], hello['version']
        except Exception as error:  # a peer that cannot be imported is skipped with its reason
            self.reason = f'{type(error).__name__}: {error}'.splitlines()[0][:200]

    def call(self, name: str, *arguments):
        """Call a method of the host; raise what it raised, or EOFError if it died."""
        pickle.dump((name, arguments), self._process.stdin)
        self._process.stdin.flush()
        reply = pickle.load(self._process.stdout)
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def alive(self) -> bool:
        """Tell whether the process is still there."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        try:
            self._process.stdin.close()
            self._process.wait(5)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()


@dataclass
class Entrant:
    """A solver that takes part in a case."""

    name: str
    worker: Worker
    tally: Tally
    spent: float = 0.0
    retired: bool = False


class Runner:
    """Keeps the workers and plays cases with them."""

    def __init__(self, workers: list[Worker], chunk: int,
                 progress: Callable[[str], None] = lambda text: None):
        """Take the workers over."""
        self._workers = workers
        self._chunk = chunk
        self._progress = progress
        self.skipped = [{'solver': worker.peer, 'robot': 'all', 'reason': worker.reason}
                        for worker in workers if worker.reason]

    def play(self, case: str, robot: Robot, problems: Problems, solvers: list[str] | None,
             cell_seconds: float) -> list[Tally]:
        """
        Let all solvers work on the same problems, a chunk each in turn, in changing order.

        :param solvers: names of those who take part; None for all
        :param cell_seconds: a solver stops when it has used this much time
        """
        entrants = self._enter(case, robot, problems, solvers)
        referee = Referee(robot)
        order = random.Random(0)
        for start in range(0, len(problems.goals), self._size(problems)):
            rows = slice(start, start + self._size(problems))
            order.shuffle(entrants)
            for entrant in entrants:
                if entrant.retired or entrant.spent > cell_seconds:
                    continue
                started = perf_counter()
                answers = self._ask(entrant, problems, rows)
                entrant.spent += perf_counter() - started
                if answers is None:
                    continue
                if answers.trouble:
                    self._skip(entrant.name, robot, f'some problems: {answers.trouble}')
                optimum = None if problems.optimum is None else problems.optimum[rows]
                judge(entrant.tally, referee, problems.settings, problems.goals[rows], answers,
                      optimum)
                if problems.stream:
                    entrant.tally.flips += count_flips(answers, problems.seeds[start])
                self._progress(f'{case} · {robot.label} · {entrant.name}')
        return [entrant.tally for entrant in entrants if entrant.tally.asked]

    def main_solvers(self) -> list[str]:
        """Return the solvers of the comparison: all peers and our four main methods."""
        return [name for worker in self._workers for name in worker.solvers
                if worker.peer != 'ours' or name in suite.OURS + suite.PAPER]

    def batches(self, count: int, folder: Path, cores: set[int]) -> list[dict]:
        """Measure the throughput of batch interfaces on all cores."""
        rows = []
        robot = robots.load('panda', folder)
        problems = cases.reachable(robot, count)
        referee = Referee(robot)
        for worker in self._workers:
            for name in set(worker.solvers) & set(suite.OURS):
                self._progress(f'batch · {name}')
                worker.call('pin', cores)
                worker.call('load', name, robot, problems.settings)
                worker.call('batch', name, problems.goals[:100], problems.seeds[:100])
                answers = worker.call('batch', name, problems.goals, problems.seeds)
                tally = Tally('batch', robot.name, name)
                judge(tally, referee, problems.settings, problems.goals, answers)
                rows.append({'solver': name, 'robot': robot.label, 'asked': tally.asked,
                             'solved': tally.solved, 'per_second': 1.0 / answers.seconds[0],
                             'cores': len(cores)})
        return rows

    def _size(self, problems: Problems) -> int:
        return problems.stream or self._chunk

    def _enter(self, case, robot, problems, solvers) -> list[Entrant]:
        entrants = []
        for worker in self._workers:
            if not worker.alive:
                worker.start()
            for name in list(worker.solvers):
                if solvers is not None and name not in solvers:
                    continue
                try:
                    reason = worker.call('load', name, robot, problems.settings)
                except (EOFError, OSError, pickle.UnpicklingError):
                    reason = 'its process died while loading'
                if reason:
                    self._skip(name, robot, reason)
                else:
                    entrants.append(Entrant(name, worker, Tally(case, robot.name, name)))
        return entrants

    def _ask(self, entrant: Entrant, problems: Problems, rows: slice) -> Answers | None:
        goals, seeds = problems.goals[rows], problems.seeds[rows]
        try:
            if problems.stream:
                return entrant.worker.call('solve', entrant.name, goals, None, seeds[0])
            return entrant.worker.call('solve', entrant.name, goals, seeds)
        except (EOFError, OSError, pickle.UnpicklingError):
            entrant.retired = True
            self._skip(entrant.name, problems.robot, 'its process died while solving')
            return None

    def _skip(self, name: str, robot: Robot, reason: str) -> None:
        line = {'solver': name, 'robot': robot.label, 'reason': reason}
        if line not in self.skipped:
            self.skipped.append(line)


def start_workers(peers: list[str], pythons: dict[str, str], core: int) -> list[Worker]:
    """Start one worker per peer, all on the same core; they work one after the other."""
    return [Worker(peer, pythons.get(peer, sys.executable), core) for peer in peers]
