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

Success is judged by forward kinematics on the final vector, unwound and clamped (:func:`dq_ik.core.verdict.finish`).
"""

from __future__ import annotations

from enum import IntEnum
import math

import numpy as np

from dq_ik.core import methods, starts
from dq_ik.core.best_reach import newton
from dq_ik.core.clock import seconds
from dq_ik.core.compile import entry, routine
from dq_ik.core.posture import relax
from dq_ik.core.request import (
    BEST, ITERATIONS, MAX_ITERATIONS, MAX_RESTARTS, MAX_STEP, MAX_TRACE, METHOD, MODE, POOL,
    RESTARTS, SECONDARY, SOLUTIONS, STATUS, STAY, TIME, TIMEOUT, TRACED, view_answer, view_request,
    view_work, work_size)
from dq_ik.core.residual import derive, look
from dq_ik.core.step import manipulability
from dq_ik.core.tree import unpack
from dq_ik.core.vector import copy, fill
from dq_ik.core.verdict import finish, press, report, Status

DISTINCT = 1e-2  # largest joint difference [rad or m] below which two solutions are the same
BEST_REACH_ITERATIONS = 100


class Method(IntEnum):
    """How an attempt proceeds: the two methods here, the others in :mod:`dq_ik.core.comparison`."""

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


@entry
def solve(numbers, indices, table, requests, answers_out):
    """
    Solve each row of requests by ``pgs`` or ``pls``.

    :param table: ``(n_table, n + 8 n_tips)`` stored configurations with the poses of their tips
    """
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
        while next_start(request, table, work, answer, start):
            if int(request.head[METHOD]) == Method.PGS:
                result = methods.pgs(tree, request, work, answer.q, limit)
            else:
                result = methods.pls(tree, request, work, answer.q, limit)
            judge(tree, request, work, answer, result)
        conclude(tree, request, work, answer, start)


@routine
def begin(request, work, answer):
    """
    Prepare a solve and return the time of its start.

    Limits are narrowed to the largest step and to locked joints, and lifted where joints may turn freely; the wishes for the posture are joined.
    """
    start = seconds(work.clock)
    head = answer.head
    head[STATUS] = 0.0
    head[RESTARTS], head[ITERATIONS], head[SOLUTIONS], head[BEST] = -1.0, 0.0, 0.0, math.inf
    fill(math.inf, work.pool_cost)
    work.counter[0] = 0
    largest, stay = request.head[MAX_STEP], request.head[STAY]
    for i in range(request.seed.shape[0]):
        seed = min(max(request.seed[i], request.lower[i]), request.upper[i])
        if request.metric[i] < 0.0:  # locked
            request.lower[i] = request.upper[i] = seed
            request.metric[i] = 1.0
        elif largest > 0.0:
            request.lower[i] = max(request.lower[i], seed - largest)
            request.upper[i] = min(request.upper[i], seed + largest)
        free = 0.0 < request.period[i] <= request.upper[i] - request.lower[i] + 1e-9
        request.period[i] = request.period[i] if free else 0.0
        work.lower[i] = -math.inf if free else request.lower[i]
        work.upper[i] = math.inf if free else request.upper[i]
        if stay > 0.0:
            pull = request.pull[i] + stay
            request.rest[i] = (request.pull[i] * request.rest[i] + stay * seed) / pull
            request.pull[i] = pull
    return start


@routine
def next_start(request, table, work, answer, start):
    """Write the start of the next attempt into the answer; False if the mode is served or the budget spent."""
    head = answer.head
    if head[RESTARTS] >= 0.0:
        served = head[BEST] < math.inf and int(request.head[MODE]) == Mode.SPEED
        full = head[SOLUTIONS] >= answer.solutions.shape[0] > 0
        spent = head[RESTARTS] >= request.head[MAX_RESTARTS]
        if served or full or spent or seconds(work.clock) - start > request.head[TIMEOUT]:
            return False
    head[RESTARTS] += 1.0
    starts.choose(request, table, work, int(head[RESTARTS]), answer.q)
    return True


@routine
def judge(tree, request, work, answer, result):
    """Take an attempt's result (cost, worst error, iterations) and best configuration into account."""
    cost, worst, iterations = result
    head, q = answer.head, answer.q
    head[ITERATIONS] += iterations
    copy(work.best, q)
    if worst <= 1.0 and finish(tree, request, work, q):
        count = int(head[SOLUTIONS])
        if count < answer.solutions.shape[0] and _is_new(answer.solutions, count, q):
            copy(q, answer.solutions[count])
            head[SOLUTIONS] = count + 1
        value = _measure(tree, request, work, q)
        if value < head[BEST]:
            head[BEST] = value
            copy(q, work.pool[0])
            report(tree, request, work, q, answer)
    elif head[BEST] == math.inf:
        _remember(work.pool, work.pool_cost, cost, q)


