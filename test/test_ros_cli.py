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
"""The commands goal, ask and node against a running node."""

import json
from pathlib import Path
import signal
import subprocess
import sys

from dq_ik.cli.main import main
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot, read_source
import pytest
from ros_bench import wait_until
import ros_processes
import ros_robot
from ros_world import ARM, CHAIN, Q, START_UP

ros_processes.use_own_domain()
pytestmark = pytest.mark.timeout(600)
POSE = CHAIN.fk(Q)
PATIENT = '--timeout', '40'  # discovery takes long on a busy machine
REACHABLE = ['--xyz', *map(str, POSE.position), '--quat', *map(str, POSE.quaternion),
             '--frame', 'arm_base']


@pytest.fixture(scope='module')
def node():
    with ros_processes.run_node(robot_description=ros_robot.urdf_text(), **ARM) as process:
        wait_until(lambda: 'ready after' in process.log or not process.alive, START_UP)
        yield process
        assert process.alive, process.log


def test_goal_is_followed_and_reported(node, capsys):
    assert main(['goal', *REACHABLE, *PATIENT]) == 0
    assert 'the goal is reached' in capsys.readouterr().out


def test_goal_out_of_reach_is_reported(node, capsys):
    assert main(['goal', '--xyz', '5', '0', '0', '--rpy', '0', '1.57', '0', *PATIENT]) == 2
    assert 'best reach' in capsys.readouterr().out


def test_goal_waits_for_an_arm_that_is_slow(capsys):
    """The verdict is that of the end: neither that the arm is on its way, nor half way."""
    words = {'robot_description': read_source('arm6'), 'velocity_scaling': 0.3}
    chain = load_robot('arm6').chain()
    goal = chain.fk(chain.neutral + 0.5)
    with ros_processes.run_node(('-r', '__node:=slow_arm'), **words) as process:
        wait_until(lambda: 'ready after' in process.log or not process.alive, START_UP)
        place = ['--xyz', *map(str, goal.position), '--quat', *map(str, goal.quaternion)]
        assert main(['goal', *place, '--node', 'slow_arm', *PATIENT, '--json']) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer['phase'] == 'following'
        far = ['--xyz', '9', '0', '0', '--node', '/slow_arm']
        assert main(['goal', *far, *PATIENT, '--json']) == 2
        answer = json.loads(capsys.readouterr().out)
        assert answer['phase'] == 'best reach'
        best = chain.solve(Pose.from_xyz_rpy((9, 0, 0), (0, 0, 0)))
        assert float(answer['position_error']) == pytest.approx(best.position_error[0], abs=0.01)


def test_goal_is_reported_as_json(node, capsys):
    assert main(['goal', *REACHABLE, *PATIENT, '--json']) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer['reached'] is True
    assert 'the goal is reached' in answer['message']


def test_goal_without_a_node_says_so(node, capsys):
    assert main(['goal', *REACHABLE, '--node', '/nobody', '--timeout', '0.5', '--json']) == 1
    out, err = capsys.readouterr()
    assert 'is it running' in err
    assert json.loads(out)['error'] in err


def test_ask_prints_a_solution(node, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', *REACHABLE, '--seed', 'j1=0.1', '--json', *PATIENT]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert CHAIN.fk(CHAIN.configuration(answer['joints'])).distance(POSE) < (1.1e-5, 1.1e-5)


def test_ask_prints_the_verdict_without_a_code(node, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', *REACHABLE, *PATIENT]) == 0
    out = capsys.readouterr().out
    assert 'the goal is reached' in out
    assert 'error' not in out


def test_ask_refuses_an_unknown_joint_of_the_seed(node, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', *REACHABLE, '--seed', 'foo=0.1', *PATIENT]) == 2
    assert "no joint 'foo'; its joints are" in capsys.readouterr().out


def test_ask_explains_a_miss(node, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', '--xyz', '5', '0', '0', '--group', 'leg', *PATIENT]) == 2
    assert "no group 'leg'" in capsys.readouterr().out


@pytest.mark.parametrize(('words', 'meant'), [
    (('--link', 'flang'), 'flange'), (('--frame', 'arm_bas'), 'arm_base'),
    (('--group', 'arn'), 'arm'), (('--seed', 'j11=0'), 'j1')])
def test_ask_names_the_nearest_known_one(node, words, meant, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', '--xyz', '0.1,0,0.5', *words, *PATIENT]) == 2
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().out


def test_ask_without_a_node_says_so(node, capsys):
    pytest.importorskip('moveit_msgs.srv')
    assert main(['ask', *REACHABLE, '--service', '/nobody', '--timeout', '0.5', '--json']) == 1
    out, err = capsys.readouterr()
    assert 'is it running' in err
    assert json.loads(out)['error'] in err


def test_node_command_runs_a_file(tmp_path):
    file = tmp_path / 'robot.urdf'
    file.write_text(ros_robot.urdf_text())
    log = tmp_path / 'log'
    words = [sys.executable, '-m', 'dq_ik.cli.main', 'node', str(file), '--base', 'arm_base',
             '--tip', 'flange', '--ros-args', '-r', '__node:=by_command']
    with log.open('w') as out:
        process = subprocess.Popen(words, stdout=out, stderr=out, cwd=Path(__file__).parents[1])
    try:
        wait_until(lambda: 'from arm_base to flange' in log.read_text()
                   or process.poll() is not None, START_UP)
        assert 'ready after' in log.read_text()
        assert 'by_command' in log.read_text()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
