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
"""The limits of balls: what is inside, the projection, slopes and curvature, by differences."""

from __future__ import annotations

import math
from types import SimpleNamespace

from dq_ik.core.algebra import ellipse, quaternion, swing_twist
from dq_ik.core.kinematics import ball_corner, ball_limits, ball_projection
from dq_ik.core.memory.layout import AXES, BALL_LIMITS, CONTACT, GAP, PUSH, WAY
from dq_ik.core.solve import ball_contact
from helpers import close, rotation_vectors
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

ROUND = ball_limits.Limits((0.9, 0.5), (-0.5, 0.7), (-0.4, -0.3, -0.2), (0.4, 0.5, 0.3),
                           quaternion.exp((0.2, 0.1, -0.3)), 0.6)
THIN = ROUND._replace(swing=(0.0, 0.5))
OPEN = ball_limits.Limits((math.inf, math.inf), (-math.inf, math.inf), (-math.inf,) * 3,
                          (math.inf,) * 3, (1.0, 0.0, 0.0, 0.0), math.inf)
NUMBERS = range(BALL_LIMITS)
quick = settings(max_examples=60, deadline=None)


def value(limits: ball_limits.Limits, k: int, r: tuple) -> float:
    """Return how far a rotation is beyond a limit."""
    turn = quaternion.log(quaternion.mul(quaternion.conj(limits.centre), r))
    return ball_limits.value(limits, k, quaternion.log(r), swing_twist.coordinates(r), turn)


def moved(r: tuple, step: np.ndarray) -> tuple:
    """Return a rotation after a step in its tangent space."""
    return quaternion.mul(r, quaternion.exp(tuple(step)))


def numbers_of(limits: ball_limits.Limits) -> list[int]:
    """Return the numbers of the limits that there are."""
    return [k for k in NUMBERS if ball_limits.has(limits, k)]


def rotations(count: int) -> list[tuple]:
    """Draw rotations up to a turn of 1.5."""
    w = np.random.default_rng(1).normal(size=(count, 3))
    return [quaternion.exp(tuple(1.5 * v / max(1.5, np.linalg.norm(v)))) for v in w]


@pytest.mark.parametrize('limits', [ROUND, THIN], ids=['round', 'thin'])
def test_slopes_are_those_of_the_values(limits):
    for r in rotations(40):
        for k in numbers_of(limits):
            rate = [(value(limits, k, moved(r, h)) - value(limits, k, moved(r, -h))) / 2e-6
                    for h in 1e-6 * np.eye(3)]
            close(ball_limits.slope(limits, k, r), rate, 1e-6)


@pytest.mark.parametrize('limits', [ROUND, THIN], ids=['round', 'thin'])
def test_projections_go_back_along_their_own_direction(limits):
    """A little beyond one limit of swing or twist alone, the projection undoes such a step."""
    free = limits._replace(lower=OPEN.lower, upper=OPEN.upper, step=math.inf)
    for w in np.random.default_rng(2).normal(size=(60, 3)):
        r = quaternion.exp(ball_projection.project(free, quaternion.shifted(tuple(w)), (0, 0, 0)))
        on = [k for k in numbers_of(free) if abs(value(free, k, r)) < 1e-9]
        for k in on:
            d = np.array(ball_limits.back(free, k, r))
            out = moved(r, 1e-5 * d / np.linalg.norm(d))
            assert value(free, k, out) > 0.0
            back = quaternion.exp(ball_projection.project(free, quaternion.log(out), (0, 0, 0)))
            if sum(value(free, j, out) > 1e-9 for j in numbers_of(free)) == 1:
                close(quaternion.log(quaternion.mul(quaternion.conj(r), back)), (0, 0, 0), 1e-8)


def test_bounds_are_left_along_one_number_of_the_rotation_vector():
    for r in rotations(20):
        for k in range(ball_limits.UPPER_BOUND, ball_limits.STEP):
            d = 1e-6 * np.array(ball_limits.back(ROUND, k, r))
            change = (np.array(quaternion.log(moved(r, d)))
                      - quaternion.log(moved(r, -d))) / 2e-6
            sign = 1.0 if k < ball_limits.LOWER_BOUND else -1.0
            close(change, sign * np.eye(3)[(k - ball_limits.UPPER_BOUND) % 3], 1e-6)


@quick
@given(w=rotation_vectors(), a=st.sampled_from((0.0, 0.01, 0.5, 3.0)), b=st.floats(0.0, 3.0),
       width=st.sampled_from((0.0, 0.1, math.inf)), step=st.sampled_from((1e-3, 0.3, math.inf)))
