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
"""
[Kenwright2022] section VII to the letter: one frame is one Jacobian and two or three sweeps.

The compiled form, which repeats this until the goals are met, is
:func:`dq_ik.papers.kernels.published.pgs`. Here every test of the paper that ends the sweeps can
be chosen, and joints can be coupled, which the paper misses in its own solver (section X).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dq_ik.papers.kenwright import split_error
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
import numpy as np

DAMPING = 1e-4  # delta of eq. 30
SWEEPS = 3  # "two or three iterations", section IX
SCALE = 0.05  # m/rad, about the length of a finger


class Ends(NamedTuple):
    """What ends the sweeps ([Kenwright2022] section VII.B); 0 leaves a test out."""

    sweeps: int = SWEEPS
    residual: float = 0.0  # ||A x - b|| below it
    change: float = 0.0  # largest change of an unknown below it
    same: float = 0.0  # that change as in the sweep before, within it


def normal_equations(J: np.ndarray, e: np.ndarray,
                     damping: float = DAMPING) -> tuple[np.ndarray, np.ndarray]:
    """Return ``A = J^T J + delta I`` and ``b = J^T e`` ([Kenwright2022] eqs. 27-30)."""
    return J.T @ J + damping * np.eye(J.shape[1]), J.T @ e


def gauss_seidel(A: np.ndarray, b: np.ndarray, x: np.ndarray, lower: np.ndarray,
                 upper: np.ndarray, ends: Ends) -> tuple[np.ndarray, int, str]:
    """
    Sweep over ``A x = b`` within bounds of x ([Kenwright2022] algorithm 1, eq. 31).

    :param x: initial guess; zeros are a cold start
    :returns: x, the sweeps made, and the name of the test that ended them
    """
    x, last = np.clip(x, lower, upper), np.inf
    for sweep in range(1, ends.sweeps + 1):
        before = x.copy()
        for i in range(len(x)):
            x[i] = np.clip(x[i] + (b[i] - A[i] @ x) / A[i, i], lower[i], upper[i])
        change = np.abs(x - before).max()
        if np.linalg.norm(A @ x - b) < ends.residual:
            return x, sweep, 'residual'
        if change < ends.change:
            return x, sweep, 'change'
        if abs(change - last) < ends.same:
            return x, sweep, 'same'
        last = change
    return x, ends.sweeps, 'sweeps'


def coupling(n: int, pairs: Sequence[tuple[int, int]], share: float,
             stiffness: float) -> np.ndarray:
    """
    Matrix (n, n) to add to A, so that a joint pulls its neighbour ([Kenwright2022] section X).

    ``stiffness/2 (x_b - share x_a)^2`` for each pair (a, b) joins the cost of a step. The paper
    asks for it: a finger that is pulled down should take its neighbours along.
    """
    C = np.zeros((len(pairs), n))
    for row, (a, b) in zip(C, pairs):
        row[a], row[b] = -share, 1.0
    return stiffness * C.T @ C


def frame(chain: Chain, q: np.ndarray, targets: dict[str, Pose], ends: Ends,
          coupled: np.ndarray | float = 0.0) -> np.ndarray:
    """
    One frame from the last answer: a Jacobian, a few sweeps, a step ([Kenwright2022] eqs. 23-31).

    The warm start of section VIII is q itself. The paper does not weigh radians against metres;
    with equal weights three sweeps leave a moving hand centimetres behind.

    :param targets: pose for each tip
    :param coupled: of :func:`coupling`
    """
    errors = [split_error(chain, q, target, tip) for tip, target in targets.items()]
    W = np.tile((1.0, 1.0, 1.0, SCALE, SCALE, SCALE), len(errors))
    e = np.concatenate([error for error, _ in errors])
    A, b = normal_equations(-W[:, None] * np.vstack([J for _, J in errors]), W * e)
    x, _, _ = gauss_seidel(A + coupled, b, np.zeros(len(q)), chain.lower - q, chain.upper - q,
                           ends)
    return np.clip(q + x, chain.lower, chain.upper)
