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
"""Twist and swing about any axis, and the projection of ball joints, compiled and plain."""

from __future__ import annotations

import math

from dq_ik.core.algebra import ellipse, quaternion, swing_twist
from helpers import BOTH, close, rotation_vectors, unit_quaternions, unit_vectors, variant
from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

both = pytest.mark.parametrize('how', BOTH)
quick = settings(max_examples=80, deadline=None)
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def assert_same_rotation(a, b, atol=1e-13):
    a, b = np.array(a), np.array(b)
    close(a if a @ b > 0 else -a, b, atol)


@both
@quick
@given(r=unit_quaternions(), axis=unit_vectors())
def test_swing_times_twist_is_the_rotation(how, r, axis):
    swing, twist = variant(swing_twist.decompose, how)(r, axis)
    assert_same_rotation(quaternion.mul(swing, twist), r)
    np.testing.assert_allclose(np.cross(twist[1:], axis), 0, atol=1e-13)
    assert abs(np.dot(swing[1:], axis)) < 1e-12
    assert swing[0] >= 0
    assert twist[0] >= 0


@both
@quick
@given(r=unit_quaternions())
def test_closed_forms_about_the_coordinate_axes(how, r):
    """[Kenwright2022] eqs. 32-34 with their misprints corrected."""
    decompose = variant(swing_twist.decompose, how)
    s, x, y, z = r
    n = np.sqrt([s * s + x * x, s * s + y * y, s * s + z * z])
    assume(n.min() > 1e-3)
    swings = ((n[0] ** 2, 0, s * y - x * z, s * z + x * y),
              (n[1] ** 2, s * x + y * z, 0, s * z - x * y),
              (n[2] ** 2, s * x - y * z, s * y + x * z, 0))
    twists = ((s, x, 0, 0), (s, 0, y, 0), (s, 0, 0, z))
    for axis, length, swing, twist in zip((X, Y, Z), n, swings, twists):
        assert_same_rotation(decompose(r, axis)[0], np.divide(swing, length), 1e-12)
        assert_same_rotation(decompose(r, axis)[1], np.divide(twist, length), 1e-12)


def test_equation_34_as_printed_is_wrong():
    s, x, y, z = r = (0.5, 0.5, 0.5, 0.5)
    n = math.sqrt(s * s + z * z)
    twist = (s / n, 0.0, 0.0, z / n)
    a, b = (s * x - y * z) / n, (s * y - x * z) / n
    for printed in ((n, 0.0, a, b), (n, a, b, 0.0)):
        assert np.abs(np.array(quaternion.mul(printed, twist)) - r).max() > 0.4


@both
@quick
@given(axis=unit_vectors(), direction=unit_vectors(), tilt=st.floats(0, math.pi - 1e-3),
       turn=st.floats(-math.pi + 1e-6, math.pi - 1e-6))
def test_compose_undoes_decompose(how, axis, direction, tilt, turn):
    across = np.cross(axis, direction)
    assume(np.linalg.norm(across) > 1e-3)
    swing = tilt * across / np.linalg.norm(across)
    r = variant(swing_twist.compose, how)(tuple(swing), turn, axis)
    parts = variant(swing_twist.decompose, how)(r, axis)
    close(quaternion.log(parts[0]), swing, 1e-9)
    close(quaternion.log(parts[1]), turn * np.array(axis), 1e-9)


@both
def test_axis_upside_down_has_no_twist(how):
    r = (0.0, 0.6, 0.8, 0.0)
    swing, twist = variant(swing_twist.decompose, how)(r, Z)
    assert twist == (1.0, 0.0, 0.0, 0.0)
    assert swing == r


@both
@quick
@given(r=unit_quaternions(), a=st.floats(0.0, 3.0), b=st.floats(0.0, 3.0),
       low=st.floats(-3.0, 0.0), high=st.floats(0.0, 3.0))
def test_projection_is_inside_and_keeps_what_is_inside(how, r, a, b, low, high):
    project = variant(swing_twist.project, how)
    inside = project(r, (a, b), low, high)
    x, y, turn = swing_twist.coordinates(inside)
    assert abs(x) <= a + 1e-9
    assert abs(y) <= b + 1e-9
    if min(a, b) > ellipse.THIN:
        assert ellipse.radius((x, y), (a, b)) <= 1.0 + 1e-9 / min(a, b)
    assert low - 1e-9 <= turn <= high + 1e-9
    again = project(inside, (a + 1e-9, b + 1e-9), low - 1e-9, high + 1e-9)
    assert_same_rotation(again, inside, 1e-9)


@both
@quick
@given(w=rotation_vectors())
def test_without_limits_nothing_is_projected(how, w):
    r = quaternion.exp(w)
    project = variant(swing_twist.project, how)
    assert project(r, (math.inf, math.inf), -math.inf, math.inf) == r


@both
@quick
@given(angle=st.floats(-math.pi, math.pi), distance=st.floats(0.0, 3.0), a=st.floats(0.01, 3.0),
       b=st.floats(0.01, 3.0))
def test_no_point_of_an_ellipse_is_nearer(how, angle, distance, a, b):
    point = (distance * math.cos(angle), distance * math.sin(angle))
    x, y = variant(ellipse.nearest, how)(point, (a, b))
    if ellipse.radius(point, (a, b)) <= 1.0:
        assert (x, y) == point
        return
    t = np.linspace(-math.pi, math.pi, 20001)
    nearest = np.hypot(a * np.cos(t) - point[0], b * np.sin(t) - point[1]).min()
    assert ellipse.radius((x, y), (a, b)) == pytest.approx(1.0, abs=1e-12)
    assert math.hypot(x - point[0], y - point[1]) <= nearest + 1e-12


@both
def test_clamping_keeps_the_direction_of_the_swing(how):
    r = swing_twist.compose((0.9, -0.3, 0.0), 1.0, Z)
    clamped = variant(swing_twist.project, how)(r, (0.5, 0.5), -0.25, 0.25)
    swing, twist = swing_twist.decompose(clamped, Z)
    expected = 0.5 * np.array((0.9, -0.3, 0.0)) / math.hypot(0.9, 0.3)
    close(quaternion.log(swing), expected, 1e-13)
    close(quaternion.log(twist), (0, 0, 0.25), 1e-13)


@both
def test_a_twist_goes_to_the_nearer_end_around_the_circle(how):
    project = variant(swing_twist.project, how)
    for turn, end in ((-3.1, 3.0), (-1.0, -0.1), (3.1, 3.0), (-1.8, 3.0), (-1.6, -0.1)):
        r = project(swing_twist.compose((0.0, 0.0, 0.0), turn, Z), (1.0, 1.0), -0.1, 3.0)
        close(swing_twist.coordinates(r)[2], end, 1e-12)
