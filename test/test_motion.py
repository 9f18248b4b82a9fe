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
"""Limits of the motion: velocity, acceleration, jerk; targets in order; changes in motion."""

from __future__ import annotations

import math
from random import Random

from arms import arm, PATIENT
from dq_ik import load_robot, Pose, Solver
from dq_ik.errors import DqIkError, OptionError, SeedError
from dq_ik.options import IkOptions
from dq_ik.robot.bundled import example_robots
from dq_ik.stream.limits import braking_speed, MotionLimits, smooth_window, stopping_way
from dq_ik.stream.motion import Motion
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest
from tools.fuzz.motion_judge import MotionJudge, Record
from tools.fuzz.motions import Case, run_case

DT = 0.002


def motion(n=2, velocity=1.0, acceleration=5.0, jerk=math.inf, **options):
    return Motion(np.zeros(n), MotionLimits.of(n, velocity, acceleration, jerk),
                  lower=[-9.0] * n, upper=[9.0] * n, **options)


def run(m, steps, dt=DT):
    """Return positions and velocities of so many steps."""
    track = [m.step(dt) for _ in range(steps)]
    return np.array([q for q, _ in track]), np.array([v for _, v in track])


def rates(v, dt=DT):
    """Return accelerations and jerks of a motion from rest."""
    a = np.diff(v, axis=0, prepend=0.0) / dt
    return a, np.diff(a, axis=0, prepend=0.0) / dt


# --- one coordinate ------------------------------------------------------------------------------

@pytest.mark.parametrize('seed', range(30))
def test_stopping_way_is_that_of_a_fine_simulation(seed):
    """Jerk -j until braking is as hard as it may be, then +j so that speed and braking end."""
    rng = np.random.default_rng(seed)
    v, a, most, j = rng.uniform((0.1, -0.4, 1.0, 2.0), (2.0, 2.0, 5.0, 50.0)).tolist()
    if a < 0 and a * a >= 2 * j * v:
        a = 0.0
    way, dt, expected = 0.0, 2e-5, stopping_way(v, a, most, j)
    while v > 1e-4 and way < 100:
        a = max(a - j * dt, -most) if v > a * a / (2 * j) or a > 0 else a + j * dt
        v += a * dt
        way += v * dt
    assert way == pytest.approx(expected, rel=2e-3, abs=1e-4)


@pytest.mark.parametrize('v', [0.03, 0.4, 2.0])
def test_stopping_way_is_continuous_where_the_motion_begins_to_turn_back(v):
    """A jump there makes a braking joint swing back by centimetres."""
    jerk = 15.0
    ways = [stopping_way(v, -share * math.sqrt(2.0 * jerk * v), 20.0, jerk)
            for share in (1.0 - 1e-9, 1.0 + 1e-9)]
    assert ways[1] == pytest.approx(ways[0], rel=1e-4)


@pytest.mark.parametrize('way', [8e-9, 8e-12])
def test_a_window_leads_to_the_target_in_one_period_where_the_jerk_allows(way):
    _, high = smooth_window(0.0, 0.0, 0.01, 0.8, 27.0, 6000.0, 27.0, 6000.0, way, 0.0)
    assert 0.9 * way <= high * 0.01 <= way


def test_braking_speed_leaves_the_way_to_stop():
    for way in (1e-9, 0.01, 3.0):
        v = braking_speed(way, 0.01, 4.0)
        assert v * 0.01 + v * v / 8.0 == pytest.approx(way)


# --- rest to rest --------------------------------------------------------------------------------

