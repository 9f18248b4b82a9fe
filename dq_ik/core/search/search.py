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
(:func:`dq_ik.core.solve.verdict.finish`).
"""

from __future__ import annotations

import math

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import routine
from dq_ik.core.kinematics.configuration import centre_ball, unwind
from dq_ik.core.memory.blocks import answer_of, request_of, tree_of, work_of
from dq_ik.core.memory.clock import is_over, seconds
from dq_ik.core.memory.layout import (
    BALL,
    ELEMENT_KIND,
    FARTHEST,
    Method,
    Mode,
    POOL,
    VARIABLE,
)
from dq_ik.core.multi_start.lane_attempts import multi_start
from dq_ik.core.search.choice import first_candidate, is_new, keep, late, measure, remember
from dq_ik.core.search.go_on import is_stuck, release, RELEASES, settle
from dq_ik.core.search.methods import attempt
from dq_ik.core.solve import starts
from dq_ik.core.solve.best_reach import newton
from dq_ik.core.solve.posture import relax
from dq_ik.core.solve.residual import evaluate, mark_moving
from dq_ik.core.solve.verdict import exceed, finish, press, report, Status

BEST_REACH_ITERATIONS = 100


@routine
def search(blocks, timeout):
    """
    Solve one row: attempts in lanes, else one by one; the best reach where none is at the goal.

    Without restarts an attempt that is stuck goes on (:mod:`dq_ik.core.search.go_on`).

    :param timeout: [s]
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    start = begin(blocks, timeout)
    if multi_start(blocks):
        answer.time[0] = seconds(work.clock) - start
        return
    while next_start(blocks):
        judge(blocks, attempt(blocks))
    approach(blocks)
    releases = 0 if request.method <= Method.PLS and is_stuck(blocks) else RELEASES
    while releases < RELEASES and release(blocks):
        judge(blocks, attempt(blocks))
        releases = settle(blocks, releases, BEST_REACH_ITERATIONS)
    if wants_relaxing(blocks):
        answer.iterations[0] += relax(blocks, work.pool[0])
    conclude(blocks)
    unwind_trace(blocks)
    answer.time[0] = seconds(work.clock) - start


@routine
def unwind_trace(blocks):
    """Write the iterates as answers are written: within the limits, also of joints of a turn."""
    answer, work = answer_of(blocks), work_of(blocks)
    for row in range(answer.n_trace[0]):
        unwind(work, answer.trace[row])


@routine
def approach(blocks):
    """Look for the best reach, where no goal is met."""
    request, work = request_of(blocks), work_of(blocks)
    if request.method > Method.PLS:
        take_nearest(blocks)
        return
    place = first_candidate(blocks)
    while place < POOL and work.pool_cost[place] < math.inf and not late(blocks):
        place = keep(blocks, place, newton(blocks, work.pool[place], BEST_REACH_ITERATIONS))


@routine
def begin(blocks, timeout):
    """
    Prepare a solve and return the time of its start.

    Limits are narrowed to the largest step and to locked joints, and lifted where joints may turn
    freely; the objectives for the posture are joined.
    """
    tree, request = tree_of(blocks), request_of(blocks)
    answer, work = answer_of(blocks), work_of(blocks)
    start = seconds(work.clock)
    work.deadline[0] = start + timeout
    work.measure[0] = work.least[0] = math.inf
    answer.status[0], answer.restarts[0] = Status.CONVERGED.value, -1
    answer.iterations[0] = answer.n_solutions[0] = answer.n_trace[0] = 0
    fill(math.inf, work.pool_cost)
    if request.posture_iterations > 0:
        fill(1.0, work.x)
    else:
        mark_moving(tree, work.goals, work.x)
    largest = request.max_joint_step
    for i in range(tree.n):
        low, high, metric = request.lower[i], request.upper[i], request.metric[i]
        seed = min(max(work.seed[i], low), high)
        if metric < 0.0 or work.x[i] == 0.0:  # locked, or of no use for the goals
            low, high, metric = seed, seed, 1.0
        elif largest > 0.0:
            low, high = max(low, seed - largest), min(high, seed + largest)
        work.low[i], work.high[i] = low, high
        work.metric[i], work.gain[i] = metric, 1.0 / metric
        free = 0.0 < tree.period[i] <= high - low + 1e-9
        if request.max_restarts == 0 and high - low < math.inf:
            free = False  # a stream must not jump by a turn
        work.period[i] = tree.period[i] if free else 0.0
        work.lower[i] = -math.inf if free else max(low, -FARTHEST)
        work.upper[i] = math.inf if free else min(high, FARTHEST)
        work.centre[i] = min(max(work.seed[i], work.lower[i]), work.upper[i])
        work.pull[i], work.rest[i] = request.pull[i], request.rest[i]
        if request.stay > 0.0:
            work.pull[i] += request.stay
            work.rest[i] = (request.pull[i] * request.rest[i]
                            + request.stay * seed) / work.pull[i]
    _begin_balls(blocks)
    return start


