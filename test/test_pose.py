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
"""Pose agrees with the kernels, with scipy and with matrices, and refuses bad input."""

from __future__ import annotations

import math
import pickle

from dq_ik.core.algebra import dual_quaternion
from dq_ik.errors import PoseError
from dq_ik.pose import Pose
from helpers import close, poses, rotation_vectors, unit_quaternions, vectors
from hypothesis import assume, given, settings
from hypothesis import strategies as st
import naive
import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

quick = settings(max_examples=100, deadline=None)


@quick
@given(a=poses(), b=poses(), p=vectors())
def test_composition_agrees_with_the_kernels_and_with_matrices(a, b, p):
    product = Pose(*a) @ Pose(*b)
    close((product.real, product.dual), dual_quaternion.mul(a, b), 1e-13)
    close(product.matrix, Pose(*a).matrix @ Pose(*b).matrix, 1e-12)
    close(product @ np.array(p), (product.matrix @ [*p, 1])[:3], 1e-12)
    np.testing.assert_allclose(product @ np.array([p, p]), [product @ np.array(p)] * 2)


@quick
@given(a=poses())
def test_inverse_and_exp_log(a):
    x = Pose(*a)
    close((x @ x.inverse()).matrix, np.eye(4), 1e-12)
    close(Pose.exp(x.log()).matrix, x.matrix, 1e-11)
    v, w = dual_quaternion.log(a)
    if np.linalg.norm(w) < math.pi - 1e-6:
        close(x.log(), (*v, *w), 1e-12)


@quick
@given(v=vectors(2.0), w=rotation_vectors())
def test_exp_is_the_matrix_exponential(v, w):
    twist = np.zeros((4, 4))
    twist[:3, :3], twist[:3, 3] = naive.skew(w), v
    close(Pose.exp((*v, *w)).matrix, expm(twist), 1e-11)


@quick
@given(r=unit_quaternions(), t=vectors())
def test_matrix_position_and_quaternion(r, t):
    x = Pose.from_xyz_wxyz(t, np.multiply(r, 3.0))
    close(x.position, t, 1e-13)
    assert x.quaternion[0] >= 0
    assert abs(x.quaternion @ r) == pytest.approx(1, abs=1e-14)
    close(x.matrix[:3, :3], Rotation.from_quat([*r[1:], r[0]]).as_matrix(), 1e-14)
    close(Pose.from_matrix(x.matrix).matrix, x.matrix, 1e-13)


@quick
@given(r=unit_quaternions(), t=vectors())
def test_both_orders_of_a_quaternion_agree_with_scipy(r, t):
    turn = Rotation.from_quat([*r[1:], r[0]])
    x, y, z, w = turn.as_quat()
    wxyz, xyzw = Pose.from_xyz_wxyz(t, (w, x, y, z)), Pose.from_xyz_xyzw(t, (x, y, z, w))
    assert wxyz == xyzw
    close(xyzw.matrix[:3, :3], turn.as_matrix(), 1e-14)
    close(xyzw.position, t, 1e-13)


def test_the_order_of_a_quaternion_matters():
    turn = (0.0, 0.0, 0.6, 0.8)
    assert Pose.from_xyz_xyzw((0, 0, 0), turn).rpy[2] == pytest.approx(2 * math.asin(0.6))
    assert Pose.from_xyz_xyzw((0, 0, 0), turn) != Pose.from_xyz_wxyz((0, 0, 0), turn)


@pytest.mark.parametrize('size', [1e-6, 1e100, 1e155, 1e200, 1.7e308])
def test_huge_quaternions_are_normalised(size):
    r = np.array((1.0, -1.0, 1.0, 1.0))
    expected = Pose.from_xyz_wxyz((1.0, 2.0, 3.0), r)
    for x in (Pose.from_xyz_wxyz((1.0, 2.0, 3.0), size * r),
              Pose.from_xyz_xyzw((1.0, 2.0, 3.0), size * r[[1, 2, 3, 0]]),
              Pose(size * r, 0.5 * size * expected.dual / np.abs(expected.dual).max())):
        close(x.real, expected.real, 1e-15)
        assert np.linalg.norm(x.real) == pytest.approx(1.0, abs=1e-15)
        assert x.real @ x.dual == pytest.approx(0.0, abs=1e-15)
        assert np.all(np.isfinite(x.matrix))
    assert Pose((1e200, 0, 0, 0), (0, 0, 0, 0)) == Pose.identity()
    close(Pose((1e200, 0, 0, 0), (0, 1e200, 0, 0)).position, (2.0, 0.0, 0.0), 1e-15)


def test_the_text_of_a_pose_makes_it_again():
    x = Pose.from_xyz_rpy((1, -2, 3), (0.1, 0.2, 0.3))
    assert eval(repr(x)).distance(x) == pytest.approx((0, 0), abs=1e-5)


