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
Frames of joints on the common normals of their axes, after Denavit and Hartenberg.

A joint's frame may be turned about its axis and moved along it. On the common normal of its axis
and the one before, its constant pose is ``Tz(d) Tx(a) Rx(alpha)``, and a product with it takes
two thirds of the multiplications (:func:`dq_ik.core.frame.mul_along_normal`).
"""

from __future__ import annotations

from collections.abc import Sequence
import math

from dq_ik.core.frame import WIDTH
from dq_ik.core.tree import is_plain_chain, KIND, OFFSET, PRISMATIC, Tree
from dq_ik.elements import from_frame, to_frame
from dq_ik.pose import Pose

PARALLEL = 1e-14  # sine of the angle between axes that are parallel up to rounding
FAR = 10.0  # normals further away than this are not used: nearly parallel axes cost digits [m]


def on_common_normals(tree: Tree) -> Tree:
    """Return the same robot with moved frames, if it is a plain chain; others are left alone."""
    if not is_plain_chain(tree):
        return tree
    element, tip = tree.element.copy(), tree.tip.copy()
    moved = Pose.identity()  # the new frame of a joint in its old one
    for i in range(1, len(element)):
        turn, link, moved = _split(moved.inverse() @ from_frame(element[i]))
        if tree.index[i - 1, KIND] == PRISMATIC:
            link = to_frame(_turn(turn) @ from_frame(link))
        else:
            element[i - 1, OFFSET] = turn
        element[i, :WIDTH] = link
    tip[0] = to_frame(moved.inverse() @ from_frame(tip[0]))
    return tree._replace(element=element, tip=tip)


def _split(pose: Pose) -> tuple[float, Sequence[float], Pose]:
    """
    Write a pose as ``Rz(turn) link moved^-1``, the link along the common normal if it is near.

    :returns: turn; link as the kernels store it; moved, a turn about z and a way along it
    """
    x, y, z = pose.matrix[:3, 2]  # the next axis
    p = pose.position
    sine = math.hypot(x, y)
    if sine > PARALLEL:
        turn = math.atan2(x, -y)
        way = (p[1] * math.cos(turn) - p[0] * math.sin(turn)) / sine
    else:
        turn, way, sine = math.atan2(p[1], p[0]), 0.0, 0.0
    if abs(way) > FAR:
        return 0.0, to_frame(pose), Pose.identity()
    half = 0.5 * math.atan2(sine, z)
    length = p[0] * math.cos(turn) + p[1] * math.sin(turn)
    link = (math.cos(half), math.sin(half), 0.0, 0.0, length, 0.0, p[2] + way * z)
    return turn, link, pose.inverse() @ _turn(turn) @ from_frame(link)


def _turn(angle: float) -> Pose:
    return Pose((math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)), (0.0, 0.0, 0.0, 0.0))
