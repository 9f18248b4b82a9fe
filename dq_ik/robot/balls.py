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
"""Ball-and-socket joints from URDF: three revolute joints whose axes meet become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math

from dq_ik.errors import listing, UrdfError
from dq_ik.pose import Pose
from dq_ik.robot.model import Joint, JointKind
import numpy as np

# Axes that pass the common point closer than this [m] count as meeting there.
COINCIDENCE = 1e-6
# Axes whose cross product is shorter than this count as parallel.
PARALLEL = 1e-3


@dataclass(frozen=True)
class Ball:
    """
    Three successive revolute joints to be seen as one ball joint.

    :param joints: their three names, parent first.
    :param axis: twist axis in the last link's frame; None takes the axis of the third joint.
    :param swing: half angle [rad] of the cone of the axis; None takes the narrowest limit among
        the joints that are not parallel to the twist axis when all joints are at 0.
    :param twist: range [rad] about the axis; None takes the limits of the third joint.
    """

    joints: tuple[str, ...]
    axis: tuple[float, float, float] | None = None
    swing: float | None = None
    twist: tuple[float, float] | None = None


def group_balls(joints: Sequence[Joint], links: Sequence[str],
                balls: Mapping[str, Ball | Sequence[str]]) -> tuple[list[Joint], list[str]]:
    """
    Return joints and links with each group replaced by one ball joint.

    The two links between the three joints disappear.

    :param joints: of the robot.
    :param links: of the robot.
    :param balls: name of the new joint to its group.
    """
    joints, links = list(joints), list(links)
    for name, ball in balls.items():
        if not isinstance(ball, Ball):
            ball = Ball(tuple(ball))
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
        joints.insert(at, _merge(name, ball, members))
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


def _merge(name: str, ball: Ball, members: tuple[Joint, Joint, Joint]) -> Joint:
    """Return the ball joint; its axes must meet in the last link's origin, and must cross."""
    first, second, third = members
    x_child_second = third.origin.inverse()
    x_child_first = x_child_second @ second.origin.inverse()
    axes, misses = [], []
    for joint, x in ((first, x_child_first), (second, x_child_second), (third, Pose.identity())):
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
    axis = np.asarray(ball.axis, dtype=float) if ball.axis else axes[2]
    swing = ball.swing if ball.swing is not None else _default_swing(members, axes, axis)
    twist = ball.twist if ball.twist is not None else (
        max(-math.pi, third.lower), min(math.pi, third.upper))
    return Joint(name, JointKind.BALL, first.parent, third.child,
                 first.origin @ second.origin @ third.origin, axis=tuple(axis.tolist()),
                 swing=swing, twist=twist, **{what: min(getattr(j, what) for j in members)
                                              for what in ('velocity', 'effort', 'acceleration',
                                                           'jerk')})


def _default_swing(members: Sequence[Joint], axes: Sequence[np.ndarray],
                   axis: np.ndarray) -> float:
    """Return the narrowest bound among the joints that tilt the twist axis."""
    bounds = [min(-j.lower, j.upper) for j, a in zip(members, axes)
              if np.linalg.norm(np.cross(a, axis)) > PARALLEL]
    return max(0.0, min(math.pi, *bounds))
