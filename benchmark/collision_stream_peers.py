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

"""
Pink and mink among obstacles, for the table of streams.

Both get the convex pieces of our bodies and the pairs that we keep apart, so that all avoid the
same collisions, and the speed limits. Their gains are those of their examples of collision
avoidance. Each tick is one solve of their quadratic programme.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import coal
from dq_ik.collision.scene import Scene
from dq_ik.robot.shapes import Box, Capsule, Cylinder, Sphere
import mink
import mujoco
import numpy as np
import pink
from pink.barriers import SelfCollisionBarrier
import pinocchio as pin

from .robots import Robot

NEAREST_PAIRS = 8  # for Pink's barrier, as many as its example has at most
GAIN = 20.0  # of Pink's barrier [1/s]
INFLUENCE = 0.05  # distance from which mink's limit is active [m]


def parts(scene: Scene) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield the link of the chain that carries a piece, the piece's name, and its vertices."""
    model, chain = scene.chain.model, scene.chain
    way = model.joint_path(chain.base, chain.tips[0])
    on_the_way = {chain.base, *(joint.child for joint in way)}
    poses = model.link_poses({})
    for link, body in scene.bodies.items():
        carrier = link
        while carrier not in on_the_way:  # as a finger, which stays where it is
            carrier = model.parent_joint(carrier).parent
        for number, piece in enumerate(body.pieces):
            yield carrier, f'{link}/{number}', piece.moved(
                poses[carrier].inverse() @ poses[link]).vertices


def named_pairs(scene: Scene) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names of the shapes on both sides of each pair."""
    shapes = {link: [f'{link}/{number}' for number, _ in enumerate(body.pieces)]
              for link, body in scene.bodies.items()}
    shapes |= {thing.name: [f'{thing.name}/{number}' for number, _ in enumerate(thing.shapes)]
               for thing in scene.world.snapshot()[1]}
    for first, second in scene.snapshot().names:
        yield shapes[first], shapes[second]


class Pink:
    """Its barrier between bodies, whose nearest pairs count."""

    def __init__(self, scene: Scene, robot: Robot, speeds: np.ndarray, distance: float,
                 shape_of: Any) -> None:
        """
        Build the model, its shapes and one task.

        :param distance: clearance that is wanted [m]
        :param shape_of: makes a shape of coal of one of ours
        """
        self._model = model = pin.buildModelFromUrdf(str(robot.urdf))
        self._shapes = shapes = pin.GeometryModel()
        for link, name, vertices in parts(scene):
            frame = model.frames[model.getFrameId(link)]
            points = coal.StdVec_Vec3s()
            points.extend(list(vertices))
            shapes.addGeometryObject(pin.GeometryObject(
                name, frame.parentJoint, frame.placement,
                coal.Convex.convexHull(points, True, 'Qt')))
        for thing in scene.world.snapshot()[1]:
            for number, (solid, own) in enumerate(thing.shapes):
                shapes.addGeometryObject(pin.GeometryObject(
                    f'{thing.name}/{number}', 0, pin.SE3((thing.pose @ own).matrix),
                    shape_of(solid)))
        for first, second in named_pairs(scene):
            for a in first:
                for b in second:
                    shapes.addCollisionPair(pin.CollisionPair(
                        shapes.getGeometryId(a), shapes.getGeometryId(b)))
        model.velocityLimit = speeds
        self._task = pink.FrameTask(robot.tips[0], position_cost=1.0, orientation_cost=0.25,
                                    lm_damping=1e-3)
        self._barriers = [SelfCollisionBarrier(
            NEAREST_PAIRS, gain=GAIN, safe_displacement_gain=1.0, d_min=distance)]

    def begin(self, q: np.ndarray) -> None:
        """Start at a posture."""
        self._configuration = pink.Configuration(
            self._model, self._model.createData(), q, collision_model=self._shapes,
            collision_data=self._shapes.createData())

    def step(self, pose: np.ndarray, dt: float) -> np.ndarray:
        """Answer one goal."""
        self._task.set_target(pin.SE3(pose))
        velocity = pink.solve_ik(self._configuration, [self._task], dt, 'daqp',
                                 barriers=self._barriers, safety_break=False)
        self._configuration.integrate_inplace(velocity, dt)
        return self._configuration.q


class Mink:
    """Its limit of collision avoidance."""

    def __init__(self, scene: Scene, robot: Robot, speeds: np.ndarray, distance: float,
                 _: Any) -> None:
        """Build the model, its shapes and one task."""
        spec = mujoco.MjSpec.from_file(str(robot.urdf))
        spec.compiler.fusestatic = False
        for link, name, vertices in parts(scene):
            spec.add_mesh(name=name, uservert=vertices.ravel())
            spec.body(link).add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
        for thing in scene.world.snapshot()[1]:
            for number, (solid, own) in enumerate(thing.shapes):
                pose = thing.pose @ own
                kind, size = geom_of(solid)
                spec.worldbody.add_geom(name=f'{thing.name}/{number}', type=kind, size=size,
                                        pos=pose.position, quat=pose.quaternion)
        self._model = model = spec.compile()
        self._task = mink.FrameTask(robot.tips[0], 'body', position_cost=1.0,
                                    orientation_cost=0.25, lm_damping=1e-3)
        self._limits = [
            mink.ConfigurationLimit(model),
            mink.VelocityLimit(model, dict(zip(robot.joints, speeds))),
            mink.CollisionAvoidanceLimit(
                model, list(named_pairs(scene)), minimum_distance_from_collisions=distance,
                collision_detection_distance=INFLUENCE)]

    def begin(self, q: np.ndarray) -> None:
        """Start at a posture."""
        self._configuration = mink.Configuration(self._model, q)

    def step(self, pose: np.ndarray, dt: float) -> np.ndarray:
        """Answer one goal."""
        self._task.set_target(mink.SE3.from_matrix(pose))
        velocity = mink.solve_ik(self._configuration, [self._task], dt, 'daqp',
                                 limits=self._limits, safety_break=False)
        self._configuration.integrate_inplace(velocity, dt)
        return self._configuration.q.copy()


def geom_of(solid: Any) -> tuple[int, list[float]]:
    """Return the kind and the sizes of a geom of MuJoCo."""
    kinds = mujoco.mjtGeom
    match solid:
        case Box(size):
            return kinds.mjGEOM_BOX, [0.5 * side for side in size]
        case Cylinder(radius, length):
            return kinds.mjGEOM_CYLINDER, [radius, 0.5 * length, 0.0]
        case Capsule(radius, length):
            return kinds.mjGEOM_CAPSULE, [radius, 0.5 * length, 0.0]
        case Sphere(radius):
            return kinds.mjGEOM_SPHERE, [radius, 0.0, 0.0]
    return kinds.mjGEOM_PLANE, [5.0, 5.0, 0.1]


PEERS = {'Pink, barriers': Pink, 'mink, collision limit': Mink}
