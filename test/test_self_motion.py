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
"""Self-motions, all answers and the way to a posture; tips are judged by Pinocchio."""

from __future__ import annotations

from dq_ik.demo.choices import find_robot, TIPS
from dq_ik.goal import Goal
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.in_process import InProcess
from dq_ik.stream.joint_goal import CLOSE, JointGoal
from dq_ik.stream.self_motion import all_answers, SelfMotion
import numpy as np
import pinocchio
import pytest
from test_ball_angles import balled

TIP = 'panda_hand_tcp'
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])


@pytest.fixture(scope='module')
def arm():
    return load_robot(find_robot('panda')[0]).chain(None, TIP)


@pytest.fixture(scope='module')
def referee():
    """Return the place of the tip by Pinocchio."""
    model = pinocchio.buildModelFromXML(find_robot('panda')[1])
    data, frame = model.createData(), model.getFrameId(TIP)

    def place(q: np.ndarray) -> np.ndarray:
        full = pinocchio.neutral(model)
        for number in range(7):
            full[model.joints[model.getJointId(f'panda_joint{number + 1}')].idx_q] = q[number]
        pinocchio.framesForwardKinematics(model, data, full)
        return np.array(data.oMf[frame])
    return place


def test_the_elbow_moves_and_the_tool_stays(arm, referee):
    motion = SelfMotion(arm, HOME)
    assert motion.exists
    assert motion.upper - motion.lower > 2.0
    wanted = referee(HOME)
    places = np.linspace(motion.lower, motion.upper, 60)
    postures = [motion.at(place) for place in places]
    for q in postures:
        assert arm.within_limits(q)
        assert referee(q) == pytest.approx(wanted, abs=5e-5)
    steps = np.linalg.norm(np.diff(postures, axis=0), axis=1)
    assert steps == pytest.approx(np.full(59, places[1] - places[0]), rel=0.1)
    assert motion.at(0.0) == pytest.approx(HOME, abs=1e-4)


def test_an_end_of_the_way_is_a_joint_limit(arm):
    motion = SelfMotion(arm, HOME)
    for end in (motion.lower, motion.upper):
        q = motion.at(end)
        assert min((q - arm.lower).min(), (arm.upper - q).min()) < 0.05


def test_six_joints_have_no_way_and_a_free_orientation_gives_one():
    chain = load_robot(find_robot('arm6')[0]).chain()
    q = chain.clamp(np.full(6, 0.4))
    assert not SelfMotion(chain, q).exists
    tip, = chain.tips
    free = {tip: Goal(chain.fk(q), rotation_weight=0.0)}
    motion = SelfMotion(chain, q, free)
    assert motion.exists
    far = motion.at(motion.upper)
    assert chain.fk(far).distance(chain.fk(q))[0] < 1e-4
    assert np.linalg.norm(far - q) > 0.1


def test_all_answers_meet_the_goal_and_the_nearest_comes_first():
    chain = load_robot(find_robot('arm6')[0]).chain()
    q = chain.clamp(np.full(6, 0.4))
    tip, = chain.tips
    goals = {tip: chain.fk(q)}
    found = all_answers(chain, goals, q, 8)
    assert 2 <= len(found) <= 8
    assert found[0] == pytest.approx(q, abs=1e-3)
    distances = np.linalg.norm(found - q, axis=1)
    assert np.all(np.diff(distances) >= 0.0)
    for row in found:
        assert chain.fk(row).distance(goals[tip]) < (1e-4, 1e-4)
        assert chain.within_limits(row)


def run(robot: InProcess, seconds: float, lead: JointGoal | None = None) -> np.ndarray:
    """Let a robot move as the page moves it, and return its postures."""
    rows = []
    for number in range(int(30 * seconds)):
        now = 10.0 + number / 30.0
        robot.step(now)
        if lead is not None and (velocities := lead.velocities(robot.tracker.command, now)):
            robot.joints(velocities)
        rows.append(robot.tracker.command)
    return np.array(rows)


