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
One solve whose answer must be free of collisions: a solution that collides is a failed start.

Each solution is decided when it is found. Attempts in lanes go through many more starts than
those of :mod:`dq_ik.core.search.search`, since next to a colliding solution others collide too.
"""

from __future__ import annotations

import math

from dq_ik.core.algebra.lanes import WIDTH
from dq_ik.core.algebra.vector import copy
from dq_ik.core.collision.decide import collides, nearest
from dq_ik.core.compile import routine
from dq_ik.core.memory.blocks import answer_of, work_of
from dq_ik.core.memory.clock import is_over, seconds
from dq_ik.core.memory.scene_layout import NEAREST_DISTANCE, NEAREST_PAIR
from dq_ik.core.multi_start.lane_attempts import accept, attempt_in_lanes, can_help
from dq_ik.core.multi_start.lane_starts import choose_in_lanes
from dq_ik.core.search.methods import attempt
from dq_ik.core.search.search import (
    approach,
    begin,
    conclude,
    judge,
    next_start,
    unwind_trace,
    wants_relaxing,
)
from dq_ik.core.solve.posture import relax
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.verdict import finish, report, Status

ROUNDS = 24  # of attempts in lanes at most


@routine
def search_free(blocks, timeout, links, scene, placing, contact_out):
    """
    Solve one row.

    :param timeout: [s]
    :param links: the robot whose tips are the links that carry bodies
    :param contact_out: a row NEAREST of an answer that is none
    """
    answer, work = answer_of(blocks), work_of(blocks)
    start = begin(blocks, timeout)
    placing.contacts[0] = 0
    contact_out[NEAREST_PAIR], contact_out[NEAREST_DISTANCE] = -1.0, math.inf
    if not multi_start_free(blocks, links, scene, placing):
        while next_start(blocks):
            judge_free(blocks, attempt(blocks), links, scene, placing)
        if work.measure[0] == math.inf and placing.contacts[0] > 0:
            _answer_contact(blocks, placing)
        else:
            _conclude_free(blocks, links, scene, placing)
    if answer.status[0] != Status.CONVERGED:
        nearest(links, scene, placing, answer.q, scene.margin, contact_out)
    unwind_trace(blocks)
    answer.time[0] = seconds(work.clock) - start


@routine
def multi_start_free(blocks, links, scene, placing):
    """Make rounds of attempts in lanes, where they can help; tell whether one is free."""
    answer, work = answer_of(blocks), work_of(blocks)
    for round_ in range(ROUNDS if can_help(blocks) else 0):
        lane, iterations, errors = attempt_in_lanes(blocks, choose_in_lanes(blocks, round_))
        if lane >= 0 and accept(blocks, round_ * WIDTH + lane, iterations, errors):
            if collides(links, scene, placing, answer.q) < 0:
                return True
            _note(placing, answer.q)
        if is_over(work):
            break
    return False


@routine
def _note(placing, q):
    """Count a solution that collides; keep the first."""
    if placing.contacts[0] == 0:
        copy(q, placing.contact)
    placing.contacts[0] += 1


@routine
def judge_free(blocks, result, links, scene, placing):
    """Account for an attempt; a solution that collides is none."""
    answer, work = answer_of(blocks), work_of(blocks)
    if result[1] <= 1.0:
        copy(work.best, answer.q)
        finish(blocks, answer.q)
        if collides(links, scene, placing, answer.q) >= 0:
            answer.iterations[0] += result[2]
            _note(placing, answer.q)
            return
    judge(blocks, result)


@routine
def _answer_contact(blocks, placing):
    """Answer with the first solution that collides."""
    answer = answer_of(blocks)
    q = answer.q
    for i in range(q.shape[0]):
        q[i] = placing.contact[i]
    cost, _ = evaluate(blocks, q)
    report(blocks, cost)
    for i in range(q.shape[0]):
        answer.pressed[i] = 0
    for k in range(answer.beyond.shape[0]):
        answer.beyond[k] = 0.0
    answer.status[0] = Status.COLLIDING.value


@routine
def _conclude_free(blocks, links, scene, placing):
    """Complete the answer with a free solution, or with the best reach."""
    answer, work = answer_of(blocks), work_of(blocks)
    relaxing = wants_relaxing(blocks)
    if relaxing:
        copy(work.pool[0], answer.q)
        answer.iterations[0] += relax(blocks, work.pool[0])
        if collides(links, scene, placing, work.pool[0]) >= 0:
            copy(answer.q, work.pool[0])
    approach(blocks)
    conclude(blocks)
    if (relaxing and answer.status[0] == Status.CONVERGED
            and collides(links, scene, placing, answer.q) >= 0):
        answer.status[0] = Status.COLLIDING.value
