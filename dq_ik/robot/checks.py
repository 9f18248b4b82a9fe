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
"""What a robot and a joint vector must be."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
import reprlib
from typing import TYPE_CHECKING

from dq_ik.errors import array_of, ChainError, SeedError, unknown, UrdfError
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dq_ik.robot.model import Joint, RobotModel

#: how many numbers the attributes of a joint's elements have
NUMBERS_OF = {
    'origin': {'xyz': 3, 'rpy': 3}, 'axis': {'xyz': 3}, 'mimic': {'multiplier': 1, 'offset': 1},
    'limit': dict.fromkeys(('lower', 'upper', 'velocity', 'effort', 'acceleration', 'jerk'), 1),
    'safety_controller': dict.fromkeys(
        ('soft_lower_limit', 'soft_upper_limit', 'k_position', 'k_velocity'), 1)}


def check_tree(model: RobotModel) -> None:
    """Refuse anything but one ordered tree with resolved mimics."""
    if model.links != (model.root, *(joint.child for joint in model.joints)):
        raise UrdfError(f"the links of robot '{model.name}' must be its root and then the "
                        'child of each joint; dq_ik.robot.build.build_model() sorts them')
    seen = {model.root}
    for joint in model.joints:
        if joint.parent not in seen or joint.child in seen:
            raise UrdfError(f"joint '{joint.name}' must come after its parent link "
                            f"'{joint.parent}' and be the only one with the child link "
                            f"'{joint.child}'")
        seen.add(joint.child)
    if len({joint.name for joint in model.joints}) < len(model.joints):
        raise UrdfError(f"robot '{model.name}' has two joints of the same name")
    check_variables(model.joints)
    for joint in model.joints:
        if joint.mimic and model.joint(joint.mimic.joint).mimic:
            raise UrdfError(f"joint '{joint.name}' mimics '{joint.mimic.joint}', "
                            'which is itself a mimic')


def check_numbers(joint: str, tag: str, attributes: Mapping[str, str]) -> None:
    """
    Refuse numbers of a joint's element that are none, or of which there are too many or too few.

    :param joint: its name
    :param tag: of the element: ``origin``
    """
    for name, count in NUMBERS_OF.get(tag, {}).items():
        text = attributes.get(name)
        if text is not None and not _are_numbers(text, count):
            raise UrdfError(f"joint '{joint}' has <{tag} {name}='{text}'>; it must be "
                            f"{'a number' if count == 1 else f'{count} numbers with spaces'}")


def _are_numbers(text: str, count: int) -> bool:
    try:
        return len([float(word) for word in text.split()]) == count
    except ValueError:
        return False


def check_variables(joints: Sequence[Joint]) -> None:
    """Refuse joints of which two variables have one name."""
    owner: dict[str, Joint] = {}
    for joint in joints:
        for name in joint.variables:
            first = owner.setdefault(name, joint)
            if first is not joint:
                raise UrdfError(f"the {first.kind} joint '{first.name}' and the {joint.kind} "
                                f"joint '{joint.name}' both have a variable '{name}'; rename one")


def checked_rows(q: ArrayLike, n: int) -> np.ndarray:
    """Return many configurations as a new array (N, n) of finite floats, or raise SeedError."""
    rows = array_of(q, SeedError, f'many configurations are an array (N, {n})').copy()
    if rows.ndim != 2 or rows.shape[1] != n:
        raise SeedError(f'many configurations are an array (N, {n}), got shape {rows.shape}')
    if not np.isfinite(rows).all():
        row = int(np.isfinite(rows).all(axis=1).argmin())
        raise SeedError(f'configuration {row} is not finite: {rows[row]}')
    return rows


def checked_positions(positions: Mapping[str, float], known: Container[str],
                      joint_names: Sequence[str]) -> dict[str, float]:
    """
    Return positions by joint name as floats, or raise SeedError.

    :param known: names that are no error
    :param joint_names: names for the error
    """
    try:
        named = {str(name): float(value) for name, value in positions.items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise SeedError('joint positions are a mapping from joint name to number, got '
                        f'{reprlib.repr(positions)}') from None
    if names := [name for name in named if name not in known]:
        raise SeedError(unknown('joint', names, joint_names))
    return named


def checked_point(point: ArrayLike) -> np.ndarray:
    """Return a point as a new array of three floats, or raise ChainError."""
    offset = array_of(point, ChainError, 'point has 3 numbers')
    if offset.shape != (3,):
        raise ChainError(f'point has 3 numbers, got shape {offset.shape}')
    if not np.isfinite(offset).all():
        raise ChainError(f'point has 3 finite numbers, got {offset}')
    return offset.copy()


def checked_samples(u: ArrayLike, n: int) -> np.ndarray:
    """Return numbers of the unit cube as a contiguous array (..., n), or raise SeedError."""
    what = f'points of the unit cube are an array (..., {n}) of numbers'
    points = np.ascontiguousarray(array_of(u, SeedError, what))
    if points.shape[-1:] != (n,) or np.isnan(points).any():
        raise SeedError(f'{what}, got shape {points.shape}: {reprlib.repr(points)}')
    return points
