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
The search with the methods as published and the reference solvers.

The loop is that of :mod:`dq_ik.core.search`; it is compiled only when one of these is asked for.
Where the goals are not met the answer is the nearest that the method itself came: it gets no help
from :mod:`dq_ik.core.best_reach`.
"""

import math

from dq_ik.core import paper, reference
from dq_ik.core.blocks import (
    answer_of,
    at_row,
    last_status,
    n_rows,
    new_memory,
    request_of,
    work_of,
)
from dq_ik.core.clock import seconds
from dq_ik.core.compile import entry, routine
from dq_ik.core.posture import relax
from dq_ik.core.request import BEST, ITERATIONS, MAX_ITERATIONS, METHOD, Method, STATUS, TIMEOUT
from dq_ik.core.residual import look
from dq_ik.core.search import begin, conclude, judge, next_start, wants_relaxing
from dq_ik.core.starts import at_seed
from dq_ik.core.vector import all_finite, copy
from dq_ik.core.verdict import Status


@entry
def solve(robot, requests, targets, seeds, answers_out):
    """Solve each row by the method it names; as :func:`dq_ik.core.search.solve`."""
    if not all_finite(seeds):
        raise ValueError
    memory = new_memory(robot, requests)
    for row in range(n_rows(requests, answers_out)):
        blocks = at_row(robot, memory, requests, targets, seeds, answers_out, row)
        request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
        start = begin(blocks)
        limit = int(request.head[MAX_ITERATIONS])
        method = int(request.head[METHOD])
        while next_start(blocks):
            if method == Method.PGS_PAPER:
                result = paper.pgs(blocks, answer.q, limit)
            elif method == Method.PLS_PAPER:
                result = paper.pls(blocks, answer.q, limit)
            else:
                result = reference.attempt(blocks, method, answer.q, limit)
            look(blocks, work.best)
            judge(blocks, result)
        if wants_relaxing(blocks):
            answer.head[ITERATIONS] += relax(blocks, work.pool[0])
        take_nearest(blocks)
        conclude(blocks, start)
    return last_status(memory, requests, answers_out)


@routine
def take_nearest(blocks):
    """Where no goal is met, answer with the best configuration of all attempts."""
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    if answer.head[BEST] < math.inf:
        return
    if work.pool_cost[0] < math.inf:
        copy(work.pool[0], answer.q)
    else:
        at_seed(request, work, answer.q)
    late = seconds(work.clock) > request.head[TIMEOUT]
    answer.head[STATUS] = Status.TIMED_OUT.value if late else Status.STALLED.value
