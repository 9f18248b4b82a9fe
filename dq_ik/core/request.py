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
What crosses the border of a solve: a request and an answer, each one block.

Kernels see the blocks as named tuples of views; the layouts are stated here once, for Python and
for the kernels.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dq_ik.core.compile import kernel
from dq_ik.core.memory import matrix, vector

# Columns of a goal row.
TARGET, WEIGHT, SLACK, TOLERANCE, KIND, AXIS = 0, 8, 14, 20, 22, 23
GOAL_WIDTH = 26
# Kinds of goals: equal weights per axis, weights along the base's axes, or along the goal's.
# A goal with an axis that is not zero is a pointing one, of the second or third kind.
UNIFORM, BASE_AXES, GOAL_AXES = 0, 1, 2

# Head of a request: one number per option.
(METHOD, MODE, TIMEOUT, MAX_ITERATIONS, MAX_RESTARTS, MAX_STEP, STAY, SECONDARY, MAX_TRACE,
 SEEDED, ANSWER_SIZE, RACES) = range(12)
REQUEST_HEAD = 12
# Rows of a request, each one number per variable.
SEED, LOWER, UPPER, PERIOD, METRIC, PULL, REST, REPEL = range(8)
REQUEST_ROWS = 8
LOCKED = -1.0  # metric of a joint that must keep its seed

# Head of an answer.
STATUS, ITERATIONS, RESTARTS, TIME, COST, SOLUTIONS, BEST, TRACED = range(8)
ANSWER_HEAD = 8


class Method(IntEnum):
    """How an attempt proceeds: two methods here, others in :mod:`dq_ik.core.comparison`."""

    PGS = 0
    PLS = 1
    PGS_PAPER = 2
    PLS_PAPER = 3
    TRANSPOSE = 4
    TRANSPOSE_BUSS = 5
    DLS = 6
    SVD = 7
    QR = 8
    GAUSS_NEWTON = 9
    CCD = 10


class Mode(IntEnum):
    """Which solution is wanted."""

    SPEED = 0
    DISTANCE = 1
    DISTANCE_MAX = 2
    MANIPULABILITY = 3
    ALL = 4


class Request(NamedTuple):
    """A request as views: what is asked, from where, within which limits."""

    head: np.ndarray  # (12,) options
    goals: np.ndarray  # (n_tips, 26) one row per tip
    seed: np.ndarray  # (n,) start, and the turn of continuous joints that is wanted
    lower: np.ndarray  # (n,) limits of this solve
    upper: np.ndarray  # (n,)
    period: np.ndarray  # (n,) 2 pi for joints free to turn while solving, else 0
    metric: np.ndarray  # (n,) cost of moving a joint: 1 / strength^2
    pull: np.ndarray  # (n,) weight of the pull towards rest
    rest: np.ndarray  # (n,) posture to be near
    repel: np.ndarray  # (n,) weight of the push away from the limits


class Answer(NamedTuple):
    """An answer as views."""

    head: np.ndarray  # (9,) in the order of STATUS to TRACED
    q: np.ndarray  # (n,)
    error: np.ndarray  # (n_tips, 2) position [m] and rotation [rad] error
    pressed: np.ndarray  # (n,) -1 or +1: pressed against the lower or upper limit
    solutions: np.ndarray  # (max_solutions, n)
    trace: np.ndarray  # (max_trace, n) every iterate, in order


def request_size(n: int, n_tips: int) -> int:
    """Length of a request."""
    return REQUEST_HEAD + n_tips * GOAL_WIDTH + REQUEST_ROWS * n


def answer_size(n: int, n_tips: int, max_solutions: int, max_trace: int) -> int:
    """Length of an answer."""
    return ANSWER_HEAD + 2 * n + 2 * n_tips + (max_solutions + max_trace) * n


@kernel
def view_request(block, n, n_tips):
    """See a block as a :class:`Request`."""
    a = REQUEST_HEAD
    b = a + n_tips * GOAL_WIDTH
    return Request(
        vector(block, 0, a), matrix(block, a, n_tips, GOAL_WIDTH),
        vector(block, b + SEED * n, n), vector(block, b + LOWER * n, n),
        vector(block, b + UPPER * n, n), vector(block, b + PERIOD * n, n),
        vector(block, b + METRIC * n, n), vector(block, b + PULL * n, n),
        vector(block, b + REST * n, n), vector(block, b + REPEL * n, n))


@kernel
def view_answer(block, n, n_tips, size, n_trace):
    """See a block as an :class:`Answer`."""
    a = ANSWER_HEAD + n
    b = a + 2 * n_tips
    c = b + n
    d = size - n_trace * n
    return Answer(vector(block, 0, ANSWER_HEAD), vector(block, ANSWER_HEAD, n),
                  matrix(block, a, n_tips, 2), vector(block, b, n),
                  matrix(block, c, (d - c) // n, n), matrix(block, d, n_trace, n))
