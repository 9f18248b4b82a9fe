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
"""The stream: warm starts, best reach, speed limits, watchdog. No ROS."""

import math

from dq_ik.core.solve.verdict import Status
from dq_ik.errors import OptionError
from dq_ik.goal import Goal
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.stream.goal_mode import goal_maker
from dq_ik.stream.outlook import Outlook
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import LONGEST_STEP, Tracker
import numpy as np
import pytest
import ros_robot
from test_look_at import angle_off

START = np.array([ros_robot.POSTURE[name] for name in ros_robot.ARM])
DT = 0.01


@pytest.fixture(scope='module')
def robot():
    return ros_robot.robot()


def stream(robot, group='arm', **settings):
    return Tracker(robot.groups[group], IkOptions(), StreamSettings(**settings), START)


def test_goal_is_reached_at_once_and_from_the_last_solution(robot):
    s = stream(robot, velocity_scaling=0.0)
    goal = s.chain.fk(START + 0.05)
    result = s.follow('flange', goal, 0.0)
    assert result.success
    assert s.chain.fk(s.command).distance(goal) < (1e-5, 1e-5)
    again = s.follow('flange', goal, 0.01)
    assert again.iterations == 0
    np.testing.assert_array_equal(again.q, result.q)


def test_small_moves_make_small_steps(robot):
    """Without restarts the stream stays on its branch."""
    s = stream(robot)
    last = s.command
    for k in range(200):
        pose = s.chain.fk(START + 0.3 * np.sin(0.02 * k) * np.array([1, -1, 1, -1, 1, -1]))
        assert s.follow('flange', pose, DT * k).success
        assert np.abs(s.command - last).max() < 0.05
        last = s.command


def test_goal_out_of_reach_gives_the_best_reach(robot):
    s = stream(robot, velocity_scaling=0.0)
    result = s.follow('flange', Pose.from_xyz_rpy((5, 0, 0), (0, 1.57, 0)), 0.0)
    assert not result.success
    assert s.chain.within_limits(s.command)
    assert s.chain.fk(s.command).position[0] > 0.8


@pytest.mark.parametrize(('mode', 'free'), [
    ('position', Pose.from_xyz_rpy((0, 0, 0), (0, 0, 3.0))),
    ('axis', Pose.from_xyz_rpy((0, 0, 0), (0, 0, 3.0))),
    ('orientation', Pose.from_xyz_rpy((0.0, 0, 9.0), (0, 0, 0)))])
def test_goal_modes_leave_the_rest_free(robot, mode, free):
    s = stream(robot, goal_mode=mode, velocity_scaling=0.0)
    result = s.follow('flange', s.chain.fk(START) @ free, 0.0)
    assert result.success
    assert np.abs(s.command - START).max() < 1e-3


def test_tips_without_a_goal_keep_their_pose(robot):
    chain = robot.groups['arm_and_hand']
    q = chain.configuration(ros_robot.POSTURE)
    s = Tracker(chain, IkOptions(), StreamSettings(goal_mode='position', velocity_scaling=0.0), q)
    before = chain.fk(q, 'finger_left')
    goal = chain.fk(q, 'flange') @ Pose.from_xyz_rpy((0, 0, 0.001), (0, 0, 0))
    s.follow('flange', goal, 0.0)
    assert chain.fk(s.command, 'finger_left').distance(before)[0] < 2e-3


def test_goals_of_all_kinds_are_followed_by_the_newest(robot):
    s = stream(robot, velocity_scaling=0.0)
    point = (0.5, 0.3, 0.2)
    assert s.follow('flange', Goal(look_at=point), 0.0).success
    assert angle_off(s.chain.fk(s.command), point, (0, 0, 1)) < 1.1e-5
    goal = s.chain.fk(START)
    assert s.follow('flange', goal, 0.1).success
    assert s.chain.fk(s.command).distance(goal) < (1e-5, 1e-5)


def test_a_mode_changes_relative_goals_but_not_what_looks_at_a_point():
    make = goal_maker(StreamSettings(goal_mode='position'))
    looking = Goal(look_at=(1.0, 0.0, 0.0))
    assert make(looking, 'a') is looking
    relative = make(Goal(Pose.identity(), relative_to='b'), 'a')
    assert (relative.relative_to, relative.rotation_weight) == ('b', (0.0, 0.0, 0.0))


def arrive(s, period=DT, most=1000):
    """Step until the goal is met or nothing moves any more; return results and commands."""
    results, commands = [], [s.command]
    for k in range(1, most):
        results.append(s.answer(period * k))
        commands.append(s.command)
        if not s.pending:
            return results, np.array(commands)
    raise AssertionError('the stream does not come to rest')


