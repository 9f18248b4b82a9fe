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
"""Balls, floating bases, slides and followers: every kind of joint is solved within its limits."""

from __future__ import annotations

import math

from arms import arm, judged, PATIENT
from dq_ik import Goal, load_robot, options, Pose, Solver, Status
from dq_ik.core.algebra import swing_twist
from dq_ik.robot.balls import Ball
from helpers import close
import numpy as np
import pytest

SWING, TWIST = 1.0, (-0.8, 1.2)
METHODS = ('pgs', 'pls')
Z = (0.0, 0.0, 1.0)


def limb(*kinds: str, length: float = 0.5) -> str:
    """Return a robot of equal links along z, joined by crossing x, y, z turns or by hinges."""
    joints, links, parent = [], ["<link name='base'/>"], 'base'

    def add(name: str, axis: str, offset: float, limit: float) -> None:
        nonlocal parent
        links.append(f"<link name='{name}_link'/>")
        joints.append(
            f"<joint name='{name}' type='revolute'><parent link='{parent}'/>"
            f"<child link='{name}_link'/><origin xyz='0 0 {offset}'/><axis xyz='{axis}'/>"
            f"<limit lower='-{limit}' upper='{limit}' velocity='1' effort='1'/></joint>")
        parent = f'{name}_link'
    for i, kind in enumerate(kinds):
        if kind == 'ball':
            for axis, vector in zip('xyz', ('1 0 0', '0 1 0', '0 0 1')):
                add(f's{i}{axis}', vector, length if axis == 'x' else 0.0, 3.0)
        else:
            add(f's{i}', '0 1 0', length, 2.5)
    links.append("<link name='tip'/>")
    joints.append(f"<joint name='end' type='fixed'><parent link='{parent}'/><child link='tip'/>"
                  f"<origin xyz='0 0 {length}'/></joint>")
    return f"<robot name='limb'>{''.join(links + joints)}</robot>"


def spherical(*kinds: str):
    """Return a chain in which the crossing turns are balls with a swing cone and a twist range."""
    balls = {f'b{i}': Ball((f's{i}x', f's{i}y', f's{i}z'), swing=SWING, twist=TWIST)
             for i, kind in enumerate(kinds) if kind == 'ball'}
    return load_robot(limb(*kinds), balls=balls).chain()


def assert_inside(chain, q: np.ndarray) -> None:
    """Assert that all balls are inside their cones and ranges, all other joints inside limits."""
    assert chain.within_limits(q)
    for i, name in enumerate(chain.joint_names):
        if name.endswith('.x'):
            rotation = Pose.exp((0, 0, 0, *q[i:i + 3])).real
            x, y, twist = swing_twist.coordinates(tuple(rotation))
            assert math.hypot(x, y) <= SWING + 1e-9
            assert TWIST[0] - 1e-9 <= twist <= TWIST[1] + 1e-9


LIMBS = [('ball',), ('ball', 'hinge', 'ball'), ('ball', 'ball'), ('hinge', 'ball', 'hinge')]


@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('kinds', LIMBS, ids='-'.join)
def test_balls_reach_their_poses_within_swing_and_twist(kinds, method):
    chain = spherical(*kinds)
    rng = np.random.default_rng(1)
    solver = Solver(chain, method=method, timeout=PATIENT, trace=500)
    for _ in range(10):
        goal = chain.fk(chain.random(rng))
        result = solver.solve(goal, chain.random(rng))
        metres, radians = judged(chain, result.q).distance(goal)
        assert result.success
        assert metres <= 1e-5
        assert radians <= 1e-5
        assert_inside(chain, result.q)
        for q in result.trace:
            assert_inside(chain, q)


@pytest.mark.parametrize('method', ['pgs_paper', 'pls_paper', 'dls', 'svd', 'qr', 'gauss_newton',
                                    'transpose_buss', 'ccd'])
def test_other_methods_turn_balls_too(method):
    chain = spherical('ball', 'hinge', 'ball')
    rng = np.random.default_rng(2)
    q = 0.3 * chain.random(rng)
    result = Solver(chain, method=method, timeout=PATIENT, tolerance=1e-2).solve(
        chain.fk(q), q + rng.uniform(-0.1, 0.1, chain.n))
    assert result.success
    assert_inside(chain, result.q)


@pytest.mark.parametrize('method', ['svd', 'gauss_newton'])
def test_methods_that_ignore_limits_project_balls_last(method):
    """They turn the ball all the way to a goal outside its cone; only the answer is inside."""
    chain = spherical('ball')
    tilted = np.array((1.5, 0.0, 0.0))
    goal = Goal(chain.fk(tilted), position_weight=0.0)
    result = Solver(chain, method=method, timeout=PATIENT, max_restarts=0, trace=100).solve(
        goal, (0.1, 0.0, 0.0))
    close(result.trace[-1], tilted, 1e-4)
    close(result.q, (SWING, 0.0, 0.0), 1e-4)


def test_a_ball_beyond_its_cone_stops_at_the_cone():
    """The best tilt towards a direction outside the cone is on the cone, in the same plane."""
    chain = spherical('ball')
    tilt = Pose.exp((0, 0, 0, 1.5, 0, 0))
    goal = Goal(chain.fk(np.zeros(3)) @ tilt, position_weight=0.0)
    result = chain.solve(goal, timeout=PATIENT)
    assert not result.success
    assert_inside(chain, result.q)
    close(result.q, (SWING, 0.0, 0.0), 1e-4)
    assert result.status is Status.BEST_REACH_LIMITS
    assert result.limited_joints == ('b0',)


