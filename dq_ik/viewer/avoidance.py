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
"""What a robot in this process keeps away from, as it is chosen on its page."""

from __future__ import annotations

from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.stream.in_process import InProcess
from dq_ik.viewer.surroundings import READING, Surroundings


class Avoidance:
    """Lets a robot keep away from bodies, as soon as these are read."""

    def __init__(self, robot: InProcess, around: Surroundings, mode: str) -> None:
        """
        Begin with a choice.

        :param mode: off, self or world, as the parameter ``collision`` of the ik node
        """
        self._robot, self._around = robot, around
        self._alone: Scene | None = None
        self.choose(mode)
        self.update()

    def choose(self, mode: str) -> None:
        """Keep away from what a mode says; it counts from the next update on."""
        self._mode = mode
        if mode != 'off':
            self._around.want_scene()

    def update(self) -> None:
        """Hand the robot its scene, or why there is none yet."""
        self._robot.watch(None if self._mode == 'off' else self._scene())

    def _scene(self) -> Scene | str:
        around = self._around
        if around.scene is None:
            return around.trouble or READING
        if self._mode == 'world':
            return around.scene
        if self._alone is None:
            scene = around.scene
            self._alone = Scene(scene.chain, scene.bodies, scene.pairs, world=World())
        return self._alone