def test_the_first_command_is_where_the_joints_are(robot):
    s = stream(robot)
    s.set_goal('flange', s.chain.fk(START + 0.5), 7.0)
    assert not s.answer(7.0).success
    np.testing.assert_array_equal(s.command, START)
    s = stream(robot, rate=100.0)
    s.set_goal('flange', s.chain.fk(START + 0.5), 7.0)
    s.tick(7.0, DT)
    np.testing.assert_array_equal(s.command, START)


@pytest.mark.parametrize('scaling', [1.0, 0.3])
def test_a_goal_far_away_is_reached_at_limited_speed(robot, scaling):
    s = stream(robot, velocity_scaling=scaling)
    goal = s.chain.fk(s.chain.random(np.random.default_rng(5)))
    first = s.follow('flange', goal, 0.0)
    assert first.status is Status.ON_THE_WAY
    results, commands = arrive(s)
    assert results[-1].success
    assert s.chain.fk(s.command).distance(goal) < (1e-5, 1e-5)
    assert (np.abs(np.diff(commands, axis=0)) <= scaling * s.chain.velocity * DT).all()


@pytest.mark.parametrize('policy', ['intercept', 'best_reach'])
def test_a_goal_out_of_reach_is_approached_and_then_rests(robot, policy):
    s = stream(robot, lost_policy=policy)
    goal = Pose.from_xyz_rpy((5, 0, 0), (0, 1.57, 0))
    s.follow('flange', goal, 0.0)
    results, commands = arrive(s)
    assert results[-1].status is Status.BEST_REACH_WORKSPACE
    best = s.chain.solve(goal)
    assert results[-1].position_error[0] < 1.01 * best.position_error[0]
    assert (np.abs(np.diff(commands, axis=0)) <= s.chain.velocity * DT).all()
    held = s.command
    s.follow('flange', goal, 99.0)
    np.testing.assert_array_equal(s.command, held)


def test_the_policy_stop_stays(robot):
    s = stream(robot, lost_policy='stop')
    s.follow('flange', s.chain.fk(START + 1.5), 0.0)
    results, _ = arrive(s)
    assert not results[-1].success
    np.testing.assert_array_equal(s.command, START)


def test_after_a_pause_nothing_jumps(robot):
    s = stream(robot)
    s.follow('flange', s.chain.fk(START), 0.0)
    s.follow('flange', s.chain.fk(START + 1.0), 50.0)
    assert (np.abs(s.command - START) <= LONGEST_STEP * s.chain.velocity).all()


def test_the_outlook_names_the_joint_that_comes_to_its_limit(robot):
    s = stream(robot, avoid_limits_gain=0.0)
    upper = s.chain.upper[5]
    q = START.copy()
    for k in range(100):
        q[5] = upper - 0.5 + 0.004 * k
        s.follow('flange', s.chain.fk(q), DT * k)
        if k == 0:
            s.reseed(q)
    assert (s.outlook.nearest, s.outlook.coming) == (s.chain.joint_names[5],) * 2
    assert s.outlook.time_left == pytest.approx((upper - q[5]) / 0.4, rel=0.02)
    assert s.outlook.sentence.startswith(f'{s.chain.joint_names[5]} is at its limit in 0.3 s')


@pytest.mark.parametrize('scaling', [0.0, 1.0])
def test_the_outlook_of_a_goal_out_of_reach_is_a_loss_or_nothing(robot, scaling):
    """With scaling 0 the stream starts anew at the best reach, without goals of the past."""
    s = stream(robot, velocity_scaling=scaling)
    for k in range(20):
        s.follow('flange', Pose.from_xyz_rpy((5.0 + 0.01 * k, 0.0, 0.0), (0.0, 1.5, 0.0)), DT * k)
        assert s.outlook.time_to_loss in (0.0, np.inf)


def test_before_any_goal_the_outlook_is_that_of_the_posture(robot):
    s = stream(robot)
    rows = zip(START, s.chain.lower, s.chain.upper, s.chain.joint_names)
    margin, nearest = min((min(q - lower, upper - q) / (upper - lower), name)
                          for q, lower, upper, name in rows if np.isfinite(upper - lower))
    assert s.outlook.margin == pytest.approx(margin)
    assert s.outlook.nearest == nearest
    assert (s.outlook.time_left, s.outlook.coming, s.outlook.sentence) == (np.inf, '', '')
    assert (s.speed_share, s.phase) == (0.0, 'idle')


