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

"""The entries that follow a stream of goals among bodies: no answer whose way there collides."""

from __future__ import annotations

import math

from dq_ik.core.algebra.vector import all_within, copy, fill
from dq_ik.core.collision.place import place
from dq_ik.core.collision.rows import copy_contact, gather
from dq_ik.core.collision.sweep import free_share, measure
from dq_ik.core.compile import kernel
from dq_ik.core.entries.block_check import fault, is_scene
from dq_ik.core.entries.entry import entry, Numbers, NumbersOut
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.entries.rows import read_goal, wrong_frames
from dq_ik.core.memory.arrays import integers, vector
from dq_ik.core.memory.blocks import (
    answer_of,
    prepare_work,
    take_row,
    view_request,
    view_robot,
    view_track,
)
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.core.memory.scene_blocks import (
    begin_guard,
    open_placing,
    size_of_guard,
    view_guard,
    view_scene,
)
from dq_ik.core.memory.scene_layout import GUARD, NEAREST, ROW_LEAST
from dq_ik.core.track.guarded import follow_free
from dq_ik.core.track.slide import ask, change

GUARD_ID = GUARD.id
NEAREST_WIDTH = NEAREST.width
CREEP = 1e-12  # change of a gap that is none [m]


@entry
def guard_size(links: Numbers, scene: Numbers) -> int:
    """
    Words of the guard of a stream.

    :param links: the robot whose tips are the links that carry bodies
    :param scene: bodies, pieces and pairs
    :returns: words; below zero: the blocks are none, or do not fit each other
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    seen = view_scene(scene)
    return size_of_guard(seen.n, seen.n_variables)


@entry
def guard_begin(links: Numbers, scene: Numbers, distance: float, influence: float,
                approach: float, guard_out: NumbersOut) -> int:
    """
    Write a guard of a stream at rest; braking is not limited.

    :param distance: clearance that is wanted [m], above the margin of the scene
    :param influence: distance from which bodies count [m], above the other
    :param approach: speed at which they may approach each other there [m/s]
    :param guard_out: guard_size() words
    :returns: 0, or below zero
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    seen = view_scene(scene)
    if not (seen.margin < distance < influence <= FARTHEST and 0.0 < approach <= FARTHEST):
        return fault(Fault.OUT_OF_RANGE.value, 0)
    fill(0.0, vector(guard_out, 0, size_of_guard(seen.n, seen.n_variables)))
    begin_guard(guard_out, seen.n, seen.n_variables)
    guard = view_guard(guard_out)
    guard.distance[0], guard.influence[0], guard.approach[0] = distance, influence, approach
    guard.contact[0] = -1.0
    for i in range(seen.n):
        guard.acceleration[i] = math.inf
    return 0


@entry
def track_guarded(robot: Numbers, request: Numbers, track_out: NumbersOut, poses: Numbers,
                  pose_kind: int, n_poses: int, fresh: int, dt: float, links: Numbers,
                  scene: Numbers, guard_out: NumbersOut, answers_out: NumbersOut,
                  contacts_out: NumbersOut, n_rows: int, memory: NumbersOut,
                  scene_memory: NumbersOut) -> int:
    """
    Do as track(), and never collide; where bodies are in the way, slide along them.

    :param links: the robot whose tips are the links that carry bodies
    :param scene: bodies, pieces and pairs; it may change from call to call
    :param guard_out: written by guard_begin() for this robot and chain
    :param contacts_out: ``(n_rows, 8)`` the pair in the way, or the nearest one within the
        influence, as clearance() writes it
    :param scene_memory: scene_memory_size() words
    :returns: the Status of the last row; below zero: that row and those after it have no answer
    """
    wrong = wrong_frames(robot, request, track_out, n_poses, pose_kind, dt, n_rows)
    if wrong != 0:
        return wrong
    if not _is_guard(links, scene, guard_out) or view_scene(scene).n != view_robot(robot).n:
        return fault(Fault.WRONG_BLOCK.value, 0)
    prepare_work(robot, memory)
    tree, seen, placing = open_placing(links, scene, scene_memory)
    guard = view_guard(guard_out)
    status = 0
    for row in range(n_rows):
        blocks = take_row(robot, request, answers_out, row, memory)
        wrong = read_goal(blocks, poses, pose_kind, n_poses, row)
        if wrong != 0:
            return fault(wrong, row)
        follow_free(blocks, view_track(track_out), dt, fresh, view_request(request).timeout, tree,
                    seen, placing, guard)
        copy(guard.contact, vector(contacts_out, NEAREST_WIDTH * row, NEAREST_WIDTH))
        status = answer_of(blocks).status[0]
    return status


