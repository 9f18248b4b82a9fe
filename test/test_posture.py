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
"""Wishes for the posture: they move what the goals leave free, and the goals stay met."""

from __future__ import annotations

from arms import arm, judged, PATIENT
from dq_ik import Goal, Solver
from dq_ik.options import METHODS
from helpers import close
import numpy as np
import pytest

SEED = np.array((0.3, -0.4, 0.2, -1.8, 0.3, 1.6, 0.5))
REST = np.array((-0.5, 0.3, 0.6, -2.2, -0.4, 2.0, 0.1))
WISHES = ('center_joints_weight', 'minimal_displacement_weight', 'rest_posture_weight',
          'avoid_joint_limits_weight')


def goal_of_panda(seed: int):
    """Return a pose well inside the reach of the Panda, which leaves it one free direction."""
    rng = np.random.default_rng(seed)
    return arm('panda').fk(SEED + rng.uniform(-0.5, 0.5, 7))


def at_limits(seed: int) -> np.ndarray:
    """Return a configuration of the Panda with joints 1, 3, 5 and 7 near their limits."""
    rng = np.random.default_rng(seed)
    near = np.where([1, 0, 1, 0, 1, 0, 1], 0.95 * arm('panda').upper, SEED)
    return near + rng.uniform(-0.05, 0.05, 7)


def plain(goal, seed: np.ndarray = SEED) -> np.ndarray:
    """Return the answer without wishes."""
    return Solver(arm('panda'), timeout=PATIENT).solve(goal, seed).q


def wished(goal, seed: np.ndarray = SEED, **options) -> np.ndarray:
    """Return the answer with wishes, checked: the goals stay met within the limits."""
    chain = arm('panda')
    result = Solver(chain, timeout=PATIENT, rest_posture=REST, posture_iterations=100,
                    **options).solve(goal, seed)
    assert result.success
    assert chain.within_limits(result.q)
    pose = goal.pose if isinstance(goal, Goal) else goal
    metres, radians = judged(chain, result.q).distance(pose)
    assert metres <= 1e-5
    assert radians <= 1e-5 or isinstance(goal, Goal)
    return result.q


def discomfort(q: np.ndarray, wish: str) -> float:
    """Return what each wish minimises."""
    chain = arm('panda')
    if wish == 'avoid_joint_limits_weight':
        margin = 0.1 * (chain.upper - chain.lower)
        beyond = np.maximum(q - chain.upper + margin, chain.lower + margin - q)
        return float(np.sum(np.maximum(beyond, 0.0) ** 2))
    target = {'center_joints_weight': 0.5 * (chain.lower + chain.upper),
              'minimal_displacement_weight': SEED, 'rest_posture_weight': REST}[wish]
    return float(np.sum((q - target) ** 2))


@pytest.mark.parametrize('wish', WISHES)
@pytest.mark.parametrize('weight', [0.1, 1.0])
def test_a_wish_improves_what_it_is_about_and_the_goal_stays_met(wish, weight):
    improved = 0
    for number in range(8):
        goal, seed = goal_of_panda(number), SEED
        if wish == 'avoid_joint_limits_weight':
            seed = at_limits(number)
            goal = arm('panda').fk(seed)
        before = discomfort(plain(goal, seed), wish)
        after = discomfort(wished(goal, seed, **{wish: weight}), wish)
        assert after <= before + 1e-9
        improved += after < before - 1e-4
    assert improved >= 6


@pytest.mark.parametrize('wish', ['center_joints_weight', 'rest_posture_weight'])
def test_at_rest_the_wish_is_at_its_best_along_the_free_direction(wish):
    """The wish has no part left along the null space of the Jacobian."""
    chain = arm('panda')
    for seed in range(5):
        q = wished(goal_of_panda(seed), **{wish: 1.0})
        if np.any((q <= chain.lower + 1e-6) | (q >= chain.upper - 1e-6)):
            continue
        target = REST if wish == 'rest_posture_weight' else 0.5 * (chain.lower + chain.upper)
        free = np.linalg.svd(chain.jacobian(q))[2][6]
        assert abs(free @ (target - q)) < 2e-3


