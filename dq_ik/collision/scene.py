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

"""Scene: the bodies of a robot and the world around it, and whether they collide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
import math
import os
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from dq_ik.collision.bodies import Body, load_bodies
from dq_ik.collision.pairs import find_pairs, moved_by, Pairs, rigid_root
from dq_ik.collision.scene_block import Placed, scene_block
from dq_ik.collision.world import Thing, World
from dq_ik.contact import Contact
from dq_ik.core.memory.scene_layout import NEAREST, SCENE
from dq_ik.core.memory.views import read
from dq_ik.errors import CollisionError, listing
from dq_ik.native.load import door
from dq_ik.native.parallel import on_all_cores
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
import numpy as np
from numpy.typing import ArrayLike

MARGIN = 1e-4  # [m]
MARGINS = 1e-6, 1.0  # least and greatest


class Clearances(NamedTuple):
    """
    How far bodies are from those that they are kept apart from.

    :param gaps: by the names of links and objects [m]; 0: the body overlaps another one
    :param nearest: None where all are farther apart than asked
    """

    gaps: dict[str, float]
    nearest: Contact | None


class Snapshot(NamedTuple):
    """
    A scene at one moment, as the kernels take it.

    :param links: the robot whose tips are the links that carry bodies
    :param bodies: their names, in the order of the block
    :param names: of the bodies of each pair
    """

    links: np.ndarray
    block: np.ndarray
    bodies: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    memory_size: int

    def contact(self, row: np.ndarray) -> Contact | None:
        """Return what a row NEAREST says."""
        number, distance, *points = row.tolist()
        if number < 0:
            return None
        a, b = self.names[int(number)]
        return Contact(a, b, distance, tuple(points[:3]), tuple(points[3:]))


class Scene:
    """
    Bodies of a robot whose chain moves, and the objects of a :class:`World`.

    Two bodies that are no farther apart than ``margin`` count as colliding. The world may change
    at any time; each call sees it as it is then.
    """

    def __init__(self, chain: Chain, bodies: Mapping[str, Body], pairs: Pairs | None = None, *,
                 world: World | None = None, margin: float = MARGIN) -> None:
        """
        Prepare a scene.

        :param pairs: None: found by :func:`dq_ik.collision.pairs.find_pairs`
        :param world: None: an empty one of its own
        :param margin: [m]
        """
        if not MARGINS[0] <= margin <= MARGINS[1]:
            raise CollisionError(f'margin is {MARGINS[0]:g} to {MARGINS[1]:g} m, got {margin}')
        if not bodies:
            raise CollisionError(f"robot '{chain.model.name}' has no <collision> shapes; the "
                                 'visual ones serve with of_visuals=True')
        self.chain, self.bodies, self.margin = chain, dict(bodies), float(margin)
        self.pairs = find_pairs(chain.model, bodies) if pairs is None else pairs
        self.world = World() if world is None else world
        self._links = Chain(chain.model, None, _carriers(chain.model, tuple(self.bodies)))
        self._values = dict(zip(self._links.joint_names, self._links.neutral.tolist()))
        self._lock = Lock()
        self._kept: tuple[int, Snapshot] | None = None

    @classmethod
    def load(cls, chain: Chain, source: str | os.PathLike, srdf: str = '', *,
             folder: Path | None = None, of_visuals: bool = False, world: World | None = None,
             margin: float = MARGIN) -> Scene:
        """
        Read the bodies of a robot description.

        :param source: path of the URDF that the chain is from, or its text
        :param srdf: text whose ``disable_collisions`` are obeyed
        :param folder: where relative paths of meshes begin; None: the folder of the file
        :param of_visuals: a link without ``<collision>`` is as solid as its visual
        """
        bodies = load_bodies(source, folder, of_visuals=of_visuals)
        return cls(chain, bodies, find_pairs(chain.model, bodies, srdf), world=world,
                   margin=margin)

    def hold(self, positions: Mapping[str, float]) -> None:
        """
        Say where the joints are that the chain does not move; they are neutral before.

        :param positions: by name; those of the chain and of other robots are ignored
        """
        with self._lock:
            changed = False
            for name, value in positions.items():
                if name not in self._values or name in self.chain.joint_names:
                    continue
                if math.isfinite(value) and value != self._values[name]:
                    self._values[name] = float(value)
                    changed = True
            if changed and self._kept is not None:
                version, now = self._kept
                block = now.block.copy()
                read(SCENE, block).value[:] = list(self._values.values())
                block.setflags(write=False)
                self._kept = version, now._replace(block=block)

    # --- questions -------------------------------------------------------------------------------

    def collides(self, q: ArrayLike) -> bool:
        """Tell whether bodies are no farther apart than the margin at q."""
        return not self.free(self.chain.checked(q)[None])[0]

    def free(self, q: ArrayLike) -> np.ndarray:
        """Tell which of many configurations (N, n) are free of collisions, on all cores."""
        q = np.ascontiguousarray(q, dtype=float).reshape(-1, self.chain.n)
        now, pairs = self.snapshot(), np.empty(len(q))
        decide = door().entries['decide']
        on_all_cores(len(q), lambda rows: decide(
            now.links, now.block, q[rows], len(q[rows]), pairs[rows], np.empty(now.memory_size)))
        return pairs < 0.0

    def clearance(self, q: ArrayLike, farthest: float = 10.0) -> Contact | None:
        """
        Return the nearest pair of bodies at q; None where all are farther apart than asked.

        Of bodies that overlap, the distance is 0 and the two points are one.
        """
        now, row = self.snapshot(), np.empty(NEAREST.width)
        door().entries['clearance'](now.links, now.block, self.chain.checked(q), 1,
                                    float(farthest), row, np.empty(now.memory_size))
        return now.contact(row)

    def clearances(self, q: ArrayLike, farthest: float = 10.0) -> Clearances:
        """
        Return how far each body is from those that it is kept apart from, and the nearest pair.

        :param farthest: what is farther counts as this far [m]
        """
        now, row = self.snapshot(), np.empty(NEAREST.width)
        gaps = np.empty(len(now.bodies))
        door().entries['body_clearances'](now.links, now.block, self.chain.checked(q),
                                          float(farthest), gaps, row, np.empty(now.memory_size))
        return Clearances(dict(zip(now.bodies, gaps.tolist())), now.contact(row))

    # --- the block -------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the scene as it is now."""
        with self._lock:
            if self._kept is None or self._kept[0] != self.world.version:
                version, things = self.world.snapshot()
                self._kept = version, self._snapshot(things)
            return self._kept[1]

    def _snapshot(self, things: tuple[Thing, ...]) -> Snapshot:
        bodies = [Placed(link, number, body.pieces)
                  for number, (link, body) in enumerate(self.bodies.items())]
        bodies += [self._placed(thing) for thing in things]
        order = {body.name: number for number, body in enumerate(bodies)}
        names = [*self._own_pairs, *self._pairs_of(things)]
        source = [self.chain.joint_names.index(name) if name in self.chain.joint_names else -1
                  for name in self._links.joint_names]
        block = scene_block(
            self.chain.n, source, list(self._values.values()), len(self._links.tips), bodies,
            [(order[a], order[b]) for a, b in names], self.margin)
        return Snapshot(self._links.block, block, tuple(order), tuple(names),
                        door().entries['scene_memory_size'](self._links.block, block))

    def _placed(self, thing: Thing) -> Placed:
        if thing.name in self.bodies:
            raise CollisionError(f"object '{thing.name}' has the name of a link; rename it")
        if not thing.pieces:
            normal = thing.pose.matrix[:3, 2]
            plane = np.array([*normal, normal @ thing.pose.position])
            return Placed(thing.name, None, (), plane)
        link, pose = None, thing.pose
        if thing.link is not None:
            link, x_tip_link = self._carrier(thing)
            pose = x_tip_link @ pose
        return Placed(thing.name, link, tuple(piece.moved(pose) for piece in thing.pieces))

    def _carrier(self, thing: Thing) -> tuple[int, Pose]:
        """Return the number of a link that carries a thing, and the pose of its own link there."""
        model, link = self.chain.model, thing.link
        if link not in model.links:
            raise CollisionError(f"object '{thing.name}' is attached to '{link}', which is no "
                                 f'link of the robot: {listing(model.links)}')
        root = rigid_root(model, link)
        tip = next(tip for tip in self._links.tips if rigid_root(model, tip) == root)
        poses = model.link_poses({})
        return self._links.tips.index(tip), poses[tip].inverse() @ poses[link]

    @cached_property
    def _moved(self) -> dict[str, frozenset[str]]:
        """Joints of the chain on the way to each link."""
        return {link: moved_by(self.chain.model, link, self.chain)
                for link in self.chain.model.links}

    @cached_property
    def _own_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of links that the chain moves against each other."""
        return tuple((a, b) for a, b in self.pairs.kept if self._moved[a] != self._moved[b])

    def _pairs_of(self, things: tuple[Thing, ...]) -> Iterator[tuple[str, str]]:
        """Yield the pairs of things with what moves against them; half-spaces come second."""
        for number, thing in enumerate(things):
            moved = self._moved[thing.link] if thing.link else frozenset()
            for link in self.bodies:
                if self._moved[link] != moved and link not in thing.touching:
                    yield link, thing.name
            for other in things[:number]:
                others = self._moved[other.link] if other.link else frozenset()
                if others != moved and not (other.name in thing.touching
                                            or thing.name in other.touching):
                    first, second = (other, thing) if other.pieces else (thing, other)
                    yield first.name, second.name


def _carriers(model: RobotModel, bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Return links to which anything may be attached: those with bodies, and one of each rest."""
    roots = {rigid_root(model, link) for link in bodies}
    rest = {rigid_root(model, link): link for link in model.links}
    return (*bodies, *(link for root, link in rest.items() if root not in roots))
