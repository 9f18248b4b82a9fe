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

"""What the stream of a node keeps away from: prepared in the background, then watched."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
import traceback
from typing import Any

from dq_ik.collision.scene import Scene
from dq_ik.collision.world import World
from dq_ik.errors import CollisionError, DqIkError
from dq_ik.result import IkResult, Status
from dq_ik.ros.description import CurrentState
from dq_ik.ros.follow.prepared import Prepared
from dq_ik.ros.running import steady_timer
from dq_ik.ros.services.collisions import Collisions
from dq_ik.stream.tracker import Tracker
from rclpy.node import Node

POLL = 0.02  # period in which the end of the preparation is looked for [s]
ASK_AGAIN = 2.0  # between two searches for a posture that meets a blocked goal [s]
HAS_ONE = "compute_ik with avoid_collisions has an answer; the way there is a planner's work"
HAS_NONE = 'compute_ik with avoid_collisions has no answer either'


class StreamBodies:
    """Owns the scene of the stream; its methods are called in the thread of the executor."""

    def __init__(self, node: Node, state: CurrentState, collisions: Collisions) -> None:
        """Watch nothing."""
        self._node, self._state, self._collisions = node, state, collisions
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix='bodies')
        self._building: Future | None = None
        self._scene: Scene | str | None = None
        self._key: Any = None
        self.mode = 'off'
        self._timer: Any = None  # while something is prepared
        self._asked = -ASK_AGAIN
        self._asking: Future | None = None
        self._hint = ''

    def use(self, prepared: Prepared, stream: Tracker) -> None:
        """Watch what the settings ask for, as soon as it is prepared."""
        settings = prepared.settings
        self.mode, self._stream = settings.collision, stream
        key = (prepared.chain, prepared.description, settings.robot_description_semantic,
               self.mode)
        if key != self._key:
            self._key, self._scene, self._building = key, None, None
            if self.mode != 'off':
                world = World() if self.mode == 'self' else None
                self._building = self._worker.submit(
                    self._collisions.scene, prepared.chain, prepared.description, settings, world)
                self._timer = self._timer or steady_timer(self._node, POLL, self._look)
        self._watch()

    def check(self) -> None:
        """
        Refuse motion while it cannot be kept free of collisions.

        :raises CollisionError: with the reason
        """
        if self._building is not None:
            raise CollisionError('the bodies of the robot are being prepared; nothing is '
                                 'followed until then')
        if isinstance(self._scene, str):
            raise CollisionError(f"collision is '{self.mode}', but {self._scene}; nothing is "
                                 "followed until collision is 'off'")

    def update(self) -> None:
        """Place what the chain does not move where it is now."""
        if isinstance(self._scene, Scene):
            self._scene.hold(self._state.positions)

    def hint(self, result: IkResult, now: float) -> str:
        """Return what a client can do about a blocked goal; it is searched for now and then."""
        if result.status is not Status.BLOCKED:
            self._hint = ''
            return ''
        if self._asking is not None and self._asking.done():
            found, self._asking = self._asking, None
            self._hint = '' if found.exception() else (
                HAS_ONE if found.result().success else HAS_NONE)
        if self._asking is None and now - self._asked > ASK_AGAIN:
            search = self._stream.free_search()
            self._asked = now
            self._asking = None if search is None else self._worker.submit(search)
        return self._hint

    def close(self) -> None:
        """End the thread; it finishes what it has begun."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _look(self) -> None:
        """Take the scene when it is there."""
        if self._building is not None and not self._building.done():
            return
        self._node.destroy_timer(self._timer)
        self._timer = None
        if self._building is not None:
            try:
                self._scene = self._building.result()
            except DqIkError as error:
                self._scene = str(error)
            except Exception as error:
                self._node.get_logger().error(
                    f'the bodies failed; please report this:\n{traceback.format_exc()}')
                self._scene = f'the bodies failed: {error!r}'
            self._building = None
            self._watch()

    def _watch(self) -> None:
        """Let the stream keep away from the scene, or stand where it cannot."""
        self._stream.watch(self._scene if isinstance(self._scene, Scene) else None)
        try:
            self.check()
        except CollisionError as reason:
            if self._stream.active:
                self._stream.hold()
            self._node.get_logger().warning(str(reason))
        else:
            if isinstance(self._scene, Scene):
                self._node.get_logger().info(f"streams avoid collisions: '{self.mode}'")
