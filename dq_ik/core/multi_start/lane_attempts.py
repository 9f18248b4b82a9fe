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
Several attempts at once, one per lane: the first that meets the goal ends the solve.

Many attempts fail, and an iteration is mostly waiting: each operation needs the one before it.
Attempts in lanes take no more time than one, and one of several starts is soon at the goal. They
are for plain chains with a pose to reach. Where none of them succeeds, the search goes on as if
there had been no attempts in lanes.
"""

import math

from dq_ik.core.algebra import dual_quaternion
from dq_ik.core.algebra.lanes import anywhere, at, clamp, everywhere, get, put, select, WIDTH
from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import unwind
from dq_ik.core.memory.blocks import answer_of, record, request_of, tree_of, work_of
from dq_ik.core.memory.clock import is_over, is_over_in_step
from dq_ik.core.memory.layout import (
    COLUMN,
    KIND,
    LANE_ITERATIONS,
    Method,
    Mode,
    SEED_ITERATIONS,
    SLOPE,
    STEP,
    TAKEN,
    TOLERANCE,
    TRIAL,
    UNIFORM,
    WEIGHT,
)
from dq_ik.core.multi_start.lane_starts import choose_in_lanes, STARTS
from dq_ik.core.multi_start.lane_step import columns, error, forward, pgs_step, pls_step
from dq_ik.core.solve.pls import ARMIJO, BACKTRACK
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.step import damping_at
from dq_ik.core.solve.verdict import enclose, report

FEWEST_JOINTS = 5  # of an arm for which attempts in lanes pay
ROUNDS = 6  # of attempts at most, each from other starts
ROUGH = 2  # first iterations, in which sweeps do not pay: other joints will be held later
# The attempt from the seed is waited for, since people expect the solution next to it...
NEAR = 1e-2  # ...if it has come to a cost below this...
NEARBY = 1.0  # ...and no joint has gone further than this [rad or m]
# Poses in lanes are accurate to 1e-11: a goal is met if it is so by a thousandth more than asked.
# Tolerances below FINE and angles above WOUND [rad] are not for lanes alone.
STRICT, FINE, WOUND = 0.999, 1e-8, 100.0


@routine
def multi_start(blocks):
    """Make rounds of attempts in lanes, where they can help; tell whether one met the goal."""
    work = work_of(blocks)
    for round_ in range(ROUNDS if can_help(blocks) else 0):
        lane, iterations, errors = attempt_in_lanes(blocks, choose_in_lanes(blocks, round_))
        if lane >= 0 and accept(blocks, round_ * WIDTH + lane, iterations, errors):
            return True
        if is_over(work):
            break
    return False


@kernel
def can_help(blocks):
    """Tell whether lanes are allowed: by the options, by the chain, and by a pose as the goal."""
    tree, request, goal = tree_of(blocks), request_of(blocks), work_of(blocks).goals[0]
    able = (tree.plain == 1 and tree.n >= FEWEST_JOINTS and tree.n_stored >= STARTS
            and request.max_restarts >= ROUNDS * WIDTH)
    any_will_do = (request.method <= Method.PLS and request.mode == Mode.SPEED
                   and request.posture_iterations == 0)
    whole = goal[KIND] == UNIFORM and goal[WEIGHT] > 0.0 and goal[WEIGHT + 3] > 0.0
    enough = request.max_iterations >= LANE_ITERATIONS + SEED_ITERATIONS
    return able and any_will_do and whole and enough


@routine
def attempt_in_lanes(blocks, seeded):
    """
    Iterate from the rows TRIAL of the lanes; write the first solution to ``work.best``.

    :param seeded: whether the seed is in the first lane
    :returns: the lane that met the goal, -1 for none; its iterations; the squares of its errors
    """
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    rows, n, goal = work.lanes, tree.n, work.goals[0]
    target = dual_quaternion.load(goal)
    target = target[0], dual_quaternion.translation(target)
    searches_line = request.method == Method.PLS
    lane, iterations, errors = -1, 0, (0.0, 0.0)
    fine_p, fine_r = (STRICT * goal[TOLERANCE]) ** 2, (STRICT * goal[TOLERANCE + 1]) ** 2
    cost, fraction, taken = everywhere(math.inf), everywhere(1.0), everywhere(0.0) <= 0.0
    for iteration in range(LANE_ITERATIONS + SEED_ITERATIONS + 1):
        if iteration > 0 and is_over_in_step(work, n):
            break
        x = forward(tree, n, rows)
        e_p, e_r = error(x, target)
        square_p, square_r = _square(e_p), _square(e_r)
        new_cost = goal[WEIGHT] ** 2 * square_p + goal[WEIGHT + 3] ** 2 * square_r
        if searches_line and iteration > 0:
            taken = _descends(n, iteration, new_cost, cost, rows)
            fraction = select(taken, 1.0, BACKTRACK * fraction)
        cost = select(taken, new_cost, cost)
        _take(n, iteration, taken, rows)
        met = (square_p <= fine_p) & (square_r <= fine_r) & taken
        if anywhere(met) and (lane < 0 or at(met, 0)):
            lane, iterations = _first(met), iteration
            errors = _pair(square_p, square_r, lane, COLUMN * n, rows)
        if lane >= 0 or iteration >= LANE_ITERATIONS:
            waits = seeded and lane != 0 and at(cost < NEAR, 0) and _is_nearby(n, iteration, rows)
            if not waits:
                break
        columns(tree, n, x[1], goal[WEIGHT], goal[WEIGHT + 3], rows)
        e = _scaled(goal[WEIGHT], e_p), _scaled(goal[WEIGHT + 3], e_r)
        q = (TAKEN + iteration) * n
        if searches_line:
            pls_step(work, n, q, e, damping_at(new_cost), taken, rows)
        else:
            pgs_step(work, n, q, e, damping_at(new_cost), iteration >= ROUGH, rows)
        _try_step(work, n, q, fraction, rows)
    if lane >= 0:
        _give(blocks, n, lane, iterations)
    return lane, iterations, errors


@kernel
def _try_step(work, n, q, fraction, rows):
    """Fill the rows TRIAL with the configuration after a fraction of the step, in the limits."""
    for i in range(n):
        value = get(rows, q + i) + fraction * get(rows, STEP * n + i)
        put(clamp(value, work.lower[i], work.upper[i]), rows, TRIAL * n + i)


@routine
def accept(blocks, number, iterations, errors):
    """
    Complete the answer with the solution of a lane.

    A few whole turns leave its pose as the lane saw it. Where limits move a joint, the tolerance
    is finer than lanes can tell, or angles are too large for them, it is evaluated again.

    :param number: of its start
    :param errors: squares of the distance and the angle from the goal
    :returns: whether the goal is met indeed
    """
    answer, work = answer_of(blocks), work_of(blocks)
    goal = work.goals[0]
    copy(work.best, answer.q)
    unwind(work, answer.q)
    blind = (min(goal[TOLERANCE], goal[TOLERANCE + 1]) < FINE
             or max(_largest(work.best), _largest(answer.q)) > WOUND)
    if enclose(work, answer.q) or blind:
        cost, worst = evaluate(blocks, answer.q)
        if worst > 1.0:
            return False
        report(blocks, cost)
    else:
        answer.cost[0] = goal[WEIGHT] ** 2 * errors[0] + goal[WEIGHT + 3] ** 2 * errors[1]
        answer.error[0, 0], answer.error[0, 1] = math.sqrt(errors[0]), math.sqrt(errors[1])
    answer.restarts[0], answer.iterations[0] = number, iterations
    return True


@kernel
def _largest(q):
    """Largest absolute value."""
    largest = 0.0
    for i in range(q.shape[0]):
        largest = max(largest, abs(q[i]))
    return largest


@kernel
def _square(v):
    """Squared length of vectors in lanes."""
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


@kernel
def _scaled(factor, v):
    """Vectors in lanes times a number."""
    return (factor * v[0], factor * v[1], factor * v[2])


@kernel
def _descends(n, iteration, new_cost, cost, rows):
    """Projected Armijo test of the way to the rows TRIAL ([ProjectedLineSearch] eq. 39)."""
    gain = everywhere(0.0)
    for i in range(n):
        way = get(rows, TRIAL * n + i) - get(rows, (TAKEN + iteration - 1) * n + i)
        gain = gain + get(rows, SLOPE * n + i) * way
    return 0.5 * new_cost < 0.5 * cost - ARMIJO * gain


@kernel
def _take(n, iteration, taken, rows):
    """Take the rows TRIAL where the mask is true; elsewhere stay."""
    here = (TAKEN + iteration) * n
    before = (TAKEN + max(iteration - 1, 0)) * n
    for i in range(n):
        put(select(taken, get(rows, TRIAL * n + i), get(rows, before + i)), rows, here + i)


@kernel
def _is_nearby(n, iteration, rows):
    """Tell whether the attempt in the first lane has not gone far from its start."""
    way = 0.0
    for i in range(n):
        way = max(way, abs(rows[(TAKEN + iteration) * n + i, 0] - rows[TAKEN * n + i, 0]))
    return way < NEARBY


@kernel
def _first(mask):
    """Return the first lane in which the mask is true."""
    lane = 0
    while not at(mask, lane):
        lane += 1
    return lane


@kernel
def _pair(a, b, lane, row, rows):
    """Return two numbers of a lane; two rows are used for it."""
    put(a, rows, row)
    put(b, rows, row + 1)
    return rows[row, lane], rows[row + 1, lane]


@kernel
def _give(blocks, n, lane, iterations):
    """Write the configuration that a lane came to, and its way to the trace."""
    work = work_of(blocks)
    for iteration in range(iterations + 1):
        for i in range(n):
            work.best[i] = work.lanes[(TAKEN + iteration) * n + i, lane]
        if iteration > 0:
            record(blocks, work.best)
