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

from collections.abc import Callable, Collection
from dataclasses import dataclass
import os
from pathlib import Path
import pickle
import random
import select
import subprocess
import sys
from time import perf_counter

from . import suite
from .cases import Problems
from .portions import next_portion
from .protocol import count_flips, judge, Referee, Tally, trace
from .robots import Robot

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0  # seconds that a call may take; the first one may compile
DEATHS = (EOFError, OSError, pickle.UnpicklingError)


class Worker:
    """The other end of :mod:`benchmark.worker`."""

    def __init__(self, peer: str, python: str, core: int):
        """Start the process on one core; ``reason`` tells why it cannot take part, if so."""
        self.peer, self.reason, self.solvers, self.version = peer, '', [], ''
        self.python, self._core = python, core
        self.start()

    def start(self) -> None:
        """Start the process, again if it has died."""
        environment = os.environ | {'PYTHONPATH': str(ROOT), 'OMP_NUM_THREADS': '1'}
        self._process = subprocess.Popen(
            [self.python, '-m', 'benchmark.worker'], cwd=ROOT, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            hello = self.call('hello', self.peer)
            self.call('pin', {self._core})  # after the import: batches count the cores then
            self.solvers, self.version = hello['solvers'], hello['version']
        except Exception as error:  # a peer that cannot be imported is skipped with its reason
            self.reason = f'{type(error).__name__}: {error}'.splitlines()[0][:200]

    def call(self, name: str, *arguments):
        """Call a method of the host; raise what it raised, or EOFError if it died or hangs."""
        pickle.dump((name, arguments), self._process.stdin)
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], PATIENCE)[0]:
            self._process.kill()
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
    """A solver that takes part in a case: what it has done, and its pace [s per problem]."""

    name: str
    worker: Worker
    tally: Tally
    done: int = 0
    pace: float = 0.0
    spent: float = 0.0
    retired: bool = False


class Runner:
    """Keeps the workers and plays cases with them."""

    def __init__(self, workers: list[Worker], progress: Callable[[str], None] = lambda text: None,
                 skipped: list[dict] | None = None):
        """Take the workers over; who does not take part, and why, is added to ``skipped``."""
        self._workers = workers
        self.progress = progress
        self.skipped = [] if skipped is None else skipped
        self.skipped += [{'solver': worker.peer, 'robot': 'all', 'reason': worker.reason}
                         for worker in workers if worker.reason]

    def play(self, case: str, problems: Problems, solvers: Collection[str] | None,
             cell_seconds: float) -> list[Tally]:
        """
        Let all solvers work on the same problems, a portion each in turn, in changing order.

        :param solvers: names of those who take part; None for all
        :param cell_seconds: a solver stops when it has used this much time
        """
        entrants = self.enter(case, problems, solvers)
        referee = Referee(problems.robot)
        order = random.Random(0)
        busy = list(entrants)
        while busy:
            order.shuffle(busy)
            for entrant in busy:
                self.progress(f'{case} · {problems.robot.label} · {entrant.name}')
                self._turn(entrant, problems, referee)
            busy = [entrant for entrant in busy if entrant.done < len(problems.goals)
                    and entrant.spent <= cell_seconds and not entrant.retired]
        return [entrant.tally for entrant in entrants if entrant.tally.asked]

    def _turn(self, entrant: Entrant, problems: Problems, referee: Referee) -> None:
        """Let one solver work on its next portion, and judge its answers."""
        portion = next_portion(problems, entrant.done, entrant.pace)
        started = perf_counter()
        try:
            answers = entrant.worker.call('solve', entrant.name, portion)
        except DEATHS:
            entrant.retired = True
            self.skip(entrant.name, problems.robot, 'its process died while solving')
            return
        entrant.spent += perf_counter() - started
        entrant.pace = answers.seconds.mean()
        entrant.done = portion.rows.stop
        if answers.trouble:
            self.skip(entrant.name, problems.robot, f'some problems: {answers.trouble}')
        optimum = None if problems.optimum is None else problems.optimum[portion.rows]
        tally = entrant.tally
        distances = judge(tally, referee, problems.settings, portion.goals, answers, optimum)
        if portion.chained:
            tally.flips += count_flips(answers, portion.seeds[0])
            tally.trace_mm = tally.trace_mm or trace(distances)

    def main_solvers(self) -> list[str]:
        """Return the solvers of the comparison: all peers and our four main methods."""
        return [name for worker in self._workers for name in worker.solvers
                if worker.peer != 'ours' or name in suite.OURS + suite.PAPER]

    def enter(self, case: str, problems: Problems,
              solvers: Collection[str] | None) -> list[Entrant]:
        """Load the robot into all solvers that take part; note why others do not."""
        robot = problems.robot
        entrants = []
        for worker in self._workers:
            if not worker.alive:
                worker.start()
            for name in list(worker.solvers):
                if solvers is not None and name not in solvers:
                    continue
                self.progress(f'{case} · {robot.label} · {name} gets ready')
                try:
                    reason = worker.call('load', name, robot, problems.settings,
                                         problems.goals[0], problems.seeds[0],
                                         problems.matrices)
                except DEATHS:
                    reason = 'its process died while loading'
                if reason:
                    self.skip(name, robot, reason)
                else:
                    entrants.append(Entrant(name, worker, Tally(case, robot.name, name)))
        return entrants

    def skip(self, name: str, robot: Robot, reason: str) -> None:
        """Note why a solver does not take part."""
        line = {'solver': name, 'robot': robot.label, 'reason': reason}
        if line not in self.skipped:
            self.skipped.append(line)


def start_workers(peers: list[str], pythons: dict[str, str], core: int) -> list[Worker]:
    """Start one worker per peer, all on the same core; they work one after the other."""
    return [Worker(peer, pythons.get(peer, sys.executable), core) for peer in peers]
