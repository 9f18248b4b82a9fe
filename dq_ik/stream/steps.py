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

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TYPE_CHECKING

from dq_ik.contact import Contact
from dq_ik.core.entries.pose_input import PoseKind, WIDTHS
from dq_ik.core.memory.layout import ANSWER, Policy, REQUEST, TRACK
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.core.memory.views import read
from dq_ik.errors import CollisionError, DqIkError, GoalError, listing
from dq_ik.native.load import door, fault_of
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.pose_forms import as_pose
from dq_ik.requests import Requests
from dq_ik.result import BatchResult, IkResult, Layout, Status
from dq_ik.robot.chain import Chain
from dq_ik.stream.guard import Guard
import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from dq_ik.collision.scene import Scene

SETTINGS = ('momentum', 'look_ahead', 'barrier', 'barrier_speed', 'step_ratio', 'least_speed')
NO_ROWS = np.empty((0, NEAREST.width))
EASE = 0.04  # of the push away from the limits, of streams among bodies [s]
NO_MOTION = 1e-6  # of the tip by a joint [m/rad]
TRIALS = 3  # random configurations; any may be near a singularity
UNLIMITED = 1e6  # speed of a joint without a limit [rad/s or m/s]


@dataclass(frozen=True)
class Following:
    """
    How a stream stays on its goal, and what it does when it cannot.

    :param policy: after a loss: 'intercept' goes straight to where the goal can be met again,
        'best_reach' stays near the goal, 'stop' stays where it is
    :param momentum: start each step where the last one leads to
    :param look_ahead: plan the motion of redundant joints along the goals to come
    :param barrier: gain of the push away from the limits [1/s]; 0: none
    :param barrier_speed: greatest speed of that push [rad/s]
    :param step_ratio: greatest step of a joint for a step of the goal [rad/m]; 0: any
    :param least_speed: joint speed that this ratio never forbids [rad/s]
    """

    policy: str = 'intercept'
    momentum: bool = True
    look_ahead: bool = True
    barrier: float = 3.0
    barrier_speed: float = 1.0
    step_ratio: float = 10.0
    least_speed: float = 0.4


