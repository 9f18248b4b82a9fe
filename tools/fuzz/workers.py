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
"""Cases in processes of their own: a crash or a hang is found, and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import multiprocessing
from multiprocessing.connection import Connection, wait
from random import Random
import time

from .solves import Outcome

HANG = 120.0  # seconds after which a case counts as hanging
Run = Callable[[Random], Outcome]


def work(run: Run, seed: int, first: int, step: int, pipe: Connection) -> None:
    """Run cases for ever; tell each number before, and the outcome after."""
    number = first
    while True:
        pipe.send((number, None))
        pipe.send((number, run(Random(f'{seed} {number}'))))
        number += step


class Worker:
    """A process that runs every n-th case, and is replaced when it dies."""

    def __init__(self, run: Run, seed: int, first: int, step: int) -> None:
        self.run = run
        self.seed, self.number, self.step = seed, first, step
        self.start()

    def start(self) -> None:
        """Start at the present number."""
        context = multiprocessing.get_context('spawn')
        self.pipe, other = context.Pipe()
        self.process = context.Process(
            target=work, args=(self.run, self.seed, self.number, self.step, other),
            daemon=True)
        self.process.start()
        other.close()
        self.since = time.monotonic()

    def replace(self, what: str) -> tuple[int, str]:
        """End the process and go on after its case; return what happened."""
        self.process.kill()
        self.process.join()
        bad = self.number, f'{what} (exit code {self.process.exitcode})'
        self.number += self.step
        self.start()
        return bad


def outcomes(run: Run, seed: int, jobs: int,
             seconds: float) -> Iterator[tuple[int, Outcome | str]]:
    """Yield the number and the outcome of each case, or a sentence about a crash."""
    workers = {worker.pipe: worker for worker in (
        Worker(run, seed, k, jobs) for k in range(jobs))}
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for pipe in wait(list(workers), timeout=1.0):
                worker = workers[pipe]
                try:
                    worker.number, outcome = pipe.recv()
                except EOFError:
                    yield worker.replace('a crash')
                    workers = {worker.pipe: worker for worker in workers.values()}
                    continue
                worker.since = time.monotonic()
                if outcome is not None:
                    yield worker.number, outcome
            for worker in list(workers.values()):
                if time.monotonic() - worker.since > HANG:
                    yield worker.replace('a hang')
                    workers = {worker.pipe: worker for worker in workers.values()}
    finally:
        for worker in workers.values():
            worker.process.kill()
