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
"""The clock: one call of a solver at a time, on warm caches, again when it was disturbed."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import gc
import time

import numpy as np

from .protocol import Answers

REPEATS = 5
ROUNDS = 15  # of operations that take turns
WARM_SECONDS = 5e-3  # of calls before the clock starts, at each turn
LONG = 10_000_000  # ns of work; longer calls are not repeated, others hardly change them


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep the garbage collector from running in the middle of a measurement."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def warm_up(solver, goals: np.ndarray, seeds: np.ndarray) -> None:
    """Solve problems that do not count, for a while, in the way of those that do."""
    ready = [solver.translate(goal) for goal in goals]
    started, first, count = time.perf_counter(), 0, 1
    while first < len(ready) and time.perf_counter() - started < WARM_SECONDS:
        rows = slice(first, first + count)
        run(solver, ready[rows], seeds[rows], chained=False)
        first, count = rows.stop, 2 * count


def attempt(solver, goal: np.ndarray, seed: np.ndarray):
    """Ask once; an exception of the peer counts as no answer, and is told."""
    try:
        return *solver.solve(goal, seed), ''
    except Exception as error:  # a peer may raise anything; the failure is counted
        return None, False, first_line(error)


def first_line(error: Exception) -> str:
    """Return an exception as one short line."""
    return f'{type(error).__name__}: {error}'.splitlines()[0][:200]


def run(solver, goals: list, seeds: np.ndarray, chained: bool) -> Answers:
    """Solve problems one after the other, each under the clock; chained: from the last answer."""
    found, claims, times, trouble = [], [], [], ''
    seed, given = seeds[0], list(seeds)
    solve, clock = solver.solve, time.perf_counter_ns
    for i, goal in enumerate(goals):  # little happens between the calls: it would cool the caches
        if not chained:
            seed = given[i]
        started = clock()
        try:  # as attempt does, without the time of its call
            q, claimed = solve(goal, seed)
        except Exception as error:
            q, claimed, trouble = None, False, trouble or first_line(error)
        times.append(clock() - started)
        found.append(q)
        claims.append(claimed)
        if chained and q is not None and np.isfinite(q).all():
            seed = np.asarray(q, float)
    answers = Answers.none(len(goals), seeds.shape[1])
    for row, q in zip(answers.q, found):
        if q is not None:
            row[:] = q
    answers.claimed[:], answers.seconds[:] = claims, np.multiply(times, 1e-9)
    answers.trouble = trouble
    return answers


def interleaved(operations: dict[str, tuple[int, Callable[[], object]]]) -> dict[str, np.ndarray]:
    """
    Run operations in turn, ``ROUNDS`` times; return the times of each, one per round [us].

    :param operations: by name, how many calls an operation makes (times are per call) and itself
    """
    samples: dict[str, list[float]] = {name: [] for name in operations}
    for _, operation in operations.values():
        operation()
    with no_collection():
        for _ in range(ROUNDS):
            for name, (count, operation) in operations.items():
                started = time.perf_counter()
                operation()
                samples[name].append((time.perf_counter() - started) / count * 1e6)
    return {name: np.array(times) for name, times in samples.items()}


def undisturbed(stretch: Callable[[], Answers]) -> Answers:
    """
    Run a stretch of problems, and again if another process took the core meanwhile.

    A stretch is disturbed when its wall time exceeds its processor time noticeably. That clock is
    slow to read, so it is read around stretches and not around calls.
    """
    for repeat in range(REPEATS):  # noqa: B007
        busy = time.process_time_ns()
        started = time.perf_counter_ns()
        answers = stretch()
        wall = time.perf_counter_ns() - started
        busy = time.process_time_ns() - busy
        if busy > LONG or wall - busy < 5_000 + wall // 50:
            break
    answers.disturbed = repeat
    return answers
