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
"""[Rotations] algorithms 1-13: positions, masks, Jacobians, and that Gauss-Newton solves them."""

from __future__ import annotations

from functools import partial

from dq_ik.papers import rotations_algorithms as algorithms
from dq_ik.papers.rotations_algorithms import (
    BASE,
    Body,
    Effector,
    gauss_newton,
    Link,
    Placement,
    Socket,
)
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind
from helpers import assert_derivative, close
import numpy as np
import pytest
from scipy.spatial.transform import Rotation


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def serial(rng, n=5):
    links = [Link(unit(rng), rng.uniform(-1, 1, 3)) for _ in range(n)]
    effectors = [Effector(2, rng.uniform(-1, 1, 3)), Effector(n - 1, rng.uniform(-1, 1, 3))]
    return links, effectors


def bodies_and_effectors(rng):
    """Draw a tree: 0 -> 1 -> 2 and 1 -> 3 -> 4, and 5 on the ground; 3 is prismatic."""
    bodies = []
    for j, parent in enumerate((BASE, 0, 1, 1, 3, BASE)):
        axis, direction = (np.zeros(3), unit(rng)) if j == 3 else (unit(rng), np.zeros(3))
        R = Rotation.random(random_state=int(rng.integers(1000))).as_matrix()
        bodies.append(Body(parent, axis, direction, R, rng.uniform(-1, 1, 3)))
    return bodies, [Effector(j, rng.uniform(-1, 1, 3)) for j in (2, 4, 5)]


def as_chain(bodies):
    """Build the same tree as a robot."""
    joints = []
    for j, body in enumerate(bodies):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = body.R, body.p
        slides = body.direction.any()
        joints.append(Joint(
            f'j{j}', JointKind.PRISMATIC if slides else JointKind.CONTINUOUS,
            'ground' if body.parent == BASE else f'l{body.parent}', f'l{j}', Pose.from_matrix(T),
            axis=tuple(body.direction if slides else body.axis)))
    return build_model('tree', joints).whole


@pytest.mark.parametrize('seed', range(5))
def test_serial_chain(seed):
    rng = np.random.default_rng(seed)
    links, effectors = serial(rng)
    q = rng.uniform(-2, 2, 5)

    def positions(q):
        frames = algorithms.joint_frames(q, links)
        return algorithms.effector_positions(frames, effectors).ravel()

    J, r = algorithms.chain_system(q, links, effectors, np.zeros((2, 3)))
    close(r, positions(q), 0)
    assert_derivative(positions, J, q)
    assert not J[:3, 3:].any()
    assert algorithms.effector_joints(effectors).tolist() == [[2], [4]]
    assert np.isclose(np.linalg.norm(positions(q)[3:]), np.linalg.norm(
        Pose.from_matrix(serial_matrix(q, links)) @ effectors[1].offset))


def serial_matrix(q, links):
    T = np.eye(4)
    for link, angle in zip(links, q):
        M = np.eye(4)
        M[:3, :3] = Rotation.from_rotvec(angle * link.axis).as_matrix()
        M[:3, 3] = link.offset
        T = T @ M
    return T


@pytest.mark.parametrize('seed', range(5))
def test_hierarchy_agrees_with_the_kernels_and_finite_differences(seed):
    rng = np.random.default_rng(seed)
    bodies, effectors = bodies_and_effectors(rng)
    chain = as_chain(bodies)
    q = rng.uniform(-2, 2, len(bodies))
    frames = algorithms.body_frames(q, bodies)
    positions = algorithms.effector_positions(frames, effectors)
    J = algorithms.position_jacobian(frames, positions, algorithms.dependencies(bodies, effectors))
    q_chain = chain.configuration({f'j{j}': value for j, value in enumerate(q)})
    columns = [chain.joint_names.index(f'j{j}') for j in range(len(bodies))]
    for i, effector in enumerate(effectors):
        link = f'l{effector.joint}'
        close(positions[i], chain.fk(q_chain, link) @ effector.offset, 1e-13)
        expected = chain.jacobian(q_chain, link, point=effector.offset)[:3, columns]
        close(J[3 * i:3 * i + 3], expected, 1e-13)
    assert_derivative(lambda q: algorithms.effector_positions(
        algorithms.body_frames(q, bodies), effectors).ravel(), J, q)


def test_dependencies_are_the_joints_on_the_path():
    bodies, effectors = bodies_and_effectors(np.random.default_rng(0))
    mask = algorithms.dependencies(bodies, effectors)
    assert mask.T.astype(int).tolist() == [[1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 1, 0],
                                           [0, 0, 0, 0, 0, 1]]


def spheroid(rng, n=3):
    sockets = [Socket(Rotation.random(random_state=int(rng.integers(1000))).as_matrix(),
                      rng.uniform(-1, 1, 3)) for _ in range(n)]
    return sockets, Placement(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))


@pytest.mark.parametrize('seed', range(5))
def test_spheroid_jacobian_is_the_derivative_at_the_goal(seed):
    rng = np.random.default_rng(seed)
    sockets, effector = spheroid(rng)
    q = rng.uniform(-1, 1, 9)
    at = algorithms.ball_frames(q, sockets)[-1]
    R_goal = at.R @ Rotation.from_rotvec(effector.w).as_matrix()
    goal = Placement(at.R @ effector.p + at.origin, Rotation.from_matrix(R_goal).as_rotvec())
    J, r = algorithms.ball_system(q, sockets, effector, goal)
    close(r, np.zeros(6), 1e-14)
    assert_derivative(lambda q: algorithms.ball_system(q, sockets, effector, goal)[1], J, q)


def test_gauss_newton_solves_all_three_systems():
    rng = np.random.default_rng(3)
    links, effectors = serial(rng)
    q_goal = rng.uniform(-1, 1, 5)
    goals = algorithms.effector_positions(algorithms.joint_frames(q_goal, links), effectors)
    system = partial(algorithms.chain_system, links=links, effectors=effectors, goals=goals)
    assert np.linalg.norm(gauss_newton(system, q_goal + 0.1)[1]) < 1e-10

    bodies, effectors = bodies_and_effectors(rng)
    q_goal = rng.uniform(-1, 1, 6)
    goals = algorithms.effector_positions(algorithms.body_frames(q_goal, bodies), effectors)
    system = partial(algorithms.tree_system, bodies=bodies, effectors=effectors, goals=goals)
    assert np.linalg.norm(gauss_newton(system, q_goal + 0.1)[1]) < 1e-10

    sockets, effector = spheroid(rng)
    at = algorithms.ball_frames(rng.uniform(-1, 1, 9), sockets)[-1]
    R_goal = at.R @ Rotation.from_rotvec(effector.w).as_matrix()
    goal = Placement(at.R @ effector.p + at.origin, Rotation.from_matrix(R_goal).as_rotvec())
    system = partial(algorithms.ball_system, sockets=sockets, effector=effector, goal=goal)
    q, r = gauss_newton(system, np.zeros(9))
    assert np.linalg.norm(r) < 1e-10
    assert np.linalg.norm(system(q)[1]) < 1e-10


def test_gauss_newton_stops_at_the_iteration_limit():
    calls = []

    def system(q):
        calls.append(q.copy())
        return np.eye(1), np.ones(1)

    gauss_newton(system, np.zeros(1), max_iterations=3)
    assert len(calls) == 4
