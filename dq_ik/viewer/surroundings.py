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
"""What is around a robot: a world that the page changes, and the scene of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import threading
from typing import Literal

from dq_ik.collision.bodies import Body
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Solid, Thing, World
from dq_ik.errors import CollisionError, DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain

Edit = Literal['add', 'move', 'remove']
READING = ('The collision shapes are being read. Meshes that are cut into convex pieces for the '
           'first time take some seconds.')


class Surroundings:
    """
    The objects around a robot, and the bodies of the robot once somebody wants them.

    Bodies are read in a thread: that may take seconds, while the page goes on.
    """

    def __init__(self, chain: Chain, read: Callable[[], Mapping[str, Body]],
                 world: World | None = None,
                 tell: Callable[[Edit, Thing], None] | None = None, note: str = '') -> None:
        """
        Begin with the objects of a world; nothing is read yet.

        :param read: returns the bodies of the robot by the names of their links
        :param world: None: an empty one
        :param tell: called with each object that a user adds, moves or removes
        :param note: what users should know of their objects, such as that nobody hears of them
        """
        self.chain, self.note = chain, note
        self.world = World() if world is None else world
        self.scene: Scene | None = None
        self.trouble = ''  # why there is no scene
        self._read, self._tell = read, tell
        self._thread: threading.Thread | None = None

    def want_scene(self) -> None:
        """Begin to read the bodies, unless that was begun before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._make_scene, daemon=True)
            self._thread.start()

    @property
    def is_reading(self) -> bool:
        """Whether the bodies are wanted, and not known yet."""
        return self._thread is not None and self.scene is None and not self.trouble

    def add(self, name: str, solid: Solid, pose: Pose) -> None:
        """
        Add an object.

        :param pose: in the frame of the root link
        :raises CollisionError: if the name is taken, or a size is bad
        """
        if name in self.chain.model.links:
            raise CollisionError(f"'{name}' is a link of the robot; give the object another name")
        if name in self.world:
            raise CollisionError(f"there is an object '{name}'; give the new one another name")
        self.world.add(name, solid, pose)
        self._say('add', self.world[name])

    def move(self, name: str, pose: Pose) -> None:
        """Give an object another pose."""
        self.world.move(name, pose)
        self._say('move', self.world[name])

    def remove(self, name: str) -> None:
        """Remove an object."""
        thing = self.world[name]
        self.world.remove(name)
        self._say('remove', thing)

    def _say(self, edit: Edit, thing: Thing) -> None:
        if self._tell is not None:
            self._tell(edit, thing)

    def _make_scene(self) -> None:
        model = self.chain.model
        try:
            bodies = {link: body for link, body in self._read().items() if link in model.links}
            if bodies:
                self.scene = Scene(self.chain, bodies, world=self.world)
            else:
                self.trouble = (f"Robot '{model.name}' has no collision shapes: distances cannot "
                                'be told.')
        except DqIkError as error:
            self.trouble = f'Distances cannot be told: {error}'
        except Exception as error:  # else the page would wait for ever
            self.trouble = f'Distances cannot be told: {error!r}'
