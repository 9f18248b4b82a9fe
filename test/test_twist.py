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
"""Twists pass singularities of UR5 and Panda, stay inside speeds and limits, and do not drift."""

from __future__ import annotations

from arms import arm
from dq_ik.errors import DqIkError
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.robot.bundled import find_robot
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import Solver
from dq_ik.stream.twist import moved, TwistStep
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

DT, SPEED, HALF = 0.01, 0.2, 0.12
# At the singularity, the line through it, and a direction beside the line.
UR5 = {
    'wrist 1': ([0.5769, -0.5816, 2.486, 2.4042, 0.0, 0.7523], [-0.968, -0.2, -0.153],
                [-0.136, 0.926, -0.352]),
    'wrist 2': ([-1.7562, 2.3631, 1.9497, 1.6119, 0.0, -1.3381], [0.448, 0.882, -0.146],
                [-0.549, 0.401, 0.734]),
    'wrist 3': ([1.406, -0.0723, -0.3869, 1.8876, 0.0, 1.0421], [0.596, 0.632, -0.495],
                [0.557, -0.77, -0.311]),
    'shoulder 1': ([0.6026, -0.4084, -2.0197, -2.1273, 1.3784, 1.8161], [0.742, 0.539, -0.4],
                   [-0.398, 0.833, 0.384]),
    'shoulder 2': ([-1.042, -2.3123, 2.0636, 1.6412, 1.6464, -0.1004], [-0.466, 0.743, 0.481],
                   [-0.132, 0.479, -0.868]),
    'shoulder 3': ([-1.9404, -2.308, 1.302, 0.0779, 1.3586, -0.6102], [-0.203, -0.482, -0.852],
                   [-0.163, -0.842, 0.515]),
}
PANDA = {
    'wrist': ([0.9005, 0.0, 1.4208, -2.6671, -0.3276, 0.0, 0.0162], [0.022, -0.993, -0.117],
              [0.983, 0.042, -0.178]),
    'shoulder 1': ([-0.1597, 0.0, -1.57, -2.6791, -1.5852, 1.4271, 0.9084],
                   [-0.181, -0.32, 0.93], [0.49, -0.849, -0.197]),
    'shoulder 2': ([-0.3322, 0.0, -1.5442, -1.3781, 0.9774, 0.9705, -1.1943],
                   [-0.733, 0.672, 0.106], [0.136, -0.008, 0.991]),
    'shoulder 3': ([-0.49, 0.0, -1.5585, -1.5896, 1.2978, 2.0325, 0.1541],
                   [-0.577, 0.751, 0.32], [0.553, 0.071, 0.83]),
}
PASSES = [pytest.param(robot, *line, beside, id=f'{robot} {name}, {1e3 * beside:g} mm beside')
          for robot, lines in (('ur5', UR5), ('panda', PANDA)) for name, line in lines.items()
          for beside in (0.0, 1e-3, 5e-3)]


def chain_of(name):
    if name == 'panda':
        return arm('panda')
    try:
        return load_robot(find_robot('ur5_robot')).chain(None, 'tool0')
    except DqIkError:
        pytest.skip('example-robot-data is not installed')


def translated(pose, by):
    return Pose.from_xyz_wxyz(pose.position + by, pose.quaternion)


def way_back(chain, q, pose, by):
    """Return the configuration some way back on a line, on the branch of q; None if it ends."""
    solver = Solver(chain, max_restarts=0)
    q = np.array(q) + 1e-3
    for share in np.linspace(0.0, 1.0, 200):
        q = solver.solve(translated(pose, share * by), q).q
    return q if max(chain.fk(q).distance(translated(pose, by))) < 1e-4 else None


def drive(chain, q, twists, dt=DT):
    """Return the configurations and the tool's poses on the way."""
    tip, = chain.tips
    step = TwistStep(chain, IkOptions(), lambda goal, tip: goal)
    path = [np.array(q)]
    for twist in twists:
        path.append(step.step(path[-1], {tip: np.asarray(twist)}, dt, chain.velocity)[0])
    return np.array(path), [chain.fk(q) for q in path]


def speed_error(poses, twist, dt=DT):
    """Return the error of the tool's velocity in each period, as a share of the speed."""
    v = np.diff([pose.position for pose in poses], axis=0) / dt
    return np.linalg.norm(v - twist[:3], axis=1) / np.linalg.norm(twist[:3])


def check_joints(chain, path, dt=DT):
    assert np.all(np.abs(np.diff(path, axis=0)) <= chain.velocity * dt * (1 + 1e-9))
    assert all(chain.within_limits(q, 1e-12) for q in path)


