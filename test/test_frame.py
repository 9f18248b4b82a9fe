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

"""Poses as (rotation, translation): the same motions as the dual quaternions they stand for."""

from __future__ import annotations

from dq_ik.core.algebra import dual_quaternion, frame, quaternion
from dq_ik.pose import Pose
from helpers import BOTH, close, poses, variant, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

both = pytest.mark.parametrize('how', BOTH)
quick = settings(max_examples=30, deadline=None)


def of(x):
    """Return the frame of a dual quaternion."""
    return x[0], dual_quaternion.translation(x)


@both
@quick
@given(a=poses(), b=poses(), p=vectors(2.0))
def test_products_and_points_are_those_of_dual_quaternions(how, a, b, p):
    r, t = variant(frame.mul, how)(of(a), of(b))
    expected = of(dual_quaternion.mul(a, b))
    close(r, expected[0], 1e-14)
    close(t, expected[1], 1e-13)
    close(variant(frame.transform, how)(of(a), p), Pose(*a) @ p, 1e-13)


@both
@quick
@given(a=poses())
def test_rows(how, a):
    row, dual_row = np.empty(frame.WIDTH), np.empty(8)
    variant(frame.store, how)(of(a), row)
    variant(frame.store_dual, how)(of(a), dual_row)
    assert variant(frame.load, how)(row) == of(a)
    close(dual_row, np.ravel(a), 1e-14)


@both
@quick
@given(a=poses(), angle=st.floats(-7, 7))
def test_a_turn_about_z_is_the_general_product(how, a, angle):
    cosine, sine = np.cos(angle / 2), np.sin(angle / 2)
    close(variant(quaternion.mul_z, how)(a[0], cosine, sine),
          quaternion.mul(a[0], (cosine, 0.0, 0.0, sine)), 1e-14)
