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

"""Chain: the part of a robot between a base and one or several tips, ready for kinematics."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
import math
from typing import Any, TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dq_ik.common_normals import on_common_normals
from dq_ik.core import tree as core
from dq_ik.core.jacobian import jacobian
from dq_ik.elements import build_elements
from dq_ik.errors import ChainError, listing, SeedError
from dq_ik.model import RobotModel
from dq_ik.parallel import on_all_cores
from dq_ik.pose import Pose
from dq_ik.space import reach, spread

if TYPE_CHECKING:
    from dq_ik.result import BatchResult, IkResult
    from dq_ik.solver import Solver

ORIGIN = np.zeros(3)
MOST_SOLVERS = 100  # prepared for sets of options and kept


class Chain:
    """
    Part of a robot: base, tips and joint variables, with limits, kinematics and Jacobians.

    Never changes after construction. All poses are in the base link's frame.
    """

    def __init__(self, model: RobotModel, base: str | None = None,
                 tips: str | Sequence[str] | None = None, tool: Pose | None = None) -> None:
        """
        Take the tree from a base to its tips.

        :param base: link that stands still; None: the root
        :param tips: link or links to be moved; None: the only leaf
        :param tool: pose of the goal frame in each tip link; None: the link's own frame
        """
        self.model = model
        self.base = model.root if base is None else base
        self.tips = _tips(model, self.base, tips)
        self.tool = Pose.identity() if tool is None else tool
        self.elements = build_elements(model, self.base, self.tips, self.tool)
        numbers, indices = core.pack(on_common_normals(self.elements.tree))
        self.packed = _frozen(numbers), _frozen(indices)
        variables = self.elements.variables
        self.joint_names = tuple(variable.name for variable in variables)
        self.n = len(variables)
        self.lower = _frozen([variable.lower for variable in variables])
        self.upper = _frozen([variable.upper for variable in variables])
        self.velocity = _frozen([variable.velocity for variable in variables])
        inside = (self.lower <= 0.0) & (self.upper >= 0.0)
        with np.errstate(invalid='ignore'):
            self.neutral = _frozen(np.where(inside, 0.0, 0.5 * (self.lower + self.upper)))
        self._solvers: dict[Any, Solver] = {}

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f'Chain({self.base!r} -> {listing(self.tips)}, {self.n} variables)'

    def tip_number(self, tip: str | None = None) -> int:
        """Return the index of a tip; None means the only one."""
        if tip is None and len(self.tips) == 1:
            return 0
        if tip not in self.tips:
            raise ChainError(f'tip {tip!r} is not one of this chain: {listing(self.tips)}')
        return self.tips.index(tip)

    def vector(self, q: ArrayLike) -> np.ndarray:
        """Return a joint vector as a new array of n floats, or raise SeedError."""
        try:
            q = np.array(q, dtype=float)  # a copy: kernels are compiled for writable arrays
        except (TypeError, ValueError):
            raise SeedError(f'a joint vector is a sequence of numbers, got {q!r}') from None
        if q.shape != (self.n,):
            raise SeedError(f'a joint vector of this chain has {self.n} numbers '
                            f'({listing(self.joint_names)}), got shape {q.shape}')
        return q

    def checked(self, q: ArrayLike) -> np.ndarray:
        """Return a joint vector as a new array of n finite floats, or raise SeedError."""
        q = self.vector(q)
        if not math.isfinite(q.dot(q)):
            bad = [name for name, value in zip(self.joint_names, q) if not math.isfinite(value)]
            raise SeedError(f'the joint vector is not finite at {listing(bad)}: {q}')
        return q

    # --- kinematics ------------------------------------------------------------------------------

    def fk(self, q: ArrayLike, tip: str | None = None) -> Pose:
        """Pose of a tip in the base frame at q."""
        number = self.tip_number(tip)
        return _pose(self._poses(q)[number])

    def fk_all(self, q: ArrayLike) -> dict[str, Pose]:
        """Poses of all tips in the base frame at q."""
        return dict(zip(self.tips, map(_pose, self._poses(q))))

    def fk_batch(self, q: ArrayLike) -> np.ndarray:
        """Dual quaternions of all tips, (N, n) -> (N, n_tips, 8), on all cores."""
        q = self._checked_rows(q)
        poses = np.empty((len(q), len(self.tips), 8))
        on_all_cores(len(q), lambda rows: core.fk(*self.packed, q[rows], poses[rows]))
        return poses

    def _checked_rows(self, q: ArrayLike) -> np.ndarray:
        q = np.array(q, dtype=float)
        if q.ndim != 2 or q.shape[1] != self.n:
            raise SeedError(f'many configurations are an array (N, {self.n}), got shape {q.shape}')
        return q

    def _poses(self, q: ArrayLike) -> np.ndarray:
        poses = np.empty((1, len(self.tips), 8))
        core.fk(*self.packed, self.checked(q)[None], poses)
        return poses[0]

    def jacobian(self, q: ArrayLike, tip: str | None = None, frame: str = 'world',
                 point: ArrayLike | None = None) -> np.ndarray:
        """
        Jacobian (6, n) of a tip at q, linear rows first.

        :param frame: 'world': velocities along the base's axes; 'body': along the tip's own axes
        :param point: the point of the tip frame whose velocity is meant; None: its origin
        """
        arguments = self._jacobian_arguments(tip, frame, point)
        poses, jacobians = np.empty((1, 8)), np.empty((1, 6, self.n))
        jacobian(*self.packed, self.checked(q)[None], *arguments, poses, jacobians)
        return jacobians[0]

    def jacobian_batch(self, q: ArrayLike, tip: str | None = None, frame: str = 'world',
                       point: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """
        Poses (N, 8) and Jacobians (N, 6, n) of a tip at many configurations (N, n), on all cores.

        The other parameters are those of :meth:`jacobian`.
        """
        q = self._checked_rows(q)
        arguments = self._jacobian_arguments(tip, frame, point)
        poses, jacobians = np.empty((len(q), 8)), np.empty((len(q), 6, self.n))
        on_all_cores(len(q), lambda rows: jacobian(
            *self.packed, q[rows], *arguments, poses[rows], jacobians[rows]))
        return poses, jacobians

    def _jacobian_arguments(self, tip: str | None, frame: str,
                            point: ArrayLike | None) -> tuple[int, np.ndarray, bool]:
        if frame not in ('world', 'body'):
            raise ChainError(f"frame is 'world' or 'body', got {frame!r}")
        offset = ORIGIN if point is None else np.array(point, dtype=float)
        if offset.shape != (3,):
            raise ChainError(f'point has 3 numbers, got shape {offset.shape}')
        return self.tip_number(tip), offset, frame == 'body'

    # --- limits and names ------------------------------------------------------------------------

    def clamp(self, q: ArrayLike) -> np.ndarray:
        """Return q moved into the limits."""
        return np.clip(self.checked(q), self.lower, self.upper)

    def within_limits(self, q: ArrayLike, slack: float = 0.0) -> bool:
        """Tell whether every variable is inside its limits, give or take ``slack``."""
        q = self.checked(q)
        return bool(np.all(q >= self.lower - slack) and np.all(q <= self.upper + slack))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a configuration, uniform within the limits (see :meth:`spread`)."""
        return self.spread(rng.random(self.n))

    def spread(self, u: np.ndarray) -> np.ndarray:
        """
        Map numbers of the unit cube (..., n) to configurations.

        Joints without limits get a turn to both sides, slides without limits a metre, balls their
        cone and twist range.
        """
        return spread(self.elements.tree, self.lower, self.upper, self.neutral, u)

    @cached_property
    def reach(self) -> tuple[float, ...]:
        """Length of the stretched chain from its first joint to each tip, slides included [m]."""
        return reach(self.elements.tree, self.lower, self.upper)

    def joint_positions(self, q: ArrayLike) -> dict[str, float]:
        """Return values by URDF joint name, mimic joints included."""
        values = dict(zip(self.joint_names, self.checked(q).tolist()))
        for name, master, multiplier, offset in self._mimics:
            values[name] = multiplier * values[master] + offset
        return values

    @cached_property
    def _mimics(self) -> tuple[tuple[str, str, float, float], ...]:
        return tuple((j.name, j.mimic.joint, j.mimic.multiplier, j.mimic.offset)
                     for j in self.model.joints if j.mimic and j.mimic.joint in self.joint_names)

    def configuration(self, positions: Mapping[str, float],
                      default: ArrayLike | None = None) -> np.ndarray:
        """Return the joint vector with the named values, others from ``default`` or neutral."""
        q = self.neutral.copy() if default is None else self.checked(default).copy()
        for i, name in enumerate(self.joint_names):
            if name in positions:
                q[i] = positions[name]
        return q

    def describe(self) -> str:
        """Return a table of the variables for people."""
        width = max([len(name) for name in self.joint_names] + [8])
        lines = [f"{self.base} -> {', '.join(self.tips)}: {self.n} variables",
                 f"{'variable':<{width}}  {'lower':>9} {'upper':>9} {'velocity':>9}"]
        for v in self.elements.variables:
            lines.append(f'{v.name:<{width}}  {v.lower:>9.4f} {v.upper:>9.4f} {v.velocity:>9.4f}')
        return '\n'.join(lines)

    # --- inverse kinematics ----------------------------------------------------------------------

    def solve(self, goals: Any, seed: ArrayLike | None = None, *,
              bounds: tuple[ArrayLike, ArrayLike] | None = None, **options: Any) -> IkResult:
        """Bring the tips to their goals; see :meth:`dq_ik.solver.Solver.solve`."""
        return self._solver(options).solve(goals, seed, bounds=bounds)

    def solve_batch(self, goals: Any, seeds: ArrayLike | None = None, *, progress: bool = False,
                    **options: Any) -> BatchResult:
        """Solve many goals on all cores; see :meth:`dq_ik.solver.Solver.solve_batch`."""
        return self._solver(options).solve_batch(goals, seeds, progress=progress)

    def _solver(self, options: dict[str, Any]) -> Solver:
        key = tuple((name, value if isinstance(value, Hashable) else tuple(value))
                    for name, value in options.items())
        solver = self._solvers.get(key)
        if solver is None:
            from dq_ik.solver import Solver
            solver = Solver(self, **options)
            if len(self._solvers) < MOST_SOLVERS:
                self._solvers[key] = solver
        return solver


def _tips(model: RobotModel, base: str, tips: str | Sequence[str] | None) -> tuple[str, ...]:
    if base not in model.links:
        raise ChainError(f'base {base!r} is not a link of {model.name!r}: {listing(model.links)}')
    if tips is None or not len(tips):
        below = [leaf for leaf in model.leaves if _is_below(model, base, leaf)]
        if len(below) != 1:
            raise ChainError(f'name the tip: {len(below)} leaves are below {base!r}: '
                             f'{listing(below)}')
        return (below[0],)
    names = (tips,) if isinstance(tips, str) else tuple(tips)
    if len(set(names)) < len(names):
        raise ChainError(f'a tip is named twice: {listing(names)}')
    return names


def _is_below(model: RobotModel, base: str, link: str) -> bool:
    while link != base:
        joint = model.parent_joint(link)
        if joint is None:
            return False
        link = joint.parent
    return True


def _pose(row: np.ndarray) -> Pose:
    numbers = row.tolist()
    return Pose.unchecked(tuple(numbers[:4]), tuple(numbers[4:]))


def _frozen(values: ArrayLike) -> np.ndarray:
    array = np.array(values)
    array.setflags(write=False)
    return array
