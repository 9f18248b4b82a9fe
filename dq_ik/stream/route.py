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
"""The route of a motion: a smooth curve through targets in their order, and the speed along it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

from dq_ik.stream.curve import bounded, cubic, distance, divided, Piece, tangents, Vector
from dq_ik.stream.limits import MotionLimits
import numpy as np

# Targets closer [rad or m] to the last corner than this move its end instead of making a corner.
FINEST = 1e-4
# A target that jumps this far [rad or m] is a new place, not the next point of a path.
JUMP = 0.5
# A way back shorter than this [rad or m] may be noise.
NOISE = 1e-3
# The rest of the route is dropped when it is longer than this times the straight way...
DETOUR = 2.0
# ...and this [rad or m].
SPARE = 0.05
# Change of the speed in a period [of the speed] from which limits that begin in it are looked at.
BRISK = 0.05


class Route:
    """
    Where the command goes: pieces between corners, and a straight last one to the newest target.

    The curve has a tangent everywhere, and between two corners each joint moves one way
    (Fritsch and Carlson's monotone cubics). The parameter s is the sum of the greatest joint
    changes. A piece becomes final when the target after its end is known.
    """

    def __init__(self, q: Sequence[float], limits: MotionLimits) -> None:
        """Begin at q, with nowhere to go."""
        self._lists = limits.velocity.tolist(), limits.acceleration.tolist()
        self.restart(q, q)

    def restart(self, q: Sequence[float], target: Sequence[float]) -> None:
        """Go straight from q to a target."""
        self.s = 0.0
        self._tail: Piece
        self._corner, self.target = list(q), list(target)
        self._corner_tangent: Vector | None = None
        self._clear()
        self._close()

    def add(self, target: Vector, q: Sequence[float]) -> None:
        """
        Append a target.

        :param q: where the command is.
        """
        if target == self.target:
            return
        step = distance(target, self.target)
        direct = distance(target, q)
        left = self.end - self.s
        if step > JUMP or left + step > DETOUR * direct + SPARE or left <= 0.0:
            self.restart(q, target)
        elif step > NOISE and self._turns_back(target):
            self._cut(target, q, step)
        else:
            self._extend(target)

    @property
    def end(self) -> float:
        """Where the newest target is."""
        return self._tail.start + self._tail.length

    def piece(self) -> Piece:
        """Return the piece where the command is."""
        pieces = self._pieces
        while self._at < len(pieces):
            piece = pieces[self._at]
            if self.s < piece.start + piece.length:
                return piece
            self._at += 1
        return self._tail

    def point(self, s: float) -> Vector:
        """Return the joint vector at s, not before the present piece."""
        for number in range(self._at, len(self._pieces)):
            piece = self._pieces[number]
            if s < piece.start + piece.length:
                return piece.point(s)
        return self._tail.point(s) if s < self.end else self.target

    @property
    def left(self) -> float:
        """Return what is left of the route, up to the halt."""
        return self.stop - self.s

    def halt(self, speed: float) -> None:
        """End the route where one can stop from this speed."""
        rate = self.piece().rate
        self.stop = min(self.end, self.s + 0.5 * speed * speed / rate)

    def speed(self, dt: float) -> float:
        """
        Return the greatest speed for the next period, from which all later limits can be kept.

        A limit x on the squared speed at a later place allows ``x + 2 * sum(rate * way)`` here.
        """
        here = self.piece()
        reach, stopping = here.rate * dt, 2.0 * here.rate * self.left
        most = min(sqrt(here.square), _before(stopping, reach))
        speed = _before(max(0.0, min(self._ahead(here), stopping)), reach)
        if speed < most and reach > BRISK * speed:
            return self._across(here, reach, most)
        return min(speed, most)

    def _across(self, here: Piece, reach: float, speed: float) -> float:
        """
        Return the greatest speed, at most this one, if the period may lead into later pieces.

        Who is no faster than a later limit need not brake before it.
        """
        gain = 2.0 * here.rate * (here.start + here.length - self.s)
        for number in range(self._at + 1, len(self._pieces) + 1):
            if _before(gain, reach) >= speed:
                return speed
            piece = self._pieces[number] if number < len(self._pieces) else self._tail
            speed = min(speed, max(sqrt(piece.square), _before(gain + piece.square, reach)))
            gain += 2.0 * piece.rate * piece.length
        return min(speed, _before(gain, reach))

    def _ahead(self, here: Piece) -> float:
        tail = self._tail
        if here is tail:
            return inf
        rest = 2.0 * here.rate * (here.start + here.length - self.s)
        gained = self._gained[self._at + 1] - rest
        total = self._gained[len(self._pieces)]
        later = min(tail.square, 2.0 * tail.rate * tail.length) + total
        if self._at + 1 < len(self._pieces):
            later = min(later, float(self._bound[self._at + 1]))
        return later - gained

    def hull(self) -> tuple[Vector, Vector]:
        """Return the least and the greatest position of each joint on the rest of the route."""
        if self.piece() is self._tail:
            return self.target, self.target
        return self._least[self._at].tolist(), self._most[self._at].tolist()

    def configure(self, limits: MotionLimits) -> None:
        """Keep the curve, take other limits."""
        self._lists = limits.velocity.tolist(), limits.acceleration.tolist()
        pieces, at = self._pieces, self._at
        tail = self._tail
        self._clear()
        for piece in pieces[at:]:
            self._keep(self._limited(piece))
        self._tail = self._limited(tail)
        self._cover()

    # --- parts -----------------------------------------------------------------------------------

    def _extend(self, target: Vector) -> None:
        here, tail = self.piece(), self._tail
        if here is tail:  # what is left of it may bend; position and tangent here stay
            self._corner, self._corner_tangent = tail.point(self.s), tail.tangent(self.s)
            self._clear()
            start, length = self.s, distance(self._corner, self.target)
        else:
            start, length = tail.start, tail.length
        self._start = start
        if length >= FINEST:
            following = distance(target, self.target)
            before = [(b - a) / length for a, b in zip(self._corner, self.target)]
            after = [(b - a) / following for a, b in zip(self.target, target)]
            bend = tangents(before, after, length, following)
            first = self._corner_tangent or before
            piece = cubic(start, length, self._corner, first, self.target, bend, self._lists)
            for part in divided(piece, self._lists):
                self._keep(part)
            self._corner, self._corner_tangent = self.target, bend
            self._start = start + length
        self.target = target
        self._close()

    def _turns_back(self, target: Vector) -> bool:
        return sum((c - b) * (b - a) for a, b, c in zip(self._corner, self.target, target)) < 0.0

    def _cut(self, target: Vector, q: Sequence[float], step: float) -> None:
        """Leave the route where it comes close to a target that turned back; else go straight."""
        pieces = self._pieces
        for number in range(self._at, len(pieces)):
            piece = pieces[number]
            is_last = number + 1 == len(pieces) or pieces[number + 1].corner is not piece.corner
            if is_last and distance(piece.corner, target) <= step:
                break
        else:
            self.restart(q, target)
            return
        kept = pieces[self._at:number + 1]
        self._clear()
        for piece in kept:
            self._keep(piece)
        self._start = piece.start + piece.length
        self._corner = piece.point(self._start)
        self._corner_tangent = piece.tangent(self._start)
        self.target = target
        self._close()

    def _clear(self) -> None:
        n, self._at, room = len(self._corner), 0, 64
        self._pieces: list[Piece] = []
        self._gained = [0.0]  # squared speed gained by braking on the pieces so far
        self._bound = np.empty(room)
        self._least, self._most = np.empty((room, n)), np.empty((room, n))
        self._start = self.s

    def _keep(self, piece: Piece) -> None:
        """Append a final piece; all before it learn its limits and its place."""
        if len(self._pieces) == len(self._bound):
            self._grow()
        count = len(self._pieces)
        self._pieces.append(piece)
        gained = self._gained[-1]
        self._gained.append(gained + 2.0 * piece.rate * piece.length)
        corner = piece.corner
        self._bound[count], self._least[count], self._most[count] = inf, corner, corner
        span = slice(self._at, count + 1)
        np.minimum(self._bound[span], piece.square + gained, out=self._bound[span])
        np.minimum(self._least[span], corner, out=self._least[span])
        np.maximum(self._most[span], corner, out=self._most[span])

    def _grow(self) -> None:
        """Make room for more pieces, by dropping those that are behind or by doubling it."""
        at = self._at
        if at:
            del self._pieces[:at], self._gained[:at]
        grow = len(self._bound) if 2 * at < len(self._bound) else 0
        for name in ('_bound', '_least', '_most'):
            table = getattr(self, name)
            setattr(self, name, np.concatenate([table[at:], np.empty_like(table[:at + grow])]))
        self._at = 0

    def _close(self) -> None:
        """Lay the last piece from the last corner to the target; the hull covers the target."""
        self._tail = self._straight(self._start)
        self.stop = self.end
        self._cover()

    def _cover(self) -> None:
        """Let the hull of all pieces have the target."""
        count = len(self._pieces)
        if count:
            span = slice(self._at, count)
            np.minimum(self._least[span], self.target, out=self._least[span])
            np.maximum(self._most[span], self.target, out=self._most[span])

    def _limited(self, piece: Piece) -> Piece:
        """Return a piece with the limits of now."""
        return bounded(piece.start, piece.length, piece.coefficients, piece.corner, self._lists)

    def _straight(self, start: float) -> Piece:
        length = distance(self._corner, self.target)
        secant = [(b - a) / length for a, b in zip(self._corner, self.target)] if length else (
            [0.0] * len(self._corner))
        return cubic(start, length, self._corner, self._corner_tangent or secant, self.target,
                     secant, self._lists)


def _before(square: float, reach: float) -> float:
    """Return the speed v after which one can brake: ``v^2 + 2 v reach = square``."""
    return square / (reach + sqrt(reach * reach + square))
