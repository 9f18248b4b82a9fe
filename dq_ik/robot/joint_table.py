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

"""The joints of a robot as the table of numbers from which the kernels pack it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dq_ik.core.memory.layout import FARTHEST
from dq_ik.core.packing import joints as core
from dq_ik.core.packing.joints import JointType
from dq_ik.errors import ChainError, listing, nearest
from dq_ik.native.load import door, fault_of
from dq_ik.pose import Pose
from dq_ik.robot.model import Joint, JointKind, RobotModel
import numpy as np

TYPES = {
    JointKind.FIXED: JointType.FIXED,
    JointKind.REVOLUTE: JointType.REVOLUTE,
    JointKind.CONTINUOUS: JointType.REVOLUTE,  # its limits are infinite
    JointKind.PRISMATIC: JointType.PRISMATIC,
    JointKind.BALL: JointType.BALL,
    JointKind.PLANAR: JointType.PLANAR,
    JointKind.FLOATING: JointType.FLOATING,
}


@dataclass(frozen=True)
class Variable:
    """One number of the joint vector: its name, limits and the joint it belongs to."""

    name: str
    joint: str
    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


def joint_table(model: RobotModel, base: str | None = None) -> tuple[np.ndarray, dict[str, int]]:
    """
    Return a robot's joints as rows of :mod:`dq_ik.core.packing.joints`, and the row of each.

    :param base: link that stands still; None: the root. Joints that it does not carry are there
        for their limits and variables only, since no way to a tip leads over them.
    """
    rows = {joint.name: row for row, joint in enumerate(model.joints)}
    carrier = {joint.child: row for row, joint in enumerate(model.joints)}
    carrier[model.root if base is None else base] = carrier[model.root] = -1
    table = np.zeros((len(model.joints), core.JOINT.width))
    for row, joint in enumerate(model.joints):
        table[row] = _numbers(joint, carrier[joint.parent], rows)
    return table, rows


def tip_table(model: RobotModel, rows: Mapping[str, int], base: str, tips: Sequence[str],
              tool: Pose) -> np.ndarray:
    """
    Return the tips as rows of :mod:`dq_ik.core.packing.joints`.

    :param rows: of the joints, as :func:`joint_table` returns them
    :param tool: pose of the goal frame in each tip link
    :raises ChainError: if a tip is not below the base, or the tool is far away
    """
    if np.abs(tool.position).max() > FARTHEST:
        raise ChainError(f'the tool is at {tool.position}; it must be within {FARTHEST:g} m')
    table = np.zeros((len(tips), core.TIP.width))
    for row, tip in enumerate(tips):
        if base != model.root:
            model.joint_path(base, tip)  # says if it is not below
        joint = model.parent_joint(tip) if tip != base else None
        table[row] = [rows[joint.name] if joint else -1, *tool.real, *tool.position]
    return table


def tips_of(model: RobotModel, base: str, tips: str | Sequence[str] | None) -> tuple[str, ...]:
    """
    Return the names of links to be moved.

    :param tips: one name or several; None: the first leaf of the only body at the end that moves
    """
    if base not in model.links:
        raise ChainError(f'base {base!r} is not a link of {model.name!r}'
                         f'{nearest(base, model.links)}: {listing(model.links)}')
    if tips is None or not len(tips):
        ends = _ends(model, base)
        if len(ends) != 1:
            raise ChainError(f'name the tip: {len(ends)} ends are below {base!r}: '
                             f'{listing(leaf for leaves in ends.values() for leaf in leaves)}')
        return next(iter(ends.values()))[:1]
    names = (tips,) if isinstance(tips, str) else tuple(tips)
    if len(set(names)) < len(names):
        raise ChainError(f'a tip is named twice: {listing(names)}')
    return names


def _ends(model: RobotModel, base: str) -> dict[str, tuple[str, ...]]:
    """Return the leaves below the base by the joint that moves them last; fixed ones if alone."""
    ends: dict[str, tuple[str, ...]] = {}
    for leaf in model.leaves:
        if _is_below(model, base, leaf):
            moving = [joint.name for joint in model.joint_path(base, leaf)
                      if joint.kind is not JointKind.FIXED]
            last = moving[-1] if moving else ''
            ends[last] = (*ends.get(last, ()), leaf)
    if len(ends) > 1:
        ends.pop('', None)
    return ends


def _is_below(model: RobotModel, base: str, link: str) -> bool:
    while link != base:
        joint = model.parent_joint(link)
        if joint is None:
            return False
        link = joint.parent
    return True


def packed_robot(joints: np.ndarray, tips: np.ndarray, starts: int,
                 random_seed: int) -> np.ndarray:
    """Return tables of joints and tips as a block, read-only, with so many stored starts."""
    entries = door().entries
    given = joints, len(joints), tips, len(tips), starts
    memory = np.empty(entries['pack_memory_size'](len(joints)))
    size = entries['robot_size'](*given, memory)
    if size < 0:
        raise ChainError(f'this chain cannot be packed: {fault_of(size, pack=True)}')
    block = np.zeros(size)
    entries['robot'](*given, random_seed, block, memory)
    block.setflags(write=False)
    return block


def variables_of(model: RobotModel, packed: Any) -> tuple[Variable, ...]:
    """
    Return what the numbers of a joint vector mean.

    :param packed: the robot, as :data:`dq_ik.core.memory.layout.ROBOT` reads it
    """
    variables = []
    for row, part, lower, upper in zip(packed.joint, packed.part, packed.lower.tolist(),
                                       packed.upper.tolist()):
        joint = model.joints[row]
        variables.append(Variable(joint.variables[part], joint.name, lower, upper, joint.velocity,
                                  joint.acceleration, joint.jerk))
    return tuple(variables)


def _numbers(joint: Joint, parent: int, rows: Mapping[str, int]) -> list[float]:
    mimic = joint.mimic
    follows = (rows[mimic.joint], mimic.multiplier, mimic.offset) if mimic else (-1, 1.0, 0.0)
    return [TYPES[joint.kind], parent, *joint.origin.real, *joint.origin.position, *joint.axis,
            joint.lower, joint.upper, *follows, *np.broadcast_to(joint.swing, 2), *joint.twist]