@pytest.mark.parametrize('limiting', ['path', 'joint'])
@pytest.mark.parametrize('jerk', [math.inf, 40.0])
@pytest.mark.parametrize('target', [0.001, 0.05, 1.0, -2.0])
def test_motion_keeps_its_limits_and_arrives_without_overshoot(limiting, jerk, target):
    m = motion(velocity=[1.0, 0.5], acceleration=[5.0, 2.5], jerk=jerk, limiting=limiting)
    goal = np.array([target, -target])
    m.aim(goal)
    q, v = run(m, 3000)
    a, j = rates(v)
    assert (np.abs(v) <= m.limits.velocity * (1 + 1e-9)).all()
    assert (np.abs(a) <= m.limits.acceleration * (1 + 1e-9)).all()
    assert (np.abs(j) <= jerk * (1 + 1e-6)).all()
    assert (q * np.sign(goal) <= np.abs(goal) + 1e-12).all()
    np.testing.assert_allclose(q[-1], goal, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(v[-1], 0.0)
    assert not m.qdot.any()


def test_the_time_of_a_move_is_nearly_the_least():
    """Ruckig's time of this move is v/a + way/v = 0.7 s."""
    m = motion(velocity=2.0, acceleration=10.0)
    m.aim([1.0, 0.3])
    q, _ = run(m, 500)
    arrived = DT * np.argmax(np.abs(q - [1.0, 0.3]).max(axis=1) < 1e-6)
    assert 0.7 <= arrived < 0.72


def test_whole_steps_keep_the_straight_line_and_single_joints_do_not():
    goal = np.array([1.0, 0.2])
    off = {}
    for limiting in ('path', 'joint'):
        m = motion(limiting=limiting)
        m.aim(goal)
        q, _ = run(m, 1500)
        off[limiting] = np.abs(q[:, 1] - 0.2 * q[:, 0]).max()
    assert off['path'] < 1e-12
    assert off['joint'] > 0.05


def test_joints_without_limits_move_at_once():
    m = motion(velocity=math.inf, acceleration=math.inf)
    m.aim([1.0, -1.0])
    q, _ = run(m, 3)
    np.testing.assert_allclose(q[-1], [1.0, -1.0], atol=1e-6)


def test_targets_beyond_the_limits_are_at_the_limits():
    m = motion()
    m.aim([99.0, -99.0])
    q, _ = run(m, 8000)
    np.testing.assert_array_equal(q[-1], [9.0, -9.0])
    assert (np.abs(q) <= 9.0).all()


# --- targets in order ----------------------------------------------------------------------------

def test_a_target_that_turns_back_is_not_passed_for_an_earlier_one():
    m = motion()
    m.aim([1.0, 1.0])
    run(m, 50)
    m.aim([0.8, 0.7])
    q, _ = run(m, 3000)
    assert (q <= [0.8 + 1e-12, 0.7 + 1e-12]).all()


def test_a_stream_that_comes_back_does_not_make_the_arm_retrace_it():
    """The target runs out 2 rad and back at ten times the arm's speed."""
    m = motion()
    for k in range(200):
        m.aim([2.0 * math.sin(math.pi * k / 200), 0.0])
        m.step(DT)
    q, _ = run(m, 2000)
    assert q[:, 0].max() < 0.5
    assert abs(q[-1, 0]) < 0.04


@pytest.mark.parametrize('turns', [3, 30])
def test_a_circle_faster_than_the_arm_is_cut_short_and_the_end_is_reached(turns):
    m = motion()
    for k in range(1000):
        angle = 2 * math.pi * turns * k / 999
        m.aim([math.cos(angle) - 1.0, math.sin(angle)])
        m.step(DT)
    q, _ = run(m, 4000)  # 8 s; one turn takes 6.3 s
    np.testing.assert_allclose(q[-1], 0.0, atol=1e-9)


def test_sparse_targets_are_passed_smoothly_without_a_stop():
    """Ten targets a second on a curve, ahead of the arm: it must not stop at each of them."""
    m = motion(velocity=0.5, acceleration=2.0)
    speeds = []
    for k in range(1500):
        if k % 50 == 0:
            m.aim([math.sin(1.2 * DT * k), 1.0 - math.cos(1.2 * DT * k)])
        _, v = m.step(DT)
        speeds.append(np.linalg.norm(v))
    assert min(speeds[300:]) > 0.3


def test_a_sharp_bend_slows_down_its_surroundings_alone():
    """A whole piece as slow as the corner at its end would take 2.25 s."""
    m = motion()
    for target in ([0.4, 0.0], [0.8, 0.0], [0.8, 0.4]):
        m.aim(target)
    q, _ = run(m, 1500)
    arrived = DT * np.argmax(np.abs(q - [0.8, 0.4]).max(axis=1) < 1e-6)
    assert 1.0 < arrived < 2.1


def test_the_speed_is_even_where_joints_may_stop_at_once():
    """A limit that begins within a period is no reason to stop before it."""
    m = motion(velocity=0.3, acceleration=math.inf)
    rng = np.random.default_rng(3)
    for k in range(600):
        m.aim([math.sin(0.002 * k), 1.0 - math.cos(0.002 * k)])
        m.step(DT * rng.uniform(0.5, 1.5))
    shares = [np.abs(m.step(DT * rng.uniform(0.5, 1.5))[1]).max() / 0.3 for _ in range(500)]
    assert min(shares) > 0.95


def test_a_lagging_command_stays_on_the_path_of_the_targets():
    """A quarter of a circle at four times the speed of the arm."""
    m = motion(velocity=0.5, acceleration=3.0)
    q = []
    for k in range(3000):
        angle = min(0.5 * math.pi, 2.0 * DT * k)
        m.aim([math.sin(angle), 1.0 - math.cos(angle)])
        q.append(m.step(DT)[0])
    radius = np.hypot(*(np.array(q) - [0.0, 1.0]).T)
    assert np.abs(radius - 1.0).max() < 2e-5
    np.testing.assert_allclose(q[-1], [1.0, 1.0], atol=1e-9)


@pytest.mark.parametrize('limiting', ['path', 'joint'])
@pytest.mark.parametrize('jerk', [math.inf, 100.0])
def test_stop_brakes_and_stays(limiting, jerk):
    m = motion(jerk=jerk, limiting=limiting)
    m.aim([3.0, 1.0])
    run(m, 500)
    v0, before = m.qdot, m.q
    m.stop()
    q, v = run(m, 500)
    assert (np.abs(rates(np.vstack([v0, v]))[0][1:]) <= 5.0 * (1 + 1e-9)).all()
    assert not v[-1].any()
    least = v0 ** 2 / 10.0
    assert (q[-1] - before <= least + 0.12 * np.abs(v0) + 1e-9).all()
    m.aim([3.0, 1.0])
    q, _ = run(m, 3000)
    np.testing.assert_allclose(q[-1], [3.0, 1.0], atol=1e-12)


# --- limits that change in motion ----------------------------------------------------------------

@pytest.mark.parametrize('limiting', ['path', 'joint'])
@pytest.mark.parametrize('slower', [{'velocity_scaling': 0.05}, {'ramp_time': 10.0}])
def test_slowing_down_in_motion_passes_no_target(limiting, slower):
    """It brakes with the acceleration that it had: the new one is too small to stop in time."""
    chain = arm('panda')
    start = 0.5 * (chain.lower + chain.upper)
    settings = {'rate': 500.0, 'velocity_scaling': 1.0, 'ramp_time': 0.2, 'limiting': limiting}
    t = Tracker(chain, IkOptions(), StreamSettings(**settings), start)
    goal = start + 0.8 * np.array([1, -1, 1, -1, 1, -1, 1])
    t.set_goal(chain.tips[0], chain.fk(goal), 0.0)
    bound = chain.velocity / 0.2
    last = t.qdot
    for k in range(6000):
        if k == 100:
            t.configure(IkOptions(), StreamSettings(**{**settings, **slower}))
        t.tick(DT * k, DT)
        assert (np.abs(t.qdot - last) <= bound * DT * 1.001).all()
        last = t.qdot
        way = np.sign(t.target - start)
        assert (way * (t.command - t.target) <= 1e-9).all()
    assert np.abs(t.command - t.target).max() < 1e-9


@pytest.mark.parametrize('limiting', ['path', 'joint'])
@pytest.mark.parametrize('smooth', [False, True])
def test_a_stream_of_changing_limits_keeps_every_rule(limiting, smooth):
    """More of them: ``make fuzz ARGS="--motion --minutes 5"``."""
    for seed in range(6):
        judge = Case(np.random.default_rng([7, seed]), limiting, smooth).run(2000)
        assert judge.ticks >= 2000
        assert not +judge.faults, (seed, judge.worst, judge.where)


@pytest.mark.parametrize('case', [
    pytest.param('991 38', id='a braking joint stands before it is almost at rest'),
    pytest.param('991 269', id='the same, other limits'),
    pytest.param('991 113', id='a target counts as passed just before it is'),
    pytest.param('991 373', id='one sharp bend slows down a long piece'),
    pytest.param('991 552', id='the last micrometres take a second'),
    pytest.param('991 763', id='a long way to and fro takes its time'),
    pytest.param('2024 77', id='braking with old limits turns a joint around'),
    pytest.param('2024 472', id='a target that comes back leaves a route within a piece'),
])
def test_what_the_fuzz_has_found_keeps_every_rule(case):
    assert not run_case(Random(case)).violations


def record(m, targets, ticks):
    """Return the record of a motion of one joint that goes from 0 to targets."""
    n = len(m.q)
    r = Record(m.q, np.full(n, -9.0), np.full(n, 9.0), m.limiting == 'path')
    r.limits.append((0, np.stack([m.limits.velocity, m.limits.acceleration, m.limits.jerk])))
    for tick in range(ticks):
        if tick in targets:
            m.aim(targets[tick])
            r.targets.append((tick, np.array(targets[tick])))
        q, v = m.step(DT)
        r.dt.append(DT)
        r.q.append(q)
        r.v.append(v)
    return r


FAULTS = {
    'velocity is not that of the positions': lambda r: r.v.__setitem__(30, r.v[30] + 1e-9),
    'beyond a joint limit': lambda r: setattr(r, 'upper', np.array([0.9, 0.9])),
    'acceleration': lambda r: r.limits.__setitem__(0, (0, r.limits[0][1] * [[1], [0.99], [1]])),
    'speed': lambda r: r.limits.__setitem__(0, (0, r.limits[0][1] * [[0.99], [1], [1]])),
    'jerk': lambda r: r.limits.__setitem__(0, (0, np.vstack([r.limits[0][1][:2], [[9, 9]]]))),
    'overshoot': lambda r: r.targets.__setitem__(0, (0, r.targets[0][1] - 2e-9)),
    'does not arrive': lambda r: r.targets.__setitem__(0, (0, r.targets[0][1] + 2e-12)),
    'does not rest': lambda r: [v.__iadd__(1e-10) for v in r.v[-5:]]}


@pytest.mark.parametrize('limiting', ['path', 'joint'])
@pytest.mark.parametrize('fault', FAULTS)
def test_the_judge_of_motions_finds_each_fault(limiting, fault):
    r = record(motion(limiting=limiting), {0: [1.0, 0.5]}, 4000)
    good = MotionJudge(r)
    assert not +good.faults
    assert good.rests == 1
    FAULTS[fault](r)
    assert fault in +MotionJudge(r).faults


# --- the tool on its line ------------------------------------------------------------------------

STARTS = {'panda': (0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8),
          'ur5_robot': (0.2, -1.2, 1.6, -1.9, -1.57, 0.3)}
WAYS = ((-0.1, 0.5, -0.15), (0.0, 0.0, -0.3), (-0.15, 0.3, 0.1), (0.1, -0.3, 0.0),
        (0.05, -0.2, -0.25))
# Tool speed [m/s], and rate of the targets [Hz].
PACES = ((0.1, 100), (0.5, 500), (1.5, 1000), (1.5, 100), (0.5, 1000), (0.1, 500))


def line_targets(chain, q, way, speed, rate):
    """Return solutions along a straight line of the tool."""
    solver, x = Solver(chain, max_restarts=0, timeout=PATIENT), chain.fk(q)
    length = np.linalg.norm(way)
    found = []
    for share in np.linspace(0, 1, 1 + math.ceil(length / speed * rate))[1:]:
        result = solver.solve(Pose.from_xyz_wxyz(share * way, (1, 0, 0, 0)) @ x, q)
        assert result.success
        q = result.q
        found.append(q)
    return found


@pytest.mark.parametrize('way', WAYS, ids=str)
@pytest.mark.parametrize('name', STARTS)
def test_the_tool_stays_on_its_line(name, way):
    """Within the URDF's speeds, reached in 0.2 s; 1.5 m/s is two to three times too fast."""
    try:
        chain = arm(name) if name == 'panda' else load_robot(example_robots()[name]).chain(
            tips='tool0')
    except DqIkError:
        pytest.skip(f'{name} is not installed')
    off = [off_line(chain, np.array(STARTS[name]), np.array(way), *pace) for pace in PACES]
    assert max(off) < 1e-4, dict(zip(PACES, off))


def off_line(chain, q, way, speed, rate):
    """Return how far the tool leaves a straight line on its way along it [m]."""
    targets = line_targets(chain, q, way, speed, rate)
    limits = MotionLimits.of(chain.n, chain.velocity, chain.velocity / 0.2)
    m = Motion(q, limits, lower=chain.lower, upper=chain.upper)
    start, along, off, given, k = chain.fk(q).position, way / np.linalg.norm(way), 0.0, 0, 0
    while k < 10_000 and (given < len(targets) or np.abs(m.q - targets[-1]).max() > 1e-9):
        while given < len(targets) and given <= k * DT * rate:
            m.aim(targets[given])
            given += 1
        d = chain.fk(m.step(DT)[0]).position - start
        off = max(off, np.linalg.norm(d - along * (along @ d)))
        k += 1
    assert k < 10_000
    return off


# --- where limits come from ----------------------------------------------------------------------

def chosen(**settings):
    return MotionLimits.chosen(arm('panda'), StreamSettings(
        rate=100.0, velocity_scaling=0.5, **settings))


def test_accelerations_come_from_settings_urdf_or_ramp_time():
    chain = arm('panda')
    np.testing.assert_allclose(chosen().acceleration, 0.5 * chain.velocity / 0.2)
    np.testing.assert_allclose(chosen(acceleration_limit=(3.0,)).acceleration, 3.0)
    each = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0)
    given = chosen(acceleration_limit=each, jerk_limit=(50.0,))
    np.testing.assert_allclose(given.acceleration[:6], each[:6])
    assert given.acceleration[6] == pytest.approx(2.5 * chain.velocity[6])
    np.testing.assert_array_equal(given.jerk, 50.0)
    assert np.isinf(chosen().jerk).all()
    assert (chosen(ramp_time=0.0).acceleration >= 1e9).all()


