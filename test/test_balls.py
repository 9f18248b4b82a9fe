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
"""Three revolute joints whose axes cross become one ball joint."""

from __future__ import annotations

import math

from dq_ik.errors import UrdfError
from dq_ik.robot.balls import Ball, read_balls
from dq_ik.robot.model import JointKind
from dq_ik.robot.urdf import load_robot
from helpers import close
import naive
import numpy as np
import pytest

LIMIT = "<limit lower='-1' upper='2' velocity='3' effort='4'/>"


def shoulder(second="<axis xyz='0 1 0'/>", third="<axis xyz='1 0 0'/>"):
    """Robot text: joints j1, j2, j3 cross in the shoulder 1 m above the base, j4 is an elbow."""
    first = "<origin xyz='0 0 1' rpy='0 0.3 0'/><axis xyz='0 0 1'/>"
    parts = [(first, 'a', 'b'), (second, 'b', 'c'), (third, 'c', 'd'), ('', 'd', 'e')]
    joints = [f"<joint name='j{i}' type='revolute'><parent link='{parent}'/>"
              f"<child link='{child}'/>{inside}{LIMIT}</joint>"
              for i, (inside, parent, child) in enumerate(parts, start=1)]
    links = [f"<link name='{link}'/>" for link in 'abcde']
    return f"<robot name='r'>{''.join(links + joints)}</robot>"


def test_three_crossing_joints_keep_their_box_unless_a_cone_is_given():
    model = load_robot(shoulder(), balls={'shoulder': ('j1', 'j2', 'j3')})
    assert model.joints == load_robot(shoulder()).joints


@pytest.mark.parametrize('given', [{'swing': 1.0}, {'twist': (-1.0, 2.0)}])
def test_three_crossing_joints_become_a_ball(given):
    model = load_robot(shoulder(), balls={'shoulder': Ball(('j1', 'j2', 'j3'), **given)})
    ball = model.joint('shoulder')
    assert model.links == ('a', 'd', 'e')
    assert (ball.kind, ball.parent, ball.child) == (JointKind.BALL, 'a', 'd')
    close(ball.origin.position, (0, 0, 1), 1e-15)
    assert ball.axis == (1, 0, 0)
    assert ball.swing == 1
    assert ball.twist == (-1, 2)


def test_a_ball_reaches_every_rotation_of_its_three_joints():
    plain = load_robot(shoulder()).whole
    ball = load_robot(shoulder(), balls={'s': Ball(('j1', 'j2', 'j3'), swing=math.pi)}).whole
    neutral = ball.fk(np.zeros(ball.n), 'd')
    close(neutral.matrix, plain.fk(np.zeros(plain.n), 'd').matrix, 1e-15)
    for angles in np.random.default_rng(2).uniform(-1, 1, size=(5, 3)):
        x = plain.fk([*angles, 0.0], 'd')
        turn = naive.axis_frame(np.array((1.0, 0.0, 0.0))).T @ (neutral.inverse() @ x).log()[3:]
        q = ball.configuration(dict(zip(('s.x', 's.y', 's.z'), turn)))
        close(ball.fk(q, 'd').matrix, x.matrix, 1e-14)


def test_swing_and_twist_can_be_given():
    ball = Ball(('j1', 'j2', 'j3'), axis=(0, 0, 2), swing=0.5, twist=(-0.1, 0.2))
    joint = load_robot(shoulder(), balls={'s': ball}).joint('s')
    assert (joint.axis, joint.swing, joint.twist) == ((0, 0, 1), 0.5, (-0.1, 0.2))


def test_a_ball_is_as_weak_as_its_weakest_joint_and_turns_once_at_most():
    text = shoulder().replace("effort='4'", "effort='3'", 1).replace('2', '4', 1)
    third = "upper='2' velocity='3' effort='4'/></joint><joint name='j4'"
    text = text.replace(third, third.replace("'2'", "'4'"))
    joint = load_robot(text, balls={'s': Ball(('j1', 'j2', 'j3'), swing=0.2)}).joint('s')
    assert joint.effort == 3.0
    assert joint.twist == (-1.0, math.pi)


