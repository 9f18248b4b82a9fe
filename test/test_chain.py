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
"""Chain: every joint kind against matrices and finite differences; names, limits, samples."""

from __future__ import annotations

import math
from pathlib import Path

from dq_ik.core.algebra import quaternion, swing_twist
from dq_ik.errors import ChainError, SeedError
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind, Mimic
from dq_ik.robot.urdf import load_robot
from helpers import assert_derivative, close
from hypothesis import given, settings
from hypothesis import strategies as st
import naive
import numpy as np
import pytest

URDF = Path(__file__).parent.parent / 'urdf'
KINDS = tuple(JointKind)


def random_joint(rng, name, kind, parent, child, mimic=None):
    axis = rng.normal(size=3)
    limits = {}
    if kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        limits = {'lower': rng.uniform(-2, -0.5), 'upper': rng.uniform(0.5, 2)}
    origin = Pose.from_xyz_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
    return Joint(name, kind, parent, child, origin, axis=tuple(axis), mimic=mimic, **limits,
                 swing=2.0, twist=(-1.5, 2.5))


def random_tree(seed, n_joints=12):
    """Draw a tree with joints of all kinds and some mimics."""
    rng = np.random.default_rng(seed)
    joints, masters = [], []
    for i in range(n_joints):
        kind = KINDS[rng.integers(len(KINDS))] if i >= len(KINDS) else KINDS[i]
        parent = f'l{rng.integers(max(0, i - 3), i + 1)}'
        single = kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
        mimic = None
        if single and masters and rng.uniform() < 0.4:
            mimic = Mimic(rng.choice(masters), rng.uniform(-2, 2), rng.uniform(-1, 1))
        joints.append(random_joint(rng, f'j{i}', kind, parent, f'l{i + 1}', mimic))
        if single and mimic is None:
            masters.append(f'j{i}')
    return build_model(f'tree{seed}', joints)


def values_of(chain, q):
    return dict(zip(chain.joint_names, q))


def step(chain, q, delta):
    """Move q by a tangent vector: balls turn by ``exp(delta)`` on their own side."""
    moved = q + delta
    for i, name in enumerate(chain.joint_names):
        if name.endswith(('.x', '.rx')) and _is_ball(chain, name):
            part = slice(i, i + 3)
            before, turn = (quaternion.exp(tuple(v[part])) for v in (q, delta))
            moved[part] = quaternion.log(quaternion.mul(before, turn))
    return moved


def _is_ball(chain, name):
    kind = chain.model.joint(name.rsplit('.', 1)[0]).kind
    return kind is JointKind.BALL or (kind is JointKind.FLOATING and name.endswith('.rx'))


@pytest.mark.parametrize('seed', range(12))
def test_poses_of_random_trees_agree_with_matrices(seed):
    model = random_tree(seed)
    chain = model.whole
    for trial in range(3):
        q = chain.random(np.random.default_rng([seed, trial]))
        expected = naive.link_matrices(model, values_of(chain, q))
        for link, pose in chain.fk_all(q).items():
            close(pose.matrix, expected[link], 1e-12)


@pytest.mark.parametrize('frame', ['world', 'body'])
@pytest.mark.parametrize('seed', range(6))
def test_jacobians_of_random_trees_agree_with_finite_differences(seed, frame):
    model = random_tree(seed)
    chain = model.whole
    rng = np.random.default_rng(seed)
    q, point = chain.random(rng), rng.uniform(-1, 1, 3)
    for link in model.leaves:
        x = chain.fk(q, link) @ Pose.from_xyz_rpy(point, (0, 0, 0))

        def moved(delta, link=link, x=x):
            y = chain.fk(step(chain, q, delta), link) @ Pose.from_xyz_rpy(point, (0, 0, 0))
            if frame == 'body':
                return (x.inverse() @ y).log()
            turn = quaternion.mul(tuple(y.real), quaternion.conj(tuple(x.real)))
            return np.append(y.position, quaternion.log(turn))

        J = chain.jacobian(q, link, frame=frame, point=point)
        assert_derivative(moved, J, np.zeros(chain.n), atol=1e-7)


@pytest.mark.parametrize('seed', range(4))
def test_joints_off_the_path_have_zero_columns(seed):
    model = random_tree(seed)
    chain = model.whole
    q = chain.random(np.random.default_rng(seed))
    for link in model.leaves:
        path = model.joint_path(model.root, link)
        on_path = {joint.mimic.joint if joint.mimic else joint.name for joint in path}
        J = chain.jacobian(q, link)
        for i, name in enumerate(chain.joint_names):
            if name not in on_path and name.rsplit('.', 1)[0] not in on_path:
                assert not J[:, i].any(), name


def test_base_tips_and_tool():
    model = random_tree(1)
    tip = max(model.leaves, key=lambda leaf: len(model.joint_path(model.root, leaf)))
    base = model.joint_path(model.root, tip)[1].parent
    tool = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    chain = model.chain(base, tip, tool)
    assert (chain.base, chain.tips) == (base, (tip,))
    q = chain.random(np.random.default_rng(0))
    whole = model.whole
    q_whole = whole.configuration(values_of(chain, q))
    expected = whole.fk(q_whole, base).inverse() @ whole.fk(q_whole, tip) @ tool
    close(chain.fk(q).matrix, expected.matrix, 1e-13)


def test_batch_agrees_with_single_calls():
    chain = random_tree(2).whole
    rng = np.random.default_rng(0)
    Q = np.array([chain.random(rng) for _ in range(20)])
    batch = chain.fk_batch(Q)
    assert batch.shape == (20, len(chain.tips), 8)
    for q, rows in zip(Q, batch):
        for pose, row in zip(chain.fk_all(q).values(), rows):
            close(np.append(pose.real, pose.dual), row, 1e-13)


