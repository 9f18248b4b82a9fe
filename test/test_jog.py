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
"""Jogging: ramps, dead band, low-pass, units, the clutch, and sixty seconds at the keyboard."""

from __future__ import annotations

from itertools import pairwise

from arms import arm
from dq_ik.cli.keyboard import Keyboard
from dq_ik.errors import DqIkError, OptionError
from dq_ik.options import IkOptions
from dq_ik.pose import Pose
from dq_ik.stream.clutch import Clutch
from dq_ik.stream.jog import Jog, JogSettings
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest

DT = 0.01
TIP = 'panda_hand_tcp'
Q = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
BASE = Pose.identity()


def jog_of(**settings):
    return Jog(arm('panda'), IkOptions(), JogSettings(**settings))


def play(jog, send, seconds, q=Q, start=0.0):
    """Return the targets; ``send`` is called before each period."""
    path = [q]
    for k in range(round(seconds / DT)):
        now = start + k * DT
        send(now)
        path.append(jog.advance(path[-1], now, DT)[0])
    return np.array(path)


def velocities(path):
    """Return the tool's velocity in each period."""
    chain = arm('panda')
    return np.diff([chain.fk(q).position for q in path], axis=0) / DT


def test_a_twist_ramps_up_holds_and_ramps_down_when_it_ends():
    jog = jog_of(ramp_time=0.2, twist_timeout=0.1)
    path = play(jog, lambda now: now < 0.5 and jog.twist(
        TIP, (0.1, 0, 0, 0, 0, 0), now, BASE), 1.0)
    v = velocities(path)[:, 0]
    assert np.abs(np.diff(v)).max() < 0.1 * DT / 0.2 * 1.01  # never faster than the ramp
    np.testing.assert_allclose(v[25:50], 0.1, rtol=1e-3)
    assert v[55] > 0.099  # within the timeout
    assert np.abs(v[82:]).max() == 0.0
    assert not jog.active
    np.testing.assert_allclose(velocities(path)[:, 1:], 0.0, atol=1e-4)


def test_a_zero_twist_stops_smoothly_and_at_once():
    jog = jog_of(ramp_time=0.1)
    path = play(jog, lambda now: jog.twist(
        TIP, (0.1 if now < 0.3 else 0.0, 0, 0, 0, 0, 0), now, BASE), 0.6)
    v = velocities(path)[:, 0]
    assert 0.0 < v[34] < 0.1
    assert np.abs(v[42:]).max() == 0.0
    assert not jog.active


def test_without_a_ramp_the_velocity_is_there_at_once():
    jog = jog_of(ramp_time=0.0)
    path = play(jog, lambda now: now < 0.2 and jog.twist(
        TIP, (0.1, 0, 0, 0, 0, 0), now, BASE), 0.6)
    assert velocities(path)[0, 0] == pytest.approx(0.1, rel=1e-3)
    assert not jog.active


def test_zeros_of_an_idle_joystick_move_nothing():
    jog = jog_of()
    jog.twist(TIP, np.zeros(6), 0.0, BASE)
    jog.joints({'panda_joint1': 0.0}, 0.0)
    assert not jog.active


def test_axes_of_the_tip_turn_with_it():
    """Forward and turning about its own z, the tool goes on a circle."""
    jog, chain = jog_of(ramp_time=0.001), arm('panda')
    path = play(jog, lambda now: jog.twist(TIP, (0.05, 0, 0, 0, 0, 0.8), now), 1.0)
    poses = [chain.fk(q) for q in path]
    for a, b in pairwise(poses[5:]):
        body = (a.inverse() @ b).log() / DT
        np.testing.assert_allclose(body, (0.05, 0, 0, 0, 0, 0.8), atol=5e-3)


