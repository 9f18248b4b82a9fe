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

"""Solver: goals in, results out; the only door to the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dq_ik.chain import Chain
from dq_ik.core import comparison, search
from dq_ik.core.blocks import pack_robot
from dq_ik.core.compile import announce, bound
from dq_ik.errors import SeedError
from dq_ik.goal import unit_rows
from dq_ik.options import IkOptions
from dq_ik.parallel import on_all_cores
from dq_ik.pose import Pose
from dq_ik.requests import Requests
from dq_ik.result import BatchResult, IkResult, Layout
from dq_ik.starts import start_table

STARTS = 512  # stored configurations from which a search may start again
NONE = np.empty(0)


class Solver:
    """
    Inverse kinematics of a chain with fixed options: prepared once, called from any thread.

    Goals are given as a Pose, a 4x4 matrix, (position, quaternion wxyz), a :class:`Goal`, a
    sequence of these (one per tip), or a mapping from tip to one of these; tips without a goal are
    free.
    """

    def __init__(self, chain: Chain, options: IkOptions | None = None, **overrides: Any) -> None:
        """
        Prepare a solver.

        :param options: settings; ``overrides`` replace single ones
        """
        self.chain = chain
        self.options = IkOptions.of(options, **overrides)
        self._n, self._n_tips = chain.n, len(chain.tips)
        self._layout = Layout(chain, self.options.trace)
        self._requests = Requests(chain, self.options)
        self._template, self._answer_size = self._requests.template, self._requests.answer_size
        kernel = search.solve if self.options.method in ('pgs', 'pls') else comparison.solve
        announce(kernel)
        restarts = self.options.max_restarts
        count = max(STARTS, restarts + 1) if restarts else 1
        table = start_table(chain, count, self.options.random_seed)
        self._robot = pack_robot(*chain.packed, table)
        self._kernel = bound(kernel, self._robot, self._template, NONE, NONE, NONE)

    def solve(self, goals: Any, seed: ArrayLike | None = None, *,
              bounds: tuple[ArrayLike, ArrayLike] | None = None) -> IkResult:
        """
        Find a configuration that brings the tips to their goals.

        :param seed: where to start, and which turn of continuous joints is wanted; None: mode
            'speed' with restarts starts at the stored configuration nearest to the goals, others
            at the neutral one
        :param bounds: lower and upper limits for this call, narrower than the chain's
        """
        if type(goals) is Pose and self._n_tips == 1 and bounds is None:
            requests, targets = self._template, goals._row  # its numbers, if made before
            if targets is None:
                targets = goals.numbers()
        else:
            requests, targets = self._requests.with_goals(goals, bounds), NONE
        seeds = NONE
        if seed is not None:
            try:
                seeds = np.ascontiguousarray(seed, float)
            except (TypeError, ValueError):
                self.chain.vector(seed)  # says what is wrong
            if len(seeds) != self._n or seeds.ndim != 1:
                self.chain.vector(seed)
        answer = np.empty(self._answer_size)
        try:
            status = self._kernel(self._robot, requests, targets, seeds, answer)
        except ValueError:  # a seed is not finite
            self.chain.checked(seeds)
            raise
        return IkResult(self._layout, answer, status)

    def solve_batch(self, goals: Any, seeds: ArrayLike | None = None, *,
                    progress: bool = False) -> BatchResult:
        """
        Solve many goals in parallel on all cores; the same answers as one by one.

        :param goals: N goals, each as for :meth:`solve`; for one tip also an array (N, 8) of dual
            quaternions or (N, 4, 4)
        :param seeds: one seed (n,) for all, or one each (N, n)
        :param progress: show a progress bar
        """
        requests, targets = self._template, NONE
        if self._n_tips == 1 and isinstance(goals, np.ndarray) and goals.shape[1:] == (8,):
            targets = unit_rows(goals).ravel()
        elif self._n_tips == 1 and all(type(goal) is Pose for goal in goals):
            targets = np.array([goal.numbers() for goal in goals]).ravel()
        else:
            requests = np.repeat(requests, len(goals), axis=0)
            for block, goal in zip(requests, goals):
                self._requests.write_goals(block, goal)
        seeds = self._checked_seeds(seeds, len(goals))
        answers = np.empty((len(goals), self._answer_size))
        each = len(requests) > 1, len(targets) > 0, len(seeds) > self.chain.n
        widths = 1, 8, self.chain.n

        def work(rows: slice) -> None:
            given = (part[rows.start * width:rows.stop * width] if one_each else part
                     for part, one_each, width in zip((requests, targets, seeds), each, widths))
            self._kernel(self._robot, *given, answers[rows].ravel())

        on_all_cores(len(goals), work, progress=progress)
        return BatchResult(self._layout, answers)

    def _checked_seeds(self, seeds: ArrayLike | None, count: int) -> np.ndarray:
        """Return seeds as the kernels take them: none, one for all, or one each."""
        if seeds is None:
            return NONE
        seeds = np.array(seeds, dtype=float)
        if seeds.shape not in ((self.chain.n,), (count, self.chain.n)):
            raise SeedError(f'seeds have shape ({self.chain.n},) or ({count}, {self.chain.n}), '
                            f'got {seeds.shape}')
        if not np.all(np.isfinite(seeds)):
            raise SeedError('the seeds are not finite')
        return seeds.ravel()


def solve(chain: Chain, goals: Any, seed: ArrayLike | None = None, **options: Any) -> IkResult:
    """Solve once; the same as ``chain.solve(goals, seed, **options)``."""
    return chain.solve(goals, seed, **options)


def solve_batch(chain: Chain, goals: Any, seeds: ArrayLike | None = None,
                **options: Any) -> BatchResult:
    """Solve many goals in parallel; the same as ``chain.solve_batch(goals, seeds, **options)``."""
    return chain.solve_batch(goals, seeds, **options)
