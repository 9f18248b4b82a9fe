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
"""Build one robot: links and joints, given in any order, become one checked RobotModel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
import math

from dq_ik.errors import listing, UrdfError
from dq_ik.robot.model import Joint, Mimic, RobotModel, SINGLE_AXIS


def build_model(name: str, joints: Iterable[Joint],
                links: Sequence[str] | None = None) -> RobotModel:
    """
    Return the robot that the joints form.

    :param name: of the robot.
    :param joints: in any order; mimics may follow mimics.
    :param links: all links; None takes those that the joints name.
    :raises UrdfError: for duplicate names, unknown links, several roots, cycles, bad mimics.
    """
    joints = tuple(joints)
    if links is None:
        links = tuple(dict.fromkeys(link for j in joints for link in (j.parent, j.child)))
    _check_names(name, joints, links)
    root = _find_root(name, joints, links)
    ordered = _parents_first(root, joints, links)
    return RobotModel(name, root, (root, *(j.child for j in ordered)), resolve_mimics(ordered))


def _check_names(name: str, joints: Sequence[Joint], links: Sequence[str]) -> None:
    """Refuse robots without links, repeated names and joints on links that do not exist."""
    if not links:
        raise UrdfError(f"robot '{name}' has no link; it needs at least one")
    for what, names in (('link', links), ('joint', [j.name for j in joints])):
        repeated = [n for n, count in Counter(names).items() if count > 1]
        if repeated:
            raise UrdfError(f"robot '{name}' has more than one {what} named {listing(repeated)}; "
                            f'{what} names must be unique')
    known = set(links)
    for joint in joints:
        for role, link in (('parent', joint.parent), ('child', joint.child)):
            if link not in known:
                raise UrdfError(f"joint '{joint.name}' has the unknown {role} link '{link}'; "
                                f'the links are {listing(links)}')


def _find_root(name: str, joints: Sequence[Joint], links: Sequence[str]) -> str:
    """Return the only link that is nobody's child."""
    parent_of: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in parent_of:
            raise UrdfError(f"link '{joint.child}' is the child of two joints, "
                            f"'{parent_of[joint.child].name}' and '{joint.name}'; "
                            'URDF allows trees only')
        parent_of[joint.child] = joint
    roots = [link for link in links if link not in parent_of]
    if len(roots) == 1:
        return roots[0]
    if roots:
        raise UrdfError(f"robot '{name}' has {len(roots)} roots, {listing(roots)}; "
                        'join them with a fixed joint, or remove the links that are not used')
    raise UrdfError(f"robot '{name}' has no root: {_cycle(links[0], parent_of)}")


def _cycle(link: str, parent_of: Mapping[str, Joint]) -> str:
    """Describe the cycle that one enters when climbing from ``link``."""
    climbed: dict[str, None] = {}  # a set that keeps the order
    while link not in climbed:
        climbed[link] = None
        link = parent_of[link].parent
    cycle = list(climbed)[list(climbed).index(link):]
    path = ' -> '.join(f"'{name}'" for name in [link, *reversed(cycle)])
    return f'a cycle runs through the links {path}'


def _parents_first(root: str, joints: Sequence[Joint], links: Sequence[str]) -> tuple[Joint, ...]:
    """Return the joints depth first from the root, siblings in the given order."""
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    ordered: list[Joint] = []
    waiting = list(reversed(children.get(root, ())))
    while waiting:
        joint = waiting.pop()
        ordered.append(joint)
        waiting.extend(reversed(children.get(joint.child, ())))
    if len(ordered) < len(joints):
        reached = {root, *(j.child for j in ordered)}
        lost = next(link for link in links if link not in reached)
        raise UrdfError(f"the root '{root}' does not carry all links: "
                        + _cycle(lost, {j.child: j for j in joints}))
    return tuple(ordered)


def resolve_mimics(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """
    Return the joints with every mimic following a joint that follows nobody.

    If a follows b by ``(m1, o1)`` and b follows c by ``(m2, o2)`` then a follows c by
    ``(m1 m2, m1 o2 + o1)``.

    :raises UrdfError: for a mimic of an unknown or unsuitable joint, and for loops.
    """
    by_name = {joint.name: joint for joint in joints}
    resolved: dict[str, Mimic] = {}
    for joint in joints:
        if joint.mimic:
            _resolve(joint, by_name, resolved)
    return tuple(replace(j, mimic=resolved[j.name]) if j.mimic else j for j in joints)


def _resolve(joint: Joint, by_name: Mapping[str, Joint], resolved: dict[str, Mimic]) -> None:
    """Follow a chain of mimics to its end, or to one that is resolved; add all on the way."""
    way: dict[str, Mimic] = {}  # in the order of the chain
    while joint.mimic and joint.name not in resolved:
        step = _checked(joint, joint.mimic, by_name)
        way[joint.name] = step
        if step.joint in way:
            names = [repr(name) for name in (*way, step.joint)]
            if len(names) > 21:
                names[10:-10] = [f'{len(names) - 20} more']
            raise UrdfError(f"mimic joints form a loop: {' -> '.join(names)}")
        joint = by_name[step.joint]
    master = resolved.get(joint.name, Mimic(joint.name))
    for name, step in reversed(way.items()):
        master = Mimic(master.joint, step.multiplier * master.multiplier,
                       step.multiplier * master.offset + step.offset)
        if not (math.isfinite(master.multiplier) and math.isfinite(master.offset)):
            raise UrdfError(f"joint '{name}' follows '{master.joint}' over other mimics with the "
                            f'multiplier {master.multiplier} and the offset {master.offset}; '
                            'both must be finite')
        resolved[name] = master


def _checked(joint: Joint, step: Mimic, by_name: Mapping[str, Joint]) -> Mimic:
    """Return whom a joint mimics, if it may."""
    if joint.kind not in SINGLE_AXIS:
        raise UrdfError(f"joint '{joint.name}' is {joint.kind} and cannot mimic; only "
                        f'{listing(SINGLE_AXIS)} joints can')
    if not (math.isfinite(step.multiplier) and math.isfinite(step.offset)):
        raise UrdfError(f"joint '{joint.name}' mimics '{step.joint}' with the multiplier "
                        f'{step.multiplier} and the offset {step.offset}; both must be finite')
    if step.joint not in by_name:
        raise UrdfError(f"joint '{joint.name}' mimics the unknown joint '{step.joint}'; "
                        f'the joints are {listing(by_name)}')
    kind = by_name[step.joint].kind
    if kind not in SINGLE_AXIS:
        raise UrdfError(f"joint '{joint.name}' mimics '{step.joint}', which is {kind}; only "
                        f'{listing(SINGLE_AXIS)} joints can be mimicked')
    return step
