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

"""World: things around a robot and in its hand, added, moved and removed at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
import os
from pathlib import Path
from threading import Lock

from dq_ik.collision.bodies import checked_triangles, shape_pieces
from dq_ik.collision.convex import Piece
from dq_ik.collision.cut import convex_pieces, hull_vertices
from dq_ik.errors import CollisionError, listing
from dq_ik.pose import Pose
from dq_ik.robot.meshes import MeshError
from dq_ik.robot.shapes import Box, Capsule, Cylinder, MeshFile, Sphere
import numpy as np


@dataclass(frozen=True)
class HalfSpace:
    """All that is below z = 0 of its pose: a floor, a wall, a ceiling."""


@dataclass(frozen=True)
class Mesh:
    """
    Triangles of its own; ``convex`` takes the hull of all.

    :param vertices: ``(k, 3)`` [m]
    :param faces: ``(m, 3)`` numbers of vertices
    """

    vertices: np.ndarray
    faces: np.ndarray
    convex: bool = False


Solid = Box | Cylinder | Capsule | Sphere | MeshFile | Mesh | HalfSpace


@dataclass(frozen=True)
class Thing:
    """
    One object.

    :param pieces: in its own frame; none: a half-space
    :param pose: in the frame of the root link, or of the link that carries it
    :param link: link that carries it; None: it stands still
    :param touching: links and objects that it may touch
    """

    name: str
    shapes: tuple[tuple[Solid, Pose], ...]
    pieces: tuple[Piece, ...]
    pose: Pose
    link: str | None
    touching: frozenset[str]


class World:
    """
    Objects by name; safe to change from any thread.

    Poses are in the frame of the robot's root link, or of the link that carries the object.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._things: dict[str, Thing] = {}
        self._lock = Lock()
        self.version = 0

    def add(self, name: str, shape: Solid | Sequence[tuple[Solid, Pose]],
            pose: Pose | None = None, *, link: str | None = None,
            touching: Iterable[str] = ()) -> None:
        """
        Add an object; one of the same name is replaced.

        :param shape: a solid, or several with their poses in the object
        :param link: link that carries it, as things in a hand; None: it stands still
        :param touching: links and objects that it may touch
        :raises CollisionError: if a size or a mesh is bad
        """
        if not isinstance(name, str) or not name:
            raise CollisionError(f'an object needs a name, got {name!r}')
        shapes = tuple(shape) if isinstance(shape, Sequence) else ((shape, Pose.identity()),)
        if not shapes:
            raise CollisionError(f"object '{name}' has no shape")
        try:
            pieces = tuple(piece.moved(own) for solid, own in shapes
                           for piece in _pieces(name, solid))
        except MeshError as error:
            raise CollisionError(f"object '{name}' cannot be added: {error}") from None
        flat = [solid for solid, _ in shapes if isinstance(solid, HalfSpace)]
        if flat and (len(shapes) > 1 or link is not None):
            raise CollisionError(f"object '{name}': a half-space stands alone and still")
        with self._lock:
            self._things[name] = Thing(name, shapes, pieces, pose or Pose.identity(), link,
                                       frozenset(touching))
            self.version += 1

    def move(self, name: str, pose: Pose) -> None:
        """Give an object another pose."""
        with self._lock:
            self._things[name] = replace(self._named(name), pose=pose)
            self.version += 1

    def remove(self, name: str) -> None:
        """Remove an object."""
        with self._lock:
            self._named(name)
            del self._things[name]
            self.version += 1

    def clear(self) -> None:
        """Remove all objects."""
        with self._lock:
            self._things.clear()
            self.version += 1

    def take(self, other: World) -> None:
        """Have the objects of another world in place of these, all at once."""
        _, things = other.snapshot()
        with self._lock:
            self._things = {thing.name: thing for thing in things}
            self.version += 1

    def _named(self, name: str) -> Thing:
        if name not in self._things:
            raise CollisionError(f"there is no object '{name}'; the objects are "
                                 f'{listing(self._things)}')
        return self._things[name]

    def snapshot(self) -> tuple[int, tuple[Thing, ...]]:
        """Return the number of changes so far, and all objects."""
        with self._lock:
            return self.version, tuple(self._things.values())

    def __getitem__(self, name: str) -> Thing:
        """Return an object."""
        with self._lock:
            return self._named(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an object of this name."""
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter([thing.name for thing in self.snapshot()[1]])

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self._things)


def mesh_file(path: str | os.PathLike, scale: Sequence[float] = (1.0, 1.0, 1.0)) -> MeshFile:
    """Return the shape of a mesh file at a path."""
    x, y, z = map(float, scale)
    return MeshFile(str(Path(path).expanduser().resolve()), (x, y, z))


def _pieces(name: str, solid: Solid) -> list[Piece]:
    """Return the pieces of a solid in its own frame; a half-space has none."""
    if isinstance(solid, HalfSpace):
        return []
    if isinstance(solid, Mesh):
        vertices, faces = np.asarray(solid.vertices, float), np.asarray(solid.faces, int)
        if vertices.ndim != 2 or not faces.size or faces.min() < 0 or faces.max() >= len(vertices):
            raise MeshError('its faces are triples of numbers of its vertices')
        triangles = checked_triangles(vertices[faces])
        if solid.convex:
            return [Piece(hull_vertices(triangles.reshape(-1, 3)))]
        return [Piece(corners) for corners in convex_pieces(triangles)]
    folder = Path(solid.uri).parent if isinstance(solid, MeshFile) else None
    return shape_pieces(solid, folder, name)
