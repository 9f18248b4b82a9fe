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

"""
From joints to kernel arrays: the elements, variables and paths of a chain or tree.

Each joint becomes elements that move about or along z (see :mod:`dq_ik.core.tree`); fixed joints
disappear into the constant poses between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import math

import numpy as np

from dq_ik.core import tree as core
from dq_ik.core.frame import WIDTH
from dq_ik.model import Joint, JointKind, RobotModel
from dq_ik.pose import Pose

HALF = math.sqrt(0.5)
X_TO_Z = Pose((HALF, 0.0, HALF, 0.0), (0.0, 0.0, 0.0, 0.0))  # turns z onto x
Y_TO_Z = Pose((HALF, -HALF, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))  # turns z onto y
IDENTITY = Pose.identity()
UNLIMITED = (np.inf, -np.inf, np.inf)  # swing and twist of a free ball


@dataclass(frozen=True)
class Variable:
    """One number of the joint vector: its name, limits and the joint it belongs to."""

    name: str
    joint: str
    lower: float
    upper: float
    velocity: float


@dataclass(frozen=True)
class Elements:
    """The arrays of a chain and what its variables mean."""

    tree: core.Tree
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class _Place:
    """Where a frame sits: its element (-1: the base) and its constant pose there."""

    element: int
    pose: Pose


@dataclass
class _Builder:
    model: RobotModel
    rows: list[list[float]] = field(default_factory=list)
    indices: list[tuple[int, int, int, int]] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)  # joint -> its first variable
    screws: int = 0

    def add_joint(self, joint: Joint, place: _Place) -> _Place:
        """Return the place of the joint's child link, given the place of its parent link."""
        place = _Place(place.element, place.pose @ joint.origin)
        if joint.kind is JointKind.FIXED:
            return place
        if joint.kind is JointKind.PLANAR:
            return self._planar(joint, place)
        if joint.kind is JointKind.FLOATING:
            return self._floating(joint, place)
        align = _align_z(joint.axis)
        if joint.kind is JointKind.BALL:
            return self._move(core.BALL, self._own(joint, 'x', 'y', 'z'), place, align,
                              limits=(joint.swing, *joint.twist))
        master = self.model.joint(joint.mimic.joint) if joint.mimic else joint
        kind = core.PRISMATIC if joint.kind is JointKind.PRISMATIC else core.REVOLUTE
        scale = (joint.mimic.multiplier, joint.mimic.offset) if joint.mimic else (1.0, 0.0)
        return self._move(kind, self._own(master), place, align, scale)

    def _planar(self, joint: Joint, place: _Place) -> _Place:
        first = self._own(joint, 'x', 'y', 'theta')
        align = _align_z(joint.axis)
        place = self._move(core.PRISMATIC, first, place, align @ X_TO_Z)
        place = self._move(core.PRISMATIC, first + 1, place, align @ Y_TO_Z)
        return self._move(core.REVOLUTE, first + 2, place, align)

    def _floating(self, joint: Joint, place: _Place) -> _Place:
        first = self._own(joint, 'x', 'y', 'z', 'rx', 'ry', 'rz')
        for i, align in enumerate((X_TO_Z, Y_TO_Z, IDENTITY)):
            place = self._move(core.PRISMATIC, first + i, place, align)
        return self._move(core.BALL, first + 3, place, IDENTITY)

    def _own(self, joint: Joint, *parts: str) -> int:
        """Return the first variable of a joint, made when it is met first."""
        if joint.name not in self.first:
            self.first[joint.name] = len(self.variables)
            names = [f'{joint.name}.{part}' for part in parts] or [joint.name]
            lower, upper = (-np.inf, np.inf) if parts else _limits(joint, self.model)
            self.variables += [
                Variable(name, joint.name, lower, upper, joint.velocity) for name in names]
        return self.first[joint.name]

    def _move(self, kind: int, variable: int, place: _Place, align: Pose,
              scale: tuple[float, float] = (1.0, 0.0),
              limits: tuple[float, float, float] = UNLIMITED) -> _Place:
        constant = place.pose @ align
        self.rows.append([*to_frame(constant), *scale, *limits])
        self.indices.append((kind, place.element, variable, self.screws))
        self.screws += 3 if kind == core.BALL else 1
        return _Place(len(self.rows) - 1, align.inverse())


