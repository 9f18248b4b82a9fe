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

"""All postures in which a chain can be when its tip is at a pose: found, spread and carried on."""

from __future__ import annotations

from dq_ik.robot.chain import Chain
from dq_ik.solver import Solver
import numpy as np

STARTS = 1024  # random seeds of a search
ITERATIONS = 15  # of a solve from a seed
ROUNDS = 200  # in which postures of one pose spread along the self-motions
LARGEST_SHIFT = 0.2  # rad or m that a seed is moved along the self-motion at most
LARGEST_REACH = 0.5  # rad or m between two slices at most, whatever the speed limits allow
SHIFTS = (0.0, -0.5, 0.5, -1.0, 1.0)  # shares of the largest shift that are tried
ALIKE = 0.01  # rad or m; postures of an arm without self-motion that differ less are the same
GUESSES = (1, 8)  # random seeds within the reach of a posture, with and without self-motion
ALL_GUESSES = 400  # of all postures at one pose together, without self-motion
PATIENCE = 60.0  # for one posture [s]: iterations end it, and a busy machine changes nothing
INSIDE = 1.0 - 1e-6  # share of the reach that is used; the rest is for rounding
SAFE = 0.75  # share of the postures kept, where there are too many, that are far from limits


class Postures:
    """
    Finds postures, many at once; ``most`` of them are kept at one pose.

    Two postures count as the same when they lie in the same cell of a grid.
    """

    def __init__(self, chain: Chain, tolerance: float, random_seed: int = 0) -> None:
        """Prepare the solver of a chain with one tip."""
        self.chain, self.most = chain, 1000
        self._solver = Solver(chain, tolerance=tolerance, max_restarts=0,
                              max_iterations=ITERATIONS, timeout=PATIENCE)
        self._rng = np.random.default_rng(random_seed)
        self._hash = self._rng.integers(1, 2 ** 62, chain.n) | 1
        self._low = np.maximum(chain.lower, -1e6)
        self._high = np.minimum(chain.upper, 1e6)

    def solve(self, poses: np.ndarray, seeds: np.ndarray, lower: np.ndarray,
              upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return solutions (N, n) inside the boxes and which of them are good (N,)."""
        if not len(seeds):
            return seeds, np.zeros(0, bool)
        poses = np.ascontiguousarray(np.broadcast_to(poses, (len(seeds), 8)))
        found = self._solver.solve_batch(poses, np.clip(seeds, lower, upper),
                                         bounds=(lower, upper))
        return found.q.copy(), found.success

    def judged(self, poses: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Tell which postures are at their poses."""
        return self.solve(poses, q, q, q)[1]

    def search(self, pose: np.ndarray, step: np.ndarray, cell: float) -> np.ndarray:
        """Return all postures at a pose that random starts and the self-motions lead to."""
        seeds = self.chain.spread(self._rng.random((STARTS, self.chain.n)))
        shape = seeds.shape
        found, good = self.solve(pose, seeds, np.broadcast_to(self.chain.lower, shape),
                                 np.broadcast_to(self.chain.upper, shape))
        rows = newest = self._distinct(found[good], step, cell)
        for _ in range(ROUNDS):
            new = self._turned(pose, newest)
            if self.chain.n > 6:
                new = np.concatenate([new, self._moved(pose, newest, step, SHIFTS[3:])[0]])
            both = self._distinct(np.concatenate([rows, new]), step, cell)
            newest, rows = both[len(rows):], both
            if not len(newest) or len(rows) >= 2 * self.most:
                break
        return self._fewer(rows)

    def carried(self, pose: np.ndarray, rows: np.ndarray, reach: np.ndarray,
                cell: float) -> np.ndarray:
        """Return the postures at a pose that can be reached from those at the pose before."""
        new, moved = self._moved(pose, rows, INSIDE * np.minimum(reach, LARGEST_REACH), SHIFTS,
                                 self._guesses(len(rows)))
        order = np.argsort(moved, kind='stable')
        return self._fewer(self._distinct(new[order], reach, cell))

    def _guesses(self, count: int) -> int:
        """Return the random seeds for each of so many postures; fewer where there are many."""
        return GUESSES[0] if self.chain.n > 6 else max(1, min(GUESSES[1], ALL_GUESSES // count))

    def _turned(self, pose: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the same postures with one joint a turn farther, where its range allows it."""
        turns = 2.0 * np.pi * np.concatenate([np.eye(self.chain.n), -np.eye(self.chain.n)])
        width = self.chain.upper - self.chain.lower
        turns = turns[np.tile(np.isfinite(width) & (width >= 2.0 * np.pi), 2)]
        far = (rows[:, None] + turns).reshape(-1, self.chain.n)
        far = far[((far >= self._low) & (far <= self._high)).all(axis=1)]
        return far[self.judged(pose, far)]

    def _moved(self, pose: np.ndarray, rows: np.ndarray, reach: np.ndarray,
               shifts: tuple[float, ...], guesses: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Solve from seeds shifted along the self-motion; return postures and their moves."""
        ways = self.directions(rows, reach)
        starts = np.concatenate([rows] * (len(shifts) + guesses))
        seeds = np.concatenate(
            [rows + share * ways for share in shifts]
            + [rows + reach * self._rng.uniform(-1.0, 1.0, rows.shape) for _ in range(guesses)])
        found, good = self.solve(pose, seeds, np.maximum(starts - reach, self._low),
                                 np.minimum(starts + reach, self._high))
        moved = np.abs((found - starts) / reach).max(axis=1)
        return found[good], moved[good]

    def directions(self, rows: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """
        Return moves that change the pose of the tip least, as long as the reach allows.

        These are self-motions, random ones where there are several; for six joints, they are the
        motions that a singularity nearby makes free.
        """
        if not len(rows):
            return rows
        _, jacobian = self.chain.jacobian_batch(rows)
        square = np.swapaxes(jacobian, 1, 2) @ jacobian
        diagonal = np.arange(self.chain.n)
        square[:, diagonal, diagonal] += 1e-7 * np.trace(square, axis1=1, axis2=2)[:, None]
        inverse = np.linalg.inv(square)
        ways = self._rng.standard_normal((len(rows), self.chain.n, 1))
        for _ in range(2):
            ways = inverse @ ways
            ways /= np.abs(ways).max(axis=1, keepdims=True)
        longest = np.abs(ways[:, :, 0] / np.minimum(reach, LARGEST_SHIFT)).max(axis=1)
        return ways[:, :, 0] / longest[:, None]

    def _distinct(self, rows: np.ndarray, reach: np.ndarray, cell: float) -> np.ndarray:
        """Keep the first posture of each cell, in the order given."""
        size = cell * np.minimum(reach, LARGEST_SHIFT) if self.chain.n > 6 else ALIKE
        keys = np.floor(rows / size).astype(np.int64)
        with np.errstate(over='ignore'):
            _, first = np.unique(keys @ self._hash, return_index=True)
        return rows[np.sort(first)]

    def _fewer(self, rows: np.ndarray) -> np.ndarray:
        """Keep the safest and some others where there are too many."""
        if len(rows) <= self.most:
            return rows
        order = np.argsort(barrier(self.chain, rows))
        safe = int(SAFE * self.most)
        others = self._rng.choice(order[safe:], self.most - safe, replace=False)
        return rows[np.sort(np.concatenate([order[:safe], others]))]


def barrier(chain: Chain, q: np.ndarray) -> np.ndarray:
    """Return how near postures are to the joint limits: the mean of 1 / (1 - x^2) - 1."""
    limited = np.isfinite(chain.upper - chain.lower) & (chain.upper > chain.lower)
    low, high = chain.lower[limited], chain.upper[limited]
    if not len(low):
        return np.zeros(len(q))
    x = np.clip((2.0 * q[:, limited] - low - high) / (high - low), -0.999, 0.999)
    return (1.0 / (1.0 - x * x) - 1.0).mean(axis=1)
