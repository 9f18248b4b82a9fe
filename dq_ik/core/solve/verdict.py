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

"""How a solve ended: the final check of the pose, and the reason when a goal is missed."""

from __future__ import annotations

from enum import IntEnum
import math

from dq_ik.core.algebra import dual_quaternion, quaternion, triple
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.ball_limits import limits_of, STEP
from dq_ik.core.kinematics.configuration import is_locked, place_balls, unwind
from dq_ik.core.memory.blocks import answer_of, request_of, tree_of, work_of
from dq_ik.core.memory.layout import (
    AIM,
    BALL,
    BALL_LIMITS,
    ELEMENT_KIND,
    FARTHEST,
    FIXED,
    GOAL_AXES,
    KIND,
    PUSH,
    SLACK,
    VARIABLE,
    WEIGHT,
)
from dq_ik.core.solve.ball_contact import NEAR_LIMIT, touch
from dq_ik.core.solve.residual import assemble

PRESSED = 1e-7  # slope against a limit that counts as pressing [weighted m^2 / rad]
PRESSED_BALL = 2  # mark of the first variable of a ball
AT_LIMIT = 1e-9  # of a limit [rad or m]
BEYOND = 1e-9  # part of the reach by which rounding may exceed it


class Status(IntEnum):
    """How a solve ended."""

    CONVERGED = 0
    BEST_REACH_LIMITS = 1
    BEST_REACH_WORKSPACE = 2
    TIMED_OUT = 3
    STALLED = 4
    STEP_LIMITED = 5  # only the largest step from the seed is in the way
    ON_THE_WAY = 6  # of a stream: the joints need time to be where the goal can be met
    COLLIDING = 7  # the goal can be met, but in all postures that were found bodies collide
    BLOCKED = 8  # of a stream: bodies that may not come nearer keep it off its goal

    @property
    def sentence(self) -> str:
        """Return what it means, for people."""
        return SENTENCES[self]


SENTENCES = {
    Status.CONVERGED: 'the goal is reached',
    Status.BEST_REACH_LIMITS: 'best reach: joint limits are in the way',
    Status.BEST_REACH_WORKSPACE: 'best reach: the goal is out of the workspace',
    Status.STEP_LIMITED: 'best reach within the largest joint step allowed',
    Status.ON_THE_WAY: 'on the way: the joints may not move faster',
    Status.COLLIDING: 'the goal is reached in collision only',
    Status.BLOCKED: 'blocked: bodies are in the way',
    Status.TIMED_OUT: 'time ran out before the goal was reached',
    Status.STALLED: 'no progress towards the goal any more',
}


@routine
def finish(blocks, q):
    """Unwind whole turns, clamp and project, in place; return whether anything was changed."""
    work = work_of(blocks)
    turned = unwind(work, q)
    moved = enclose(work, q)
    placed = place_balls(blocks, q)
    return moved or turned or placed


@kernel
def enclose(work, q):
    """Move joints into their limits, in place; return whether any was outside."""
    changed = False
    for i in range(q.shape[0]):
        inside = min(max(q[i], work.low[i]), work.high[i])
        changed = changed or inside != q[i]
        q[i] = inside
    return changed


@routine
def report(blocks, cost):
    """Write cost and errors of the state last evaluated."""
    answer, work = answer_of(blocks), work_of(blocks)
    answer.cost[0] = cost
    for k in range(work.goals.shape[0]):
        goal = work.goals[k]
        e_p = (work.error[k, 0], work.error[k, 1], work.error[k, 2])
        e_r = (work.error[k, 3], work.error[k, 4], work.error[k, 5])
        if goal[KIND] == GOAL_AXES:
            back = quaternion.conj((goal[0], goal[1], goal[2], goal[3]))
            e_p = quaternion.rotate(back, e_p)
            e_r = quaternion.rotate(back, e_r)
        answer.error[k, 0] = _length(goal, WEIGHT, e_p)
        answer.error[k, 1] = _length(goal, WEIGHT + 3, e_r)


