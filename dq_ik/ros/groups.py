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
"""Groups: the named parts of a robot that goals can be given to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dq_ik.errors import ChainError, listing
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.settings import NodeSettings
from dq_ik.ros.srdf import read_srdf

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
        """The group that the goal topics drive."""
        return next(iter(self.groups))

    @cached_property
    def joint_names(self) -> frozenset[str]:
        """All joints of the URDF, fixed ones too."""
        return frozenset(joint.name for joint in self.model.joints)


def build_robot(description: str, settings: NodeSettings,
                named: Mapping[str, GroupNames] | None = None) -> Robot:
    """
    Make a Robot from a description and the settings.

    :param description: URDF text.
    :param named: groups given by parameters ``groups.<name>.*``.
    :raises DqIkError: if the description is bad, or a group does not fit it.
    """
    if not description.lstrip().startswith('<'):
        raise ChainError('a robot description is URDF text, beginning with <robot> or <?xml ...?>')
    model = load_robot(description, soft_limits=settings.soft_limits)
    groups: dict[str, Chain] = {name: model.chain(names.base_link or None, names.tip_links or None)
                                for name, names in (named or {}).items()}
    refused: dict[str, str] = {}
    if settings.robot_description_semantic:
        chains, refused = read_srdf(settings.robot_description_semantic, model)
        groups.update(chains)
    if settings.base_link or settings.tip_links or not groups:
        chain = model.chain(settings.base_link or None, settings.tip_links or None)
        groups = {settings.group or DEFAULT_GROUP: chain, **groups}
    return Robot(model, _first(groups, settings.group), refused)


def _first(groups: dict[str, Chain], name: str) -> dict[str, Chain]:
    """Return the groups with ``name`` in front; empty keeps the order."""
    if not name:
        return groups
    if name not in groups:
        raise ChainError(f"there is no group '{name}'; the groups are {listing(groups)}")
    return {name: groups[name], **groups}
