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
"""Quaternions obey the axioms of rotations, compiled and plain, also near 0 and near pi."""

from __future__ import annotations

import math

from dq_ik.core.algebra import quaternion
from dq_ik.core.compile import FRONT_END
from helpers import (
    assert_derivative,
    BOTH,
    close,
    rotation_vectors,
    unit_quaternions,
    unit_vectors,
    variant,
    vectors,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import skew
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

TINY = 1e-14
both = pytest.mark.parametrize('how', BOTH)
quick = settings(max_examples=60, deadline=None)


def same_rotation(a, b, atol=1e-13):
    """Compare up to the sign."""
    a, b = np.array(a), np.array(b)
    close(a if a @ b > 0 else -a, b, atol)


def scipy_rotation(r):
    """Scipy writes (x, y, z, w)."""
    return Rotation.from_quat([*r[1:], r[0]])


@both
@quick
@given(a=unit_quaternions(), b=unit_quaternions(), c=unit_quaternions())
def test_product_is_associative_closed_and_has_an_identity(how, a, b, c):
    mul = variant(quaternion.mul, how)
    close(mul(mul(a, b), c), mul(a, mul(b, c)), TINY)
    assert abs(variant(quaternion.norm, how)(mul(a, b)) - 1) < TINY
    np.testing.assert_allclose(mul(a, (1.0, 0.0, 0.0, 0.0)), a)


@both
@quick
@given(a=unit_quaternions(), b=unit_quaternions())
def test_conjugate_is_the_inverse_and_turns_products_around(how, a, b):
    mul, conj = variant(quaternion.mul, how), variant(quaternion.conj, how)
    close(mul(a, conj(a)), (1, 0, 0, 0), TINY)
    close(conj(mul(a, b)), mul(conj(b), conj(a)), TINY)


@both
@quick
@given(a=unit_quaternions(), b=unit_quaternions(), v=vectors())
def test_rotation_of_a_vector_agrees_with_scipy_and_composes(how, a, b, v):
    rotate = variant(quaternion.rotate, how)
    close(rotate(a, v), scipy_rotation(a).apply(v), 1e-13)
    product = variant(quaternion.mul, how)(a, b)
    close(rotate(product, v), rotate(a, rotate(b, v)), 1e-13)
    close(variant(quaternion.z_axis, how)(a), rotate(a, (0.0, 0.0, 1.0)), TINY)


@both
@quick
@given(r=unit_quaternions())
def test_a_quaternion_and_its_negative_are_one_rotation(how, r):
    log = variant(quaternion.log, how)
    w, opposite = np.array(log(r)), np.array(log(variant(quaternion.scale, how)(r, -1.0)))
    if np.linalg.norm(w) < math.pi - 1e-9:
        close(w, opposite, 1e-13)
    else:  # at a half turn both axes are right
        assert min(np.abs(w - opposite).max(), np.abs(w + opposite).max()) < 1e-7


@both
@quick
@given(w=rotation_vectors())
def test_log_undoes_exp(how, w):
    back = np.array(variant(quaternion.log, how)(variant(quaternion.exp, how)(w)))
    if np.linalg.norm(w) > math.pi - 1e-12 and back @ w < 0:
        back = -back
    close(back, w, 1e-13)


@both
@quick
@given(r=unit_quaternions())
def test_exp_undoes_log_and_agrees_with_scipy(how, r):
    w = variant(quaternion.log, how)(r)
    same_rotation(variant(quaternion.exp, how)(w), r)
    assert np.linalg.norm(w) <= math.pi + 1e-12
    close(np.linalg.norm(w), scipy_rotation(r).magnitude(), 1e-13)


@both
@quick
@given(w=rotation_vectors(longest=20.0))
def test_shift_keeps_the_rotation_and_leaves_the_singular_region(how, w):
    shifted = variant(quaternion.shifted, how)(w)
    assert np.linalg.norm(shifted) <= math.pi + 1e-12
    exp = variant(quaternion.exp, how)
    same_rotation(exp(shifted), exp(w), atol=1e-12)


@both
def test_shift_follows_the_formula_of_the_paper(how):
    w = np.array([3.3, 0.4, -1.0])
    expected = (1 - 2 * math.pi / np.linalg.norm(w)) * w
    close(variant(quaternion.shifted, how)(tuple(w)), expected, TINY)


@both
@quick
@given(r=unit_quaternions())
def test_matrix_round_trip(how, r):
    rows = variant(quaternion.to_matrix, how)(r)
    close(rows, scipy_rotation(r).as_matrix(), 1e-14)
    same_rotation(variant(quaternion.from_matrix, how)(rows), r, atol=1e-13)


@both
@pytest.mark.parametrize('turn', [*(math.pi * np.eye(3)), np.zeros(3)], ids='xyz0')
def test_matrix_edge_cases_of_half_turns(how, turn):
    rows = tuple(map(tuple, np.round(Rotation.from_rotvec(turn).as_matrix(), 15)))
    w = variant(quaternion.log, how)(variant(quaternion.from_matrix, how)(rows))
    close(np.abs(w), np.abs(turn), 1e-14)


@both
@quick
@given(w=rotation_vectors(longest=6.0), v=vectors(1.0))
def test_left_jacobian_is_the_derivative_of_exp(how, w, v):
    times, exp = variant(quaternion.left_jacobian_times, how), quaternion.exp
    J = np.column_stack([times(w, tuple(e)) for e in np.eye(3)])
    close(J @ v, times(w, v), 1e-14)
    inverse = quaternion.conj(exp(w))

    def turned(x):
        return quaternion.log(quaternion.mul(exp(tuple(x)), inverse))

    assert_derivative(turned, J, np.array(w), 1e-8)


@both
@quick
@given(w=rotation_vectors(longest=5.5), v=vectors(1.0))
def test_left_jacobian_solve_undoes_times(how, w, v):
    times = variant(quaternion.left_jacobian_times, how)
    solve = variant(quaternion.left_jacobian_solve, how)
    close(solve(w, times(w, v)), v, 1e-12)


@both
@quick
@given(axis=unit_vectors(), angle=st.floats(0.049, 0.051))
def test_series_and_closed_form_meet(how, axis, angle):
    v, w = (0.3, -0.5, 0.8), tuple(angle * c for c in axis)
    powers = (np.linalg.matrix_power(skew(w), k) / math.factorial(k + 1) for k in range(12))
    exact = sum(powers)
    close(variant(quaternion.left_jacobian_times, how)(w, v), exact @ v, 1e-14)
    close(variant(quaternion.left_jacobian_solve, how)(w, v), np.linalg.solve(exact, v), 1e-13)


@quick
@given(a=unit_quaternions(), b=unit_quaternions())
def test_conversions_agree_with_transforms3d(a, b):
    transforms3d = pytest.importorskip('transforms3d')
    close(quaternion.mul(a, b), transforms3d.quaternions.qmult(a, b), TINY)
    close(quaternion.to_matrix(a), transforms3d.quaternions.quat2mat(a), 1e-14)


def test_conversions_agree_with_tf_transformations():
    tf = pytest.importorskip('tf_transformations', reason='comes with a ROS installation')
    rng = np.random.default_rng(5)
    for a, b in rng.normal(size=(20, 2, 4)):
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        x, y, z, w = tf.quaternion_multiply([*a[1:], a[0]], [*b[1:], b[0]])
        close(quaternion.mul(tuple(a), tuple(b)), (w, x, y, z), TINY)


def test_compiled_functions_are_compiled():
    if not FRONT_END:
        pytest.skip('compiler is off')
    assert variant(quaternion.mul, 'compiled') is not variant(quaternion.mul, 'plain')
