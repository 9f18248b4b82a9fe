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
Balls on their limits: in which directions the slope presses them, and steps along the limits.

The limits of a ball are curved, so a step cannot be kept inside by bounds on its three numbers.
Where the slope presses a ball on limits, the axes of its tangent space are turned: the first ones
span the normals of these limits and are held, as joints on a limit are; the others are free, and
the ball slides ([Kenwright2022] section VII.C). A step along a curved limit changes the cost also
by its curvature times the push, which belongs to the Hessian.
"""

import math

from dq_ik.core.algebra import quaternion, swing_twist, triple
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics import ball_limits
from dq_ik.core.kinematics.ball_limits import limits_of
from dq_ik.core.kinematics.configuration import is_locked
from dq_ik.core.memory.blocks import tree_of, work_of
from dq_ik.core.memory.layout import (
    BACK,
    BALL,
    BALL_LIMITS,
    ELEMENT_KIND,
    GAP,
    PUSH,
    VARIABLE,
    WAY,
)

NEAR_LIMIT = 1e-7  # what is this near to a limit counts as on it [rad]
IN_THE_WAY = 1e-3  # limits this near, that a step leaves, are met by it and no farther [rad]
SWEEPS = 100
SETTLED = 1e-15  # part of the slope by which a push may still change
ONE_POINT = 1e-9  # ranges narrower than this are one point
BEYOND = 1e-10  # by which a step along a limit may leave it for rounding [rad]
DEPENDENT = 1e-6  # normals whose independent part is shorter are one
NO_SLOPE = (0.0, 0.0, 0.0)
REST = 1e-8  # part of the mean diagonal: what the goals leave free does not drift
DIFFERENCE = 1e-5  # step of the derivative of a slope [rad]


@routine
def touch(limits, w, slope, near, contact_out):
    """
    Fill the normals, gaps and pushes of a ball's limits that the slope presses it on.

    A limit presses where its projection would undo a step along the slope. The pushes, none of
    them negative, take from the slope the normals of these limits; projected Gauss-Seidel finds
    them.

    :param near: distance from a limit that counts as on it [rad]
    :param contact_out: a row for each limit; its push is 0 where nothing presses
    """
    r = quaternion.exp(w)
    split = swing_twist.coordinates(r)
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), r))
    for k in range(BALL_LIMITS):
        row = contact_out[k]
        fill(0.0, row)
        if not ball_limits.has(limits, k):
            continue
        normal = ball_limits.slope(limits, k, r)
        length = triple.length(normal)
        row[GAP] = -ball_limits.value(limits, k, w, split, turn) / max(length, DEPENDENT)
        if row[GAP] <= near and length > DEPENDENT:
            direction = ball_limits.back(limits, k, r)
            along = triple.dot(normal, direction) / length
            for a in range(3):
                row[a], row[BACK + a] = normal[a] / length, direction[a] / along
    _push(limits, slope, contact_out)


@kernel
def _push(limits, slope, contact):
    """Fill the pushes; on a range of one point they may have any sign."""
    left = slope
    size = SETTLED * (abs(slope[0]) + abs(slope[1]) + abs(slope[2]))
    for _ in range(SWEEPS):
        change = 0.0
        for k in range(BALL_LIMITS):
            row = contact[k]
            push = row[PUSH] + triple.dot(triple.at(row, BACK), left)
            if not _is_one_point(limits, k):
                push = max(0.0, push)
            step = push - row[PUSH]
            left = (left[0] - step * row[0], left[1] - step * row[1], left[2] - step * row[2])
            row[PUSH] = push
            change = max(change, abs(step))
        if change <= size:
            break


@kernel
def _is_one_point(limits, k):
    """Tell whether limit k and its opposite leave one point."""
    if k < ball_limits.UPPER_TWIST:
        return limits.swing[k // 2] < ONE_POINT
    if k < ball_limits.UPPER_BOUND:
        return limits.twist[1] - limits.twist[0] < ONE_POINT
    if k < ball_limits.STEP:
        axis = (k - ball_limits.UPPER_BOUND) % 3
        return limits.upper[axis] - limits.lower[axis] < ONE_POINT
    return False


@routine
def hold_balls(blocks, q, stepping):
    """
    Turn the axes of pressed balls in ``work.A`` and ``work.b``, and add the limits' curvature.

    :func:`drop_held` and :func:`turn_back` go with it.

    :param stepping: hold also the limits near by that the step in ``work.x`` leaves
    """
    tree, work = tree_of(blocks), work_of(blocks)
    trace = 0.0
    for i in range(q.shape[0]):
        work.axes[i, WAY] = math.inf
        trace += abs(work.A[i, i])
    for element in range(tree.index.shape[0]):
        if tree.index[element, ELEMENT_KIND] != BALL:
            continue
        i = tree.index[element, VARIABLE]
        if not is_locked(work, i):
            limits = limits_of(blocks, element)
            near = IN_THE_WAY if stepping else NEAR_LIMIT
            touch(limits, triple.at(q, i), triple.at(work.b, i), near, work.contact)
            for k in range(i, i + 3):
                work.A[k, k] += REST * trace / q.shape[0]
            _add_curvature(limits, quaternion.exp(triple.at(q, i)), work, i)
            _turn(work, i, _complete(work.axes, i, _span_normals(work, i, stepping)))


@routine
def is_left(blocks, q):
    """Tell whether the step in ``work.x`` leaves limits of balls near by, which are not held."""
    tree, work = tree_of(blocks), work_of(blocks)
    for element in range(tree.index.shape[0]):
        i = tree.index[element, VARIABLE]
        if tree.index[element, ELEMENT_KIND] != BALL or is_locked(work, i):
            continue
        step = triple.at(work.x, i)
        touch(limits_of(blocks, element), triple.at(q, i), NO_SLOPE, IN_THE_WAY, work.contact)
        for k in range(BALL_LIMITS):
            if _beyond(work.contact[k], step) > BEYOND:
                return True
    return False


@kernel
def _beyond(row, step):
    """How far a step goes beyond a limit [rad]; rows of limits that are far are zero."""
    return triple.dot(row, step) - row[GAP]


@kernel
def _add_curvature(limits, r, work, i):
    """Add the second derivatives of the limits times their pushes."""
    for k in range(BALL_LIMITS):
        push = work.contact[k, PUSH]
        if push == 0.0:
            continue
        normal = ball_limits.slope(limits, k, r)
        factor = push / triple.length(normal) / (2.0 * DIFFERENCE)
        for a in range(3):
            turn = quaternion.exp((DIFFERENCE if a == 0 else 0.0, DIFFERENCE if a == 1 else 0.0,
                                   DIFFERENCE if a == 2 else 0.0))
            ahead = ball_limits.slope(limits, k, quaternion.mul(r, turn))
            behind = ball_limits.slope(limits, k, quaternion.mul(r, quaternion.conj(turn)))
            for b in range(3):  # symmetric: half of each order of the two turns
                term = 0.5 * factor * (ahead[b] - behind[b])
                work.A[i + a, i + b] += term
                work.A[i + b, i + a] += term


@kernel
def _span_normals(work, i, stepping):
    """Write orthogonal axes that span the normals of held limits, and the way to these."""
    count, step, near = 0, triple.at(work.x, i), IN_THE_WAY if stepping else NEAR_LIMIT
    for k in range(BALL_LIMITS):
        row = work.contact[k]
        held = row[PUSH] != 0.0 or (stepping and _beyond(row, step) > -BEYOND)
        if not held or count == 3:
            continue
        rest, way = (row[0], row[1], row[2]), row[GAP]
        for a in range(count):
            axis = work.axes[i + a]
            along = triple.dot(axis, row)
            rest = (rest[0] - along * axis[0], rest[1] - along * axis[1],
                    rest[2] - along * axis[2])
            way -= along * axis[WAY]
        length = triple.length(rest)
        if length > DEPENDENT:
            axis = work.axes[i + count]
            axis[0], axis[1], axis[2] = rest[0] / length, rest[1] / length, rest[2] / length
            axis[WAY] = min(max(way / length, -near), near)
            count += 1
    return count


@kernel
def _complete(axes, i, count):
    """Write the axes that complete a basis; return how many were there."""
    for a in range(count, 3):
        best = 0.0
        for e in range(3):
            rest = (1.0 if e == 0 else 0.0, 1.0 if e == 1 else 0.0, 1.0 if e == 2 else 0.0)
            for c in range(a):
                axis = axes[i + c]
                along = axis[e]
                rest = (rest[0] - along * axis[0], rest[1] - along * axis[1],
                        rest[2] - along * axis[2])
            length = triple.length(rest)
            if length > best + DEPENDENT:
                best = length
                axes[i + a, 0], axes[i + a, 1], axes[i + a, 2] = (
                    rest[0] / length, rest[1] / length, rest[2] / length)
    return count


@kernel
def _turn(work, i, count):
    """Turn matrix and slope to the axes of a ball of which some are held."""
    if count == 0:
        return
    axes, A = work.axes, work.A
    for j in range(A.shape[0]):
        column = (A[i, j], A[i + 1, j], A[i + 2, j])
        for a in range(3):
            A[i + a, j] = triple.dot(axes[i + a], column)
    for j in range(A.shape[0]):
        row = (A[j, i], A[j, i + 1], A[j, i + 2])
        for a in range(3):
            A[j, i + a] = triple.dot(axes[i + a], row)
    slope = triple.at(work.b, i)
    for a in range(3):
        work.b[i + a] = triple.dot(axes[i + a], slope)


@kernel
def drop_held(work, count):
    """Take held axes of balls from the list of free ones; return how many are left."""
    left = 0
    for p in range(count):
        i = work.free[p]
        way = work.axes[i, WAY]
        if way < math.inf:
            work.x[i] = way
        else:
            work.free[left] = i
            left += 1
    return left


@routine
def turn_back(blocks):
    """Turn step and slope back to the usual axes of balls."""
    tree, work = tree_of(blocks), work_of(blocks)
    for element in range(tree.index.shape[0]):
        i = tree.index[element, VARIABLE]
        if tree.index[element, ELEMENT_KIND] == BALL and work.axes[i, WAY] < math.inf:
            _turn_vector(work.axes, i, work.x)
            _turn_vector(work.axes, i, work.b)


@kernel
def _turn_vector(axes, i, x):
    """Sum the axes of a ball times its numbers, in place."""
    a, b, c = triple.at(x, i)
    for r in range(3):
        x[i + r] = a * axes[i, r] + b * axes[i + 1, r] + c * axes[i + 2, r]
