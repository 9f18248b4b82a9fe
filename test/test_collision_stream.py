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

"""Streams among bodies: nothing collides, whatever the goals, the rate and the world do."""

from __future__ import annotations

import itertools

from collision_robots import scene_of
import dq_ik
from dq_ik import Pose, Status
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Cylinder, Sphere
from dq_ik.demo.choices import find_robot
from dq_ik.errors import CollisionError
from dq_ik.stream.guard import DISTANCE, Guard
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.steps import Following, Steps
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest

DOWN = (3.14159, 0.0, 0.0)
READY = np.array([-0.6, -0.8, 0.0, -2.3, 0.0, 1.6, 0.8])  # the elbow above the tool
START = Pose.from_xyz_rpy((0.45, -0.3, 0.5), DOWN)


def start_of(chain, pose=START):
    """Return a posture of the arm at a pose."""
    result = dq_ik.Solver(chain, mode='distance').solve(pose, READY)
    assert result.success
    return result.q


def line(start: Pose, end: Pose, count: int) -> np.ndarray:
    """Return poses on the way between two."""
    return np.array([start.interpolate(end, k / count).matrix for k in range(1, count + 1)])


def swept(scene, q: np.ndarray, parts: int = 10) -> bool:
    """Tell whether all configurations, and those between them, are free."""
    share = np.arange(1, parts + 1)[:, None] / parts
    return all(scene.free(a + share * (b - a)).all() for a, b in itertools.pairwise(q))


@pytest.mark.parametrize('seed', range(5))
def test_derivatives_of_gaps_are_those_of_central_differences(seed):
    """All rows, of bodies and of things, by each variable."""
    scene = scene_of('panda')
    rng = np.random.default_rng(seed)
    for number in range(3):
        scene.world.add(f'ball{number}', Sphere(0.05), Pose.from_xyz_rpy(
            rng.uniform((0.2, -0.5, 0.1), (0.7, 0.5, 0.8)), (0, 0, 0)))
    scene.world.add('held', Box((0.05, 0.05, 0.05)), Pose.from_xyz_rpy((0, 0, 0.2), (0, 0, 0)),
                    link='panda_hand')
    guard, chain = Guard(scene), scene.chain
    q = chain.spread(rng.random((1000, chain.n)))
    q = q[scene.free(q)][0]
    contacts, derivatives = guard.gaps(q, 0.3)
    step, checked = 1e-6, 0
    for i in range(chain.n):
        up, down = (guard.gaps(q + side * np.eye(chain.n)[i], 0.3)[0] for side in (step, -step))
        assert len(up) == len(down) == len(contacts)
        for a, b, row in zip(up, down, derivatives):
            assert row[i] == pytest.approx((a.distance - b.distance) / (2 * step), abs=2e-5)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize('policy', ['intercept', 'best_reach', 'stop'])
def test_stream_far_from_bodies_has_the_bits_of_one_without_a_scene(policy):
    """What no row forbids is taken as it is; plans and the push off limits are left out."""
    scene = scene_of('panda')
    following = Following(policy=policy, look_ahead=False, barrier=0.0)
    q = start_of(scene.chain)
    poses = line(START, Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN), 300)
    free = Steps(scene.chain, q, scene.chain.velocity, following=following).run(poses, 0.01)
    kept = Steps(scene.chain, q, scene.chain.velocity, following=following, scene=scene).run(
        poses, 0.01)
    assert free.success.all()
    assert np.array_equal(free.q, kept.q)


def test_stream_that_is_to_stop_stops_at_once_with_a_scene_too():
    """Where its goals lead out of reach, it stays at the last one that it met."""
    scene = scene_of('panda')
    following = Following(policy='stop', look_ahead=False, barrier=0.0)
    q, dt = start_of(scene.chain), 0.002
    poses = line(START, Pose.from_xyz_rpy((0.45, -1.2, 0.5), DOWN), 900)
    found = Steps(scene.chain, q, scene.chain.velocity, following=following, scene=scene).run(
        poses, dt)
    last = int(np.flatnonzero(found.success)[-1])
    assert 10 < last < 890
    assert np.abs(found.q[last] - found.q[last - 1]).max() > 0.5 * dt
    assert (found.q[last:] == found.q[last]).all()


