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
"""Twists: the tool is moved at a velocity, through singularities and along limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import JointKind
from dq_ik.solver import Solver
import numpy as np

GoalMaker = Callable[[Goal | Pose, str], Goal | Pose]
Box = tuple[np.ndarray, np.ndarray]
MOMENTUM = 0.7  # share of the last step that the next one begins with; self-motion dies out
TOLERANCE = 1e-7  # m or rad per period: 1e-4 m/s at 1 kHz
SHORTEST = 0.25  # share of a step; where no more of it fits, the tool leaves its line
HALVINGS = 5  # in search of the longest share that fits
KICKS = 2  # further starts where the tool does not move,
KICK_PERIOD = 5  # once in so many periods
STUCK = 0.9  # share of the error that is left where the tool hardly moves
RADIAN = 0.3  # metres that an error of one radian counts as


class TwistStep:
    """
    Moves the tips of a chain at given velocities, period by period.

    The wanted poses of all tips are kept from one period to the next, so that what is not moved
    does not drift. A step is solved inside the joint limits and the joint speeds, and starts from
    a configuration that goes on as before: it passes a singularity smoothly.
    Where a whole step does not fit, a shorter one on the same line is taken. Where that would be
    a crawl, the arm comes as near as it can, and what was moved goes on from there: nothing winds
    up.
    """

    def __init__(self, chain: Chain, options: IkOptions, make_goal: GoalMaker) -> None:
        """
        Prepare the solver.

        :param make_goal: turns a pose and its tip into a goal.
        """
        self._chain = chain
        self._solver = Solver(chain, replace(
            options, max_restarts=0, mode='speed',
            position_tolerance=min(TOLERANCE, options.position_tolerance),
            rotation_tolerance=min(TOLERANCE, options.rotation_tolerance)))
        self._make_goal = make_goal
        self._is_ball = np.array(
            [_is_ball(chain, name) for name in chain.joint_names], dtype=bool)
        self._rng, self._stuck = np.random.default_rng(0), 0  # periods
        self.start(chain.neutral)

    def start(self, q: np.ndarray) -> None:
        """Keep the tips where they are at q, from now on."""
        self._q = q
        self._poses = self._chain.fk_all(q)
        self._last = np.zeros(self._chain.n)  # step

    def step(self, q: np.ndarray, twists: Mapping[str, np.ndarray], dt: float,
             speed: np.ndarray) -> tuple[np.ndarray, IkResult]:
        """
        Return the configuration after ``dt``, and the answer of the solver.

        :param q: the present one; unless it is that of the last step, the tips are kept where
            they are at q.
        :param twists: by tip: linear first, of the tip's origin, along the axes of the base.
        :param speed: greatest speeds of the joints.
        """
        if not np.array_equal(q, self._q):
            self.start(q)
        box = self._box(q, speed * dt)
        wanted, result = self._on_the_line(twists, dt, box)
        if not result.success:
            wanted = self._moved(twists, dt)
            result = self._nearest(wanted, box, result)
        step = self._slowed(result.q - q, speed * dt)
        self._last, self._q = step, self._chain.clamp(q + step)
        self._keep(wanted, twists, result.success)
        return self._q, result

    def _box(self, q: np.ndarray, reach: np.ndarray) -> Box:
        """Return the limits of one period; those of balls are not boxes, see :meth:`_slowed`."""
        lower, upper = self._chain.lower, self._chain.upper
        return (np.where(self._is_ball, lower, np.clip(q - reach, lower, upper)),
                np.where(self._is_ball, upper, np.clip(q + reach, lower, upper)))

    def _slowed(self, step: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Return a step that is short enough for the balls too."""
        if not self._is_ball.any():
            return step
        size = np.linalg.norm(step[self._is_ball].reshape(-1, 3), axis=1)
        most = reach[self._is_ball].reshape(-1, 3).min(axis=1)
        return step * min(1.0, float(np.min(most / np.maximum(size, 1e-300))))

    def _moved(self, twists: Mapping[str, np.ndarray], dt: float) -> dict[str, Pose]:
        """Return the wanted poses after ``dt``."""
        return {tip: moved(pose, twists[tip], dt) if tip in twists else pose
                for tip, pose in self._poses.items()}

    def _solve(self, wanted: Mapping[str, Pose], start: np.ndarray, box: Box) -> IkResult:
        goals = {tip: self._make_goal(pose, tip) for tip, pose in wanted.items()}
        return self._solver.solve(goals, np.clip(start, *box), bounds=box)

    def _on_the_line(self, twists: Mapping[str, np.ndarray], dt: float,
                     box: Box) -> tuple[dict[str, Pose], IkResult]:
        """Return the longest step that is met; where it is too short, the answer to a whole."""
        whole = self._moved(twists, dt)
        answer = self._solve(whole, self._q + MOMENTUM * self._last, box)
        if not answer.success and self._last.any():
            again = self._solve(whole, self._q, box)
            answer = again if _cost_of(again) < _cost_of(answer) else answer
        if answer.success:
            return whole, answer
        share, wider, found = SHORTEST, 1.0, None
        for _ in range(1 + HALVINGS):
            wanted = self._moved(twists, share * dt)
            result = self._solve(wanted, self._q + MOMENTUM * share * self._last, box)
            if result.success:
                found, fits = (wanted, result), share
            elif found is None:
                return whole, answer
            else:
                wider = share
            share = 0.5 * (fits + wider)
        return found or (whole, answer)

    def _nearest(self, wanted: Mapping[str, Pose], box: Box, first: IkResult) -> IkResult:
        """Return the best of several answers: at a straight elbow, one start finds no way."""
        here = self._chain.fk_all(self._q)
        stay = sum(_cost(*here[tip].distance(pose)) for tip, pose in wanted.items())
        best, least = first, _cost_of(first)
        self._stuck = self._stuck + 1 if least > STUCK * stay else 0
        if self._stuck % KICK_PERIOD != 1:
            return best
        reach = np.where(self._is_ball, 0.0, 0.5 * (box[1] - box[0]))
        for _ in range(KICKS):
            kick = self._rng.uniform(-1.0, 1.0, self._chain.n) * reach
            result = self._solve(wanted, self._q + kick, box)
            if result.success or _cost_of(result) < least:
                best, least = result, _cost_of(result)
        return best

    def _keep(self, wanted: dict[str, Pose], twists: Mapping[str, np.ndarray],
              met: bool) -> None:
        """Take the poses that are wanted from now on."""
        self._poses = wanted
        if met:
            return
        here = self._chain.fk_all(self._q)
        for tip, twist in twists.items():
            position = (here if twist[:3].any() else wanted)[tip].position
            turn = (here if twist[3:].any() else wanted)[tip].quaternion
            self._poses[tip] = Pose.from_xyz_wxyz(position, turn)


def moved(pose: Pose, twist: np.ndarray, dt: float) -> Pose:
    """Return a pose after ``dt`` of a twist of its origin, along the axes of the base."""
    turn = Pose.exp((0.0, 0.0, 0.0, *(dt * twist[3:]))) @ pose
    return Pose.from_xyz_wxyz(pose.position + dt * twist[:3], turn.quaternion)


def _is_ball(chain: Chain, variable: str) -> bool:
    """Tell whether a variable is one of the three of a rotation."""
    name, _, part = variable.rpartition('.')
    kinds = {joint.name: joint.kind for joint in chain.model.joints}
    return kinds.get(name) is JointKind.BALL or (
        kinds.get(name) is JointKind.FLOATING and part.startswith('r'))


def _cost(metres: float, radians: float) -> float:
    return metres * metres + (RADIAN * radians) ** 2


def _cost_of(result: IkResult) -> float:
    return sum(map(_cost, result.position_error, result.rotation_error))
