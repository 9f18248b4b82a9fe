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
"""RobotModel: what a robot description says, checked and ordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cached_property
import math
from typing import Any, TYPE_CHECKING

from dq_ik.core.memory.layout import FARTHEST
from dq_ik.errors import ChainError, listing, nearest, UrdfError
from dq_ik.pose import Pose
from dq_ik.robot.checks import check_tree
import numpy as np

if TYPE_CHECKING:
    from dq_ik.robot.ball_angles import BallAngles
    from dq_ik.robot.chain import Chain


class JointKind(str, Enum):
    """What a joint allows its child link to do."""

    REVOLUTE = 'revolute'
    CONTINUOUS = 'continuous'
    PRISMATIC = 'prismatic'
    FIXED = 'fixed'
    PLANAR = 'planar'
    FLOATING = 'floating'
    BALL = 'ball'

    def __str__(self) -> str:
        """Print the URDF word."""
        return self.value


# The kinds that one number describes.
SINGLE_AXIS = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
# Names of the variables of joints that have several, in their order.
PARTS = {JointKind.BALL: ('x', 'y', 'z'), JointKind.PLANAR: ('x', 'y', 'theta'),
         JointKind.FLOATING: ('x', 'y', 'z', 'rx', 'ry', 'rz')}


@dataclass(frozen=True)
class Mimic:
    """The joint follows another one: ``q = multiplier * q[joint] + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """
    A joint between two links; refuses limits and axes that no robot can have.

    :param name: unique in the robot.
    :param kind: what the joint allows.
    :param parent: link that carries the joint.
    :param child: link that the joint moves; its frame is the joint frame, moved.
    :param origin: pose of the joint frame in the parent link's frame.
    :param axis: unit vector in the joint frame: of rotation, travel or twist, or a plane's normal.
    :param lower: lower limit [rad or m], ``-inf`` when there is none; so are those below -1e9.
    :param upper: upper limit [rad or m], ``inf`` when there is none; so are those above 1e9.
    :param velocity: greatest speed [rad/s or m/s]; ``acceleration`` and ``jerk`` likewise.
    :param effort: greatest torque or force [N m or N].
    :param mimic: set if the joint follows another one.
    :param swing: half angle [rad] of the cone of a ball's axis, or two, about the ball's x and y.
    :param twist: range [rad] of a ball joint's rotation about its axis.
    :param made_of: the three joints of the URDF that a ball joint stands for, if any.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Pose = field(default_factory=Pose.identity)
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    mimic: Mimic | None = None
    swing: float | tuple[float, float] = math.pi
    twist: tuple[float, float] = (-math.pi, math.pi)
    acceleration: float = math.inf
    jerk: float = math.inf
    made_of: BallAngles | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check the numbers and bring the axis to unit length."""
        object.__setattr__(self, 'kind', JointKind(self.kind))
        object.__setattr__(self, 'axis', self._unit_axis())
        if math.isnan(self.lower) or math.isnan(self.upper):
            raise UrdfError(f"joint '{self.name}' has a limit that is not a number")
        if max(map(abs, self.origin.position.tolist())) > FARTHEST:
            raise UrdfError(f"joint '{self.name}' has its origin farther away than {FARTHEST:g} m")
        if self.lower > self.upper:
            raise UrdfError(f"joint '{self.name}' has its limits inverted: "
                            f'lower {self.lower} > upper {self.upper}')
        if self.lower > FARTHEST or self.upper < -FARTHEST:
            raise UrdfError(f"joint '{self.name}' has the limits {self.lower} to {self.upper}; "
                            f'they must allow a position between {-FARTHEST:g} and {FARTHEST:g}')
        object.__setattr__(self, 'lower', self.lower if self.lower >= -FARTHEST else -math.inf)
        object.__setattr__(self, 'upper', self.upper if self.upper <= FARTHEST else math.inf)
        for what in ('velocity', 'effort', 'acceleration', 'jerk'):
            if not getattr(self, what) >= 0:
                raise UrdfError(f"joint '{self.name}' has the {what} limit {getattr(self, what)}; "
                                'it must not be negative')
        halves = np.atleast_1d(self.swing)
        if len(halves) not in (1, 2) or not all(0 <= half <= math.pi for half in halves):
            raise UrdfError(f"ball '{self.name}' has the swing {self.swing}; wanted: 0 to pi")
        if not -math.pi <= self.twist[0] <= 0 <= self.twist[1] <= math.pi:
            raise UrdfError(f"ball joint '{self.name}' has the twist range {self.twist}; "
                            'it must contain 0 and lie in [-pi, pi]')

    def _unit_axis(self) -> tuple[float, float, float]:
        x, y, z = (float(c) for c in self.axis)
        norm = math.sqrt(x * x + y * y + z * z)
        if not math.isfinite(norm) or norm < 1e-9:
            raise UrdfError(f"joint '{self.name}' has the axis ({x}, {y}, {z}); "
                            'it must be finite and not zero')
        return (x, y, z) if abs(norm - 1) < 1e-15 else (x / norm, y / norm, z / norm)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the numbers that say where the joint is."""
        if self.kind in SINGLE_AXIS:
            return (self.name,)
        return tuple(f'{self.name}.{part}' for part in PARTS.get(self.kind, ()))

    @property
    def is_limited(self) -> bool:
        """Whether a position limit exists."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)


