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
A step that slides along bodies: projected Gauss-Seidel in the multipliers of the gaps.

``min |J x - e|^2 + D |x - K x_last|^2`` within the limits of the step, such that each gap changes
by no less than its row asks for: ``n (J_a - J_b) x >= least``. Projected Gauss-Seidel is how
physics engines solve contacts; multipliers begin with those of the step before. The pull towards
the last step keeps the arm from chattering between two bodies.
"""

import math

from dq_ik.core.algebra.factor import add, dot, times
from dq_ik.core.collision.rows import bodies_of
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import work_of
from dq_ik.core.memory.layout import WEIGHT
from dq_ik.core.memory.scene_layout import (
    BODY_LINK,
    ROW_COUNTS,
    ROW_FIRST,
    ROW_GAIN,
    ROW_GAP,
    ROW_LEAST,
    ROW_PUSH,
    ROW_SECOND,
)
from dq_ik.core.solve.residual import assemble, evaluate

DAMPING = 0.1  # of the change of the step [m^2]
KEPT = 0.95  # share of the last step that this one is pulled to, every...
PERIOD = 0.002  # ...[s]
FASTEST, TURNING = 0.5, 2.5  # towards a goal that is far away [m/s, rad/s],
LEAD, MOST = 1.5, 4.0  # or so many times as fast as it moves, but no more than so many times this
SOFT = 0.2  # in which a blocked arm would be at a goal that stands [s]: it leans on bodies...
SOFT_AFTER = 0.05  # ...lightly, when they have held it for this long [s]
OUT, PART_OUT = 0.25, 0.2  # out of an overlap [m/s], and the part of it in one step
TOO_NEAR = 0.9  # share of the distance; no step of the stream leads so near to an object
MOST_PART = 0.5  # of a gap that a step may close
MOST_PIECES = 1 << 30
SWEEPS = 60
SETTLED = 1e-8  # change of a gap or a joint in a sweep [m, rad]
VIOLATED = 1e-9  # [m]
HELD, IN_USE = 1, 2  # rows that may count, and those that have multipliers


@routine
def ask(scene, guard, dt):
    """Write what each row asks of a step of this duration."""
    width = guard.influence[0] - guard.distance[0]
    part = min(guard.approach[0] * dt / width, MOST_PART)
    for number in range(guard.n_rows[0]):
        row = guard.row[number]
        spare = max(row[ROW_GAP], scene.margin) - guard.distance[0]
        least = -part * spare
        if crowds(scene, guard, number):
            least = min(OUT * dt, guard.distance[0] - row[ROW_GAP])
        elif spare > 0.0:
            brake = 0.0
            for i in range(guard.n):
                if guard.J[number, i] != 0.0:
                    brake += abs(guard.J[number, i]) * guard.acceleration[i]
            least = max(least, -dt * math.sqrt(2.0 * brake * spare))
        elif row[ROW_GAP] < scene.margin:
            least += min(OUT * dt, PART_OUT * (scene.margin - row[ROW_GAP]))
        row[ROW_LEAST] = least


@kernel
def crowds(scene, guard, number):
    """Tell whether a row is about an object that has come too near, and joints can lead away."""
    first, second = bodies_of(scene, guard, number)
    stands = (scene.body[first[0], BODY_LINK] == scene.n_links
              or scene.body[second[0], BODY_LINK] == scene.n_links)
    return (stands and guard.index[number, ROW_COUNTS] != 0
            and guard.row[number, ROW_GAP] < TOO_NEAR * guard.distance[0])


@kernel
def change(guard, number, step):
    """How much a step changes the gap of a row, to first order."""
    return dot(guard.J[number], step)


@routine
def slide_step(blocks, state, guard, q, dt):
    """Fill ``work.x`` with the step from q; limits are those in ``work.lower`` and ``upper``."""
    work = work_of(blocks)
    evaluate(blocks, q)
    share = 1.0
    if state.goal_speed[0] == 0.0 and guard.pressed[0] >= SOFT_AFTER:
        share = min(dt / SOFT, 1.0)
    _shorten(work, dt * min(max(1.0, LEAD * state.goal_speed[0] / FASTEST), MOST), share)
    assemble(blocks)
    kept = KEPT ** (dt / PERIOD)
    for i in range(guard.n):
        damping = DAMPING * work.metric[i]
        work.A[i, i] += damping
        work.b[i] += damping * kept * dt * guard.rate[i]
    _invert(work.A, guard.inverse)
    times(guard.inverse, work.b, work.x)
    _recall(guard, work.x)
    _settle(guard, q, work)
    _remember(guard)


@kernel
def _shorten(work, time, share):
    """Shorten the errors to a share, and to the way in a time: no leap to a goal far away."""
    for k in range(work.residual.shape[0]):
        for start in (0, 3):
            square, weight = 0.0, 0.0
            for r in range(start, start + 3):
                square += work.residual[k, r] ** 2
                weight = max(weight, work.goals[k, WEIGHT + r])
            most = weight * time * (FASTEST if start == 0 else TURNING)
            factor = share
            if square * share * share > most * most:
                factor = most / math.sqrt(square)
            for r in range(start, start + 3):
                work.residual[k, r] *= factor


@kernel
def _invert(A, inverse_out):
    """Write the inverse of a symmetric matrix that is positive definite, by Gauss and Jordan."""
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            inverse_out[i, j] = A[i, j]
    for k in range(n):
        pivot = 1.0 / inverse_out[k, k]
        inverse_out[k, k] = 1.0
        for j in range(n):
            inverse_out[k, j] *= pivot
        for i in range(n):
            if i != k:
                factor = inverse_out[i, k]
                inverse_out[i, k] = 0.0
                for j in range(n):
                    inverse_out[i, j] -= factor * inverse_out[k, j]


@kernel
def _key(guard, number):
    """Return the number of two pieces; those of the robot keep theirs."""
    return MOST_PIECES * guard.index[number, ROW_FIRST] + guard.index[number, ROW_SECOND]


@kernel
def _recall(guard, x):
    """Begin with the multipliers of the last step."""
    for i in range(guard.n):
        guard.box[i] = 0.0
    place = 0
    for number in range(guard.n_rows[0]):
        row = guard.row[number]
        row[ROW_PUSH] = 0.0
        key = _key(guard, number)
        for other in range(guard.n_warm[0]):
            at = place + other - (guard.n_warm[0] if place + other >= guard.n_warm[0] else 0)
            if guard.warm_key[at] == key:
                place = at
                if guard.index[number, ROW_COUNTS] == HELD:
                    _use(guard, number)
                    row[ROW_PUSH] = guard.warm[at]
                    add(row[ROW_PUSH], guard.Y[number], x)
                break


@kernel
def _remember(guard):
    """Note the multipliers for the next step."""
    count = 0
    for number in range(guard.n_rows[0]):
        if guard.row[number, ROW_PUSH] > 0.0:
            guard.warm_key[count] = _key(guard, number)
            guard.warm[count] = guard.row[number, ROW_PUSH]
            count += 1
    guard.n_warm[0] = count


@kernel
def _use(guard, number):
    """Compute what a unit of the multiplier of a row does."""
    times(guard.inverse, guard.J[number], guard.Y[number])
    guard.row[number, ROW_GAIN] = dot(guard.Y[number], guard.J[number])
    guard.index[number, ROW_COUNTS] = IN_USE


@routine
def _settle(guard, q, work):
    """Sweep until no multiplier changes; rows come in when the step violates them."""
    for _ in range(SWEEPS):
        moved = _sweep_box(guard, q, work)
        for number in range(guard.n_rows[0]):
            if guard.index[number, ROW_COUNTS] == IN_USE:
                row = guard.row[number]
                more = (row[ROW_LEAST] - change(guard, number, work.x)) / row[ROW_GAIN]
                more = max(more, -row[ROW_PUSH])
                row[ROW_PUSH] += more
                moved = max(moved, abs(more) * row[ROW_GAIN])
                add(more, guard.Y[number], work.x)
        if moved < SETTLED and not _take_in(guard, work.x):
            break
    for i in range(guard.n):
        work.x[i] = min(max(work.x[i], work.lower[i] - q[i]), work.upper[i] - q[i])


@kernel
def _sweep_box(guard, q, work):
    """Project each joint into the limits of the step; return the largest change."""
    moved = 0.0
    for i in range(guard.n):
        gain = guard.inverse[i, i]
        free = work.x[i] - gain * guard.box[i]
        inside = min(max(free, work.lower[i] - q[i]), work.upper[i] - q[i])
        more = (inside - work.x[i]) / gain
        if more != 0.0:
            guard.box[i] += more
            moved = max(moved, abs(more) * gain)
            add(more, guard.inverse[i], work.x)
    return moved


@kernel
def _take_in(guard, x):
    """Take in the rows that a step violates; tell whether there are any."""
    found = False
    for number in range(guard.n_rows[0]):
        if (guard.index[number, ROW_COUNTS] == HELD
                and change(guard, number, x) < guard.row[number, ROW_LEAST] - VIOLATED):
            _use(guard, number)
            found = True
    return found
