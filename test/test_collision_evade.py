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

"""An arm that rests makes way for an object that comes, and goes back when it has gone."""

from __future__ import annotations

from collision_robots import scene_of
from dq_ik import Pose, Status
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Sphere
from dq_ik.stream.guard import DISTANCE
from dq_ik.stream.in_process import InProcess
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.tracker import Tracker
import numpy as np
import pytest
from test_collision_stream import line, START, start_of

DT = 0.01
FAR, IN_THE_HAND = (0.45, 0.2, 0.55), (0.45, -0.2, 0.55)


class Course:
    """A ball that comes to the hand of a resting arm and goes again."""

    def __init__(self, **settings) -> None:
        self.scene = scene_of('panda')
        self.q = start_of(self.scene.chain)
        self.place(FAR)
        self.tracker = Tracker(self.scene.chain, settings=StreamSettings(**settings), q=self.q,
                               scene=self.scene)
        self.now, self.results, self.commands = 0.0, [], [self.q]
        self.clearances = []

    def place(self, position) -> None:
        pose = Pose.from_xyz_rpy(tuple(position), (0, 0, 0))
        if 'ball' in self.scene.world:
            self.scene.world.move('ball', pose)
        else:
            self.scene.world.add('ball', Sphere(0.06), pose)

    def tick(self) -> None:
        self.now += DT
        self.results.append(self.tracker.tick(self.now, DT))
        self.commands.append(self.tracker.command)
        self.clearances.append(self.clearance)

    def push(self, begin, end, speed: float, every: int = 1) -> None:
        """Move the ball, each so many ticks."""
        begin, end = np.array(begin), np.array(end)
        count = round(np.linalg.norm(end - begin) / speed / DT)
        for k in range(count):
            if k % every == 0:
                self.place(begin + (end - begin) * (k + 1) / count)
            self.tick()
        self.place(end)

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.tick()

    @property
    def clearance(self) -> float:
        return self.scene.clearance(self.tracker.command).distance

    @property
    def statuses(self) -> set:
        return {result.status for result in self.results if result is not None}


@pytest.mark.parametrize('asked', [True, False])
def test_arm_makes_way_and_goes_back(asked):
    """Whether somebody gave it a goal, or it stands where it was put."""
    course = Course()
    if asked:
        course.tracker.follow('panda_hand', START, 0.0)
    course.push(FAR, IN_THE_HAND, 0.2)
    away = course.tracker.chain.fk(course.tracker.command)
    assert max(away.distance(START)) > 0.05
    assert course.statuses >= {Status.BLOCKED}
    assert all(course.scene.free(np.array([course.tracker.command])))
    steps = np.abs(np.diff(course.commands, axis=0))
    assert (steps <= DT * course.tracker.chain.velocity * (1 + 1e-9)).all()
    course.rest(0.5)
    assert course.clearance > 0.9 * DISTANCE
    course.rest(1.0)
    acceleration = np.diff(course.commands[-80:], 2, axis=0) / DT ** 2
    assert np.abs(acceleration).max() < 1.0  # it slides, and does not tremble
    course.push(IN_THE_HAND, FAR, 0.2)
    course.rest(3.0)
    assert max(course.tracker.chain.fk(course.tracker.command).distance(START)) < 1e-5
    assert not course.tracker.wants_step


@pytest.mark.parametrize('speed', [0.05, 0.1, 0.2])
def test_nothing_overlaps_while_the_object_is_not_faster_than_the_arm(speed):
    """The world is seen at each tick, and the arm is out of the way before the next."""
    course = Course()
    course.tracker.follow('panda_hand', START, 0.0)
    course.push(FAR, IN_THE_HAND, speed)
    assert min(course.clearances) > 0.5 * DISTANCE
    assert max(course.tracker.chain.fk(course.tracker.command).distance(START)) > 0.05


@pytest.mark.parametrize('rate', [0.0, 200.0])
def test_arm_gets_out_of_an_object_that_jumps_into_it(rate):
    """It leaves it by joints that keep their speed limits; mouse and camera see seldom."""
    course = Course(rate=rate)
    course.tracker.follow('panda_hand', START, 0.0)
    course.push(FAR, IN_THE_HAND, 0.2, every=5)
    course.rest(1.0)
    assert course.clearance > 0.9 * DISTANCE
    assert Status.BLOCKED in course.statuses


def test_self_motion_makes_way_where_it_can():
    """The elbow of a redundant arm gives way, and the goal stays met."""
    scene = scene_of('panda')
    q = start_of(scene.chain)
    elbow = scene.chain.model.link_poses(scene.chain.joint_positions(q))['panda_link4'].position
    scene.world.add('wall', Box((0.6, 0.02, 0.6)), Pose.from_xyz_rpy(
        (elbow[0], elbow[1] + 0.5, elbow[2] + 0.1), (0, 0, 0)))
    tracker, now, errors = Tracker(scene.chain, q=q, scene=scene), 0.0, []
    tracker.follow('panda_hand', START, now)
    start = tracker.command
    for k in range(600):
        now += DT
        if scene.clearance(tracker.command).distance > 0.0 and k < 400:
            pose = scene.world['wall'].pose
            scene.world.move('wall', Pose.from_xyz_rpy(
                pose.position - np.array([0.0, 0.001, 0.0]), (0, 0, 0)))
        tracker.tick(now, DT)
        errors.append(max(tracker.chain.fk(tracker.command).distance(START)))
    assert np.abs(tracker.command - start).max() > 0.05
    assert not scene.collides(tracker.command)
    assert np.median(errors) < 1e-3


