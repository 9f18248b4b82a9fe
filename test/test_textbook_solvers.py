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
"""The documents' solvers to the letter, and the steps that they only mention."""

from __future__ import annotations

import math

from arms import arm, PATIENT
from dq_ik import Goal, load_robot, Pose
from dq_ik.options import METHODS
from dq_ik.papers import kenwright_sweeps as sweeps
from dq_ik.papers import line_search_steps as steps
from dq_ik.papers import recipe_trim as trim
from dq_ik.papers.kenwright import central_differences
from dq_ik.papers.rotations_algorithms import Body, body_frames, gauss_newton
from dq_ik.papers.screw_joints import screw_joint
from helpers import close
import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

RNG = np.random.default_rng(17)
FREE = np.full(4, np.inf)


# --- Kenwright: sweeps ---------------------------------------------------------------------------


def system(n: int = 4, rows: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return a random Jacobian and error."""
    return RNG.standard_normal((rows, n)), RNG.standard_normal(rows)


def test_normal_equations_are_those_of_damped_least_squares():
    J, e = system()
    A, b = sweeps.normal_equations(J, e, 0.01)
    stacked = np.vstack((J, 0.1 * np.eye(4)))
    close(np.linalg.solve(A, b), np.linalg.lstsq(stacked, np.append(e, np.zeros(4)))[0], 1e-12)


def test_sweeps_end_at_the_bounded_optimum_of_scipy():
    J, e = system()
    A, b = sweeps.normal_equations(J, e, 1e-12)
    lower, upper = np.full(4, -0.1), np.full(4, 0.15)
    x, _, why = sweeps.gauss_seidel(A, b, np.zeros(4), lower, upper,
                                    sweeps.Ends(5000, change=1e-15))
    assert why == 'change'
    close(x, lsq_linear(J, e, (lower, upper), tol=1e-14).x, 1e-6)
    assert ((x == lower) | (x == upper)).any()


@pytest.mark.parametrize(('ends', 'why'), [
    (sweeps.Ends(3), 'sweeps'), (sweeps.Ends(5000, residual=1e-6), 'residual'),
    (sweeps.Ends(5000, change=1e-6), 'change'), (sweeps.Ends(5000, same=1e-6), 'same')])
def test_sweeps_end_by_each_test_of_the_paper(ends, why):
    J, e = system()
    A, b = sweeps.normal_equations(J, e)
    x, count, name = sweeps.gauss_seidel(A, b, np.zeros(4), -FREE, FREE, ends)
    assert name == why
    assert count <= ends.sweeps
    if why == 'residual':
        assert np.linalg.norm(A @ x - b) < 1e-6
        before = sweeps.gauss_seidel(A, b, np.zeros(4), -FREE, FREE, sweeps.Ends(count - 1))[0]
        assert np.linalg.norm(A @ before - b) >= 1e-6


def test_a_frame_to_the_letter_follows_a_finger():
    """One Jacobian and three sweeps a frame, from the last answer: the hand stays at its goals."""
    chain = arm('hand')
    q = np.clip(np.full(chain.n, 0.4), chain.lower, chain.upper)
    answer, worst = q.copy(), 0.0
    for k in range(60):
        goal = np.clip(q + 0.15 * math.sin(0.1 * k), chain.lower, chain.upper)
        targets = chain.fk_all(goal)
        answer = sweeps.frame(chain, answer, targets, sweeps.Ends(3))
        assert chain.within_limits(answer)
        here = chain.fk_all(answer)
        worst = max(worst, *(np.linalg.norm(targets[tip].position - here[tip].position)
                             for tip in targets))
    assert worst < 1e-3


def test_a_coupled_finger_takes_its_neighbour_along():
    chain = arm('hand')
    bends = [chain.joint_names.index(f'{name}_knuckle_y') for name in ('index', 'middle')]
    q = np.clip(np.full(chain.n, 0.2), chain.lower, chain.upper)
    goal = q.copy()
    goal[bends[0]] += 0.5
    targets = {'index_tip': chain.fk_all(goal)['index_tip']}
    moved = {}
    for stiffness in (0.0, 0.01):
        coupled = sweeps.coupling(chain.n, [tuple(bends)], 0.6, stiffness)
        answer = q
        for _ in range(20):
            answer = sweeps.frame(chain, answer, targets, sweeps.Ends(20), coupled)
        moved[stiffness] = (answer - q)[bends]
    assert abs(moved[0.0][1]) < 1e-9
    assert moved[0.01][0] > 0.2
    close(moved[0.01][1], 0.6 * moved[0.01][0], 0.01)


# --- the projected line search: objective, lengths, outlooks -------------------------------------


def planar(q: np.ndarray) -> np.ndarray:
    """Return two points of an arm of four links in a plane."""
    angles = np.cumsum(q)
    way = 0.3 * np.cumsum(np.column_stack((np.cos(angles), np.sin(angles))), axis=0)
    return way[[1, 3]].ravel()


def arm_system(goal: np.ndarray) -> steps.System:
    """Return Jacobian and error of these points."""
    return lambda q: (central_differences(planar, q), goal - planar(q))


def test_gradient_with_a_full_weight_matrix():
    goal, q = planar(np.array((0.3, 0.9, -0.4, 0.5))), np.array((0.1, 0.2, 0.3, 0.4))
    root = RNG.standard_normal((4, 4))
    W = root @ root.T + np.eye(4)
    assert np.abs(W - np.diag(np.diag(W))).max() > 0.1
    J, e = arm_system(goal)(q)
    slope = central_differences(lambda p: np.array([steps.objective(goal - planar(p), W)]), q)[0]
    close(steps.gradient(J, e, W), slope, 1e-8)


def test_steps_of_the_traditional_approach():
    J, e = system()
    close(steps.gauss_newton_step(J, e), np.linalg.lstsq(J, e)[0], 1e-12)
    A, b = sweeps.normal_equations(J, e, 0.3**2)
    close(steps.damped_step(J, e, 0.3), np.linalg.solve(A, b), 1e-12)
    tau = steps.buss_length(J, e)
    best = minimize(lambda t: np.sum((e - t[0] * J @ J.T @ e) ** 2), [0.1]).x[0]
    close(tau, best, 1e-6)


def test_length_by_the_deviation_from_the_linear_model():
    J, e = system()
    assert steps.deviation_length(J[:4], e[:4], 1e-3) == 1.0  # a square system misses nothing
    tau = steps.deviation_length(J, e, 0.01)
    assert tau < 1.0
    missed = tau * e - J @ np.linalg.lstsq(J, tau * e)[0]
    close(np.linalg.norm(missed), 0.01, 1e-12)


def test_a_clamped_goal_is_a_clamped_step():
    J, e = system()
    short = steps.clamped(e, 0.1)
    close(np.linalg.norm(short), 0.1, 1e-12)
    assert steps.clamped(short, 0.2) is short
    close(steps.gauss_newton_step(J, short),
          np.linalg.norm(short) / np.linalg.norm(e) * steps.gauss_newton_step(J, e), 1e-12)


LOWER, UPPER = np.array((-0.2, -1.0, -0.3, 0.0)), np.array((0.6, 1.0, 0.8, 0.3))


def bounded(goal: np.ndarray) -> np.ndarray:
    """Return SciPy's optimum over the box."""
    found = minimize(lambda q: np.sum((goal - planar(q)) ** 2), np.full(4, 0.1), method='L-BFGS-B',
                     bounds=list(zip(LOWER, UPPER)), options={'ftol': 1e-16, 'gtol': 1e-12})
    return found.x


@pytest.mark.parametrize('goal', [planar(np.array((0.3, 0.5, 0.2, 0.1))),
                                  np.array((0.3, 0.6, 0.1, 1.3))])
def test_trust_regions_projected_gradients_and_scipy_agree(goal):
    W, best = np.eye(4), bounded(goal)
    q = steps.trust_region(arm_system(goal), np.full(4, 0.1), LOWER, UPPER, steps=100)
    close(planar(q), planar(best), 1e-5)
    line = np.full(4, 0.1)

    def f(p: np.ndarray) -> float:
        return steps.objective(goal - planar(p), W)

    for _ in range(300):
        J, e = arm_system(goal)(line)
        slope = steps.gradient(J, e, W)
        line = steps.search_line(f, slope, line, -slope, LOWER, UPPER)
    assert f(best) - 1e-9 < f(line) < f(best) + 1e-3 * f(np.full(4, 0.1))
    for answer in (q, line):
        assert (answer >= LOWER).all()
        assert (answer <= UPPER).all()


def test_complementarity_vanishes_at_the_optimum_only():
    goal = np.array((0.3, 0.6, 0.1, 1.3))
    for q, small in ((bounded(goal), True), (np.full(4, 0.1), False)):
        J, e = arm_system(goal)(q)
        error = steps.complementarity(q, steps.gradient(J, e, np.eye(4)), LOWER, UPPER)
        assert (np.abs(error).max() < 1e-4) == small


def test_newton_on_the_complementarity_equations_ends_at_the_optimum():
    goal = np.array((0.3, 0.6, 0.1, 1.3))

    def slope(q: np.ndarray) -> np.ndarray:
        J, e = arm_system(goal)(q)
        return steps.gradient(J, e, np.eye(4))

    q = bounded(goal) + np.array((0.0, 0.02, -0.02, 0.0))
    errors = []
    for _ in range(6):
        errors.append(np.abs(steps.complementarity(q, slope(q), LOWER, UPPER)).max())
        B = central_differences(slope, q, 1e-4)
        q = q + steps.complementarity_step(B, slope(q), q, LOWER, UPPER)
    assert errors[-1] < 1e-6 < errors[0]
    close(planar(q), planar(bounded(goal)), 1e-5)


# --- the recipe: trimmed adjoints, lambda, limits as rows ----------------------------------------


JOINTS = [trim.Joint(trim.ROOT, 'both'), trim.Joint(0, 'angular', (2,)),
          trim.Joint(1, 'linear', (0,)), trim.Joint(2, 'angular'),
          trim.Joint(1, 'angular', (0, 1))]


def random_pose() -> Pose:
    """Return any pose."""
    return Pose.exp(RNG.uniform(-1.0, 1.0, 6))


@pytest.mark.parametrize('control', ['linear', 'angular', 'both'])
@pytest.mark.parametrize('effector', [3, 4])
def test_trimmed_adjoints_are_the_derivative_for_joints_of_any_kind(control, effector):
    """A free root, a hinge, a slide, a ball and a cross of two axes; off the path all is zero."""
    local, point = [random_pose() for _ in JOINTS], np.array((0.1, 0.2, -0.1))

    def poses(rates: np.ndarray) -> list[Pose]:
        found: list[Pose] = []
        place = 0
        for joint, x in zip(JOINTS, local):
            _, columns = trim.set_dim('both', joint)
            xi = np.zeros(6)
            xi[columns] = rates[place:place + len(columns)]
            place += len(columns)
            before = Pose.identity() if joint.parent == trim.ROOT else found[joint.parent]
            found.append(before @ x @ Pose.exp(xi))
        return found

    still = poses(np.zeros(13))
    tool = Pose.from_xyz_wxyz(point, (1, 0, 0, 0))
    here = still[effector] @ tool
    J = trim.trimmed_jacobian(JOINTS, still, effector, point, control)
    expected = central_differences(
        lambda rates: (here.inverse() @ poses(rates)[effector] @ tool).log(), np.zeros(13))
    assert J.shape == (6 if control == 'both' else 3, 13)
    close(J, expected[trim.PARTS[control]], 1e-8)
    assert np.abs(J[:, 8:11] if effector == 4 else J[:, 11:]).max() == 0.0


def test_the_damping_weighs_the_error_against_the_step():
    J, e = system(6, 4)
    close(trim.pseudo_inverse(J), np.linalg.pinv(J), 1e-10)
    close(trim.singularity_robust(J, 1e-12), np.linalg.pinv(J), 1e-8)
    found = [trim.singularity_robust(J, damping) @ e for damping in (1e-3, 1e-2, 1e-1, 1.0)]
    missed = [np.linalg.norm(e - J @ x) for x in found]
    assert missed == sorted(missed)
    lengths = [np.linalg.norm(x) for x in found]
    assert lengths == sorted(lengths, reverse=True)


def test_limits_as_rows_bring_joints_back_while_the_goal_stays_met():
    goal = planar(np.array((0.3, 0.5, 0.2, 0.1)))[2:]
    q = np.array((1.0, -0.6, 0.9, 0.2))
    for _ in range(200):
        J = central_differences(lambda p: planar(p)[2:], q)
        q = q + trim.step_with_limits(J, goal - planar(q)[2:], q, LOWER, UPPER, 1e-3)
    close(planar(q)[2:], goal, 1e-6)
    assert (q >= LOWER - 1e-6).all()
    assert (q <= UPPER + 1e-6).all()
    rows, error = trim.limit_rows(q, LOWER - 1.0, UPPER + 1.0)
    assert len(rows) == len(error) == 0


# --- rotations: the full step, and screws in the solver ------------------------------------------


def test_the_textbook_gauss_newton_converges_quadratically():
    """A halved step would converge too, but by a half each time."""
    goal = planar(np.array((0.3, 0.9, -0.4, 0.5)))[2:]

    def residual(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return central_differences(lambda p: planar(p)[2:], q), planar(q)[2:] - goal

    start = np.array((0.35, 0.85, -0.35, 0.55))
    errors = [np.linalg.norm(gauss_newton(residual, start, count)[1]) for count in range(4)]
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 10.0 * errors[1] ** 2 / errors[0] + 1e-9


def screw_arm(pitch: float):
    """Return a column with a screw, and two hinges on it."""
    hinge = ("<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/>"
             "<origin xyz='{3}'/><axis xyz='0 1 0'/>"
             "<limit lower='-2.5' upper='2.5' velocity='1' effort='1'/></joint>")
    return load_robot(
        "<robot name='screw'><link name='base'/><link name='nut'/><link name='upper'/>"
        "<link name='lower'/><link name='tip'/>"
        + screw_joint('drill', 'base', 'nut', pitch, xyz=(0.1, 0.0, 0.2), limits=(-6.0, 6.0))
        + hinge.format('shoulder', 'nut', 'upper', '0.2 0 0')
        + hinge.format('elbow', 'upper', 'lower', '0.4 0 0')
        + "<joint name='end' type='fixed'><parent link='lower'/><child link='tip'/>"
          "<origin xyz='0.3 0 0'/></joint></robot>").chain()


@pytest.mark.parametrize('pitch', [0.05, -0.3])
def test_a_slide_that_mimics_a_turn_is_a_screw(pitch):
    chain, (x, y, z) = screw_arm(pitch), np.eye(3)
    assert chain.joint_names == ('drill', 'shoulder', 'elbow')
    none = np.zeros(3)
    bodies = [Body(-1, z, pitch / (2.0 * math.pi) * z, np.eye(3), np.array((0.1, 0.0, 0.2))),
              Body(0, y, none, np.eye(3), 0.2 * x), Body(1, y, none, np.eye(3), 0.4 * x)]
    for _ in range(5):
        q = chain.random(RNG)
        last = body_frames(q, bodies)[-1]
        close(chain.fk(q).position, last.R @ (0.3 * x) + last.origin, 1e-12)
        close(chain.jacobian(q)[:3], central_differences(lambda p: chain.fk(p).position, q), 1e-8)


@pytest.mark.parametrize('method', METHODS)
def test_every_method_solves_a_screw(method):
    chain = screw_arm(0.3)
    seed = np.array((1.0, 0.4, 0.9))
    for _ in range(3):
        q = seed + RNG.uniform(-0.2, 0.2, 3)
        goal = Goal(chain.fk(q), rotation_weight=0.0)
        result = chain.solve(goal, seed, method=method, tolerance=1e-3, timeout=PATIENT)
        assert result.success
        close(chain.fk(result.q).position, goal.pose.position, 1e-3)