def test_a_locked_joint_has_no_margin(robot):
    chain = robot.groups['arm']
    q = START.copy()
    q[0], q[1] = chain.upper[0] - 0.01, chain.upper[1] - 0.02
    names = chain.joint_names
    assert Tracker(chain, q=q).outlook.nearest == names[0]
    held = IkOptions(locked_joints=(names[0],))
    assert Tracker(chain, held, q=q).outlook.nearest == names[1]


def test_a_robot_without_limits_has_no_nearest_limit():
    free = np.full(2, np.inf)
    outlook = Outlook.of(('a', 'b'), np.zeros(2), np.ones(2), -free, free)
    assert outlook == Outlook(1.0, '', np.inf, '')
    assert outlook.sentence == ''


@pytest.mark.parametrize('limiting', ['path', 'joint'])
def test_shares_are_those_of_the_commands(robot, limiting):
    """Speed and acceleration come out of differences of the commands as well."""
    s = stream(robot, rate=100.0, velocity_scaling=0.5, ramp_time=0.2, limiting=limiting)
    s.set_goal('flange', s.chain.fk(START + 0.4), 0.0)
    commands, shares = [s.command, s.command], []
    for k in range(150):
        s.tick(DT * k, DT)
        commands.append(s.command)
        shares.append((s.speed_share, s.acceleration_share))
    speeds = np.diff(commands, axis=0) / DT
    most = 0.5 * s.chain.velocity
    expected = np.column_stack([np.abs(speeds[1:] / most).max(axis=1),
                                np.abs(np.diff(speeds, axis=0) / DT / (most / 0.2)).max(axis=1)])
    np.testing.assert_allclose(shares, expected, atol=1e-9)
    assert 0.5 < np.max(shares) <= 1.0 + 1e-9
    assert shares[-1] == (0.0, 0.0)


def test_without_limits_there_are_no_shares(robot):
    s = stream(robot, velocity_scaling=0.0)
    s.follow('flange', s.chain.fk(START + 0.1), 0.0)
    assert np.isnan([s.speed_share, s.acceleration_share]).all()
    limited = stream(robot)
    for k in range(3):
        limited.follow('flange', limited.chain.fk(START + 0.01 * k), DT * k)
    assert limited.speed_share == pytest.approx(1.0 / limited.chain.velocity.min(), rel=1e-3)
    assert np.isnan(limited.acceleration_share)
    limited.settle(2 * DT + 0.5 * LONGEST_STEP)
    assert limited.speed_share > 0.0
    limited.settle(2 * DT + 2.0 * LONGEST_STEP)
    assert limited.speed_share == 0.0
    assert limited.outlook.coming == ''


def test_the_phase_says_what_the_stream_does(robot):
    s = stream(robot, rate=100.0, goal_timeout=5.0)
    s.set_goal('flange', s.chain.fk(START + 1.0), 0.0)
    phases = []
    for k in range(600):
        s.tick(DT * k, DT)
        if s.phase not in phases:
            phases.append(s.phase)
    assert phases == ['on the way', 'following', 'holding']
    s.set_goal('flange', Pose.from_xyz_rpy((9, 0, 0), (0, 0, 0)), 7.0)
    for k in range(700, 1000):
        s.tick(DT * k, DT)
    assert s.phase == 'best reach'
    s.set_target(s.command + 0.01, 10.0)
    s.tick(10.0, DT)
    assert s.phase == 'jogging'


def test_the_policy_stop_is_a_phase(robot):
    s = stream(robot, lost_policy='stop')
    s.follow('flange', Pose.from_xyz_rpy((9, 0, 0), (0, 0, 0)), 0.0)
    assert s.phase == 'stopped'


def test_a_joint_target_takes_the_place_of_goals(robot):
    s = stream(robot, rate=100.0)
    s.set_target(START + 0.01, 0.0)
    for k in range(100):
        assert s.tick(DT * k, DT) is None
    np.testing.assert_allclose(s.command, START + 0.01)


def test_seed_outside_the_limits_is_moved_inside(robot):
    s = Tracker(robot.groups['arm'], IkOptions(), StreamSettings(), np.full(6, 9.0))
    assert s.chain.within_limits(s.command)


# --- limits of the motion ------------------------------------------------------------------------

def test_limited_stream_arrives_smoothly(robot):
    s = stream(robot, rate=100.0, velocity_scaling=0.5)
    goal = s.chain.fk(START + 0.4)
    s.set_goal('flange', goal, 0.0)
    last, speeds = s.command, []
    for k in range(300):
        s.tick(DT * k, DT)
        speeds.append(np.abs(s.command - last) / DT)
        last = s.command
    assert np.max(speeds) <= 0.5 * 2.0 + 1e-9
    assert s.chain.fk(s.command).distance(goal) < (1e-5, 1e-5)


