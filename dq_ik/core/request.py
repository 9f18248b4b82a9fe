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
What crosses the border of a solve: a request, an answer and the work arrays, each one block.

Kernels see the blocks as named tuples of views; the layouts are stated here once, for Python and
for the kernels.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dq_ik.core.compile import kernel
from dq_ik.core.frame import WIDTH
from dq_ik.core.memory import matrix, vector
from dq_ik.core.tree import n_screws, N_TIPS, unpack
from dq_ik.core.trigonometry import padded
from dq_ik.core.vector import copy, fill

# Columns of a goal row.
TARGET, WEIGHT, SLACK, TOLERANCE, KIND, AXIS = 0, 8, 14, 20, 22, 23
GOAL_WIDTH = 26
# Kinds of goals: equal weights per axis, weights along the base's axes, or along the goal's.
# A goal with an axis that is not zero is a pointing one, of the second or third kind.
UNIFORM, BASE_AXES, GOAL_AXES = 0, 1, 2

# Head of a request: one number per option.
(METHOD, MODE, TIMEOUT, MAX_ITERATIONS, MAX_RESTARTS, MAX_STEP, STAY, SECONDARY, MAX_TRACE,
 SEEDED) = range(10)
REQUEST_HEAD = 10
# Rows of a request, each one number per variable.
SEED, LOWER, UPPER, PERIOD, METRIC, PULL, REST, REPEL = range(8)
REQUEST_ROWS = 8
LOCKED = -1.0  # metric of a joint that must keep its seed

# Head of an answer.
STATUS, ITERATIONS, RESTARTS, TIME, COST, WORST, SOLUTIONS, BEST, TRACED = range(9)
ANSWER_HEAD = 9


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

    head: np.ndarray  # (10,) options
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


class Work(NamedTuple):
    """Work arrays of one solve; every kernel says which it fills."""

    turns: np.ndarray  # (3, padded) half angles of the elements, their sines and cosines
    world: np.ndarray  # (n_elements, 7) poses of the elements
    screw: np.ndarray  # (n_screws, 6) axes of motion
    point: np.ndarray  # (n_tips, 3) positions of the tips
    error: np.ndarray  # (n_tips, 6) unweighted errors
    residual: np.ndarray  # (n_tips, 6) weighted errors
    column: np.ndarray  # (n_slots, 6) weighted Jacobian columns
    A: np.ndarray  # (n, n) matrix of the step
    L: np.ndarray  # (n, n) its factor on the free joints
    b: np.ndarray  # (n,) right-hand side: minus half the gradient
    x: np.ndarray  # (n,) the step
    trial: np.ndarray  # (n,) configuration tried
    best: np.ndarray  # (n,) best configuration of an attempt
    lower: np.ndarray  # (n,) limits; infinite for joints free to turn
    upper: np.ndarray  # (n,)
    gain: np.ndarray  # (n,) inverse of the metric
    pool: np.ndarray  # (POOL, n) candidates for the best reach
    pool_cost: np.ndarray  # (POOL,) their costs
    distance: np.ndarray  # (n_table,) of the stored configurations to the goals
    trace: np.ndarray  # (max_trace, n) iterates kept for the answer
    free: np.ndarray  # (n,) indices of the free joints
    clock: np.ndarray  # (2,) buffer of the clock
    counter: np.ndarray  # (1,) iterates kept