@kernel
def _length(goal, weight, e):
    """Length of an error along the axes that have a weight; its square may be too large."""
    square, largest = 0.0, 0.0
    for r in range(3):
        if goal[weight + r] > 0.0:
            square += e[r] * e[r]
            largest = max(largest, abs(e[r]))
    if square < math.inf:
        return math.sqrt(square)
    square = 0.0
    for r in range(3):
        if goal[weight + r] > 0.0:
            square += (e[r] / largest) ** 2
    return largest * math.sqrt(square)


@routine
def press(blocks, q):
    """
    Mark the joints that the cost presses against their limits at q, those of the call included.

    Joints that are locked, or held by the largest step alone, are not marked.

    :returns: the status of a best reach: what is in the way
    """
    tree, request = tree_of(blocks), request_of(blocks)
    answer, work = answer_of(blocks), work_of(blocks)
    assemble(blocks)
    status = Status.BEST_REACH_WORKSPACE.value
    for i in range(q.shape[0]):
        answer.pressed[i] = 0
        down = work.b[i] < -PRESSED and q[i] <= work.lower[i]
        up = work.b[i] > PRESSED and q[i] >= work.upper[i]
        if request.metric[i] < 0.0 or not (down or up):
            continue
        if down and q[i] <= max(request.lower[i], -FARTHEST) + AT_LIMIT:
            answer.pressed[i] = -1
        elif up and q[i] >= min(request.upper[i], FARTHEST) - AT_LIMIT:
            answer.pressed[i] = 1
        elif status == Status.BEST_REACH_WORKSPACE:
            status = Status.STEP_LIMITED.value
        if answer.pressed[i] != 0:
            status = Status.BEST_REACH_LIMITS.value
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] == BALL:
            i = tree.index[element, VARIABLE]
            by_limit, by_step = _pressed_ball(blocks, element, q)
            if by_limit:
                answer.pressed[i] = PRESSED_BALL
                status = Status.BEST_REACH_LIMITS.value
            elif by_step and status == Status.BEST_REACH_WORKSPACE:
                status = Status.STEP_LIMITED.value
    return status


@routine
def _pressed_ball(blocks, element, q):
    """Tell whether the cost presses a ball on its limits or bounds, and on its largest step."""
    work, i = work_of(blocks), tree_of(blocks).index[element, VARIABLE]
    by_limit, by_step = False, False
    if not is_locked(work, i):
        limits = limits_of(blocks, element)
        touch(limits, triple.at(q, i), triple.at(work.b, i), NEAR_LIMIT, work.contact)
        for k in range(BALL_LIMITS):
            if abs(work.contact[k, PUSH]) > PRESSED:
                by_step = by_step or k == STEP
                by_limit = by_limit or k != STEP
    return by_limit, by_step


@routine
def exceed(blocks):
    """
    Write how far the goals are beyond the reach of their tips; tell whether one is.

    Only what has a weight counts, and what is beyond the slack.
    """
    tree, answer, work = tree_of(blocks), answer_of(blocks), work_of(blocks)
    any_beyond = False
    for k in range(work.goals.shape[0]):
        goal, reach = work.goals[k], tree.reach[k]
        x = dual_quaternion.load(goal)
        t = dual_quaternion.translation(x)
        way = (t[0] - tree.centre[k, 0], t[1] - tree.centre[k, 1], t[2] - tree.centre[k, 2])
        if goal[KIND] == GOAL_AXES:
            way = quaternion.rotate(quaternion.conj(x[0]), way)
        distance = _length(goal, WEIGHT, (
            max(abs(way[0]) - goal[SLACK], 0.0), max(abs(way[1]) - goal[SLACK + 1], 0.0),
            max(abs(way[2]) - goal[SLACK + 2], 0.0)))
        answer.beyond[k] = 0.0
        if goal[AIM] == FIXED and distance > reach + BEYOND * (1.0 + reach):
            answer.beyond[k] = distance - reach
            any_beyond = True
    return any_beyond
