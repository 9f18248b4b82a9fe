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
"""Small robots whose answers can be worked out by hand."""
from __future__ import annotations

from .shapes import ball, box, rod
from .writer import degrees, Limits, Robot


def planar_2r() -> Robot:
    """Return two links of 1 m and 0.7 m turning about z."""
    return _planar('planar_2r', (1.0, 0.7), (170, 150))


def planar_3r() -> Robot:
    """Return three links of 0.5, 0.4 and 0.3 m turning about z."""
    return _planar('planar_3r', (0.5, 0.4, 0.3), (170, 150, 150))


def _planar(name: str, lengths: tuple[float, ...], ranges: tuple[float, ...]) -> Robot:
    robot = Robot(name)
    parent = robot.link('base_link', rod((0, 0, -0.06), (0, 0, -0.03), 0.08, 'dark'), mass=1)
    start = 0.0
    for number, (length, limit) in enumerate(zip(lengths, ranges), 1):
        colour = ('blue', 'orange', 'teal')[number - 1]
        child = robot.link(f'link_{number}', rod((0, 0, -0.03), (0, 0, 0.03), 0.04, 'grey'),
                           box((length, 0.04, 0.02), colour, (length / 2, 0, 0)), mass=length)
        robot.joint(f'joint_{number}', parent, child, 'z', degrees(-limit, limit, 180, 50),
                    xyz=(start, 0, 0))
        parent, start = child, length
    robot.frame(parent, 'tool', (start, 0, 0))
    return robot


def prismatic() -> Robot:
    """Return a gantry: three slides along x, y, z and a turning tool without end stops."""
    robot = Robot('prismatic')
    robot.link('base_link', box((1.2, 0.06, 0.06), 'dark', (0, 0.5, 0.9)),
               box((1.2, 0.06, 0.06), 'dark', (0, -0.5, 0.9)), mass=20)
    robot.link('bridge', box((0.08, 1.06, 0.08), 'blue'), mass=6)
    robot.link('carriage', box((0.14, 0.14, 0.14), 'grey'), mass=2)
    robot.link('ram', box((0.05, 0.05, 0.60), 'white', (0, 0, 0.20)), mass=1.5)
    robot.link('spindle', rod((0, 0, 0), (0, 0, -0.06), 0.03, 'orange'),
               box((0.06, 0.015, 0.015), 'orange', (0.03, 0, -0.05)), mass=0.3)
    robot.joint('slide_x', 'base_link', 'bridge', 'x', Limits(-0.5, 0.5, 1.0, 400),
                xyz=(0, 0, 0.9), kind='prismatic', damping=20)
    robot.joint('slide_y', 'bridge', 'carriage', 'y', Limits(-0.4, 0.4, 1.0, 300),
                kind='prismatic', damping=20)
    robot.joint('slide_z', 'carriage', 'ram', 'z', Limits(-0.5, 0.0, 0.5, 300),
                kind='prismatic', damping=20)
    robot.joint('turn', 'ram', 'spindle', 'z', Limits(0, 0, 6.0, 5), xyz=(0, 0, -0.10),
                kind='continuous')
    robot.frame('spindle', 'tool', (0, 0, -0.06))
    return robot


def mimic() -> Robot:
    """Return a finger on a turntable: one master joint bends two followers (a chain of mimics)."""
    robot = Robot('mimic')
    robot.link('base_link', rod((0, 0, 0), (0, 0, 0.04), 0.08, 'dark'), mass=1)
    robot.link('turntable', rod((0, 0, 0), (0, 0, 0.03), 0.06, 'grey'), mass=0.5)
    limits = degrees(-100, 100, 180, 3)
    robot.joint('yaw', 'base_link', 'turntable', 'z', degrees(-170, 170, 180, 5),
                xyz=(0, 0, 0.04))
    parent, height = 'turntable', 0.03
    for name, length, colour in (('proximal', 0.12, 'blue'), ('middle', 0.09, 'teal'),
                                 ('distal', 0.07, 'orange')):
        child = robot.link(name, ball(0.02, 'dark'),
                           rod((0, 0, 0), (0, 0, length), 0.015, colour), mass=0.1)
        if name == 'proximal':
            robot.joint('bend', parent, child, 'y', degrees(-10, 80, 180, 3), xyz=(0, 0, height))
        elif name == 'middle':
            robot.mimic('bend_middle', parent, child, 'y', limits, 'bend', 0.8, 0.1,
                        xyz=(0, 0, height))
        else:
            robot.mimic('bend_distal', parent, child, 'y', limits, 'bend_middle', 0.5,
                        xyz=(0, 0, height))
        parent, height = child, length
    robot.frame(parent, 'tool', (0, 0, height))
    return robot
