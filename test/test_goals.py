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
"""What a goal may ask for, and in which forms: parts of a pose, axes, weights, boxes."""

from __future__ import annotations

import math

from arms import arm, judged, PATIENT
from dq_ik import Goal, GoalError, Pose, PoseError, Solver, Status
from dq_ik.pose_forms import as_pose
from helpers import close
import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial import transform
from scipy.spatial.transform import Rotation

METHODS = ('pgs', 'pls')


def some(name: str, seed: int, count: int = 10) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of configurations: one to be found, one to start from."""
    rng = np.random.default_rng(seed)
    return [(arm(name).random(rng), arm(name).random(rng)) for _ in range(count)]


def quiet(name: str, **options) -> Solver:
    """Return a solver that a busy machine does not disturb."""
    return Solver(arm(name), timeout=PATIENT, **options)


def rotation_error(x: Pose, goal: Pose) -> np.ndarray:
    """Rotation vector from x to a goal, along the base's axes."""
    turn = Rotation.from_matrix(goal.matrix[:3, :3] @ x.matrix[:3, :3].T)
    return turn.as_rotvec()


# --- forms of a pose -----------------------------------------------------------------------------


def test_all_forms_of_a_pose_give_the_same_answer():
    chain = arm('panda')
    goal = chain.fk(chain.random(np.random.default_rng(1)))
    turn = Rotation.from_matrix(goal.matrix[:3, :3])
    forms = [goal, goal.matrix, goal.matrix.tolist(), (goal.position, turn),
             [goal.position.tolist(), turn], np.array([*goal.real, *goal.dual]),
             [*goal.real, *goal.dual], Goal(goal), Goal(goal.matrix), [goal],
             {'panda_hand_tcp': goal}, Goal(goal, tip='panda_hand_tcp')]
    first = chain.solve(goal)
    for form in forms:
        result = chain.solve(form)
        assert result.success
        close(result.q, first.q, 1e-9)


POSE = Pose.from_xyz_rpy((0.1, -0.2, 0.3), (0.4, 0.5, 0.6))
TURN = Rotation.from_euler('xyz', (0.4, 0.5, 0.6))


@pytest.mark.parametrize('form', [
    POSE, POSE.matrix, POSE.matrix.tolist(), POSE.numbers(), POSE.numbers().tolist(),
    tuple(POSE.numbers()), (POSE.position, TURN), [[0.1, -0.2, 0.3], TURN]])
def test_forms_that_say_a_pose(form):
    close(as_pose(form).matrix, POSE.matrix, 1e-14)
    close(Goal(form).pose.matrix, POSE.matrix, 1e-14)


def test_eight_numbers_are_w_x_y_z_of_the_rotation_then_of_half_t_r():
    half_turn_about_x = (0.0, 1.0, 0.0, 0.0)
    shift_along_x = (-0.5 * 0.7, 0.0, 0.0, 0.0)  # 1/2 t r, with t = 0.7 i and r = i
    x = as_pose((*half_turn_about_x, *shift_along_x))
    close(x.position, (0.7, 0.0, 0.0), 1e-15)
    close(x.matrix[:3, :3], np.diag((1.0, -1.0, -1.0)), 1e-15)


def test_rigid_transforms_of_scipy_say_a_pose():
    if not hasattr(transform, 'RigidTransform'):
        pytest.skip('RigidTransform is in SciPy 1.16 and later')
    one = transform.RigidTransform.from_components(POSE.position, TURN)
    close(as_pose(one).matrix, POSE.matrix, 1e-14)
    close(arm('panda').solve(one).q, arm('panda').solve(POSE).q, 1e-9)
    stack = transform.RigidTransform.from_matrix(np.array([POSE.matrix] * 2))
    with pytest.raises(GoalError, match=r'RigidTransform.*got shape \(2, 4, 4\)'):
        as_pose(stack)
    close(as_pose(stack[1]).matrix, POSE.matrix, 1e-14)