def test_a_cone_by_limits_that_leave_out_0_is_closed():
    text = shoulder().replace("lower='-1'", "lower='0.5'", 1)
    joint = load_robot(text, balls={'s': Ball(('j1', 'j2', 'j3'), twist=(-0.1, 0.1))}).joint('s')
    assert joint.swing == 0.0


def test_two_balls_of_one_name_are_refused():
    with pytest.raises(UrdfError, match="two balls have the name 's'"):
        read_balls(['s=j1,j2,j3', 's=j4,j5,j6'])


@pytest.mark.parametrize(('ball', 'words'), [
    (Ball(('j1', 'j2', 'j3'), swing=4.0), r'swing 4.0; wanted: 0 to pi'),
    (Ball(('j1', 'j2', 'j3'), twist=(0.1, 0.2)), 'must contain 0'),
    (Ball(('j1', 'j2', 'j3'), swing=1.0, axis=(0, 0, 0)), 'an axis needs a direction'),
    (Ball(('j1', 'j2', 'j3'), swing=1.0, axis=(0, 0, math.inf)), r'the axis \(0, 0, inf\)'),
    (Ball(('j1', 'j2', 'j3'), swing=1.0, axis=(0, 1)), r'the axis \(0, 1\); wanted: three'),
    (Ball(('j1', 'j2', 'j3'), swing=1.0, center=(0, 0, math.nan)), r'the center \(0, 0, nan\)'),
    (Ball(('j1', 'j2', 'j3'), swing=1.0, center=(1e300, 0, 0)), 'numbers up to 1e.09'),
])
def test_impossible_numbers_of_balls_are_refused(ball, words):
    with pytest.raises(UrdfError, match=words):
        load_robot(shoulder(), balls={'s': ball})


def test_the_length_of_a_twist_axis_does_not_matter():
    short, long = (load_robot(shoulder(), balls={'s': Ball(
        ('j1', 'j2', 'j3'), axis=(0, size, size), swing=0.5)}).joint('s') for size in (1, 1e200))
    assert short.axis == long.axis


@pytest.mark.parametrize(('changes', 'balls', 'words'), [
    ({}, {'s': ('j1', 'j2')}, 'needs three joints'),
    ({}, {'s': ('j1', 'j2', 'x')}, "unknown joint 'x'; the joints are 'j1'"),
    ({}, {'s': ('j1', 'j3', 'j2')}, 'do not follow each other'),
    ({'second': "<axis xyz='0 0 1'/>"}, {'s': ('j1', 'j2', 'j3')}, "'j1' and 'j2' .* parallel"),
    ({'second': "<axis xyz='0 1e-4 1'/>"}, {'s': ('j1', 'j2', 'j3')}, 'are parallel'),
    ({'third': "<axis xyz='0 1 0'/>"}, {'s': ('j1', 'j2', 'j3')}, "'j2' and 'j3' .* parallel"),
    ({'second': "<origin xyz='0.1 0 0'/><axis xyz='0 1 0'/>"}, {'s': ('j1', 'j2', 'j3')},
     "must meet in the origin of link 'd'; they miss it by 0.1, 0"),
    ({'third': "<axis xyz='1 0 0'/><mimic joint='j1'/>"}, {'s': ('j1', 'j2', 'j3')}, 'a mimic'),
])
def test_bad_balls_are_refused(changes, balls, words):
    with pytest.raises(UrdfError, match=words):
        load_robot(shoulder(**changes), balls=balls)


def test_a_ball_must_not_take_links_that_others_need():
    branch = ("<link name='f'/><joint name='j5' type='fixed'><parent link='c'/><child link='f'/>"
              '</joint></robot>')
    with pytest.raises(UrdfError, match="joint 'j5' depends on the inside of ball 's'"):
        load_robot(shoulder().replace('</robot>', branch), balls={'s': ('j1', 'j2', 'j3')})
