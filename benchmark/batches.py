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
FORMS = ('own type', '4x4')  # in which the goals are given

Form = tuple[Answers, list[float]]  # answers, and the seconds of each round


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
                forms = (one_call if own else side_by_side)(
                    entrant, some, None if seed == 'none' else some.seeds, cores)
            except DEATHS:
                runner.skip(entrant.name, robot, 'its process died in a batch')
                break
            how = 'its batch call' if own else 'a loop on each core'
            for row in rows_of(entrant.name, some, forms):
                yield row | {'seed': seed, 'how': how, 'cores': len(cores)}


def rows_of(name: str, problems: cases.Problems, forms: list[Form]) -> Iterator[dict]:
    """Yield a row for each form of the goals; ``speed`` compares it with the solver's own type."""
    robot, asked = problems.robot, len(problems.goals)
    own = np.array(forms[0][1])
    for given, (answers, seconds) in zip(FORMS, forms):
        tally = Tally('batch', robot.name, name)
        judge(tally, Referee(robot), problems.settings, problems.goals, answers)
        yield {'solver': name, 'robot': robot.label, 'given': given, 'asked': asked,
               'solved': tally.solved, 'per_second': asked / float(np.median(seconds)),
               'speed': float(np.median(own / seconds))}


def one_call(entrant: Entrant, problems: cases.Problems, seeds: np.ndarray | None,
             cores: set[int]) -> list[Form]:
    """Return the answers of the batch interface, and the seconds that it took."""
    return entrant.worker.call('batch', entrant.name, problems.goals, seeds, cores)


def side_by_side(entrant: Entrant, problems: cases.Problems, seeds: np.ndarray,
                 cores: set[int]) -> list[Form]:
    """Return the answers of one process per core, and the seconds of the slowest."""
    workers = [Worker(entrant.worker.peer, entrant.worker.python, core) for core in cores]
    try:
        for worker in workers:
            worker.call('load', entrant.name, problems.robot, problems.settings,
                        problems.goals[0], seeds[0], False)
        return [_loops(workers, entrant.name, problems.goals, seeds, given == '4x4')
                for given in FORMS]
    finally:
        for worker in workers:
            worker.close()


def _loops(workers: list[Worker], name: str, goals: np.ndarray, seeds: np.ndarray,
           matrices: bool) -> Form:
    """Let each worker solve its share at the same time."""
    shares = np.array_split(np.arange(len(seeds)), len(workers))
    with ThreadPoolExecutor(len(workers)) as pool:
        parts = list(pool.map(lambda worker, share: worker.call(
            'loop', name, goals[share], seeds[share], matrices), workers, shares))
    answers = Answers(np.concatenate([part.q for part, _ in parts]),
                      np.concatenate([part.claimed for part, _ in parts]),
                      np.concatenate([part.seconds for part, _ in parts]))
    return answers, [max(seconds for _, seconds in parts)]
