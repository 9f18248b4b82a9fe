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
"""The figures of the papers: a hand with 22 and a human with 71 degrees of freedom."""
from __future__ import annotations

from .shapes import ball, box, ORIGIN, rod, Vector
from .writer import degrees, Limits, Robot


def hand() -> Robot:
    """
    Return a right hand: 17 bodies, 16 anatomical joints, 22 degrees of freedom, 5 fingertips.

    The wrist turns about three axes, each knuckle of the four fingers about two, all other joints
    about one: ``3 + 4 * (2 + 1 + 1) + (1 + 1 + 1) = 22``. A joint with several axes is a chain of
    revolute joints at one point. The fingers point along x, the palm faces down.
    """
    robot = Robot('hand')
    robot.link('forearm', rod((-0.22, 0, 0), (-0.01, 0, 0), 0.026, 'shirt'), mass=1.2)
    palm = (box((0.075, 0.080, 0.024), 'skin', (0.045, 0.002, 0)),
            ball(0.020, 'skin', (0.02, 0.03, -0.004)))
    many(robot, 'wrist', 'forearm', 'palm', palm, 0.35, ORIGIN, size=0.012, axes=[
        ('x', degrees(-80, 80, 400, 5)), ('y', degrees(-75, 75, 400, 5)),
        ('z', degrees(-20, 35, 400, 5))])
    fingers = {'index': (0.090, 0.030, (0.042, 0.026, 0.020)),
               'middle': (0.093, 0.010, (0.046, 0.030, 0.021)),
               'ring': (0.089, -0.010, (0.043, 0.028, 0.021)),
               'little': (0.083, -0.029, (0.034, 0.021, 0.018))}
    for name, (x, y, lengths) in fingers.items():
        knuckle = [('z', degrees(-20, 20, 500, 1)), ('y', degrees(-25, 90, 500, 1))]
        _finger(robot, name, (x, y, 0.0), lengths, knuckle, ((0, 105), (0, 80)))
    opposition = [((0.55, 0.55, -0.63), degrees(-60, 45, 500, 1))]
    _finger(robot, 'thumb', (0.018, 0.040, -0.006), (0.044, 0.032, 0.026), opposition,
            ((-10, 60), (-15, 80)))
    return robot


def _finger(robot: Robot, name: str, base: Vector, lengths: tuple[float, ...], knuckle: list,
            bends: tuple) -> None:
    """Add three phalanges, pointing along x; the thumb leaves the palm sideways."""
    radius = 0.0095 if name == 'thumb' else 0.0080
    phalanges = [f'{name}_{part}' for part in ('proximal', 'middle', 'distal')]
    bodies = [(rod((0, 0, 0), (length, 0, 0), radius, 'skin'), ball(radius * 1.08, 'skin'))
              for length in lengths]
    bodies[2] += (ball(radius, 'skin', (lengths[2], 0, 0)),)
    yaw = 0.9 if name == 'thumb' else 0.0
    many(robot, f'{name}_knuckle', 'palm', phalanges[0], bodies[0], 0.03, base, (0, 0, yaw),
         axes=knuckle, size=radius)
    for i, (lower, upper) in enumerate(bends):
        axis = (-0.5, 0.8, 0.33) if name == 'thumb' else 'y'
        many(robot, f'{name}_{("bend", "tip_bend")[i]}', phalanges[i], phalanges[i + 1],
             bodies[i + 1], 0.02, (lengths[i], 0, 0),
             axes=[(axis, degrees(lower, upper, 500, 1))], size=radius)
    robot.frame(phalanges[2], f'{name}_tip', (lengths[2] + radius, 0, 0))


