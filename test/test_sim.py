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

"""The simulated arms obey commands, limits and gravity."""

from __future__ import annotations

from pathlib import Path

from dq_ik.robot.urdf import load_robot
from dq_ik.sim import open_arm, SimulationError
from dq_ik.sim.arm import driven_joints
from dq_ik.sim.reference import Reference
import numpy as np
import pytest

URDF = Path(__file__).parent.parent / 'urdf'
ENGINES = ('kinematic', 'mujoco')


@pytest.fixture(params=ENGINES)
def engine(request):
    """Run a test with each engine; MuJoCo where it is installed."""
    if request.param == 'mujoco':
        pytest.importorskip('mujoco')
    return request.param


def text_of(robot: str) -> str:
    return (URDF / f'{robot}.urdf').read_text()


def arm_of(robot: str, engine: str, **options):
    text = text_of(robot)
    return open_arm(load_robot(text), text, engine, **options)


def random_command(robot: str, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {
        joint.name: rng.uniform(max(joint.lower, -1.5), min(joint.upper, 1.5))
        for joint in driven_joints(load_robot(text_of(robot)))
    }


def positions(arm) -> dict[str, float]:
    state = arm.state()
    return dict(zip(state.names, state.positions))


@pytest.mark.parametrize('robot', ['panda', 'arm6', 'arm5', 'two_arms', 'hand', 'mimic'])
def test_arm_arrives_at_the_commanded_positions(robot, engine):
    """Steady state: a joint error of 1e-5 rad is a hundredth of a millimetre at a metre."""
    arm = arm_of(robot, engine)
    command = random_command(robot, seed=1)
    arm.aim(command)
    arm.advance(6.0)
    reached = positions(arm)
    assert max(abs(reached[name] - value) for name, value in command.items()) < 1e-5
    assert np.abs(arm.state().velocities).max() < 1e-4


def test_velocity_limits_of_the_urdf_are_kept(engine):
    """A far command is approached at the joint's greatest speed, not faster."""
    arm = arm_of('panda', engine)
    limit = load_robot(text_of('panda')).joint('panda_joint1').velocity
    arm.aim({'panda_joint1': 2.5})
    speeds = []
    for _ in range(100):
        arm.advance(0.01)
        speeds.append(abs(arm.state().velocities[0]))
    assert max(speeds) == pytest.approx(limit, rel=0.05)


def test_a_command_beyond_the_limits_stops_at_the_limit(engine):
    """Joints never leave their range."""
    joint = load_robot(text_of('panda')).joint('panda_joint4')
    arm = arm_of('panda', engine)
    arm.aim({'panda_joint4': 99.0})
    arm.advance(4.0)
    assert positions(arm)['panda_joint4'] == pytest.approx(joint.upper, abs=2e-3)


def test_a_joint_that_is_not_named_stays(engine):
    """Commands may name a part of the joints; unknown names and NaN are ignored."""
    arm = arm_of('panda', engine, start={'panda_joint2': 0.4})
    arm.aim({'panda_joint1': 0.5, 'no_such_joint': 1.0, 'panda_joint2': float('nan')})
    arm.advance(3.0)
    assert positions(arm)['panda_joint1'] == pytest.approx(0.5, abs=1e-4)
    assert positions(arm)['panda_joint2'] == pytest.approx(0.4, abs=1e-4)


def test_mimic_joints_follow_their_master(engine):
    """The state contains mimic joints, at multiplier and offset of their master."""
    model = load_robot(text_of('mimic'))
    mimic = next(joint for joint in model.joints if joint.mimic)
    arm = arm_of('mimic', engine)
    arm.aim({mimic.mimic.joint: 0.3})
    arm.advance(3.0)
    state = positions(arm)
    expected = mimic.mimic.multiplier * state[mimic.mimic.joint] + mimic.mimic.offset
    assert state[mimic.mimic.joint] == pytest.approx(0.3, abs=1e-4)
    assert state[mimic.name] == pytest.approx(expected, abs=1e-3)


def test_a_trajectory_is_passed_in_time(engine):
    """Half way through a slow trajectory the arm is half way."""
    arm = arm_of('panda', engine)
    arm.follow(['panda_joint1', 'panda_joint3'], np.array([1.0, 2.0]),
               np.array([[0.4, -0.2], [0.4, 0.2]]))
    arm.advance(0.5)
    assert positions(arm)['panda_joint1'] == pytest.approx(0.2, abs=0.05)
    arm.advance(2.5)
    assert positions(arm)['panda_joint1'] == pytest.approx(0.4, abs=1e-4)
    assert positions(arm)['panda_joint3'] == pytest.approx(0.2, abs=1e-4)


def test_a_new_target_replaces_a_trajectory():
    """The newest command wins."""
    joints = driven_joints(load_robot(text_of('panda')))
    reference = Reference(joints, {joint.name: 0.0 for joint in joints})
    reference.follow(['panda_joint1'], np.array([10.0]), np.array([[1.0]]))
    reference.aim({'panda_joint1': -0.01})
    for _ in range(100):
        reference.advance(0.01)
    assert reference.q[0] == pytest.approx(-0.01)


def test_motors_carry_the_weight_of_the_arm():
    """Efforts of an arm held out are gravity torques; without compensation it sags."""
    pytest.importorskip('mujoco')
    start = {'panda_joint2': 1.2, 'panda_joint4': -0.3}
    held = arm_of('panda', 'mujoco', start=start)
    sagging = arm_of('panda', 'mujoco', start=start, gravity_compensation=False)
    for arm in (held, sagging):
        arm.advance(3.0)
    joint2 = held.state().names.index('panda_joint2')
    assert abs(held.state().efforts[joint2]) > 20.0
    assert positions(held)['panda_joint2'] == pytest.approx(1.2, abs=1e-5)
    assert positions(sagging)['panda_joint2'] - 1.2 > 0.002


def test_efforts_stay_within_the_urdf_limits():
    """Even when the servo is asked for a jump."""
    pytest.importorskip('mujoco')
    model = load_robot(text_of('panda'))
    arm = arm_of('panda', 'mujoco')
    arm.aim(random_command('panda', seed=3))
    for _ in range(200):
        arm.advance(0.01)
        state = arm.state()
        limits = np.array([model.joint(name).effort for name in state.names])
        assert np.all(np.abs(state.efforts) <= limits * 1.001)


def test_a_link_without_inertia_gets_one_from_its_shape():
    """Descriptions for display alone can be simulated too."""
    pytest.importorskip('mujoco')
    text = """<robot name="bare"><link name="base"/><link name="bar"><visual><geometry>
        <box size="0.1 0.1 0.6"/></geometry></visual></link><link name="tool"/>
        <joint name="swing" type="revolute"><parent link="base"/><child link="bar"/>
        <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="80" velocity="2"/></joint>
        <joint name="end" type="fixed"><origin xyz="0 0 0.6"/><parent link="bar"/>
        <child link="tool"/></joint></robot>"""
    arm = open_arm(load_robot(text), text, 'mujoco')
    arm.aim({'swing': 1.0})
    arm.advance(3.0)
    assert positions(arm)['swing'] == pytest.approx(1.0, abs=1e-5)


def test_what_editors_put_before_the_text_is_skipped():
    pytest.importorskip('mujoco')
    text = "\ufeff\n<?xml version='1.0'?>" + text_of('planar_2r').split('?>', 1)[-1]
    assert open_arm(load_robot(text), text, 'mujoco').state().names == ('joint_1', 'joint_2')


def test_an_unknown_engine_is_refused_by_name():
    """The message lists the engines."""
    with pytest.raises(SimulationError, match='mujoco, kinematic'):
        arm_of('panda', 'bullet')
