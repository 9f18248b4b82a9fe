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
"""The documents' Jacobians agree with each other, with finite differences and with the kernels."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from dq_ik.core.algebra import quaternion
from dq_ik.errors import ChainError
from dq_ik.papers import kenwright, projected_line_search, recipe
from dq_ik.papers import recipe_skeleton as skeleton
from dq_ik.papers.kenwright import central_differences
from dq_ik.papers.recipe_skeleton import Bone, Posture, ROOT
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind
from dq_ik.robot.urdf import load_robot
from helpers import assert_derivative, close, rotation_vectors, unit_quaternions
from hypothesis import assume, given, settings
import naive
import numpy as np
import pytest
from test_chain import random_tree

URDF = Path(__file__).parent.parent / 'urdf'
ROBOTS = ('panda', 'planar_2r', 'prismatic', 'mimic', 'two_arms', 'hand')
ORDERS = ('xyz', 'zyx', 'yxz', 'zxy')


@pytest.fixture(params=ROBOTS)
def case(request):
    """Give a chain with all leaves as tips, one tip and a configuration."""
    model = load_robot(URDF / f'{request.param}.urdf')
    chain = model.chain(None, model.leaves)
    return chain, chain.tips[-1], chain.random(np.random.default_rng(11))


@pytest.fixture
def ball_arm():
    """Give an arm of two balls about slanted axes, an elbow between them, and a configuration."""
    chain = build_model('arm', [
        Joint('s', JointKind.BALL, 'a', 'b', Pose.from_xyz_rpy((0, 0, 1), (0.3, 0, 0)),
              axis=(1, 2, 2)),
        Joint('e', JointKind.CONTINUOUS, 'b', 'c', Pose.from_xyz_rpy((0, 0.4, 0), (0, 0.2, 0))),
        Joint('w', JointKind.BALL, 'c', 'd', Pose.from_xyz_rpy((0.5, 0, 0), (0, 0, 1)),
              axis=(0, 0, -1))]).chain()
    return chain, chain.tips[0], chain.random(np.random.default_rng(2))


def all_agree(chain, tip, q):
    point = np.array((0.1, -0.2, 0.3))
    J_world, J_body = chain.jacobian(q, tip), chain.jacobian(q, tip, frame='body')
    close(recipe.world_jacobian(chain, q, tip), J_world, 1e-13)
    close(recipe.world_jacobian(chain, q, tip, point),
          chain.jacobian(q, tip, point=point), 1e-13)
    close(recipe.body_jacobian(chain, q, tip), J_body, 1e-13)
    close(recipe.at_point(J_body, point), chain.jacobian(q, tip, frame='body', point=point),
          1e-13)
    close(recipe.in_world_axes(J_body, chain.fk(q, tip)), J_world, 1e-13)


def test_cross_products_and_adjoints_agree_with_the_kernels(case):
    chain, tip, q = case
    all_agree(chain, tip, q)


def test_tangent_columns_of_balls_agree_with_the_kernels(ball_arm):
    chain, tip, q = ball_arm
    all_agree(chain, tip, q)


def test_spatial_jacobian_is_the_full_adjoint_of_the_body_jacobian(case):
    """[Recipe] eq. 13: velocities of the tip's body at the world's origin."""
    chain, tip, q = case
    x = chain.fk(q, tip)
    spatial = recipe.adjoint(x) @ chain.jacobian(q, tip, frame='body')
    origin_in_tip = x.inverse() @ np.zeros(3)
    close(spatial, chain.jacobian(q, tip, point=origin_in_tip), 1e-13)


def test_tool_vector_and_its_jacobian(case):
    chain, tip, q = case
    J = projected_line_search.tool_jacobian(chain, q, tip)
    assert_derivative(lambda q: projected_line_search.tool(chain, q, tip), J, q)


@pytest.mark.parametrize('order', ['zyz', 'xyx', *ORDERS])
def test_a_ball_in_euler_angles(order):
    rng = np.random.default_rng(6)
    R_0 = Pose.from_xyz_rpy((0, 0, 0), rng.uniform(-1, 1, 3)).matrix[:3, :3]
    t_0, p = rng.uniform(-1, 1, (2, 3))
    angles = rng.uniform(-2, 2, 3)

    def tool_at(angles):
        R = R_0 @ skeleton.euler_rotation(order, angles)
        return np.concatenate((R @ p + t_0, R[:, 0], R[:, 1]))

    J = projected_line_search.ball_tool_block(R_0, t_0, order, angles, tool_at(angles))
    assert_derivative(tool_at, J, angles)


def test_adjoints_compose_and_follow_the_bracket():
    rng = np.random.default_rng(8)
    a, b = (Pose.exp(xi) for xi in rng.uniform(-2, 2, (2, 6)))
    close(recipe.adjoint(a @ b), recipe.adjoint(a) @ recipe.adjoint(b), 1e-13)
    close(recipe.adjoint(a.inverse()), np.linalg.inv(recipe.adjoint(a)), 1e-13)
    xi = rng.uniform(-1, 1, 6)
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = naive.skew(xi[3:]), xi[:3]
    moved = a.matrix @ twist @ np.linalg.inv(a.matrix)
    close(recipe.adjoint(a) @ xi,
          (*moved[:3, 3], moved[2, 1], moved[0, 2], moved[1, 0]), 1e-12)
    rate = central_differences(
        lambda t: recipe.adjoint(Pose.exp(t[0] * xi) @ a).ravel(), np.zeros(1)).reshape(6, 6)
    close(recipe.adjoint_rate(xi, a), rate, 1e-8)


def test_time_derivative_of_the_body_jacobian(case):
    chain, tip, q = case
    qdot = np.random.default_rng(1).uniform(-1, 1, chain.n)
    expected = central_differences(
        lambda t: chain.jacobian(q + t[0] * qdot, tip, frame='body').ravel(), np.zeros(1))
    close(recipe.body_jacobian_rate(chain, q, qdot, tip), expected.reshape(6, chain.n), 1e-7)


def test_time_derivative_of_the_body_jacobian_with_balls(ball_arm):
    """The rates of a ball are those of its tangent space."""
    chain, tip, q = ball_arm
    qdot = np.random.default_rng(3).uniform(-1, 1, chain.n)

    def jacobian_after(t):
        moved = q + t[0] * qdot
        for i in (0, 4):
            turn = Pose.exp((0, 0, 0, *q[i:i + 3])) @ Pose.exp((0, 0, 0, *(t[0] * qdot[i:i + 3])))
            moved[i:i + 3] = turn.log()[3:]
        return chain.jacobian(moved, tip, frame='body').ravel()

    expected = central_differences(jacobian_after, np.zeros(1)).reshape(6, chain.n)
    close(recipe.body_jacobian_rate(chain, q, qdot, tip), expected, 1e-7)


def test_kinds_without_a_textbook_form_are_refused():
    chain = build_model('ship', [Joint('j', JointKind.FLOATING, 'a', 'b')]).chain()
    with pytest.raises(ChainError, match="'j' is floating"):
        recipe.world_jacobian(chain, np.zeros(6))


# --- a character: procedures 1 to 3 --------------------------------------------------------------

@pytest.fixture
def character():
    """Give a tree of eight spherical joints with mixed orders of angles, as in [Recipe]."""
    rng = np.random.default_rng(9)
    parents = (ROOT, 0, 1, 1, 3, 0, 5, 5)
    bones = [Bone(parent, rng.uniform(-1, 1, 3), order)
             for parent, order in zip(parents, 2 * ORDERS)]
    return bones, Posture(rng.uniform(-1, 1, 3), rng.uniform(-1, 1, (8, 3)))


def test_procedure_1_is_the_derivative_of_the_position(character):
    bones, posture = character
    point = np.array((0.2, 0.1, -0.3))

    def position(x):
        moved = Posture(x[:3], x[3:].reshape(-1, 3))
        return skeleton.world_poses(bones, moved)[4] @ point

    J = skeleton.simple_jacobian(bones, posture, 4, point)
    assert_derivative(position, J, np.append(posture.root, posture.angles.ravel()))
    off_path = [3 + 3 * j + k for j in (2, 5, 6, 7) for k in range(3)]
    assert not J[:, off_path].any()


def test_procedure_2_agrees_with_the_kernels(character):
    bones, posture = character
    joints = [Joint(f'j{i}', JointKind.BALL, 'world' if b.parent == ROOT else f'l{b.parent}',
                    f'l{i}', Pose.from_xyz_rpy(b.offset, (0, 0, 0)), axis=(0, 0, 1))
              for i, b in enumerate(bones)]
    chain = build_model('character', joints).whole
    values = {}
    for i, (bone, angles) in enumerate(zip(bones, posture.angles)):
        R = skeleton.local_rotation(bone, angles)
        w = quaternion.log(quaternion.from_matrix(tuple(map(tuple, R))))
        values.update(zip((f'j{i}.x', f'j{i}.y', f'j{i}.z'), w))
    J = chain.jacobian(chain.configuration(values), 'l4', frame='body')
    columns = [chain.joint_names.index(f'j{i}.{part}') for i in range(8) for part in 'xyz']
    close(skeleton.generic_jacobian(bones, posture, 4), J[:, columns], 1e-13)


def test_procedure_3_is_the_derivative_over_euler_angles(character):
    bones, posture = character
    x = skeleton.world_poses(bones, posture)[4]

    def moved(angles):
        y = skeleton.world_poses(bones, Posture(posture.root, angles.reshape(-1, 3)))[4]
        return (x.inverse() @ y).log()

    J = skeleton.adjusted_jacobian(bones, posture, 4)
    assert_derivative(moved, J, posture.angles.ravel())
    assert np.abs(J - skeleton.generic_jacobian(bones, posture, 4)).max() > 0.1


def test_the_adjustment_vanishes_without_angles(character):
    bones, posture = character
    still = Posture(posture.root, np.zeros((8, 3)))
    close(skeleton.adjusted_jacobian(bones, still, 4), skeleton.generic_jacobian(bones, still, 4),
          1e-15)


# --- the pose and its error ----------------------------------------------------------------------

@settings(max_examples=40, deadline=None)
@given(w=rotation_vectors(longest=5.0))
def test_derivative_of_the_quaternion_exponential(w):
    J = kenwright.exp_derivative(np.array(w))
    assert_derivative(lambda w: np.array(quaternion.exp(tuple(w))), J, np.array(w), 1e-8)


@settings(max_examples=40, deadline=None)
@given(r=unit_quaternions())
def test_derivative_of_the_quaternion_logarithm(r):
    assume(r[0] > 0.05)

    def log(r):  # of a quaternion of any length
        return np.array(quaternion.log(tuple(r / np.linalg.norm(r))))

    assert_derivative(log, kenwright.log_derivative(np.array(r)), np.array(r), 1e-7)


@pytest.mark.parametrize('seed', range(5))
def test_pose_jacobian_of_balls_in_exponential_coordinates(seed):
    rng = np.random.default_rng(seed)
    offsets, w = rng.uniform(-1, 1, (4, 3)), rng.uniform(-1, 1, (4, 3))

    def pose(w):
        x = Pose.identity()
        for t, w_i in zip(offsets, w.reshape(-1, 3)):
            x = x @ Pose.from_xyz_rpy(t, (0, 0, 0)) @ Pose.exp((0, 0, 0, *w_i))
        return np.append(x.position, x.log()[3:])

    assert_derivative(pose, kenwright.pose_jacobian(offsets, w), w.ravel())


@pytest.mark.parametrize('error', [kenwright.split_error, kenwright.screw_error])
def test_error_jacobians_are_exact_far_from_the_target(case, error):
    chain, tip, q = case
    far = Pose.exp((0.3, -0.2, 0.5, 0.9, -1.2, 0.8))
    target = chain.fk(q, tip) @ far
    e, J = error(chain, q, target, tip)
    assert np.linalg.norm(e[3:]) > 1
    assert_derivative(lambda q: error(chain, q, target, tip)[0], J, q)
    at_target = error(chain, q, chain.fk(q, tip), tip)
    close(at_target[0], np.zeros(6), 1e-14)


@pytest.mark.parametrize('error', [kenwright.split_error, kenwright.screw_error])
def test_newton_steps_converge_quadratically(error):
    chain = load_robot(URDF / 'panda.urdf').chain()
    q = chain.neutral + 0.2
    target = chain.fk(q)
    q = q + 0.15 * np.random.default_rng(0).uniform(-1, 1, chain.n)
    sizes = []
    for _ in range(6):
        e, J = error(chain, q, target)
        sizes.append(np.linalg.norm(e))
        q = q - np.linalg.lstsq(J, e, rcond=None)[0]
    assert sizes[-1] < 1e-12
    assert all(after < 10 * before**2 + 1e-13 for before, after in pairwise(sizes))


@pytest.mark.parametrize('seed', range(3))
def test_left_jacobians(seed):
    xi = np.random.default_rng(seed).uniform(-1.5, 1.5, 6)
    inverse = Pose.exp(xi).inverse()
    assert_derivative(lambda x: (Pose.exp(x) @ inverse).log(),
                      kenwright.screw_left_jacobian(xi), xi)
    for v in np.eye(3):
        close(kenwright.screw_left_jacobian(xi)[3:, 3:] @ v,
              quaternion.left_jacobian_times(tuple(xi[3:]), tuple(v)), 1e-14)


def test_random_trees_agree_too():
    model = random_tree(0)
    kinds = (JointKind.PLANAR, JointKind.FLOATING)
    for tip in model.leaves:
        path = model.joint_path(model.root, tip)
        base = next((j.child for j in reversed(path) if j.kind in kinds), model.root)
        chain = model.chain(base, tip)
        all_agree(chain, tip, chain.random(np.random.default_rng(0)))