def test_axes_of_any_frame():
    jog = jog_of(ramp_time=0.001)
    axes = Pose.from_xyz_rpy((5.0, 6.0, 7.0), (0.0, 0.0, np.pi / 2))  # its x is the base's y
    path = play(jog, lambda now: jog.twist(TIP, (0.1, 0, 0, 0, 0, 0), now, axes), 0.2)
    np.testing.assert_allclose(velocities(path)[5:], [[0.0, 0.1, 0.0]] * 15, atol=2e-3)


def test_joints_move_at_their_velocity_and_stop_at_their_limit():
    jog, chain = jog_of(ramp_time=0.05), arm('panda')
    path = play(jog, lambda now: jog.joints({'panda_joint2': 50.0}, now), 3.0)
    assert np.abs(np.diff(path, axis=0)).max() <= chain.velocity[1] * DT * (1 + 1e-9)
    assert path[-1][1] == chain.upper[1]
    np.testing.assert_array_equal(np.delete(path[-1], 1), np.delete(Q, 1))


def test_the_newest_of_twist_and_joints_counts_and_speeds_hold_in_between():
    jog, chain = jog_of(ramp_time=0.2), arm('panda')

    def send(now):
        if now % 0.4 < 0.2:
            jog.twist(TIP, (0.3, 0, 0.3, 1.0, 0, 0), now, BASE)
        else:
            jog.joints({'panda_joint1': 2.0, 'panda_joint4': -2.0}, now)
    path = play(jog, send, 4.0)
    assert np.all(np.abs(np.diff(path, axis=0)) <= chain.velocity * DT * (1 + 1e-9))
    assert all(chain.within_limits(q, 1e-12) for q in path)


def test_velocity_scaling_holds():
    jog, chain = jog_of(rate=100.0, velocity_scaling=0.1, ramp_time=0.01), arm('panda')
    path = play(jog, lambda now: jog.twist(TIP, (0, 1.0, 0, 0, 0, 0), now, BASE), 0.5)
    steps = np.abs(np.diff(path, axis=0)) / (chain.velocity * DT)
    assert 0.09 < steps.max() <= 0.1 * (1 + 1e-9)


def test_unitless_commands_are_shares_of_the_scales():
    jog = jog_of(command_in_type='unitless', twist_linear_scale=0.08, ramp_time=0.001)
    path = play(jog, lambda now: jog.twist(TIP, (0.5, 0, 0, 0, 0, 0), now, BASE), 0.2)
    np.testing.assert_allclose(velocities(path)[5:, 0], 0.04, rtol=1e-2)
    with pytest.raises(DqIkError, match=r'unitless commands are from -1 to 1'):
        jog.twist(TIP, (2.0, 0, 0, 0, 0, 0), 0.0, BASE)


@pytest.mark.parametrize(('given', 'followed'), [(0.02, 0.0), (0.06, 0.04), (0.1, 0.1)])
def test_the_dead_band_swallows_small_commands_and_keeps_full_ones(given, followed):
    """At 0.2 of 0.1 m/s: zero up to 0.02, from there in proportion to 0.1, without a step."""
    jog = jog_of(jog_dead_band=0.2, twist_linear_scale=0.1, ramp_time=0.001)
    path = play(jog, lambda now: jog.twist(TIP, (0, 0, given, 0, 0, 0), now, BASE), 0.2)
    wanted = followed if followed != 0.04 else 0.05
    np.testing.assert_allclose(velocities(path)[5:, 2], wanted, atol=1e-3)


def test_the_low_pass_reaches_63_percent_after_its_time():
    jog = jog_of(jog_filter_time=0.3, ramp_time=0.001)
    path = play(jog, lambda now: jog.twist(TIP, (0, 0, 0.1, 0, 0, 0), now, BASE), 0.6)
    v = velocities(path)[:, 2]
    assert v[29] == pytest.approx(0.1 * (1 - np.exp(-1.0)), rel=0.02)
    assert v[0] < 0.005