def many(robot: Robot, name: str, parent: str, child: str, shapes: tuple, mass: float,
         xyz: Vector, rpy: Vector = ORIGIN, *, axes: list, size: float,
         kinds: tuple[str, ...] = ()) -> None:
    """
    Join two links by a joint with several axes: single joints chained at one point.

    A joint of one axis keeps the plain name, others get ``_x``, ``_y``, ``_z``. The links between
    are small balls with a twentieth of the child's mass each, for the sake of simulation.
    """
    for i, (axis, limits) in enumerate(axes):
        last = i == len(axes) - 1
        suffix = '' if len(axes) == 1 else f'_{axis.strip("-")}'
        link = child if last else f'{name}{suffix}_link'
        body = shapes if last else (ball(size, 'dark'),)
        robot.link(link, *body, mass=mass if last else max(0.05 * mass, 0.002))
        robot.joint(f'{name}{suffix}', parent, link, axis, limits, xyz=xyz, rpy=rpy,
                    kind=kinds[i] if kinds else 'revolute', damping=0.002 * limits.effort)
        parent, xyz, rpy = link, ORIGIN, ORIGIN


def humanoid() -> Robot:
    """
    Return a human of 1.75 m: 71 degrees of freedom, six end effectors, limits on every joint.

    The pelvis moves by three slides and three turns (6); the spine has five vertebrae of three
    axes (15), neck and head four (12); each leg has hip 3, knee 1, ankle 3, toes 1 (16 in all);
    each arm collar 2, shoulder 3, elbow 1, wrist 3, fingers 2 (22 in all). x is forward, y left.
    """
    robot = Robot('humanoid')
    robot.link('world')
    _pelvis(robot)
    _spine(robot)
    for side, sign in (('left', 1), ('right', -1)):
        _leg(robot, side, sign)
        _arm(robot, side, sign)
    return robot


def _pelvis(robot: Robot) -> None:
    slides = [(axis, Limits(-2.0, 2.0, 10, 4000)) for axis in 'xyz']
    turns = [('z', degrees(-180, 180, 720, 1000)), ('x', degrees(-85, 85, 720, 1000)),
             ('y', degrees(-220, 220, 720, 1000))]
    many(robot, 'move', 'world', 'base', (ball(0.03, 'dark'),), 0.5, (0, 0, 0.95), axes=slides,
         size=0.03, kinds=('prismatic',) * 3)
    body = (box((0.17, 0.26, 0.14), 'trousers', (0, 0, 0)),
            ball(0.085, 'trousers', (0, 0.09, -0.04)), ball(0.085, 'trousers', (0, -0.09, -0.04)))
    many(robot, 'turn', 'base', 'pelvis', body, 9.0, ORIGIN, axes=turns, size=0.03)


def _spine(robot: Robot) -> None:
    bend = [('x', degrees(-12, 12, 300, 300)), ('y', degrees(-12, 20, 300, 300)),
            ('z', degrees(-12, 12, 300, 300))]
    parent, height = 'pelvis', 0.07
    for number, width in enumerate((0.24, 0.25, 0.27, 0.31, 0.33), 1):
        body = (box((0.17 + 0.008 * number, width, 0.085), 'shirt', (0, 0, 0.045)),)
        child = f'spine_{number}'
        many(robot, child, parent, child, body, 5.0, (0, 0, height), axes=bend, size=0.05)
        parent, height = child, 0.09
    nod = [('x', degrees(-15, 15, 300, 60)), ('y', degrees(-20, 20, 300, 60)),
           ('z', degrees(-25, 25, 300, 60))]
    for number in (1, 2, 3):
        body = (rod((0, 0, 0), (0, 0, 0.03), 0.052, 'skin'),)
        child = f'neck_{number}'
        many(robot, child, parent, child, body, 0.5, (0, 0, height), axes=nod, size=0.05)
        parent, height = child, 0.03
    skull = (ball(0.095, 'skin', (0.015, 0, 0.09)),
             box((0.05, 0.07, 0.06), 'skin', (0.07, 0, 0.05)),
             ball(0.097, 'dark', (-0.005, 0, 0.115)))
    many(robot, 'nod', parent, 'head', skull, 4.5, (0, 0, height), axes=nod, size=0.05)


