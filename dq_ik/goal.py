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

"""Goal: where a tip should be, and how strictly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any

from dq_ik.core.memory import layout as core
from dq_ik.errors import GoalError, listing
from dq_ik.pose import floats, Pose
from dq_ik.pose_forms import as_pose, PoseLike
import numpy as np

FRAMES = ('base', 'goal')


@dataclass(frozen=True)
class Goal:
    """
    A pose for a tip with weights, tolerances and freedoms.

    The pose is a Pose or what says one without doubt: a 4x4 matrix, eight numbers of a dual
    quaternion, ``(position, rotation)`` or a RigidTransform of SciPy, an SE3 of Pinocchio.
    Position only: ``position`` instead of the pose, or ``rotation_weight=0``; orientation only:
    ``position_weight=0``; pointing: ``axis``, given in the tip's frame. Looking at a point of the
    base frame: ``look_at``, by the ``axis`` of the tip, which is z if none is given; without a
    pose the position is free.
    A pose in the frame of another tip, which moves too: ``relative_to`` names that tip.

    Three weights or tolerances are meant along the axes of ``frame``. A tolerance of one number
    bounds the length of the error; one of three numbers bounds each of its components: within
    that box the goal counts as met and does not pull.
    """

    pose: PoseLike = None
    tip: str | None = None
    position_weight: float | Sequence[float] = 1.0
    rotation_weight: float | Sequence[float] = 1.0
    frame: str = 'base'
    position_tolerance: float | Sequence[float] | None = None
    rotation_tolerance: float | Sequence[float] | None = None
    axis: Sequence[float] | None = None
    look_at: Sequence[float] | None = None
    relative_to: str | None = None
    position: Sequence[float] | None = None

    def __post_init__(self) -> None:
        """Check and convert the fields."""
        if self.position is not None:
            self._place(self.position)
        if self.look_at is not None:
            self._look(self.look_at)
        object.__setattr__(self, 'pose', as_pose(self.pose))
        for name in ('position_weight', 'rotation_weight'):
            object.__setattr__(self, name, _three(name, getattr(self, name)))
        if not any((*self.position_weight, *self.rotation_weight)):  # type: ignore[misc]
            raise GoalError('position_weight and rotation_weight are both 0, so the goal asks for '
                            'nothing; to leave a tip free, leave it out of a mapping of goals')
        for name in ('position_tolerance', 'rotation_tolerance'):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _tolerance(name, value))
        if self.frame not in FRAMES:
            raise GoalError(f"frame is 'base' or 'goal', got {self.frame!r}")
        if self.axis is not None:
            object.__setattr__(self, 'axis', _unit(self.axis))
        if self.relative_to is not None:
            self._relate()

    def _place(self, position: Sequence[float]) -> None:
        """Make a pose of a position; the rotation is free unless the goal looks at a point."""
        if self.pose is not None:
            raise GoalError('a goal has a pose or a position, not both')
        if self.axis is not None and self.look_at is None:
            raise GoalError('an axis has no direction to agree with where only the position is '
                            'given; give a pose, or a point to look_at')
        xyz = floats(position, 3, 'position')
        object.__setattr__(self, 'position', xyz)
        object.__setattr__(self, 'pose', Pose.from_xyz_wxyz(xyz, (1.0, 0.0, 0.0, 0.0)))
        if self.look_at is None:
            object.__setattr__(self, 'rotation_weight', 0.0)

    def __repr__(self) -> str:
        """Show the fields that were given or are not usual."""
        shown = [f'{name}={value!r}' for name, value in vars(self).items()
                 if value != Goal.__dataclass_fields__[name].default
                 and not (name.endswith('_weight') and value == (1.0, 1.0, 1.0))
                 and not (name in ('pose', 'rotation_weight') and self.position is not None)]
        return f'Goal({", ".join(shown)})'

    def _relate(self) -> None:
        """Check a goal that is relative to another tip."""
        if self.look_at is not None:
            raise GoalError('a goal looks at a point or is relative to a tip, not both')
        along_axes = (not _even(self.position_weight) or not _even(self.rotation_weight)
                      or isinstance(self.position_tolerance, tuple)
                      or isinstance(self.rotation_tolerance, tuple))
        if along_axes and self.frame != 'goal':
            raise GoalError("weights and tolerances along axes need frame='goal' where the goal "
                            f'is relative to a tip, got frame={self.frame!r}')

    def _look(self, point: Sequence[float]) -> None:
        """Check and convert the fields of a goal that looks at a point."""
        if self.frame != 'base':
            raise GoalError(f"a goal that looks at a point has frame='base', got {self.frame!r}")
        object.__setattr__(self, 'look_at', floats(point, 3, 'look_at'))
        if self.axis is None:
            object.__setattr__(self, 'axis', (0.0, 0.0, 1.0))
        if self.pose is None:
            object.__setattr__(self, 'pose', Pose.identity())
            object.__setattr__(self, 'position_weight', 0.0)

    @property
    def asks_for_pose(self) -> bool:
        """Whether the pose is the target."""
        return self.look_at is None

    @property
    def place(self) -> tuple[str, Pose]:
        """Return what a stream compares: the frame of the target, and the place that is named."""
        if self.look_at is not None:
            return 'look at', Pose.from_xyz_wxyz(self.look_at, (1.0, 0.0, 0.0, 0.0))
        return self.relative_to or '', self.pose

    def row(self, usual: np.ndarray, tips: Sequence[str], tip: str) -> np.ndarray:
        """
        Return the goal as a :data:`dq_ik.core.memory.layout.GOAL` row for the kernels.

        :param usual: row of a pose with the weights and tolerances of the options
        :param tips: of the chain, in order
        :param tip: that the goal is for
        """
        rotation_scale = usual[core.WEIGHT + 3]
        position_tolerance, rotation_tolerance = usual[core.TOLERANCE:core.TOLERANCE + 2]
        row = np.zeros(core.GOAL.width)
        row[:4], row[4:8] = self.pose.real, self.pose.dual
        row[core.WEIGHT:core.WEIGHT + 3] = self.position_weight
        row[core.WEIGHT + 3:core.WEIGHT + 6] = np.multiply(self.rotation_weight, rotation_scale)
        row[core.TOLERANCE] = _allow(row, core.SLACK, self.position_tolerance, position_tolerance)
        row[core.TOLERANCE + 1] = _allow(
            row, core.SLACK + 3, self.rotation_tolerance, rotation_tolerance)
        row[core.KIND] = self._kind(row)
        if self.axis is not None:
            row[core.AXIS:core.AXIS + 3] = self.axis
        if self.look_at is not None:
            row[core.AIM] = core.LOOK_AT
            row[core.GIVEN:core.GIVEN + 6] = (*self.look_at, *self.pose.position)
        if self.relative_to is not None:
            others = [name for name in tips if name != tip]
            if self.relative_to not in others:
                raise GoalError(f'relative_to is another tip of the chain: {listing(others)}; '
                                f'got {self.relative_to!r}')
            row[core.AIM], row[core.OTHER] = core.RELATIVE, tips.index(self.relative_to)
            row[core.GIVEN:core.GIVEN + 8] = self.pose.numbers()
        return row

    def _kind(self, row: np.ndarray) -> int:
        even = (_even(self.position_weight) and _even(self.rotation_weight)
                and not row[core.SLACK:core.SLACK + 6].any())
        if even and self.axis is None:
            return core.UNIFORM
        return core.BASE_AXES if self.frame == 'base' else core.GOAL_AXES


def _numbers(value: Any) -> np.ndarray:
    """Return one or three numbers as an array; what is none of this becomes NaN."""
    try:
        array = np.asarray(value, dtype=float)
    except (OverflowError, TypeError, ValueError):
        return np.array(math.nan)
    return array if array.shape in ((), (3,)) else np.array(math.nan)


def _three(name: str, value: float | Sequence[float]) -> tuple[float, float, float]:
    array = _numbers(value)
    if not np.all(np.isfinite(array)) or np.any(array < 0.0):
        raise GoalError(f'{name} is a number or three numbers, not negative; got {value!r}')
    return tuple(np.broadcast_to(array, 3).tolist())


def _tolerance(name: str, value: float | Sequence[float]) -> float | tuple[float, float, float]:
    array = _numbers(value)
    if array.shape == (3,) and np.all(array >= 0.0):
        return tuple(array.tolist())
    if array.shape == () and 0.0 < array < math.inf:
        return float(array)
    raise GoalError(f'{name} is a positive number or three numbers, not negative; got {value!r}')


def _even(weights: Any) -> bool:
    """Tell whether three weights are the same."""
    return len(set(weights)) == 1


def _allow(row: np.ndarray, slack: int, tolerance: Any, default: float) -> float:
    """Write a box as allowance; return the tolerance on the length of what is beyond it."""
    if tolerance is None:
        return default
    if isinstance(tolerance, tuple):
        row[slack:slack + 3] = tolerance
        return default
    return tolerance


def _unit(axis: Sequence[float]) -> tuple[float, float, float]:
    array = _numbers(axis)
    length = float(np.linalg.norm(array)) if array.shape == (3,) else 0.0
    if not (math.isfinite(length) and length > 1e-9):
        raise GoalError(f'axis is three finite numbers with a direction; got {axis!r}')
    return tuple((array / length).tolist())
