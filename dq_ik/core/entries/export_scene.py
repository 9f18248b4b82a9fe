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

"""The entries that ask whether bodies collide, and those that solve for answers that are free."""

from __future__ import annotations

from dq_ik.core.collision.decide import body_gaps, collides, nearest, pair_collides
from dq_ik.core.collision.place import place
from dq_ik.core.entries.block_check import fault, fits, is_request, is_scene
from dq_ik.core.entries.entry import entry, Numbers, NumbersOut
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.entries.rows import read_row, request_at, wrong_rows
from dq_ik.core.memory.arrays import vector
from dq_ik.core.memory.blocks import answer_of, prepare_work, take_row, view_request, view_robot
from dq_ik.core.memory.scene_blocks import open_placing, placing_size, view_scene
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.core.search.free import search_free

NEAREST_WIDTH = NEAREST.width


@entry
def scene_memory_size(links: Numbers, scene: Numbers) -> int:
    """
    Words of the memory that calls with a scene need, one for each thread; it need not be cleared.

    :param links: the robot whose tips are the links that carry bodies
    :param scene: bodies, pieces and pairs
    :returns: words; below zero: the blocks are none, or do not fit each other
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    return placing_size(view_robot(links), view_scene(scene))


@entry
def decide(links: Numbers, scene: Numbers, q: Numbers, n_rows: int, pairs_out: NumbersOut,
           memory: NumbersOut) -> int:
    """
    Decide which configurations are free of collisions.

    :param q: ``(n_rows, n)`` of the chain
    :param pairs_out: ``(n_rows)`` the first pair that collides; -1: none does
    :param memory: scene_memory_size() words
    :returns: 0, or below zero
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree, seen, placing = open_placing(links, scene, memory)
    pairs = vector(pairs_out, 0, n_rows)
    for row in range(n_rows):
        pairs[row] = float(collides(tree, seen, placing, vector(q, seen.n * row, seen.n)))
    return 0


@entry
def count_contacts(links: Numbers, scene: Numbers, q: Numbers, n_rows: int, counts_out: NumbersOut,
                   memory: NumbersOut) -> int:
    """
    Count in how many configurations each pair collides.

    :param q: ``(n_rows, n)`` of the chain
    :param counts_out: ``(n_pairs)``
    :param memory: scene_memory_size() words
    :returns: 0, or below zero
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree, seen, placing = open_placing(links, scene, memory)
    counts = vector(counts_out, 0, seen.n_pairs)
    for pair in range(seen.n_pairs):
        counts[pair] = 0.0
    for row in range(n_rows):
        place(tree, seen, placing, vector(q, seen.n * row, seen.n))
        for pair in range(seen.n_pairs):
            if pair_collides(seen, placing, pair):
                counts[pair] += 1.0
    return 0


@entry
def clearance(links: Numbers, scene: Numbers, q: Numbers, n_rows: int, farthest: float,
              nearest_out: NumbersOut, memory: NumbersOut) -> int:
    """
    Find the nearest pair of bodies at configurations.

    :param q: ``(n_rows, n)`` of the chain
    :param farthest: pairs farther apart do not count [m]
    :param nearest_out: ``(n_rows, 8)`` pair (-1: none), distance, a point on each of the two
    :param memory: scene_memory_size() words
    :returns: 0, or below zero
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree, seen, placing = open_placing(links, scene, memory)
    for row in range(n_rows):
        nearest(tree, seen, placing, vector(q, seen.n * row, seen.n), farthest,
                vector(nearest_out, NEAREST_WIDTH * row, NEAREST_WIDTH))
    return 0


@entry
def body_clearances(links: Numbers, scene: Numbers, q: Numbers, farthest: float,
                    gaps_out: NumbersOut, nearest_out: NumbersOut, memory: NumbersOut) -> int:
    """
    Find how far each body is from those that it is kept apart from, at one configuration.

    :param q: ``(n)`` of the chain
    :param farthest: what is farther counts as this far [m]
    :param gaps_out: ``(n_bodies)`` distances, 0 where bodies overlap
    :param nearest_out: ``(8)`` the nearest pair, as clearance() writes it
    :param memory: scene_memory_size() words
    :returns: 0, or below zero
    """
    if not is_scene(links, scene):
        return fault(Fault.WRONG_BLOCK.value, 0)
    tree, seen, placing = open_placing(links, scene, memory)
    configuration, row = vector(q, 0, seen.n), vector(nearest_out, 0, NEAREST_WIDTH)
    body_gaps(tree, seen, placing, configuration, farthest, vector(gaps_out, 0, seen.n_bodies),
              row)
    nearest(tree, seen, placing, configuration, farthest, row)
    return 0


@entry
def solve_free(robot: Numbers, requests: Numbers, n_requests: int, poses: Numbers, pose_kind: int,
               n_poses: int, seeds: Numbers, n_seeds: int, timeout: float, links: Numbers,
               scene: Numbers, answers_out: NumbersOut, contacts_out: NumbersOut, n_rows: int,
               memory: NumbersOut, scene_memory: NumbersOut) -> int:
    """
    Do as solve() for answers that are free of collisions.

    :param links: the robot whose tips are the links that carry bodies
    :param scene: bodies, pieces and pairs
    :param contacts_out: ``(n_rows, 8)`` of answers that are none: the nearest pair, as clearance()
        writes it; -1: it is free
    :param scene_memory: scene_memory_size() words
    :returns: the Status of the last row; below zero: that row and those after it have no answer
    """
    wrong = wrong_rows(robot, n_requests, n_poses, pose_kind, seeds, n_seeds, n_rows)
    if wrong != 0:
        return wrong
    if not is_scene(links, scene) or view_scene(scene).n != view_robot(robot).n:
        return fault(Fault.WRONG_BLOCK.value, 0)
    prepare_work(robot, memory)
    tree, seen, placing = open_placing(links, scene, scene_memory)
    status = 0
    for row in range(n_rows):
        request = request_at(requests, n_requests, row)
        if not is_request(request) or not fits(request, robot):
            return fault(Fault.WRONG_BLOCK.value, row)
        blocks = take_row(robot, request, answers_out, row, memory)
        wrong = read_row(blocks, poses, pose_kind, n_poses, seeds, n_seeds, row)
        if wrong != 0:
            return fault(wrong, row)
        search_free(blocks, timeout if timeout > 0.0 else view_request(request).timeout, tree,
                    seen, placing, vector(contacts_out, NEAREST_WIDTH * row, NEAREST_WIDTH))
        status = answer_of(blocks).status[0]
    return status
