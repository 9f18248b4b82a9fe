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
Algorithms 1-13 of [Rotations], worked through: ``python -m benchmark.experiments.algorithms``.

Plain NumPy, one function per algorithm, letters as in the document. Three small systems are
solved: a planar chain of revolute joints (algorithms 1-6), a tree with revolute and prismatic
joints (7-11), and a chain of ball joints with a full pose goal (12, 13). Every Jacobian is compared
with finite differences. Where the printed text does not give the derivative it describes, this file
does what the text means, and says so ("as printed").
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

System = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def exp(omega: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a rotation vector, ``e^[omega]x``."""
    return Rotation.from_rotvec(omega).as_matrix()


def log(rotation: np.ndarray) -> np.ndarray:
    """Return the rotation vector of a rotation matrix."""
    return Rotation.from_matrix(rotation).as_rotvec()


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """Return ``[a]x``, so that ``[a]x b = a x b``."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def algorithm_1(system: System, q: np.ndarray, m: int, epsilon: float):
    """Gauss-Newton: ``q <- q - J^+ r``; as printed the counter i is never raised."""
    for i in range(m):
        J, r = system(q)
        if np.linalg.norm(r) < epsilon:
            return q, np.linalg.norm(r), i
        q = q - np.linalg.lstsq(J, r, rcond=None)[0]
    return q, np.linalg.norm(system(q)[1]), m


# --- an open chain of revolute joints, end effectors with positions -----------------------------

def algorithm_2(q: np.ndarray, B: list):
    """Joint parameters ``{R k, R, c}`` in task space; ``c + R p``, as printed ``R c + p``."""
    R, c, W = np.eye(3), np.zeros(3), []
    for (k, p), a in zip(B, q):
        c = c + R @ p
        R = R @ exp(k * a)
        W.append((R @ k, R, c))
    return W


def algorithm_3(W: list, O: list) -> np.ndarray:  # noqa: E741
    """Positions of the end effectors, one row each."""
    return np.array([W[j][1] @ p_e + W[j][2] for j, p_e in O])


def algorithm_4(O: list) -> np.ndarray:  # noqa: E741
    """Joint index of each end effector."""
    return np.array([j for j, _ in O])


def algorithm_5(W: list, E: np.ndarray, I: np.ndarray) -> np.ndarray:  # noqa: E741
    """Jacobian: column j is ``omega x (E - c)`` for the end effectors behind joint j."""
    J = np.zeros((3 * len(E), len(W)))
    for j, (omega, _, c) in enumerate(W):
        X = (E - c) @ cross_matrix(-omega)
        J[:, j] = (X * (j <= I)[:, None]).ravel()
    return J


def algorithm_6(q: np.ndarray, B: list, O: list, S: np.ndarray):  # noqa: E741
    """Jacobian and residual of the chain."""
    W = algorithm_2(q, B)
    E = algorithm_3(W, O)
    return algorithm_5(W, E, algorithm_4(O)), (E - S).ravel()


# --- a tree of revolute, prismatic and screw joints ---------------------------------------------

@dataclass(frozen=True)
class Body:
    """Parent joint (-1: the base), rotation axis, slide direction, and offset of a joint."""

    parent: int
    k: np.ndarray
    d: np.ndarray
    R_c: np.ndarray
    p_c: np.ndarray


def algorithm_7(q: np.ndarray, B: list[Body]):
    """Joint parameters ``{R k, R_c d, R, C}`` in task space."""
    R, C, W = [np.eye(3)], [np.zeros(3)], []
    for body, value in zip(B, q):
        above = body.parent + 1
        R_c = R[above] @ body.R_c
        C.append(R[above] @ body.p_c + C[above] + value * (R_c @ body.d))
        R.append(R_c @ exp(body.k * value))
        W.append((R[-1] @ body.k, R_c @ body.d, R[-1], C[-1]))
    return W


def algorithm_8(W: list, O: list) -> np.ndarray:  # noqa: E741
    """Positions of the end effectors, one row each."""
    return np.array([W[j][2] @ p_e + W[j][3] for j, p_e in O])


def algorithm_9(B: list[Body], O: list) -> np.ndarray:  # noqa: E741
    """Dependency matrix: entry (j, i) is 1 if joint j moves end effector i."""
    X = np.eye(len(B), dtype=int)
    for j in range(len(B) - 1, 0, -1):
        if B[j].parent >= 0:
            X[B[j].parent] |= X[j]
    return np.array([X[:, j] for j, _ in O]).T


def algorithm_10(W: list, E: np.ndarray, I: np.ndarray) -> np.ndarray:  # noqa: E741
    """Jacobian; as printed the slide's column ``d`` is left out, which prismatic joints need."""
    J = np.zeros((3 * len(E), len(W)))
    for j, (omega, d, _, c) in enumerate(W):
        X = (E - c) @ cross_matrix(-omega) + d
        J[:, j] = (X * I[j][:, None]).ravel()
    return J


def algorithm_11(q: np.ndarray, B: list[Body], O: list, S: np.ndarray):  # noqa: E741
    """Jacobian and residual of the tree."""
    W = algorithm_7(q, B)
    E = algorithm_8(W, O)
    return algorithm_10(W, E, algorithm_9(B, O)), (E - S).ravel()


# --- a chain of ball joints with a pose goal ----------------------------------------------------

def algorithm_12(q: np.ndarray, B: list):
    """Joint positions P and axes W, and pose of the last joint; ``c + R p_c``, as printed ``R_c``."""
    P, W, R, c, j = np.zeros((3, len(q))), np.zeros((3, len(q))), np.eye(3), np.zeros(3), 0
    for R_c, p_c in B:
        c = c + R @ p_c
        R = R @ R_c
        for e in np.eye(3):
            R = R @ exp(e * q[j])
            W[:, j] = R @ e
            P[:, j] = c
            j += 1
    return P, W, R, c


def algorithm_13(q: np.ndarray, B: list, O: tuple, S: tuple):  # noqa: E741
    """Jacobian and residual of a pose; the rotation rows hold near the goal, where log is flat."""
    P, W, R, c = algorithm_12(q, B)
    p_e, omega_e = O
    p_goal, omega_goal = S
    p = R @ p_e + c
    omega_r = log(exp(omega_goal) @ exp(-omega_e) @ R.T)
    r = np.concatenate([p - p_goal, -omega_r])
    J_p = np.cross(W.T, (p[:, None] - P).T).T
    return np.vstack([J_p, W]), r


# --- the three systems --------------------------------------------------------------------------

def revolute_chain() -> tuple[System, np.ndarray]:
    """Three planar links and a marker on the second and the last one."""
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    B = [(z, 0.0 * x), (z, 0.5 * x), (z, 0.4 * x)]
    markers = [(1, 0.2 * x), (2, 0.3 * x)]
    S = algorithm_3(algorithm_2(np.array([0.4, 0.9, -0.5]), B), markers)
    return lambda q: algorithm_6(q, B, markers, S), np.array([0.1, 0.3, 0.2])


def mixed_tree() -> tuple[System, np.ndarray]:
    """Return a turning column with a lift that carries two turning arms."""
    x, y, z, none = *np.eye(3), np.zeros(3)
    tilted = exp(np.array([0.0, 0.0, 0.6]))
    B = [Body(-1, z, none, np.eye(3), none), Body(0, none, z, np.eye(3), 0.3 * z),
         Body(1, y, none, tilted, 0.2 * x), Body(1, y, none, tilted.T, -0.2 * x)]
    tips = [(2, 0.5 * x), (3, 0.5 * x)]
    S = algorithm_8(algorithm_7(np.array([0.5, 0.15, -0.6, 0.8]), B), tips)
    return lambda q: algorithm_11(q, B, tips, S), np.array([0.1, 0.0, 0.1, 0.1])


def ball_chain() -> tuple[System, np.ndarray]:
    """Three ball joints and a pose."""
    x = np.array([1.0, 0.0, 0.0])
    B = [(np.eye(3), 0.0 * x), (exp(0.3 * x), 0.4 * x), (np.eye(3), 0.4 * x)]
    tool = 0.2 * x, np.array([0.0, 0.2, 0.0])
    aim = np.array([0.2, -0.4, 0.3, 0.5, 0.3, -0.2, 0.1, 0.4, 0.2])
    _, _, R, c = algorithm_12(aim, B)
    S = R @ tool[0] + c, log(R @ exp(tool[1]))
    return lambda q: algorithm_13(q, B, tool, S), np.full(9, 0.1)


SYSTEMS = {'revolute chain (1-6)': revolute_chain, 'tree with a lift (7-11)': mixed_tree,
           'ball joints, pose (12, 13)': ball_chain}


def finite_differences(system: System, q: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """Return the derivative of the residual by central differences."""
    steps = h * np.eye(len(q))
    return np.array([(system(q + step)[1] - system(q - step)[1]) / (2.0 * h)
                     for step in steps]).T


def main() -> None:
    """Solve the three systems and check their Jacobians."""
    for name, make in SYSTEMS.items():
        system, q = make()
        solution, residual, iterations = algorithm_1(system, q, 50, 1e-10)
        derivative = np.abs(system(solution)[0] - finite_differences(system, solution)).max()
        print(f'{name:28s} residual {residual:.1e} after {iterations} iterations; '
              f'Jacobian against finite differences {derivative:.1e}; q = {solution.round(4)}')


if __name__ == '__main__':
    main()
