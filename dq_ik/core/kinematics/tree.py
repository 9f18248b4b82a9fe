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
joints are folded into C; a mimic joint reads another joint's variable. A *screw* is one axis of
motion; a *slot* is one variable on the way to one tip, so that joints off the way cost nothing
([Rotations] algorithm 9; [Recipe] "On-Path"). Differs from
[Kenwright2022] in the coordinates of the poses on the way (:mod:`dq_ik.core.algebra.frame`).
"""

from __future__ import annotations

from dq_ik.core.algebra import frame, quaternion
from dq_ik.core.algebra.trigonometry import ANGLE, COSINE, fill_table, SINE
from dq_ik.core.compile import kernel
from dq_ik.core.memory.layout import (
    BALL,
    ELEMENT_KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    PRISMATIC,
    SCREW,
    TIP_ELEMENT,
    VARIABLE,
)


@kernel
def forward_kinematics(tree, q, turns, world_out, screw_out):
    """
    Poses of all elements in the base frame, and their screws at q.

    A screw is the twist (linear, angular) of the point at the base's origin for a unit rate of the
    variable: the line of the axis with its moment, or a direction ([Recipe] eqs. 7-10). The
    velocity at a point p is ``linear + angular x p``.

    :param turns: ``(3, padded)`` work array, its padding zero
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
    kind = tree.index[i, ELEMENT_KIND]
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
