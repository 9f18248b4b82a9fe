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
"""Steps of a stream: each answer is no farther from the last than the joints' speeds allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dq_ik.core.entries.pose_input import PoseKind, WIDTHS
from dq_ik.core.memory.layout import ANSWER, Policy, TRACK
from dq_ik.core.memory.views import read
from dq_ik.errors import DqIkError
from dq_ik.goal import as_pose, pose_numbers
from dq_ik.native.load import door, fault_of
from dq_ik.options import IkOptions
from dq_ik.requests import Requests
from dq_ik.result import BatchResult, IkResult, Layout
from dq_ik.robot.chain import Chain
import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Following:
    """How a stream stays on its goal, and what it does when it cannot."""

    policy: str = 'intercept'
    momentum: bool = True
    look_ahead: bool = False
    barrier: float = 3.0
    barrier_speed: float = 1.0
    step_ratio: float = 10.0
    least_speed: float = 0.4


class Steps:
    """Answers goals one after the other, from where the joints are."""

    def __init__(self, chain: Chain, q: ArrayLike, velocity: ArrayLike,
                 options: IkOptions | None = None, following: Following | None = None) -> None:
        """
        Start at rest.

        :param velocity: greatest speeds (n,) [rad/s or m/s]
        """
        self.chain = chain
        self._track, self._answer = door().entries['track'], door().entries['answer_size']
        self._robot = chain.robot(1)
        self._memory = np.empty(door().entries['memory_size'](self._robot))
        self._state = np.empty(door().entries['track_size'](self._robot))
        self.reseed(q)
        self.configure(velocity, options or IkOptions(), following or Following())

    def reseed(self, q: ArrayLike) -> None:
        """Start anew from these joint positions, at rest."""
        state = np.empty_like(self._state)
        door().entries['track_begin'](self._robot, self.chain.checked(q), state)
        self._state = state
        self.state = read(TRACK, state)
        if hasattr(self, '_velocity'):
            self._write()

    def configure(self, velocity: ArrayLike, options: IkOptions, following: Following) -> None:
        """Take new settings; the motion goes on."""
        self.options = replace(options, max_restarts=0, mode='speed', trace=0)
        self._requests = Requests(self.chain, self.options)
        self._size = self._answer(self._requests.template)
        self._layout = Layout(self.chain, ANSWER.slices(
            n=self.chain.n, n_tips=len(self.chain.tips), max_solutions=0, max_trace=0))
        self._velocity, self._following = np.broadcast_to(velocity, self.chain.n), following
        self._write()

    def _write(self) -> None:
        state, following = self.state, self._following
        state.velocity[:] = np.minimum(self._velocity, 1e6)
        state.policy[...] = Policy[following.policy.upper()]
        for name in ('momentum', 'look_ahead', 'barrier', 'barrier_speed', 'step_ratio',
                     'least_speed'):
            getattr(state, name)[...] = getattr(following, name)

    def step(self, goals: Any, dt: float, *, fresh: bool = True) -> IkResult:
        """
        Answer goals, given as for :meth:`dq_ik.solver.Solver.solve`.

        :param dt: time since the last answer [s]
        """
        answer = np.empty(self._size)
        request = self._requests.with_goals(goals, None)
        status = self._track(self._robot, request, self._state, None, 0, 0, int(fresh), dt, answer,
                             1, self._memory)
        if status < 0:
            raise DqIkError(f'the step failed: {fault_of(status)}')
        return IkResult(self._layout, answer, status)

    def run(self, poses: np.ndarray, dt: float) -> BatchResult:
        """Answer poses (N, 4, 4) or (N, 8) of the only tip, a period of dt each."""
        kind = PoseKind.MATRIX if poses.shape[1:] == (4, 4) else PoseKind.DUAL_QUATERNION
        rows = np.ascontiguousarray(poses, float).reshape(len(poses), WIDTHS[kind])
        answers = np.empty((len(rows), self._size))
        status = self._track(self._robot, self._requests.template, self._state, rows, int(kind),
                             len(rows), 1, dt, answers, len(rows), self._memory)
        if status < 0:
            raise DqIkError(f'the steps failed: {fault_of(status)}')
        return BatchResult(self._layout, answers)
