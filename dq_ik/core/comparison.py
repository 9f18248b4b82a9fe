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

"""The search of :mod:`dq_ik.core.search` with the methods as published and the reference solvers, compiled only when asked for."""

import numpy as np

from dq_ik.core import paper, reference
from dq_ik.core.compile import entry
from dq_ik.core.request import (
    MAX_ITERATIONS, MAX_TRACE, METHOD, view_answer, view_request, view_work, work_size)
from dq_ik.core.search import begin, conclude, judge, Method, next_start
from dq_ik.core.tree import unpack


@entry
def solve(numbers, indices, table, requests, answers_out):
    """Solve each row of requests by the method it names; the arguments are those of :func:`dq_ik.core.search.solve`."""
    tree = unpack(numbers, indices)
    n_tips = tree.tip.shape[0]
    n = table.shape[1] - 8 * n_tips
    n_trace = int(requests[0, MAX_TRACE])
    block = np.empty(work_size(tree, n, table.shape[0]))
    integers = np.empty(n + 3, np.int64)
    work = view_work(block, integers, tree, n, table.shape[0],
                     view_answer(answers_out[0], n, n_tips, n_trace).trace)
    for row in range(requests.shape[0]):
        request = view_request(requests[row], n, n_tips)
        answer = view_answer(answers_out[row], n, n_tips, n_trace)
        start = begin(request, work, answer)
        limit = int(request.head[MAX_ITERATIONS])
        method = int(request.head[METHOD])
        while next_start(request, table, work, answer, start):
            if method == Method.PGS_PAPER:
                result = paper.pgs(tree, request, work, answer.q, limit)
            elif method == Method.PLS_PAPER:
                result = paper.pls(tree, request, work, answer.q, limit)
            else:
                result = reference.attempt(method, tree, request, work, answer.q, limit)
            judge(tree, request, work, answer, result)
        conclude(tree, request, work, answer, start)
