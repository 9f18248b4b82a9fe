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

"""What entries look at first: whether a block is what it should be; and how they say it is not."""

from __future__ import annotations

from dq_ik.core.algebra.vector import all_within
from dq_ik.core.compile import kernel
from dq_ik.core.memory.arrays import integers, vector
from dq_ik.core.memory.blocks import (
    size_of_request,
    size_of_robot,
    view_request,
    view_robot,
    view_track,
)
from dq_ik.core.memory.layout import REQUEST, ROBOT, TRACK
from dq_ik.core.memory.scene_blocks import size_of_scene, view_scene
from dq_ik.core.memory.scene_layout import SCENE

ROBOT_ID, REQUEST_ID, TRACK_ID, SCENE_ID = ROBOT.id, REQUEST.id, TRACK.id, SCENE.id
FAULTS = 32  # more than there are


@kernel
def fault(kind, row):
    """Return the result that says what is wrong with which row."""
    return -(FAULTS * row + kind)


@kernel
def is_robot(robot):
    """Tell whether a block is a robot of this version, as long as its sizes say."""
    if vector(integers(robot, 0), 0, 1)[0] != ROBOT_ID:
        return False
    tree = view_robot(robot)
    return vector(integers(robot, 0), 0, 2)[1] == size_of_robot(
        tree.n, tree.n_tips, tree.n_elements, tree.n_screws, tree.n_path, tree.n_slots,
        tree.n_stored)


@kernel
def is_request(request):
    """Tell whether a block is a request of this version, as long as its sizes say."""
    if vector(integers(request, 0), 0, 1)[0] != REQUEST_ID:
        return False
    asked = view_request(request)
    return vector(integers(request, 0), 0, 2)[1] == size_of_request(
        asked.n, asked.n_tips)


@kernel
def fits(request, robot):
    """Tell whether a request is one for this robot."""
    asked, tree = view_request(request), view_robot(robot)
    return asked.n == tree.n and asked.n_tips == tree.n_tips


@kernel
def bad_row(vectors, n, rows, largest):
    """Return the first row with a number above the largest, or not a number."""
    row = 0
    while row < rows - 1 and all_within(vector(vectors, n * row, n), largest):
        row += 1
    return row


@kernel
def is_track(robot, track):
    """Tell whether a block is the state of a stream for this robot."""
    if vector(integers(track, 0), 0, 1)[0] != TRACK_ID:
        return False
    tree, state = view_robot(robot), view_track(track)
    return state.n == tree.n and state.n_tips == tree.n_tips


@kernel
def is_scene(links, scene):
    """Tell whether blocks are a robot and a scene of this version that fit each other."""
    if not is_robot(links) or vector(integers(scene, 0), 0, 1)[0] != SCENE_ID:
        return False
    tree, seen = view_robot(links), view_scene(scene)
    return (seen.n_links == tree.n_tips and seen.n_variables == tree.n
            and vector(integers(scene, 0), 0, 2)[1] == size_of_scene(
                seen.n, seen.n_variables, seen.n_links, seen.n_bodies, seen.n_pieces, seen.n_rows,
                seen.n_pairs))
