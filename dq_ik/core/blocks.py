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
The memory of a solve: the robot, a request, an answer and work arrays, by their addresses.

Kernels see the blocks as named tuples of views; the layout of the work arrays is stated here, the
others in :mod:`dq_ik.core.tree` and :mod:`dq_ik.core.request`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dq_ik.core.compile import kernel
from dq_ik.core.frame import WIDTH
from dq_ik.core.lanes import WIDTH as LANES
from dq_ik.core.memory import address, integers, matrix, singles, vector
from dq_ik.core.request import (
    ANSWER_SIZE,
    MAX_TRACE,
    REQUEST_HEAD,
    REQUEST_ROWS,
    SEEDED,
    STATUS,
    view_answer,
    view_request,
)
from dq_ik.core.tree import n_screws, N_TIPS, unpack
from dq_ik.core.trigonometry import padded
from dq_ik.core.vector import copy, fill

ROBOT_HEAD = 4
POOL = 12  # candidates for the best reach
LANE_ROWS = 27  # numbers per joint and lane
N_COUNTS = 3  # integers beside those of the joints


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
    distance: np.ndarray  # (n_table,) of the stored configurations to the goals, single precision
    lanes: np.ndarray  # (LANE_ROWS * n, lanes) of a race; none for several tips
    trace: np.ndarray  # (max_trace, n) iterates kept for the answer
    free: np.ndarray  # (n,) indices of the free joints
    clock: np.ndarray  # (2,) buffer of the clock
    counter: np.ndarray  # (1,) iterates kept


class Blocks(NamedTuple):
    """
    The memory of one solve as addresses and sizes.

    Routines are handed these few numbers and make views at no cost.
    """

    numbers: np.ndarray  # the tree, packed
    indices: np.ndarray
    table: np.ndarray  # (n + 7 n_tips, n_table) stored configurations and the frames of their tips
    request: np.ndarray
    answer: np.ndarray
    work: np.ndarray
    integers: np.ndarray
    n: int
    n_table: int


def pack_robot(numbers: np.ndarray, indices: np.ndarray, table: np.ndarray) -> np.ndarray:
    """
    Return a robot as one block: sizes, the packed tree, the table of starts in single precision.

    One argument of an entry instead of three; integers and singles keep their bits.
    """
    sizes = np.array([len(numbers), len(indices), *table.shape], np.int64)
    singles_ = np.append(table.ravel(), np.zeros(table.size % 2, np.float32))
    return np.concatenate([part.view(np.float64) for part in (sizes, numbers, indices, singles_)])


@kernel
def _sizes(robot):
    """Lengths of the numbers and the indices, rows and columns of the table."""
    sizes = vector(integers(robot, 0), 0, ROBOT_HEAD)
    return sizes[0], sizes[1], sizes[2], sizes[3]


@kernel
def _places(robot):
    """Where the numbers, the indices and the table begin."""
    n_numbers, n_indices, _, _ = _sizes(robot)
    return ROBOT_HEAD, ROBOT_HEAD + n_numbers, ROBOT_HEAD + n_numbers + n_indices


@kernel
def new_memory(robot, requests):
    """Allocate the memory of a call: a request of its own, work arrays, integers at the end."""
    numbers, indices, _ = _places(robot)
    _, _, table_rows, n_table = _sizes(robot)
    tree = unpack(vector(robot, numbers, indices - numbers), integers(robot, indices))
    n_tips = tree.tip.shape[0]
    n = table_rows - WIDTH * n_tips
    n_elements = tree.index.shape[0]
    size = (3 * padded(n_elements) + WIDTH * n_elements + 6 * n_screws(tree) + 15 * n_tips
            + 6 * tree.slot.shape[0] + 2 * n * n + 7 * n + POOL * (n + 1) + n_table
            + _lane_rows(tree, n) * LANES)
    memory = np.empty(requests.shape[1] + size + n + N_COUNTS)
    # the padding of the table of sines stays zero
    fill(0.0, vector(memory, requests.shape[1], 3 * padded(n_elements)))
    return memory


@kernel
def _lane_rows(tree, n):
    """Count the rows of lanes."""
    return LANE_ROWS * n if tree.tip.shape[0] == 1 else 0


@kernel
def last_status(memory, requests, answers):
    """
    Return the status of the last row.

    Memory whose addresses are in use is kept until it is asked for here.
    """
    if memory.shape[0] == 0 or answers.shape[0] == 0:
        return 0
    return int(answers[answers.shape[0] - int(requests[0, ANSWER_SIZE]) + STATUS])


