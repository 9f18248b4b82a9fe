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
"""What the marker node shows of collisions: bodies by their clearance, and objects."""

from __future__ import annotations

from functools import partial

from dq_ik.collision.bands import Band, band_of, FARTHEST
from dq_ik.errors import DqIkError
from dq_ik.robot.chain import Chain
from dq_ik.ros.description import CurrentState, LATCHED
from dq_ik.ros.markers.collision_messages import CollisionMarkers
from dq_ik.ros.running import steady_timer
from dq_ik.ros.services.shared_world import SharedWorld
from dq_ik.ros.settings import SceneSettings
from dq_ik.viewer.surroundings import Surroundings
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

PERIOD = 0.1  # between two looks; RViz drops faster markers [s]
TOPIC = '~/collision_markers'


class CollisionDisplay:
    """Publishes bodies and objects when colours or objects have changed."""

    def __init__(self, node: Node, settings: SceneSettings, state: CurrentState) -> None:
        """
        Open the topic.

        :raises CollisionError: if the file of the objects cannot be read
        """
        self._node, self._state = node, state
        self._shared = SharedWorld(node, settings, state)
        self._publisher = node.create_publisher(MarkerArray, TOPIC, LATCHED)
        self._around: Surroundings | None = None
        self._markers: CollisionMarkers | None = None
        self._shown: object = None
        self._told = ''
        steady_timer(node, PERIOD, self._look)

    def use(self, chain: Chain, urdf: str) -> None:
        """Show another robot, as soon as its bodies are read."""
        self._shared.follow(chain)
        self._around = Surroundings(chain, partial(self._shared.bodies, urdf), self._shared.world)
        self._markers = self._shown = None
        self._publisher.publish(MarkerArray(markers=[Marker(action=Marker.DELETEALL)]))
        self._around.want_scene()

    def close(self) -> None:
        """End the thread that hears of objects."""
        self._shared.close()

    def _look(self) -> None:
        around = self._around
        if around is None or around.is_reading:
            return
        if around.trouble:
            self._say(around.trouble)
        bodies = around.scene.bodies if around.scene else {}
        if self._markers is None:
            self._markers = CollisionMarkers(bodies, around.chain.model.root)
        version, things = around.world.snapshot()
        bands = self._bands(around)
        if (version, bands) != self._shown:
            self._shown = version, bands
            self._publisher.publish(self._markers.array(things, bands))

    def _bands(self, around: Surroundings) -> dict[str, Band | None]:
        """Return the colours of the links at the newest joint states; unknown joints: neutral."""
        scene, chain = around.scene, around.chain
        if scene is None:
            return {}
        try:
            scene.hold(self._state.positions)
            q = chain.clamp(chain.configuration(self._state.positions, strict=False))
            gaps = scene.clearances(q, FARTHEST).gaps
        except DqIkError as error:
            self._say(f'distances cannot be told: {error}')
            return {}
        return {link: band_of(gaps[link]) if gaps[link] < FARTHEST else None
                for link in scene.bodies}

    def _say(self, sentence: str) -> None:
        """Log a sentence once."""
        if sentence != self._told:
            self._told = sentence
            self._node.get_logger().warning(sentence)
