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
"""Serial arms: industrial (6), Panda (7), desk arm (5), and two arms on one torso."""
from __future__ import annotations

from math import pi

from .shapes import ball, box, rod
from .writer import degrees, Limits, Robot

QUARTER = pi / 2.0


def arm6() -> Robot:
    """Return an industrial arm with a spherical wrist; frames as in ROS-Industrial."""
    robot = Robot('arm6')
    robot.link('base_link', rod((0, 0, 0), (0, 0, 0.05), 0.19, 'dark'),
               rod((0, 0, 0.05), (0, 0, 0.20), 0.15, 'orange'), mass=40)
    robot.link('link_1', rod((0, 0, -0.02), (0, 0, 0.17), 0.145, 'orange'),
               box((0.20, 0.20, 0.22), 'orange', (0.08, 0, 0.23)),
               rod((0.15, -0.15, 0.25), (0.15, 0.15, 0.25), 0.11, 'dark'), mass=35)
    robot.link('link_2', rod((0, -0.09, 0), (0, 0.09, 0), 0.10, 'orange'),
               box((0.13, 0.14, 0.50), 'orange', (0, 0, 0.31)),
               rod((0, -0.10, 0.60), (0, 0.10, 0.60), 0.09, 'dark'), mass=22)
    robot.link('link_3', rod((0, -0.08, 0), (0, 0.08, 0), 0.085, 'orange'),
               box((0.24, 0.15, 0.17), 'orange', (0.02, 0, 0.10)),
               rod((0.13, 0, 0.12), (0.24, 0, 0.12), 0.07, 'dark'), mass=16)
    robot.link('link_4', rod((0, 0, 0), (0.30, 0, 0), 0.055, 'orange'),
               box((0.14, 0.03, 0.09), 'orange', (0.36, 0.055, 0)),
               box((0.14, 0.03, 0.09), 'orange', (0.36, -0.055, 0)), mass=7)
    robot.link('link_5', rod((0, -0.04, 0), (0, 0.04, 0), 0.045, 'dark'),
               rod((0, 0, 0), (0.07, 0, 0), 0.038, 'orange'), mass=1.6)
    robot.link('link_6', rod((0.0, 0, 0), (0.03, 0, 0), 0.042, 'grey'), mass=0.4)
    limits = [degrees(-170, 170, 180, 900), degrees(-100, 130, 160, 900),
              degrees(-200, 70, 190, 500), degrees(-270, 270, 320, 120),
              degrees(-125, 125, 320, 90), degrees(-400, 400, 420, 60)]
    offsets = [(0, 0, 0.20), (0.15, 0, 0.25), (0, 0, 0.60), (0.24, 0, 0.12), (0.40, 0, 0),
               (0.07, 0, 0)]
    links = ['base_link', *(f'link_{i}' for i in range(1, 7))]
    for i, (axis, xyz) in enumerate(zip('zyyxyx', offsets)):
        robot.joint(f'joint_{i + 1}', links[i], links[i + 1], axis, limits[i], xyz=xyz, damping=2)
    robot.frame('link_6', 'flange', (0.03, 0, 0))
    robot.frame('flange', 'tool0', rpy=(0, QUARTER, 0))
    return robot