def test_a_ball_beyond_its_twist_stops_at_the_range():
    chain = spherical('ball')
    goal = Goal(chain.fk((0.0, 0.0, 1.9)), position_weight=0.0)
    result = chain.solve(goal, timeout=PATIENT)
    assert not result.success
    close(result.q, (0.0, 0.0, TWIST[1]), 1e-4)


def test_a_locked_ball_keeps_the_seed():
    chain = spherical('ball', 'hinge', 'ball')
    rng = np.random.default_rng(3)
    seed = 0.5 * chain.random(rng)
    result = chain.solve(chain.fk(0.5 * chain.random(rng)), seed, locked_joints='b0',
                         timeout=PATIENT)
    assert np.array_equal(result.q[:3], seed[:3])
    assert not np.array_equal(result.q[3:], seed[3:])


@pytest.mark.parametrize('method', METHODS)
def test_tracking_a_ball_is_smooth_through_a_half_turn(method):
    """Exponential coordinates fold at half a turn; tangent steps do not notice."""
    text = limb('ball')
    chain = load_robot(text, balls={'b': Ball(('s0x', 's0y', 's0z'), swing=math.pi,
                                              twist=(-math.pi, math.pi))}).chain()
    solver = Solver(chain, method=method, max_restarts=0, timeout=PATIENT)
    q, iterations = np.array((2.5, 0.0, 0.3)), []
    start = chain.fk(q)
    for k in range(300):
        goal = start @ Pose.exp((0, 0, 0, 0.005 * k, 0.003 * k, 0.0))
        goal = Pose.from_xyz_wxyz(goal.position, goal.quaternion)
        result = solver.solve(Goal(goal, position_weight=0.0), q)
        q = result.q
        assert result.success
        iterations.append(result.iterations)
    assert max(iterations) <= 3


FLOATING = """<robot name='float'><link name='world'/><link name='body'/><link name='hand'/>
<joint name='base' type='floating'><parent link='world'/><child link='body'/></joint>
<joint name='arm' type='revolute'><parent link='body'/><child link='hand'/>
<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/>
<limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>"""


@pytest.mark.parametrize('method', METHODS)
def test_a_floating_base_reaches_any_pose(method):
    chain = load_robot(FLOATING).chain()
    rng = np.random.default_rng(4)
    solver = Solver(chain, method=method, timeout=PATIENT)
    assert chain.n == 7
    for _ in range(20):
        goal = Pose.from_xyz_wxyz(rng.uniform(-5, 5, 3), rng.normal(size=4))
        result = solver.solve(goal)
        metres, radians = judged(chain, result.q).distance(goal)
        assert result.success
        assert metres <= 1e-5
        assert radians <= 1e-5
        assert abs(result.q[6]) <= 1.0


@pytest.mark.parametrize('method', options.METHODS)
@pytest.mark.parametrize('metres', [1e86, 1e160])
def test_a_goal_beyond_all_numbers_ends_the_search(method, metres):
    """The base flies after it: products of such lengths overflow."""
    chain = load_robot(FLOATING).chain()
    goal = Pose.from_xyz_rpy((metres, -metres, 0.5 * metres), (0.3, 0.2, 0.1))
    result = Solver(chain, method=method, timeout=PATIENT, max_restarts=2).solve(goal)
    assert result.q.shape == (7,)


PLANAR = FLOATING.replace("type='floating'><parent", "type='planar'><axis xyz='0 0 1'/><parent")


def test_a_planar_base_reaches_poses_in_its_plane():
    chain = load_robot(PLANAR).chain()
    goal = Pose.from_xyz_rpy((3.0, -2.0, 0.0), (0.0, 0.0, 2.5))
    result = chain.solve(goal, timeout=PATIENT)
    assert result.success
    close(judged(chain, result.q).matrix, goal.matrix, 1e-4)


def test_followers_count_in_their_leader():
    chain = arm('mimic')
    assert chain.joint_names == ('yaw', 'bend')
    rng = np.random.default_rng(5)
    solver = Solver(chain, timeout=PATIENT)
    for _ in range(20):
        q = chain.random(rng)
        result = solver.solve(chain.fk(q), chain.random(rng))
        assert result.success
        close(result.q, q, 1e-3)
        positions = chain.joint_positions(result.q)
        close(positions['bend_middle'], 0.8 * positions['bend'] + 0.1, 1e-12)


def test_slides_stop_at_their_ends():
    chain = arm('prismatic')
    top = chain.fk((0.5, 0.4, 0.0, 0.0)).position
    goal = Pose.from_xyz_wxyz(top + np.array((0.2, 0.1, 0.3)), (1.0, 0.0, 0.0, 0.0))
    result = chain.solve(goal, timeout=PATIENT)
    assert result.status is Status.BEST_REACH_LIMITS
    assert set(result.limited_joints) == {'slide_x', 'slide_y', 'slide_z'}
    close(result.q[:3], (0.5, 0.4, 0.0), 1e-12)
    close(result.position_error, [math.sqrt(0.14)], 1e-9)
