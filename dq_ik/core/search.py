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
One solve from start to end: attempts and restarts, the choice among solutions, and the best reach.

Success is judged by forward kinematics on the final vector, unwound and clamped
(:func:`dq_ik.core.verdict.finish`).
"""

from __future__ import annotations

import math

from dq_ik.core import methods, starts
from dq_ik.core.best_reach import newton
from dq_ik.core.choice import is_new, measure, remember
from dq_ik.core.clock import seconds
from dq_ik.core.compile import entry, kernel, routine
from dq_ik.core.posture import relax
from dq_ik.core.request import (
    at_row,
    BEST,
    ITERATIONS,
    MAX_ITERATIONS,
    MAX_RESTARTS,
    MAX_STEP,
    METHOD,
    Method,
    MODE,
    Mode,
    new_blocks,
    POOL,
    RESTARTS,
    SECONDARY,
    SOLUTIONS,
    STATUS,
    STAY,
    TIME,
    TIMEOUT,
    TRACED,
    views,
    WEIGHT,
    WORST,
)
from dq_ik.core.tree import SLOT_START, SLOT_STOP
from dq_ik.core.vector import copy, fill
from dq_ik.core.verdict import finish, press, report, Status

BEST_REACH_ITERATIONS = 100


@entry
def solve(numbers, indices, table, requests, answers_out):
    """
    Solve each row of requests by ``pgs`` or ``pls``.

    :param table: ``(n_table, n + 8 n_tips)`` stored configurations with the poses of their tips
    """
    blocks = new_blocks(numbers, indices, table, requests, answers_out)
    for row in range(requests.shape[0]):
        blocks = at_row(blocks, requests, answers_out, row)
        _, request, answer, _ = views(blocks)
        start = begin(blocks)
        limit = int(request.head[MAX_ITERATIONS])
        while next_start(blocks, start):
            if int(request.head[METHOD]) == Method.PGS:
                result = methods.pgs(blocks, answer.q, limit)
            else:
                result = methods.pls(blocks, answer.q, limit)
            judge(blocks, result)
        complete(blocks, start)


@routine
def begin(blocks):
    """
    Prepare a solve and return the time of its start.

    Limits are narrowed to the largest step and to locked joints, and lifted where joints may turn
    freely; the wishes for the posture are joined.
    """
    tree, request, answer, work = views(blocks)
    start = seconds(work.clock)
    request.head[TIMEOUT] += start  # from here on the deadline
    head = answer.head
    head[STATUS] = 0.0
    head[RESTARTS], head[ITERATIONS], head[SOLUTIONS], head[BEST] = -1.0, 0.0, 0.0, math.inf
    fill(math.inf, work.pool_cost)
    work.counter[0] = 0
    _mark_moving(tree, request, work.x)
    largest, stay = request.head[MAX_STEP], request.head[STAY]
    for i in range(request.seed.shape[0]):
        seed = min(max(request.seed[i], request.lower[i]), request.upper[i])
        if request.metric[i] < 0.0 or work.x[i] == 0.0:  # locked, or of no use for the goals
            request.lower[i] = request.upper[i] = seed
            request.metric[i] = 1.0
        elif largest > 0.0:
            request.lower[i] = max(request.lower[i], seed - largest)
            request.upper[i] = min(request.upper[i], seed + largest)
        width = request.upper[i] - request.lower[i]
        free = 0.0 < request.period[i] <= width + 1e-9
        if request.head[MAX_RESTARTS] == 0.0 and width < math.inf:
            free = False  # a stream must not jump by a turn
        request.period[i] = request.period[i] if free else 0.0
        work.lower[i] = -math.inf if free else request.lower[i]
        work.upper[i] = math.inf if free else request.upper[i]
        if stay > 0.0:
            pull = request.pull[i] + stay
            request.rest[i] = (request.pull[i] * request.rest[i] + stay * seed) / pull
            request.pull[i] = pull
    return start


@kernel
def _mark_moving(tree, request, moving_out):
    """Write 1 for variables that move a tip with a goal (with wishes: for all), else 0."""
    fill(1.0 if request.head[SECONDARY] > 0.0 else 0.0, moving_out)
    for k in range(request.goals.shape[0]):
        weight = 0.0
        for r in range(6):
            weight += request.goals[k, WEIGHT + r]
        if weight > 0.0:
            for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
                moving_out[tree.slot[slot]] = 1.0


@routine
def next_start(blocks, start):
    """Write the start of the next attempt; False if the mode is served or the budget spent."""
    tree, request, answer, work = views(blocks)
    head = answer.head
    if head[RESTARTS] >= 0.0:
        served = head[BEST] < math.inf and int(request.head[MODE]) == Mode.SPEED
        full = head[SOLUTIONS] >= answer.solutions.shape[0] > 0
        spent = head[RESTARTS] >= request.head[MAX_RESTARTS]
        if served or full or spent or seconds(work.clock) > request.head[TIMEOUT]:
            return False
    head[RESTARTS] += 1.0
    starts.choose(blocks, int(head[RESTARTS]), answer.q)
    return True


@routine
def judge(blocks, result):
    """Account for an attempt's result (cost, worst error, iterations) and best configuration."""
    tree, request, answer, work = views(blocks)
    cost, worst, iterations = result
    head, q = answer.head, answer.q
    head[ITERATIONS] += iterations
    copy(work.best, q)
    if worst <= 1.0 and finish(blocks, q, worst) <= 1.0:
        count = int(head[SOLUTIONS])
        if count < answer.solutions.shape[0] and is_new(answer.solutions, count, q):
            copy(q, answer.solutions[count])
            head[SOLUTIONS] = count + 1
        value = measure(blocks, q)
        if value < head[BEST]:
            head[BEST] = value
            copy(q, work.pool[0])
            report(blocks, q)
    elif head[BEST] == math.inf:
        remember(work.pool, work.pool_cost, cost, q)


