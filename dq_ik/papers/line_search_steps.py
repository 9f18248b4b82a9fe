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
[ProjectedLineSearch] sections 2-4 and 6: the objective, step lengths, and the steps it discusses.

The paper solves by the projected gradient (compiled: :func:`dq_ik.papers.kernels.published.pls`).
It mentions trust regions, Newton's method and complementarity as outlooks; here is the smallest
form of each, for a system of a Jacobian J and an error ``e = g - F`` over a box.
"""

from __future__ import annotations

from collections.abc import Callable

from dq_ik.papers.kenwright_sweeps import Ends, gauss_seidel
import numpy as np

System = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # q -> J (m, n), e = g - F (m,)
ALPHA, BETA = 1e-4, 0.5  # of eqs. 32 and 34
THOROUGH = Ends(sweeps=2000, change=1e-14)


def objective(e: np.ndarray, W: np.ndarray) -> float:
    """``f = e^T W e`` with any symmetric positive definite W ([ProjectedLineSearch] eq. 17)."""
    return float(e @ W @ e)


def gradient(J: np.ndarray, e: np.ndarray, W: np.ndarray) -> np.ndarray:
    """``grad f = -2 J^T W e`` ([ProjectedLineSearch] eqs. 20-26)."""
    return -2.0 * J.T @ W @ e


def gauss_newton_step(J: np.ndarray, e: np.ndarray) -> np.ndarray:
    """``(J^T J)^-1 J^T e`` for a J of full column rank ([ProjectedLineSearch] eqs. 12-14)."""
    return np.linalg.solve(J.T @ J, J.T @ e)


def damped_step(J: np.ndarray, e: np.ndarray, damping: float) -> np.ndarray:
    """
    ``(J^T J + lambda^2 I)^-1 J^T e`` ([ProjectedLineSearch] eq. 15).

    It minimises ``1/2 ||J x - e||^2 + lambda^2/2 ||x||^2``. Differs from the text above eq. 15,
    which halves the first term only.
    """
    return np.linalg.solve(J.T @ J + damping**2 * np.eye(J.shape[1]), J.T @ e)


def buss_length(J: np.ndarray, e: np.ndarray) -> float:
    """``tau = e.z / z.z`` with ``z = J J^T e`` ([ProjectedLineSearch] eq. 28)."""
    z = J @ J.T @ e
    return float(e @ z / (z @ z))


def deviation_length(J: np.ndarray, e: np.ndarray, epsilon: float) -> float:
    """
    Longest tau up to 1 with ``||(I - J J^+) tau e|| <= epsilon`` ([ProjectedLineSearch] eq. 29).

    What no linear step can reach stays below epsilon. Differs from eq. 29 in the brackets: as
    printed, a vector is subtracted from the identity.
    """
    missed = float(np.linalg.norm(e - J @ np.linalg.pinv(J) @ e))
    return 1.0 if missed <= epsilon else epsilon / missed


def clamped(v: np.ndarray, longest: float) -> np.ndarray:
    """
    Shorten a goal displacement, or a joint step, to a length ([ProjectedLineSearch] section 4.2).

    The same for both: a step is linear in the displacement.
    """
    length = float(np.linalg.norm(v))
    return v if length <= longest else v * (longest / length)


def project(q: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """``P(q) = max(min(q, u), l)`` ([ProjectedLineSearch] eqs. 19, 40)."""
    return np.maximum(np.minimum(q, upper), lower)


def search_line(f: Callable[[np.ndarray], float], slope: np.ndarray, q: np.ndarray, x: np.ndarray,
                lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """
    Projected Armijo back-tracking along x from a feasible q ([ProjectedLineSearch] eqs. 30-39).

    :param slope: gradient of f at q
    :returns: the new q; q itself where no length passes
    """
    here, tau = f(q), 1.0
    while tau > 1e-12:
        q_new = project(q + tau * x, lower, upper)
        if f(q_new) < here + ALPHA * slope @ (q_new - q):
            return q_new
        tau *= BETA
    return q


def trust_region_step(J: np.ndarray, e: np.ndarray, q: np.ndarray, lower: np.ndarray,
                      upper: np.ndarray, radius: float) -> np.ndarray:
    """
    Minimise ``||J x - e||^2`` in the box of limits and radius ([ProjectedLineSearch] section 6).

    Both are boxes, so that the sweeps of projected Gauss-Seidel find the minimum.
    """
    A = J.T @ J + 1e-12 * np.eye(J.shape[1])
    x, _, _ = gauss_seidel(A, J.T @ e, np.zeros(len(q)), np.maximum(lower - q, -radius),
                           np.minimum(upper - q, radius), THOROUGH)
    return x


def trust_region(system: System, q: np.ndarray, lower: np.ndarray, upper: np.ndarray,
                 radius: float = 0.5, steps: int = 50) -> np.ndarray:
    """
    Minimise ``||e||^2`` over the limits by trust-region steps ([ProjectedLineSearch] section 6).

    The radius doubles where the model was good, and falls to a quarter where it was not.
    """
    q = project(q, lower, upper)
    J, e = system(q)
    for _ in range(steps):
        x = trust_region_step(J, e, q, lower, upper, radius)
        promised = e @ e - np.sum((e - J @ x) ** 2)
        if promised <= 1e-16:
            break
        J_new, e_new = system(q + x)
        ratio = (e @ e - e_new @ e_new) / promised
        radius *= 2.0 if ratio > 0.75 else 0.25 if ratio < 0.25 else 1.0
        if ratio > 0.0:
            q, J, e = q + x, J_new, e_new
    return q


def complementarity(q: np.ndarray, slope: np.ndarray, lower: np.ndarray,
                    upper: np.ndarray) -> np.ndarray:
    """
    ``q - P(q - grad f)``: zero exactly where q is optimal ([ProjectedLineSearch] section 6).

    The first-order conditions of the box as equations: the slope vanishes, or it presses the joint
    onto the limit where it is.
    """
    return q - project(q - slope, lower, upper)


def complementarity_step(B: np.ndarray, slope: np.ndarray, q: np.ndarray, lower: np.ndarray,
                         upper: np.ndarray) -> np.ndarray:
    """
    Newton step on the complementarity equations ([ProjectedLineSearch] section 6), not smooth.

    Joints that ``q - grad f`` sends beyond a limit go to it; the others solve ``B x = -grad f``.

    :param B: Hessian of f, or ``2 J^T J``
    """
    aim = q - slope
    low, high = aim <= lower, aim >= upper
    x = np.where(low, lower - q, np.where(high, upper - q, 0.0))
    free = ~(low | high)
    rhs = -slope[free] - B[np.ix_(free, ~free)] @ x[~free]
    x[free] = np.linalg.solve(B[np.ix_(free, free)], rhs)
    return x
