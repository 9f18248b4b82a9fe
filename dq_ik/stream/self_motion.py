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
"""What redundant joints can do while the tips stay: the way of the elbow, and other answers."""

from __future__ import annotations

from collections.abc import Mapping

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
import numpy as np

STEP = 0.04  # between two postures of a self-motion, as a length in joint space [rad]
MOST_STEPS = 400  # to either side
RANK = 1e-4  # singular values below this share of the greatest count as zero
PROGRESS = 0.25  # share of a step that must be left after the tips were put back


class SelfMotion:
    """
    The postures that keep all tips where they are, along one curve through a posture.

    A place on the curve is its length in joint space from there [rad]; ``lower`` and ``upper``
    are its ends: a joint limit, or the place where the curve closes.
    """

    def __init__(self, chain: Chain, q: np.ndarray,
                 goals: Mapping[str, Goal | Pose] | None = None) -> None:
        """
        Follow the curve to both sides.

        :param goals: what the tips shall keep; None: their poses at ``q``
        """
        self._chain = chain
        self._goals = dict(chain.fk_all(q) if goals is None else goals)
        start, self._is_closed = chain.clamp(q), False
        after = self._follow(start, 1.0)
        before = [] if self._is_closed else self._follow(start, -1.0)
        self._postures = np.array([*before[::-1], start, *after])
        lengths = np.linalg.norm(np.diff(self._postures, axis=0), axis=1)
        self._places = np.concatenate([[0.0], np.cumsum(lengths)])
        self._places -= self._places[len(before)]
        self.lower, self.upper = float(self._places[0]), float(self._places[-1])

    @property
    def exists(self) -> bool:
        """Whether the joints can move at all without the tips."""
        return self.upper - self.lower > STEP

    def at(self, place: float) -> np.ndarray:
        """Return the posture at a place of the curve, within the limits."""
        q = np.array([np.interp(place, self._places, column) for column in self._postures.T])
        return self._put_back(q).q

    def _follow(self, q: np.ndarray, sign: float) -> list[np.ndarray]:
        """Return the postures to one side, until a limit, a closed curve, or long enough."""
        start, postures = q, list[np.ndarray]()
        way: np.ndarray | None = None
        for _ in range(MOST_STEPS):
            way = self._direction(q, way)
            if way is None:
                break
            if not postures:
                way = sign * way
            after = self._put_back(self._chain.clamp(q + STEP * way))
            if not after.success or (after.q - q) @ way < PROGRESS * STEP:
                break
            q = after.q
            postures.append(q)
            if len(postures) > 10 and np.linalg.norm(q - start) < 0.6 * STEP:
                self._is_closed = True
                break
        return postures

    def _direction(self, q: np.ndarray, last: np.ndarray | None) -> np.ndarray | None:
        """Return the unit vector of joint speeds that moves no tip, nearest to the last one."""
        J = np.vstack([self._chain.jacobian(q, tip)[:3 if self._has_free_turn(tip) else 6]
                       for tip in self._goals])
        _, sizes, V = np.linalg.svd(J)
        rank = int(np.sum(sizes > RANK * sizes[0]))
        free = V[rank:]
        if not len(free):
            return None
        way = free[-1] if last is None else free.T @ (free @ last)
        length = float(np.linalg.norm(way))
        return way / length if length > 0.1 else None

    def _has_free_turn(self, tip: str) -> bool:
        goal = self._goals[tip]
        return isinstance(goal, Goal) and not np.any(goal.rotation_weight)

    def _put_back(self, q: np.ndarray) -> IkResult:
        """Put the tips in place again, from a posture near by."""
        return self._chain.solve(self._goals, q, max_restarts=0)


def all_answers(chain: Chain, goals: Mapping[str, Goal | Pose], q: np.ndarray,
                most: int) -> np.ndarray:
    """
    Return distinct postures that meet the goals as rows, the nearest to ``q`` first.

    :param most: how many at most
    """
    found = chain.solve(dict(goals), q, mode='all', max_solutions=most).solutions
    return found[np.argsort(np.linalg.norm(found - q, axis=1), kind='stable')]