def test_what_is_projected_is_inside(w, a, b, width, step):
    limits = ROUND._replace(swing=(a, b), lower=(-width,) * 3, upper=(width,) * 3, step=step,
                            centre=(1.0, 0.0, 0.0, 0.0))
    inside = ball_projection.project(limits, quaternion.shifted(w), (0.0, 0.0, 0.0))
    assert ball_projection.beyond(limits, inside) <= ball_projection.ROUNDING
    assert ball_projection.project(limits, inside, (0.0, 0.0, 0.0)) == inside


def test_the_edge_of_two_limits_at_a_sharp_angle_is_met():
    """A step that grazes a cone: to meet one after the other nears the edge only slowly."""
    centre = quaternion.exp((0.75, 0.0, 0.1))
    limits = OPEN._replace(swing=(1.0, 1.0), centre=centre, step=0.26)
    for turn in np.linspace(0.3, 1.4, 60):
        out = quaternion.mul(centre, quaternion.exp((0.4 * math.sin(turn), 0.4 * math.cos(turn),
                                                     0.3)))
        w = ball_corner.settle(limits, quaternion.log(out))
        assert -1e-9 <= ball_projection.beyond(limits, w) <= ball_projection.ROUNDING
        assert ball_corner.settle(limits, w) == w or ball_projection.beyond(limits, w) > 0.0


def test_the_nearest_point_of_an_ellipse_is_straight_below():
    """The way there is along the normal ``(x / a^2, y / b^2)``, also where the ellipse is thin."""
    rng = np.random.default_rng(4)
    for a, b in ((0.9, 0.5), (0.02, 1.0), (1e-5, 3.0), (1.1e-6, 3.1)):
        for x, y in rng.uniform(-4.0, 4.0, (40, 2)):
            if ellipse.radius((x, y), (a, b)) > 1.0:
                u, v = ellipse.nearest((x, y), (a, b))
                assert ellipse.radius((u, v), (a, b)) == pytest.approx(1.0, abs=1e-12)
                normal = np.array((u / a**2, v / b**2))
                way = np.array((x - u, y - v)) / np.hypot(x - u, y - v)
                close(way, normal / np.linalg.norm(normal), 1e-6)


