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
A robot as arrays, and its forward kinematics by dual-quaternion products.

An element i has a constant pose C_i in its parent element and moves about or along z, or freely
(ball), so that ``x_i = x_parent(i) C_i M_i(q)`` ([Kenwright2022] eqs. 13-15; [Rotations] eq. 61,
algorithms 2, 3, 7, 8 and 12). Revolute and prismatic joints differ in their motion only; fixed
joints are folded into C; a mimic joint reads another joint's variable. Differs from
[Kenwright2022] in the coordinates of the poses on the way (:mod:`dq_ik.core.frame`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dq_ik.core import frame, quaternion
from dq_ik.core.compile import entry, kernel
from dq_ik.core.memory import matrix, vector
from dq_ik.core.trigonometry import ANGLE, COSINE, fill_table, padded, SINE

REVOLUTE, PRISMATIC, BALL = 0, 1, 2

# Head of the packed integers.
N_ELEMENTS, N_TIPS, N_PATH, N_SLOTS = 0, 1, 2, 3
# Columns of Tree.element.
CONSTANT, MULTIPLIER, OFFSET = 0, 7, 8  # the pose C takes seven
SWING, TWIST_LOWER, TWIST_UPPER = 9, 10, 11  # limits of a ball
ELEMENT_WIDTH = 12
# Columns of Tree.index.
KIND, PARENT, VARIABLE, SCREW = 0, 1, 2, 3
INDEX_WIDTH = 4
# Columns of Tree.tip_index.
TIP_ELEMENT, PATH_START, PATH_STOP, SLOT_START, SLOT_STOP = 0, 1, 2, 3, 4
TIP_INDEX_WIDTH = 5


class Tree(NamedTuple):
    """
    The arrays of a chain or tree; never written by a kernel.

    A *screw* is one axis of motion (a ball has three); a *slot* is one variable on the way to one
    tip, so that joints off the way cost nothing ([Rotations] algorithm 9; [Recipe] "On-Path").
    """

    element: np.ndarray  # (n_elements, 12) constant pose, multiplier, offset, limits of a ball
    # (n_elements, 4) kind, parent element or -1, first variable, first screw
    index: np.ndarray  # type: ignore[assignment]  # instead of the method of tuples
    tip: np.ndarray  # (n_tips, 7) constant pose of the tip in its element
    tip_index: np.ndarray  # (n_tips, 5) element or -1, first and last of path, first and last slot
    path: np.ndarray  # (n_path, 3) screw, slot, whether it is the first screw of the slot
    slot: np.ndarray  # (n_slots,) variable of each slot


def pack(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the tree as one float and one integer array; :func:`unpack` is the inverse."""
    sizes = [len(tree.element), len(tree.tip), len(tree.path), len(tree.slot)]
    numbers = np.concatenate([tree.element.ravel(), tree.tip.ravel()])
    indices = np.concatenate([
        sizes, tree.index.ravel(), tree.tip_index.ravel(), tree.path.ravel(), tree.slot])
    return numbers.astype(np.float64), indices.astype(np.int64)


def is_plain_chain(tree: Tree) -> bool:
    """Tell whether each element turns or slides by its own variable, one after the other."""
    number = np.arange(len(tree.element))
    return bool(len(tree.tip) == 1 and tree.tip_index[0, TIP_ELEMENT] == number.size - 1
                and (tree.index[:, KIND] != BALL).all()
                and (tree.index[:, PARENT] == number - 1).all()
                and (tree.index[:, VARIABLE] == number).all()
                and (tree.element[:, MULTIPLIER] == 1.0).all()
                and (tree.element[:, OFFSET] == 0.0).all())


@kernel
def unpack(numbers, indices):
    """See the packed arrays as a :class:`Tree` of views."""
    head = vector(indices, 0, 4)
    n_elements, n_tips = head[N_ELEMENTS], head[N_TIPS]
    n_path, n_slots = head[N_PATH], head[N_SLOTS]
    split = n_elements * ELEMENT_WIDTH
    a = 4 + n_elements * INDEX_WIDTH
    b = a + n_tips * TIP_INDEX_WIDTH
    c = b + 3 * n_path
    return Tree(matrix(numbers, 0, n_elements, ELEMENT_WIDTH),
                matrix(indices, 4, n_elements, INDEX_WIDTH),
                matrix(numbers, split, n_tips, frame.WIDTH),
                matrix(indices, a, n_tips, TIP_INDEX_WIDTH),
                matrix(indices, b, n_path, 3),
                vector(indices, c, n_slots))


@kernel
def n_screws(tree):
    """Count the axes of motion: one per revolute or prismatic element, three per ball."""
    last = tree.index.shape[0] - 1
    if last < 0:
        return 0
    return tree.index[last, SCREW] + (3 if tree.index[last, KIND] == BALL else 1)


@kernel
def forward_kinematics(tree, q, turns, world_out, screw_out):
    """
    Poses of all elements in the base frame, and their screws at q.

    A screw is the twist (linear, angular) of the point at the base's origin for a unit rate of the
    variable: the line of the axis with its moment, or a direction ([Recipe] eqs. 7-10). The
    velocity at a point p is ``linear + angular x p``.

    :param turns: work array of :func:`new_turns`
    :param world_out: ``(n_elements, 7)`` frames
    :param screw_out: ``(n_screws, 6)`` twists, linear first
    """
    _fill_turns(tree, q, turns)
    x = frame.IDENTITY
    for i in range(tree.index.shape[0]):
        constant = frame.load(tree.element[i])
        parent = tree.index[i, PARENT]
        if parent < 0:
            x = constant
        else:
            if parent != i - 1:
                x = frame.load(world_out[parent])
            if frame.is_along_normal(tree.element[i]):
                x = frame.mul_along_normal(x, quaternion.z_axis(x[0]), tree.element[i])
            else:
                x = frame.mul(x, constant)
        x = _move(tree, i, q, turns, x, screw_out)
        frame.store(x, world_out[i])


@kernel
def _move(tree, i, q, turns, x, screw_out):
    """Apply the motion of element i to the pose x and write its screws."""
    r, t = x
    kind = tree.index[i, KIND]
    variable = tree.index[i, VARIABLE]
    screw = tree.index[i, SCREW]
    if kind == BALL:
        r = quaternion.mul(r, quaternion.exp((q[variable], q[variable + 1], q[variable + 2])))
        _store_line(t, quaternion.rotate(r, (1.0, 0.0, 0.0)), 1.0, screw_out[screw])
        _store_line(t, quaternion.rotate(r, (0.0, 1.0, 0.0)), 1.0, screw_out[screw + 1])
        _store_line(t, quaternion.z_axis(r), 1.0, screw_out[screw + 2])
        return r, t
    multiplier = tree.element[i, MULTIPLIER]
    axis = quaternion.z_axis(r)
    if kind == PRISMATIC:
        value = multiplier * q[variable] + tree.element[i, OFFSET]
        row = screw_out[screw]
        for k in range(3):
            row[k] = multiplier * axis[k]
            row[3 + k] = 0.0
        return r, (t[0] + value * axis[0], t[1] + value * axis[1], t[2] + value * axis[2])
    _store_line(t, axis, multiplier, screw_out[screw])
    return quaternion.mul_z(r, turns[COSINE, i], turns[SINE, i]), t


@kernel
def new_turns(n_elements):
    """Allocate the table of half angles, sines and cosines of the elements."""
    return np.zeros((3, padded(n_elements)))


@kernel
def _fill_turns(tree, q, turns):
    """Fill the half angles of the elements, their sines and cosines."""
    for i in range(tree.index.shape[0]):
        turns[ANGLE, i] = 0.5 * (tree.element[i, MULTIPLIER] * q[tree.index[i, VARIABLE]]
                                 + tree.element[i, OFFSET])
    fill_table(turns)


@kernel
def _store_line(point, axis, factor, row_out):
    """Write the twist of a turn about a line through a point: ``factor (point x axis, axis)``."""
    moment = quaternion.cross(point, axis)
    for k in range(3):
        row_out[k] = factor * moment[k]
        row_out[3 + k] = factor * axis[k]


@kernel
def tip_frame(tree, k, world):
    """Pose (r, t) of tip k in the base frame."""
    element = tree.tip_index[k, TIP_ELEMENT]
    constant = frame.load(tree.tip[k])
    if element < 0:
        return constant
    return frame.mul(frame.load(world[element]), constant)


@kernel
def tip_poses(tree, q, turns, world, screw, poses_out):
    """Dual quaternions of all tips at q; ``turns``, ``world`` and ``screw`` are work arrays."""
    forward_kinematics(tree, q, turns, world, screw)
    for k in range(tree.tip.shape[0]):
        frame.store_dual(tip_frame(tree, k, world), poses_out[k])


@entry
def fk(numbers, indices, q, poses_out):
    """Fill ``poses_out`` (N, n_tips, 8) with the tips' poses at each row of q (N, n)."""
    tree = unpack(numbers, indices)
    turns = new_turns(tree.index.shape[0])
    world = np.empty((tree.index.shape[0], frame.WIDTH))
    screw = np.empty((n_screws(tree), 6))
    for row in range(q.shape[0]):
        tip_poses(tree, q[row], turns, world, screw, poses_out[row])