@pytest.mark.parametrize(('call', 'said'), [
    (lambda jog: jog.twist(TIP, (np.nan, 0, 0, 0, 0, 0), 0.0, BASE), 'must be finite'),
    (lambda jog: jog.twist(TIP, (np.inf, 0, 0, 0, 0, 0), 0.0, BASE), 'must be finite'),
    (lambda jog: jog.twist(TIP, (1e9, 0, 0, 0, 0, 0), 0.0, BASE), 'at most 1000'),
    (lambda jog: jog.twist(TIP, (1.0, 2.0), 0.0, BASE), 'a twist has 6 numbers'),
    (lambda jog: jog.twist('nowhere', np.zeros(6), 0.0, BASE), 'not one of this chain'),
    (lambda jog: jog.joints({'nobody': 1.0}, 0.0), "no joint 'nobody' to jog; the joints are"),
    (lambda jog: jog.joints({'panda_joint1': np.nan}, 0.0), "'panda_joint1' is \\[nan\\]")])
def test_bad_commands_are_refused_and_move_nothing(call, said):
    jog = jog_of()
    with pytest.raises(DqIkError, match=said):
        call(jog)
    assert not jog.active


def test_bad_settings_are_refused():
    for bad in ({'command_in_type': 'knots'}, {'twist_timeout': 0.0}, {'jog_dead_band': 1.0},
                {'twist_linear_scale': float('nan')}):
        with pytest.raises(OptionError, match=next(iter(bad))):
            JogSettings(**bad)


# --- with the stream of goals --------------------------------------------------------------------

def test_goals_and_twists_take_over_from_each_other_without_a_jump():
    chain = arm('panda')
    settings = JogSettings(rate=100.0, velocity_scaling=0.5, ramp_time=0.2)
    tracker, jog = Tracker(chain, IkOptions(), settings, Q), Jog(chain, IkOptions(), settings)
    path, now = [Q], 0.0
    far = chain.fk(Q + 0.4)
    for k in range(600):
        now = k * DT
        if k % 200 == 0:
            jog.stop()
            tracker.set_goal(TIP, far if k % 400 else chain.fk(Q), now)
        if 50 <= k % 200 < 150:
            if not jog.active:
                tracker.hold()
            jog.twist(TIP, (0.0, 0.1, 0.1, 0, 0, 0), now, BASE)
        if jog.active:
            tracker.set_target(jog.advance(tracker.target, now, DT)[0], now)
        tracker.tick(now, DT)
        path.append(tracker.command)
    steps = np.diff(path, axis=0)
    assert np.all(np.abs(steps) <= 0.5 * chain.velocity * DT * (1 + 1e-6))
    change = np.abs(np.diff(steps, axis=0)) / DT / DT
    assert np.all(change <= 0.5 * chain.velocity / 0.2 * 1.01)


def test_a_target_replaces_the_goals_of_all_tips():
    """A goal of one tip that comes later does not bring back an old goal of another."""
    chain = arm('two_arms')
    left, right = chain.tips
    q = 0.3 * chain.random(np.random.default_rng(1))
    tracker = Tracker(chain, IkOptions(), JogSettings(), q)
    tracker.follow(right, chain.fk(q, right), 0.0)
    moved = chain.clamp(q + 0.1)
    tracker.set_target(moved, 0.1)
    tracker.follow(left, chain.fk(moved, left), 0.2)
    assert max(chain.fk(tracker.command, right).distance(chain.fk(moved, right))) < 2e-5