@pytest.mark.parametrize('name', ['panda', 'humanoid'])
def test_a_posture_is_reached_straight_without_swinging(name):
    chain = load_robot(find_robot(name)[0]).chain(None, TIPS.get(name, TIP))
    start = chain.clamp(chain.neutral)
    wanted = chain.clamp(start + 0.4 * (chain.random(np.random.default_rng(2)) - start))
    robot, lead = InProcess(chain, start), JointGoal(chain)
    lead.aim(wanted)
    rows = run(robot, 8.0, lead)
    assert lead.posture is None
    assert np.abs(rows[-1] - wanted).max() < 2 * CLOSE
    way = wanted - start
    share = (rows - start) @ way / (way @ way)
    assert share.max() < 1.002
    assert np.abs(rows - start - share[:, None] * way).max() < 1e-6
    speeds = np.abs(np.diff(rows, axis=0)) * 30.0
    assert np.all(speeds <= chain.velocity * 1.001)


def test_a_posture_of_a_ball_is_reached_by_its_three_joints():
    _, chain = balled()
    start, wanted = (chain.random(np.random.default_rng(number)) for number in (3, 4))
    robot, lead = InProcess(chain, start), JointGoal(chain)
    lead.aim(wanted)
    assert list(lead.velocities(start, 10.0)) == ['j1', 'j2', 'j3', 'elbow', 'w1', 'w2', 'w3']
    rows = run(robot, 8.0, lead)
    assert lead.posture is None
    assert np.abs(rows[-1] - wanted).max() < 2 * CLOSE
    assert all(map(chain.within_limits, rows))


def test_a_stuck_joint_ends_the_way(arm):
    """The command does not run ahead of it for ever."""
    lead = JointGoal(arm)
    lead.aim(HOME + 0.5)
    assert any(lead.velocities(HOME, 5.0).values())
    assert any(lead.velocities(HOME, 6.4).values())
    assert not any(lead.velocities(HOME, 6.6).values())
    assert lead.velocities(HOME, 6.7) == {}


def test_in_process_goals_are_reached_and_reported(arm):
    robot = InProcess(arm, HOME)
    assert robot.report.reached is None
    goal = arm.fk(HOME + 0.2)
    robot.step(10.0)
    robot.goal(TIP, goal)
    run(robot, 3.0)
    assert robot.report.reached
    assert robot.motion.phase == 'following'
    assert arm.fk(robot.tracker.command).distance(goal) < (1e-4, 1e-4)


def test_in_process_options_count(arm):
    robot = InProcess(arm, HOME)
    robot.option('position_only', True)
    robot.option('velocity_scaling', 0.1)
    robot.option('method', 'pls')
    goal = arm.fk(HOME + 0.3)
    robot.step(10.0)
    robot.goal(TIP, goal)
    rows = run(robot, 8.0)
    assert np.all(np.abs(np.diff(rows, axis=0)) * 30.0 <= 0.1 * arm.velocity * 1.001)
    distance, angle = arm.fk(rows[-1]).distance(goal)
    assert distance < 1e-4
    assert angle > 1e-2


def test_in_process_twists_move_the_tool_along_the_base(arm):
    robot = InProcess(arm, HOME)
    before = arm.fk(HOME).position
    for number in range(60):
        robot.step(10.0 + number / 30.0)
        robot.twist(TIP, [0.0, 0.1, 0.0, 0.0, 0.0, 0.0], arm.base)
    moved = arm.fk(robot.tracker.command).position - before
    assert moved == pytest.approx([0.0, 0.19, 0.0], abs=0.015)


def test_in_process_goals_out_of_reach_say_so(arm):
    robot = InProcess(arm, HOME)
    robot.step(10.0)
    far = arm.fk(HOME)
    robot.goal(TIP, type(far).from_xyz_wxyz((3.0, 0.0, 0.5), far.quaternion))
    run(robot, 4.0)
    assert robot.report.reached is False
    assert 'out of reach' in robot.report.message
