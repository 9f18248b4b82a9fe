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
The table of methods: which kernel runs an attempt.

A new method needs a file with its attempt, a number in :class:`dq_ik.core.memory.layout.Method`, a
line here and a name in :data:`dq_ik.options.METHODS`.
"""

from dq_ik.core.compile import routine
from dq_ik.core.memory.blocks import answer_of, request_of, work_of
from dq_ik.core.memory.layout import Method
from dq_ik.core.solve import pgs, pls
from dq_ik.core.solve.residual import evaluate
from dq_ik.papers.kernels import published, reference


@routine
def attempt(blocks):
    """
    Run one attempt from ``answer.q`` by the method that is asked for.

    The methods as published and the reference solvers leave the state of another configuration
    behind; theirs is evaluated again.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    method, limit = request.method, request.max_iterations
    if method == Method.PGS:
        return pgs.pgs(blocks, answer.q, limit)
    if method == Method.PLS:
        return pls.pls(blocks, answer.q, limit)
    if method == Method.PGS_PAPER:
        result = published.pgs(blocks, answer.q, limit)
    elif method == Method.PLS_PAPER:
        result = published.pls(blocks, answer.q, limit)
    else:
        result = reference.attempt(blocks, method, answer.q, limit)
    evaluate(blocks, work.best)
    return result
