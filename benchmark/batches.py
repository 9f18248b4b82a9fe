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
"""Throughput on all cores: a solver's own batch call, or a plain loop on each core."""
from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from . import cases
from .protocol import Answers, judge, Referee, Tally
from .robots import Robot
from .runner import DEATHS, Entrant, Runner, Worker
from .suite import BATCH_PEERS, OURS

LESS = 20  # peers get this many times fewer problems: they are slower


def measure(runner: Runner, robot: Robot, count: int, cores: set[int]) -> Iterator[dict]:
    """Yield how many problems per second our solvers and the peers solve on all cores."""
    problems = cases.reachable(robot, count)
    for entrant in runner.enter('batch', problems, OURS + BATCH_PEERS):
        ours = entrant.name in OURS
        some = problems if ours else problems.first(max(1, count // LESS))
        own = entrant.worker.call('has_batch', entrant.name)
        for seed in ('none', 'middle') if ours else ('middle',):
            runner.progress(f'batch · {robot.label} · {entrant.name}')
            try:
                answers, seconds = (one_call if own else side_by_side)(
                    entrant, some, None if seed == 'none' else some.seeds, cores)
            except DEATHS:
                runner.skip(entrant.name, robot, 'its process died in a batch')
                break
            judge(entrant.tally, Referee(robot), problems.settings, some.goals, answers)
            yield {'solver': entrant.name, 'robot': robot.label, 'seed': seed,
                   'how': 'its batch call' if own else 'a loop on each core',
                   'asked': len(some.goals), 'solved': entrant.tally.solved, 'cores': len(cores),
                   'per_second': len(some.goals) / seconds}
            entrant.tally = Tally('batch', robot.name, entrant.name)


def one_call(entrant: Entrant, problems: cases.Problems, seeds: np.ndarray | None,
             cores: set[int]) -> tuple[Answers, float]:
    """Return the answers of the batch interface, and the seconds that it took."""
    return entrant.worker.call('batch', entrant.name, problems.goals, seeds, cores)


def side_by_side(entrant: Entrant, problems: cases.Problems, seeds: np.ndarray,
                 cores: set[int]) -> tuple[Answers, float]:
    """Return the answers of one process per core, and the seconds of the slowest."""
    workers = [Worker(entrant.worker.peer, entrant.worker.python, core) for core in cores]
    try:
        for worker in workers:
            worker.call('load', entrant.name, problems.robot, problems.settings,
                        problems.goals[0], seeds[0])
        shares = np.array_split(np.arange(len(seeds)), len(workers))
        with ThreadPoolExecutor(len(workers)) as pool:
            parts = list(pool.map(
                lambda worker, share: worker.call('loop', entrant.name, problems.goals[share],
                                                  seeds[share]), workers, shares))
    finally:
        for worker in workers:
            worker.close()
    answers = Answers(np.concatenate([part.q for part, _ in parts]),
                      np.concatenate([part.claimed for part, _ in parts]),
                      np.concatenate([part.seconds for part, _ in parts]))
    return answers, max(seconds for _, seconds in parts)