@routine
def conclude(tree, request, work, answer, start):
    """Complete the answer: the best solution, relaxed to the wishes, or the best reach and its reason."""
    head, q = answer.head, answer.q
    if head[BEST] < math.inf:
        copy(work.pool[0], q)
        if request.head[SECONDARY] > 0.0:
            head[ITERATIONS] += relax(tree, request, work, q)
            finish(tree, request, work, q)
            report(tree, request, work, q, answer)
        head[STATUS] = Status.CONVERGED.value
    else:
        _reach(tree, request, work, answer, start + request.head[TIMEOUT])
    head[TRACED] = work.counter[0]
    head[TIME] = seconds(work.clock) - start


@routine
def _reach(tree, request, work, answer, deadline):
    """
    Answer with the best reach: the candidates are driven to their nearest constrained optimum, and the best is taken.

    Without restarts (streams) the only candidate is the seed, so that the answer moves with the goal and does not jump.
    """
    head, q = answer.head, answer.q
    if request.head[MAX_RESTARTS] == 0.0:
        fill(math.inf, work.pool_cost)
        starts.at_seed(request, work, work.pool[0])
        work.pool_cost[0] = 0.0
    best, stationary, late = math.inf, False, False
    for place in range(POOL):
        if work.pool_cost[place] == math.inf or late:
            break
        candidate = work.pool[place]
        cost, iterations, flat = newton(
            tree, request, work, candidate, BEST_REACH_ITERATIONS, deadline)
        head[ITERATIONS] += iterations
        late = seconds(work.clock) > deadline
        if cost < best:
            best, stationary = cost, flat
            copy(candidate, q)
    look(tree, request.goals, q, work)
    met = finish(tree, request, work, q)
    report(tree, request, work, q, answer)
    pressed = press(tree, request, work, q, answer)
    if met:
        head[STATUS] = Status.CONVERGED.value
    elif late:
        head[STATUS] = Status.TIMED_OUT.value
    elif pressed > 0:
        head[STATUS] = Status.BEST_REACH_LIMITS.value
    elif stationary:
        head[STATUS] = Status.BEST_REACH_WORKSPACE.value
    else:
        head[STATUS] = Status.STALLED.value


@routine
def _measure(tree, request, work, q):
    """What the mode minimises: the way from the seed (squared or largest), or minus the manipulability."""
    mode = int(request.head[MODE])
    if mode == Mode.MANIPULABILITY:
        look(tree, request.goals, q, work)
        derive(tree, request.goals, work)
        return -manipulability(tree, work)
    total, largest = 0.0, 0.0
    for i in range(q.shape[0]):
        way = abs(q[i] - request.seed[i])
        total += way * way
        largest = max(largest, way)
    if mode == Mode.DISTANCE_MAX:
        return largest
    return total


@routine
def _is_new(solutions, count, q):
    """Tell whether q differs from all solutions kept so far."""
    for s in range(count):
        largest = 0.0
        for i in range(q.shape[0]):
            largest = max(largest, abs(solutions[s, i] - q[i]))
        if largest < DISTINCT:
            return False
    return True


@routine
def _remember(pool, pool_cost, cost, q):
    """Keep q among the best candidates, sorted by cost."""
    place = POOL - 1
    if not cost < pool_cost[place]:
        return
    while place > 0 and cost < pool_cost[place - 1]:
        pool_cost[place] = pool_cost[place - 1]
        copy(pool[place - 1], pool[place])
        place -= 1
    pool_cost[place] = cost
    copy(q, pool[place])
