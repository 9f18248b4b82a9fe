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
"""Groups: the named parts of a robot that goals can be given to, by parameters or by an SRDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from xml.etree import ElementTree

from dq_ik.errors import ChainError, DqIkError, listing, nearest
from dq_ik.robot.balls import read_balls, with_balls
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import Joint, JointKind, RobotModel
from dq_ik.robot.tool import with_tool
from dq_ik.robot.urdf import load_robot
from dq_ik.robot.xml_text import parse_robot, SRDF
from dq_ik.ros.settings import NodeSettings

DEFAULT_GROUP = 'default'


@dataclass(frozen=True)
class GroupNames:
    """A group as a user names it: an empty base means the root, no tips mean the only leaf."""

    base_link: str = ''
    tip_links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Robot:
    """
    A robot and its groups, complete and never changed: a new description makes a new Robot.

    :param groups: chains by group name; the first is the one that goal topics drive.
    :param refused: groups of the SRDF that no chain can be made of, with the reason.
    """

    model: RobotModel
    groups: Mapping[str, Chain]
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def default_group(self) -> str:
        """Return the group that the goal topics drive."""
        return next(iter(self.groups))

    @cached_property
    def joint_names(self) -> frozenset[str]:
        """All joints of the URDF, fixed ones too."""
        return frozenset(joint.name for joint in self.model.joints)


@lru_cache(maxsize=4)
def read_robot(description: str, soft_limits: bool = False) -> RobotModel:
    """
    Return the robot of a description; all nodes of a process read a text once.

    :raises DqIkError: if the text is no URDF.
    """
    if not description.lstrip().startswith('<'):
        raise ChainError('a robot description is URDF text, beginning with <robot> or <?xml ...?>')
    return load_robot(description, soft_limits=soft_limits)


def build_robot(description: str, settings: NodeSettings,
                named: Mapping[str, GroupNames] | None = None) -> Robot:
    """
    Make a Robot from a description and the settings.

    :param description: URDF text.
    :param named: groups given by parameters ``groups.<name>.*``.
    :raises DqIkError: if the description is bad, or a group does not fit it.
    """
    model, tips = with_tool(read_robot(description, settings.soft_limits),
                            settings.base_link or None, settings.tip_links or None,
                            settings.tool_offset)
    chain = ChainMaker(model, settings.balls)
    groups: dict[str, Chain] = {name: chain(names.base_link, names.tip_links)
                                for name, names in (named or {}).items()}
    refused: dict[str, str] = {}
    if settings.robot_description_semantic:
        chains, refused = read_srdf(settings.robot_description_semantic, model, chain)
        groups.update(chains)
    if settings.base_link or tips or not groups:
        own = chain(settings.base_link, tuple(tips or ()))
        groups = {settings.group or DEFAULT_GROUP: own, **groups}
    return Robot(model, _first(groups, settings.group), refused)


def _first(groups: dict[str, Chain], name: str) -> dict[str, Chain]:
    """Return the groups with ``name`` in front; empty keeps the order."""
    if not name:
        return groups
    if name not in groups:
        raise ChainError(f"there is no group '{name}'{nearest(name, groups)}; the groups are "
                         f'{listing(groups)}')
    return {name: groups[name], **groups}


class ChainMaker:
    """
    Makes chains of a robot in which some joints are balls.

    A ball of which a group has a part only is no ball there: it begins or ends inside.
    """

    def __init__(self, model: RobotModel, balls: Iterable[str] = ()) -> None:
        """Check all balls, given as texts."""
        self._balls = read_balls(balls)
        self._models = {(): model, tuple(self._balls): with_balls(model, self._balls)}
        self._inside = {name: {model.joint(member).child for member in ball.joints[:2]}
                        for name, ball in self._balls.items()}

    def __call__(self, base: str, tips: tuple[str, ...]) -> Chain:
        """Return a chain; no base means the root, no tips mean the only leaf."""
        whole = tuple(name for name, inside in self._inside.items()
                      if not inside & {base, *tips})
        if whole not in self._models:
            self._models[whole] = with_balls(
                self._models[()], {name: self._balls[name] for name in whole})
        return self._models[whole].chain(base or None, tips or None)


def read_srdf(text: str, model: RobotModel,
              make: Callable[[str, tuple[str, ...]], Chain] | None = None,
              ) -> tuple[dict[str, Chain], dict[str, str]]:
    """
    Read the groups of an SRDF: chains, links, joints and subgroups.

    :param make: makes the chain of a base and tips.
    :return: the chains by group name, and for each group without a chain the reason.
    :raises UrdfError: if the text is no SRDF.
    """
    srdf = _Srdf(parse_robot(text, SRDF), model)
    chains: dict[str, Chain] = {}
    refused: dict[str, str] = {}
    same: dict[tuple[str, ...], Chain] = {}  # groups of the same joints share a chain
    for name in srdf.groups:
        try:
            members = srdf.members(name)
            if tuple(members) not in same:
                same[tuple(members)] = (make or ChainMaker(model))(*_ends(model, members))
            chains[name] = same[tuple(members)]
        except DqIkError as error:
            refused[name] = str(error)
    return chains, refused


class _Srdf:
    """The parts of an SRDF document that groups are made of."""

    def __init__(self, root: ElementTree.Element, model: RobotModel) -> None:
        self.model = model
        self.groups = {group.get('name', ''): group for group in root.findall('group')}
        self.virtual = {joint.get('name', '') for joint in root.findall('virtual_joint')}
        self._known: dict[str, dict[str, Joint]] = {}
        self._bad: dict[str, DqIkError] = {}

    def members(self, name: str) -> dict[str, Joint]:
        """Return the joints of a group and its subgroups, fixed ones too, by name."""
        reading: dict[str, tuple[Iterator[ElementTree.Element], dict[str, Joint]]] = {}
        outer: dict[str, Joint] = {}
        try:
            self._enter(name, reading, outer)
            while reading:  # the innermost group is the last
                inner = next(reversed(reading))
                parts, joints = reading[inner]
                part = next(parts, None)
                if part is None:
                    del reading[inner]
                    self._known[inner] = joints
                    above = reading[next(reversed(reading))][1] if reading else outer
                    above.update(joints)
                elif part.tag == 'group':
                    self._enter(part.get('name', ''), reading, joints)
                else:
                    joints.update((joint.name, joint) for joint in self._joints(part))
        except DqIkError as error:
            self._bad.update(dict.fromkeys(reading, error))
            raise
        return outer

    def _enter(self, name: str, reading: dict, joints: dict[str, Joint]) -> None:
        """Begin to read a group, or take its joints if it was read before."""
        if name in self._bad:
            raise self._bad[name]
        if name in reading:
            raise ChainError(f"group '{name}' contains itself")
        if name in self._known:
            joints.update(self._known[name])
        elif name in self.groups:
            reading[name] = iter(self.groups[name]), {}
        else:
            raise ChainError(f"there is no group '{name}'; the SRDF has {listing(self.groups)}")

    def _joints(self, part: ElementTree.Element) -> tuple[Joint, ...]:
        """Return the joints that an element of a group names."""
        what = part.get('name', '')
        if part.tag == 'chain':
            return self.model.joint_path(part.get('base_link', ''), part.get('tip_link', ''))
        if part.tag == 'joint' and what not in self.virtual:
            return (self.model.joint(what),)
        joint = self.model.parent_joint(what) if part.tag == 'link' else None
        return () if joint is None else (joint,)


def _ends(model: RobotModel, members: dict[str, Joint]) -> tuple[str, tuple[str, ...]]:
    """
    Return the ends of the tree that some joints form: the link that carries all, the last links.

    :raises ChainError: if a joint in between is movable but not a member.
    """
    if not members:
        raise ChainError('the group has no joints')
    paths = {name: model.joint_path(model.root, joint.parent) for name, joint in members.items()}
    inner = {joint.name for path in paths.values() for joint in path}
    top = [path for path in paths.values() if not any(joint.name in members for joint in path)]
    shared = reduce(_common, top)
    base = shared[-1].child if shared else model.root
    tips = tuple(joint.child for name, joint in members.items() if name not in inner)
    for tip in tips:
        for joint in model.joint_path(base, tip):
            if joint.name not in members and joint.kind is not JointKind.FIXED and not joint.mimic:
                raise ChainError(f"joint '{joint.name}' lies between '{base}' and '{tip}' "
                                 'but is not in the group')
    return base, tips


def _common(a: tuple[Joint, ...], b: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Return the joints that two paths from the root begin with."""
    same = 0
    while same < min(len(a), len(b)) and a[same].name == b[same].name:
        same += 1
    return a[:same]
