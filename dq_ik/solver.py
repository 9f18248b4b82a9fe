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

"""Solver: goals in, results out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TYPE_CHECKING

from dq_ik.contact import Contact
from dq_ik.core.entries.pose_input import PoseKind, WIDTHS
from dq_ik.core.memory.layout import ANSWER, FARTHEST
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.errors import array_of, CollisionError, DqIkError, GoalError, listing, SeedError
from dq_ik.goal import Goal
from dq_ik.native.load import door, fault_of
from dq_ik.native.parallel import on_all_cores
from dq_ik.options import CallOptions, checked, IkOptions, Overrides
from dq_ik.pose import Pose
from dq_ik.pose_forms import as_pose, counted, is_point, of_each, pose_numbers, SAY_THE_ORDER
from dq_ik.requests import Requests
from dq_ik.result import BatchResult, IkResult, Layout
from dq_ik.robot.chain import Chain
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene
    from typing_extensions import Unpack

STARTS = 512  # stored configurations from which a search may start again
ORDERS = {'wxyz': PoseKind.XYZ_WXYZ, 'xyzw': PoseKind.XYZ_XYZW}
TIMEOUT = IkOptions.__dataclass_fields__['timeout']


class Solver:
    """
    Inverse kinematics of a chain with fixed options: prepared once, called from any thread.

    A goal is a Pose, a 4x4 matrix, eight numbers of a dual quaternion, ``(position, rotation)``
    with a Rotation of SciPy, a RigidTransform of SciPy, an SE3 of Pinocchio, three numbers for a
    position with free rotation, or a :class:`Goal`.
    Several tips have a sequence of goals, one per tip, or a mapping from tip to goal; tips without
    a goal are free.
    """

    def __init__(self, chain: Chain, options: IkOptions | None = None, *,
                 collision: Scene | None = None, **overrides: Unpack[Overrides]) -> None:
        """
        Prepare a solver.

        :param options: settings; ``overrides`` replace single ones
        :param collision: bodies that must not collide in an answer; None: any may
        """
        if collision is not None and collision.chain.joint_names != chain.joint_names:
            raise CollisionError('the scene is one of another chain: it moves '
                                 f'{listing(collision.chain.joint_names)}')
        self.chain, self.collision = chain, collision
        self.options = IkOptions.of(options, **overrides)
        self._requests = Requests(chain, self.options)
        request = self._requests.template
        restarts = self.options.max_restarts
        self._robot = chain.robot(max(STARTS, restarts + 1) if restarts else 1,
                                  self.options.random_seed)
        self._solve = door().Solver(self._robot, request).solve
        self._answer_size = door().entries['answer_size'](request)
        self._memory_size = door().entries['memory_size'](self._robot)
        solutions = self.options.max_solutions if self.options.mode == 'all' else 0
        self._layout = Layout(chain, ANSWER.slices(
            n=chain.n, n_tips=len(chain.tips), max_solutions=solutions,
            max_trace=self.options.trace))

    def __repr__(self) -> str:
        """Show the chain, and the options that are not usual."""
        return f'Solver({self.chain!r}, {self.options!r})'

    def __reduce__(self) -> tuple:
        """Pickle by the chain and the options; the scene is not taken along."""
        if self.collision is not None:
            raise CollisionError('a solver with a scene cannot be pickled; make it anew')
        return Solver, (self.chain, self.options)

    def solve(self, goals: Any, seed: ArrayLike | None = None, *,
              bounds: tuple[ArrayLike, ArrayLike] | None = None,
              timeout: float | None = None) -> IkResult:
        """
        Find a configuration that brings the tips to their goals.

        :param seed: where to start, and which turn of continuous joints is wanted, up to 1e9 rad
            or m; outside the limits it is moved into them; None: mode
            'speed' with restarts starts at the stored configuration nearest to the goals, others
            at the neutral one
        :param bounds: lower and upper limits for this call, narrower than the chain's; of a ball,
            its cone comes first
        :param timeout: time budget of this call [s]; None: that of the options
        """
        seconds = 0.0 if timeout is None else checked(TIMEOUT, timeout)
        if bounds is None:
            answer = np.empty(self._answer_size)
            goal = goals.numbers() if type(goals) is Pose else goals
            if self.collision is None:
                status = self._solve(goal, seed, seconds, answer)
                if status is not None and status >= 0:
                    return IkResult(self._layout, answer, status)
            else:
                now, row = self.collision.snapshot(), np.empty(NEAREST.width)
                status = self._solve(goal, seed, seconds, answer, now.links, now.block, row)
                if status is not None and status >= 0:
                    return IkResult(self._layout, answer, status, now.contact(row))
        return self._solve_converted(goals, seed, bounds, seconds)

    def _solve_converted(self, goals: Any, seed: ArrayLike | None,
                         bounds: tuple[ArrayLike, ArrayLike] | None, seconds: float) -> IkResult:
        """Do as :meth:`solve` for whatever the door does not take as it is."""
        seeds = None if seed is None else self._checked_seed(seed)
        answer = np.empty(self._answer_size)
        if bounds is None and len(self.chain.tips) == 1 and _is_pose(goals):
            request, (kind, poses) = self._requests.template, pose_numbers(goals)
        else:
            request = self._requests.with_goals(goals, bounds)
            kind, poses = PoseKind.DUAL_QUATERNION, None
        status, contacts = self._call(request, kind, poses, seeds, seconds, answer[None])
        if status < 0:
            as_pose(goals)  # says what is wrong
            raise DqIkError(f'the solve failed: {fault_of(status)}')
        return IkResult(self._layout, answer, status, contacts[0] if contacts else None)

    def _checked_seed(self, seed: ArrayLike) -> np.ndarray:
        q = self.chain.checked(seed)
        far = [name for name, value in zip(self.chain.joint_names, q) if abs(value) > FARTHEST]
        if far:
            raise SeedError(f'the seed is farther than {FARTHEST:g} rad or m at {listing(far)}: '
                            f'{q}')
        return q

    def _call(self, requests: np.ndarray, kind: PoseKind, poses: np.ndarray | None,
              seeds: np.ndarray | None, seconds: float,
              answers: np.ndarray) -> tuple[int, list[Contact | None]]:
        """Solve rows; requests, poses and seeds may be one for all. No scene, no contacts."""
        n_requests = requests.size // self._requests.template.size
        n_poses = 0 if poses is None else poses.size // WIDTHS[kind]
        n_seeds = 0 if seeds is None else seeds.size // self.chain.n if self.chain.n else 0
        entries, memory = door().entries, np.empty(self._memory_size)
        given = (self._robot, requests, n_requests, poses, int(kind), n_poses, seeds, n_seeds,
                 seconds)
        if self.collision is None:
            return entries['solve'](*given, answers, len(answers), memory), []
        now = self.collision.snapshot()
        rows = np.empty((len(answers), NEAREST.width))
        status = entries['solve_free'](*given, now.links, now.block, answers, rows, len(answers),
                                       memory, np.empty(now.memory_size))
        return status, [now.contact(row) for row in rows] if status >= 0 else []

    def solve_batch(self, goals: Any, seeds: ArrayLike | None = None, *,
                    bounds: tuple[ArrayLike, ArrayLike] | None = None, order: str | None = None,
                    timeout: float | None = None, progress: bool = False) -> BatchResult:
        """
        Solve many goals in parallel on all cores; the same answers as one by one.

        :param goals: N goals, each as for :meth:`solve`; for one tip also an array: (N, 4, 4)
            matrices, (N, 8) dual quaternions, (N, 3) positions with free rotations, or (N, 7)
            positions and quaternions with ``order``
        :param seeds: one seed (n,) for all, or one each (N, n)
        :param bounds: lower and upper limits for this call, narrower than the chain's; each is
            one (n,) for all, or one each (N, n)
        :param order: of the quaternions of (N, 7): 'wxyz' or 'xyzw'
        :param timeout: time budget of each goal [s]; None: that of the options
        :param progress: show a progress bar
        """
        seconds = 0.0 if timeout is None else checked(TIMEOUT, timeout)
        goals, count = counted(goals)
        kind, poses = self._poses(goals, order)
        requests = self._requests.rows(
            count if poses is None or bounds is not None else 1, bounds)
        if poses is None and len(self.chain.tips) == 1 and _are_points(goals):
            self._requests.write_points(requests, np.asarray(goals, float))
        elif poses is None:
            write = self._requests.write_goals
            of_each(goals, lambda row, goal: write(requests[row], goal))
        seeds = self._checked_seeds(seeds, count)
        answers = np.empty((count, self._answer_size))
        found: list[Contact | None] = [] if self.collision is None else [None] * count

        def work(rows: slice) -> None:
            result, contacts = self._call(
                requests[rows] if len(requests) == count else requests, kind,
                None if poses is None else poses[rows],
                seeds if seeds is None or seeds.ndim == 1 else seeds[rows], seconds, answers[rows])
            if result < 0:
                self._explain(goals, rows.start + fault_of(result).row, result)
            found[rows] = contacts

        on_all_cores(count, work, progress=progress)
        return BatchResult(self._layout, answers, found)

    def _poses(self, goals: Any, order: str | None) -> tuple[PoseKind, np.ndarray | None]:
        """Return goals of the only tip as rows of numbers of one kind; None: they are others."""
        if order is not None and order not in ORDERS:
            raise GoalError(f"order is 'wxyz' or 'xyzw', got {order!r}")
        if len(self.chain.tips) != 1:
            return PoseKind.DUAL_QUATERNION, None
        if isinstance(goals, np.ndarray):
            kind = {(4, 4): PoseKind.MATRIX, (8,): PoseKind.DUAL_QUATERNION}.get(goals.shape[1:])
            if goals.shape[1:] == (7,):
                if order is None:
                    raise GoalError("goals (N, 7) need order='wxyz' or order='xyzw'; for single "
                                    f'poses {SAY_THE_ORDER}')
                kind = ORDERS[order]
            if kind is not None:
                return kind, np.ascontiguousarray(goals, float).reshape(len(goals), WIDTHS[kind])
        if len(goals) and not _are_points(goals) and all(map(_is_pose, goals)):
            numbers = of_each(goals, lambda _, goal: pose_numbers(goal))
            kind = numbers[0][0]
            if all(other is kind for other, _ in numbers):
                return kind, np.array([row for _, row in numbers])
        return PoseKind.DUAL_QUATERNION, None

    def _checked_seeds(self, seeds: ArrayLike | None, count: int) -> np.ndarray | None:
        """Return seeds as the kernels take them: none, one for all, or one each."""
        if seeds is None:
            return None
        what = f'seeds have shape ({self.chain.n},) or ({count}, {self.chain.n})'
        rows = np.ascontiguousarray(array_of(seeds, SeedError, what))
        if rows.shape not in ((self.chain.n,), (count, self.chain.n)):
            raise SeedError(f'{what}, got {rows.shape}')
        good = np.all(np.abs(np.atleast_2d(rows)) <= FARTHEST, axis=1)
        if not good.all():
            row = int(good.argmin())
            raise SeedError(f'seed {row} is not finite, or farther than {FARTHEST:g} rad or m: '
                            f'{np.atleast_2d(rows)[row]}')
        return rows

    def _explain(self, goals: Any, row: int, result: int) -> None:
        """Raise an error that names the bad goal of a batch."""
        raise GoalError(f'goal {row} is bad, {fault_of(result).words}: {goals[row]!r}')


def _is_pose(goal: Any) -> bool:
    """Tell whether a goal of the only tip is given as a pose alone, or is none."""
    return not isinstance(goal, (Goal, Mapping)) and not is_point(goal) and not (
        isinstance(goal, (list, tuple)) and len(goal) == 1)


def _are_points(goals: Any) -> bool:
    """Tell whether goals are finite positions (N, 3), of which there is at least one."""
    if not len(goals) or not is_point(goals[0]):
        return False
    try:
        points = np.asarray(goals, dtype=float)
    except (TypeError, ValueError):
        return False
    return points.ndim == 2 and bool(np.isfinite(points).all())


def solve(chain: Chain, goals: Any, seed: ArrayLike | None = None, *,
          bounds: tuple[ArrayLike, ArrayLike] | None = None, timeout: float | None = None,
          **options: Unpack[CallOptions]) -> IkResult:
    """Solve once, as the method of the chain does."""
    return chain.solve(goals, seed, bounds=bounds, timeout=timeout, **options)


def solve_batch(chain: Chain, goals: Any, seeds: ArrayLike | None = None, *,
                bounds: tuple[ArrayLike, ArrayLike] | None = None, order: str | None = None,
                timeout: float | None = None, progress: bool = False,
                **options: Unpack[CallOptions]) -> BatchResult:
    """Solve many goals in parallel, as the method of the chain does."""
    return chain.solve_batch(goals, seeds, bounds=bounds, order=order, timeout=timeout,
                             progress=progress, **options)


Chain.make_solver = Solver
