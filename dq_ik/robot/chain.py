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

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
import math
from typing import Any, ClassVar, TYPE_CHECKING

from dq_ik.core.memory.layout import ROBOT
from dq_ik.core.memory.views import read
from dq_ik.errors import array_of, ChainError, listing, nearest, SeedError
from dq_ik.native.load import door
from dq_ik.native.parallel import on_all_cores
from dq_ik.pose import frozen, new_pose, Pose
from dq_ik.pose_forms import as_offset
from dq_ik.robot.checks import checked_point, checked_positions, checked_rows, checked_samples
from dq_ik.robot.joint_angles import JointAngles
from dq_ik.robot.joint_table import joint_table, packed_robot, tip_table, tips_of, variables_of
from dq_ik.robot.limits import clamped
from dq_ik.robot.model import RobotModel
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dq_ik.options import CallOptions
    from dq_ik.result import BatchResult, IkResult
    from dq_ik.solver import Solver
    from typing_extensions import Unpack

MOST_SOLVERS = 100  # prepared for sets of options and kept, and as many blocks of numbers


class Chain:
    """
    Part of a robot: base, tips and joint variables, with limits, kinematics and Jacobians.

    Never changes after construction. All poses are in the base link's frame.
    """

    make_solver: ClassVar[type[Solver]]  # dq_ik.solver, which knows chains, sets it
    show: ClassVar[Callable[..., Any]]  # dq_ik.display, which knows the page, sets it

    def __init__(self, model: RobotModel, base: str | None = None,
                 tips: str | Sequence[str] | None = None, tool: Any = None) -> None:
        """
        Take the tree from a base to its tips.

        :param base: link that stands still; None: the root
        :param tips: link or links to be moved; None: the only end that moves
        :param tool: the goal frame in each tip link: an offset (x, y, z) [m], or a pose in any
            form; None: the link's own frame
        """
        self.model = model
        self.base = model.root if base is None else base
        self.tips = tips_of(model, self.base, tips)
        self.tool = Pose.identity() if tool is None else as_offset(tool)
        joints, rows = joint_table(model, self.base)
        self._tables = joints, tip_table(model, rows, self.base, self.tips, self.tool)
        self._robots: dict[tuple[int, int], np.ndarray] = {}
        self.block = self.robot(1)
        packed = read(ROBOT, self.block)
        self.variables = variables_of(model, packed)
        self.joint_names = tuple(variable.name for variable in self.variables)
        self.n = len(self.variables)
        self.lower, self.upper, self.neutral = map(
            frozen, (packed.lower, packed.upper, packed.neutral))
        self.reach: tuple[float, ...] = tuple(packed.reach.tolist())  # of each tip, at most [m]...
        self.reach_from = frozen(packed.centre)  # ...from here, the first joint on its way
        self.velocity, self.acceleration, self.jerk = (
            frozen([getattr(variable, what) for variable in self.variables])
            for what in ('velocity', 'acceleration', 'jerk'))
        native = door().Robot(self.block)
        self._fk, self._jacobian = native.fk, native.jacobian
        self._has_one_tip, self._first_tip = len(self.tips) == 1, self.tips[0]
        self._jacobian_shape = (6, self.n)
        self._memory_size = door().entries['memory_size'](self.block)
        self._solvers: dict[Any, Solver] = {}

    def robot(self, starts: int, random_seed: int = 0) -> np.ndarray:
        """
        Return the chain as a block of numbers for the kernels; the first ones are kept.

        :param starts: configurations to be stored, from which searches may start
        :param random_seed: shifts the sequence of these
        """
        block = self._robots.get((starts, random_seed))
        if block is None:
            block = packed_robot(*self._tables, starts, random_seed)
            if len(self._robots) < MOST_SOLVERS:
                self._robots[starts, random_seed] = block
        return block

    def __reduce__(self) -> tuple:
        """Pickle by what was given."""
        return Chain, (self.model, self.base, self.tips, self.tool)

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f'Chain({self.base!r} -> {listing(self.tips)}, {self.n} variables)'

    def _repr_html_(self) -> str:
        """Return a table of the variables and their limits, for notebooks."""
        from dq_ik.robot.notebook import chain_table
        return chain_table(self)

    def tip_number(self, tip: str | None = None) -> int:
        """Return the index of a tip; None means the only one."""
        if tip is None and self._has_one_tip:
            return 0
        if tip not in self.tips:
            raise ChainError(f'tip {tip!r} is not one of this chain'
                             f'{nearest(str(tip), self.tips)}: {listing(self.tips)}')
        return self.tips.index(tip)

    def vector(self, q: ArrayLike) -> np.ndarray:
        """
        Return a joint vector as a new array of n floats, or raise SeedError.

        :param q: n numbers, or positions by joint name: joints that are missing are neutral
        """
        if isinstance(q, Mapping):
            return self.configuration(q)
        vector = array_of(q, SeedError, 'a joint vector is a sequence of numbers, or a mapping '
                          'from joint name to number').copy()
        if vector.shape != (self.n,):
            raise SeedError(f'a joint vector of this chain has {self.n} numbers '
                            f'({listing(self.joint_names)}), got shape {vector.shape}')
        return vector

    def checked(self, q: ArrayLike) -> np.ndarray:
        """Return a joint vector as a new array of n finite floats, or raise SeedError."""
        q = self.vector(q)
        if not np.isfinite(q).all():
            bad = [name for name, value in zip(self.joint_names, q) if not math.isfinite(value)]
            raise SeedError(f'the joint vector is not finite at {listing(bad)}: {q}')
        return q

    # --- kinematics ------------------------------------------------------------------------------

    def fk(self, q: ArrayLike, tip: str | None = None) -> Pose:
        """Pose of a tip in the base frame at q."""
        alone = (tip is None and self._has_one_tip) or tip == self._first_tip
        number = 0 if alone else self.tip_number(tip)
        parts = self._fk(q, number)
        if type(parts) is not tuple:
            parts = self._fk(self.checked(q), number)
        pose = new_pose(Pose)  # as Pose.unchecked
        pose._real, pose._dual = parts
        return pose

    def fk_all(self, q: ArrayLike) -> dict[str, Pose]:
        """Poses of all tips in the base frame at q."""
        q = self.checked(q)
        return {tip: Pose.unchecked(*self._fk(q, k)) for k, tip in enumerate(self.tips)}

    def fk_batch(self, q: ArrayLike) -> np.ndarray:
        """Dual quaternions of all tips, (N, n) -> (N, n_tips, 8), on all cores."""
        q = checked_rows(q, self.n)
        poses = np.empty((len(q), len(self.tips), 8))
        on_all_cores(len(q), lambda rows: door().entries['fk'](
            self.block, q[rows], len(q[rows]), 0, poses[rows], np.empty(self._memory_size)))
        return poses

    def jacobian(self, q: ArrayLike, tip: str | None = None, frame: str = 'world',
                 point: ArrayLike | None = None) -> np.ndarray:
        """
        Jacobian (6, n) of a tip at q, linear rows first.

        :param frame: 'world': velocities along the base's axes; 'body': along the tip's own axes
        :param point: the point of the tip frame whose velocity is meant; None: its origin
        """
        out = np.empty(self._jacobian_shape)
        alone = (tip is None and self._has_one_tip) or tip == self._first_tip
        number = 0 if alone else self.tip_number(tip)
        body = frame != 'world' and self._is_body(frame)
        offset = point if point is None else checked_point(point)
        if self._jacobian(q, number, offset, body, out) != 0:
            self._jacobian(self.checked(q), number, offset, body, out)
        return out

    def jacobian_batch(self, q: ArrayLike, tip: str | None = None, frame: str = 'world',
                       point: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
        """
        Poses (N, 8) and Jacobians (N, 6, n) of a tip at many configurations (N, n), on all cores.

        The other parameters are those of :meth:`jacobian`.
        """
        q = checked_rows(q, self.n)
        number, body = self.tip_number(tip), int(self._is_body(frame))
        offset = np.zeros(3) if point is None else checked_point(point)
        poses, jacobians = np.empty((len(q), 8)), np.empty((len(q), 6, self.n))
        jacobian = door().entries['jacobian']
        on_all_cores(len(q), lambda rows: jacobian(
            self.block, q[rows], len(q[rows]), number, offset, body, poses[rows], len(q[rows]),
            jacobians[rows], np.empty(self._memory_size)))
        return poses, jacobians

    def _is_body(self, frame: str) -> bool:
        if frame not in ('world', 'body'):
            raise ChainError(f"frame is 'world' or 'body', got {frame!r}")
        return frame == 'body'

    # --- limits and names ------------------------------------------------------------------------

    def clamp(self, q: ArrayLike) -> np.ndarray:
        """Return q moved into the limits, balls into their cones and twist ranges."""
        return clamped(self.block, self.checked(q), self.lower, self.upper)[0]

    def within_limits(self, q: ArrayLike, slack: float = 0.0) -> bool:
        """Tell whether every joint is inside its limits, give or take ``slack``."""
        beyond = clamped(self.block, self.checked(q), self.lower, self.upper)[1]
        return bool(np.all(beyond <= slack))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Draw a configuration, uniform within the limits (see :meth:`spread`)."""
        return self.spread(rng.random(self.n))

    def spread(self, u: ArrayLike) -> np.ndarray:
        """
        Map numbers of the unit cube (..., n) to configurations.

        Joints without limits get a turn to both sides, slides without limits a metre, balls their
        cone and twist range.
        """
        samples = checked_samples(u, self.n)
        q = np.empty(samples.shape)
        door().entries['spread'](self.block, samples, samples.size // max(self.n, 1), q)
        return q

    def joint_positions(self, q: ArrayLike) -> dict[str, float]:
        """Return values by URDF joint name, mimic joints and those of balls included."""
        return self.angles.named(self.angles.of(self.checked(q)))

    @cached_property
    def angles(self) -> JointAngles:
        """Return the joints as the URDF has them, where balls stand for three of them each."""
        return JointAngles(self.model, self.variables)

    def configuration(self, positions: Mapping[str, float], default: ArrayLike | None = None, *,
                      strict: bool = True) -> np.ndarray:
        """
        Return the joint vector with the named values, others from ``default`` or neutral.

        :param strict: refuse names that the robot does not have; a state of several robots has
            them. Joints of the robot that are not in the chain, or mimics, are no error.
        """
        if strict:
            positions = checked_positions(positions, self.model.position_names, self.joint_names)
        return self.angles.placed(
            self.neutral if default is None else self.checked(default), positions)

    def describe(self) -> str:
        """Return a table of the variables for people."""
        from dq_ik.robot.describe import variable_table
        title = f"{self.base} -> {', '.join(self.tips)}: {self.n} variables"
        return f'{title}\n{variable_table(self.variables)}'

    # --- inverse kinematics ----------------------------------------------------------------------

    def solve(self, goals: Any, seed: ArrayLike | None = None, *,
              bounds: tuple[ArrayLike, ArrayLike] | None = None, timeout: float | None = None,
              **options: Unpack[CallOptions]) -> IkResult:
        """Bring the tips to their goals; see :meth:`dq_ik.solver.Solver.solve`."""
        return self._solver(options).solve(goals, seed, bounds=bounds, timeout=timeout)

    def solve_batch(self, goals: Any, seeds: ArrayLike | None = None, *,
                    bounds: tuple[ArrayLike, ArrayLike] | None = None, order: str | None = None,
                    timeout: float | None = None, progress: bool = False,
                    **options: Unpack[CallOptions]) -> BatchResult:
        """Solve many goals on all cores; see :meth:`dq_ik.solver.Solver.solve_batch`."""
        return self._solver(options).solve_batch(
            goals, seeds, bounds=bounds, order=order, timeout=timeout, progress=progress)

    def _solver(self, options: CallOptions) -> Solver:
        try:
            key = tuple((name, value if isinstance(value, Hashable) else tuple(value))
                        for name, value in options.items())
            solver = self._solvers.get(key)
        except TypeError:  # a value is of no type that options have: the solver says which
            return self.make_solver(self, **options)
        if solver is None:
            solver = self.make_solver(self, **options)
            if len(self._solvers) < MOST_SOLVERS:
                self._solvers[key] = solver
        return solver
