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
"""A ball that stands for three joints: its rotation, their angles, and streams of both."""

from __future__ import annotations

import math
import pickle

from dq_ik.errors import UrdfError
from dq_ik.options import IkOptions
from dq_ik.robot.ball_angles import BallAngles
from dq_ik.robot.balls import Ball, read_balls, with_balls
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.jog import Jog, JogSettings
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

AXES = {'zyx': ('0 0 1', '0 1 0', '1 0 0'), 'xyz': ('1 0 0', '0 1 0', '0 0 1'),
        'skew': ('0.1 -0.1 1', '0.2 1 0', '1 0.1 0.3')}
CENTERS = {'zyx': (0.2, 0.1, -0.1), 'xyz': (0.0, 0.0, 0.0), 'skew': (0.1, 0.2, 0.0)}
CONE = ':swing=0.8:twist=-0.5,0.6'
NAMES = ('j1', 'j2', 'j3')


def arm(axes='zyx', limit=1.6, speeds=(1.0, 1.5, 2.0)):
    """Return the text of a shoulder of three crossing joints, an elbow, a wrist and a hand."""
    parts = [(name, axis, '0 0 0', limit, speed)
             for name, axis, speed in zip(NAMES, AXES[axes], speeds)]
    parts += [('elbow', '0 1 0', '0 0 -0.4', 2.5, 2.0), ('w1', '0 0 1', '0 0 -0.3', 2.5, 3.0),
              ('w2', '0 1 0', '0 0 0', 2.0, 3.0), ('w3', '1 0 0', '0 0 -0.1', 2.0, 3.0)]
    links = [f"<link name='l{i}'/>" for i in range(len(parts) + 1)]
    joints = [f"<joint name='{name}' type='revolute'><parent link='l{i}'/><child link='l{i + 1}'/>"
              f"<origin xyz='{xyz}' rpy='0 0 {0.3 * (i == 0)}'/><axis xyz='{axis}'/>"
              f"<limit lower='{-box}' upper='{box}' velocity='{speed}' effort='1'/></joint>"
              for i, (name, axis, xyz, box, speed) in enumerate(parts)]
    return f"<robot name='arm'>{''.join(links + joints)}</robot>"


def balled(axes='zyx', cone=CONE, **options):
    """Return the plain robot and its chain with a ball."""
    plain = load_robot(arm(axes, **options))
    center = ':center=' + ','.join(map(str, CENTERS[axes])) if cone else ''
    text = f'shoulder={",".join(NAMES)}{cone}{center}'
    return plain.chain(), with_balls(plain, read_balls([text])).chain()


# --- angles --------------------------------------------------------------------------------------

@pytest.mark.parametrize('axes', list(AXES))
def test_angles_and_rotations_are_two_names_of_one_posture(axes):
    plain, chain = balled(axes)
    rng = np.random.default_rng(1)
    assert chain.joint_names[:3] == ('shoulder.x', 'shoulder.y', 'shoulder.z')
    for _ in range(200):
        q = chain.random(rng)
        positions = chain.joint_positions(q)
        assert tuple(positions) == plain.joint_names
        theta = plain.configuration(positions)
        assert plain.within_limits(theta)
        np.testing.assert_allclose(plain.fk(theta).matrix, chain.fk(q).matrix, atol=1e-12)
        np.testing.assert_allclose(chain.configuration(positions), q, atol=1e-12)


@pytest.mark.parametrize('more', [':center=0.2,0.1,3.3', ':center=-3.4,0.1,0.1', ':axis=0,0,-1',
                                  ':axis=-1,0,0', ':axis=1,-1,0.5:center=0,-0.3,0'])
def test_centers_beyond_a_half_turn_and_twist_axes_upside_down(more):
    """The angles stay on the center's turn, and both robots have the hand at one place."""
    plain = load_robot(arm(limit=4.0))
    text = f's=j1,j2,j3:swing=0.3,0.2:twist=-0.1,0.2{more}'
    chain = with_balls(plain, read_balls([text])).chain()
    center = chain.model.joint('s').made_of.center
    for k in range(50):
        q = chain.random(np.random.default_rng(k))
        positions = chain.joint_positions(q)
        assert np.abs([positions[name] for name in NAMES] - center).max() < 0.6
        np.testing.assert_allclose(plain.chain().fk(plain.chain().configuration(positions)).matrix,
                                   chain.fk(q).matrix, atol=1e-12)


def test_angles_are_those_of_scipy():
    _, chain = balled('xyz')
    ball = chain.model.joint('shoulder').made_of
    rng = np.random.default_rng(2)
    for _ in range(100):
        q = chain.random(rng)[:3]
        expected = Rotation.from_rotvec(q).as_euler('XYZ')
        np.testing.assert_allclose(ball.angles(q), expected, atol=1e-12)


