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

"""Frames on common normals: the same robot, in a form with cheap products."""

import math

from arms import arm, judged
from dq_ik import load_robot, Pose
from dq_ik.core.algebra.frame import is_along_normal
from dq_ik.core.memory import layout as core
from helpers import BOTH, close
import numpy as np
from packing import pack_chain, poses
import pytest

both = pytest.mark.parametrize('how', BOTH)
TURNS = {
    'across': '0.3 0.4 0.2',
    'parallel': '0 0.4 0',
    'opposite': f'{math.pi} 0.4 0',
    'nearly_parallel': '3.7e-6 0.4 0',
    'hardly_parallel': '1e-11 0.4 0',
    'nearly_opposite': '3.14159 0.4 0',
}


def chain_with(rpy: str, kind: str = 'revolute'):
    """Return a chain whose second joint is turned like this, behind a joint of some kind."""
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    joints = ''.join(
        f'<link name="l{i + 1}"/><joint name="j{i}" type="{kind}"><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/><origin xyz="0.1 0.2 {0.1 * i}" rpy="{turn}"/>'
        f'<axis xyz="{axis}"/>{limit}</joint>'
        for i, (kind, turn, axis) in enumerate((
            ('revolute', '0.1 0.2 0.3', '0 0 1'), (kind, '0.2 -0.4 0', '0 1 0'),
            ('revolute', rpy, '0 1 0'), ('revolute', '0 0 1', '1 0 0'))))
    return load_robot(f'<robot name="r"><link name="l0"/>{joints}</robot>').chain('l0', ('l4',))


def check_same(chain, how):
    """Compare the poses of a chain with those of its moved frames, and return the latter."""
    still, moved = pack_chain(chain, how), pack_chain(chain, how, move=True)
    q = chain.spread(np.random.default_rng(1).random((50, chain.n)))
    before, after = poses(still, q), poses(moved, q)
    sign = np.sign(np.sum(before[..., :4] * after[..., :4], axis=-1, keepdims=True))
    np.testing.assert_allclose(sign * after, before, rtol=0.0, atol=2e-14)
    for row, numbers in zip(q[:5], after[:5, 0]):
        close(Pose(numbers[:4], numbers[4:]).matrix, judged(chain, row).matrix, 1e-13)
    return moved


@both
@pytest.mark.parametrize('name', ['panda', 'arm6', 'arm5', 'prismatic'])
def test_arms_keep_their_poses_in_the_cheap_form(name, how):
    moved = check_same(arm(name), how)
    revolute = moved.index[:-1, core.ELEMENT_KIND] == core.REVOLUTE
    assert all(is_along_normal(row) for row, cheap in zip(moved.element[1:], revolute) if cheap)


@both
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('rpy', TURNS.values(), ids=TURNS)
def test_axes_in_any_relation_keep_their_poses(rpy, kind, how):
    check_same(chain_with(rpy, kind), how)


@both
def test_a_normal_far_away_is_not_used(how):
    near, far = (pack_chain(chain_with(TURNS[name]), how, move=True).element[2]
                 for name in ('across', 'nearly_parallel'))
    assert is_along_normal(near)
    assert not is_along_normal(far)
    assert np.linalg.norm(far[4:7]) < 1.0


@both
def test_trees_are_left_alone(how):
    still, moved = (pack_chain(arm('two_arms'), how, move=move) for move in (False, True))
    assert not still.plain
    np.testing.assert_array_equal(moved.element, still.element)
    np.testing.assert_array_equal(moved.tip, still.tip)
