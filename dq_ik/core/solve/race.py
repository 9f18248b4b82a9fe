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
Several attempts in step, one per lane; the first to arrive wins.

Many attempts fail, and an iteration is mostly waiting: each operation needs the one before it.
Attempts in lanes take no more time than one, and of several starts one is soon there. Races are
for plain chains with a pose to reach; what they do not win is searched for as if there were none.
"""

import math

from dq_ik.core.algebra import dual_quaternion
from dq_ik.core.algebra.lanes import anywhere, at, clamp, everywhere, get, put, select
from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import unwind
from dq_ik.core.memory.blocks import answer_of, record, request_of, tree_of, work_of
from dq_ik.core.memory.layout import (
    COLUMN,
    LAPS,
    Method,
    PATIENCE,
    SLOPE,
    STEP,
    TAKEN,
    TOLERANCE,
    TRIAL,
    WEIGHT,
)
from dq_ik.core.solve.lane_step import columns, error, forward, pgs_step, pls_step
from dq_ik.core.solve.methods import ARMIJO, BACKTRACK, DAMPING, DAMPING_FLOOR
from dq_ik.core.solve.residual import look
from dq_ik.core.solve.verdict import enclose, report

HEATS = 6  # races that are run at most, each from other starts
ROUGH = 2  # first iterations, in which sweeps do not pay: other joints will be held later
# The attempt from the seed is waited for, since people expect the solution next to it...
NEAR = 1e-2  # ...if it has come to a cost below this...
NEARBY = 1.0  # ...and no joint has gone further than this [rad or m]
# Poses in lanes are accurate to 1e-11: a goal is met if it is so by a thousandth more than asked.
# Tolerances below FINE and angles above WOUND [rad] are not for races alone.
STRICT, FINE, WOUND = 0.999, 1e-8, 100.0


@routine
def race(blocks, seeded):
    """
    Run a race from the rows TRIAL of the lanes; the winner's configuration is in ``work.best``.

    :param seeded: whether the seed is in the first lane
    :returns: the lane that won, -1 for none; its iterations; the squares of its errors
    """
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    rows, n, goal = work.lanes, tree.n, work.goals[0]
    target = dual_quaternion.load(goal)
    target = target[0], dual_quaternion.translation(target)
    searches_line = request.method == Method.PLS
    winner, laps, errors = -1, 0, (0.0, 0.0)
    fine_p, fine_r = (STRICT * goal[TOLERANCE]) ** 2, (STRICT * goal[TOLERANCE + 1]) ** 2
    cost, fraction, taken = everywhere(math.inf), everywhere(1.0), everywhere(0.0) <= 0.0
    for lap in range(LAPS + PATIENCE + 1):
        x = forward(tree, n, rows)
        e_p, e_r = error(x, target)
        square_p, square_r = _square(e_p), _square(e_r)
        new_cost = goal[WEIGHT] ** 2 * square_p + goal[WEIGHT + 3] ** 2 * square_r
        if searches_line and lap > 0:
            taken = _descends(n, lap, new_cost, cost, rows)
            fraction = select(taken, 1.0, BACKTRACK * fraction)
        cost = select(taken, new_cost, cost)
        _take(n, lap, taken, rows)
        met = (square_p <= fine_p) & (square_r <= fine_r) & taken
        if anywhere(met) and (winner < 0 or at(met, 0)):
            winner, laps = _first(met), lap
            errors = _pair(square_p, square_r, winner, COLUMN * n, rows)
        if winner >= 0 or lap >= LAPS:
            waits = seeded and winner != 0 and at(cost < NEAR, 0) and _is_nearby(n, lap, rows)
            if not waits:
                break
        columns(tree, n, x[1], goal[WEIGHT], goal[WEIGHT + 3], rows)
        e = _scaled(goal[WEIGHT], e_p), _scaled(goal[WEIGHT + 3], e_r)
        damping = DAMPING * new_cost + DAMPING_FLOOR
        q = (TAKEN + lap) * n
        if searches_line:
            pls_step(work, n, q, e, damping, taken, rows)
        else:
            pgs_step(work, n, q, e, damping, lap >= ROUGH, rows)
        for i in range(n):
            value = get(rows, q + i) + fraction * get(rows, STEP * n + i)
            put(clamp(value, work.lower[i], work.upper[i]), rows, TRIAL * n + i)
    if winner >= 0:
        _give(blocks, n, winner, laps)
    return winner, laps, errors


@routine
def award(blocks, number, laps, errors):
    """
    Complete the answer with the winner of a race.

    A few whole turns leave its pose as it was seen in the race; where limits move a joint, the
    tolerance is finer than the race sees, or angles are too large for it, it is looked at again.

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
        cost, worst = look(blocks, answer.q)
        if worst > 1.0:
            return False
        report(blocks, cost)
    else:
        answer.cost[0] = goal[WEIGHT] ** 2 * errors[0] + goal[WEIGHT + 3] ** 2 * errors[1]
        answer.error[0, 0], answer.error[0, 1] = math.sqrt(errors[0]), math.sqrt(errors[1])
    answer.restarts[0], answer.iterations[0] = number, laps
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
def _descends(n, lap, new_cost, cost, rows):
    """Projected Armijo test of the way to the rows TRIAL ([ProjectedLineSearch] eq. 39)."""
    gain = everywhere(0.0)
    for i in range(n):
        way = get(rows, TRIAL * n + i) - get(rows, (TAKEN + lap - 1) * n + i)
        gain = gain + get(rows, SLOPE * n + i) * way
    return 0.5 * new_cost < 0.5 * cost - ARMIJO * gain


@kernel
def _take(n, lap, taken, rows):
    """Take the rows TRIAL where the mask is true; elsewhere stay."""
    here = (TAKEN + lap) * n
    before = (TAKEN + max(lap - 1, 0)) * n
    for i in range(n):
        put(select(taken, get(rows, TRIAL * n + i), get(rows, before + i)), rows, here + i)


@kernel
def _is_nearby(n, lap, rows):
    """Tell whether the attempt in the first lane has not gone far from its start."""
    way = 0.0
    for i in range(n):
        way = max(way, abs(rows[(TAKEN + lap) * n + i, 0] - rows[TAKEN * n + i, 0]))
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
def _give(blocks, n, winner, laps):
    """Write the configuration of the winner, and its way to the trace."""
    work = work_of(blocks)
    for lap in range(laps + 1):
        for i in range(n):
            work.best[i] = work.lanes[(TAKEN + lap) * n + i, winner]
        if lap > 0:
            record(blocks, work.best)
