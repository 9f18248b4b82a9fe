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

"""What a solver asks of the kernels: its options once, goals and bounds for each call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
import reprlib
from typing import Any

from dq_ik.core.memory import layout as core
from dq_ik.core.memory.views import read
from dq_ik.errors import array_of, GoalError, listing, nearest, OptionError, SeedError
from dq_ik.goal import Goal
from dq_ik.native.load import door
from dq_ik.options import IkOptions
from dq_ik.pose_forms import as_pose, is_point, pose_numbers
from dq_ik.robot.chain import Chain
from dq_ik.robot.limits import clamped
import numpy as np
from numpy.typing import ArrayLike

WEAKEST = 1e-6  # strength of a joint that is not locked; the cost of moving it is its -2nd power


def pair(bounds: Any) -> tuple[ArrayLike, ArrayLike]:
    """Return bounds that are two, or raise SeedError."""
    both = tuple(bounds) if isinstance(bounds, Iterable) else ()
    if len(both) != 2 or any(isinstance(bound, (Mapping, str)) for bound in both):
        raise SeedError('bounds are a pair (lower, upper) of joint vectors, got '
                        f'{reprlib.repr(bounds)}')
    return both


class Requests:
    """
    The requests of a solver (:data:`dq_ik.core.memory.layout.REQUEST`).

    ``template`` holds all but goals and seed.
    """

    def __init__(self, chain: Chain, options: IkOptions) -> None:
        self.chain, self.options = chain, options
        self._n_tips = len(chain.tips)
        kinds = read(core.ROBOT, chain.block).index[:, core.ELEMENT_KIND]
        self._has_balls = bool((kinds == core.BALL).any())
        self._convert = door().entries['pose']
        sizes = {'n': chain.n, 'n_tips': self._n_tips}
        slices = core.REQUEST.slices(**sizes)
        self._goals, self._lower, self._upper = (
            slices[name] for name in ('goals', 'lower', 'upper'))
        self.template = core.REQUEST.new(**sizes)
        door().entries['request'](chain.block, self.template)
        self._write_options(read(core.REQUEST, self.template))

    def with_goals(self, goals: Any, bounds: tuple[ArrayLike, ArrayLike] | None) -> np.ndarray:
        """Return a request for goals or bounds that are not the usual ones."""
        request = self.template.copy()
        self.write_goals(request, goals)
        if bounds is not None:
            self._write_bounds(request, bounds)
        return request

    def rows(self, count: int, bounds: tuple[ArrayLike, ArrayLike] | None) -> np.ndarray:
        """Return requests for many calls; each bound is one (n,) for all, or one each."""
        requests = np.repeat(self.template[None], count, axis=0)
        if bounds is not None:
            lower, upper = (self._checked_bounds(bound, count) for bound in pair(bounds))
            lower = np.maximum(self.chain.lower, lower)
            upper = np.minimum(self.chain.upper, upper)
            if np.any(empty := self._empty(lower, upper)):
                row = int(empty.any(axis=1).argmax())
                self._refuse(empty[row], f' in row {row}')
            requests[:, self._lower], requests[:, self._upper] = lower, upper
        return requests

    def _checked_bounds(self, bound: ArrayLike, count: int) -> np.ndarray:
        n = self.chain.n
        what = f'bounds are numbers of shape ({n},) or ({count}, {n})'
        rows = array_of(bound, SeedError, what)
        if rows.shape not in ((n,), (count, n)) or np.isnan(rows).any():
            raise SeedError(f'{what}, got shape {rows.shape}')
        return np.broadcast_to(rows, (count, n))

    def _write_options(self, request: Any) -> None:
        """Write what the options say to the usual request."""
        options = self.options
        request.method[...] = core.Method[options.method.upper()]
        request.mode[...] = core.Mode[options.mode.upper()]
        request.timeout[...] = options.timeout
        request.max_iterations[...] = options.iterations
        request.max_restarts[...] = options.max_restarts
        request.max_joint_step[...] = options.max_joint_step
        request.max_solutions[...] = options.max_solutions if options.mode == 'all' else 0
        request.max_trace[...] = options.trace
        request.stay[...] = options.minimal_displacement_weight
        request.metric[:] = self._metric()
        request.pull[:], request.rest[:] = self._pull()
        request.repel[:] = options.avoid_joint_limits_weight
        objectives = request.pull.any() or request.repel.any() or request.stay > 0.0
        request.posture_iterations[...] = options.posture_iterations if objectives else 0
        for goal in request.goals:
            goal[core.TOLERANCE:core.TOLERANCE + 2] = (
                options.position_tolerance, options.rotation_tolerance)
            if options.rotation_scale > 0.0:
                goal[core.WEIGHT + 3:core.WEIGHT + 6] = options.rotation_scale

    def _metric(self) -> np.ndarray:
        """Cost of moving each joint, 1 / strength^2; negative: locked."""
        chain, options = self.chain, self.options
        metric = np.ones(chain.n)
        if options.joint_weights:
            if len(options.joint_weights) != chain.n or not all(
                    w == 0.0 or WEAKEST <= w <= 1.0 / WEAKEST for w in options.joint_weights):
                raise OptionError(f'joint_weights are {chain.n} numbers, 0 or from {WEAKEST:g} to '
                                  f'{1.0 / WEAKEST:g}, for {listing(chain.joint_names)}; got '
                                  f'{options.joint_weights}')
            with np.errstate(divide='ignore'):
                metric = 1.0 / np.square(options.joint_weights)
            metric[np.isinf(metric)] = core.LOCKED
        for name in options.locked_joints:
            held = [name in (v.name, v.joint) for v in chain.variables]
            if not any(held):
                raise OptionError(
                    f'locked_joints names {name!r}{nearest(name, chain.joint_names)}; the joints '
                    f'are {listing(chain.joint_names)}')
            metric[held] = core.LOCKED
        return metric

    def _pull(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights and target of the fixed posture objectives: centre and rest posture."""
        chain, options = self.chain, self.options
        bounded = np.isfinite(chain.upper - chain.lower)
        centre = np.where(bounded, 0.5 * (np.where(bounded, chain.lower, 0.0)
                                          + np.where(bounded, chain.upper, 0.0)), 0.0)
        to_centre = np.where(bounded, options.center_joints_weight, 0.0)
        rest = np.array(options.rest_posture) if options.rest_posture else chain.neutral
        if rest.shape != (chain.n,):
            raise OptionError(f'rest_posture has {chain.n} numbers, for '
                              f'{listing(chain.joint_names)}; got {len(rest)}')
        pull = to_centre + options.rest_posture_weight
        target = to_centre * centre + options.rest_posture_weight * rest
        return pull, target / np.where(pull > 0.0, pull, 1.0)

    def write_goals(self, request: np.ndarray, goals: Any) -> None:
        """Write goals, given as for :meth:`dq_ik.solver.Solver.solve`, to a request."""
        rows = request[self._goals].reshape(self._n_tips, core.GOAL.width)
        if isinstance(goals, Mapping):
            if not goals:
                raise GoalError(f'no tip has a goal; the tips are {listing(self.chain.tips)}')
            rows[:, core.WEIGHT:core.WEIGHT + 6] = 0.0  # free
            for tip, goal in goals.items():
                number = self._tip_number(tip)
                self._write_goal(rows[number], number, goal)
            return
        in_a_list = isinstance(goals, (list, tuple)) and len(goals) == 1
        one = self._n_tips == 1 and not in_a_list
        goals = [goals] if one or not isinstance(goals, Iterable) else list(goals)
        tips = [goal.tip if isinstance(goal, Goal) else None for goal in goals]
        numbers = [k if tip is None else self._tip_number(tip) for k, tip in enumerate(tips)]
        if sorted(numbers) != list(range(self._n_tips)):
            raise GoalError('one goal per tip is needed, in the order '
                            f'{listing(self.chain.tips)}, or a mapping from tip to goal')
        for k, goal in zip(numbers, goals):
            self._write_goal(rows[k], k, goal)

    def write_points(self, requests: np.ndarray, points: np.ndarray) -> None:
        """Write positions (N, 3) for the only tip, one into each request."""
        self.write_goals(requests[0], points[0])
        requests[:, self._goals] = requests[0, self._goals]
        half = requests[:, self._goals][:, 5:8]  # the dual part of a pose without rotation
        half[:] = 0.5 * points

    def _tip_number(self, tip: str) -> int:
        if tip not in self.chain.tips:
            raise GoalError(f'tip {tip!r} is not one of this chain'
                            f'{nearest(str(tip), self.chain.tips)}: {listing(self.chain.tips)}')
        return self.chain.tips.index(tip)

    def _write_goal(self, row: np.ndarray, k: int, goal: Any) -> None:
        usual = self.template[self._goals][core.GOAL.width * k:core.GOAL.width * (k + 1)]
        if is_point(goal):
            goal = Goal(position=goal)
        if isinstance(goal, Goal):
            row[:] = goal.row(usual, self.chain.tips, self.chain.tips[k])
            return
        row[:] = usual
        kind, numbers = pose_numbers(goal)
        if self._convert(kind, numbers, row[:8]) < 0:
            row[:8] = as_pose(goal).numbers()  # says what is wrong

    def _write_bounds(self, request: np.ndarray, bounds: tuple[ArrayLike, ArrayLike]) -> None:
        lower, upper = (self.chain.checked(np.clip(self.chain.vector(bound), -1e100, 1e100))
                        for bound in pair(bounds))
        request[self._lower] = lower = np.maximum(self.chain.lower, lower)
        request[self._upper] = upper = np.minimum(self.chain.upper, upper)
        empty = self._empty(lower[None], upper[None])[0]
        if empty.any():
            self._refuse(empty)

    def _empty(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Tell which variables have no value inside bounds (N, n); balls are tried by clamping."""
        empty = (lower > upper) | (lower > core.FARTHEST) | (upper < -core.FARTHEST)
        if not empty.any() and self._has_balls:
            for row, low, high in zip(empty, lower, upper):
                middle = 0.5 * (np.clip(low, -np.pi, np.pi) + np.clip(high, -np.pi, np.pi))
                inside, _ = clamped(self.chain.block, middle, low, high)
                row |= clamped(self.chain.block, inside, low, high)[1] > 0.0
        return empty

    def _refuse(self, empty: np.ndarray, where: str = '') -> None:
        names = [name for name, bad in zip(self.chain.joint_names, empty) if bad]
        raise SeedError('no value is inside both the bounds and the joint limits for '
                        f'{listing(names)}{where}')


def options_of(chain: Chain, options: IkOptions) -> IkOptions:
    """
    Return options that name or number the URDF's joints as the solver of a chain takes them.

    :raises OptionError: if a joint of a ball is locked, but not the others.
    """
    rest, locked = options.rest_posture, list(options.locked_joints)
    for joint in chain.model.joints:
        held = [name for name in locked if joint.made_of and name in joint.made_of.names]
        if joint.made_of and held and len(set(held)) < 3:
            raise OptionError(f"locked_joints names {listing(held)} of ball '{joint.name}', which "
                              f'is locked as a whole: {listing(joint.made_of.names)}')
        locked = [name for name in locked if name not in held] + [joint.name] * bool(held)
    if len(rest) == chain.n:
        rest = tuple(chain.angles.vector(np.array(rest)).tolist())
    return replace(options, rest_posture=rest, locked_joints=tuple(locked))
