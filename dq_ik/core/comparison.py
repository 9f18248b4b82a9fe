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
"""

import math

from dq_ik.core import paper, reference
from dq_ik.core.best_reach import newton
from dq_ik.core.compile import entry
from dq_ik.core.posture import relax
from dq_ik.core.request import (
    at_row,
    ITERATIONS,
    MAX_ITERATIONS,
    METHOD,
    Method,
    new_blocks,
    POOL,
    views,
)
from dq_ik.core.residual import look
from dq_ik.core.search import (
    begin,
    BEST_REACH_ITERATIONS,
    conclude,
    first_candidate,
    judge,
    keep,
    late,
    next_start,
    wants_relaxing,
)
from dq_ik.core.vector import all_finite


@entry
def solve(numbers, indices, table, requests, targets, seeds, answers_out):
    """Solve each row by the method it names; as :func:`dq_ik.core.search.solve`."""
    if not all_finite(seeds):
        return False
    blocks = new_blocks(numbers, indices, table, requests, answers_out)
    for row in range(answers_out.shape[0]):
        blocks = at_row(blocks, requests, targets, seeds, answers_out, row)
        _, request, answer, work = views(blocks)
        start = begin(blocks)
        limit = int(request.head[MAX_ITERATIONS])
        method = int(request.head[METHOD])
        while next_start(blocks, start):
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
        place = first_candidate(blocks)
        while place < POOL and work.pool_cost[place] < math.inf and not late(blocks):
            place = keep(blocks, place, newton(blocks, work.pool[place], BEST_REACH_ITERATIONS))
        conclude(blocks, start)
    return True
