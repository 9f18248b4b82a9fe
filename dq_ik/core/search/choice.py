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

"""The choice among solutions by the mode's measure, and among candidates for the best reach."""

import math

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import answer_of, request_of, tree_of, work_of
from dq_ik.core.memory.clock import is_over
from dq_ik.core.memory.layout import Mode, POOL
from dq_ik.core.solve.residual import assemble, evaluate, stack
from dq_ik.core.solve.starts import at_seed
from dq_ik.core.solve.step import manipulability
from dq_ik.core.solve.verdict import Status

DISTINCT = 1e-2  # largest joint difference [rad or m] below which two solutions are the same
NEAR = 0.3  # the same for candidates for the best reach, which are not at their optimum yet


@routine
def measure(blocks, q):
    """Return what the mode minimises: the way (squared or largest) or minus manipulability."""
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    mode = request.mode
    if mode == Mode.MANIPULABILITY:
        evaluate(blocks, q)
        assemble(blocks)
        stack(tree, work)
        return -manipulability(work.J, work.G, work.y)
    total, largest = 0.0, 0.0
    for i in range(q.shape[0]):
        way = abs(q[i] - work.seed[i])
        total += way * way
        largest = max(largest, way)
    if mode == Mode.DISTANCE_MAX:
        return largest
    return total


@routine
def is_new(solutions, count, q):
    """Tell whether q differs from all solutions kept so far."""
    for s in range(count):
        largest = 0.0
        for i in range(q.shape[0]):
            largest = max(largest, abs(solutions[s, i] - q[i]))
        if largest < DISTINCT:
            return False
    return True


@routine
def remember(pool, pool_cost, cost, q):
    """
    Keep q among the best candidates, sorted by cost; of those that are near each other the best.

    Most attempts come to the same few places. Without this, all candidates may be at one of them.
    """
    place = 0
    while place < POOL - 1 and pool_cost[place] < math.inf and not _is_near(pool[place], q):
        place += 1
    if not cost < pool_cost[place]:
        return
    while place > 0 and cost < pool_cost[place - 1]:
        pool_cost[place] = pool_cost[place - 1]
        copy(pool[place - 1], pool[place])
        place -= 1
    pool_cost[place] = cost
    copy(q, pool[place])


@kernel
def _is_near(a, b):
    """Tell whether no variable differs by much."""
    largest = 0.0
    for i in range(a.shape[0]):
        largest = max(largest, abs(a[i] - b[i]))
    return largest < NEAR


@routine
def first_candidate(blocks):
    """
    Return the first place of the pool from which the best reach is sought; POOL: none is needed.

    Without restarts (streams) the only candidate is the seed, so that the answer moves with the
    goal and does not jump.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    if work.measure[0] < math.inf:
        return POOL
    if request.max_restarts == 0:
        fill(math.inf, work.pool_cost)
        at_seed(work, work.pool[0])
        work.pool_cost[0] = 0.0
    answer.status[0] = Status.STALLED.value
    return 0


@routine
def late(blocks):
    """Tell whether the time is over; it is noted in the status."""
    answer, work = answer_of(blocks), work_of(blocks)
    if not is_over(work):
        return False
    if work.least[0] == math.inf:  # nothing kept yet: at least the best candidate
        copy(work.pool[0], answer.q)
    answer.status[0] = Status.TIMED_OUT.value
    return True


@routine
def keep(blocks, place, result):
    """Keep an optimum (cost, iterations, stationary) if it is the best; return the next place."""
    answer, work = answer_of(blocks), work_of(blocks)
    cost, iterations, stationary = result
    answer.iterations[0] += iterations
    if cost < work.least[0]:
        work.least[0] = cost
        copy(work.pool[place], answer.q)
        if stationary:
            answer.status[0] = Status.BEST_REACH_WORKSPACE.value
        else:
            answer.status[0] = Status.STALLED.value
    return place + 1
