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
One frame of a stream among bodies: the step of :mod:`dq_ik.core.track.follow`, or one that slides.

A plain step that keeps to all rows is taken as it is. Else the stream is guarded until it is back
on its goal. Whatever the step: no configuration is answered whose way there is not free. From an
object that has come too near the stream moves away, off a goal that is met if need be.
"""

import math

from dq_ik.core.algebra.vector import copy, fill
from dq_ik.core.collision.place import place
from dq_ik.core.collision.rows import copy_contact, gather, nearest_row
from dq_ik.core.collision.sweep import free_share, measure
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.configuration import advance, place_balls
from dq_ik.core.memory.blocks import answer_of, work_of
from dq_ik.core.memory.clock import seconds
from dq_ik.core.memory.layout import Policy
from dq_ik.core.memory.scene_layout import (
    BLOCKED_AFTER,
    NEAREST_PAIR,
    ROW_GAIN,
    ROW_LEAST,
    ROW_PUSH,
)
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.verdict import press, report, Status
from dq_ik.core.track import history
from dq_ik.core.track.box import enter, MET, prepare
from dq_ik.core.track.follow import follow, open_frame, plain_step, settle
from dq_ik.core.track.slide import ask, change, crowds, FASTEST, MOST, slide_step, VIOLATED

PIECES = 8  # of a frame, where only part of a step is free
LEAST_PIECE = 0.02  # of a step, from which it goes on
PRESSING = 5e-5  # speed at which a multiplier opens a gap [m/s]
QUIET = 0.2  # after which a stream that stands off its goal looks for another way [s]
STANDING = 1e-3  # speed of all joints [rad/s]
NEAR, NEAR_ANGLE = 1e-3, 5e-3  # of a goal, to which unguarded steps lead back [m, rad]
EASY = 30.0  # acceleration with which they may begin [rad/s^2]
SET_OFF = 100.0  # acceleration where a goal is lost, and towards an aim [rad/s^2]


@routine
def follow_free(blocks, state, dt, fresh, timeout, links, scene, placing, guard):
    """
    Answer the goals in ``work.goals``, among bodies.

    :param dt: time since the last answer [s]
    :param fresh: whether the goals were given with this frame; else they are those of before
    """
    answer, work = answer_of(blocks), work_of(blocks)
    copy(state.q, guard.start)
    if guard.guarding[0] == 0:
        follow(blocks, state, dt, fresh, timeout)
        if state.policy != Policy.STOP and (state.aiming[0] != 0 or state.lost[0] == 1):
            _set_off(blocks, guard, dt)
            copy(answer_of(blocks).q, state.q)
        copy(state.q, guard.to)
        if passes(links, scene, placing, guard, dt):
            _note(scene, guard, dt)
            return
        copy(guard.start, state.q)
        history.recall(state, work.goals)
        guard.guarding[0], guard.n_warm[0], guard.quiet[0] = 1, 0, 0.0
        start = seconds(work.clock) - answer.time[0]
    else:
        start = open_frame(blocks, state, dt, fresh, timeout)
        prepare(blocks)
        if guard.near[0] != 0 and _is_easy(blocks, state, dt, fresh, links, scene, placing, guard):
            answer.time[0] = seconds(work.clock) - start
            return
    enter(blocks, state, dt, math.inf)
    _slide(blocks, state, dt, links, scene, placing, guard)
    _conclude(blocks, state, dt, guard)
    answer.time[0] = seconds(work.clock) - start


@routine
def passes(links, scene, placing, guard, dt):
    """
    Tell whether a step from ``guard.start`` to ``guard.to`` keeps to all rows and is free.

    Bodies that are too near need not part, but from objects the step has to lead away.
    """
    place(links, scene, placing, guard.start)
    largest = measure(links, scene, placing, guard, guard.start)
    gather(links, scene, placing, guard, max(guard.influence[0], 2.0 * (largest + scene.margin)))
    ask(scene, guard, dt)
    for number in range(guard.n_rows[0]):
        least = guard.row[number, ROW_LEAST]
        if not crowds(scene, guard, number):
            least = min(least, 0.0)
        if not change(guard, number, guard.step) >= least - VIOLATED:
            return False
    return free_share(links, scene, placing, guard, guard.start) == 1.0


@routine
def _set_off(blocks, guard, dt):
    """Bring the answer near to where the last speed leads, within the box."""
    answer, work = answer_of(blocks), work_of(blocks)
    most = SET_OFF * dt * dt
    for i in range(guard.n):
        ahead = guard.start[i] + guard.rate[i] * dt
        answer.q[i] = min(max(answer.q[i], ahead - most), ahead + most)
        answer.q[i] = min(max(answer.q[i], work.low[i]), work.high[i])
    place_balls(blocks, answer.q)
    cost, _ = evaluate(blocks, answer.q)
    report(blocks, cost)


@kernel
def _crowded(scene, guard):
    """Tell whether any row is about an object that has come too near."""
    found = False
    for number in range(guard.n_rows[0]):
        found = found or crowds(scene, guard, number)
    return found


@kernel
def _note(scene, guard, dt):
    """Take over a step without a guard."""
    guard.near[0] = guard.active[0] = guard.cut[0] = 0
    guard.crowded[0] = int(_crowded(scene, guard))
    guard.pressed[0] = 0.0
    for i in range(guard.n):
        guard.rate[i] = guard.step[i] / dt if dt > 0.0 else 0.0
    _contact(guard, nearest_row(guard))


@kernel
def _contact(guard, number):
    """Write a row as the contact; -1: there is none."""
    guard.contact[NEAREST_PAIR] = -1.0
    if number >= 0:
        copy_contact(guard, number, guard.contact)


@routine
def _is_easy(blocks, state, dt, fresh, links, scene, placing, guard):
    """Try a step without a guard, back to the goal; tell whether it was taken."""
    answer = answer_of(blocks)
    enter(blocks, state, dt, math.inf)
    cost, worst = plain_step(blocks, state, dt, fresh)
    if worst > MET or dt <= 0.0:
        return False
    copy(answer.q, guard.to)
    if not passes(links, scene, placing, guard, dt):
        return False
    for i in range(guard.n):
        if abs(guard.step[i] / dt - guard.rate[i]) > EASY * dt:
            return False
    state.lost[0] = state.aiming[0] = state.jumped[0] = guard.guarding[0] = 0
    answer.status[0] = Status.CONVERGED.value
    report(blocks, cost)
    settle(state, answer, dt)
    _note(scene, guard, dt)
    return True


@routine
def _slide(blocks, state, dt, links, scene, placing, guard):
    """Move ``guard.at`` along bodies, for the time of a frame."""
    answer, work = answer_of(blocks), work_of(blocks)
    copy(guard.start, guard.at)
    fill(0.0, guard.way)
    guard.cut[0], left = 0, 1.0
    for _ in range(PIECES):
        place(links, scene, placing, guard.at)
        gather(links, scene, placing, guard,
               max(guard.influence[0], 2.0 * MOST * FASTEST * left * dt))
        guard.crowded[0] = int(_crowded(scene, guard))
        ask(scene, guard, left * dt)
        if state.policy == Policy.STOP:
            fill(0.0, work.x)
        else:
            slide_step(blocks, state, guard, guard.at, left * dt)
        advance(blocks, guard.at, work.x, 1.0, guard.to)
        measure(links, scene, placing, guard, guard.at)
        share = free_share(links, scene, placing, guard, guard.at)
        copy(guard.trial, answer.q)
        if share == 0.0 or (share < 1.0 and place_balls(blocks, answer.q)):
            guard.cut[0] = 1
            break
        for i in range(guard.n):
            guard.way[i] += share * guard.step[i]
        copy(answer.q, guard.at)
        left *= 1.0 - share
        if left < LEAST_PIECE:
            break
        guard.cut[0] = 1
    if state.policy == Policy.STOP:
        guard.cut[0] = 1
    for i in range(guard.n):
        guard.rate[i] = guard.way[i] / dt if dt > 0.0 else 0.0


@routine
def _conclude(blocks, state, dt, guard):
    """Take the end of the frame as the answer, and say how it stands."""
    answer = answer_of(blocks)
    copy(guard.at, answer.q)
    copy(guard.at, state.q)
    copy(guard.rate, state.qdot)
    cost, worst = evaluate(blocks, answer.q)
    report(blocks, cost)
    number = _pressing(guard, dt)
    guard.active[0] = int(number >= 0)
    state.aiming[0] = state.jumped[0] = state.scan[0] = 0
    state.planning[0] = state.planned[0] = 0
    _contact(guard, number if number >= 0 else nearest_row(guard))
    guard.near[0] = int(number < 0 and _is_near(answer))
    fastest = 0.0
    for i in range(guard.n):
        fastest = max(fastest, abs(guard.rate[i]))
        answer.pressed[i] = 0
    for k in range(answer.beyond.shape[0]):
        answer.beyond[k] = 0.0
    if worst <= MET:
        state.lost[0] = 0
        guard.pressed[0] = guard.quiet[0] = 0.0
        answer.status[0] = Status.CONVERGED.value
        return
    state.lost[0] += 1
    held = number >= 0 or guard.cut[0] != 0
    guard.pressed[0] += dt if held else -dt
    guard.pressed[0] = min(max(guard.pressed[0], 0.0), 2.0 * BLOCKED_AFTER)
    guard.quiet[0] = guard.quiet[0] + dt if number < 0 and fastest < STANDING else 0.0
    answer.status[0] = Status.ON_THE_WAY.value
    if guard.pressed[0] >= BLOCKED_AFTER:
        answer.status[0] = Status.BLOCKED.value
    elif fastest < STANDING and number < 0:
        answer.status[0] = press(blocks, answer.q)
    if guard.quiet[0] >= QUIET or state.policy == Policy.STOP:
        guard.guarding[0] = 0


@kernel
def _pressing(guard, dt):
    """Return the row that holds the step back most; -1: none does."""
    number, most = -1, PRESSING * dt
    for other in range(guard.n_rows[0]):
        opened = guard.row[other, ROW_PUSH] * guard.row[other, ROW_GAIN]
        if opened > most:
            number, most = other, opened
    return number


@kernel
def _is_near(answer):
    """Tell whether all goals are near."""
    near = True
    for k in range(answer.error.shape[0]):
        near = near and answer.error[k, 0] < NEAR and answer.error[k, 1] < NEAR_ANGLE
    return near