class Steps:
    """Answers goals one after the other, from where the joints are."""

    def __init__(self, chain: Chain, q: ArrayLike, velocity: ArrayLike,
                 options: IkOptions | None = None, following: Following | None = None,
                 scene: Scene | None = None) -> None:
        """
        Start at rest.

        :param q: where the joints are
        :param velocity: greatest speeds, one for all or one each (n,) [rad/s or m/s]
        :param scene: bodies that no answer and no way to it may let collide
        """
        self.chain = chain
        self.guard = guard_of(chain, scene)
        self._robot = chain.robot(1)
        self._memory = np.empty(door().entries['memory_size'](self._robot))
        self._state = np.zeros(door().entries['track_size'](self._robot))
        self._begin(q)
        self.configure(velocity, options or IkOptions(), following or Following())

    def configure(self, velocity: ArrayLike, options: IkOptions, following: Following) -> None:
        """Take new settings; the motion goes on."""
        self.options = replace(options, max_restarts=0, mode='speed', trace=0)
        self._requests = Requests(self.chain, self.options)
        self.movable = read(REQUEST, self._requests.template).metric >= 0.0
        self._answer_size = door().entries['answer_size'](self._requests.template)
        self._layout = Layout(self.chain, ANSWER.slices(
            n=self.chain.n, n_tips=len(self.chain.tips), max_solutions=0, max_trace=0))
        self.velocity = np.minimum(np.broadcast_to(velocity, self.chain.n), UNLIMITED)
        self._rank = rank_of(self.chain, self.movable)
        self._following = following
        self._write_settings()

    def watch(self, scene: Scene | None) -> None:
        """Keep away from other bodies from now on; None: from none. The motion goes on."""
        self.guard = guard_of(self.chain, scene)
        self._write_settings()

    def trial(self) -> Steps:
        """Return a copy that goes on from here, and stops where it loses its goals."""
        other = copy(self)
        other._state = self._state.copy()
        other.state = read(TRACK, other._state)
        other.state.policy[...] = Policy.STOP
        other.guard = None
        return other

    def reseed(self, q: ArrayLike) -> None:
        """Start anew from these joint positions, at rest."""
        self._begin(q)
        self._write_settings()
        if self.guard is not None:
            self.guard.rest()

    def _begin(self, q: ArrayLike) -> None:
        door().entries['track_begin'](self._robot, self.chain.checked(q), self._state)
        self.state = read(TRACK, self._state)

    def _write_settings(self) -> None:
        self.state.velocity[:] = self.velocity
        self.state.policy[...] = Policy[self._following.policy.upper()]
        self.state.rank[...] = self._rank
        for name in SETTINGS:
            getattr(self.state, name)[...] = getattr(self._following, name)
        if self.guard is not None:
            self.state.look_ahead[...] = 0  # plans know no bodies
        self.state.ease[...] = 0.0 if self.guard is None else EASE

    @property
    def q(self) -> np.ndarray:
        """Return the last answer."""
        return self.state.q.copy()

    @property
    def wants_search(self) -> bool:
        """Whether the goal jumped to where no step and no intercept leads."""
        state = self.state
        tried = state.scan[0] < 0 or state.policy == Policy.BEST_REACH
        return bool(state.jumped[0] and state.lost[0] and tried and not state.aiming[0]
                    and state.policy != Policy.STOP)

    def aim_at(self, q: np.ndarray) -> None:
        """Go to the best reach of a goal that was searched for, straight and at full speed."""
        state = self.state
        state.aim[:] = q
        state.aiming[0] = 2
        state.remaining[0] = np.max(np.abs(q - state.q) / self.velocity, initial=0.0)

    def step(self, goals: Any, dt: float, *, fresh: bool = True) -> IkResult:
        """
        Answer goals, given as for :meth:`dq_ik.solver.Solver.solve`.

        :param dt: time since the last answer [s]
        :param fresh: whether they are new; else they are those of the step before
        """
        request, poses = self._requests.template, None
        if type(goals) is Pose:
            poses = goals.numbers()
        else:
            request = self._requests.with_goals(goals, None)
        answers, rows, status = self._call(request, poses, PoseKind.DUAL_QUATERNION, 1,
                                           int(fresh), dt)
        if status < 0:
            as_pose(goals)  # says what is wrong
            raise DqIkError(f'the step failed: {fault_of(status)}')
        return IkResult(self._layout, answers[0], status,
                        self._contact(rows[0]) if status == Status.BLOCKED else None)

    def _call(self, request: np.ndarray, poses: np.ndarray | None, kind: PoseKind, count: int,
              fresh: int, dt: float) -> tuple[np.ndarray, np.ndarray, int]:
        """Follow goals; return answers, rows NEAREST of a stream with a guard, and the status."""
        answers, rows = np.empty((count, self._answer_size)), NO_ROWS
        given = (self._robot, request, self._state, poses, int(kind),
                 0 if poses is None else count, fresh, dt)
        if self.guard is None:
            status = door().entries['track'](*given, answers, count, self._memory)
        else:
            rows = np.empty((count, NEAREST.width))
            self.guard.look()
            links, scene, guard, memory = self.guard.arguments
            status = door().entries['track_guarded'](
                *given, links, scene, guard, answers, rows, count, self._memory, memory)
        return answers, rows, status

    def run(self, poses: np.ndarray, dt: float) -> BatchResult:
        """
        Answer poses of the only tip, one period after the other.

        :param poses: (N, 4, 4) matrices or (N, 8) dual quaternions
        :param dt: period [s]
        """
        kinds = {(4, 4): PoseKind.MATRIX, (8,): PoseKind.DUAL_QUATERNION}
        if poses.shape[1:] not in kinds or len(self.chain.tips) != 1:
            raise GoalError('poses of the only tip have shape (N, 4, 4) or (N, 8), got '
                            f'{poses.shape} for {listing(self.chain.tips)}')
        kind = kinds[poses.shape[1:]]
        rows = np.ascontiguousarray(poses, float).reshape(len(poses), WIDTHS[kind])
        answers, contacts, status = self._call(
            self._requests.template, rows, kind, len(rows), 1, dt)
        if status < 0:
            raise GoalError(f'pose {fault_of(status).row} is bad: {fault_of(status)}')
        ended = BatchResult(self._layout, answers).status
        return BatchResult(self._layout, answers, [
            self._contact(row) if end == Status.BLOCKED else None
            for row, end in zip(contacts, ended)])

    def _contact(self, row: np.ndarray) -> Contact | None:
        return None if self.guard is None else self.guard.contact(row)


def rank_of(chain: Chain, movable: np.ndarray) -> int:
    """Return the rank of the Jacobian away from singularities; 0 if there are several tips."""
    if len(chain.tips) > 1:
        return 0
    rng = np.random.default_rng(0)
    return max(int(np.linalg.matrix_rank(chain.jacobian(chain.random(rng))[:, movable], NO_MOTION))
               for _ in range(TRIALS))


def guard_of(chain: Chain, scene: Scene | None) -> Guard | None:
    """Return the guard of a scene; raises CollisionError if it is one of another chain."""
    if scene is None:
        return None
    if scene.chain.joint_names != chain.joint_names:
        raise CollisionError('the scene is one of another chain; its joints are '
                             f'{listing(scene.chain.joint_names)}')
    return Guard(scene)
