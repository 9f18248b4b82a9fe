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
"""Unit dual quaternions form the group of rigid motions, compiled and plain."""

from __future__ import annotations

from dq_ik.core.algebra import dual_quaternion
from helpers import BOTH, close, poses, rotation_vectors, unit_quaternions, variant, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
import naive
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

both = pytest.mark.parametrize('how', BOTH)
quick = settings(max_examples=60, deadline=None)
IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))


def flat(pose):
    """Eight numbers, with the sign that makes the largest of the first four positive."""
    x = np.concatenate(pose)
    return x * np.sign(x[np.argmax(np.abs(x[:4]))])


def assert_same(a, b, atol=1e-12):
    close(flat(a), flat(b), atol)


def matrix(pose):
    """4x4 matrix, its rotation by SciPy."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_quat(np.roll(pose[0], -1)).as_matrix()
    T[:3, 3] = dual_quaternion.translation(pose)
    return T


@both
@quick
@given(a=poses(), b=poses(), c=poses())
def test_group_axioms(how, a, b, c):
    mul, conj = variant(dual_quaternion.mul, how), variant(dual_quaternion.conj, how)
    assert_same(mul(mul(a, b), c), mul(a, mul(b, c)))
    assert_same(mul(a, IDENTITY), a, 0)
    assert_same(mul(a, conj(a)), IDENTITY)
    assert_same(conj(mul(a, b)), mul(conj(b), conj(a)))
    real, dual = map(np.array, mul(a, b))
    close((real @ real, real @ dual), (1, 0), 1e-12)


@both
@quick
@given(a=poses(), b=poses())
def test_products_are_those_of_matrices(how, a, b):
    product = variant(dual_quaternion.mul, how)(a, b)
    close(matrix(product), matrix(a) @ matrix(b), 1e-12)


@both
@quick
@given(r=unit_quaternions(), t=vectors())
def test_rotation_and_translation_come_back(how, r, t):
    pose = variant(dual_quaternion.from_rotation_translation, how)(r, t)
    assert pose[0] == r
    close(variant(dual_quaternion.translation, how)(pose), t, 1e-13)


@both
@quick
@given(a=poses(), factor=st.floats(0.1, 10), slip=st.floats(-1, 1))
def test_normalizing_restores_a_pose(how, a, factor, slip):
    spoiled = (tuple(factor * c for c in a[0]),
               tuple(factor * (d + slip * c) for c, d in zip(*a)))
    assert_same(variant(dual_quaternion.normalized, how)(spoiled), a)


@both
@quick
@given(v=vectors(2.0), w=rotation_vectors())
def test_exp_is_the_matrix_exponential_of_the_twist(how, v, w):
    twist = np.zeros((4, 4))
    twist[:3, :3] = naive.skew(w)
    twist[:3, 3] = v
    pose = variant(dual_quaternion.exp, how)(v, w)
    close(matrix(pose), expm(twist), 1e-12)


@both
@quick
@given(a=poses())
def test_exp_undoes_log(how, a):
    v, w = variant(dual_quaternion.log, how)(a)
    assert np.linalg.norm(w) <= np.pi + 1e-12
    assert_same(variant(dual_quaternion.exp, how)(v, w), a)


@both
@quick
@given(a=poses())
def test_store_and_load(how, a):
    row = np.empty(8)
    variant(dual_quaternion.store, how)(a, row)
    assert variant(dual_quaternion.load, how)(row) == a
