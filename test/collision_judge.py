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
The judge of collisions: Pinocchio places the original meshes, coal tells whether they collide.

Nothing of it is ours: forward kinematics, reading of meshes and collision tests are theirs.
"""

from __future__ import annotations

from pathlib import Path

import coal
from dq_ik.collision.world import HalfSpace
from dq_ik.robot.shapes import Box, Capsule, Cylinder, Sphere
import numpy as np
import pinocchio as pin


class Judge:
    """A robot with the shapes of its URDF, and things around it."""

    def __init__(self, urdf: Path, chain, pairs, things=()) -> None:
        """
        Read a robot.

        :param pairs: names of links and things that must not collide
        :param things: of a world, all of them at rest
        """
        self.model = pin.buildModelFromUrdf(str(urdf))
        folders = [str(folder) for folder in urdf.resolve().parents]
        self.shapes = pin.buildGeomFromUrdf(self.model, str(urdf), pin.GeometryType.COLLISION,
                                            package_dirs=folders)
        numbers = {}
        for number, shape in enumerate(self.shapes.geometryObjects):
            numbers.setdefault(self.model.frames[shape.parentFrame].name, []).append(number)
        for thing in things:
            numbers[thing.name] = [self._add(thing, solid, pose) for solid, pose in thing.shapes]
        for a, b in pairs:
            for i in numbers[a]:
                for j in numbers[b]:
                    self.shapes.addCollisionPair(pin.CollisionPair(i, j))
        self.data, self.shape_data = self.model.createData(), self.shapes.createData()
        self._q = pin.neutral(self.model)
        joints = [self.model.joints[self.model.getJointId(name)] for name in chain.joint_names]
        self._places = [(joint.idx_q, joint.nq) for joint in joints]

    def _add(self, thing, solid, own) -> int:
        pose = (thing.pose @ own).matrix
        shape = pin.GeometryObject(thing.name, 0, 0, pin.SE3(pose), shape_of(solid))
        return self.shapes.addGeometryObject(shape)

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Return a configuration of ours as Pinocchio has it."""
        for value, (place, width) in zip(q, self._places):
            if width == 2:
                self._q[place:place + 2] = np.cos(value), np.sin(value)
            else:
                self._q[place] = value
        return self._q

    def collides(self, q: np.ndarray) -> bool:
        """Tell whether any of the pairs collides."""
        return pin.computeCollisions(self.model, self.data, self.shapes, self.shape_data,
                                     self.configuration(q), True)

    def distance(self, q: np.ndarray) -> float:
        """Return the smallest distance of the pairs [m]."""
        nearest = pin.computeDistances(self.model, self.data, self.shapes, self.shape_data,
                                       self.configuration(q))
        return self.shape_data.distanceResults[nearest].min_distance


def shape_of(solid):
    """Return a shape of ours as one of coal."""
    match solid:
        case Box(size):
            return coal.Box(*size)
        case Cylinder(radius, length):
            return coal.Cylinder(radius, length)
        case Capsule(radius, length):
            return coal.Capsule(radius, length)
        case Sphere(radius):
            return coal.Sphere(radius)
        case HalfSpace():
            return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
