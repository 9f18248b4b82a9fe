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
"""Smooth curves in joint space: cubic pieces between corners, and how fast one may pass them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf
from typing import NamedTuple

# Share of the acceleration that curves may take; the rest is for braking.
CURVE_SHARE = 0.5
# A piece is divided into parts of this length [rad or m], into so many at most.
PART, MOST_PARTS = 0.02, 8

Vector = list[float]
Cubics = tuple[Vector, Vector, Vector, Vector]
Bounds = tuple[Vector, Vector]  # velocity and acceleration limits of all joints


class Piece(NamedTuple):
    """
    One cubic piece, from ``start`` to ``start + length`` of the route.

    :param coefficients: constant, linear, quadratic and cubic, each of all joints.
    :param corner: where the piece ends, or the one that it is a part of.
    :param square: greatest squared speed.
    :param rate: greatest rate of the speed.
    """

    start: float
    length: float
    coefficients: Cubics
    corner: Vector
    square: float
    rate: float

    def point(self, s: float) -> Vector:
        """Return the joint vector at s."""
        t = s - self.start
        return [c0 + t * (c1 + t * (c2 + t * c3)) for c0, c1, c2, c3 in zip(*self.coefficients)]

    def tangent(self, s: float) -> Vector:
        """Return the derivative at s."""
        t, (_, linear, quadratic, cubic) = s - self.start, self.coefficients
        return [c1 + t * (2.0 * c2 + 3.0 * t * c3)
                for c1, c2, c3 in zip(linear, quadratic, cubic)]


def cubic(start: float, h: float, p: Vector, t: Vector, q: Vector, u: Vector,
          bounds: Bounds) -> Piece:
    """
    Return the piece of length h from p with tangent t to q with tangent u.

    Each joint moves one way: tangents are cut to between 0 and 3 times the secant.
    """
    if not h:
        zero = [0.0] * len(p)
        return Piece(start, 0.0, (p, zero, zero, zero), q, inf, inf)
    r = 1.0 / h
    linear, quadratic, cube = [], [], []
    for a, b, x, y in zip(p, q, t, u):
        secant = (b - a) * r
        if secant >= 0.0:
            x, y = min(max(x, 0.0), 3.0 * secant), min(max(y, 0.0), 3.0 * secant)
        else:
            x, y = max(min(x, 0.0), 3.0 * secant), max(min(y, 0.0), 3.0 * secant)
        linear.append(x)
        quadratic.append((3.0 * secant - 2.0 * x - y) * r)
        cube.append((x + y - 2.0 * secant) * r * r)
    return bounded(start, h, (p, linear, quadratic, cube), q, bounds)


def bounded(start: float, h: float, coefficients: Cubics, corner: Vector,
            bounds: Bounds) -> Piece:
    """Return a piece with the greatest squared speed along it and its greatest rate."""
    square, rate = 1e30, 1e30
    steep = []
    for c1, c2, c3, v, a in zip(*coefficients[1:], *bounds):
        if c2 == 0.0 == c3:
            bend, slope = 0.0, abs(c1)
        else:
            first, change = 2.0 * c2, 6.0 * h * c3
            bend = max(abs(first), abs(first + change))
            slope = max(abs(c1), abs(c1 + h * (first + 0.5 * change)),
                        abs(c1 + h * (c2 + 0.125 * change)))
        if slope > 0.0:
            limit = v / slope
            if limit * limit < square:
                square = limit * limit
            steep.append((slope, bend, a))
        if bend * square > CURVE_SHARE * a:
            square = CURVE_SHARE * a / bend
    for slope, bend, a in steep:
        limit = (a - bend * square) / slope
        if limit < rate:
            rate = limit
    return Piece(start, h, coefficients, corner, square, rate)


def divided(piece: Piece, bounds: Bounds) -> list[Piece]:
    """Return the parts of a piece, so that a sharp bend slows down its part alone."""
    count = min(ceil(piece.length / PART), MOST_PARTS)
    if count <= 1:
        return [piece]
    _, _, quadratic, cube = piece.coefficients
    h = piece.length / count
    parts = []
    for t in [i * h for i in range(count)]:
        s = piece.start + t
        bend = [c2 + 3.0 * t * c3 for c2, c3 in zip(quadratic, cube)]
        parts.append(bounded(s, h, (piece.point(s), piece.tangent(s), bend, cube), piece.corner,
                             bounds))
    return parts


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the greatest joint change between two places."""
    return max([abs(x - y) for x, y in zip(a, b)], default=0.0)


def tangents(before: Vector, after: Vector, h0: float, h1: float) -> Vector:
    """
    Return the slopes at a corner: weighted harmonic means, 0 where the direction changes.

    :param before: secant before the corner, over the length h0.
    :param after: secant after it, over the length h1.
    """
    w0, w1 = 2.0 * h1 + h0, h1 + 2.0 * h0
    return [0.0 if a * b <= 0.0 else (w0 + w1) * a * b / (w0 * b + w1 * a)
            for a, b in zip(before, after)]
