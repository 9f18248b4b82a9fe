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
"""The objects that the nodes of a system tell each other of, as one that shows them knows them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from dq_ik.collision.bodies import Body, load_bodies
from dq_ik.collision.world import Thing, World
from dq_ik.collision.world_file import check_links, load_world
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.ros.description import CurrentState
from dq_ik.ros.frames import Frames
from dq_ik.ros.services.object_topics import ObjectSender, ObjectTopics
from dq_ik.ros.settings import SceneSettings
from dq_ik.viewer.surroundings import Edit, Surroundings
from rclpy.node import Node

UNHEARD = 'moveit_msgs is not installed: objects stay on this page, no other node knows of them.'


class SharedWorld:
    """A world that follows the topics of objects, and tells others what a user changes in it."""

    def __init__(self, node: Node, settings: SceneSettings, state: CurrentState) -> None:
        """
        Begin with the objects of ``world_file``.

        :param state: joint positions, which place links
        :raises CollisionError: if that file cannot be read
        """
        self._node, self._settings, self._state = node, settings, state
        self.world = load_world(settings.world_file) if settings.world_file else World()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='objects')
        self._topics: ObjectTopics | None = None
        self._sender: ObjectSender | None = None
        self._robot: RobotModel | None = None

    def around(self, chain: Chain, urdf: str) -> Surroundings:
        """
        Return what is around a robot, for a page; messages are heard from the first robot on.

        :raises CollisionError: if an object of the file is attached to no link of the first robot
        """
        self.follow(chain)
        return Surroundings(chain, partial(self.bodies, urdf), self.world, self._tell,
                            '' if self._sender else UNHEARD)

    def follow(self, chain: Chain) -> None:
        """Place the objects by the links of this robot from now on."""
        if self._robot is None:
            check_links(self.world, chain.model)
        self._robot, self._frames = chain.model, Frames(chain.model, chain.model.root)
        if self._topics is not None:
            return
        try:
            self._sender = ObjectSender(self._node)
            self._topics = ObjectTopics(
                self._node, self.world, self._worker, self._state, self._model, self._place,
                self._sender.is_ours)
        except ImportError:
            self._node.get_logger().info('no moveit_msgs: objects of others are not known')

    def bodies(self, urdf: str) -> dict[str, Body]:
        """Return the bodies of a robot, as the parameters say."""
        folder = Path(self._settings.urdf_folder) if self._settings.urdf_folder else None
        return load_bodies(urdf, folder, of_visuals=self._settings.solid_visuals)

    def close(self) -> None:
        """End the worker."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _model(self) -> RobotModel:
        assert self._robot is not None  # messages are heard from the first robot on
        return self._robot

    def _place(self, frame: str) -> Pose:
        """Return the pose of a link in the root frame, now."""
        return self._frames.pose(frame, self._state.positions)

    def _tell(self, edit: Edit, thing: Thing) -> None:
        if self._sender is None or self._robot is None:
            return
        try:
            self._sender.send(edit, thing, self._robot.root)
        except DqIkError as error:
            self._node.get_logger().warning(f'nobody was told: {error}')
