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
two thirds of the multiplications (:func:`dq_ik.core.algebra.frame.mul_along_normal`).
"""

import math

from dq_ik.core.algebra import frame, quaternion
from dq_ik.core.compile import kernel, routine
from dq_ik.core.memory import layout as core

PARALLEL = 1e-14  # sine of the angle between axes that are parallel up to rounding
ONE_LINE = 1e-14  # distance of axes that coincide up to rounding [m]
HALF_TURN_BACK = 1e-12 - math.pi  # turns below are a half turn up to rounding
FAR = 10.0  # normals further away than this are not used: nearly parallel axes cost digits [m]


@kernel
def is_plain_chain(tree):
    """Tell whether each element turns or slides by its own variable, one after the other."""
    n = tree.index.shape[0]
    if tree.tip.shape[0] != 1 or tree.tip_index[0, core.TIP_ELEMENT] != n - 1:
        return False
    for i in range(n):
        if (tree.index[i, core.ELEMENT_KIND] == core.BALL or tree.index[i, core.PARENT] != i - 1
                or tree.index[i, core.VARIABLE] != i or tree.element[i, core.MULTIPLIER] != 1.0
                or tree.element[i, core.OFFSET] != 0.0):
            return False
    return True


@routine
def move_to_common_normals(tree_out):
    """Move the frames of a plain chain in place; other trees are left alone."""
    if not is_plain_chain(tree_out):
        return
    moved = frame.IDENTITY  # the new frame of a joint in its old one
    for i in range(1, tree_out.index.shape[0]):
        old = frame.product(frame.inverse(moved), frame.load(tree_out.element[i]))
        turn, link, moved = _split(old)
        if tree_out.index[i - 1, core.ELEMENT_KIND] == core.PRISMATIC:
            link = frame.product(frame.turn_z(turn), link)
        else:
            tree_out.element[i - 1, core.OFFSET] = turn
        frame.store(link, tree_out.element[i])
    frame.store(frame.product(frame.inverse(moved), frame.load(tree_out.tip[0])), tree_out.tip[0])


@routine
def _split(pose):
    """
    Write a pose as ``Rz(turn) link moved^-1``, the link along the common normal if it is near.

    :returns: turn; link; moved, a turn about z and a way along it
    """
    x, y, z = quaternion.z_axis(pose[0])  # the next axis
    p = pose[1]
    sine = math.sqrt(x * x + y * y)
    way = 0.0
    if sine > PARALLEL:
        turn = _direction(x, -y)
        way = (p[1] * math.cos(turn) - p[0] * math.sin(turn)) / sine
    else:
        apart = p[0] * p[0] + p[1] * p[1] > ONE_LINE * ONE_LINE
        turn = _direction(p[1], p[0]) if apart else 0.0  # rounding shall not choose
        sine = 0.0
    if abs(way) > FAR:
        return 0.0, pose, frame.IDENTITY
    half = 0.5 * math.atan2(sine, z)
    length = p[0] * math.cos(turn) + p[1] * math.sin(turn)
    link = ((math.cos(half), math.sin(half), 0.0, 0.0), (length, 0.0, p[2] + way * z))
    return turn, link, frame.product(frame.inverse(pose), frame.product(frame.turn_z(turn), link))


@kernel
def _direction(sine, cosine):
    """Angle of a direction; a half turn is pi, never -pi, whatever the sign of a rounded sine."""
    angle = math.atan2(sine, cosine)
    return angle + 2.0 * math.pi if angle < HALF_TURN_BACK else angle
