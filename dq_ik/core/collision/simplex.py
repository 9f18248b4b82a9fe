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
The point of a simplex next to the origin: of a segment, a triangle or a tetrahedron.

A simplex is the first rows of ``simplex``; the weights of its points are written to ``share``.
Points of no weight are dropped. A tetrahedron that is nearly flat may be said to contain the
origin; who asks must then not conclude that there is a gap (:mod:`dq_ik.core.collision.gjk`).
"""

from dq_ik.core.algebra import triple
from dq_ik.core.algebra.quaternion import cross
from dq_ik.core.algebra.vector import copy
from dq_ik.core.compile import kernel, routine

OUTSIDE = (0.0, 0.0, 0.0)


@routine
def nearest_point(simplex, count, share):
    """
    Reduce a simplex to the smallest one that has the point nearest to the origin.

    :returns: the point, and how many rows are left; 4: the origin is inside
    """
    a = triple.at(simplex[0], 0)
    if count == 1:
        share[0] = 1.0
        return a, 1
    b = triple.at(simplex[1], 0)
    if count == 2:
        t = _on_segment(a, b)
        share[0], share[1] = 1.0 - t, t
    elif count == 3:
        u = on_triangle(a, b, triple.at(simplex[2], 0))
        share[0], share[1], share[2] = u[0], u[1], u[2]
    elif _on_tetrahedron(simplex, share):
        return OUTSIDE, 4
    return _reduced(simplex, count, share)


@kernel
def _reduced(simplex, count, share):
    """Drop points of no weight; return the point that is meant, and how many are left."""
    x, kept = (0.0, 0.0, 0.0), 0
    for i in range(count):
        if share[i] > 0.0:
            x = triple.add(x, triple.scale(triple.at(simplex[i], 0), share[i]))
            if kept < i:
                copy(simplex[i], simplex[kept])
                share[kept] = share[i]
            kept += 1
    return x, kept


@kernel
def _on_segment(a, b):
    """Weight of b for the point of the segment a, b nearest to the origin."""
    way = triple.sub(b, a)
    length, along = triple.dot(way, way), -triple.dot(a, way)
    if along <= 0.0:
        return 0.0
    return 1.0 if along >= length else along / length


@routine
def on_triangle(a, b, c):
    """
    Weights of a, b, c for the point of their triangle nearest to the origin.

    The regions of the corners, of the edges and of the face are told apart by the inner products
    of the sides with the corners (C. Ericson, Real-Time Collision Detection, section 5.1.5).
    """
    ab, ac = triple.sub(b, a), triple.sub(c, a)
    d1, d2 = -triple.dot(ab, a), -triple.dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return (1.0, 0.0, 0.0)
    d3, d4 = -triple.dot(ab, b), -triple.dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return (0.0, 1.0, 0.0)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return (1.0 - t, t, 0.0)
    d5, d6 = -triple.dot(ab, c), -triple.dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return (0.0, 0.0, 1.0)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return (1.0 - t, 0.0, t)
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return (0.0, 1.0 - t, t)
    total = va + vb + vc
    return (va / total, vb / total, vc / total)


@kernel
def _on_tetrahedron(simplex, share):
    """
    Write the weights for the point of a tetrahedron nearest to the origin.

    :returns: whether the origin is inside
    """
    a, b = triple.at(simplex[0], 0), triple.at(simplex[1], 0)
    c, d = triple.at(simplex[2], 0), triple.at(simplex[3], 0)
    least = -1.0
    for face in range(4):
        # The corner that the face leaves out is the last one.
        p, q, r, apex = a, b, c, d
        if face == 0:
            p, q, r, apex = b, c, d, a
        elif face == 1:
            p, q, r, apex = c, d, a, b
        elif face == 2:
            p, q, r, apex = d, a, b, c
        normal = cross(triple.sub(q, p), triple.sub(r, p))
        side = triple.dot(normal, triple.sub(apex, p))
        if -triple.dot(normal, p) * side > 0.0:
            continue
        u = on_triangle(p, q, r)
        x = triple.add(triple.add(triple.scale(p, u[0]), triple.scale(q, u[1])),
                       triple.scale(r, u[2]))
        square = triple.dot(x, x)
        if least < 0.0 or square < least:
            least = square
            for k in range(3):
                share[(face + 1 + k) % 4] = u[k]
            share[face] = 0.0
    if least < 0.0:
        _inside(a, b, c, d, share)
    return least < 0.0


@kernel
def _inside(a, b, c, d, share):
    """Write the weights of the origin in a tetrahedron: shares of its volume."""
    ab, ac, ad = triple.sub(b, a), triple.sub(c, a), triple.sub(d, a)
    total = triple.dot(ab, cross(ac, ad))
    share[1] = -triple.dot(a, cross(ac, ad)) / total
    share[2] = -triple.dot(a, cross(ad, ab)) / total
    share[3] = -triple.dot(a, cross(ab, ac)) / total
    share[0] = 1.0 - share[1] - share[2] - share[3]