def test_a_point_leaves_four_directions_to_the_wish():
    goal = Goal(goal_of_panda(1), rotation_weight=0.0)
    before = np.linalg.norm(plain(goal) - REST)
    after = np.linalg.norm(wished(goal, rest_posture_weight=1.0) - REST)
    assert after < 0.6 * before


def test_wishes_add_up():
    goal = goal_of_panda(2)
    one = wished(goal, rest_posture_weight=1.0)
    both = wished(goal, rest_posture_weight=1.0, center_joints_weight=1.0)
    centre = wished(goal, center_joints_weight=1.0)
    for wish, best, worst in (('rest_posture_weight', one, centre),
                              ('center_joints_weight', centre, one)):
        assert discomfort(best, wish) < discomfort(both, wish) < discomfort(worst, wish)


def test_without_iterations_nothing_is_wished():
    goal = goal_of_panda(3)
    result = Solver(arm('panda'), timeout=PATIENT, rest_posture_weight=1.0,
                    posture_iterations=0).solve(goal, SEED)
    assert np.array_equal(result.q, plain(goal))


def test_a_joint_without_limits_is_not_pulled_to_a_centre_or_pushed_off_limits():
    chain = arm('prismatic')
    goal = Goal(chain.fk((0.1, 0.2, -0.3, 2.0)), rotation_weight=0.0)
    for wish in ('center_joints_weight', 'avoid_joint_limits_weight'):
        result = chain.solve(goal, (0.0, 0.0, 0.0, 7.0), timeout=PATIENT, **{wish: 1.0})
        assert result.success
        close(result.q[3], 7.0, 1e-6)


# --- locked joints and joint weights -------------------------------------------------------------


@pytest.mark.parametrize('method', METHODS)
def test_locked_joints_keep_the_seed(method):
    chain = arm('panda')
    names = ('panda_joint1', 'panda_joint5')
    solver = Solver(chain, method=method, locked_joints=names, timeout=1.0, tolerance=1e-3)
    held = [chain.joint_names.index(name) for name in names]
    goal = goal_of_panda(4)
    result = solver.solve(goal, SEED)
    assert np.array_equal(result.q[held], SEED[held])
    assert not np.array_equal(result.q, SEED)


@pytest.mark.parametrize('method', METHODS)
def test_a_locked_joint_leaves_the_pose_to_the_others(method):
    """Methods that ignore the limits must not use it on the way either."""
    chain = arm('panda')
    rng = np.random.default_rng(14)
    solver = Solver(chain, method=method, locked_joints=['panda_joint3'], timeout=PATIENT,
                    tolerance=2e-2, max_restarts=0)
    for _ in range(5):
        q = SEED + rng.uniform(-0.2, 0.2, 7)
        q[2] = SEED[2]
        result = solver.solve(chain.fk(q), SEED)
        assert result.success
        assert result.q[2] == SEED[2]


def test_all_joints_locked_move_nothing():
    chain = arm('panda')
    result = chain.solve(goal_of_panda(5), SEED, locked_joints=chain.joint_names, timeout=PATIENT)
    assert np.array_equal(result.q, SEED)
    assert not result.success


def test_weight_zero_locks_a_joint():
    chain = arm('panda')
    weights = (1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    result = chain.solve(goal_of_panda(6), SEED, joint_weights=weights, timeout=PATIENT)
    assert result.q[1] == SEED[1]


@pytest.mark.parametrize('method', METHODS)
def test_weak_joints_move_less(method):
    """[Recipe] calls it strength: of a point's goal, the strong joints take the larger part."""
    chain = arm('planar_3r')
    seed = np.array((0.3, 0.8, 1.2))
    weak = 0.1 if method == 'transpose' else 0.01  # its fixed length makes two joints very slow
    goal = Goal(chain.fk(seed + np.array((0.15, 0.1, 0.1))), rotation_weight=0.0)
    moves = []
    for strength in (1.0, weak):
        result = chain.solve(goal, seed, joint_weights=(strength, 1.0, 1.0), timeout=PATIENT,
                             method=method, tolerance=5e-3)
        assert result.success
        moves.append(abs(result.q[0] - seed[0]))
    assert moves[1] < 0.7 * moves[0]