def possible_share(chain, q, twist, dt=DT):
    """Return how much of a twist speeds and limits of the joints allow: a linear programme."""
    low = np.maximum(-chain.velocity, np.minimum((chain.lower - q) / dt, 0.0))
    high = np.minimum(chain.velocity, np.maximum((chain.upper - q) / dt, 0.0))
    answer = linprog([0.0] * chain.n + [-1.0], A_eq=np.column_stack([chain.jacobian(q), -twist]),
                     b_eq=np.zeros(6), bounds=[*zip(low, high), (0.0, 1.0)])
    return -answer.fun if answer.status == 0 else 0.0


@pytest.mark.parametrize(('robot', 'q', 'along', 'side', 'beside'), PASSES)
def test_the_tool_passes_singularities_at_its_speed(robot, q, along, side, beside):
    chain = chain_of(robot)
    assert np.linalg.svd(chain.jacobian(q))[1][-1] < 1e-4
    along = np.array(along) / np.linalg.norm(along)
    middle = translated(chain.fk(q), beside * np.array(side))
    twist = np.r_[SPEED * along, 0.0, 0.0, 0.0]
    start = way_back(chain, q, middle, -HALF * along)
    assert start is not None
    path, poses = drive(chain, start, [twist] * round(2 * HALF / SPEED / DT))
    check_joints(chain, path)
    error = speed_error(poses, twist)
    place = np.array([(pose.position - middle.position) @ along for pose in poses])
    far = np.abs(place[:-1]) > 0.02
    assert error[far].max() < 0.05
    assert np.diff(place).min() > 0.1 * SPEED * DT  # no halt
    assert place[-1] > HALF - 0.02
    assert max(pose.distance(middle)[1] for pose in poses) < 0.01
    for k in np.flatnonzero(error > 0.05):
        share = min(possible_share(chain, q, twist) for q in path[k:k + 2])
        assert share < 0.98, f'slow without need in period {k}'


@pytest.mark.parametrize(('robot', 'fixed'), [
    ('ur5', {4: 0.0}), ('panda', {1: 0.0, 5: 0.0}), ('panda', {1: 0.0, 2: 0.5 * np.pi})],
    ids=['ur5 wrist', 'panda wrist', 'panda shoulder'])
def test_on_any_line_through_a_singularity_the_tool_is_slow_only_where_it_must_be(robot, fixed):
    """Some lines ask for more than the joints' speeds allow, by a linear programme."""
    chain, rng = chain_of(robot), np.random.default_rng(11)
    passed = 0
    while passed < 5:
        q = chain.random(rng)
        q[list(fixed)] = list(fixed.values())
        if np.linalg.svd(chain.jacobian(q))[1][-1] > 1e-3:
            continue
        along = rng.normal(size=3)
        along /= np.linalg.norm(along)
        middle, twist = chain.fk(q), np.r_[SPEED * along, 0.0, 0.0, 0.0]
        start = way_back(chain, q, middle, -HALF * along)
        if start is None:
            continue
        path, poses = drive(chain, start, [twist] * round(2 * HALF / SPEED / DT))
        check_joints(chain, path)
        place = np.array([(pose.position - middle.position) @ along for pose in poses])
        for k in np.flatnonzero((speed_error(poses, twist) > 0.05) & (np.abs(place[:-1]) > 0.02)):
            assert min(possible_share(chain, q, twist) for q in path[k:k + 2]) < 0.98
        passed += 1


@pytest.mark.parametrize(('robot', 'q', 'shoulder'), [
    ('ur5', [0.3, -1.2, 1.4, -0.5, 1.2, 0.3], (0.0, 0.0, 0.089)),
    ('panda', [0.3, 0.2, 0.0, -1.7, 0.2, 1.8, 0.3], (0.0, 0.0, 0.333))])
def test_a_straight_elbow_is_reached_left_and_slid_along(robot, q, shoulder):
    """Out to the end of the reach, against it for a while, back, and obliquely."""
    chain = chain_of(robot)
    out = chain.fk(q).position - shoulder
    out /= np.linalg.norm(out)
    twist = np.r_[SPEED * out, 0.0, 0.0, 0.0]
    path, poses = drive(chain, q, [twist] * 250 + [-twist] * 80)
    check_joints(chain, path)
    place = np.array([(pose.position - poses[0].position) @ out for pose in poses])
    for way, periods in ((twist, range(250)), (-twist, range(250, 330))):
        error = speed_error(poses, way)
        shares = {k: min(possible_share(chain, q, way) for q in path[k:k + 2])
                  for k in periods if error[k] > 0.05}
        assert all(share < 0.98 for share in shares.values())  # slow only where it must be,
        ends = [place[k] for k, share in shares.items() if share < 0.05]
        if way is twist:
            assert ends[0] - place[min(shares)] < 0.025  # which is near the end of the reach;
    assert place[250] > 0.1
    assert np.abs(np.diff(place[225:250])).max() < 2e-4  # it stands there,
    assert place[265] < place[250] - 0.01  # leaves at once,
    step = path[-1] - path[-2]
    moving = np.linalg.pinv(chain.jacobian(path[-2])) @ chain.jacobian(path[-2]) @ step
    assert np.all(np.abs(step - moving) < 0.03 * chain.velocity * DT)  # without self-motion,
    aside = np.cross(out, [0.0, 0.0, 1.0])
    oblique = np.r_[SPEED * (out + aside) / np.sqrt(2.0), 0.0, 0.0, 0.0]
    path, poses = drive(chain, path[250], [oblique] * 100)
    check_joints(chain, path)
    assert (poses[-1].position - poses[0].position) @ aside > 0.02  # and slides along it