def test_a_step_of_less_than_a_half_turn_is_a_limit():
    for step, limited in ((0.5, 0.5), (2.0, 2.0), (3.1, 3.0), (4.0, 3.0)):
        w = ball_projection.project(OPEN._replace(step=step), (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        close(w, (limited, 0.0, 0.0), 1e-12)


def test_the_corner_of_three_limits_is_met():
    """Cone, twist range and a bound meet in one rotation; from around it Newton's steps lead."""
    rng, met = np.random.default_rng(5), 0
    for w in rng.uniform(-0.6, 0.6, (60, 3)):
        x, y, turn = swing_twist.coordinates(quaternion.exp(tuple(w)))
        limits = OPEN._replace(swing=(math.hypot(x, y),) * 2, twist=(-3.0, turn),
                               upper=(w[0], math.inf, math.inf))
        out = quaternion.log(moved(quaternion.exp(tuple(w)), rng.uniform(-0.2, 0.2, 3)))
        met += ball_projection.beyond(limits, ball_corner.settle(limits, out)) <= 1e-12
    assert met >= 58


def test_a_third_limit_keeps_the_first_two():
    """Steps, bounds, cone and twist: which three hold the rotation shows on the way only."""
    limits = OPEN._replace(swing=(0.73, 0.56), twist=(-0.48, 0.8), lower=(-1.03, -0.74, -0.52),
                           upper=(0.09, -0.22, -0.4), step=0.66,
                           centre=quaternion.exp((-0.47, -0.48, -0.46)))
    w = ball_corner.settle(limits, (-1.94, 2.11, 0.55))
    assert abs(ball_projection.beyond(limits, w)) <= 1e-9


@quick
@given(w=rotation_vectors())
def test_a_ball_without_limits_takes_every_rotation(w):
    w = quaternion.shifted(w)
    assert numbers_of(OPEN) == []
    assert ball_projection.project(OPEN, w, (0.0, 0.0, 0.0)) == w


def test_a_cone_without_a_common_point_comes_before_bounds():
    limits = OPEN._replace(swing=(0.5, 0.5), twist=(-0.5, 0.5), lower=(1.0, -0.1, -0.1),
                           upper=(2.0, 0.1, 0.1))
    w = ball_projection.find(limits, (1.5, 0.0, 0.0))
    assert ball_projection.beyond(limits._replace(lower=OPEN.lower, upper=OPEN.upper), w) <= 1e-12
    assert ball_projection.beyond(limits, w) > 0.1


def test_bounds_far_from_the_seed_are_found():
    limits = OPEN._replace(swing=(1.0, 1.0), twist=(-1.0, 1.0), lower=(-0.7, -0.7, 0.3),
                           upper=(-0.6, -0.6, 0.4))
    assert ball_projection.beyond(limits, ball_projection.find(limits, (0.9, 0.0, -0.9))) <= 1e-12


@pytest.mark.parametrize('limits', [ROUND, THIN], ids=['round', 'thin'])
def test_curvature_of_limits_is_the_second_difference(limits):
    """Along a step d: (g(d) - 2 g(0) + g(-d)) / h^2 = d^T K d, for a unit slope."""
    for r in rotations(10):
        for k in numbers_of(limits):
            contact = np.zeros((BALL_LIMITS, CONTACT.width))
            contact[k, PUSH] = 1.0
            work = SimpleNamespace(A=np.zeros((3, 3)), contact=contact)
            ball_contact._add_curvature(limits, r, work, 0)
            close(work.A, work.A.T, 1e-12)
            size = np.linalg.norm(ball_limits.slope(limits, k, r))
            for d in np.random.default_rng(3).normal(size=(4, 3)):
                h = 1e-3 * d
                bend = (value(limits, k, moved(r, h)) + value(limits, k, moved(r, -h))
                        - 2.0 * value(limits, k, r)) / 1e-6 / size
                assert d @ work.A @ d == pytest.approx(bend, abs=2e-4 * (1.0 + abs(bend)))


def test_pushes_take_the_pressed_part_from_the_slope():
    """On cone and twist at once, with a slope made of both normals, the pushes are its parts."""
    limits = ROUND._replace(lower=OPEN.lower, upper=OPEN.upper, step=math.inf)
    r = swing_twist.compose((0.9 * math.cos(1.0), 0.5 * math.sin(1.0), 0.0), 0.7, (0, 0, 1))
    slopes = [np.array(ball_limits.slope(limits, k, r)) for k in (0, ball_limits.UPPER_TWIST)]
    n, m = (slope / np.linalg.norm(slope) for slope in slopes)
    contact = np.zeros((BALL_LIMITS, CONTACT.width))
    ball_contact.touch(limits, quaternion.log(r), tuple(2.0 * n + 3.0 * m), 1e-7, contact)
    close(contact[[0, ball_limits.UPPER_TWIST], PUSH], (2.0, 3.0), 1e-12)
    ball_contact.touch(limits, quaternion.log(r), tuple(-2.0 * n - 3.0 * m), 1e-7, contact)
    close(contact[:, PUSH], 0.0, 0)


def test_a_limit_presses_where_the_projection_undoes_a_step():
    """Not where the slope is along its normal: on a tilted cone the two directions differ."""
    limits = OPEN._replace(swing=(2.2, 0.8))
    r = swing_twist.compose((2.2 * math.cos(0.8), 0.8 * math.sin(0.8), 0.0), 0.6, (0, 0, 1))
    back, normal = (np.array(f(limits, 0, r)) for f in (ball_limits.back, ball_limits.slope))
    contact, differ = np.zeros((BALL_LIMITS, CONTACT.width)), 0
    for slope in np.random.default_rng(6).normal(size=(200, 3)):
        ball_contact.touch(limits, quaternion.log(r), tuple(slope), 1e-7, contact)
        assert (contact[0, PUSH] > 0.0) == (back @ slope > 0.0)
        differ += (back @ slope > 0.0) != (normal @ slope > 0.0)
    assert differ > 10


def test_axes_of_a_pressed_ball_are_turned_there_and_back():
    """The model in turned axes is ``T A T^T`` and ``T b``; held axes lead onto their limits."""
    rng = np.random.default_rng(7)
    A, b = rng.normal(size=(5, 5)), rng.normal(size=5)
    contact = np.zeros((BALL_LIMITS, CONTACT.width))
    for k, (normal, gap) in {0: ((1.0, 2.0, 2.0), 2e-9), 5: ((0.0, 3.0, 4.0), -3e-9)}.items():
        contact[k, :3] = np.array(normal) / np.linalg.norm(normal)
        contact[k, GAP], contact[k, PUSH] = gap, 1.0
    work = SimpleNamespace(A=A.copy(), b=b.copy(), x=np.zeros(5), contact=contact,
                           axes=np.full((5, AXES.width), math.inf))
    count = ball_contact._complete(work.axes, 1, ball_contact._span_normals(work, 1, False))
    ball_contact._turn(work, 1, count)
    T = np.eye(5)
    T[1:4, 1:4] = work.axes[1:4, :3]
    assert count == 2
    close(T @ T.T, np.eye(5), 1e-12)
    close(work.A, T @ A @ T.T, 1e-12)
    close(work.b, T @ b, 1e-12)
    step = work.axes[1:3, WAY] @ T[1:3, 1:4]
    close(contact[[0, 5], :3] @ step, (2e-9, -3e-9), 1e-20)
    ball_contact._turn_vector(work.axes, 1, work.b)
    close(work.b, b, 1e-12)
