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

"""A scene as a block of numbers for the kernels (:data:`dq_ik.core.memory.scene_layout.SCENE`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dq_ik.collision.convex import ball_around, Piece
from dq_ik.core.algebra.lanes import WIDTH
from dq_ik.core.memory import scene_layout as core
from dq_ik.core.memory.layout import FARTHEST
from dq_ik.core.memory.views import read
import numpy as np
from numpy.typing import ArrayLike


class Placed(NamedTuple):
    """
    A body and what carries it.

    :param link: number of the link; None: it stands still
    :param pieces: in the frame of the link; none: a half-space
    :param plane: normal and offset of a half-space, whose points have ``normal x <= offset``
    """

    name: str
    link: int | None
    pieces: tuple[Piece, ...]
    plane: np.ndarray | None = None


def scene_block(n: int, source: Sequence[int], value: ArrayLike, n_links: int,
                bodies: Sequence[Placed], pairs: Sequence[tuple[int, int]],
                margin: float) -> np.ndarray:
    """
    Write a scene.

    :param n: variables of the chain
    :param source: of each variable of the links: that of the chain, or -1
    :param value: of those that the chain does not move
    :param pairs: numbers of bodies; half-spaces are second
    """
    pieces = [piece for body in bodies for piece in (body.pieces or (None,))]
    rows = [_rows(piece) for piece in pieces]
    block = core.SCENE.new(
        n=n, n_variables=len(source), n_links=n_links, n_bodies=len(bodies), n_pieces=len(pieces),
        n_rows=sum(len(own) for own in rows), n_pairs=len(pairs))
    scene = read(core.SCENE, block)
    scene.margin[...] = margin
    scene.source[:], scene.value[:] = source, value
    start = 0
    for body, row, ball in zip(bodies, scene.body, scene.ball):
        stop = start + max(len(body.pieces), 1)
        row[:] = n_links if body.link is None else body.link, start, stop
        ball[:] = ball_around(body.pieces) if body.pieces else (0.0, 0.0, 0.0, FARTHEST)
        if body.plane is not None:
            scene.capsule[start, :4] = body.plane
        start = stop
    first = 0
    for number, (piece, own) in enumerate(zip(pieces, rows)):
        kind = core.HALF_SPACE if piece is None else core.HULL
        scene.piece[number] = kind, first, first + len(own)
        if piece is not None:
            scene.capsule[number], scene.rounding[number] = piece.capsule, piece.rounding
            scene.vertex[3 * first:3 * (first + len(own))] = own.reshape(-1, WIDTH)
        first += len(own)
    if pairs:
        scene.pair[:] = pairs
    block.setflags(write=False)
    return block


def _rows(piece: Piece | None) -> np.ndarray:
    """Return vertices as rows of lanes ``(k, 3, WIDTH)``; the last one fills the rest."""
    if piece is None:
        return np.empty((0, 3, WIDTH))
    count = -len(piece.vertices) % WIDTH
    padded = np.concatenate([piece.vertices, np.repeat(piece.vertices[-1:], count, axis=0)])
    return padded.reshape(-1, WIDTH, 3).transpose(0, 2, 1)