@pytest.mark.parametrize('robot', ['ur5', 'panda'])
def test_speeds_and_limits_hold_whatever_is_asked(robot):
    """Random twists, far too fast ones among them, at two rates."""
    chain, rng = chain_of(robot), np.random.default_rng(7)
    for dt in (0.01, 0.002):
        q = chain.random(rng)
        twists = np.repeat(rng.normal(size=(25, 6)) * rng.choice([0.1, 1.0, 30.0], (25, 1)), 40, 0)
        path, _ = drive(chain, q, twists, dt)
        check_joints(chain, path, dt)


def test_where_speeds_bind_the_tool_stays_on_its_line():
    chain = arm('panda')
    q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
    twist = np.r_[0.0, 1.0, 0.0, 0.0, 0.0, 0.0] * 1.3
    path, poses = drive(chain, q, [twist] * 30)
    away = [pose.position - poses[0].position for pose in poses]
    assert speed_error(poses, twist).max() > 0.05  # they bind
    assert away[-1][1] > 0.15
    assert max(np.hypot(x, z) for x, _, z in away) < 1e-4
    assert max(pose.distance(poses[0])[1] for pose in poses) < 1e-4


def test_what_is_not_moved_does_not_drift():
    """Turning keeps the place, moving the turn: after a thousand turns and moves to and fro."""
    chain = arm('panda')
    q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
    for twist in (np.r_[0.1, 0.05, -0.1, 0, 0, 0], np.r_[0, 0, 0, 0.3, -0.4, 0.2]):
        path, poses = drive(chain, q, [s * twist for s in (1, -1) * 5 for _ in range(100)])
        metres, radians = zip(*(pose.distance(poses[0]) for pose in poses))
        still = metres if not twist[:3].any() else radians
        assert max(still) < 2e-5
        assert metres[-1] < 2e-5
        assert radians[-1] < 2e-5


def test_nothing_winds_up_at_a_limit():
    """After ten seconds against the end of the reach the tool comes back at once."""
    chain = arm('panda')
    q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
    out = np.r_[SPEED, 0.0, 0.0, 0.0, 0.0, 0.0]
    path, poses = drive(chain, q, [out] * 1000 + [-out] * 60)
    check_joints(chain, path)
    assert poses[1000].position[0] - poses[999].position[0] < 1e-4
    back = poses[1000].position - poses[-1].position
    assert back[0] > 0.09  # of 0.12 m
    assert poses[-1].distance(poses[0])[1] < 0.01


def test_a_pose_is_moved_as_scipy_turns_it():
    rng = np.random.default_rng(3)
    for _ in range(20):
        pose = Pose.from_xyz_xyzw(rng.normal(size=3), Rotation.random(rng=rng).as_quat())
        twist, dt = rng.normal(size=6), rng.uniform(0.0, 0.5)
        after = moved(pose, twist, dt)
        turn = Rotation.from_rotvec(dt * twist[3:]).as_matrix() @ pose.matrix[:3, :3]
        np.testing.assert_allclose(after.position, pose.position + dt * twist[:3], atol=1e-12)
        np.testing.assert_allclose(after.matrix[:3, :3], turn, atol=1e-12)


def test_other_tips_stay_where_they_are():
    chain = arm('two_arms')
    left, right = chain.tips
    q = 0.3 * chain.random(np.random.default_rng(1))
    step = TwistStep(chain, IkOptions(), lambda goal, tip: goal)
    start, path = chain.fk_all(q), [q]
    for _ in range(50):
        q, result = step.step(q, {left: np.r_[0.0, 0.0, 0.1, 0, 0, 0]}, DT, chain.velocity)
        assert result.success
        path.append(q)
    check_joints(chain, np.array(path))
    assert max(chain.fk(q, right).distance(start[right])) < 2e-5
    np.testing.assert_allclose(
        chain.fk(q, left).position - start[left].position, [0.0, 0.0, 0.05], atol=2e-5)