def _leg(robot: Robot, side: str, sign: int) -> None:
    hip = [('x', mirror(degrees(-30, 45, 500, 300), sign)), ('y', degrees(-125, 30, 500, 300)),
           ('z', mirror(degrees(-40, 50, 500, 200), sign))]
    thigh = (rod((0, 0, -0.03), (0, 0, -0.40), 0.070, 'trousers'), ball(0.078, 'trousers'))
    shin = (rod((0, 0, 0), (0, 0, -0.38), 0.050, 'trousers'), ball(0.060, 'trousers'))
    heel = (box((0.16, 0.085, 0.06), 'dark', (0.035, 0, -0.05)),
            ball(0.045, 'dark', (-0.01, 0, -0.02)))
    toes = (box((0.08, 0.09, 0.04), 'dark', (0.035, 0, -0.01)),)
    many(robot, f'{side}_hip', 'pelvis', f'{side}_thigh', thigh, 8.0, (0, 0.09 * sign, -0.06),
         axes=hip, size=0.06)
    many(robot, f'{side}_knee', f'{side}_thigh', f'{side}_shin', shin, 3.5, (0, 0, -0.42),
         axes=[('y', degrees(0, 150, 600, 250))], size=0.05)
    ankle = [('x', mirror(degrees(-20, 20, 500, 120), sign)), ('y', degrees(-30, 50, 500, 150)),
             ('z', mirror(degrees(-15, 15, 500, 80), sign))]
    many(robot, f'{side}_ankle', f'{side}_shin', f'{side}_heel', heel, 1.0, (0, 0, -0.40),
         axes=ankle, size=0.04)
    many(robot, f'{side}_toes', f'{side}_heel', f'{side}_foot', toes, 0.2, (0.12, 0, -0.06),
         axes=[('y', degrees(-60, 25, 500, 40))], size=0.02)


def _arm(robot: Robot, side: str, sign: int) -> None:
    """Add an arm that hangs down at zero, the palm facing the thigh."""
    collar = [('x', mirror(degrees(-10, 35, 300, 100), sign)),
              ('z', mirror(degrees(-20, 20, 300, 100), sign))]
    shoulder = [('x', mirror(degrees(-25, 170, 700, 100), sign)),
                ('y', degrees(-175, 60, 700, 100)),
                ('z', mirror(degrees(-90, 90, 700, 80), sign))]
    wrist = [('z', mirror(degrees(-85, 85, 700, 30), sign)), ('x', degrees(-70, 70, 700, 30)),
             ('y', degrees(-30, 25, 700, 30))]
    fingers = [('x', mirror(degrees(-90, 20, 700, 15), sign)), ('y', degrees(-15, 15, 700, 15))]
    blade = (rod((0, 0.01 * sign, 0), (0, 0.13 * sign, 0), 0.052, 'shirt'),)
    upper = (ball(0.062, 'shirt'), rod((0, 0, 0), (0, 0, -0.27), 0.046, 'shirt'))
    lower = (ball(0.047, 'skin'), rod((0, 0, 0), (0, 0, -0.24), 0.036, 'skin'))
    palm = (box((0.075, 0.03, 0.08), 'skin', (0, 0, -0.05)), ball(0.030, 'skin'))
    finger = (box((0.072, 0.022, 0.085), 'skin', (0, 0, -0.045)),)
    many(robot, f'{side}_collar', 'spine_5', f'{side}_shoulder', blade, 1.2,
         (0, 0.04 * sign, 0.045), axes=collar, size=0.04)
    many(robot, f'{side}_shoulder', f'{side}_shoulder', f'{side}_upper_arm', upper, 2.0,
         (0, 0.15 * sign, 0), axes=shoulder, size=0.05)
    many(robot, f'{side}_elbow', f'{side}_upper_arm', f'{side}_forearm', lower, 1.3, (0, 0, -0.29),
         axes=[('y', degrees(-145, 0, 700, 80))], size=0.04)
    many(robot, f'{side}_wrist', f'{side}_forearm', f'{side}_palm', palm, 0.4, (0, 0, -0.26),
         axes=wrist, size=0.025)
    many(robot, f'{side}_fingers', f'{side}_palm', f'{side}_hand', finger, 0.15, (0, 0, -0.09),
         axes=fingers, size=0.012)


def mirror(limits: Limits, sign: int) -> Limits:
    """Return the limits of the left (1) or the right (-1) side."""
    if sign > 0:
        return limits
    return Limits(-limits.upper, -limits.lower, limits.velocity, limits.effort)
