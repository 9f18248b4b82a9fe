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

"""The example programs do what they say, against the real node and a simulated arm."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time

from domains import reserve
import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / 'examples'
DOMAIN = reserve()
PANDA, TIP = 'panda', 'panda_hand_tcp'

pytestmark = pytest.mark.timeout(300)


def environment() -> dict[str, str]:
    return {**os.environ, 'PYTHONPATH': str(ROOT), 'ROS_DOMAIN_ID': str(DOMAIN),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


@contextmanager
def running(example: str, rounds: int = 20):
    """Start an example that takes a while, and end it as Ctrl-C does, if it has not ended."""
    process = subprocess.Popen([sys.executable, str(EXAMPLES / example), str(rounds)],
                               env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10.0)


def outcome(example: str) -> str:
    """Run an example that needs no ROS, where there is none; return what it prints."""
    guard = 'import sys; sys.modules["rclpy"] = None; import runpy; runpy.run_path(sys.argv[1])'
    return subprocess.run([sys.executable, '-c', guard, str(EXAMPLES / example)], cwd='/',
                          env=environment(), capture_output=True, text=True, timeout=250,
                          check=True).stdout


@contextmanager
def robot(name: str, tips: list[str]):
    """Run the ik node and a kinematic arm; yield the newest positions of the tips, a function."""
    pytest.importorskip('rclpy')
    from dq_ik.robot.urdf import load_robot
    from dq_ik.ros.follow.node import IkNode
    from dq_ik.ros.sim_node import SimNode
    from ros_bench import ros_bench, wait_until
    from sensor_msgs.msg import JointState

    text = (ROOT / 'urdf' / f'{name}.urdf').read_text()
    chain = load_robot(text).chain(None, tips)
    with ros_bench(DOMAIN) as bench:
        bench.add(IkNode, robot_description=text, tip_links=tips, use_tf=False)
        bench.add(SimNode, robot_description=text, engine='kinematic',
                  remap={'joint_commands': 'dq_ik/joint_commands'})
        states = bench.newest(JointState, 'joint_states')
        wait_until(lambda: bool(states), what='joint states')

        def places() -> np.ndarray:
            positions = dict(zip(states[0].name, states[0].position))
            poses = chain.fk_all(chain.configuration(positions))
            return np.array([poses[tip].position for tip in tips])

        yield places


def told(process, answer: str = 'the goal is reached') -> str:
    """Return what an example says it did, once the node answers that all is well."""
    line = next(line for line in process.stdout if answer in line)
    return line.partition(':')[0]


def sampled(places, seconds: float) -> np.ndarray:
    """Return the tips' positions over a time, shape ``(samples, tips, 3)``."""
    samples = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        samples.append(places())
        time.sleep(0.05)
    return np.array(samples)


SQUARE = [0.0, 0.2, 0.2]


def test_square_is_followed():
    """The tool goes round: 20 cm by 20 cm in the y-z plane, all at the same x."""
    with robot(PANDA, [TIP]) as places, running('08_ros_goals.py') as square:
        from ros_bench import wait_until

        wait_until(lambda: np.abs(places()[0] - [0.45, 0.0, 0.45]).max() == pytest.approx(
            0.1, abs=0.005), 30.0, 'the tool is on the square')
        time.sleep(1.0)
        for _ in range(4):  # a busy machine may cut corners in a round
            path = sampled(places, 9.0)[:, 0]
            size, from_center = np.ptp(path, axis=0), np.abs(path[:, 1:] - [0.0, 0.45]).max(axis=1)
            if np.allclose(size, SQUARE, rtol=0, atol=0.01) and np.ptp(from_center) < 0.02:
                break
        assert told(square) == 'one round of the square in 8 s'
    assert size == pytest.approx(SQUARE, abs=0.01)
    assert from_center == pytest.approx(0.1, abs=0.01)


def test_velocities_lead_the_tool_on_a_circle():
    """
    In the y-z plane, as wide as belongs to its speed; less where a busy machine skips time.

    A simulated arm that was paused catches up, each joint by itself; then it is done again.
    """
    wide = 0.1 * 5.0 / np.pi
    for _ in range(3):
        with robot(PANDA, [TIP]) as places, running('10_ros_velocities.py') as circle:
            assert told(circle, 'jogging') == 'one round of the circle in 5 s'
            size = np.ptp(sampled(places, 5.5)[:, 0], axis=0)
        if size[0] < 1e-3:
            break
    assert size[0] < 1e-3
    assert np.all(size[1:] > 0.6 * wide)
    assert np.all(size[1:] < 1.05 * wide)


