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
"""Single steps of the textbook against answers by hand: each number of a formula counts."""

from __future__ import annotations

from itertools import pairwise

from dq_ik.papers import kenwright
from dq_ik.papers import kenwright_sweeps as sweeps
from dq_ik.papers import line_search_steps as steps
from dq_ik.papers import recipe_trim as trim
from dq_ik.pose import Pose
from helpers import assert_derivative, close
import numpy as np
import pytest

FREE = np.full(4, np.inf)


def system(rows: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return a Jacobian of four unknowns and an error."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((rows, 4)), rng.standard_normal(rows)


# --- sweeps --------------------------------------------------------------------------------------

@pytest.mark.parametrize('why', ['change', 'same'])
def test_sweeps_go_on_until_the_test_holds_and_no_longer(why):
    A, b = sweeps.normal_equations(*system())
    x, count, _ = sweeps.gauss_seidel(A, b, np.zeros(4), -FREE, FREE,
                                      sweeps.Ends(5000, **{why: 1e-6}))
    track = [np.zeros(4), *(sweeps.gauss_seidel(A, b, np.zeros(4), -FREE, FREE,
                                                sweeps.Ends(k))[0] for k in range(1, count + 1))]
    changes = [np.inf, *(np.abs(b - a).max() for a, b in pairwise(track))]
    measure = np.abs(np.diff(changes)) if why == 'same' else np.array(changes[1:])
    assert measure[-1] < 1e-6 <= measure[:-1].min()
    assert np.array_equal(x, track[-1])


def test_a_warm_start_at_the_solution_moves_nothing():
    A, b = sweeps.normal_equations(*system())
    warm = np.linalg.solve(A, b)
    x, count, why = sweeps.gauss_seidel(A, b, warm, -FREE, FREE, sweeps.Ends(3, change=1e-9))
    assert (count, why) == (1, 'change')
    close(x, warm, 1e-12)


def test_the_coupling_is_the_second_derivative_of_its_cost():
    C, x = sweeps.coupling(4, [(0, 2), (3, 1)], 0.6, 0.01), np.array((0.3, -0.2, 0.5, 0.7))
    cost = 0.005 * ((x[2] - 0.6 * x[0]) ** 2 + (x[1] - 0.6 * x[3]) ** 2)
    assert 0.5 * x @ C @ x == pytest.approx(cost, abs=1e-15)


# --- the projected line search -------------------------------------------------------------------

@pytest.mark.parametrize(('x', 'best'), [
    ((-2.0, 0.0), (0.0, 1.0)),  # the full step ends as high as it began
    ((-1.5, 0.0), (-0.5, 1.0)),  # a step that is too long, but good enough
    ((-1e6, -1.0), (-3.0, 0.0))])  # what counts is the way within the limits
def test_the_first_length_that_passes_is_taken(x, best):
    found = steps.search_line(lambda q: q[0] ** 2 + 100.0 * q[1] ** 2, np.array((2.0, 200.0)),
                              np.array((1.0, 1.0)), np.array(x), np.full(2, -3.0), np.full(2, 5.0))
    close(found, best, 1e-12)


def test_the_radius_of_trust_grows_shrinks_and_forbids_worse_places():
    infinite = np.full(1, np.inf)
    for goal in (10.0, -10.0):
        places = [steps.trust_region(lambda q, goal=goal: (np.eye(1), goal - q), np.zeros(1),
                                     -infinite, infinite, steps=count)[0]
                  for count in (1, 2, 3, 4)]
        close(places, 0.1 * goal * np.array((0.5, 1.5, 3.5, 7.5)), 1e-9)

    def bent(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # too long a step gets worse
        return np.array([[1.0 / (1.0 + q[0] ** 2)]]), -np.arctan(q)
    places = [steps.trust_region(bent, np.full(1, 3.0), -infinite, infinite, 100.0, count)[0]
              for count in (1, 2, 3, 4)]
    close(places, (3.0, 3.0, 3.0, 3.0 - 100.0 / 64.0), 1e-9)


def test_a_step_on_the_complementarity_equations_knows_what_goes_to_a_limit():
    rng = np.random.default_rng(2)
    J = rng.standard_normal((6, 4))
    B, slope, q = J.T @ J, np.array((5.0, 0.3, -4.0, -0.2)), np.zeros(4)
    x = steps.complementarity_step(B, slope, q, np.full(4, -0.5), np.full(4, 0.4))
    close(x[[0, 2]], (-0.5, 0.4), 0.0)
    close((slope + B @ x)[[1, 3]], 0.0, 1e-12)


# --- the recipe ----------------------------------------------------------------------------------

def test_lambda_is_the_weight_of_the_squared_step():
    J, e = system(3)
    x = trim.singularity_robust(J, 0.3) @ e
    close(x, np.linalg.solve(J.T @ J + 0.3 * np.eye(4), J.T @ e), 1e-12)


def test_the_weight_of_a_limit_is_that_of_its_error():
    J, e = system(3)
    q, lower, upper = np.array((1.5, 0.0, -2.0, 0.3)), np.full(4, -1.0), np.full(4, 1.0)
    x = trim.step_with_limits(J, e, q, lower, upper, 0.2, weight=3.0)
    C, c = np.eye(4)[[0, 2]], np.array((-0.5, 1.0))
    A = J.T @ J + 9.0 * C.T @ C + 0.2 * np.eye(4)
    close(x, np.linalg.solve(A, J.T @ e + 9.0 * C.T @ c), 1e-12)


# --- dual quaternions ----------------------------------------------------------------------------

def test_series_of_small_angles_are_the_closed_forms(monkeypatch):
    w = 0.9e-3 * np.array((0.6, -0.48, 0.64))
    r = np.append(np.cos(0.45e-3), np.sin(0.45e-3) / 0.9e-3 * w) * 1.2
    series = kenwright.exp_derivative(w), kenwright.log_derivative(r)
    monkeypatch.setattr(kenwright, 'SMALL_ANGLE', 0.0)
    close(kenwright.exp_derivative(w), series[0], 1e-13)
    close(kenwright.log_derivative(r), series[1], 1e-11)


def test_pose_jacobian_beyond_a_half_turn():
    """The product of quaternions has a scalar part below zero there."""
    offsets = np.array(((0.1, 0.2, 0.3), (0.4, -0.1, 0.2)))
    w = np.array(((2.2, 0.1, 0.0), (2.1, 0.2, 0.3)))

    def product(w: np.ndarray) -> Pose:
        x = Pose.identity()
        for t, w_i in zip(offsets, w.reshape(-1, 3)):
            x = x @ Pose.from_xyz_rpy(t, (0, 0, 0)) @ Pose.exp((0, 0, 0, *w_i))
        return x
    assert product(w).real[0] < -0.3
    assert_derivative(lambda w: np.append(product(w).position, product(w).log()[3:]),
                      kenwright.pose_jacobian(offsets, w), w.ravel())
