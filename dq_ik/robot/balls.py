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
"""Ball-and-socket joints from URDF: three revolute joints whose axes meet may become one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
import math
import sys
from typing import Any

from dq_ik.core.memory.layout import FARTHEST
from dq_ik.errors import listing, UrdfError
from dq_ik.pose import Pose
from dq_ik.robot.ball_angles import BallAngles
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind, RobotModel
import numpy as np

# Axes that pass the common point closer than this [m] count as meeting there.
COINCIDENCE = 1e-6
# Axes whose cross product is shorter than this count as parallel.
PARALLEL = 1e-3
# Numbers that each part of a ball has in a text.
NUMBERS = {'swing': (1, 2), 'twist': (2,), 'center': (3,), 'axis': (3,)}


@dataclass(frozen=True)
class Ball:
    """
    Three successive revolute joints to be seen as one ball joint.

    With neither swing nor twist they stay three joints with the limits of the URDF. A box of
    three angles is no cone: any cone would forbid what it allows, or allow what it forbids.

    :param joints: their three names, parent first.
    :param axis: twist axis in the last link's frame; None takes the axis of the third joint.
    :param swing: half angle [rad] of the cone of the axis, or two, about the ball's x and y
        (see :class:`dq_ik.robot.model.Joint`); None takes the narrowest limit among
        the joints that are not parallel to the twist axis when all joints are at 0.
    :param twist: range [rad] about the axis; None takes the limits of the third joint.
    :param center: angles of the joints in the middle of the cone and at twist 0.
    """

    joints: tuple[str, ...]
    axis: tuple[float, float, float] | None = None
    swing: float | tuple[float, float] | None = None
    twist: tuple[float, float] | None = None
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def keeps_box(self) -> bool:
        """Whether the joints keep the limits of the URDF."""
        return self.swing is None and self.twist is None


def group_balls(joints: Sequence[Joint], links: Sequence[str],
                balls: Mapping[str, Ball | Sequence[str]]) -> tuple[list[Joint], list[str]]:
    """
    Return joints and links with each group that has a cone replaced by one ball joint.

    The two links between the three joints disappear.

    :param joints: of the robot.
    :param links: of the robot.
    :param balls: name of the new joint to its group.
    """
    joints, links = list(joints), list(links)
    for name, ball in balls.items():
        if not isinstance(ball, Ball):
            ball = Ball(tuple(ball))
        if ball.keeps_box and (ball.axis is not None or np.any(ball.center)):
            raise UrdfError(f"ball '{name}' has an axis or a center but neither swing nor twist")
        members = _members(name, ball, joints)
        inner = {members[0].child, members[1].child}
        at = joints.index(members[0])
        joints = [j for j in joints if j not in members]
        for joint in joints:
            if joint.parent in inner or (joint.mimic and joint.mimic.joint in ball.joints):
                raise UrdfError(
                    f"joint '{joint.name}' depends on the inside of ball '{name}'; the links "
                    f'{listing(sorted(inner))} and the joints {listing(ball.joints)} '
                    'must serve nothing else')
        axes = _crossing_axes(name, ball, members)
        if ball.keeps_box:
            joints[at:at] = members
        else:
            joints.insert(at, _merge(name, ball, members, axes))
            links = [link for link in links if link not in inner]
    return joints, links


def _members(name: str, ball: Ball, joints: Sequence[Joint]) -> tuple[Joint, Joint, Joint]:
    """Return the three joints after checking that they exist and follow each other."""
    by_name = {joint.name: joint for joint in joints}
    if len(ball.joints) != 3:
        raise UrdfError(f"ball '{name}' needs three joints, got {listing(ball.joints)}")
    for member in ball.joints:
        if member not in by_name:
            raise UrdfError(f"ball '{name}' groups the unknown joint '{member}'; "
                            f'the joints are {listing(by_name)}')
    first, second, third = (by_name[member] for member in ball.joints)
    for joint in (first, second, third):
        if joint.kind not in (JointKind.REVOLUTE, JointKind.CONTINUOUS) or joint.mimic:
            what = 'a mimic' if joint.mimic else joint.kind
            raise UrdfError(f"ball '{name}' groups '{joint.name}', which is {what}; "
                            'it must be revolute or continuous')
    if (first.child, second.child) != (second.parent, third.parent):
        raise UrdfError(f"the joints {listing(ball.joints)} of ball '{name}' "
                        'do not follow each other')
    return first, second, third


def _crossing_axes(name: str, ball: Ball, members: Sequence[Joint]) -> np.ndarray:
    """Return the axes (3, 3) at 0; they must meet in the last link's origin, and must cross."""
    _, second, third = members
    x_child_second = third.origin.inverse()
    x_child_first = x_child_second @ second.origin.inverse()
    axes, misses = [], []
    for joint, x in zip(members, (x_child_first, x_child_second, Pose.identity())):
        direction = (x @ np.asarray(joint.axis)) - x.position
        axes.append(direction)
        misses.append(np.linalg.norm(np.cross(x.position, direction)))
    if max(misses) > COINCIDENCE:
        raise UrdfError(f"the axes of ball '{name}' ({listing(ball.joints)}) must meet in the "
                        f"origin of link '{third.child}'; they miss it by "
                        f"{', '.join(f'{m:.3g}' for m in misses)} m")
    for a, b in ((0, 1), (1, 2)):
        if np.linalg.norm(np.cross(axes[a], axes[b])) < PARALLEL:
            raise UrdfError(f"the axes of '{ball.joints[a]}' and '{ball.joints[b]}' in ball "
                            f"'{name}' are parallel; the axes of successive joints must cross")
    return np.array(axes)