@entry
def free_step(links: Numbers, scene: Numbers, guard_out: NumbersOut, q: Numbers, q_wanted: Numbers,
              dt: float, slow: int, q_out: NumbersOut, share_out: NumbersOut,
              scene_memory: NumbersOut) -> int:
    """
    Go from one configuration towards another, as far as the straight way is free.

    :param q: ``(n,)``
    :param q_wanted: ``(n,)``
    :param dt: the time for it [s]
    :param slow: 1: approach bodies slowly, and keep the clearance; 0: only do not collide
    :param q_out: ``(n,)``
    :param share_out: ``(1,)`` the share of the way
    :returns: 0; below zero: the blocks do not fit, or numbers are bad
    """
    if not _is_guard(links, scene, guard_out):
        return fault(Fault.WRONG_BLOCK.value, 0)
    seen, guard = view_scene(scene), view_guard(guard_out)
    start, end = vector(q, 0, seen.n), vector(q_wanted, 0, seen.n)
    if not (all_within(start, FARTHEST) and all_within(end, FARTHEST)):
        return fault(Fault.VECTOR_NOT_FINITE.value, 0)
    if not 0.0 <= dt <= FARTHEST:
        return fault(Fault.OUT_OF_RANGE.value, 0)
    tree, seen, placing = open_placing(links, scene, scene_memory)
    copy(end, guard.to)
    place(tree, seen, placing, start)
    largest = measure(tree, seen, placing, guard, start)
    gather(tree, seen, placing, guard, max(guard.influence[0], 2.0 * (largest + seen.margin)))
    allowed = 1.0
    if slow != 0:
        allowed = _allowed(seen, guard, dt)
        for i in range(seen.n):
            guard.to[i] = end[i] if allowed == 1.0 else start[i] + allowed * (end[i] - start[i])
        measure(tree, seen, placing, guard, start)
    share = free_share(tree, seen, placing, guard, start)
    copy(guard.trial, vector(q_out, 0, seen.n))
    vector(share_out, 0, 1)[0] = allowed * share
    return 0


@kernel
def _allowed(scene, guard, dt):
    """Share of a step that no row forbids; it may always lead away from bodies."""
    ask(scene, guard, dt)
    share = 1.0
    for number in range(guard.n_rows[0]):
        least = min(guard.row[number, ROW_LEAST], 0.0)
        own = change(guard, number, guard.step)
        if own < least - CREEP:
            share = min(share, least / own)
    return share


@entry
def gaps(links: Numbers, scene: Numbers, guard_out: NumbersOut, q: Numbers, reach: float,
         contacts_out: NumbersOut, derivatives_out: NumbersOut, scene_memory: NumbersOut) -> int:
    """
    Find all pieces that are near each other, and how the joints change their gaps.

    :param q: ``(n,)``
    :param reach: the largest gap that counts [m]
    :param contacts_out: ``(96, 8)`` pair, gap, a point on each of the two
    :param derivatives_out: ``(96, n)``
    :returns: how many there are; below zero: the blocks do not fit
    """
    if not _is_guard(links, scene, guard_out):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree, seen, placing = open_placing(links, scene, scene_memory)
    guard = view_guard(guard_out)
    place(tree, seen, placing, vector(q, 0, seen.n))
    gather(tree, seen, placing, guard, reach)
    for number in range(guard.n_rows[0]):
        copy_contact(guard, number, vector(contacts_out, NEAREST_WIDTH * number, NEAREST_WIDTH))
        copy(guard.J[number], vector(derivatives_out, seen.n * number, seen.n))
    return guard.n_rows[0]


@kernel
def _is_guard(links, scene, guard_out):
    """Tell whether blocks are a robot, a scene and a guard that fit each other."""
    if not is_scene(links, scene) or vector(integers(guard_out, 0), 0, 1)[0] != GUARD_ID:
        return False
    seen, guard = view_scene(scene), view_guard(guard_out)
    return guard.n == seen.n and guard.n_variables == seen.n_variables
