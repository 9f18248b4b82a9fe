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
The memory of one solve: four blocks, of which routines hand each other addresses and sizes.

Views cost nothing, so each routine makes those that it needs; named tuples of arrays would be a
hundred numbers, pushed and read at every call. Sizes read from the blocks' heads would be read
again after every number written, since it might have changed them.
"""

from __future__ import annotations

from typing import NamedTuple

from dq_ik.core.algebra.vector import all_finite, copy, fill
from dq_ik.core.compile import kernel
from dq_ik.core.memory.arrays import address
from dq_ik.core.memory.layout import ANSWER, PACKING, REQUEST, ROBOT, TRACK, WORK
from dq_ik.core.memory.views import begin, see, size, view
import numpy as np

view_robot, view_request, view_work, view_packing = map(view, (ROBOT, REQUEST, WORK, PACKING))
see_robot, see_request, see_answer, see_work = map(see, (ROBOT, REQUEST, ANSWER, WORK))
begin_robot, begin_request, begin_packing = map(begin, (ROBOT, REQUEST, PACKING))
begin_answer, begin_work, begin_track = begin(ANSWER), begin(WORK), begin(TRACK)
size_of_robot, size_of_request, size_of_packing = map(size, (ROBOT, REQUEST, PACKING))
size_of_answer, size_of_work, size_of_track = size(ANSWER), size(WORK), size(TRACK)
view_track = view(TRACK)


class Blocks(NamedTuple):
    """The memory of one solve, by addresses (:mod:`dq_ik.core.memory.layout`)."""

    robot: np.ndarray
    request: np.ndarray
    answer: np.ndarray
    work: np.ndarray
    n: int
    n_tips: int
    n_elements: int
    n_screws: int
    n_path: int
    n_slots: int
    n_stored: int
    max_solutions: int
    max_trace: int


@kernel
def tree_of(blocks):
    """See the robot of the blocks; never written."""
    return see_robot(blocks.robot, (blocks.n, blocks.n_tips, blocks.n_elements, blocks.n_screws,
                                    blocks.n_path, blocks.n_slots, blocks.n_stored))


@kernel
def request_of(blocks):
    """See the request of the blocks; never written."""
    return see_request(blocks.request, (blocks.n, blocks.n_tips))


@kernel
def answer_of(blocks):
    """See the answer of the blocks."""
    return see_answer(blocks.answer, (blocks.n, blocks.n_tips, blocks.max_solutions,
                                      blocks.max_trace))


@kernel
def work_of(blocks):
    """See the work arrays of the blocks; every kernel says which it fills."""
    return see_work(blocks.work, (blocks.n, blocks.n_tips, blocks.n_elements, blocks.n_screws,
                                  blocks.n_slots, blocks.n_stored, _n_in_lanes(blocks)))


@kernel
def work_size(robot):
    """Words of the work memory of a robot."""
    tree = view_robot(robot)
    return size_of_work(tree.n, tree.n_tips, tree.n_elements, tree.n_screws, tree.n_slots,
                        tree.n_stored, _n_in_lanes(tree))


@kernel
def prepare_work(robot, work_out):
    """Write the head of the work memory, and the zeros that pad the table of sines."""
    tree = view_robot(robot)
    begin_work(work_out, tree.n, tree.n_tips, tree.n_elements, tree.n_screws, tree.n_slots,
               tree.n_stored, _n_in_lanes(tree))
    work = view_work(work_out)
    for row in range(work.turns.shape[0]):
        fill(0.0, work.turns[row])


@kernel
def _n_in_lanes(sizes):
    """Count the joints for which there are lanes."""
    return sizes.n if sizes.n_tips == 1 else 0


@kernel
def answer_size(request):
    """Words of an answer to a request."""
    asked = view_request(request)
    return size_of_answer(asked.n, asked.n_tips, asked.max_solutions, asked.max_trace)


@kernel
def take_row(robot, request, answers, row, work):
    """
    Return the blocks of a row of a call.

    Goals and seed of the request are copied to the work memory, where others may take their place;
    the head of the answer is written.
    """
    tree, asked, own = view_robot(robot), view_request(request), view_work(work)
    for k in range(asked.n_tips):
        copy(asked.goals[k], own.goals[k])
    copy(asked.seed, own.seed)
    own.seeded[0] = asked.seeded
    answer = address(answers, answer_size(request) * row)
    begin_answer(answer, asked.n, asked.n_tips, asked.max_solutions, asked.max_trace)
    return Blocks(address(robot, 0), address(request, 0), answer, address(work, 0), tree.n,
                  tree.n_tips, tree.n_elements, tree.n_screws, tree.n_path, tree.n_slots,
                  tree.n_stored, asked.max_solutions, asked.max_trace)


@kernel
def record(blocks, q):
    """Append a configuration of numbers to the trace, as long as there is room."""
    answer = answer_of(blocks)
    if answer.n_trace[0] < answer.trace.shape[0] and all_finite(q):
        copy(q, answer.trace[answer.n_trace[0]])
        answer.n_trace[0] += 1
