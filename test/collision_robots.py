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

"""Robots with meshes, and worlds around them, for the tests of collisions."""

from __future__ import annotations

from functools import cache

import dq_ik
from dq_ik import Pose
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Capsule, Cylinder, HalfSpace, Sphere, World
from dq_ik.robot.bundled import example_robots
import numpy as np

ENDS = {'panda': ('panda_link0', 'panda_hand'), 'ur5_robot': ('base_link', 'ee_link')}


@cache
def chain_of(name: str) -> dq_ik.Chain:
    """Return the arm of a robot of example-robot-data."""
    return dq_ik.load_robot(example_robots()[name]).chain(*ENDS[name])


def scene_of(name: str, **options) -> Scene:
    """Return a scene of it, with a world of its own."""
    return Scene.load(chain_of(name), example_robots()[name], **options)


def clutter(seed: int, count: int = 12) -> World:
    """Return a world of all kinds of solids around a robot, and a floor under it."""
    rng, world = np.random.default_rng(seed), World()
    world.add('floor', HalfSpace(), Pose.from_xyz_wxyz((0, 0, -0.05), (1, 0, 0, 0)))
    for number in range(count):
        angle, far, high = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.45, 1.0), rng.uniform(0, 1)
        solid = (Box(tuple(rng.uniform(0.05, 0.3, 3))),
                 Cylinder(rng.uniform(0.03, 0.15), rng.uniform(0.1, 0.5)),
                 Capsule(rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.5)),
                 Sphere(rng.uniform(0.03, 0.2)))[number % 4]
        turn = rng.normal(size=4)
        world.add(f'thing{number}', solid, Pose.from_xyz_wxyz(
            (far * np.cos(angle), far * np.sin(angle), high), turn / np.linalg.norm(turn)))
    return world