def test_se3_of_pinocchio_says_a_pose():
    pinocchio = pytest.importorskip('pinocchio', reason='pip install pin')
    x = pinocchio.SE3(TURN.as_matrix(), POSE.position)
    close(as_pose(x).matrix, POSE.matrix, 1e-14)
    close(arm('panda').solve(x).q, arm('panda').solve(POSE).q, 1e-9)


@pytest.mark.parametrize(('form', 'words'), [
    (np.array([*POSE.position, *POSE.quaternion]), 'seven numbers are no pose.*are a seed'),
    ([*POSE.position, *TURN.as_quat()], 'seven numbers are no pose'),
    ((0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8), r'seven numbers.*got \[0.0, -0.8'),
    ((POSE.position, POSE.quaternion), 'four numbers'),
    ((POSE.position, TURN.as_quat()), 'four numbers'),
    ([[0, 0, 0], [0, 0, 0, 1]], r'four numbers.*\[0, 0, 0, 1\]')])
def test_a_quaternion_of_unknown_order_is_refused(form, words):
    for use in (as_pose, Goal, arm('panda').solve):
        with pytest.raises(GoalError, match=words) as error:
            use(form)
        assert 'Pose.from_xyz_wxyz(' in str(error.value)
        assert 'Pose.from_xyz_xyzw(' in str(error.value)


@pytest.mark.parametrize(('form', 'words'), [
    (np.zeros((2, 8)), r'shape \(2, 8\)'), ((0.1, 0.2, 0.3), r'shape \(3,\): \(0.1, 0.2, 0.3\)'),
    (TURN, r'shape \(3, 3\)'), ((POSE.position, np.eye(3)), r'shapes \(3,\) and \(3, 3\)'),
    ((POSE, POSE), 'shapes Pose and Pose'), ('there', "'there'"), (None, 'None'),
    ([10**400] * 8, 'got'), ({'pose': POSE}, 'pose')])
def test_what_is_no_pose_is_told_what_would_be(form, words):
    with pytest.raises(GoalError, match=words) as error:
        as_pose(form)
    assert 'eight numbers: a dual quaternion, w x y z of the rotation r' in str(error.value)


def test_one_rotation_of_several_must_be_picked():
    turns = Rotation.concatenate([TURN, TURN, TURN])
    with pytest.raises(GoalError, match='got 3 of them'):
        as_pose((POSE.position, turns))
    close(as_pose((POSE.position, turns[2])).matrix, POSE.matrix, 1e-14)


def test_a_position_beside_a_rotation_must_be_one():
    with pytest.raises(PoseError, match='a position must be 3'):
        as_pose(((0.0, 0.0), TURN))


def test_the_sign_of_a_dual_quaternion_does_not_matter():
    chain = arm('panda')
    goal = chain.fk(chain.random(np.random.default_rng(2)))
    turned = Pose(-goal.real, -goal.dual)
    close(chain.solve(goal).q, chain.solve(turned).q, 1e-9)


# --- parts of a pose -----------------------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_position_only(method):
    solver = quiet('panda', method=method)
    for q, seed in some('panda', 3):
        goal = Pose.from_xyz_wxyz(arm('panda').fk(q).position, (1.0, 0.0, 0.0, 0.0))
        result = solver.solve(Goal(goal, rotation_weight=0.0), seed)
        assert result.success
        assert result.rotation_error[0] == 0.0
        close(judged(arm('panda'), result.q).position, goal.position, 1e-5)