def test_both_arms_draw_circles():
    """16 cm wide, mirror images of each other."""
    with robot('two_arms', ['left_tool', 'right_tool']) as places, running(
            '11_ros_two_arms.py') as circles:
        assert told(circles) == 'one circle of each hand in 5 s'
        path = sampled(places, 5.5)
    for arm in range(2):
        assert np.ptp(path[:, arm], axis=0) == pytest.approx([0.16, 0.16, 0.0], abs=0.02)
    assert path[:, 0, 1] == pytest.approx(-path[:, 1, 1], abs=0.01)


def test_one_shot_query_prints_a_solution():
    """All joints of the arm."""
    pytest.importorskip('moveit_msgs')
    with robot(PANDA, [TIP]):
        answer = subprocess.run(
            [sys.executable, str(EXAMPLES / '09_ros_service.py')], env=environment(),
            capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert 'panda_joint7' in answer.stdout


@pytest.mark.parametrize('example', ['08_ros_goals.py', '10_ros_velocities.py'])
def test_streams_end_by_themselves(example):
    """After the rounds that are asked for, with the answer of the node."""
    with robot(PANDA, [TIP]):
        done = subprocess.run([sys.executable, str(EXAMPLES / example), '1'], env=environment(),
                              capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.count('one round of the') == 1
    assert 'no answer' not in done.stdout


def test_every_script_has_a_number_a_row_and_a_test():
    """And the numbers have no gap."""
    scripts = sorted(path.name for path in EXAMPLES.glob('*.py'))
    assert [int(name[:2]) for name in scripts] == list(range(1, len(scripts) + 1))
    table, tests = (EXAMPLES / 'README.md').read_text(), Path(__file__).read_text()
    assert all(f'| `{name}` |' in table and f"'{name}'" in tests for name in scripts)


def test_one_goal_is_solved():
    text = outcome('01_solve.py')
    assert text.count('the goal is reached') == 3
    assert text.count('panda_joint') == 7


def test_a_stream_is_followed():
    assert '400 goals on two circles: 400 are met' in outcome('02_stream.py')


def test_all_solutions_are_listed():
    text = outcome('03_all_solutions.py')
    count = int(text.split()[0])
    assert count >= 4
    assert text.count(' mm') == count


def test_two_arms_keep_their_grasp():
    assert outcome('04_two_arms.py').count('CONVERGED') == 4


def test_five_joints_meet_what_is_asked():
    lines = outcome('05_five_joints.py').splitlines()[1:]
    reached = ['is reached' in line for line in lines]
    assert reached == [True, False, True, False, True]


def test_the_best_reach_is_explained():
    text = outcome('06_best_reach.py')
    assert 'out of reach' in text
    assert 'joint limits are in the way' in text
    before, after = re.search(r'rotation: ([\d.]+) mm instead of ([\d.]+) mm', text).groups()
    assert float(before) < float(after)


def test_a_batch_is_solved():
    assert '20000 of 20000 random goals reached' in outcome('07_batch.py')


def test_whole_path_example_follows_its_path():
    """And loses no pose."""
    text = outcome('12_whole_path.py')
    assert text.count('all 600 poses are followed') == 3
    assert 'panda_joint1,panda_joint2' in text


def test_the_square_takes_no_more_than_forty_lines():
    """Beside licence and blank lines."""
    lines = (EXAMPLES / '08_ros_goals.py').read_text().splitlines()
    assert len([line for line in lines if line and not line.startswith('#')]) <= 40


def test_ros2_control_parameters_exist():
    """Each is declared by the ik node, and the controller has the joints of the robot."""
    yaml = pytest.importorskip('yaml')
    pytest.importorskip('rclpy')
    from dq_ik.options import IkOptions
    from dq_ik.robot.urdf import load_robot
    from dq_ik.ros.settings import NodeSettings

    config = yaml.safe_load((EXAMPLES / 'ros2_control.yaml').read_text())
    parameters = config['dq_ik']['ros__parameters']
    known = {item.name for kind in (IkOptions, NodeSettings) for item in fields(kind)}
    assert set(parameters) <= known
    NodeSettings(**{name: tuple(value) if isinstance(value, list) else value
                    for name, value in parameters.items()})
    chain = load_robot(ROOT / 'urdf' / 'panda.urdf').chain(None, TIP)
    joints = config['joint_trajectory_controller']['ros__parameters']['joints']
    assert tuple(joints) == tuple(parameters['controller_joints']) == chain.joint_names


def test_moveit_file_names_the_plugin_and_its_parameters():
    yaml = pytest.importorskip('yaml')
    group, = yaml.safe_load((EXAMPLES / 'moveit_kinematics.yaml').read_text()).values()
    root = EXAMPLES.parent
    assert f'name="{group.pop("kinematics_solver")}"' in (
        root / 'plugin' / 'plugin_description.xml').read_text()
    page = (root / 'docs' / 'moveit.md').read_text()
    assert [name for name in group if f'`{name}`' not in page] == []
