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
"""The rotation formulas of the documents against scipy, finite differences and each other."""

from __future__ import annotations

import math

from dq_ik.papers import rotations
from dq_ik.papers.kenwright import central_differences, forward_differences
from dq_ik.papers.rotations import exponential, rotation, rotation_rate, skew, UNIT
from helpers import assert_derivative, close, rotation_vectors, unit_vectors, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

quick = settings(max_examples=80, deadline=None)
angles = st.floats(-math.pi, math.pi)


@quick
@given(axis=unit_vectors(), angle=angles, v=vectors())
def test_rodrigues_agrees_with_the_matrix_exponential(axis, angle, v):
    R = rotations.rotation(np.array(axis), angle)
    close(R, expm(angle * rotations.skew(axis)), 1e-13)
    close(rotations.rotated(np.array(axis), angle, np.array(v)), R @ v, 1e-13)


@quick
@given(axis=unit_vectors(), angle=angles)
def test_derivative_of_rodrigues(axis, angle):
    rate = rotations.rotation_rate(np.array(axis), angle)
    close(rate, rotations.skew(axis) @ rotations.rotation(np.array(axis), angle), 1e-14)
    assert_derivative(lambda a: rotations.rotation(np.array(axis), a[0]).ravel(),
                      rate.reshape(9, 1), np.array([angle]), 1e-8)
    w = rotations.angular_velocity(rotations.rotation(np.array(axis), angle), rate)
    close(w, axis, 1e-14)


@quick
@given(w=rotation_vectors())
def test_logarithm_undoes_the_exponential_also_at_its_edges(w):
    R = rotations.exponential(np.array(w))
    back = rotations.logarithm(R)
    close(rotations.exponential(back), R, 1e-12)
    close(np.linalg.norm(back), np.linalg.norm(w), 1e-12)
    if np.linalg.norm(w) < math.pi - 1e-8:
        close(back, w, 1e-9)


@pytest.mark.parametrize('w', [(0, 0, 0), (math.pi, 0, 0), (0, -math.pi, 0), (0, 0, math.pi),
                               (0, 0, math.pi - 1e-9), (1e-9, 0, 0)])
def test_logarithm_at_the_edges(w):
    R = Rotation.from_rotvec(w).as_matrix()
    close(rotations.exponential(rotations.logarithm(R)), R, 1e-14)


def test_equations_28_and_30_as_printed_are_wrong():
    angle, axis = 0.7, np.array((0.0, 0.6, 0.8))
    R = rotations.rotation(axis, angle)
    assert np.trace(R) == pytest.approx(1 + 2 * math.cos(angle))
    assert np.trace(R) != pytest.approx(1 - 2 * math.cos(angle))
    close(angle * rotations.skew(axis), angle / (2 * math.sin(angle)) * (R - R.T), 1e-15)
    assert np.abs((R - R.T) / (2 - math.sin(angle)) - angle * rotations.skew(axis)).max() > 0.1


@quick
@given(w=rotation_vectors(), k=rotation_vectors())
def test_axes_move_to_the_fixed_frame(w, k):
    R_0 = rotations.exponential(np.array(w))
    moved = rotations.in_fixed_frame(R_0, np.array(k))
    close(R_0 @ rotations.skew(k), rotations.skew(moved) @ R_0, 1e-13)
    close(R_0 @ rotations.exponential(np.array(k)), rotations.exponential(moved) @ R_0, 1e-12)


def test_angular_velocities_add_up_in_the_fixed_frame():
    rng = np.random.default_rng(4)
    axes = rng.normal(size=(4, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    start, rates = rng.uniform(-2, 2, (2, 4))

    def turned(t):
        R = np.eye(3)
        for axis, angle in zip(axes, start + t[0] * rates):
            R = R @ rotations.rotation(axis, angle)
        return R.ravel()

    R_rate = central_differences(turned, np.zeros(1)).reshape(3, 3)
    expected = rotations.angular_velocity(turned([0.0]).reshape(3, 3), R_rate)
    close(rotations.composed_angular_velocity(axes, start, rates), expected, 1e-8)


def test_finite_differences_have_their_orders():
    def f(x):
        return np.array([math.sin(x[0]) * x[1], x[1] ** 3])

    q = np.array([0.3, 0.7])
    exact = np.array([[math.cos(0.3) * 0.7, math.sin(0.3)], [0, 3 * 0.49]])
    close(central_differences(f, q), exact, 1e-9)
    close(forward_differences(f, q), exact, 1e-6)
    errors = [np.abs(forward_differences(f, q, delta) - exact).max() for delta in (1e-2, 1e-3)]
    assert 8 < errors[0] / errors[1] < 12
    errors = [np.abs(central_differences(f, q, delta) - exact).max() for delta in (1e-1, 1e-2)]
    assert 80 < errors[0] / errors[1] < 120


def test_a_turn_about_z_is_the_rotation_of_the_plane():
    angle = 0.7
    c, s = math.cos(angle), math.sin(angle)
    close(rotation(UNIT['z'], angle)[:2, :2], [[c, -s], [s, c]], 1e-15)
    close(rotation_rate(UNIT['z'], angle)[:2, :2], [[-s, -c], [c, -s]], 1e-15)


def test_powers_of_the_skew_matrix_repeat():
    axis = np.array((2.0, -1.0, 2.0)) / 3.0
    K = skew(axis)
    close(K @ K @ K, -K, 1e-15)
    close(K @ K @ K @ K, -K @ K, 1e-15)
    across = np.cross(axis, (0.3, 0.1, 0.5))
    close(K @ K @ across, -across, 1e-15)


def test_turns_about_one_axis_add_up_and_turn_back():
    axis, other = np.array((2.0, -1.0, 2.0)) / 3.0, np.array((0.3, 0.4, -0.1))
    first, second = exponential(0.4 * axis), exponential(0.9 * axis)
    close(first @ second, exponential(1.3 * axis), 1e-14)
    close(first @ second, second @ first, 1e-15)
    assert np.abs(first @ exponential(other) - exponential(other) @ first).max() > 1e-2
    close(exponential(-0.4 * axis), first.T, 1e-15)
    rate = (exponential(0.401 * axis) - exponential(0.399 * axis)) / 0.002
    close(rate, skew(axis) @ first, 1e-6)