def test_some_angles_of_a_ball_may_be_named_alone():
    _, chain = balled()
    q = chain.configuration({'j2': 0.4, 'elbow': -1.0})
    named = chain.joint_positions(q)
    np.testing.assert_allclose([named[name] for name in (*NAMES, 'elbow')],
                               (0.2, 0.4, -0.1, -1.0), atol=1e-12)


def test_no_angle_of_a_ball_is_beyond_the_ends_found():
    """Ends have several peaks around the cone; a peak of a coarse grid may be the wrong one."""
    rng, balls = np.random.default_rng(1), []
    joints = [load_robot(arm()).joint(name) for name in NAMES]
    while len(balls) < 25:
        axes = rng.normal(size=(3, 3))
        axes /= np.linalg.norm(axes, axis=1)[:, None]
        twist = tuple(rng.uniform((-0.6, 0.0), (0.0, 0.6)).tolist())
        ball = BallAngles(joints, axes, axes[2], rng.uniform(-0.3, 0.3, 3),
                          tuple(rng.uniform(0.1, 0.9, 2).tolist()), twist)
        if abs(np.linalg.det(axes)) > 0.3 and np.abs(ball.ends).max() < 2.9:
            balls.append(ball)
    share, azimuth, part = (values.ravel() for values in np.meshgrid(
        np.linspace(0, 1, 7), np.linspace(-math.pi, math.pi, 361), np.linspace(0, 1, 9)))
    for ball in balls:
        low, high = ball.twist
        swings = Rotation.from_rotvec(np.stack([
            ball.swing[0] * share * np.cos(azimuth), ball.swing[1] * share * np.sin(azimuth),
            0.0 * share], axis=1))
        turns = swings * Rotation.from_rotvec((low + (high - low) * part)[:, None] * (0, 0, 1))
        found = ball.angles(turns.as_rotvec())
        assert (found >= ball.ends[0] - 1e-9).all()
        assert (found <= ball.ends[1] + 1e-9).all()


@pytest.mark.parametrize('swing', [(0.8, 0.8), (0.8, 0.4)], ids=['round', 'elliptic'])
@pytest.mark.parametrize('axes', list(AXES))
def test_ends_of_the_angles_are_those_of_samples(axes, swing):
    cone = f':swing={swing[0]},{swing[1]}:twist=-0.5,0.6'
    ball = balled(axes, cone)[1].model.joint('shoulder').made_of
    share, azimuth, twist = (part.ravel() for part in np.meshgrid(
        (0.0, 0.4, 0.75, 1.0), np.linspace(-math.pi, math.pi, 721), (-0.5, -0.2, 0.0, 0.3, 0.6)))
    zero = np.zeros_like(share)
    swings = Rotation.from_rotvec(np.stack([
        swing[0] * share * np.cos(azimuth), swing[1] * share * np.sin(azimuth), zero], axis=1))
    turns = swings * Rotation.from_rotvec(np.stack([zero, zero, twist], axis=1))
    found = ball.angles(turns.as_rotvec())
    np.testing.assert_allclose([found.min(0), found.max(0)], ball.ends, atol=1e-4)
    assert (found >= ball.ends[0] - 1e-9).all()
    assert (found <= ball.ends[1] + 1e-9).all()


@pytest.mark.parametrize(('swing', 'middle'), [(0.8, 0.2), (0.6, -0.1), (0.6, 0.5)])
def test_a_ball_turns_no_faster_than_its_joints_can(swing, middle):
    """Of joints whose axes are not orthogonal, also where the lock is near at one end."""
    robot = load_robot(arm('skew', limit=3.0))
    text = f'shoulder=j1,j2,j3:swing={swing}:twist=-0.5,0.6:center=0.1,{middle},0.0'
    chain = with_balls(robot, read_balls([text])).chain()
    rng, h, worst = np.random.default_rng(4), 1e-6, 0.0
    ball = chain.model.joint('shoulder').made_of
    for _ in range(2000):
        w, axis = chain.random(rng)[:3], rng.normal(size=3)
        turned = Rotation.from_rotvec(w) * Rotation.from_rotvec(h * axis / np.linalg.norm(axis))
        rates = (ball.angles(turned.as_rotvec()) - ball.angles(w)) / h * ball.velocity
        worst = max(worst, float(np.max(np.abs(rates) / (1.0, 1.5, 2.0))))
    assert 0.85 < worst < 1.0


def test_a_chain_with_balls_can_be_pickled():
    chain = balled()[1]
    q = chain.random(np.random.default_rng(5))
    assert pickle.loads(pickle.dumps(chain)).joint_positions(q) == chain.joint_positions(q)