def test_stream_that_nothing_comes_near_has_the_bits_of_one_in_a_still_world():
    """An object that moves far away changes nothing."""
    ends = []
    for moves in (False, True):
        scene = scene_of('panda')
        scene.world.add('ball', Sphere(0.06), Pose.from_xyz_rpy((2.0, 0, 0), (0, 0, 0)))
        tracker = Tracker(scene.chain, q=start_of(scene.chain), scene=scene)
        for k, pose in enumerate(line(START, Pose.from_xyz_rpy((0.45, 0.0, 0.5), START.rpy), 50)):
            if moves:
                scene.world.move('ball', Pose.from_xyz_rpy((2.0, 0.01 * k, 0), (0, 0, 0)))
            tracker.set_goal('panda_hand', Pose.from_matrix(pose), DT * k)
            tracker.tick(DT * k, DT)
        for k in range(50, 100):
            if moves:
                scene.world.move('ball', Pose.from_xyz_rpy((2.0, 0.01 * k, 0), (0, 0, 0)))
            tracker.tick(DT * k, DT)
        ends.append(tracker.command)
    assert np.array_equal(*ends)


def test_arm_that_was_told_to_stay_does_not_move():
    """After the watchdog, and with the policy stop, until the next goal."""
    for settings in ({'goal_timeout': 0.05}, {'lost_policy': 'stop'}):
        course = Course(**settings)
        course.tracker.follow('panda_hand', START, 0.0)
        course.rest(0.2)
        before = course.tracker.command
        course.push(FAR, IN_THE_HAND, 0.4)
        assert np.array_equal(course.tracker.command, before)


def test_robot_in_process_makes_way_before_anybody_gave_it_a_goal():
    """As the page of a robot does, once its bodies are read."""
    scene = scene_of('panda')
    start = start_of(scene.chain)
    robot = InProcess(scene.chain, start)
    robot.step(1.0)
    robot.watch('The collision shapes are being read.')
    scene.world.add('ball', Sphere(0.06), Pose.from_xyz_rpy(FAR, (0, 0, 0)))
    robot.step(1.1)
    assert robot.report.title == 'Not followed'
    robot.watch(scene)
    for k in range(200):
        share = min(k / 150, 1.0)
        scene.world.move('ball', Pose.from_xyz_rpy(
            tuple((1 - share) * np.array(FAR) + share * np.array(IN_THE_HAND)), (0, 0, 0)))
        robot.step(1.2 + k / 30)
    assert not scene.collides(robot.tracker.command)
    assert np.abs(robot.tracker.command - start).max() > 0.05
    assert 'ball' in robot.report.message


def held_above_a_table(gap: float) -> Scene:
    """Return a scene whose arm, at START, holds a box so far above a table."""
    scene = scene_of('panda')
    place = START.position
    scene.world.add('held', Box((0.04, 0.04, 0.1)), Pose.from_xyz_rpy((0, 0, 0.2), (0, 0, 0)),
                    link='panda_hand', touching=(
                        'panda_hand', 'panda_leftfinger', 'panda_rightfinger'))
    scene.world.add('table', Box((0.4, 0.4, 0.02)), Pose.from_xyz_rpy(
        (place[0], place[1], place[2] - 0.26 - gap), (0, 0, 0)))
    return scene


@pytest.mark.parametrize('gap', [0.001, -0.001])
@pytest.mark.parametrize('rate', [0.0, 100.0, 500.0])
def test_an_object_that_is_too_near_from_the_start_is_made_way_for(gap, rate):
    """The first step has no time to move in; the arm moves at the next, and comes to rest."""
    scene = held_above_a_table(gap)
    tracker = Tracker(scene.chain, settings=StreamSettings(rate=rate), q=start_of(scene.chain),
                      scene=scene)
    assert scene.clearance(tracker.command).distance < 0.9 * DISTANCE
    tracker.set_goal('panda_hand', START, 0.0)
    dt = 1.0 / (rate or 100.0)
    commands = [tracker.command]
    for k in range(round(2.0 / dt)):
        tracker.tick(dt * (k + 1), dt)
        commands.append(tracker.command)
    assert scene.clearance(tracker.command).distance > 0.9 * DISTANCE
    end = np.array(commands[-round(0.3 / dt):])
    assert np.abs(np.diff(end, 2, axis=0)).max() < 3.0 * dt ** 2  # two faces, and no chatter
