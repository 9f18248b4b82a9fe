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
The way back to a goal that was lost: where, and when, it can be met again.

The smallest time is looked for at which the goal, as it will be then, has a solution that the
joints can reach at their speeds; the stream goes straight there. The search is spread over frames.
"""

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import answer_of, work_of
from dq_ik.core.track import history
from dq_ik.core.track.box import enter, MET, solve_from
from dq_ik.core.track.momentum import barrier

FIRST_TIME, GROWTH = 0.012, 1.35  # of the times that are tried [s]
LONGEST = 2.0  # of them, for goals that move [s]
FARTHEST_AHEAD = 1.2  # goals are extrapolated no farther [s]
STARTS = 6  # random ones for each time
MOST_SOLVES = 60  # of a frame
AGAIN = 10  # lost frames after which an aim is looked for anew
DONE = -1  # scan: nothing more to try
MODULUS, MULTIPLIER = 2147483647, 48271


@routine
def look_for_aim(blocks, state, most):
    """
    Go on with the search for the aim of a lost stream, as far as a frame allows.

    :param most: greatest speed of all joints [rad/s]
    """
    work = work_of(blocks)
    nodes = history.choose_nodes(state)
    stands = history.stands(state)
    last = 0
    while FIRST_TIME * GROWTH ** last < LONGEST:
        last += 1
    if stands and 0 <= state.scan[0] < last:
        state.scan[0] = last
    while state.scan[0] != DONE and state.solves[0] + STARTS + 2 <= MOST_SOLVES:
        number = state.scan[0]
        time = FIRST_TIME * GROWTH ** (number if number < last else number - last)
        if number < last:
            history.extrapolate(state, nodes, min(time, FARTHEST_AHEAD), work.goals)
        else:
            history.recall(state, work.goals)
        narrow = enter(blocks, state, time, most)
        if _meet(blocks, state, most):
            state.aiming[0], state.scan[0] = 1, DONE
            state.remaining[0] = time if number < last else duration(state, state.aim, most)
            return
        state.scan[0] = number + 1
        if number >= last and (not narrow or (time >= LONGEST and not stands)):
            state.scan[0] = DONE


@routine
def _meet(blocks, state, most):
    """
    Solve in the box from several starts; keep one answer as aim.

    It is the one farthest from the limits; after a jump of the goal, the nearest one.
    """
    answer, work = answer_of(blocks), work_of(blocks)
    least, found = 0.0, False
    for start in range(STARTS + 2):
        if start == 0 and state.aiming[0] == 0:
            continue
        if start == 0:
            copy(state.aim, state.best)
        elif start == 1:
            copy(state.q, state.best)
        else:
            for i in range(state.best.shape[0]):
                state.best[i] = work.low[i] + _random(state) * (work.high[i] - work.low[i])
        _, worst = solve_from(blocks, state, state.best)
        if worst <= MET:
            jumped = state.jumped[0] != 0
            value = duration(state, answer.q, most) if jumped else barrier(blocks, answer.q)
            if not found or value < least:
                least, found = value, True
                copy(answer.q, state.push)
    if found:
        copy(state.push, state.aim)
    return found


@kernel
def duration(state, q, most):
    """Time in which the joints can be at a configuration [s]."""
    longest = 0.0
    for i in range(q.shape[0]):
        way = abs(q[i] - state.q[i])
        if way > 0.0:
            longest = max(longest, way / min(state.velocity[i], most))
    return longest


@kernel
def _random(state):
    """Return the next number between 0 and 1 of Lehmer's generator."""
    state.random[0] = state.random[0] * MULTIPLIER % MODULUS
    return state.random[0] / MODULUS


@routine
def approach(blocks, state, dt, most):
    """Write the next step of the straight way to the aim to ``answer.q``."""
    answer = answer_of(blocks)
    part = min(1.0, dt / state.remaining[0]) if state.remaining[0] > 0.0 else 1.0
    for i in range(state.q.shape[0]):
        step = min(state.velocity[i], most) * dt
        way = part * (state.aim[i] - state.q[i])
        answer.q[i] = state.q[i] + min(max(way, -step), step)
    state.remaining[0] -= dt
