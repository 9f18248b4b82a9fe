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

"""What the links of a robot consist of: convex pieces that contain their collision shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
import os
from pathlib import Path
import sys

from dq_ik.collision.cache import cached, digest
from dq_ik.collision.convex import Piece, piece_of
from dq_ik.collision.cut import convex_pieces
from dq_ik.errors import CollisionError
from dq_ik.robot.meshes import load_mesh, MeshError, resolve_uri
from dq_ik.robot.shapes import LARGEST, MeshFile, parse_collisions, Shape, Visual
from dq_ik.robot.urdf import read_source
import numpy as np


@dataclass(frozen=True)
class Body:
    """A link as convex pieces, in the frame of the link."""

    link: str
    pieces: tuple[Piece, ...]


def load_bodies(source: str | os.PathLike, folder: Path | None = None, *,
                of_visuals: bool = False) -> dict[str, Body]:
    """
    Return the bodies of a robot by the names of their links.

    :param source: path of a URDF or xacro file, or the XML text itself
    :param folder: where relative paths of meshes begin; None: the folder of the file
    :param of_visuals: a link without ``<collision>`` is as solid as its visual
    :raises CollisionError: if a shape or a mesh cannot be read
    """
    text = read_source(source)
    if folder is None and not (isinstance(source, str) and '<' in source):
        folder = Path(source).expanduser().parent
    pieces: dict[str, list[Piece]] = {}
    for solid in parse_collisions(text, of_visuals):
        try:
            found = _pieces(solid, folder)
        except MeshError as error:
            raise CollisionError(f"link '{solid.link}' has a <collision> that cannot be used: "
                                 f'{error}') from None
        pieces.setdefault(solid.link, []).extend(piece.moved(solid.origin) for piece in found)
    return {link: Body(link, tuple(own)) for link, own in pieces.items()}


def bodies_digest(bodies: Mapping[str, Body]) -> bytes:
    """Return the numbers of some bodies, to know them again."""
    return b''.join(
        piece.vertices.tobytes() + np.float64(piece.rounding).tobytes() + body.link.encode()
        for body in bodies.values() for piece in body.pieces)


def _pieces(solid: Visual, folder: Path | None) -> list[Piece]:
    """Return the pieces of one shape in its own frame."""
    if solid.shape is None:
        raise MeshError(solid.flaw)
    return shape_pieces(solid.shape, folder, solid.link)


def shape_pieces(shape: Shape, folder: Path | None, name: str) -> list[Piece]:
    """
    Return the pieces of a shape in its own frame; those of a mesh file are kept.

    :param name: of what has the shape, for the progress
    :raises MeshError: if it has no size, or the mesh cannot be read
    """
    if not isinstance(shape, MeshFile):
        sizes = np.hstack(astuple(shape))
        if not ((sizes > 0.0) & (sizes <= LARGEST)).all():
            raise MeshError(f'{shape} has a bad size; sizes are finite: greater than 0, at most '
                            f'{LARGEST:g} m')
        return [piece_of(shape)]
    path = resolve_uri(shape.uri, folder)
    if path is None:
        load_mesh(shape, folder)  # says why
        raise MeshError(f'there is no file {shape.uri}')

    def cut() -> list[np.ndarray]:
        print(f'dq_ik: cutting the mesh of {name} into convex pieces (once)', file=sys.stderr,
              flush=True)
        return convex_pieces(checked_triangles(load_mesh(shape, folder).triangles))
    name_of_cut = digest(path.read_bytes(), repr(shape.scale))
    return [Piece(vertices) for vertices in cached(name_of_cut, cut)]


def checked_triangles(triangles: Iterable) -> np.ndarray:
    """Return triangles (m, 3, 3), at least one and all on earth, or raise MeshError."""
    found = np.asarray(triangles, dtype=float)
    if found.ndim != 3 or found.shape[1:] != (3, 3) or not len(found):
        raise MeshError(f'triangles have the shape (m, 3, 3), got {found.shape}')
    if not np.isfinite(found).all():
        raise MeshError('the mesh has a vertex that is not finite; export it again')
    if np.abs(found).max() > LARGEST:
        raise MeshError(f'the mesh has a vertex more than {LARGEST:g} m away; export it in metres')
    return found
