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

"""The box in which a stream solves: the joints' limits and what their speeds allow in a time."""

import math

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import routine
from dq_ik.core.kinematics.configuration import centre_ball, place_balls
from dq_ik.core.memory.blocks import answer_of, request_of, tree_of, work_of
from dq_ik.core.memory.layout import BALL, ELEMENT_KIND, FARTHEST, TOLERANCE, VARIABLE
from dq_ik.core.search.methods import attempt
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.verdict import finish

INSIDE = 1.0 - 1e-9  # of a step: rounding must not exceed it
MET = 100.0  # attempts aim at so small a part of the tolerance, for velocities without noise


@routine
def prepare(blocks):
    """
    Fill what does not depend on the box: costs of moving, tolerances.

    No joint may turn freely.
    """
    request, work = request_of(blocks), work_of(blocks)
    for i in range(work.seed.shape[0]):
        metric = request.metric[i] if request.metric[i] > 0.0 else 1.0
        work.metric[i], work.gain[i], work.period[i] = metric, 1.0 / metric, 0.0
        work.pull[i] = work.rest[i] = 0.0
    for k in range(work.goals.shape[0]):
        work.goals[k, TOLERANCE] /= MET
        work.goals[k, TOLERANCE + 1] /= MET


@routine
def enter(blocks, state, time, most):
    """
    Set the limits to the box of all that can be reached in a time.

    :param time: [s]
    :param most: greatest speed of all joints [rad/s]
    :returns: whether the box leaves out something of the limits
    """
    request, work = request_of(blocks), work_of(blocks)
    narrow = False
    for i in range(work.seed.shape[0]):
        low, high = max(request.lower[i], -FARTHEST), min(request.upper[i], FARTHEST)
        q = state.q[i]
        step = INSIDE * time * min(state.velocity[i], most)
        if request.metric[i] < 0.0:
            step = 0.0
        work.low[i], work.high[i] = min(max(low, q - step), q), max(min(high, q + step), q)
        narrow = narrow or low < work.low[i] or high > work.high[i]
        work.lower[i], work.upper[i] = work.low[i], work.high[i]
    return _enter_balls(blocks, state, time, most) or narrow


@routine
def _enter_balls(blocks, state, time, most):
    """Do the same for balls: the angle that they turn by is bounded."""
    tree, request, work = tree_of(blocks), request_of(blocks), work_of(blocks)
    narrow = False
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            slowest = min(state.velocity[i], state.velocity[i + 1], state.velocity[i + 2], most)
            weakest = min(request.metric[i], request.metric[i + 1], request.metric[i + 2])
            step = INSIDE * time * slowest if weakest >= 0.0 else 0.0
            centre_ball(blocks, element, state.q, step)
            for k in range(i, i + 3):  # finite, for random starts
                work.low[k], work.high[k] = max(work.low[k], -math.pi), min(work.high[k], math.pi)
            narrow = narrow or step < math.pi
    return narrow


@routine
def solve_from(blocks, state, q):
    """
    Try to meet the goals inside the box, from a configuration; the answer is in ``answer.q``.

    :returns: cost, worst error in tolerances
    """
    answer, work = answer_of(blocks), work_of(blocks)
    for i in range(q.shape[0]):
        answer.q[i] = min(max(q[i], work.lower[i]), work.upper[i])
    place_balls(blocks, answer.q)
    cost, worst, iterations = attempt(blocks)
    state.solves[0] += 1
    answer.iterations[0] += iterations
    copy(work.best, answer.q)
    if worst <= MET and finish(blocks, answer.q):
        cost, worst = evaluate(blocks, answer.q)
    return cost, worst