@dataclass(frozen=True)
class RobotModel:
    """
    A robot: links and joints that form one tree.

    Who holds one knows: one root, no cycle, unique names, limits in order, mimics resolved. Make
    one with :func:`dq_ik.load_robot`, or from joints with :func:`dq_ik.robot.build.build_model`.

    :param links: all links, parents before children; the root, without a parent, is the first.
    :param joints: all joints in the order of their child links.
    :param source: URDF text that it was read from, and the folder of that file, for drawing.
    """

    name: str
    root: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    source: tuple[str, str] = field(default=('', ''), compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse anything but one ordered tree with resolved mimics."""
        check_tree(self)

    def __repr__(self) -> str:
        """Return a one-line description."""
        moving = sum(bool(joint.variables) and joint.mimic is None for joint in self.joints)
        return (f'RobotModel({self.name!r}: {len(self.links)} links, {moving} joints that move, '
                f'leaves {listing(self.leaves, 6)})')

    def _repr_html_(self) -> str:
        """Return a table of the joints that move, for notebooks."""
        from dq_ik.robot.notebook import robot_table
        return robot_table(self)

    def __reduce__(self) -> tuple:
        """Pickle by what was given: what was found since may refer back to this model."""
        return RobotModel, tuple(getattr(self, item.name) for item in fields(self))

    @cached_property
    def _joint_of_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def _joint_of_child(self) -> dict[str, Joint]:
        return {joint.child: joint for joint in self.joints}

    def joint(self, name: str) -> Joint:
        """Return the joint of that name."""
        try:
            return self._joint_of_name[name]
        except KeyError:
            raise ChainError(
                f"robot '{self.name}' has no joint '{name}'{nearest(name, self._joint_of_name)}; "
                f'its joints are {listing(self._joint_of_name)}') from None

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint that moves a link, None for the root."""
        self.check_link(link)
        return self._joint_of_child.get(link)

    def check_link(self, link: str) -> None:
        """Raise a ChainError that lists the links, unless ``link`` is one of them."""
        if link != self.root and link not in self._joint_of_child:
            raise ChainError(f"robot '{self.name}' has no link '{link}'"
                             f'{nearest(link, self.links)}; its links are {listing(self.links)}')

    @cached_property
    def position_names(self) -> frozenset[str]:
        """All names that a state may have: variables, mimic and fixed joints, those of balls."""
        return frozenset(name for joint in self.joints for name in (
            *(joint.variables or (joint.name,)), *(joint.made_of.names if joint.made_of else ())))

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Return the links that carry no other link, in the order of ``links``."""
        parents = {joint.parent for joint in self.joints}
        return tuple(link for link in self.links if link not in parents)

    def joint_path(self, base: str, tip: str) -> tuple[Joint, ...]:
        """Return the joints from ``base`` down to ``tip``; raises ChainError without a way."""
        self.check_link(base)
        self.check_link(tip)
        path: list[Joint] = []
        link = tip
        while link != base:
            joint = self._joint_of_child.get(link)
            if joint is None:
                raise ChainError(f"link '{tip}' is not below link '{base}'; "
                                 f"from '{base}' one reaches {listing(self.links_below(base))}")
            path.append(joint)
            link = joint.parent
        return tuple(reversed(path))

    def links_below(self, base: str) -> tuple[str, ...]:
        """Return all links that ``base`` carries, parents first, without ``base`` itself."""
        self.check_link(base)
        carried = {base}
        for joint in self.joints:
            if joint.parent in carried:
                carried.add(joint.child)
        return tuple(link for link in self.links if link in carried and link != base)

    def chain(self, base: str | None = None, tips: str | Sequence[str] | None = None,
              tool: Any = None, *, tip: str | None = None) -> Chain:
        """
        Return the chain from ``base`` to one or several tips.

        :param base: a link; None takes the root.
        :param tips: a link or several; None takes the only end that moves.
        :param tool: the goal frame in the tip link, for all tips: an offset (x, y, z) [m], or a
            pose in any form; None takes the link's own frame.
        :param tip: the same as ``tips`` for one link.
        """
        from dq_ik.robot.chain import Chain
        if tip is not None and tips is not None:
            raise ChainError(f'give tip or tips, not both; got {tip!r} and {tips!r}')
        return Chain(self, base, tips if tip is None else tip, tool)

    @cached_property
    def whole(self) -> Chain:
        """Return the chain from the root with every link as a tip."""
        return self.chain(self.root, self.links)

    def link_poses(self, positions: Mapping[str, float]) -> dict[str, Pose]:
        """
        Return the pose of every link in the root frame.

        :param positions: joint name to position [rad or m]; joints left out stay at neutral, mimic
            joints follow their master, names of other robots are ignored.
        """
        return self.whole.fk_all(self.whole.configuration(positions, strict=False))

    def describe(self) -> str:
        """Return a table of all joints for people."""
        from dq_ik.robot.describe import joint_table
        return (f'{self.name}: {len(self.links)} links, {len(self.joints)} joints, '
                f'root {self.root}\n{joint_table(self.joints)}')