def test_tick_solves_each_goal_once(robot):
    s = stream(robot, rate=100.0, velocity_scaling=0.0)
    s.set_goal('flange', s.chain.fk(START + 0.1), 0.0)
    assert s.tick(0.0, DT).success
    assert s.tick(DT, DT) is None


def test_goals_slower_than_the_ticks_keep_their_own_time(robot):
    s = stream(robot, rate=500.0)
    for k in range(500):
        now = 0.002 * k
        if k % 5 == 0:
            s.set_goal('flange', s.chain.fk(START + 0.2 * np.sin(now)), now)
        s.tick(now, 0.002)
    a, b = (s.chain.fk(START + 0.2 * np.sin(t)) for t in (0.98, 0.99))
    metres, radians = a.distance(b)
    assert s.steps.state.goal_speed[0] == pytest.approx(
        np.hypot(metres, 0.3 * radians) / 0.01, rel=0.05)


# --- watchdog ------------------------------------------------------------------------------------

def test_watchdog_brakes_and_holds_when_goals_stop(robot):
    s = stream(robot, rate=100.0, velocity_scaling=0.2, goal_timeout=0.3)
    s.set_goal('flange', s.chain.fk(START + 0.8), 0.0)
    for k in range(100):
        s.tick(DT * k, DT)
        assert s.holding == (DT * k > 0.3)
    held = s.command
    assert s.tick(2.0, DT) is None
    np.testing.assert_array_equal(s.command, held)
    assert s.chain.fk(held).distance(s.chain.fk(START + 0.8))[0] > 0.05
    s.set_goal('flange', s.chain.fk(START + 0.8), 2.0)
    assert not s.holding


def test_without_a_watchdog_one_goal_is_followed_to_its_end(robot):
    s = stream(robot, rate=100.0, velocity_scaling=1.0)
    goal = s.chain.fk(START + 0.5)
    s.set_goal('flange', goal, 0.0)
    for k in range(200):
        s.tick(DT * k, DT)
    assert s.chain.fk(s.command).distance(goal) < (1e-5, 1e-5)
    assert s.goal_age(2.0) == 2.0


def test_new_options_keep_the_motion(robot):
    s = stream(robot, rate=100.0, velocity_scaling=0.5)
    s.set_goal('flange', s.chain.fk(START + 0.5), 0.0)
    for k in range(10):
        s.tick(DT * k, DT)
    before, moving = s.command, s.qdot
    s.configure(IkOptions(method='pls'), StreamSettings(rate=100.0, velocity_scaling=0.5))
    np.testing.assert_array_equal(s.command, before)
    np.testing.assert_array_equal(s.qdot, moving)
    assert s.steps.options.method == 'pls'
    assert s.steps.options.max_restarts == 0


def test_reseed_forgets_goals(robot):
    s = stream(robot)
    s.follow('flange', s.chain.fk(START + 0.1), 0.0)
    s.reseed(START)
    assert not s.active
    np.testing.assert_array_equal(s.command, START)


@pytest.mark.parametrize(('settings', 'words'), [
    ({'rate': '5'}, 'rate is a number'), ({'rate': True}, 'rate'), ({'rate': None}, 'rate'),
    ({'momentum': 'no'}, 'momentum is true or false'), ({'momentum': 0}, 'momentum'),
    ({'lost_policy': 'Stop'}, "one of .*did you mean 'stop'"), ({'limiting': ['joint']}, 'limit'),
    ({'goal_axis': 5.0}, 'goal_axis is a sequence of 3'), ({'goal_axis': (0, 0, 'z')}, 'axis'),
    ({'acceleration_limit': ('much',)}, 'acceleration_limit'),
    ({'jerk_limit': (1.0, math.inf)}, 'jerk_limit'), ({'goal_timeout': -1.0}, 'goal_timeout')])
def test_bad_settings_are_refused_with_what_would_be_right(settings, words):
    with pytest.raises(OptionError, match=words):
        StreamSettings(**settings)


def test_settings_take_numbers_and_sequences_as_people_write_them():
    settings = StreamSettings(rate=50, goal_axis=np.array([0, 1, 0]), acceleration_limit=3)
    assert (settings.rate, type(settings.rate)) == (50.0, float)
    assert settings.goal_axis == (0.0, 1.0, 0.0)
    assert settings.acceleration_limit == (3.0,)