@kernel
def complete(blocks, start):
    """
    Complete the answer: the best solution, relaxed to the wishes, or the best reach.

    For the best reach the candidates are driven to their nearest constrained optimum, and the best
    is taken.
    """
    _, request, answer, work = views(blocks)
    deadline = request.head[TIMEOUT]
    if answer.head[BEST] < math.inf:
        if request.head[SECONDARY] > 0.0:
            answer.head[ITERATIONS] += relax(blocks, work.pool[0])
        conclude(blocks, start)
        return
    place = first_candidate(blocks)
    while place < POOL and work.pool_cost[place] < math.inf and not late(blocks, deadline):
        place = keep(blocks, place, newton(
            blocks, work.pool[place], BEST_REACH_ITERATIONS, deadline))
    explain(blocks, start)


@routine
def conclude(blocks, start):
    """Answer with the solution in the first place of the pool."""
    tree, request, answer, work = views(blocks)
    copy(work.pool[0], answer.q)
    if request.head[SECONDARY] > 0.0:
        finish(blocks, answer.q, 0.0)
        report(blocks, answer.q)
    met = answer.head[WORST] <= 1.0
    answer.head[STATUS] = Status.CONVERGED.value if met else Status.STALLED.value
    _close(answer, work, start)


@kernel
def _close(answer, work, start):
    """Write what every answer ends with."""
    answer.head[TRACED] = work.counter[0]
    answer.head[TIME] = seconds(work.clock) - start


@routine
def first_candidate(blocks):
    """
    Return the first place of the pool from which the best reach is sought.

    Without restarts (streams) the only candidate is the seed, so that the answer moves with the
    goal and does not jump.
    """
    tree, request, answer, work = views(blocks)
    if request.head[MAX_RESTARTS] == 0.0:
        fill(math.inf, work.pool_cost)
        starts.at_seed(request, work, work.pool[0])
        work.pool_cost[0] = 0.0
    answer.head[STATUS] = Status.STALLED.value
    return 0


@routine
def late(blocks, deadline):
    """Tell whether the time is over; it is noted in the status."""
    tree, request, answer, work = views(blocks)
    if seconds(work.clock) <= deadline:
        return False
    if answer.head[BEST] == math.inf:  # nothing kept yet: at least the best candidate
        copy(work.pool[0], answer.q)
    answer.head[STATUS] = Status.TIMED_OUT.value
    return True


@routine
def keep(blocks, place, result):
    """Keep an optimum (cost, iterations, stationary) if it is the best; return the next place."""
    tree, request, answer, work = views(blocks)
    cost, iterations, stationary = result
    answer.head[ITERATIONS] += iterations
    if cost < answer.head[BEST]:
        answer.head[BEST] = cost
        copy(work.pool[place], answer.q)
        if stationary:
            answer.head[STATUS] = Status.BEST_REACH_WORKSPACE.value
        else:
            answer.head[STATUS] = Status.STALLED.value
    return place + 1


@routine
def explain(blocks, start):
    """Judge the best reach once more, as every answer is, and say what is in the way."""
    tree, request, answer, work = views(blocks)
    q = answer.q
    for i in range(q.shape[0]):
        if not math.isfinite(q[i]):  # a goal so far away that its square is no number
            q[i] = request.seed[i]
    finish(blocks, q, 0.0)
    report(blocks, q)
    pressed = press(blocks, q)
    if answer.head[WORST] <= 1.0:
        answer.head[STATUS] = Status.CONVERGED.value
    elif pressed > 0 and int(answer.head[STATUS]) != Status.TIMED_OUT:
        answer.head[STATUS] = Status.BEST_REACH_LIMITS.value
    _close(answer, work, start)
