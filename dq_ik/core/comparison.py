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

from dq_ik.core import paper, reference
from dq_ik.core.compile import entry
from dq_ik.core.request import at_row, MAX_ITERATIONS, METHOD, Method, new_blocks, views
from dq_ik.core.search import begin, complete, judge, next_start


@entry
def solve(numbers, indices, table, requests, answers_out):
    """Solve each row by the method it names; arguments as in :func:`dq_ik.core.search.solve`."""
    blocks = new_blocks(numbers, indices, table, requests, answers_out)
    for row in range(requests.shape[0]):
        blocks = at_row(blocks, requests, answers_out, row)
        _, request, answer, _ = views(blocks)
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
            judge(blocks, result)
        complete(blocks, start)