def test_the_clutch_moves_the_tool_as_the_hand_from_where_it_is():
    clutch = Clutch()
    hand, tool = (Pose.from_xyz_rpy((1, 2, 3), (0.3, 0.2, 0.1)),
                  Pose.from_xyz_rpy((0.3, 0.1, 0.5), (3.0, 0.0, 0.0)))
    assert clutch.pose('t', hand, tool) is None
    clutch.turn(True)
    assert max(clutch.pose('t', hand, tool).distance(tool)) < 1e-9  # no jump
    turn, by = Pose.from_xyz_rpy((0, 0, 0), (0.0, 0.0, 0.2)), (0.1, 0.0, -0.1)
    moved = Pose.from_xyz_wxyz(np.add(hand.position, by), (turn @ hand).quaternion)
    wanted = clutch.pose('t', moved, Pose.identity())
    np.testing.assert_allclose(wanted.position, np.add(tool.position, by), atol=1e-12)
    assert wanted.distance(turn @ tool)[1] < 1e-9
    clutch.turn(False)
    assert clutch.pose('t', hand, wanted) is None
    clutch.turn(True)
    assert max(clutch.pose('t', hand, wanted).distance(wanted)) < 1e-9  # anchored anew


# --- at the keyboard -----------------------------------------------------------------------------

def keys_of_a_minute():
    """Return times and keys as a restless user gives them, with repeats of the terminal."""
    rng = np.random.default_rng(11)
    now = 0.0
    while now < 60.0:
        key = str(rng.choice(list('wsadrfikjluo12345!@#+-t ')))
        held = rng.choice([0.0, rng.uniform(0.3, 1.5)])
        yield now, key
        repeat = now + 0.3
        while repeat < now + held:
            yield repeat, key
            repeat += 0.033
        now = repeat + rng.uniform(0.0, 0.6)


@pytest.mark.parametrize('limited', [False, True])
def test_a_minute_of_keyboard_jogging_has_no_jump(limited):
    chain = arm('panda')
    more = {'rate': 100.0, 'velocity_scaling': 1.0} if limited else {}
    settings = JogSettings(**more)
    tracker, jog = Tracker(chain, IkOptions(), settings, Q), Jog(chain, IkOptions(), settings)
    keyboard = Keyboard([TIP], chain.base, list(chain.joint_names))
    events, path, moved = list(keys_of_a_minute()), [Q], 0
    for k in range(6100):
        now = k * DT
        while events and events[0][0] <= now:
            keyboard.press(events[0][1], events.pop(0)[0])
        if k % 2 == 0:
            order = keyboard.order(now)
            if order is not None and order.joints:
                jog.joints(order.joints, now)
            elif order is not None:
                jog.twist(order.tip, order.twist, now, BASE if order.frame == chain.base else None)
        if jog.active:
            tracker.set_target(jog.advance(tracker.target, now, DT)[0], now)
            moved += 1
        tracker.tick(now, DT)
        path.append(tracker.command)
    steps = np.abs(np.diff(path, axis=0))
    assert moved > 2000
    assert np.all(steps <= chain.velocity * DT * (1 + 1e-6))
    assert np.ptp(path, axis=0).min() > 0.01  # every joint was at work
    assert all(chain.within_limits(q, 1e-12) for q in path)
    assert not steps[-50:].any()


# --- displacements -------------------------------------------------------------------------------

WAY = {'panda_joint1': 0.3, 'panda_joint4': -0.1}
NAMES = [f'panda_joint{k}' for k in range(1, 8)]


def speeds(path):
    return np.abs(np.diff(path, axis=0)) / DT


def displaced(path):
    return dict(zip(NAMES, (path[-1] - path[0]).tolist()))


@pytest.mark.parametrize(('given', 'top', 'time'), [
    ({}, 0.5, 0.6 + 0.2), ({'duration': 1.0}, 0.3, 1.0 + 0.2),
    ({'velocities': {'panda_joint1': 0.2, 'panda_joint4': -1.0}}, 0.2, 1.5 + 0.2),
    ({'duration': 1e-3}, 2.175, 0.3 / 2.175 + 0.2)])