def test_limits_of_acceleration_and_jerk_come_from_the_urdf():
    limit = "<limit lower='-1' upper='1' velocity='2' effort='1' acceleration='7' jerk='90'/>"
    text = (f"<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'>"
            f"<parent link='a'/><child link='b'/>{limit}</joint></robot>")
    chain = load_robot(text).chain()
    assert (chain.acceleration.tolist(), chain.jerk.tolist()) == ([7.0], [90.0])
    limits = MotionLimits.chosen(chain, StreamSettings(rate=100.0, velocity_scaling=1.0))
    assert (limits.acceleration.tolist(), limits.jerk.tolist()) == ([7.0], [90.0])
    for good, bad in (("acceleration='7'", "acceleration='fast'"), ("jerk='90'", "jerk='-1'")):
        with pytest.raises(DqIkError, match=bad.split('=')[0]):
            load_robot(text.replace(good, bad))


def test_bad_limits_and_targets_are_refused():
    with pytest.raises(OptionError, match='3 numbers'):
        chosen(acceleration_limit=(1.0, 2.0, 3.0))
    with pytest.raises(OptionError, match='0 or more'):
        StreamSettings(jerk_limit=(-1.0,))
    with pytest.raises(OptionError, match='path'):
        StreamSettings(limiting='tool')
    with pytest.raises(OptionError, match='above 0'):
        motion().step(0.0)
    with pytest.raises(SeedError, match='finite'):
        motion().aim([math.nan, 0.0])
    with pytest.raises(SeedError, match='2 numbers'):
        motion().aim([0.0])


@pytest.mark.parametrize('limiting', ['path', 'joint'])
def test_a_stopped_motion_comes_to_rest_and_to_its_new_limits(limiting):
    """With limited jerk, too: at rest nothing trembles, and the old limits count no longer."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        dt = float(rng.choice([0.002, 0.01, 0.05]))
        first, then = (MotionLimits.of(3, 2.0, *10.0 ** rng.uniform((0.0, 1.0), (1.7, 3.5)))
                       for _ in range(2))
        m = Motion(np.zeros(3), first, lower=[-3.0] * 3, upper=[3.0] * 3, limiting=limiting)
        m.aim(rng.uniform(-2.0, 2.0, 3))
        run(m, int(rng.uniform(1.0, 1.0 / dt)), dt)
        m.stop()
        m.configure(then, limiting)
        run(m, round(6.0 / dt), dt)
        assert not m.qdot.any(), seed
        m.aim(m.q + np.array([0.5, -0.5, 0.2]))
        _, jerk = rates(run(m, 100, dt)[1], dt)
        assert (np.abs(jerk) <= 1.0001 * then.jerk).all(), seed
