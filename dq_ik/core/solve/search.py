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

from dq_ik.core.algebra.lanes import WIDTH
from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import answer_of, request_of, tree_of, work_of
from dq_ik.core.memory.clock import seconds
from dq_ik.core.memory.layout import (
    KIND,
    LAPS,
    Method,
    Mode,
    PATIENCE,
    POOL,
    SLOT_START,
    SLOT_STOP,
    UNIFORM,
    WEIGHT,
)
from dq_ik.core.solve import methods, starts
from dq_ik.core.solve.best_reach import newton
from dq_ik.core.solve.choice import first_candidate, is_new, keep, late, measure, remember
from dq_ik.core.solve.posture import relax
from dq_ik.core.solve.race import award, HEATS, race
from dq_ik.core.solve.residual import look
from dq_ik.core.solve.verdict import finish, press, report, Status
from dq_ik.papers.kernels import published as paper
from dq_ik.papers.kernels import reference

BEST_REACH_ITERATIONS = 100
FEWEST_RACING = 5  # joints of an arm whose attempts race


@routine
def search(blocks, timeout):
    """
    Solve one row: race, else attempt after attempt, then the best reach or the wishes.

    :param timeout: [s]
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    start = begin(blocks, timeout)
    for heat in range(HEATS if may_race(blocks) else 0):
        lane, laps, errors = race(blocks, starts.line_up(blocks, heat))
        if lane >= 0 and award(blocks, heat * WIDTH + lane, laps, errors):
            answer.time[0] = seconds(work.clock) - start
            return
        if seconds(work.clock) > work.deadline[0]:
            break
    while next_start(blocks):
        judge(blocks, attempt(blocks))
    if wants_relaxing(blocks):
        answer.iterations[0] += relax(blocks, work.pool[0])
    if request.method <= Method.PLS:
        place = first_candidate(blocks)
        while place < POOL and work.pool_cost[place] < math.inf and not late(blocks):
            place = keep(blocks, place, newton(blocks, work.pool[place], BEST_REACH_ITERATIONS))
    else:
        take_nearest(blocks)
    conclude(blocks)
    answer.time[0] = seconds(work.clock) - start


@routine
def attempt(blocks):
    """
    Run one attempt from ``answer.q`` by the method that is asked for.

    The methods as published and the reference solvers leave the state of another configuration
    behind; theirs is looked at again.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    method, limit = request.method, request.max_iterations
    if method == Method.PGS:
        return methods.pgs(blocks, answer.q, limit)
    if method == Method.PLS:
        return methods.pls(blocks, answer.q, limit)
    if method == Method.PGS_PAPER:
        result = paper.pgs(blocks, answer.q, limit)
    elif method == Method.PLS_PAPER:
        result = paper.pls(blocks, answer.q, limit)
    else:
        result = reference.attempt(blocks, method, answer.q, limit)
    look(blocks, work.best)
    return result


@routine
def begin(blocks, timeout):
    """
    Prepare a solve and return the time of its start.

    Limits are narrowed to the largest step and to locked joints, and lifted where joints may turn
    freely; the wishes for the posture are joined.
    """
    tree, request = tree_of(blocks), request_of(blocks)
    answer, work = answer_of(blocks), work_of(blocks)
    start = seconds(work.clock)
    work.deadline[0] = start + timeout
    work.measure[0] = work.least[0] = math.inf
    answer.status[0], answer.restarts[0] = Status.CONVERGED.value, -1
    answer.iterations[0] = answer.n_solutions[0] = answer.n_trace[0] = 0
    fill(math.inf, work.pool_cost)
    _mark_moving(tree, request, work, work.x)
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
        work.lower[i] = -math.inf if free else low
        work.upper[i] = math.inf if free else high
        work.pull[i], work.rest[i] = request.pull[i], request.rest[i]
        if request.stay > 0.0:
            work.pull[i] += request.stay
            work.rest[i] = (request.pull[i] * request.rest[i]
                            + request.stay * seed) / work.pull[i]
    return start


@kernel
def _mark_moving(tree, request, work, moving_out):
    """Write 1 for variables that move a tip with a goal (with wishes: for all), else 0."""
    fill(1.0 if request.posture_iterations > 0 else 0.0, moving_out)
    for k in range(work.goals.shape[0]):
        weight = 0.0
        for r in range(6):
            weight += work.goals[k, WEIGHT + r]
        if weight > 0.0:
            for slot in range(tree.tip_index[k, SLOT_START], tree.tip_index[k, SLOT_STOP]):
                moving_out[tree.slot[slot]] = 1.0


@kernel
def may_race(blocks):
    """Tell whether attempts may race: the options and the chain allow it, a pose is the goal."""
    tree, request, goal = tree_of(blocks), request_of(blocks), work_of(blocks).goals[0]
    able = (tree.plain == 1 and tree.n >= FEWEST_RACING and tree.n_stored >= starts.RACING
            and request.max_restarts >= HEATS * WIDTH)
    any_will_do = (request.method <= Method.PLS and request.mode == Mode.SPEED
                   and request.posture_iterations == 0)
    whole = goal[KIND] == UNIFORM and goal[WEIGHT] > 0.0 and goal[WEIGHT + 3] > 0.0
    return able and any_will_do and whole and request.max_iterations >= LAPS + PATIENCE


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
        if served or full or spent or seconds(work.clock) > work.deadline[0]:
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
        cost, worst = look(blocks, q)
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
    over = seconds(work.clock) > work.deadline[0]
    answer.status[0] = Status.TIMED_OUT.value if over else Status.STALLED.value


@routine
def wants_relaxing(blocks):
    """Tell whether there is a solution to be relaxed to the wishes for the posture."""
    request, work = request_of(blocks), work_of(blocks)
    return work.measure[0] < math.inf and request.posture_iterations > 0


@routine
def conclude(blocks):
    """
    Complete the answer: the solution in the first place of the pool, or the best reach.

    What was moved since it was judged is judged once more; of a best reach is said what is in the
    way.
    """
    request, answer, work = request_of(blocks), answer_of(blocks), work_of(blocks)
    q = answer.q
    solved = answer.status[0] == Status.CONVERGED
    if solved:
        copy(work.pool[0], q)
    if not solved or request.posture_iterations > 0:
        for i in range(q.shape[0]):
            if not math.isfinite(q[i]):  # a goal so far away that its square is no number
                q[i] = min(max(work.seed[i], work.low[i]), work.high[i])
        finish(blocks, q)
        cost, worst = look(blocks, q)
        report(blocks, cost)
        pressed = press(blocks, q)
        if worst <= 1.0:
            answer.status[0] = Status.CONVERGED.value
        elif solved:
            answer.status[0] = Status.STALLED.value
        elif pressed > 0 and answer.status[0] == Status.BEST_REACH_WORKSPACE:
            answer.status[0] = Status.BEST_REACH_LIMITS.value