@quick
@given(xyz=vectors(), roll=st.floats(-3, 3), yaw=st.floats(-3, 3),
       pitch=st.one_of(st.floats(-1.5, 1.5), st.sampled_from([-math.pi / 2, math.pi / 2])))
def test_roll_pitch_yaw_are_those_of_urdf(xyz, roll, pitch, yaw):
    x = Pose.from_xyz_rpy(xyz, (roll, pitch, yaw))
    close(x.matrix[:3, :3], Rotation.from_euler('xyz', (roll, pitch, yaw)).as_matrix(), 1e-14)
    again = Pose.from_xyz_rpy(xyz, x.rpy)
    close(again.matrix, x.matrix, 1e-7 if abs(pitch) > 1.5 else 1e-12)


@quick
@given(a=poses(), b=poses())
def test_interpolation_and_distance(a, b):
    a, b = Pose(*a), Pose(*b)
    close(a.interpolate(b, 0).matrix, a.matrix, 1e-11)
    close(a.interpolate(b, 1).matrix, b.matrix, 1e-11)
    metres, radians = a.distance(b)
    assert metres == pytest.approx(np.linalg.norm(a.position - b.position))
    assert radians == pytest.approx(np.linalg.norm((a.inverse() @ b).log()[3:]), abs=1e-12)
    half = a.interpolate(b, 0.5).distance(a)[1]
    assert half == pytest.approx(radians / 2, abs=1e-9)


@quick
@given(a=poses(), b=poses(), s=st.floats(0, 1))
def test_interpolation_runs_along_one_screw(a, b, s):
    a, b = Pose(*a), Pose(*b)
    step = (a.inverse() @ b)
    assume(step.distance(Pose.identity())[1] < 3.1)  # at half a turn there are two ways
    close(a.interpolate(b, s).matrix, a.matrix @ expm(s * logm(step.matrix)), 1e-9)


def test_a_pose_is_immutable_hashable_and_pickles():
    x = Pose.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    for array in (x.real, x.dual, x.position, x.quaternion, x.rpy):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 5
    assert pickle.loads(pickle.dumps(x)) == x
    x = Pose.from_xyz_wxyz((1, 2, 3), (0.5, 0.5, 0.5, 0.5))  # without rounding
    negative = Pose(-x.real, -x.dual)
    assert negative == x
    assert hash(negative) == hash(x)
    assert x != Pose.identity()
    assert x != 'pose'
    assert repr(Pose.identity()) == 'Pose.from_xyz_wxyz((0, 0, 0), (1, 0, 0, 0))'


@pytest.mark.parametrize(('make', 'words'), [
    (lambda: Pose((0, 0, 0, 0), (0, 0, 0, 0)), 'is zero'),
    (lambda: Pose((1, 0, 0, math.nan), (0, 0, 0, 0)), '4 finite numbers'),
    (lambda: Pose((1, 0, 0), (0, 0, 0, 0)), '4 finite numbers'),
    (lambda: Pose((10**400, 0, 0, 0), (0, 0, 0, 0)), '4 numbers'),
    (lambda: Pose((1e-9, 0, 0, 0), (0, 1e300, 0, 0)), 'farther'),
    (lambda: Pose((1, 0, 0, 0), (0, 1.5e308, 0, 0)), 'farther'),
    (lambda: Pose((1, 1, 1, 1), (1e308, -1e308, 1e308, -1e308)), 'farther'),
    (lambda: Pose.from_xyz_wxyz((1.7e308, 0, 0), (1, 1, 1, 1)), 'farther'),
    (lambda: Pose('abcd', (0, 0, 0, 0)), '4 numbers'),
    (lambda: Pose.from_xyz_wxyz((0, 0, math.inf), (1, 0, 0, 0)), 'a position'),
    (lambda: Pose.from_xyz_wxyz((0, 0, 0), (0, 0, 0, 0)), 'is zero'),
    (lambda: Pose.from_xyz_wxyz((0, 0, 0), (1, 0, 0)), r'\(w, x, y, z\) must be 4'),
    (lambda: Pose.from_xyz_xyzw((0, 0, 0), (0, 0, 1)), r'\(x, y, z, w\) must be 4'),
    (lambda: Pose.from_xyz_xyzw((0, 0, 0), (0, 0, 0, 0)), 'is zero'),
    (lambda: Pose.from_matrix(np.eye(3)), r'\(4, 4\)'),
    (lambda: Pose.from_matrix(np.diag([1, 1, -1, 1])), 'no rigid motion'),
    (lambda: Pose.from_matrix(2 * np.eye(4)), 'no rigid motion'),
    (lambda: Pose.exp((0, 0, 0)), 'a twist must be 6'),
    (lambda: Pose.identity() @ (1, 2), r'\(3,\) or \(N, 3\)'),
])
def test_bad_input_is_named(make, words):
    with pytest.raises(PoseError, match=words):
        make()