def panda() -> Robot:
    """Return an arm with the kinematics and limits of the Franka Emika Panda, and its hand."""
    robot = Robot('panda')
    robot.link('panda_link0', box((0.20, 0.18, 0.06), 'white', (-0.04, 0, 0.03)),
               rod((0, 0, 0), (0, 0, 0.14), 0.085, 'white'),
               rod((0, 0, 0.14), (0, 0, 0.19), 0.07, 'dark'), mass=2.9)
    robot.link('panda_link1', rod((0, 0, -0.14), (0, 0, -0.02), 0.065, 'white'),
               ball(0.072, 'white'), rod((0, -0.075, 0), (0, 0.075, 0), 0.055, 'dark'), mass=3.0)
    robot.link('panda_link2', ball(0.07, 'white'), rod((0, 0, 0), (0, -0.15, 0), 0.062, 'white'),
               rod((0, -0.15, 0), (0, -0.18, 0), 0.055, 'dark'), mass=3.0)
    robot.link('panda_link3', rod((0, 0, -0.13), (0, 0, -0.02), 0.06, 'white'),
               rod((0.0, 0, -0.01), (0.0825, 0, 0), 0.055, 'white'),
               rod((0.0825, -0.07, 0), (0.0825, 0.07, 0), 0.052, 'dark'), mass=2.4)
    robot.link('panda_link4', rod((0, 0, -0.06), (0, 0, 0.06), 0.054, 'white'),
               rod((0, 0, 0), (-0.0825, 0.05, 0), 0.05, 'white'),
               rod((-0.0825, 0.04, 0), (-0.0825, 0.12, 0), 0.055, 'white'), mass=2.4)
    robot.link('panda_link5', rod((0, 0, -0.26), (0, 0, -0.10), 0.052, 'white'),
               box((0.07, 0.08, 0.14), 'white', (0, 0.04, -0.09)),
               rod((0, -0.06, 0), (0, 0.075, 0), 0.05, 'dark'), mass=2.6)
    robot.link('panda_link6', rod((0, 0, -0.055), (0, 0, 0.055), 0.052, 'white'),
               rod((0, 0, 0), (0.088, 0, 0), 0.046, 'white'),
               rod((0.088, -0.02, 0), (0.088, 0.045, 0), 0.05, 'white'), mass=1.5)
    robot.link('panda_link7', rod((0, 0, 0.045), (0, 0, 0.095), 0.044, 'dark'),
               rod((0, 0, 0.095), (0, 0, 0.107), 0.036, 'grey'), mass=0.45)
    _panda_joints(robot)
    robot.frame('panda_link7', 'panda_link8', (0, 0, 0.107))
    robot.link('panda_hand', box((0.05, 0.20, 0.055), 'white', (0, 0, 0.032)),
               box((0.022, 0.018, 0.05), 'dark', (0, 0.035, 0.083)),
               box((0.022, 0.018, 0.05), 'dark', (0, -0.035, 0.083)), mass=0.75)
    robot.fixed('panda_link8', 'panda_hand', rpy=(0, 0, -pi / 4.0))
    robot.frame('panda_hand', 'panda_hand_tcp', (0, 0, 0.1034))
    return robot


def _panda_joints(robot: Robot) -> None:
    ranges = [(-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698),
              (-2.8973, 2.8973), (-0.0175, 3.7525), (-2.8973, 2.8973)]
    origins = [((0, 0, 0.333), 0), ((0, 0, 0), -QUARTER), ((0, -0.316, 0), QUARTER),
               ((0.0825, 0, 0), QUARTER), ((-0.0825, 0.384, 0), -QUARTER), ((0, 0, 0), QUARTER),
               ((0.088, 0, 0), QUARTER)]
    for i, ((lower, upper), (xyz, roll)) in enumerate(zip(ranges, origins)):
        limits = Limits(lower, upper, 2.175, 87) if i < 4 else Limits(lower, upper, 2.61, 12)
        robot.joint(f'panda_joint{i + 1}', f'panda_link{i}', f'panda_link{i + 1}', 'z', limits,
                    xyz=xyz, rpy=(roll, 0, 0), damping=0.5)


def arm5() -> Robot:
    """Return a desk arm with five joints: it can place its tool, but not turn it freely."""
    robot = Robot('arm5')
    robot.link('base_link', rod((0, 0, 0), (0, 0, 0.02), 0.09, 'dark'),
               rod((0, 0, 0.02), (0, 0, 0.07), 0.06, 'teal'), mass=1.5)
    robot.link('shoulder_link', rod((0, 0, 0), (0, 0, 0.05), 0.05, 'white'),
               rod((0, -0.05, 0.06), (0, 0.05, 0.06), 0.035, 'dark'), mass=0.6)
    robot.link('upper_arm_link', rod((0, -0.035, 0), (0, 0.035, 0), 0.03, 'teal'),
               box((0.045, 0.05, 0.20), 'teal', (0, 0, 0.11)),
               rod((0, -0.04, 0.22), (0, 0.04, 0.22), 0.03, 'dark'), mass=0.5)
    robot.link('forearm_link', rod((0, -0.03, 0), (0, 0.03, 0), 0.026, 'teal'),
               box((0.04, 0.045, 0.17), 'teal', (0, 0, 0.10)),
               rod((0, -0.035, 0.19), (0, 0.035, 0.19), 0.026, 'dark'), mass=0.35)
    robot.link('wrist_link', rod((0, 0, 0), (0, 0, 0.05), 0.022, 'white'), mass=0.12)
    robot.link('gripper_link', box((0.03, 0.08, 0.02), 'dark', (0, 0, 0.01)),
               box((0.02, 0.012, 0.06), 'grey', (0, 0.03, 0.05)),
               box((0.02, 0.012, 0.06), 'grey', (0, -0.03, 0.05)), mass=0.10)
    joints = [('shoulder_yaw', 'shoulder', 'z', 0.07, degrees(-165, 165, 180, 12)),
              ('shoulder_pitch', 'upper_arm', 'y', 0.06, degrees(-95, 110, 150, 12)),
              ('elbow', 'forearm', 'y', 0.22, degrees(-20, 150, 180, 8)),
              ('wrist_pitch', 'wrist', 'y', 0.19, degrees(-110, 110, 240, 4)),
              ('wrist_roll', 'gripper', 'z', 0.05, degrees(-175, 175, 300, 2))]
    parent = 'base'
    for name, child, axis, height, limits in joints:
        robot.joint(name, f'{parent}_link', f'{child}_link', axis, limits, xyz=(0, 0, height))
        parent = child
    robot.frame('gripper_link', 'tool', (0, 0, 0.075))
    return robot