@kernel
def n_rows(requests, answers):
    """Count the rows of a call."""
    return answers.shape[0] // int(requests[0, ANSWER_SIZE])


@kernel
def at_row(robot, memory, requests, targets, seeds, answers, row):
    """
    Blocks of a row of a call; its request is put together.

    :param robot: of :func:`pack_robot`
    :param requests: ``(N, size)``, or ``(1, size)`` for all rows
    :param targets: ``(8 N,)`` dual quaternions of the only tip; none: as in the requests
    :param seeds: ``(n N,)``, or ``(n,)`` for all rows; none: as in the requests
    :param answers: ``(N answer_size,)``
    """
    numbers, indices, table = _places(robot)
    _, _, table_rows, n_table = _sizes(robot)
    n = table_rows - WIDTH * vector(integers(robot, indices), N_TIPS, 1)[0]
    request = vector(memory, 0, requests.shape[1])
    copy(requests[row if requests.shape[0] > 1 else 0], request)
    if targets.shape[0] > 0:
        copy(vector(targets, 8 * row, 8), vector(request, REQUEST_HEAD, 8))
    if seeds.shape[0] > 0:
        own = row if seeds.shape[0] > n else 0
        copy(vector(seeds, n * own, n), vector(request, request.shape[0] - REQUEST_ROWS * n, n))
        request[SEEDED] = 1.0
    size = int(request[ANSWER_SIZE])
    work = vector(memory, request.shape[0], memory.shape[0] - request.shape[0])
    return Blocks(address(vector(robot, numbers, indices - numbers)), integers(robot, indices),
                  singles(robot, table), address(request),
                  address(vector(answers, size * row, size)), address(work),
                  integers(memory, memory.shape[0] - n - N_COUNTS), n, n_table)


@kernel
def tree_of(blocks):
    """See the :class:`Tree` of the blocks."""
    return unpack(blocks.numbers, blocks.indices)


@kernel
def table_of(blocks):
    """See the stored configurations of the blocks, (n + 7 n_tips, n_table)."""
    return matrix(blocks.table, 0, blocks.n + WIDTH * _n_tips(blocks), blocks.n_table)


@kernel
def request_of(blocks):
    """See the :class:`Request` of the blocks."""
    return view_request(blocks.request, blocks.n, _n_tips(blocks))


@kernel
def answer_of(blocks):
    """See the :class:`Answer` of the blocks."""
    head = vector(blocks.request, 0, REQUEST_HEAD)
    return view_answer(blocks.answer, blocks.n, _n_tips(blocks), int(head[ANSWER_SIZE]),
                       int(head[MAX_TRACE]))


@kernel
def work_of(blocks):
    """See the :class:`Work` of the blocks."""
    return view_work(blocks.work, blocks.integers, tree_of(blocks), blocks.n, blocks.n_table,
                     answer_of(blocks).trace)


@kernel
def _n_tips(blocks):
    """Count the tips."""
    return vector(blocks.indices, N_TIPS, 1)[0]


@kernel
def view_work(block, whole, tree, n, n_table, trace):
    """See two blocks as :class:`Work`."""
    n_elements, n_tips, n_slots = tree.index.shape[0], tree.tip.shape[0], tree.slot.shape[0]
    screws = n_screws(tree)
    width = padded(n_elements)
    w = 3 * width
    a = w + WIDTH * n_elements
    b = a + 6 * screws
    c = b + 15 * n_tips
    d = c + 6 * n_slots
    e = d + 2 * n * n
    f = e + 7 * n
    g = f + POOL * n
    return Work(
        matrix(block, 0, 3, width), matrix(block, w, n_elements, WIDTH),
        matrix(block, a, screws, 6), matrix(block, b, n_tips, 3),
        matrix(block, b + 3 * n_tips, n_tips, 6), matrix(block, b + 9 * n_tips, n_tips, 6),
        matrix(block, c, n_slots, 6), matrix(block, d, n, n), matrix(block, d + n * n, n, n),
        vector(block, e, n), vector(block, e + n, n), vector(block, e + 2 * n, n),
        vector(block, e + 3 * n, n), vector(block, e + 4 * n, n), vector(block, e + 5 * n, n),
        vector(block, e + 6 * n, n), matrix(block, f, POOL, n), vector(block, g, POOL),
        vector(singles(block, g + POOL), 0, n_table),
        matrix(block, g + POOL + n_table, _lane_rows(tree, n), LANES),
        trace, vector(whole, 0, n), vector(whole, n, 2), vector(whole, n + 2, 1))
