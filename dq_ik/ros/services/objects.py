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

"""Objects around a robot and in its hand, as MoveIt's messages tell of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
import math
from typing import Any

from dq_ik.collision.convex import ring, SIDES
from dq_ik.collision.world import Box, Cylinder, HalfSpace, Mesh, Solid, Sphere, World
from dq_ik.errors import CollisionError, DqIkError, listing
from dq_ik.pose import Pose
from dq_ik.robot.model import RobotModel
from dq_ik.ros.conversions import pose_from_msg
import numpy as np

# Values of shape_msgs/SolidPrimitive and of moveit_msgs/CollisionObject.
BOX, SPHERE, CYLINDER, CONE = 1, 2, 3, 4
DIMENSIONS = {BOX: 3, SPHERE: 1, CYLINDER: 2, CONE: 2}
ADD, REMOVE, APPEND, MOVE = range(4)

Placing = Callable[[str], Pose]  # name of a frame -> its pose in the root frame
Positions = Mapping[str, float]


def apply_object(world: World, msg: Any, place: Placing, links: Collection[str] = ()) -> None:
    """
    Add, move or remove what a ``moveit_msgs/CollisionObject`` names, as MoveIt does.

    :param place: tells where frames are
    :param links: of the robot; no object has the name of one
    :raises DqIkError: with the reason, and the world stays as it is
    """
    operation = _operation(msg)
    if operation == REMOVE and not msg.id:
        for name in [name for name in world if world[name].link is None]:
            world.remove(name)
        return
    if operation != ADD and msg.id in world and world[msg.id].link is not None:
        raise CollisionError(f"object '{msg.id}' is attached to '{world[msg.id].link}'; detach it "
                             'first')
    if operation == REMOVE:
        world.remove(msg.id)
        return
    _check_name(msg.id, links)
    pose = place(msg.header.frame_id) @ _pose(msg.pose)
    if operation == MOVE:
        world.move(msg.id, pose)
        return
    shapes = solids(msg)
    if operation == APPEND and msg.id in world:
        before = world[msg.id]
        back = pose.inverse() @ before.pose
        shapes = [*((solid, back @ own) for solid, own in before.shapes), *shapes]
    world.add(msg.id, shapes, pose)


def apply_attached(world: World, msg: Any, place: Placing, model: RobotModel,
                   positions: Positions) -> None:
    """
    Attach or detach what a ``moveit_msgs/AttachedCollisionObject`` names, as MoveIt does.

    An object without shapes is one that is known. What is detached stays where it is then.

    :param positions: of the joints, which place the link
    """
    name, poses = msg.object.id, model.link_poses(positions)
    if _operation(msg.object) == REMOVE:
        held = [own for own in world if world[own].link is not None
                and name in ('', own) and msg.link_name in ('', world[own].link)]
        if not held:
            raise CollisionError(f"nothing named '{name}' is attached to '{msg.link_name}'")
        for own in held:
            thing = world[own]
            assert thing.link is not None
            world.add(own, list(thing.shapes), poses[thing.link] @ thing.pose)
        return
    if msg.link_name not in model.links:
        raise CollisionError(f"object '{name}' is to be attached to '{msg.link_name}', which is "
                             f'no link of the robot: {listing(model.links)}')
    _check_name(name, model.links)
    shapes = solids(msg.object)
    if shapes:
        x_root_object = place(msg.object.header.frame_id) @ _pose(msg.object.pose)
    else:
        thing = world[name]
        shapes, x_root_object = list(thing.shapes), thing.pose
        if thing.link is not None:
            x_root_object = poses[thing.link] @ thing.pose
    world.add(name, shapes, poses[msg.link_name].inverse() @ x_root_object, link=msg.link_name,
              touching=(*msg.touch_links, msg.link_name))


def apply_scene(world: World, msg: Any, place: Placing, model: RobotModel,
                positions: Positions) -> None:
    """
    Take the objects of a ``moveit_msgs/PlanningScene``; one that is no difference replaces all.

    Its state of the robot and its allowed collisions are not used.

    :raises DqIkError: with all reasons, after the objects that can be used were taken
    """
    changed = world if msg.is_diff else World()
    changes = [partial(apply_object, changed, item, place, model.links)
               for item in msg.world.collision_objects]
    changes += [partial(apply_attached, changed, item, place, model, positions)
                for item in msg.robot_state.attached_collision_objects]
    reasons = []
    for change in changes:
        try:
            change()
        except DqIkError as error:
            reasons.append(str(error))
    if changed is not world:
        world.take(changed)  # at once: the robot never sees a part of it
    if reasons:
        raise CollisionError('; '.join(reasons))


def solids(msg: Any) -> list[tuple[Solid, Pose]]:
    """Return the shapes of a ``moveit_msgs/CollisionObject`` with their poses in the object."""
    found: list[tuple[Solid, Pose]] = []
    for what, own, read in (('primitive', msg.primitives, _primitive), ('mesh', msg.meshes, _mesh),
                            ('plane', msg.planes, _plane)):
        poses = getattr(msg, f'{what}_poses')
        if len(poses) not in (0, len(own)):
            raise CollisionError(f"object '{msg.id}' has {len(own)} of the kind {what} and "
                                 f'{len(poses)} poses of them')
        for number, shape in enumerate(own):
            solid, pose = read(shape)
            found.append((solid, (_pose(poses[number]) if poses else Pose.identity()) @ pose))
    return found


def _check_name(name: str, links: Collection[str]) -> None:
    if name in links:
        raise CollisionError(f"object '{name}' has the name of a link; rename it")


def _operation(msg: Any) -> int:
    """Return the operation; rclpy has bytes as objects of bytes."""
    value = msg.operation
    number = value[0] if isinstance(value, bytes) else int(value)
    if number not in (ADD, REMOVE, APPEND, MOVE):
        raise CollisionError(f"object '{msg.id}' has the operation {number}; 0 to 3 are known")
    return number


def _pose(msg: Any) -> Pose:
    """Return a pose; one that was never set is none at all."""
    q = msg.orientation
    if not any((q.x, q.y, q.z, q.w)):
        q.w = 1.0
    return pose_from_msg(msg)


def _primitive(msg: Any) -> tuple[Solid, Pose]:
    sizes, kind = [float(size) for size in msg.dimensions], int(msg.type)
    if kind not in DIMENSIONS:
        raise CollisionError(f'a primitive has the type {kind}; known are 1 (box), 2 (sphere), '
                             '3 (cylinder) and 4 (cone)')
    if len(sizes) < DIMENSIONS[kind]:
        raise CollisionError(f'a primitive of the type {kind} has {DIMENSIONS[kind]} dimensions, '
                             f'got {len(sizes)}')
    if kind == BOX:
        return Box((sizes[0], sizes[1], sizes[2])), Pose.identity()
    if kind == SPHERE:
        return Sphere(sizes[0]), Pose.identity()
    if kind == CYLINDER:
        return Cylinder(radius=sizes[1], length=sizes[0]), Pose.identity()
    return _cone(height=sizes[0], radius=sizes[1]), Pose.identity()


def _cone(height: float, radius: float) -> Mesh:
    """Return a pyramid that contains a cone about z with its tip above."""
    if not (height > 0.0 and radius > 0.0):
        raise CollisionError(f'a cone has a height and a radius above 0, got {height}, {radius}')
    vertices = np.concatenate([ring(radius, -height / 2), [[0.0, 0.0, height / 2]]])
    faces = [(k, (k + 1) % SIDES, SIDES) for k in range(SIDES)]
    return Mesh(vertices, np.array(faces), convex=True)


def _mesh(msg: Any) -> tuple[Solid, Pose]:
    vertices = np.array([(p.x, p.y, p.z) for p in msg.vertices], dtype=float).reshape(-1, 3)
    faces = np.array([tuple(t.vertex_indices) for t in msg.triangles], dtype=int).reshape(-1, 3)
    return Mesh(vertices, faces), Pose.identity()


def _plane(msg: Any) -> tuple[Solid, Pose]:
    """Return what is behind a plane ``a x + b y + c z + d = 0``: the side away from its normal."""
    *normal, offset = (float(value) for value in msg.coef)
    length = math.sqrt(sum(value * value for value in normal))
    if not 0.0 < length < math.inf or not math.isfinite(offset):
        raise CollisionError(f'a plane has a normal, got the coefficients {list(msg.coef)}')
    z = np.array(normal) / length
    x = np.cross(z, np.eye(3)[np.abs(z).argmin()])
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    matrix[:3, 3] = -offset / length * z
    return HalfSpace(), Pose.from_matrix(matrix)
