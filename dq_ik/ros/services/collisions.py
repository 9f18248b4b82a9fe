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

"""The world of a node, and the bodies of its robot: read when a request first asks for them."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from dq_ik.collision.bodies import Body, load_bodies
from dq_ik.collision.pairs import find_pairs, Pairs
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.collision.world_file import check_links, load_world
from dq_ik.errors import CollisionError, DqIkError
from dq_ik.robot.chain import Chain
from dq_ik.ros.settings import NodeSettings


class Collisions:
    """One world for all; bodies and pairs of one robot at a time."""

    def __init__(self, log: Any, world_file: str = '') -> None:
        """
        Begin with the world of a file, or an empty one.

        :param log: of the node
        :param world_file: file or name of a world; empty: none
        :raises CollisionError: if it cannot be read
        """
        self.world = load_world(world_file) if world_file else World()
        self._log = log
        self._lock = Lock()
        self._key: tuple[str, str] | None = None
        self._bodies: tuple[dict[str, Body], Pairs] | str = ''

    def scene(self, chain: Chain, description: str, settings: NodeSettings,
              world: World | None = None) -> Scene | str:
        """
        Return a scene of a chain; a text: why there can be none. Any thread may ask.

        :param world: None: the one that the topics tell of
        """
        key = description, settings.robot_description_semantic
        with self._lock:
            if key != self._key:
                self._bodies, self._key = self._load(chain, description, settings), key
            bodies = self._bodies
        if isinstance(bodies, str):
            return bodies
        around = self.world if world is None else world
        try:
            check_links(around, chain.model)
        except CollisionError as error:
            return str(error)
        return Scene(chain, *bodies, world=around)

    def _load(self, chain: Chain, description: str,
              settings: NodeSettings) -> tuple[dict[str, Body], Pairs] | str:
        """Read the bodies of a robot; what the user should know goes to the log."""
        try:
            bodies = load_bodies(
                description, Path(settings.urdf_folder) if settings.urdf_folder else None,
                of_visuals=settings.solid_visuals)
            if not bodies:
                return f"robot '{chain.model.name}' has no <collision> shapes; see solid_visuals"
            pairs = find_pairs(chain.model, bodies, settings.robot_description_semantic)
        except DqIkError as error:
            self._log.warning(f'collisions are not checked: {error}')
            return str(error)
        for line in pairs.warnings():
            self._log.warning(line)
        self._log.info(f'collisions are checked: {len(bodies)} bodies, {len(pairs.kept)} pairs')
        return bodies, pairs