def build_elements(model: RobotModel, base: str, tips: Sequence[str], tool: Pose) -> Elements:
    """
    Build the arrays of the tree from ``base`` to ``tips``.

    :param tool: pose of the goal frame in each tip link
    """
    needed = {joint.name for tip in tips for joint in model.joint_path(base, tip)}
    builder = _Builder(model)
    places = {base: _Place(-1, IDENTITY)}
    for joint in model.joints:
        if joint.name in needed:
            places[joint.child] = builder.add_joint(joint, places[joint.parent])
    element = np.array(builder.rows, float).reshape(-1, core.ELEMENT_WIDTH)
    index = np.array(builder.indices, int).reshape(-1, core.INDEX_WIDTH)
    tip_poses = [places[tip].pose @ tool for tip in tips]
    tip_index, path, slot = _paths(index, [places[tip].element for tip in tips])
    tip = np.array([to_frame(pose) for pose in tip_poses]).reshape(-1, WIDTH)
    return Elements(core.Tree(element, index, tip, tip_index, path, slot),
                    tuple(builder.variables))


def to_frame(pose: Pose) -> list[float]:
    """Return a pose as the kernels store it (:mod:`dq_ik.core.frame`)."""
    return [*pose.real, *pose.position]


def from_frame(row: Sequence[float] | np.ndarray) -> Pose:
    """Return a pose that is stored in the first numbers of a row."""
    return Pose.from_xyz_wxyz(row[4:WIDTH], row[:4])


def _paths(index: np.ndarray, tip_elements: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Return each tip's way to the base (see Tree.path) and the variable of each slot."""
    tip_index: list[tuple[int, ...]] = []
    path: list[tuple[int, int, int]] = []
    slots: list[int] = []
    for element in tip_elements:
        moves = []
        i = element
        while i >= 0:
            kind, parent, variable, screw = index[i]
            moves += [(screw + k, variable + k) for k in range(3 if kind == core.BALL else 1)]
            i = parent
        variables = sorted({variable for _, variable in moves})
        number = {variable: len(slots) + i for i, variable in enumerate(variables)}
        start, first = len(path), len(slots)
        for screw, variable in sorted(moves):
            first_of_slot = all(slot != number[variable] for _, slot, _ in path[start:])
            path.append((screw, number[variable], int(first_of_slot)))
        slots += variables
        tip_index.append((element, start, len(path), first, len(slots)))
    return (np.array(tip_index, int).reshape(-1, core.TIP_INDEX_WIDTH),
            np.array(path, int).reshape(-1, 3), np.array(slots, int))


def _align_z(axis: Sequence[float]) -> Pose:
    """Return the shortest rotation that turns z onto the given unit axis."""
    x, y, z = axis
    if z < -1.0 + 1e-12:
        return Pose((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
    return Pose((1.0 + z, -y, x, 0.0), (0.0, 0.0, 0.0, 0.0))


def _limits(joint: Joint, model: RobotModel) -> tuple[float, float]:
    """Return the range of a joint in which its mimics, too, stay in theirs (where it exists)."""
    lower, upper = joint.lower, joint.upper
    for other in model.joints:
        if other.mimic and other.mimic.joint == joint.name and other.mimic.multiplier != 0.0:
            ends = sorted((limit - other.mimic.offset) / other.mimic.multiplier
                          for limit in (other.lower, other.upper))
            if max(lower, ends[0]) < min(upper, ends[1]):
                lower, upper = max(lower, ends[0]), min(upper, ends[1])
    return lower, upper
