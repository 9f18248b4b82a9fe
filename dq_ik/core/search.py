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
from dq_ik.core.blocks import (
    answer_of,
    at_row,
    last_status,
    n_rows,
    new_memory,
    POOL,
    request_of,
    tree_of,
    work_of,
)
from dq_ik.core.choice import first_candidate, is_new, keep, late, measure, remember
from dq_ik.core.clock import seconds
from dq_ik.core.compile import entry, kernel, routine
from dq_ik.core.lanes import WIDTH
from dq_ik.core.posture import relax
from dq_ik.core.race import award, HEATS, race
from dq_ik.core.request import (
    BEST,
    ITERATIONS,
    KIND,
    MAX_ITERATIONS,
    MAX_RESTARTS,
    MAX_STEP,
    METHOD,
    Method,
    MODE,
    Mode,
    RACES,
    RESTARTS,
    SECONDARY,
    SEEDED,
    SOLUTIONS,
    STATUS,
    STAY,
    TIME,
    TIMEOUT,
    TRACED,
    UNIFORM,
    WEIGHT,
)
from dq_ik.core.residual import look
from dq_ik.core.tree import SLOT_START, SLOT_STOP
from dq_ik.core.vector import all_finite, copy, fill
from dq_ik.core.verdict import finish, press, report, Status

BEST_REACH_ITERATIONS = 100


@entry
def solve(robot, requests, targets, seeds, answers_out):
    """
    Solve each row by ``pgs`` or ``pls``.

    :param robot: of :func:`dq_ik.core.blocks.pack_robot`
    :param requests: and targets, seeds: see :func:`dq_ik.core.blocks.at_row`
    :returns: the status of the last row
    :raises ValueError: if a seed is not finite; nothing was done
    """
    if not all_finite(seeds):
        raise ValueError
    memory = new_memory(robot, requests)
    for row in range(n_rows(requests, answers_out)):
        blocks = at_row(robot, memory, requests, targets, seeds, answers_out, row)
        request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
        start = begin(blocks)
        limit = int(request.head[MAX_ITERATIONS])
        won = False
        for heat in range(HEATS if may_race(blocks) else 0):
            lane, laps, errors = race(blocks, starts.line_up(blocks, heat))
            won = lane >= 0 and award(blocks, heat * WIDTH + lane, laps, errors)
            if won or seconds(work.clock) > request.head[TIMEOUT]:
                break
        if won:
            answer.head[TIME] = seconds(work.clock) - start
            continue
        while next_start(blocks):
            if int(request.head[METHOD]) == Method.PGS:
                result = methods.pgs(blocks, answer.q, limit)
            else:
                result = methods.pls(blocks, answer.q, limit)
            judge(blocks, result)
        if wants_relaxing(blocks):
            answer.head[ITERATIONS] += relax(blocks, work.pool[0])
        place = first_candidate(blocks)
        while place < POOL and work.pool_cost[place] < math.inf and not late(blocks):
            place = keep(blocks, place, newton(blocks, work.pool[place], BEST_REACH_ITERATIONS))
        conclude(blocks, start)
    return last_status(memory, requests, answers_out)


@routine
def begin(blocks):
    """
    Prepare a solve and return the time of its start.

    Limits are narrowed to the largest step and to locked joints, and lifted where joints may turn
    freely; the wishes for the posture are joined.
    """
    tree, request = tree_of(blocks), request_of(blocks)
    answer, work = answer_of(blocks), work_of(blocks)
    start = seconds(work.clock)
    request.head[TIMEOUT] += start  # from here on the deadline
    head = answer.head
    head[STATUS] = Status.CONVERGED.value
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
        work.gain[i] = 1.0 / request.metric[i]
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


@kernel
def may_race(blocks):
    """Tell whether attempts may race: the options and the chain allow it, a pose is the goal."""
    request = request_of(blocks)
    goal = request.goals[0]
    whole = goal[KIND] == UNIFORM and goal[WEIGHT] > 0.0 and goal[WEIGHT + 3] > 0.0
    return whole and request.head[RACES] > 0.0


@routine
def next_start(blocks):
    """
    Write the start of the next attempt; False if the mode is served or the budget spent.

    Where nobody gave a seed and any answer will do, the stored starts come at once.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    head = answer.head
    any_will_do = int(request.head[MODE]) == Mode.SPEED
    if head[RESTARTS] >= 0.0:
        served = head[BEST] < math.inf and any_will_do
        full = head[SOLUTIONS] >= answer.solutions.shape[0] > 0
        spent = head[RESTARTS] >= request.head[MAX_RESTARTS]
        if served or full or spent or seconds(work.clock) > request.head[TIMEOUT]:
            return False
    head[RESTARTS] += 1.0
    number = int(head[RESTARTS])
    if any_will_do and request.head[SEEDED] == 0.0 and request.head[MAX_RESTARTS] > 0.0:
        number += 1
    starts.choose(blocks, number, answer.q)
    return True


@routine
def judge(blocks, result):
    """
    Account for an attempt's result (cost, worst error, iterations) and best configuration.

    Where the goals are met, the state last evaluated must be that of the best configuration.
    """
    answer, work = answer_of(blocks), work_of(blocks)
    cost, worst, iterations = result
    head, q = answer.head, answer.q
    head[ITERATIONS] += iterations
    copy(work.best, q)
    if worst <= 1.0 and finish(blocks, q):
        cost, worst = look(blocks, q)
    if worst <= 1.0:
        count = int(head[SOLUTIONS])
        if count < answer.solutions.shape[0] and is_new(answer.solutions, count, q):
            copy(q, answer.solutions[count])
            head[SOLUTIONS] = count + 1
        value = measure(blocks, q)
        if value < head[BEST]:
            head[BEST] = value
            copy(q, work.pool[0])
            report(blocks, cost)
    elif head[BEST] == math.inf:
        remember(work.pool, work.pool_cost, cost, q)


@routine
def wants_relaxing(blocks):
    """Tell whether there is a solution to be relaxed to the wishes for the posture."""
    request, answer = request_of(blocks), answer_of(blocks)
    return answer.head[BEST] < math.inf and request.head[SECONDARY] > 0.0


@routine
def conclude(blocks, start):
    """
    Complete the answer: the solution in the first place of the pool, or the best reach.

    What was moved since it was judged is judged once more; of a best reach is said what is in the
    way.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    head, q = answer.head, answer.q
    solved = int(head[STATUS]) == Status.CONVERGED
    if solved:
        copy(work.pool[0], q)
    if not solved or request.head[SECONDARY] > 0.0:
        for i in range(q.shape[0]):
            if not math.isfinite(q[i]):  # a goal so far away that its square is no number
                q[i] = request.seed[i]
        finish(blocks, q)
        cost, worst = look(blocks, q)
        report(blocks, cost)
        pressed = press(blocks, q)
        if worst <= 1.0:
            head[STATUS] = Status.CONVERGED.value
        elif solved:
            head[STATUS] = Status.STALLED.value
        elif pressed > 0 and int(head[STATUS]) == Status.BEST_REACH_WORKSPACE:
            head[STATUS] = Status.BEST_REACH_LIMITS.value
    head[TRACED] = work.counter[0]
    head[TIME] = seconds(work.clock) - start