@pytest.mark.parametrize('method', METHODS)
def test_orientation_only(method):
    solver = quiet('panda', method=method)
    for q, seed in some('panda', 4):
        goal = Pose.from_xyz_wxyz((9.0, 9.0, 9.0), arm('panda').fk(q).quaternion)
        result = solver.solve(Goal(goal, position_weight=0.0), seed)
        assert result.success
        assert result.position_error[0] == 0.0
        close(rotation_error(judged(arm('panda'), result.q), goal), np.zeros(3), 1e-5)


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('axis', [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (1.0, 2.0, -2.0)])
def test_pointing_fixes_position_and_one_axis_of_the_tip(axis, method):
    chain = arm('panda')
    direction = np.array(axis) / np.linalg.norm(axis)
    solver = quiet('panda', method=method)
    spins = []
    for q, seed in some('panda', 5):
        goal = chain.fk(q)
        result = solver.solve(Goal(goal, axis=axis), seed)
        x = judged(chain, result.q)
        assert result.success
        close(x.position, goal.position, 1e-5)
        cross = np.cross(x.matrix[:3, :3] @ direction, goal.matrix[:3, :3] @ direction)
        assert np.linalg.norm(cross) < 1.1e-5
        assert (x.matrix[:3, :3] @ direction) @ (goal.matrix[:3, :3] @ direction) > 0.0
        spins.append(np.linalg.norm(rotation_error(x, goal)))
    assert max(spins) > 0.5  # the turn about the axis is free


def test_pointing_from_the_opposite_direction():
    chain = arm('planar_3r')
    goal = Goal(chain.fk((0.5, 0.3, math.pi)), position_weight=0.0, axis=(1.0, 0.0, 0.0))
    assert chain.solve(goal, (0.5, 0.3, 0.0), timeout=PATIENT).success


def test_pointing_leaves_the_roll_of_a_five_joint_arm_free():
    chain = arm('arm5')
    solver = quiet('arm5')
    goal = chain.fk((0.4, 0.5, 0.9, 0.3, 1.5))
    bounds = (chain.lower * (0.2, 1, 1, 1, 0.1), chain.upper * (0.2, 1, 1, 1, 0.1))
    assert not solver.solve(goal, bounds=bounds).success
    assert solver.solve(Goal(goal, axis=(0, 0, 1)), bounds=bounds).success


# --- weights and boxes along axes ----------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('frame', ['base', 'goal'])
def test_an_axis_without_weight_is_free_in_the_frame_meant(frame, method):
    chain = arm('arm6')
    solver = quiet('arm6', method=method)
    moved = []
    for q, seed in some('arm6', 6):
        goal = chain.fk(q)
        result = solver.solve(Goal(goal, position_weight=(1.0, 1.0, 0.0), frame=frame), seed)
        error = goal.position - judged(chain, result.q).position
        if frame == 'goal':
            error = goal.matrix[:3, :3].T @ error
        assert result.success
        close(error[:2], (0.0, 0.0), 1e-5)
        moved.append(abs(error[2]))
    assert max(moved) > 0.01


@pytest.mark.parametrize('frame', ['base', 'goal'])
def test_a_rotation_axis_without_weight_is_free_in_the_frame_meant(frame):
    chain = arm('arm6')
    solver = quiet('arm6')
    turned = []
    for q, seed in some('arm6', 7):
        goal = chain.fk(q)
        result = solver.solve(Goal(goal, rotation_weight=(1.0, 1.0, 0.0), frame=frame), seed)
        error = rotation_error(judged(chain, result.q), goal)
        if frame == 'goal':
            error = goal.matrix[:3, :3].T @ error
        assert result.success
        close(error[:2], (0.0, 0.0), 1e-5)
        turned.append(abs(error[2]))
    assert max(turned) > 0.1