@pytest.mark.parametrize('dt', [0.001, 0.002, 0.01, 0.05, 0.1])
@pytest.mark.parametrize('thick', [0.001, 0.05])
def test_goal_that_jumps_across_a_sheet_is_never_reached_through_it(dt, thick):
    """A sheet of 1 mm is not tunnelled at any rate; the way is free between the answers too."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('sheet', Box((0.8, thick, 2.0)), Pose.from_xyz_rpy((0.6, 0, 0.5), (0, 0, 0)))
    assert not scene.collides(q)
    steps = Steps(scene.chain, q, scene.chain.velocity, scene=scene)
    goals = [Pose.from_xyz_rpy((0.45, y, 0.5), DOWN) for y in (0.3, -0.3, 0.35)]
    answers = [q]
    for k in range(int(4.0 / dt)):
        answers.append(steps.step(goals[int(k * dt / 1.5) % 3], dt).q)
    assert swept(scene, np.array(answers))
    kept = min(scene.clearance(end).distance for end in answers[::10])
    assert kept > (0.9 * DISTANCE if dt <= 0.002 else scene.margin)


@pytest.mark.parametrize('scaling', [0.0, 1.0])
def test_tracker_does_not_tunnel_with_and_without_speed_limits(scaling):
    """Also where speeds have no limit and goals are answered at once."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('sheet', Box((0.8, 0.001, 2.0)), Pose.from_xyz_rpy((0.6, 0, 0.5), (0, 0, 0)))
    tracker = Tracker(scene.chain, settings=StreamSettings(velocity_scaling=scaling), q=q,
                      scene=scene)
    commands = [q]
    for k in range(200):
        y = 0.3 if k // 50 % 2 == 0 else -0.3
        tracker.follow('panda_hand', Pose.from_xyz_rpy((0.45, y, 0.5), DOWN), 0.02 * k)
        commands.append(tracker.command)
    assert swept(scene, np.array(commands), 30)


def test_blocked_stream_names_the_pair_and_the_distance():
    """It says who is in the way, and leads on when the way is free again."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('wall', Box((2.0, 0.02, 2.0)), Pose.from_xyz_rpy((0, 0, 0.5), (0, 0, 0)))
    scene.world.move('wall', Pose.from_xyz_rpy((1.2, 0, 0.5), (0, 0, 0)))
    tracker = Tracker(scene.chain, q=q, scene=scene)
    goal = Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN)
    result, now = tracker.follow('panda_hand', goal, 0.0), 0.0
    while now < 3.0:
        now += 0.01
        result = tracker.answer(now)
    assert result.status is Status.BLOCKED
    assert not result.success
    assert 'wall' in result.contact[:2]
    assert 0.9 * DISTANCE < result.contact.distance < 1.5 * DISTANCE
    assert 'blocked' in result.message
    assert 'wall' in result.message
    assert tracker.phase == 'blocked'
    assert tracker.pending
    answer = tracker.free_answer()
    assert answer.success
    assert not scene.collides(answer.q)
    scene.world.remove('wall')
    while now < 6.0 and not result.success:
        now += 0.01
        result = tracker.answer(now)
    assert result.success
    assert tracker.phase == 'following'


def test_blocked_stream_stays_blocked_however_uneven_its_steps_are():
    """As those of a node on a busy machine."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('wall', Box((0.8, 0.002, 2.0)), Pose.from_xyz_rpy((0.7, 0, 0.5), (0, 0, 0)))
    tracker = Tracker(scene.chain, settings=StreamSettings(rate=200.0), q=q, scene=scene)
    goal = Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN)
    rng, now, seen = np.random.default_rng(0), 0.0, []
    for k in range(3000):
        if k % 20 == 0 and k < 1500:
            tracker.set_goal('panda_hand', goal, now)
        dt = rng.choice([0.002, 0.005, 0.007, 0.01])
        now += dt
        seen.append(tracker.tick(now, dt))
    names = [result.status.name for result in seen if result is not None]
    assert [name for name, _ in itertools.groupby(names)] == ['ON_THE_WAY', 'BLOCKED']