POOL = 12


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
def view_answer(block, n, n_tips, n_trace):
    """See a block as an :class:`Answer`."""
    a = ANSWER_HEAD + n
    b = a + 2 * n_tips
    c = b + n
    d = block.shape[0] - n_trace * n
    return Answer(vector(block, 0, ANSWER_HEAD), vector(block, ANSWER_HEAD, n),
                  matrix(block, a, n_tips, 2), vector(block, b, n),
                  matrix(block, c, (d - c) // n, n), matrix(block, d, n_trace, n))


class Blocks(NamedTuple):
    """The memory of one solve; routines are handed these few blocks and make views at no cost."""

    numbers: np.ndarray  # the tree, packed
    indices: np.ndarray
    table: np.ndarray  # (n + 7 n_tips, n_table) stored configurations and the frames of their tips
    request: np.ndarray
    answer: np.ndarray
    work: np.ndarray
    integers: np.ndarray


@kernel
def new_blocks(numbers, indices, table, requests, answers):
    """Allocate the memory of a call: a request of its own, and work arrays."""
    tree = unpack(numbers, indices)
    n_tips = tree.tip.shape[0]
    n = table.shape[0] - WIDTH * n_tips
    n_elements = tree.index.shape[0]
    size = (3 * padded(n_elements) + WIDTH * n_elements + 6 * n_screws(tree) + 15 * n_tips
            + 6 * tree.slot.shape[0] + 2 * n * n + 7 * n + POOL * (n + 1) + table.shape[1])
    memory = np.empty(size + requests.shape[1])
    fill(0.0, vector(memory, 0, 3 * padded(n_elements)))  # unused lanes stay zero
    return Blocks(numbers, indices, table, vector(memory, size, requests.shape[1]), answers[0],
                  memory, np.empty(n + 3, np.int64))


@kernel
def at_row(blocks, requests, targets, seeds, answers, row):
    """
    Blocks of a row of a call, with the same memory; its request is put together.

    :param requests: ``(N, size)``, or ``(1, size)`` for all rows
    :param targets: ``(8 N,)`` dual quaternions of the only tip; none: as in the requests
    :param seeds: ``(n N,)``, or ``(n,)`` for all rows; none: as in the requests
    """
    request = blocks.request
    own = row if requests.shape[0] > 1 else 0
    copy(requests[own], request)
    if targets.shape[0] > 0:
        copy(vector(targets, 8 * row, 8), vector(request, REQUEST_HEAD, 8))
    if seeds.shape[0] > 0:
        n = n_variables(blocks)
        own = row if seeds.shape[0] > n else 0
        copy(vector(seeds, n * own, n), vector(request, request.shape[0] - REQUEST_ROWS * n, n))
        request[SEEDED] = 1.0
    return Blocks(blocks.numbers, blocks.indices, blocks.table, request, answers[row],
                  blocks.work, blocks.integers)


@kernel
def n_variables(blocks):
    """Count the variables."""
    return blocks.table.shape[0] - WIDTH * blocks.indices[N_TIPS]


@kernel
def tree_of(blocks):
    """See the :class:`Tree` of the blocks."""
    return unpack(blocks.numbers, blocks.indices)


@kernel
def request_of(blocks):
    """See the :class:`Request` of the blocks."""
    return view_request(blocks.request, n_variables(blocks), blocks.indices[N_TIPS])


@kernel
def answer_of(blocks):
    """See the :class:`Answer` of the blocks."""
    return view_answer(blocks.answer, n_variables(blocks), blocks.indices[N_TIPS],
                       int(blocks.request[MAX_TRACE]))


@kernel
def work_of(blocks):
    """See the :class:`Work` of the blocks."""
    return view_work(blocks.work, blocks.integers, tree_of(blocks), n_variables(blocks),
                     blocks.table.shape[1], answer_of(blocks).trace)


@kernel
def view_work(block, integers, tree, n, n_table, trace):
    """See two blocks as :class:`Work`."""
    n_elements, n_tips, n_slots = tree.index.shape[0], tree.tip.shape[0], tree.slot.shape[0]
    screws = n_screws(tree)
    lanes = padded(n_elements)
    w = 3 * lanes
    a = w + WIDTH * n_elements
    b = a + 6 * screws
    c = b + 15 * n_tips
    d = c + 6 * n_slots
    e = d + 2 * n * n
    f = e + 7 * n
    g = f + POOL * n
    return Work(
        matrix(block, 0, 3, lanes), matrix(block, w, n_elements, WIDTH),
        matrix(block, a, screws, 6), matrix(block, b, n_tips, 3),
        matrix(block, b + 3 * n_tips, n_tips, 6), matrix(block, b + 9 * n_tips, n_tips, 6),
        matrix(block, c, n_slots, 6), matrix(block, d, n, n), matrix(block, d + n * n, n, n),
        vector(block, e, n), vector(block, e + n, n), vector(block, e + 2 * n, n),
        vector(block, e + 3 * n, n), vector(block, e + 4 * n, n), vector(block, e + 5 * n, n),
        vector(block, e + 6 * n, n), matrix(block, f, POOL, n), vector(block, g, POOL),
        vector(block, g + POOL, n_table),
        trace, vector(integers, 0, n), vector(integers, n, 2), vector(integers, n + 2, 1))
