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
[Kenwright2022] Appendix B: Jacobians by finite differences, and of a pose and of a pose error.

The analytic ones come first for a chain of ball joints in exponential-map coordinates, by
differentiating the product of dual quaternions; then for any chain, with the left Jacobian of the
logarithm, so that Newton steps on the error are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math

from dq_ik.papers.recipe import bracket
from dq_ik.papers.rotations import logarithm
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
SMALL_ANGLE = 1e-3  # below, series; the neglected terms are of order angle**4
CONJ = np.array((1.0, -1.0, -1.0, -1.0))


def forward_differences(f: Function, q: np.ndarray, delta: float = 1e-7) -> np.ndarray:
    """
    ``J_n = (f(q + e_n delta) - f(q)) / delta`` ([Kenwright2022] eq. 47, algorithm 2).

    :param f: function of (n,) to (m,)
    :param delta: step; the error is of the order of the step
    """
    p = np.asarray(f(q))
    return np.column_stack([(np.asarray(f(q + e)) - p) / delta for e in delta * np.eye(len(q))])


def central_differences(f: Function, q: np.ndarray, delta: float = 1e-5) -> np.ndarray:
    """``J_n = (f(q + e_n delta) - f(q - e_n delta)) / (2 delta)``; the error is delta squared."""
    steps = delta * np.eye(len(q))
    columns = [(np.asarray(f(q + e)) - np.asarray(f(q - e))) / (2.0 * delta) for e in steps]
    return np.column_stack(columns)


def left_multiplication(a: np.ndarray) -> np.ndarray:
    """Return the matrix (4, 4) of a quaternion a: its product with b is ``a b``."""
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def right_multiplication(b: np.ndarray) -> np.ndarray:
    """Return the matrix (4, 4) of a quaternion b: its product with a is ``a b``."""
    w, x, y, z = b
    return np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])


def exp_derivative(w: np.ndarray) -> np.ndarray:
    """Return the derivative (4, 3) of ``exp(w) = (cos(a/2), sin(a/2)/a w)`` with ``a = |w|``."""
    a = float(np.linalg.norm(w))
    if a < SMALL_ANGLE:
        s, ds = 0.5 - a * a / 48.0, -1.0 / 24.0 + a * a / 960.0  # sin(a/2)/a and its slope over a
    else:
        s = math.sin(0.5 * a) / a
        ds = (0.5 * math.cos(0.5 * a) - s) / (a * a)
    return np.vstack((-0.5 * s * w, s * np.eye(3) + ds * np.outer(w, w)))


def log_derivative(r: np.ndarray) -> np.ndarray:
    """Return the derivative (3, 4) of ``2 atan2(|v|, w) v / |v|``, the log of (w, v), w >= 0."""
    w, v = r[0], r[1:]
    s = float(np.linalg.norm(v))
    if s < SMALL_ANGLE:
        f, df = (2.0 - 2.0 * s * s / (3.0 * w * w)) / w, -4.0 / (3.0 * w**3)
    else:
        f = 2.0 * math.atan2(s, w) / s
        df = (2.0 * w / (s * s + w * w) - f) / (s * s)
    by_w = -2.0 * v / (s * s + w * w)
    return np.column_stack((by_w, f * np.eye(3) + df * np.outer(v, v)))


def pose_jacobian(offsets: Sequence[np.ndarray], w: np.ndarray) -> np.ndarray:
    """
    Jacobian (6, 3m) of ``e = (t, log r)`` of the last frame over the coordinates of all balls.

    Frame i is ``x_i = (1 + eps 1/2 t_i) exp(w_i)`` and the last one the product of all
    ([Kenwright2022] eqs. 15, 46, Figure 8): each factor is differentiated in its place, then
    ``t = 2 dual real*`` and ``log(real)`` by the chain rule. Differs from eq. 26, whose blocks are
    one above the other, and whose error points away from the target.

    :param offsets: constant translation of each ball in the frame before
    :param w: rotation vectors, shape (m, 3)
    """
    x, balls = Pose.identity(), []
    for t_i, w_i in zip(offsets, w):
        before = x @ Pose.from_xyz_wxyz(t_i, (1, 0, 0, 0))
        x = before @ Pose.exp((0, 0, 0, *w_i))
        balls.append((before, x))
    sign = 1.0 if x.real[0] >= 0.0 else -1.0
    columns = []
    for (before, here), w_i in zip(balls, w):
        after = here.inverse() @ x
        d_real, d_dual = _product_rule(before, exp_derivative(np.asarray(w_i)), after)
        d_t = 2.0 * (right_multiplication(CONJ * x.real) @ d_dual
                     + left_multiplication(x.dual) @ (CONJ[:, None] * d_real))[1:]
        columns.append(np.vstack((d_t, log_derivative(sign * x.real) @ (sign * d_real))))
    return np.hstack(columns)


def _product_rule(before: Pose, rate: np.ndarray, after: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Return real and dual part (4, 3) of ``before rate after`` for a pure rotation's rate."""
    real = left_multiplication(before.real) @ rate
    dual = left_multiplication(before.dual) @ rate
    R, D = right_multiplication(after.real), right_multiplication(after.dual)
    return R @ real, R @ dual + D @ real


def screw_left_jacobian(xi: np.ndarray) -> np.ndarray:
    """
    Matrix (6, 6) ``J(xi)``: ``exp(xi + dxi) = exp(J dxi) exp(xi)`` to first order.

    ``sum_k bracket(xi)^k / (k + 1)!``, summed until the terms vanish. Its last block (3, 3) does
    the same for rotation vectors.
    """
    term, total, k = np.eye(6), np.eye(6), 1
    A = bracket(xi)
    while np.abs(term).max() > 1e-17:
        k += 1
        term = term @ A / k
        total += term
    return total


def split_error(chain: Chain, q: np.ndarray, target: Pose,
                tip: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """
    Error ``(p_T - p, log(R_T R^T))`` in the world and its exact Jacobian (6, n).

    The rotation rows are ``- J(-e_r)^-1 w`` of the angular velocity w; near the target this is
    ``-w``, the geometric Jacobian of [Rotations] eq. 86.
    """
    x = chain.fk(q, tip)
    e_r = logarithm(target.matrix[:3, :3] @ x.matrix[:3, :3].T)
    J = -chain.jacobian(q, tip)
    J[3:] = np.linalg.solve(screw_left_jacobian(np.append(np.zeros(3), -e_r))[3:, 3:], J[3:])
    return np.append(target.position - x.position, e_r), J


def screw_error(chain: Chain, q: np.ndarray, target: Pose,
                tip: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """
    Error ``e = log(x_tip_target)``, the body twist that leads to the target, and its Jacobian.

    ``de/dq = - J(e)^-1 J_body`` with the left Jacobian J of the full screw.
    """
    e = (chain.fk(q, tip).inverse() @ target).log()
    return e, -np.linalg.solve(screw_left_jacobian(e), chain.jacobian(q, tip, frame='body'))
