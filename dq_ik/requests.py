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
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dq_ik.chain import Chain
from dq_ik.core import lanes, race
from dq_ik.core import request as core
from dq_ik.core.tree import is_plain_chain
from dq_ik.errors import GoalError, listing, OptionError, SeedError
from dq_ik.goal import as_pose, Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.space import TURN, turning


class Requests:
    """
    The requests of a solver (:mod:`dq_ik.core.request`).

    ``template``, of one row, holds all but goals and seed; ``answer_size`` is that of the answers.
    """

    def __init__(self, chain: Chain, options: IkOptions) -> None:
        self.chain, self.options = chain, options
        self._n_tips = len(chain.tips)
        # where the rows with one value per joint start
        self._rows = core.REQUEST_HEAD + core.GOAL_WIDTH * self._n_tips
        solutions = options.max_solutions if options.mode == 'all' else 0
        self.answer_size = core.answer_size(chain.n, self._n_tips, solutions, options.trace)
        self.template = self._request()[None]

    def with_goals(self, goals: Any, bounds: tuple[ArrayLike, ArrayLike] | None) -> np.ndarray:
        """Return a request for goals or bounds that are not the usual ones."""
        requests = self.template.copy()
        self.write_goals(requests[0], goals)
        if bounds is not None:
            self._write_bounds(requests[0], bounds)
        return requests

    def _request(self) -> np.ndarray:
        """Return a request with all but goals and seed filled in."""
        chain, options = self.chain, self.options
        block = np.zeros(core.request_size(chain.n, self._n_tips))
        head = block[:core.REQUEST_HEAD]
        head[core.METHOD] = core.Method[options.method.upper()]
        head[core.MODE] = core.Mode[options.mode.upper()]
        head[core.TIMEOUT] = options.timeout
        head[core.MAX_ITERATIONS] = options.iterations
        head[core.MAX_RESTARTS] = options.max_restarts
        head[core.MAX_STEP] = options.max_joint_step
        head[core.MAX_TRACE] = options.trace
        head[core.ANSWER_SIZE] = self.answer_size
        head[core.STAY] = options.minimal_displacement_weight
        rows = block[self._rows:].reshape(core.REQUEST_ROWS, chain.n)
        rows[core.SEED] = chain.neutral
        rows[core.LOWER] = chain.lower
        rows[core.UPPER] = chain.upper
        rows[core.PERIOD] = turning(chain.elements.tree, chain.lower, chain.upper)
        rows[core.METRIC] = self._metric()
        rows[core.PULL], rows[core.REST] = self._pull()
        rows[core.REPEL] = options.avoid_joint_limits_weight
        wishes = rows[core.PULL].any() or options.minimal_displacement_weight > 0.0
        if wishes or options.avoid_joint_limits_weight > 0.0:
            head[core.SECONDARY] = options.posture_iterations
        head[core.RACES] = self._may_race() and not head[core.SECONDARY]
        for k in range(self._n_tips):
            self._write_goal(block, k, Goal(Pose.identity()))
        return block

    def _may_race(self) -> bool:
        """Tell whether attempts may race (:mod:`dq_ik.core.race`): any answer will do."""
        options, chain = self.options, self.chain
        return (options.mode == 'speed' and options.max_restarts >= race.HEATS * lanes.WIDTH
                and options.iterations >= race.LAPS + race.PATIENCE and chain.n >= 5
                and is_plain_chain(chain.elements.tree))

    def _metric(self) -> np.ndarray:
        """Cost of moving each joint, 1 / strength^2; negative: locked."""
        chain, options = self.chain, self.options
        metric = np.ones(chain.n)
        if options.joint_weights:
            if len(options.joint_weights) != chain.n or min(options.joint_weights) < 0.0:
                raise OptionError(f'joint_weights are {chain.n} numbers, not negative, for '
                                  f'{listing(chain.joint_names)}; got {options.joint_weights}')
            with np.errstate(divide='ignore'):
                metric = 1.0 / np.square(options.joint_weights)
            metric[np.isinf(metric)] = core.LOCKED
        for name in options.locked_joints:
            held = [name in (v.name, v.joint) for v in chain.elements.variables]
            if not any(held):
                raise OptionError(f'locked_joints names {name!r}; the joints are '
                                  f'{listing(chain.joint_names)}')
            metric[held] = core.LOCKED
        return metric

    def _pull(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights and target of the fixed postural wishes: centre and rest posture."""
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

    def write_goals(self, block: np.ndarray, goals: Any) -> None:
        """Write goals, given as for :meth:`dq_ik.solver.Solver.solve`, to a request."""
        if isinstance(goals, Mapping):
            for k in range(self._n_tips):
                block[self._goal_slice(k)][8:14] = 0.0  # free
            for tip, goal in goals.items():
                self._write_goal(block, self._tip_number(tip), goal)
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
            self._write_goal(block, k, goal)

    def _tip_number(self, tip: str) -> int:
        if tip not in self.chain.tips:
            raise GoalError(f'tip {tip!r} is not one of this chain: {listing(self.chain.tips)}')
        return self.chain.tips.index(tip)

    def _write_goal(self, block: np.ndarray, k: int, goal: Any) -> None:
        if not isinstance(goal, Goal):
            pose = as_pose(goal)
            row = self._default_rows[k].copy()
            row[:4], row[4:8] = pose._real, pose._dual
        else:
            options = self.options
            row = goal.row(options.position_tolerance, options.rotation_tolerance, self._scales[k])
        block[self._goal_slice(k)] = row

    @cached_property
    def _default_rows(self) -> list[np.ndarray]:
        tolerances = self.options.position_tolerance, self.options.rotation_tolerance
        return [Goal(Pose.identity()).row(*tolerances, s) for s in self._scales]

    @cached_property
    def _scales(self) -> list[float]:
        """Metres that weigh as much as a radian, for each tip."""
        if self.options.rotation_scale > 0.0:
            return [self.options.rotation_scale] * self._n_tips
        return [min(max(0.3 * reach, 0.05), 0.3) for reach in self.chain.reach]

    def _goal_slice(self, k: int) -> slice:
        start = core.REQUEST_HEAD + k * core.GOAL_WIDTH
        return slice(start, start + core.GOAL_WIDTH)

    def _write_bounds(self, block: np.ndarray, bounds: tuple[ArrayLike, ArrayLike]) -> None:
        rows = block[self._rows:].reshape(core.REQUEST_ROWS, self.chain.n)
        lower, upper = (self.chain.checked(np.clip(bound, -1e100, 1e100)) for bound in bounds)
        rows[core.LOWER] = np.maximum(self.chain.lower, lower)
        rows[core.UPPER] = np.minimum(self.chain.upper, upper)
        empty = rows[core.LOWER] > rows[core.UPPER]
        if empty.any():
            names = [name for name, bad in zip(self.chain.joint_names, empty) if bad]
            raise SeedError('no value is inside both the bounds and the joint limits for '
                            f'{listing(names)}')
        rows[core.PERIOD][rows[core.UPPER] - rows[core.LOWER] < TURN - 1e-9] = 0.0