@routine
def _begin_balls(blocks):
    """Do the same for the limits of balls; one is locked as a whole."""
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            weakest = min(request.metric[i], request.metric[i + 1], request.metric[i + 2])
            step = request.max_joint_step if request.max_joint_step > 0.0 else math.inf
            if weakest < 0.0 or work.x[i] == 0.0:
                step = 0.0
            centre_ball(blocks, element, work.seed, step)


@routine
def next_start(blocks):
    """
    Write the start of the next attempt; False if the mode is served or the budget spent.

    Where nobody gave a seed and any answer will do, the stored starts come at once.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    any_will_do = request.mode == Mode.SPEED
    if answer.restarts[0] >= 0:
        served = work.measure[0] < math.inf and any_will_do
        full = answer.n_solutions[0] >= answer.solutions.shape[0] > 0
        spent = answer.restarts[0] >= request.max_restarts
        if served or full or spent or is_over(work):
            return False
    answer.restarts[0] += 1
    number = answer.restarts[0]
    if any_will_do and work.seeded[0] == 0 and request.max_restarts > 0:
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
    q = answer.q
    answer.iterations[0] += iterations
    copy(work.best, q)
    if worst <= 1.0 and finish(blocks, q):
        cost, worst = evaluate(blocks, q)
    if worst <= 1.0:
        count = answer.n_solutions[0]
        if count < answer.solutions.shape[0] and is_new(answer.solutions, count, q):
            copy(q, answer.solutions[count])
            answer.n_solutions[0] = count + 1
        value = measure(blocks, q)
        if value < work.measure[0]:
            work.measure[0] = value
            copy(q, work.pool[0])
            report(blocks, cost)
    elif work.measure[0] == math.inf:
        remember(work.pool, work.pool_cost, cost, q)


@routine
def take_nearest(blocks):
    """Where no goal is met, answer with the best configuration of all attempts, without help."""
    answer, work = answer_of(blocks), work_of(blocks)
    if work.measure[0] < math.inf:
        return
    if work.pool_cost[0] < math.inf:
        copy(work.pool[0], answer.q)
    else:
        starts.at_seed(work, answer.q)
    over = is_over(work)
    answer.status[0] = Status.TIMED_OUT.value if over else Status.STALLED.value


@routine
def wants_relaxing(blocks):
    """Tell whether there is a solution to be relaxed to the posture that is wanted."""
    request, work = request_of(blocks), work_of(blocks)
    return work.measure[0] < math.inf and request.posture_iterations > 0


@routine
def conclude(blocks):
    """
    Complete the answer: the solution in the first place of the pool, or the best reach.

    What was moved since it was judged is judged once more; of a best reach is said what is in the
    way: the distance first, then limits, then the largest step.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    q = answer.q
    solved = answer.status[0] == Status.CONVERGED
    if solved:
        copy(work.pool[0], q)
    if not solved or request.posture_iterations > 0:
        for i in range(q.shape[0]):
            if not abs(q[i]) <= FARTHEST:  # a goal so far away that its square is no number
                q[i] = min(max(work.seed[i], work.low[i]), work.high[i])
        finish(blocks, q)
        cost, worst = evaluate(blocks, q)
        report(blocks, cost)
        in_the_way = press(blocks, q)
        beyond = exceed(blocks)
        if worst <= 1.0:
            answer.status[0] = Status.CONVERGED.value
        elif solved:
            answer.status[0] = Status.STALLED.value
        elif answer.status[0] == Status.BEST_REACH_WORKSPACE and not beyond:
            answer.status[0] = in_the_way