def test_batches_may_lie_in_memory_by_columns():
    chain = random_tree(2).whole
    Q = chain.spread(np.random.default_rng(0).random((20, chain.n)))
    by_columns = np.asfortranarray(Q)
    assert np.array_equal(chain.fk_batch(by_columns), chain.fk_batch(Q))
    for found, expected in zip(chain.jacobian_batch(by_columns, chain.tips[0]),
                               chain.jacobian_batch(Q, chain.tips[0])):
        assert np.array_equal(found, expected)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_samples_are_within_limits(seed):
    chain = random_tree(3).whole
    q = chain.random(np.random.default_rng(seed))
    assert chain.within_limits(q)
    for i, name in enumerate(chain.joint_names):
        joint = chain.model.joint(name.rsplit('.', 1)[0] if '.' in name else name)
        if joint.kind is JointKind.BALL and name.endswith('.x'):
            r = quaternion.exp(tuple(q[i:i + 3]))
            x, y, turn = swing_twist.coordinates(r)
            assert math.hypot(x, y) <= joint.swing + 1e-9
            assert joint.twist[0] - 1e-9 <= turn <= joint.twist[1] + 1e-9


def test_limits_clamp_and_neutral():
    chain = load_robot(URDF / 'panda.urdf').chain()
    assert chain.within_limits(chain.neutral)
    assert chain.neutral[3] == pytest.approx(0.5 * (chain.lower[3] + chain.upper[3]))
    far = chain.upper + 1
    assert not chain.within_limits(far)
    assert chain.within_limits(far, slack=1.5)
    close(chain.clamp(far), chain.upper, 0)
    for array in (chain.lower, chain.upper, chain.velocity, chain.neutral):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 0


def test_positions_include_mimics_and_come_back():
    model = random_tree(4)
    chain = model.whole
    q = chain.random(np.random.default_rng(0))
    positions = chain.joint_positions(q)
    for joint in model.joints:
        if joint.mimic:
            expected = joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
            assert positions[joint.name] == pytest.approx(expected, abs=1e-15)
    close(chain.configuration(positions), q, 0)
    close(chain.configuration({}, default=q), q, 0)


def test_names_that_the_robot_does_not_have_are_refused_with_the_nearest():
    model = load_robot(URDF / 'panda.urdf')
    chain = model.chain(tips='panda_link4')
    with pytest.raises(SeedError, match="no joint 'joint1', 'k'; did you mean 'panda_joint1'"):
        chain.configuration({'joint1': 1.0, 'panda_joint2': 0.5, 'k': 1.0})
    others = {'panda_joint2': 0.5, 'panda_joint7': 1.0}
    close(chain.configuration(others), (0.0, 0.5, 0.0, chain.neutral[3]), 0)
    q = chain.configuration({'joint1': 1.0, **others}, strict=False)
    close(q, chain.configuration(others), 0)


def test_the_range_of_a_master_respects_its_mimics():
    model = build_model('gripper', [
        Joint('master', JointKind.REVOLUTE, 'a', 'b', lower=-1, upper=1),
        Joint('slave', JointKind.REVOLUTE, 'a', 'c', lower=-0.5, upper=2,
              mimic=Mimic('master', -2.0, 0.1))])
    chain = model.whole
    close((chain.lower, chain.upper), ([-0.95], [0.3]), 1e-15)


@pytest.mark.parametrize(('ask', 'error', 'words'), [
    (lambda c: c.fk([0.0]), SeedError, r'7 numbers'),
    (lambda c: c.fk([math.nan] * 7), SeedError, 'not finite'),
    (lambda c: c.fk(c.neutral, 'nowhere'), ChainError, 'nowhere'),
    (lambda c: c.jacobian(c.neutral, frame='local'), ChainError, "'world' or 'body'"),
    (lambda c: c.jacobian(c.neutral, point=(1, 2)), ChainError, '3 numbers'),
    (lambda c: c.fk_batch(np.zeros((3, 6))), SeedError, r'\(N, 7\)'),
    (lambda c: c.fk_batch('there'), SeedError, r"\(N, 7\), got 'there'"),
    (lambda c: c.jacobian_batch({'panda_joint1': 0.0}), SeedError, r'\(N, 7\)'),
    (lambda c: c.jacobian(c.neutral, point=(0.0, math.nan, 0.0)), ChainError, 'finite.*nan'),
    (lambda c: c.jacobian(c.neutral, point='here'), ChainError, "3 numbers, got 'here'"),
    (lambda c: c.spread(np.zeros(3)), SeedError, r'\(\.\.\., 7\).*got shape \(3,\)'),
    (lambda c: c.spread([math.nan] * 7), SeedError, 'unit cube'),
    (lambda c: c.spread('all'), SeedError, "got 'all'"),
    (lambda c: c.model.chain('nowhere'), ChainError, 'nowhere'),
    (lambda c: c.model.chain(None, 'nowhere'), ChainError, "no link 'nowhere'"),
    (lambda c: c.model.chain('panda_link3', 'panda_link1'), ChainError, 'not below'),
])
def test_bad_questions_are_refused(ask, error, words):
    with pytest.raises(error, match=words):
        ask(load_robot(URDF / 'panda.urdf').chain())


def test_description_names_every_variable():
    chain = load_robot(URDF / 'panda.urdf').chain()
    text = chain.describe()
    assert all(name in text for name in chain.joint_names)
    assert chain.base in text
    assert chain.tips[0] in text