def two_arms() -> Robot:
    """Return a turning torso with two 7-joint arms: a tree with one shared joint."""
    robot = Robot('two_arms')
    robot.link('base_link', rod((0, 0, 0), (0, 0, 0.06), 0.28, 'dark'),
               rod((0, 0, 0.06), (0, 0, 0.60), 0.11, 'grey'), mass=60)
    robot.link('torso', rod((0, 0, 0), (0, 0, 0.12), 0.13, 'dark'),
               box((0.20, 0.30, 0.36), 'white', (0, 0, 0.30)),
               box((0.02, 0.20, 0.14), 'blue', (0.105, 0, 0.34)),
               rod((0, 0, 0.48), (0, 0, 0.54), 0.05, 'dark'),
               box((0.15, 0.20, 0.16), 'white', (0.01, 0, 0.62)),
               box((0.02, 0.15, 0.07), 'dark', (0.085, 0, 0.63)), mass=25)
    robot.joint('torso_yaw', 'base_link', 'torso', 'z', degrees(-120, 120, 90, 300),
                xyz=(0, 0, 0.60), damping=5)
    for side, sign, colour in (('left', 1, 'blue'), ('right', -1, 'orange')):
        _side_arm(robot, side, sign, colour)
    return robot


def _side_arm(robot: Robot, side: str, sign: int, colour: str) -> None:
    """Add an arm whose zero pose hangs down; its limits mirror those of the other side."""
    sections = [
        ('y', (0, 0.18, 0.42), (-170, 90), 200, 4.0,
         [rod((0, -0.03, 0), (0, 0.06, 0), 0.07, 'dark')]),
        ('x', (0, 0.07, 0), (-15, 170), 200, 3.0,
         [ball(0.075, 'white'), rod((0, 0, 0), (0, 0, -0.14), 0.06, 'white')]),
        ('z', (0, 0, -0.14), (-150, 150), 120, 2.5,
         [rod((0, 0, 0), (0, 0, -0.14), 0.055, colour), ball(0.058, 'dark', (0, 0, -0.16))]),
        ('y', (0, 0, -0.16), (-145, 5), 120, 2.2,
         [rod((0, -0.05, 0), (0, 0.05, 0), 0.05, 'white'),
          rod((0, 0, -0.02), (0, 0, -0.13), 0.05, 'white')]),
        ('z', (0, 0, -0.13), (-170, 170), 60, 1.6,
         [rod((0, 0, 0), (0, 0, -0.13), 0.046, colour), ball(0.05, 'dark', (0, 0, -0.15))]),
        ('y', (0, 0, -0.15), (-95, 95), 40, 1.0,
         [rod((0, -0.04, 0), (0, 0.04, 0), 0.04, 'white'),
          rod((0, 0, 0), (0, 0, -0.07), 0.038, 'white')]),
        ('z', (0, 0, -0.07), (-175, 175), 40, 0.6,
         [rod((0, 0, 0), (0, 0, -0.02), 0.045, 'grey'),
          box((0.04, 0.10, 0.02), 'dark', (0, 0, -0.03)),
          box((0.025, 0.015, 0.06), 'dark', (0, 0.035, -0.07)),
          box((0.025, 0.015, 0.06), 'dark', (0, -0.035, -0.07))])]
    parent = 'torso'
    for number, (axis, (x, y, z), (lower, upper), effort, mass, shapes) in enumerate(sections, 1):
        if sign < 0:
            shapes = [mirrored(shape) for shape in shapes]
            if axis != 'y':
                lower, upper = -upper, -lower
        child = robot.link(f'{side}_link_{number}', *shapes, mass=mass)
        robot.joint(f'{side}_joint_{number}', parent, child, axis,
                    degrees(lower, upper, 150 if number < 5 else 220, effort),
                    xyz=(x, sign * y, z), damping=1)
        parent = child
    robot.frame(parent, f'{side}_tool', (0, 0, -0.10), (pi, 0, 0))


def mirrored(shape):
    """Return the shape reflected in the plane y = 0."""
    (x, y, z), (roll, pitch, yaw) = shape.xyz, shape.rpy
    return type(shape)(shape.kind, shape.size, shape.colour, (x, -y, z), (-roll, pitch, -yaw))