@pytest.mark.parametrize('beside', [0.05, 0.08])
def test_stream_slides_round_a_pillar_and_meets_its_goal(beside):
    """A path that leads the hand into a pillar beside it is followed round the pillar."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('pillar', Cylinder(0.05, 0.6), Pose.from_xyz_rpy(
        (0.45 + beside, 0.0, 0.45), (0, 0, 0)))
    poses = line(START, Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN), 600)
    poses = np.concatenate([poses, np.repeat(poses[-1:], 400, axis=0)])
    blind = Steps(scene.chain, q, scene.chain.velocity).run(poses, 0.004)
    found = Steps(scene.chain, q, scene.chain.velocity, scene=scene).run(poses, 0.004)
    assert not scene.free(blind.q).all()
    assert swept(scene, np.array([q, *found.q]), 3)
    assert 0.3 < found.success.mean() < 1.0
    assert found.success[-100:].all()


def test_start_in_collision_may_be_left_but_not_deepened():
    """Goals deeper inside move nothing inwards; goals outside lead out."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    place = scene.chain.fk(q).position
    scene.world.add('slab', Box((0.6, 0.6, 0.3)), Pose.from_xyz_rpy(
        (place[0], place[1] - 0.28, place[2]), (0, 0, 0)))
    assert scene.collides(q)

    def depth(posture):
        return max(scene.chain.fk(posture).position[1] - q_y for q_y in [place[1]])

    steps = Steps(scene.chain, q, scene.chain.velocity, scene=scene)
    inside = Pose.from_xyz_rpy((place[0], place[1] - 0.2, place[2]), DOWN)
    for _ in range(100):
        answer = steps.step(inside, 0.01)
        assert not answer.success
        assert depth(answer.q) > -1e-3
    outside = Pose.from_xyz_rpy((place[0], place[1] + 0.3, place[2]), DOWN)
    for _ in range(300):
        answer = steps.step(outside, 0.01)
    assert answer.success
    assert not scene.collides(answer.q)


def test_motion_with_limited_acceleration_stays_free():
    """The commands of a tracker with a rate, and the way between them."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('sheet', Box((0.8, 0.001, 2.0)), Pose.from_xyz_rpy((0.6, 0, 0.5), (0, 0, 0)))
    settings = StreamSettings(rate=250.0)
    tracker = Tracker(scene.chain, settings=settings, q=q, scene=scene)
    commands = [q]
    for k in range(1500):
        if k % 20 == 0:
            y = 0.3 if k // 500 % 2 == 0 else -0.3
            tracker.set_goal('panda_hand', Pose.from_xyz_rpy((0.45, y, 0.5), DOWN), 0.004 * k)
        tracker.tick(0.004 * k, 0.004)
        commands.append(tracker.command)
    assert swept(scene, np.array(commands), 3)
    assert tracker.forced_stops == 0


@pytest.mark.parametrize('limiting', ['path', 'joint'])
def test_joints_keep_to_the_route_that_is_free(limiting):
    """With small accelerations the command is far behind its target; it cuts no corner."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('pillar', Cylinder(0.05, 0.6), Pose.from_xyz_rpy((0.5, 0.0, 0.45), (0, 0, 0)))
    settings = StreamSettings(rate=250.0, acceleration_limit=(1.0,), limiting=limiting)
    tracker, commands = Tracker(scene.chain, settings=settings, q=q, scene=scene), [q]
    poses = line(START, Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN), 400)
    for k in range(1500):
        tracker.set_goal('panda_hand', Pose.from_matrix(poses[min(k, 399)]), 0.004 * k)
        tracker.tick(0.004 * k, 0.004)
        commands.append(tracker.command)
    assert swept(scene, np.array(commands), 3)
    assert tracker.forced_stops == 0
    tracker.watch(None)
    assert tracker.motion.limiting == limiting


