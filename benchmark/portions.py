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
How problems are dealt out: solvers take turns, and each turn is long enough for warm caches.

A turn begins with calls that do not count, on the problems before the portion: the solvers that
had their turns in between have emptied the caches. Then come about 20 ms of work. The rule is the
same for everybody; calls that are long anyway are not warmed up, and nobody is in a case that
counts the cold caches.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cases import Problems

FIRST = 4  # problems in the first portion, which tells the pace
TURN_SECONDS = 20e-3
TURNS = 4  # at least, so that a slow moment of the machine does not hit one solver alone
WARM = 600  # problems at most that only warm up; the worker stops earlier by the clock
LONG = 2e-3  # seconds per call that need no warm caches


@dataclass(frozen=True)
class Portion:
    """
    Problems that a solver gets in one turn, and others that warm it up first.

    In a ``chained`` portion each answer is the next seed, and only the first seed is given.
    """

    rows: slice
    goals: np.ndarray
    seeds: np.ndarray
    warm_goals: np.ndarray
    warm_seeds: np.ndarray
    chained: bool


def next_portion(problems: Problems, done: int, pace: float) -> Portion:
    """
    Return the problems of a solver's next turn.

    :param done: number of problems that the solver has had
    :param pace: seconds that it took for each in its last turn; zero if not known yet
    """
    count = len(problems.goals)
    rows = slice(done, min(count, done + (problems.stream or _size(count, pace))))
    needed = problems.warm and pace < LONG
    others = min(WARM, count - (rows.stop - rows.start)) if needed else 0
    warm = np.arange(done - others, done) % count
    return Portion(rows, problems.goals[rows], problems.seeds[rows], problems.goals[warm],
                   problems.seeds[warm], chained=problems.stream > 0)


def _size(count: int, pace: float) -> int:
    if not pace:
        return FIRST
    return max(1, min(round(TURN_SECONDS / pace), count // TURNS))