# --- limits --------------------------------------------------------------------------------------

def test_without_a_cone_the_limits_are_those_of_the_urdf():
    """Every posture that the URDF allows is allowed, and no other: joints stay joints."""
    plain, chain = balled(cone='')
    assert chain.joint_names == plain.joint_names
    assert chain.model.joints == plain.model.joints


@pytest.mark.parametrize(('cone', 'limit', 'words'), [
    (':swing=0.8:twist=-0.5,0.5', 0.7, r"'j1' from -0\.8\d* to 0\.8\d*; its limits are -0.7 to"),
    (':swing=0.3:twist=-0.9,0.2', 0.7, r"'j3' from -0\.9\d* to"),
    (':swing=1.55:twist=-0.1,0.1', 3.1, "gimbal lock of 'j1', 'j2', 'j3'.*'j2' must stay 0.1 rad"),
    (':swing=3:twist=-3,3', 3.1, 'gimbal lock'),
    (':swing=0.5:twist=-0.1,0.1:center=0,1.4,0', 3.1, 'gimbal lock.*another center'),
])
def test_a_cone_that_the_joints_cannot_follow_is_refused(cone, limit, words):
    robot = load_robot(arm(limit=limit))
    with pytest.raises(UrdfError, match=f"ball 's'.*{words}"):
        with_balls(robot, read_balls([f's=j1,j2,j3{cone}']))


@pytest.mark.parametrize('text', [
    'j1,j2,j3', '=j1,j2,j3', 's=', 's=j1,j2,j3:swing', 's=j1,j2,j3:swing=x', 's=j1,j2,j3:cone=1',
    's=j1,j2,j3:twist=1', 's=j1,j2,j3:swing=1:swing=2', ''])
def test_what_is_no_ball_is_refused_with_the_form_of_one(text):
    with pytest.raises(UrdfError, match=r'is no ball; write name=joint1,joint2,joint3'):
        read_balls([text])


def test_a_center_needs_a_cone():
    with pytest.raises(UrdfError, match='a center but neither swing nor twist'):
        load_robot(arm(), balls={'s': Ball(NAMES, center=(0.1, 0.0, 0.0))})


# --- streams -------------------------------------------------------------------------------------

def goals(plain, chain, seed):
    """Yield poses of smooth and of jumping motions of the ball, also from outside of its cone."""
    rng = np.random.default_rng(seed)
    a, b = chain.random(rng), chain.random(rng)
    for k in range(1000):
        s = 0.3 * (0.5 - 0.5 * math.cos(0.005 * k))
        yield chain.fk(a + s * (b - a))
    for _ in range(5):
        pose = plain.fk(plain.random(rng))
        for _ in range(60):
            yield pose


@pytest.mark.parametrize('rate', [0.0, 250.0])
@pytest.mark.parametrize('axes', list(AXES))
def test_published_angles_keep_the_limits_and_speeds_of_the_urdf(axes, rate):
    plain, chain = balled(axes)
    stream = Tracker(chain, IkOptions(), StreamSettings(rate=rate), chain.neutral)
    last, dt, worst, reached = stream.positions, 0.004, 0.0, 0
    for k, goal in enumerate(goals(plain, chain, 6)):
        if rate:
            stream.set_goal(chain.tips[0], goal, dt * k)
            stream.tick(dt * k, dt)
        else:
            stream.follow(chain.tips[0], goal, dt * k)
        assert plain.within_limits(stream.positions, 1e-9)
        np.testing.assert_allclose(plain.fk(stream.positions).matrix,
                                   chain.fk(stream.command).matrix, atol=1e-9)
        worst = max(worst, float(np.max(np.abs(stream.positions - last) / (dt * plain.velocity))))
        last = stream.positions
        reached += sum(chain.fk(stream.target).distance(goal)) < 1e-3
    assert 0.5 < worst < 1.0 + 1e-9
    assert reached > 500


def test_a_joint_of_a_ball_is_jogged_by_its_name():
    _, chain = balled()
    settings = JogSettings()
    jog, stream = Jog(chain, IkOptions(), settings), Tracker(chain, IkOptions(), settings)
    before = dict(zip(chain.angles.names, stream.positions))
    for k in range(60):
        jog.joints({'j2': 0.5}, 0.01 * k)
        stream.set_target(jog.advance(stream.target, 0.01 * k, 0.01)[0], 0.01 * k)
        stream.tick(0.01 * k, 0.01)
    after = dict(zip(chain.angles.names, stream.positions))
    assert 0.15 < after['j2'] - before['j2'] < 0.31
    for name in set(after) - {'j2'}:
        assert after[name] == pytest.approx(before[name], abs=1e-9)