def test_thing_that_appears_in_the_way_stops_the_command():
    """It counts more than limits of acceleration; such commands are counted."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    tracker = Tracker(scene.chain, settings=StreamSettings(rate=250.0), q=q, scene=scene)
    commands, goal = [q], Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN)
    tracker.set_goal('panda_hand', goal, 0.0)
    for k in range(1000):
        if 'late' not in scene.world and tracker.chain.fk(tracker.command).position[1] > -0.1:
            speed = np.abs(tracker.qdot).max()
            first = tracker.chain.fk(tracker.command).position
            scene.world.add('late', Box((2.0, 0.01, 2.0)), Pose.from_xyz_rpy(
                (1.3, first[1] + 0.2, 0.5), (0, 0, 0)))
            assert not scene.collides(tracker.command)
            assert speed > 0.1
            begin = len(commands) - 1
        tracker.tick(0.004 * k, 0.004)
        commands.append(tracker.command)
    assert swept(scene, np.array(commands[begin:]), 3)


def test_targets_of_a_jog_stop_short_of_bodies():
    """A joint that is jogged into a wall stands before it, and leads away freely."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('table', Box((0.6, 2.0, 0.1)), Pose.from_xyz_rpy((0.7, 0, 0.1), (0, 0, 0)))
    assert not scene.collides(q)
    tracker = Tracker(scene.chain, q=q, scene=scene)
    commands = [q]
    for k in range(600):
        step = np.zeros(scene.chain.n)
        step[1] = 0.005 if k < 400 else -0.005
        tracker.set_target(tracker.target + step, 0.01 * k, 0.01)
        tracker.tick(0.01 * k, 0.01)
        commands.append(tracker.command)
    assert swept(scene, np.array(commands), 5)
    assert 0.9 * DISTANCE < scene.clearance(commands[400]).distance < 3.0 * DISTANCE
    assert scene.clearance(commands[-1]).distance > 0.02


@pytest.mark.parametrize(('name', 'base', 'tips'), [
    ('two_arms', None, ('left_tool', 'right_tool')),
    ('talos_reduced', 'torso_2_link', ('gripper_left_base_link', 'gripper_right_base_link'))])
def test_two_arms_of_one_robot_keep_apart(name, base, tips):
    """Each hand goes where the other one was; without a scene the arms run into each other."""
    source, _ = find_robot(name)
    chain = dq_ik.load_robot(source).chain(base, tips)
    scene = Scene.load(chain, source, of_visuals=True)
    rng = np.random.default_rng(3)
    starts = chain.spread(rng.random((2000, chain.n)))
    tried = 0
    for q in starts[scene.free(starts)]:
        places = dict(zip(tips, (chain.fk(q, tip) for tip in tips)))
        ways = {tip: line(places[tip], places[other], 300)
                for tip, other in zip(tips, reversed(tips))}
        goals = [{tip: Pose.from_matrix(way[k]) for tip, way in ways.items()} for k in range(300)]
        blind = Steps(chain, q, chain.velocity)
        if scene.free(np.array([blind.step(goal, 0.004).q for goal in goals])).all():
            continue
        steps = Steps(chain, q, chain.velocity, scene=scene)
        assert swept(scene, np.array([q, *(steps.step(goal, 0.004).q for goal in goals)]), 3)
        tried += 1
        if tried == 3:
            return
    pytest.fail('no hands ran into each other')


def test_scene_of_another_chain_is_refused():
    """As are distances that mean nothing."""
    scene = scene_of('panda')
    other = dq_ik.load_robot('arm6').chain()
    with pytest.raises(CollisionError, match='another chain'):
        Steps(other, other.neutral, other.velocity, scene=scene)
    for distance in (0.0, 1e-5, 1.0, float('nan')):
        with pytest.raises(CollisionError, match='distance to keep'):
            Guard(scene, distance)


def test_scene_can_be_taken_and_left_while_the_stream_goes_on():
    """As the parameter of the node does."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    scene.world.add('wall', Box((0.8, 0.02, 2.0)), Pose.from_xyz_rpy((0.6, 0, 0.5), (0, 0, 0)))
    tracker = Tracker(scene.chain, q=q)
    tracker.watch(scene)
    goal = Pose.from_xyz_rpy((0.45, 0.3, 0.5), DOWN)
    tracker.follow('panda_hand', goal, 0.0)
    for k in range(1, 200):
        result = tracker.answer(0.01 * k)
    assert result.status is Status.BLOCKED
    tracker.watch(None)
    for k in range(200, 500):
        result = tracker.answer(0.01 * k)
    assert result.success
    assert scene.collides(result.q) is False
