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

both = pytest.mark.parametrize('how', BOTH)
quick = settings(max_examples=60, deadline=None)


def flat(pose):
    """Eight numbers, with the sign that makes the largest of the first four positive."""
    x = np.concatenate(pose)
    return x * np.sign(x[np.argmax(np.abs(x[:4]))])


def assert_same(a, b, atol=1e-12):
    close(flat(a), flat(b), atol)


def matrix(pose):
    """4x4 matrix by rotating the unit vectors and the origin."""
    T = np.eye(4)
    x, y, z, origin = (np.array(dual_quaternion.transform(pose, tuple(p))) for p in np.eye(4, 3))
    T[:3] = np.column_stack((x - origin, y - origin, z - origin, origin))
    return T


@both
@quick
@given(a=poses(), b=poses(), c=poses())
def test_group_axioms(how, a, b, c):
    mul, conj = variant(dual_quaternion.mul, how), variant(dual_quaternion.conj, how)
    assert_same(mul(mul(a, b), c), mul(a, mul(b, c)))
    assert_same(mul(a, dual_quaternion.IDENTITY), a, 0)
    assert_same(mul(a, conj(a)), dual_quaternion.IDENTITY)
    assert_same(conj(mul(a, b)), mul(conj(b), conj(a)))
    close(variant(dual_quaternion.norm, how)(mul(a, b)), (1, 0), 1e-12)


@both
@quick
@given(a=poses(), b=poses(), p=vectors())
def test_products_are_those_of_matrices(how, a, b, p):
    product = variant(dual_quaternion.mul, how)(a, b)
    close(matrix(product), matrix(a) @ matrix(b), 1e-12)
    moved = variant(dual_quaternion.transform, how)(product, p)
    close(moved, (matrix(a) @ matrix(b) @ [*p, 1])[:3], 1e-12)


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
@given(a=poses(), b=poses(), s=st.floats(0, 1))
def test_interpolation_runs_along_one_screw(how, a, b, s):
    interpolate = variant(dual_quaternion.interpolate, how)
    assert_same(interpolate(a, b, 0.0), a, 1e-11)
    close(matrix(interpolate(a, b, 1.0)), matrix(b), 1e-11)
    v, w = dual_quaternion.log(dual_quaternion.mul(dual_quaternion.conj(a), b))
    part = dual_quaternion.mul(dual_quaternion.conj(a), interpolate(a, b, s))
    expected = dual_quaternion.exp(tuple(s * c for c in v), tuple(s * c for c in w))
    close(matrix(part), matrix(expected), 1e-9)


@both
@quick
@given(a=poses(), b=poses(), v=vectors(1.0), w=vectors(1.0))
def test_adjoint_is_a_homomorphism_and_conjugates_twists(how, a, b, v, w):
    carry = variant(dual_quaternion.adjoint_times, how)
    close(carry(dual_quaternion.mul(a, b), v, w), carry(a, *carry(b, v, w)), 1e-12)
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = naive.skew(w), v
    moved = matrix(a) @ twist @ np.linalg.inv(matrix(a))
    expected = moved[:3, 3], (moved[2, 1], moved[0, 2], moved[1, 0])
    close(carry(a, v, w), expected, 1e-11)


@both
@quick
@given(a=poses())
def test_store_and_load(how, a):
    row = np.empty(8)
    variant(dual_quaternion.store, how)(a, row)
    assert variant(dual_quaternion.load, how)(row) == a