def _merge(name: str, ball: Ball, members: Sequence[Joint], axes: np.ndarray) -> Joint:
    """Return the ball joint."""
    first, second, third = members
    axis = axes[2] if ball.axis is None else _three(name, 'axis', ball.axis, sys.float_info.max)
    largest = np.abs(axis).max()
    if largest == 0.0:
        raise UrdfError(f"ball '{name}' has the axis {ball.axis}; an axis needs a direction")
    axis, center = axis / largest, _three(name, 'center', ball.center, FARTHEST)
    swing = ball.swing if ball.swing is not None else _default_swing(members, axes, axis)
    twist = ball.twist if ball.twist is not None else (
        max(-math.pi, third.lower), min(math.pi, third.upper))
    angles = BallAngles(members, axes, axis, center, swing, twist)
    merged = Joint(
        name, JointKind.BALL, first.parent, third.child,
        first.origin @ second.origin @ third.origin @ angles.middle, axis=tuple(axis.tolist()),
        swing=swing, twist=twist, made_of=angles,
        **{what: min(getattr(joint, what) for joint in members)
           for what in ('effort', 'acceleration', 'jerk')})
    return replace(merged, velocity=angles.velocity)


def _three(name: str, what: str, numbers: Sequence[float], most: float) -> np.ndarray:
    """Return three numbers of a ball, up to the greatest allowed, or raise UrdfError."""
    try:
        values = np.asarray(numbers, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (3,) or not (np.abs(values) <= most).all():
        raise UrdfError(f"ball '{name}' has the {what} {numbers}; "
                        f'wanted: three numbers up to {most:.3g}')
    return values


def with_balls(model: RobotModel, balls: Mapping[str, Ball]) -> RobotModel:
    """
    Return a robot with balls whose joints can follow them wherever they go.

    :raises UrdfError: if a cone is wider than the joints' limits, or holds a gimbal lock.
    """
    grouped = replace(build_model(model.name, *group_balls(model.joints, model.links, balls)),
                      source=model.source)
    for joint in grouped.joints:
        if joint.made_of and joint.made_of.fault:
            raise UrdfError(f"ball '{joint.name}': {joint.made_of.fault}")
    return grouped


def read_balls(texts: Iterable[str]) -> dict[str, Ball]:
    """
    Read balls as parameters and command lines give them.

    :param texts: such as ``hip=roll,pitch,yaw`` or ``hip=roll,pitch,yaw:swing=1:twist=-0.5,0.5``.
    :raises UrdfError: with the form that would be right.
    """
    balls: dict[str, Ball] = {}
    for text in texts:
        head, *rest = text.split(':')
        name, _, joints = head.partition('=')
        try:
            given: dict[str, Any] = {
                key: tuple(float(number) for number in numbers.split(','))
                for key, _, numbers in (part.partition('=') for part in rest)}
        except ValueError:
            given = {'': ()}
        if not name or not joints or len(given) < len(rest) or any(
                len(numbers) not in NUMBERS.get(key, ()) for key, numbers in given.items()):
            raise UrdfError(f'{text!r} is no ball; write name=joint1,joint2,joint3, or with a '
                            'cone name=joint1,joint2,joint3:swing=1:twist=-0.5,0.5 [rad], and '
                            ':center= or :axis= with three numbers')
        if name in balls:
            raise UrdfError(f"two balls have the name '{name}'")
        if len(given.get('swing', ())) == 1:
            given['swing'] = given['swing'][0]
        balls[name] = Ball(tuple(joints.split(',')), **given)
    return balls


def _default_swing(members: Sequence[Joint], axes: np.ndarray, axis: np.ndarray) -> float:
    """Return the narrowest bound among the joints that tilt the twist axis."""
    bounds = [min(-j.lower, j.upper) for j, a in zip(members, axes)
              if np.linalg.norm(np.cross(a, axis)) > PARALLEL]
    return max(0.0, min(math.pi, *bounds))
