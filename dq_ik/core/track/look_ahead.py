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
A plan of the free motion: a dynamic programme over postures along the goals to come.

For an arm with one joint more than its goal asks for. The goals are extrapolated to a few times
ahead, the slices. In each, postures lie on a line: those of the slice before, carried over to its
goal, and more at both ends. A way through the slices keeps to the speed limits and costs little:
far from limits, slow, and not lost. The plan is made slice by slice, one in a frame.
"""

import math

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import answer_of, work_of
from dq_ik.core.memory.layout import POSTURES, SLICES
from dq_ik.core.track import history
from dq_ik.core.track.box import enter, MET, solve_from
from dq_ik.core.track.momentum import barrier, freedom, prepare_projection, turn_free

HORIZON = 0.8  # [s]
SPACING = 0.2  # of the postures along the free direction [rad]
EVERY = 40  # frames between two plans
MOST_MORE = 3  # postures that a slice adds at each end
SPEED_COST = 0.3  # of a squared speed, against the barrier
LOSS_COST = 1e3  # of a slice that is not reached
SHORTEST = 0.25  # part of the spacing that a posture must be away from the last


@routine
def look_ahead(blocks, state):
    """Go on with the plan after a frame whose goal was met."""
    if freedom(blocks, state) != 1:
        return
    work = work_of(blocks)
    number = state.planning[0]
    state.planning[0] = (number + 1) % EVERY
    if number > SLICES:
        return
    if number == 0:
        copy(state.q, _posture(state, 0, 0))
        state.n_postures[0] = 1
        return
    nodes = history.choose_nodes(state)
    time = HORIZON * number / SLICES
    history.extrapolate(state, nodes, time, work.goals)
    enter(blocks, state, math.inf, math.inf)
    _carry(blocks, state, number)
    _widen(blocks, state, number)
    if number == SLICES:
        _decide(blocks, state)


@kernel
def _posture(state, number, place):
    """See a posture of a slice."""
    n = state.q.shape[0]
    return vector(state.posture, (number * POSTURES + place) * n, n)


@routine
def _carry(blocks, state, number):
    """Bring the postures of the slice before to the goal of this one; some may fail."""
    answer = answer_of(blocks)
    count = 0
    for place in range(state.n_postures[number - 1]):
        _, worst = solve_from(blocks, state, _posture(state, number - 1, place))
        if worst <= MET:
            copy(answer.q, _posture(state, number, count))
            count += 1
    state.n_postures[number] = count


@routine
def _widen(blocks, state, number):
    """Add postures at both ends of a slice, as far as the joints come in its time."""
    count = state.n_postures[number]
    if count == 0:
        return
    fastest = 0.0
    for i in range(state.velocity.shape[0]):
        fastest = max(fastest, state.velocity[i])
    more = min(MOST_MORE, math.ceil(fastest * HORIZON / (SLICES * SPACING)))
    for _ in range(more):
        if state.n_postures[number] < POSTURES - 1:
            _add(blocks, state, number, 1.0)
            _add(blocks, state, number, -1.0)


@routine
def _add(blocks, state, number, side):
    """Add a posture at the upper end of a slice, or with side -1 at the lower one."""
    answer, work = answer_of(blocks), work_of(blocks)
    count = state.n_postures[number]
    end = _posture(state, number, count - 1 if side > 0.0 else 0)
    copy(state.free, state.push)
    turn_free(work, prepare_projection(blocks, end), state.push)
    for i in range(end.shape[0]):
        state.best[i] = end[i] + side * SPACING * state.push[i]
    _, worst = solve_from(blocks, state, state.best)
    along = 0.0
    for i in range(end.shape[0]):
        along += side * state.push[i] * (answer.q[i] - end[i])
    if worst > MET or along < SHORTEST * SPACING:
        return
    if side < 0.0:
        for place in range(count, 0, -1):
            copy(_posture(state, number, place - 1), _posture(state, number, place))
    copy(answer.q, _posture(state, number, count if side > 0.0 else 0))
    state.n_postures[number] = count + 1


@routine
def _decide(blocks, state):
    """Find the cheapest way through the slices; its first step gives the free speed."""
    for number in range(SLICES, 0, -1):
        for place in range(state.n_postures[number]):
            cost, _ = _cheapest(state, number, _posture(state, number, place))
            state.posture_cost[number * POSTURES + place] = cost + barrier(
                blocks, _posture(state, number, place))
    start = _posture(state, 0, 0)
    _, first = _cheapest(state, 0, start)
    state.planned[0] = int(first >= 0)
    state.free_speed[0] = 0.0
    if first >= 0:
        target = _posture(state, 1, first)
        for i in range(start.shape[0]):
            state.free_speed[0] += state.free[i] * (target[i] - start[i]) * SLICES / HORIZON


@routine
def _cheapest(state, number, q):
    """Return the least cost from a posture to the end, and the place of the next one; -1: none."""
    least, best = LOSS_COST * (SLICES - number), -1
    if number == SLICES:
        return 0.0, -1
    time = HORIZON / SLICES
    for place in range(state.n_postures[number + 1]):
        after = _posture(state, number + 1, place)
        square, inside = 0.0, True
        for i in range(q.shape[0]):
            speed = (after[i] - q[i]) / time
            square += speed * speed
            inside = inside and abs(speed) <= state.velocity[i]
        cost = state.posture_cost[(number + 1) * POSTURES + place] + SPEED_COST * square
        if inside and cost < least:
            least, best = cost, place
    return least, best
