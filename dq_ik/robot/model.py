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
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
import math
from typing import TYPE_CHECKING

from dq_ik.core.memory.layout import FARTHEST
from dq_ik.errors import ChainError, listing, UrdfError
from dq_ik.pose import Pose

if TYPE_CHECKING:
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
    :param axis: unit vector in the joint frame: axis of rotation or direction of travel, normal
        of a planar joint, twist axis of a ball joint.
    :param lower: lower limit [rad or m], ``-inf`` when there is none; so are those below -1e9.
    :param upper: upper limit [rad or m], ``inf`` when there is none; so are those above 1e9.
    :param velocity: greatest speed [rad/s or m/s]; ``acceleration`` and ``jerk`` likewise.
    :param effort: greatest torque or force [N m or N].
    :param mimic: set if the joint follows another one.
    :param swing: half angle [rad] of the cone that a ball joint's axis may swing in.
    :param twist: range [rad] of a ball joint's rotation about its axis.
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
    swing: float = math.pi
    twist: tuple[float, float] = (-math.pi, math.pi)
    acceleration: float = math.inf
    jerk: float = math.inf

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
        if not 0 <= self.swing <= math.pi:
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


def _check_variables(joints: Sequence[Joint]) -> None:
    """Refuse joints of which two variables have one name."""
    owner: dict[str, Joint] = {}
    for joint in joints:
        for name in joint.variables:
            first = owner.setdefault(name, joint)
            if first is not joint:
                raise UrdfError(f"the {first.kind} joint '{first.name}' and the {joint.kind} "
                                f"joint '{joint.name}' both have a variable '{name}'; rename one")


@dataclass(frozen=True)
class RobotModel:
    """
    A robot: links and joints that form one tree.

    Who holds one knows: one root, no cycle, unique names, limits in order, mimics resolved. Make
    one with :func:`dq_ik.load_robot`, or from joints with :func:`dq_ik.robot.build.build_model`.

    :param name: of the robot.
    :param root: the link without a parent.
    :param links: all links, parents before children; the root is the first.
    :param joints: all joints in the order of their child links.
    """

    name: str
    root: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]

    def __post_init__(self) -> None:
        """Refuse anything but one ordered tree with resolved mimics."""
        if self.links != (self.root, *(joint.child for joint in self.joints)):
            raise UrdfError(f"the links of robot '{self.name}' must be its root and then the "
                            'child of each joint; dq_ik.robot.build.build_model() sorts them')
        seen = {self.root}
        for joint in self.joints:
            if joint.parent not in seen or joint.child in seen:
                raise UrdfError(f"joint '{joint.name}' must come after its parent link "
                                f"'{joint.parent}' and be the only one with the child link "
                                f"'{joint.child}'")
            seen.add(joint.child)
        if len(self._joint_of_name) < len(self.joints):
            raise UrdfError(f"robot '{self.name}' has two joints of the same name")
        _check_variables(self.joints)
        for joint in self.joints:
            if joint.mimic and self.joint(joint.mimic.joint).mimic:
                raise UrdfError(f"joint '{joint.name}' mimics '{joint.mimic.joint}', "
                                'which is itself a mimic')

    def __reduce__(self) -> tuple:
        """Pickle by what was given: what was found since may refer back to this model."""
        return RobotModel, (self.name, self.root, self.links, self.joints)

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
            raise ChainError(f"robot '{self.name}' has no joint '{name}'; "
                             f'its joints are {listing(self._joint_of_name)}') from None

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint that moves a link, None for the root."""
        self.check_link(link)
        return self._joint_of_child.get(link)

    def check_link(self, link: str) -> None:
        """Raise a ChainError that lists the links, unless ``link`` is one of them."""
        if link != self.root and link not in self._joint_of_child:
            raise ChainError(f"robot '{self.name}' has no link '{link}'; "
                             f'its links are {listing(self.links)}')

    @cached_property
    def position_names(self) -> frozenset[str]:
        """All names that a state of the robot may have: variables, mimic and fixed joints."""
        return frozenset(
            name for joint in self.joints for name in joint.variables or (joint.name,))

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Return the links that carry no other link, in the order of ``links``."""
        parents = {joint.parent for joint in self.joints}
        return tuple(link for link in self.links if link not in parents)

    def joint_path(self, base: str, tip: str) -> tuple[Joint, ...]:
        """
        Return the joints from ``base`` down to ``tip``, base first.

        :raises ChainError: if a link does not exist or ``tip`` is not below ``base``.
        """
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
              tool: Pose | None = None) -> Chain:
        """
        Return the chain from ``base`` to one or several tips.

        :param base: a link; None takes the root.
        :param tips: a link or several; None takes the only leaf below the base.
        :param tool: constant pose of the tool in the tip link, for all tips.
        """
        from dq_ik.robot.chain import Chain
        return Chain(self, base, tips, tool)

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