def test_a_displacement_is_gone_exactly_at_its_speed(given, top, time):
    """All joints begin and arrive together; the speed rises and falls within ``ramp_time``."""
    jog = jog_of(ramp_time=0.2)
    jog.displace(WAY, **given)
    path = play(jog, lambda now: None, time + 0.1)
    assert displaced(path) == pytest.approx({**dict.fromkeys(NAMES, 0.0), **WAY}, abs=1e-12)
    assert not jog.active
    measured = speeds(path)
    assert measured.max() <= top * (1 + 1e-9)
    assert np.abs(np.diff(measured, axis=0)).max() <= top / 0.2 * DT * 1.1
    np.testing.assert_allclose(measured[:, 3], measured[:, 0] / 3.0, atol=0.02)
    moving = np.flatnonzero(measured[:, 0])
    assert len(moving) * DT == pytest.approx(time, abs=0.1) or given == {'duration': 1e-3}


def test_a_displacement_ends_at_a_limit():
    jog = jog_of(ramp_time=0.1)
    jog.displace({'panda_joint4': 3.0}, {'panda_joint4': 2.0})
    path = play(jog, lambda now: None, 3.0)
    assert path[-1, 3] == arm('panda').upper[3]
    assert path.max(axis=0)[3] <= arm('panda').upper[3]


def test_a_newer_displacement_replaces_what_is_left_without_a_jump():
    jog = jog_of(ramp_time=0.2)
    jog.displace({'panda_joint1': 1.0})
    before = play(jog, lambda now: None, 0.5)
    jog.displace({'panda_joint1': -0.1})
    after = play(jog, lambda now: None, 2.0, before[-1], 0.5)
    assert after[-1, 0] - after[0, 0] == pytest.approx(-0.1, abs=1e-9)
    steps = np.diff(np.concatenate([before, after[1:]]), axis=0)[:, 0] / DT
    assert np.abs(np.diff(steps)).max() <= 0.5 / 0.2 * DT * 1.1


def test_a_displacement_of_another_joint_stops_the_first():
    jog = jog_of(ramp_time=0.2)
    jog.displace({'panda_joint1': 1.0})
    before = play(jog, lambda now: None, 0.5)
    jog.displace({'panda_joint2': 0.1})
    after = play(jog, lambda now: None, 1.0, before[-1], 0.5)
    assert after[-1, 1] - after[0, 1] == pytest.approx(0.1, abs=1e-9)
    assert abs(after[-1, 0] - after[0, 0]) < 0.06  # the way of braking
    assert not jog.active


@pytest.mark.parametrize('other', ['velocity', 'twist', 'nothing', 'stop'])
def test_other_commands_end_a_displacement(other):
    jog = jog_of(ramp_time=0.2)
    jog.displace({'panda_joint1': 2.0})
    before = play(jog, lambda now: None, 0.5)
    {'velocity': lambda: jog.joints({'panda_joint2': 0.0}, 0.5),
     'twist': lambda: jog.twist(TIP, (0.0,) * 6, 0.5, BASE),
     'nothing': lambda: jog.displace({'panda_joint1': 0.0}),
     'stop': jog.stop}[other]()
    after = play(jog, lambda now: None, 1.0, before[-1], 0.5)
    assert abs(after[-1, 0] - after[0, 0]) < 0.06  # the way of braking
    assert not jog.active


def test_a_displacement_of_nothing_moves_nothing():
    jog = jog_of()
    jog.displace({'panda_joint1': 0.0})
    assert not jog.active


@pytest.mark.parametrize(('given', 'said'), [
    (({'nobody': 0.1},), "no joint 'nobody' to jog"),
    (({'panda_joint1': float('nan')},), 'must be finite'),
    (({'panda_joint1': 0.1}, {'panda_joint1': 0.0}), 'displacement with the velocity 0'),
    (({'panda_joint1': 0.1}, None, float('inf')), 'duration of a joint jog is inf'),
])
def test_bad_displacements_are_refused(given, said):
    jog = jog_of()
    with pytest.raises(DqIkError, match=said):
        jog.displace(*given)
    assert not jog.active
