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

"""One frame of a stream: the next answer, no farther from the last than the speeds allow."""

import math

from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory.blocks import answer_of, work_of
from dq_ik.core.memory.clock import seconds
from dq_ik.core.memory.layout import Policy
from dq_ik.core.solve.best_reach import newton
from dq_ik.core.solve.residual import evaluate
from dq_ik.core.solve.verdict import exceed, finish, press, report, Status
from dq_ik.core.track import history, intercept
from dq_ik.core.track.box import enter, MET, prepare, solve_from
from dq_ik.core.track.look_ahead import look_ahead
from dq_ik.core.track.momentum import predict

JUMP = 0.02  # of a goal, from which the arm may travel at full speed [m]
BEST_REACH_ITERATIONS = 20
BEST_REACH = 2  # aiming: at the best reach that the caller found


@routine
def follow(blocks, state, dt, fresh, timeout):
    """
    Answer the goals in ``work.goals``.

    :param dt: time since the last answer [s]
    :param fresh: whether the goals were given with this frame; else they are those of before
    """
    answer, work = answer_of(blocks), work_of(blocks)
    start = open_frame(blocks, state, dt, fresh, timeout)
    most = _greatest_speed(state)
    jumped = state.jumped[0] != 0
    prepare(blocks)
    enter(blocks, state, dt, most)
    cost, worst = plain_step(blocks, state, dt, fresh)
    if worst > MET:
        cost, worst = _recover(blocks, state, dt, most)
        state.planning[0] = state.planned[0] = 0
    if worst <= MET:
        state.lost[0] = state.aiming[0] = state.jumped[0] = 0
        answer.status[0] = Status.CONVERGED.value
    report(blocks, cost)
    settle(state, answer, 0.0 if jumped else dt)
    if state.look_ahead > 0 and state.lost[0] == 0:
        look_ahead(blocks, state)
        copy(state.q, answer.q)
    answer.time[0] = seconds(work.clock) - start


@routine
def open_frame(blocks, state, dt, fresh, timeout):
    """Begin a frame: hear the goals; return the time of the clock [s]."""
    answer, work = answer_of(blocks), work_of(blocks)
    start = seconds(work.clock)
    work.deadline[0] = start + timeout
    answer.iterations[0] = answer.restarts[0] = answer.n_solutions[0] = answer.n_trace[0] = 0
    state.solves[0] = 0
    state.time[0] += dt
    if fresh:
        history.hear(state, work.goals)
        if state.goal_step[0] > JUMP or state.n_samples[0] == 1:
            state.jumped[0] = 1
            state.scan[0] = 0
    else:
        history.wait(state)
    return start


@kernel
def _greatest_speed(state):
    """Speed of the joints that the motion of the goal justifies."""
    if state.step_ratio <= 0.0 or state.jumped[0] != 0:
        return math.inf
    return max(state.step_ratio * state.goal_speed[0], state.least_speed)


@routine
def plain_step(blocks, state, dt, fresh):
    """Solve in the box from the prediction, then from the last answer; keep the better one."""
    answer = answer_of(blocks)
    copy(state.q, state.best)
    if fresh and state.goal_step[0] > 0.0:
        predict(blocks, state, dt, state.best)
    cost, worst = solve_from(blocks, state, state.best)
    if worst > MET:
        copy(answer.q, state.best)
        cost_again, worst_again = solve_from(blocks, state, state.q)
        if cost_again < cost:
            cost, worst = cost_again, worst_again
        else:
            copy(state.best, answer.q)
    return cost, worst


@routine
def _recover(blocks, state, dt, most):
    """
    Answer a frame whose goals cannot be met, as the policy says.

    :returns: cost and worst error of the answer; the state last evaluated is its own
    """
    answer = answer_of(blocks)
    beyond = exceed(blocks)
    if state.remaining[0] <= 0.0 and state.aiming[0] != 0:  # it is there
        if state.aiming[0] == BEST_REACH:
            state.jumped[0] = 0
        else:
            state.scan[0] = 0
        state.aiming[0] = 0
    if state.policy == Policy.INTERCEPT:
        _aim(blocks, state, dt, most, beyond)
    state.lost[0] += 1
    on_the_way = state.aiming[0] != 0 or state.policy == Policy.STOP
    if state.policy == Policy.STOP:
        copy(state.q, answer.q)
    elif on_the_way:
        intercept.approach(blocks, state, dt, most)
    else:
        newton(blocks, answer.q, BEST_REACH_ITERATIONS)
    finish(blocks, answer.q)
    cost, worst = evaluate(blocks, answer.q)
    in_the_way = press(blocks, answer.q)
    if on_the_way or in_the_way == Status.STEP_LIMITED:
        in_the_way = Status.ON_THE_WAY.value
    answer.status[0] = Status.BEST_REACH_WORKSPACE.value if beyond else in_the_way
    return cost, worst


@routine
def _aim(blocks, state, dt, most, beyond):
    """Choose where a lost stream goes; keep the nearest answer of this frame."""
    answer, work = answer_of(blocks), work_of(blocks)
    if beyond:
        state.scan[0] = intercept.DONE
    if beyond or state.aiming[0] == BEST_REACH:
        return
    rests = state.scan[0] == intercept.DONE and history.stands(state)
    if state.lost[0] % intercept.AGAIN == 0 and not rests:
        state.scan[0] = 0
    copy(answer.q, work.pool[0])
    intercept.look_for_aim(blocks, state, most)
    history.recall(state, work.goals)
    enter(blocks, state, dt, most)
    copy(work.pool[0], answer.q)


@kernel
def settle(state, answer, dt):
    """
    Take the answer over, with its velocity.

    :param dt: time of the step [s]; 0: it has no velocity that will go on
    """
    moving = answer.status[0] == Status.CONVERGED and dt > 0.0
    for i in range(state.q.shape[0]):
        state.qdot[i] = (answer.q[i] - state.q[i]) / dt if moving else 0.0
        state.q[i] = answer.q[i]
