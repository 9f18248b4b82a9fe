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
"""The topics of objects: heard as MoveIt's planning scene monitor hears them, and sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
import traceback
from typing import Any

from dq_ik.collision.world import Box, Cylinder, Sphere, Thing, World
from dq_ik.errors import CollisionError, DqIkError
from dq_ik.robot.model import RobotModel
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.description import CurrentState
from dq_ik.ros.running import NO_EVENTS_IN
from dq_ik.ros.services.objects import (
    ADD,
    apply_attached,
    apply_object,
    apply_scene,
    BOX,
    CYLINDER,
    MOVE,
    Placing,
    REMOVE,
    SPHERE,
)
from geometry_msgs.msg import Pose as PoseMsg
from rclpy.node import Node
from rclpy.qos import QoSProfile

OBJECTS = QoSProfile(depth=1000)  # a scene of many objects comes at once
OPERATIONS = {'add': ADD, 'move': MOVE, 'remove': REMOVE}
ECHOES = 500  # messages of ours that may still come back to us


class ObjectTopics:
    """
    Changes a world as messages tell it; what is wrong with one is logged, and the world stays.

    The changes are made by a worker: meshes may take seconds.
    """

    def __init__(self, node: Node, world: World, worker: Executor, state: CurrentState,
                 model: Callable[[], RobotModel], place: Placing,
                 is_ours: Callable[[Any], bool] = lambda _: False) -> None:
        """
        Listen.

        :param model: returns the robot as it is now
        :param place: tells where frames are in the root frame now
        :param is_ours: tells which ``moveit_msgs/CollisionObject`` to leave out
        :raises ImportError: if moveit_msgs is not installed
        """
        from moveit_msgs.msg import AttachedCollisionObject, CollisionObject

        self._node, self._world, self._worker = node, world, worker
        self._state, self._model, self._place, self._is_ours = state, model, place, is_ours
        self._hear(AttachedCollisionObject, 'attached_collision_object',
                   self._applying(apply_attached))
        self._hear(CollisionObject, 'collision_object', self._take)
        try:
            from moveit_msgs.msg import PlanningScene
        except ImportError:  # only a part of the package is here
            return
        self._hear(PlanningScene, 'monitored_planning_scene', self._applying(apply_scene))

    def _hear(self, kind: Any, topic: str, apply: Callable[[Any], None]) -> None:
        def hear(msg: Any) -> None:
            self._worker.submit(change, msg)

        def change(msg: Any) -> None:
            try:
                apply(msg)
            except DqIkError as error:
                self._node.get_logger().warning(f'{topic} not used: {error}')
            except Exception:
                trace = traceback.format_exc()
                self._node.get_logger().error(f'{topic} failed; please report this:\n{trace}')

        self._node.create_subscription(kind, topic, hear, OBJECTS, event_callbacks=NO_EVENTS_IN)

    def _take(self, msg: Any) -> None:
        if not self._is_ours(msg):
            apply_object(self._world, msg, self._place, self._model().links)

    def _applying(self, change: Callable[..., None]) -> Callable[[Any], None]:
        """Return what applies a message that needs to know where links are."""
        return lambda msg: change(self._world, msg, self._place, self._model(),
                                  self._state.positions)


class ObjectSender:
    """Publishes what a user does to objects."""

    def __init__(self, node: Node) -> None:
        """
        Open the topic.

        :raises ImportError: if moveit_msgs is not installed
        """
        from moveit_msgs.msg import CollisionObject

        self._node, self._message = node, CollisionObject
        self._publisher = node.create_publisher(CollisionObject, 'collision_object', OBJECTS)
        self._sent: deque[tuple[str, int, int]] = deque(maxlen=ECHOES)

    def send(self, edit: str, thing: Thing, frame: str) -> None:
        """
        Tell others of an object; may be called from any thread.

        :param edit: ``add``, ``move`` or ``remove``
        :param frame: the root link, in whose frame its pose is
        """
        msg = self._message(id=thing.name, operation=as_byte(OPERATIONS[edit]))
        msg.header.frame_id = frame
        msg.header.stamp = self._node.get_clock().now().to_msg()
        fill_pose(msg.pose, thing.pose)
        if edit == 'add':
            fill_shapes(msg, thing)
        self._sent.append(_identity(msg))
        self._publisher.publish(msg)

    def is_ours(self, msg: Any) -> bool:
        """Tell whether we have sent a message, which has come back."""
        return _identity(msg) in self._sent


def as_byte(number: int) -> Any:
    """Return a number as the field ``operation`` takes it."""
    return bytes([number])


def fill_shapes(msg: Any, thing: Thing) -> None:
    """
    Write the boxes, spheres and cylinders of an object into a ``moveit_msgs/CollisionObject``.

    :raises CollisionError: if it has another shape
    """
    from shape_msgs.msg import SolidPrimitive

    for solid, pose in thing.shapes:
        match solid:
            case Box(size):
                kind, sizes = BOX, [*size]
            case Sphere(radius):
                kind, sizes = SPHERE, [radius]
            case Cylinder(radius, length):
                kind, sizes = CYLINDER, [length, radius]
            case _:
                raise CollisionError(f"object '{thing.name}' is no box, sphere or cylinder")
        msg.primitives.append(SolidPrimitive(type=kind, dimensions=[*map(float, sizes)]))
        msg.primitive_poses.append(fill_pose(PoseMsg(), pose))


def _identity(msg: Any) -> tuple[str, int, int]:
    """Return what tells a message from others: its object and its stamp."""
    return msg.id, msg.header.stamp.sec, msg.header.stamp.nanosec
