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

The algorithms themselves are in :mod:`dq_ik.papers.rotations_algorithms`. Three small systems are
set up and solved by Gauss-Newton (algorithm 1): a planar chain of revolute joints (2-6), a tree
with a lift (7-11) and a chain of ball joints with a goal in position and rotation (12, 13). Each
Jacobian is compared with finite differences at the solution.
"""
from __future__ import annotations

from collections.abc import Callable

from dq_ik.papers import rotations_algorithms as algorithms
from dq_ik.papers.kenwright import central_differences
from dq_ik.papers.rotations import exponential, logarithm
from dq_ik.papers.rotations_algorithms import (
    BASE,
    Body,
    Effector,
    gauss_newton,
    Link,
    Placement,
    Socket,
    System,
)
import numpy as np

X, Y, Z = np.eye(3)
NONE = np.zeros(3)


def revolute_chain() -> tuple[System, np.ndarray]:
    """Return three planar links with a marker on the second and the last one, and a start."""
    links = [Link(Z, NONE), Link(Z, 0.5 * X), Link(Z, 0.4 * X)]
    markers = [Effector(1, 0.2 * X), Effector(2, 0.3 * X)]
    answer = np.array([0.4, 0.9, -0.5])
    frames = algorithms.joint_frames(answer, links)
    goals = algorithms.effector_positions(frames, markers)
    return lambda q: algorithms.chain_system(q, links, markers, goals), np.array([0.1, 0.3, 0.2])


def tree_with_lift() -> tuple[System, np.ndarray]:
    """Return a turning column whose lift carries two turning arms, and a start."""
    tilted = exponential(0.6 * Z)
    bodies = [Body(BASE, Z, NONE, np.eye(3), NONE), Body(0, NONE, Z, np.eye(3), 0.3 * Z),
              Body(1, Y, NONE, tilted, 0.2 * X), Body(1, Y, NONE, tilted.T, -0.2 * X)]
    tips = [Effector(2, 0.5 * X), Effector(3, 0.5 * X)]
    frames = algorithms.body_frames(np.array([0.5, 0.15, -0.6, 0.8]), bodies)
    goals = algorithms.effector_positions(frames, tips)
    return lambda q: algorithms.tree_system(q, bodies, tips, goals), np.array([0.1, 0.0, 0.1, 0.1])


def ball_chain() -> tuple[System, np.ndarray]:
    """Return three ball joints with a pose goal, and a start."""
    sockets = [Socket(np.eye(3), NONE), Socket(exponential(0.3 * X), 0.4 * X),
               Socket(np.eye(3), 0.4 * X)]
    tool = Placement(0.2 * X, 0.2 * Y)
    answer = np.array([0.2, -0.4, 0.3, 0.5, 0.3, -0.2, 0.1, 0.4, 0.2])
    at = algorithms.ball_frames(answer, sockets)[-1]
    goal = Placement(at.R @ tool.p + at.origin, logarithm(at.R @ exponential(tool.w)))
    return lambda q: algorithms.ball_system(q, sockets, tool, goal), np.full(9, 0.1)


SYSTEMS: dict[str, Callable[[], tuple[System, np.ndarray]]] = {
    'revolute chain (2-6)': revolute_chain, 'tree with a lift (7-11)': tree_with_lift,
    'ball joints, pose (12, 13)': ball_chain}


def work_through(make: Callable[[], tuple[System, np.ndarray]]) -> tuple[np.ndarray, float, float]:
    """Return the solution, its residual, and the error of the Jacobian there."""
    system, start = make()
    solution, residual = gauss_newton(system, start)
    difference = system(solution)[0] - central_differences(lambda q: system(q)[1], solution)
    return solution, float(np.linalg.norm(residual)), float(np.abs(difference).max())


def main() -> None:
    """Solve the three systems and check their Jacobians."""
    for name, make in SYSTEMS.items():
        solution, residual, difference = work_through(make)
        print(f'{name:28s} residual {residual:.1e}; Jacobian against finite differences '
              f'{difference:.1e}; q = {solution.round(4)}')


if __name__ == '__main__':
    main()