@pytest.mark.parametrize('frame', ['base', 'goal'])
def test_a_box_lets_the_error_stay_inside_and_stops_there(frame):
    chain = arm('arm6')
    solver = quiet('arm6')
    box, turn = np.array((0.02, 0.05, 0.0)), np.array((0.0, 0.3, 0.1))
    inside = []
    for q, seed in some('arm6', 8):
        goal = chain.fk(q)
        result = solver.solve(
            Goal(goal, position_tolerance=box, rotation_tolerance=turn, frame=frame), seed)
        x = judged(chain, result.q)
        p, r = goal.position - x.position, rotation_error(x, goal)
        if frame == 'goal':
            p, r = goal.matrix[:3, :3].T @ p, goal.matrix[:3, :3].T @ r
        assert result.success
        assert np.all(np.abs(p) <= box + 1e-5)
        assert np.all(np.abs(r) <= turn + 1e-5)
        inside.append(np.abs(p).max())
    assert max(inside) > 0.01


def test_a_tolerance_of_one_goal_is_its_own():
    chain = arm('arm6')
    q, seed = some('arm6', 9)[0]
    goal = Goal(chain.fk(q), position_tolerance=0.01, rotation_tolerance=0.02)
    result = chain.solve(goal, seed, timeout=PATIENT)
    assert result.success
    assert 1e-5 < max(result.position_error[0], result.rotation_error[0]) <= 0.02


def test_pointing_keeps_the_frame_of_its_position_weights():
    chain = arm('panda')
    for q, seed in some('panda', 10, 5):
        goal = chain.fk(q)
        result = chain.solve(Goal(goal, axis=(0, 0, 1), position_weight=(1.0, 1.0, 0.0),
                                  frame='goal'), seed, timeout=PATIENT)
        assert result.success
        error = goal.matrix[:3, :3].T @ (goal.position - judged(chain, result.q).position)
        close(error[:2], (0.0, 0.0), 1e-5)


# --- arms with five joints -----------------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_five_joints_find_every_pose_that_they_can_reach(method):
    chain = arm('arm5')
    solver = quiet('arm5', method=method)
    for q, seed in some('arm5', 11, 50):
        goal = chain.fk(q)
        result = solver.solve(goal, seed)
        metres, radians = judged(chain, result.q).distance(goal)
        assert result.success
        assert metres <= 1e-5
        assert radians <= 1e-5


def weighted_optimum(goal: Pose, weight: float, scale: float) -> float:
    """Return the least cost of arm5 for a goal by bounded least squares from several starts."""
    chain = arm('arm5')
    rng = np.random.default_rng(0)

    def residual(q: np.ndarray) -> np.ndarray:
        x = chain.fk(q)
        return np.concatenate([goal.position - x.position,
                               weight * scale * rotation_error(x, goal)])
    return min(2.0 * least_squares(residual, chain.random(rng) * 0.98,
                                   bounds=(chain.lower, chain.upper)).cost for _ in range(12))


@pytest.mark.parametrize('weight', [0.1, 1.0, 10.0])
def test_an_orientation_out_of_reach_is_shared_by_weights(weight):
    chain = arm('arm5')
    goal = chain.fk((0.4, 0.5, 0.9, 0.3, 0.2)) @ Pose.from_xyz_rpy((0, 0, 0), (0.5, 0.0, 0.0))
    result = chain.solve(Goal(goal, rotation_weight=weight), rotation_scale=0.2, timeout=PATIENT)
    assert not result.success
    assert result.status in (Status.BEST_REACH_WORKSPACE, Status.BEST_REACH_LIMITS)
    assert result.cost <= 1.001 * weighted_optimum(goal, weight, 0.2)


def test_a_larger_weight_on_rotation_buys_rotation_with_position():
    chain = arm('arm5')
    goal = chain.fk((0.4, 0.5, 0.9, 0.3, 0.2)) @ Pose.from_xyz_rpy((0, 0, 0), (0.5, 0.0, 0.0))
    found = [chain.solve(Goal(goal, rotation_weight=w), timeout=PATIENT) for w in (0.1, 1.0, 10.0)]
    positions = [float(result.position_error[0]) for result in found]
    angles = [float(result.rotation_error[0]) for result in found]
    assert positions == sorted(positions)
    assert angles == sorted(angles, reverse=True)
    assert positions[0] < 0.01 < positions[2]
