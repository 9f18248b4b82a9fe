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
"""The demo: the table of nodes, the path, the count of goals, and the whole thing over DDS."""

from __future__ import annotations

from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
import json
import math
import os
from pathlib import Path
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from dq_ik import load_robot, Pose, Solver
from dq_ik.cli.demo import free_page_port
from dq_ik.cli.main import main
from dq_ik.demo import run as runner
from dq_ik.demo.choices import find_robot, rviz_layout, TIPS, tips_of, usable_viewer
from dq_ik.demo.nodes import demo_nodes, DemoSettings, MODULES, NodeRow
from dq_ik.demo.run import Child, end_all, Stop, watch
from dq_ik.errors import DqIkError
from dq_ik.robot.bundled import robot_names
from dq_ik.stream.path import FigureOfEight, find_path, Sway
from dq_ik.stream.tally import Tally
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
START_UP = 500.0  # a checkout without a library builds it first


SLIDER = (
    '<robot name="slider"><link name="rail"/><link name="cart"/><joint name="slide" '
    'type="prismatic"><parent link="rail"/><child link="cart"/>'
    '<limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>')


def settings(**choices: object) -> DemoSettings:
    return DemoSettings(urdf=Path('robots/r.urdf'), description=SLIDER, **choices)


def rows(**choices: object) -> dict[str, NodeRow]:
    return {row.executable: row for row in demo_nodes(settings(**choices))}


# --- the table ----------------------------------------------------------------------------------


def test_viewers_choose_their_nodes():
    assert set(rows()) == {'ik_node', 'sim_node', 'viewer_node', 'path_node'}
    assert set(rows(viewer='none', sim=False, path=False)) == {'ik_node'}
    assert set(rows(viewer='rviz', path=False)) == {
        'ik_node', 'sim_node', 'robot_state_publisher', 'goal_marker', 'rviz2'}


def test_commands_go_to_the_simulation_or_are_the_joint_states():
    with_sim = rows()
    assert with_sim['ik_node'].remappings == (('~/joint_commands', 'dq_ik/joint_commands'),)
    assert with_sim['sim_node'].remappings == (('joint_commands', 'dq_ik/joint_commands'),)
    without = rows(sim=False, viewer='rviz')
    assert without['ik_node'].remappings == (('~/joint_commands', 'joint_states'),)
    assert without['goal_marker'].remappings == (('dq_ik/joint_commands', 'joint_states'),)
    assert without['path_node'].remappings == (('dq_ik/joint_commands', 'joint_states'),)


def test_parameters_follow_the_choices():
    table = rows(base='world', tips=('left', 'right'), solver='pls', duration=5, port=8123)
    assert table['ik_node'].parameters['method'] == 'pls'
    assert table['path_node'].parameters['duration'] == 5.0
    assert table['viewer_node'].parameters['port'] == 8123
    for name in ('ik_node', 'viewer_node', 'path_node'):
        assert table[name].parameters['base_link'] == 'world'
        assert table[name].parameters['tip_links'] == ['left', 'right']
    assert rows(viewer='rviz')['robot_state_publisher'].parameters['publish_frequency'] >= 60.0


def test_rviz_stands_on_the_root_of_the_robot():
    layout = Path('some/demo.rviz')
    assert rows(viewer='rviz')['rviz2'].arguments == ('-f', 'rail')
    assert rows(viewer='rviz', rviz_config=layout)['rviz2'].arguments == (
        '-d', str(layout), '-f', 'rail')


@pytest.mark.parametrize('robot', ['panda', 'two_arms', 'humanoid', 'hand'])
def test_the_camera_of_rviz_sees_the_whole_robot(robot):
    """Every link at home, with room to move: RViz sees 22.5 degrees to either side."""
    _, text = find_robot(robot)
    layout = rviz_layout(text).read_text()
    x, y, z, distance = (float(re.search(rf'(?m)^ +{key}: (.*)$', layout).group(1))
                         for key in ('X', 'Y', 'Z', 'Distance'))
    model = load_robot(text)
    poses = model.link_poses(model.whole.joint_positions(model.whole.neutral))
    farthest = max(np.linalg.norm(pose.position - (x, y, z)) for pose in poses.values())
    assert 1.5 * farthest < distance * math.tan(math.radians(22.5)) < 3.0 * farthest


def test_command_line_of_a_node(tmp_path):
    row = NodeRow('dq_ik', 'sim_node', 'arm', {'robot_description': '<robot name="x: y"/>'},
                  (('joint_commands', 'cmd'),))
    words = runner.command(row, tmp_path)
    assert words[1:3] == ['-m', MODULES['sim_node']]
    assert words[-2:] == ['-r', 'joint_commands:=cmd']
    parameters = json.loads(Path(words[words.index('--params-file') + 1]).read_text())
    assert parameters == {'arm': {'ros__parameters': {
        'robot_description': '<robot name="x: y"/>'}}}


def test_environment_keeps_the_users_wishes(monkeypatch):
    monkeypatch.delenv('ROS_AUTOMATIC_DISCOVERY_RANGE')
    assert runner.environment()['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'SUBNET')
    assert runner.environment()['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'


# --- choices ------------------------------------------------------------------------------------


def test_robots_are_found_by_name_and_by_file():
    path, text = find_robot('panda')
    assert path.name == 'panda.urdf'
    assert '<robot' in text
    assert find_robot('ignored', ROOT / 'urdf' / 'arm6.urdf')[0].name == 'arm6.urdf'
    with pytest.raises(DqIkError, match='no_such_robot'):
        find_robot('no_such_robot')


def test_tips_are_those_of_the_robot_unless_given():
    assert tips_of('two_arms', ()) == TIPS['two_arms']
    assert tips_of('two_arms', ('left_tool',)) == ('left_tool',)
    arm = ROOT / 'urdf' / 'arm6.urdf'
    assert tips_of('two_arms', (), arm) == tips_of('arm6', ())
    assert tips_of('panda', (), ROOT / 'urdf' / 'hand.urdf') == TIPS['hand']


def test_the_only_body_that_moves_is_the_tip(tmp_path):
    """Frames on the base, and several names for the flange, make no choice necessary."""
    robot = tmp_path / 'robot.urdf'
    extra = ''.join(
        f'<link name="{name}"/><joint name="to_{name}" type="fixed"><parent link="{parent}"/>'
        f'<child link="{name}"/></joint>'
        for name, parent in (('mark', 'rail'), ('flange', 'cart'), ('tool0', 'cart')))
    robot.write_text(SLIDER.replace('</robot>', f'{extra}</robot>'))
    assert tips_of('panda', (), robot) == ('flange',)
    assert tips_of('panda', ('tool0',), robot) == ('tool0',)


def test_a_robot_that_needs_a_tip_starts_no_node(capsys, tmp_path):
    """One line says which there are, and how to name one."""
    twins = tmp_path / 'twins.urdf'
    twins.write_text((ROOT / 'urdf' / 'two_arms.urdf').read_text())
    for arguments, reason in (
            ([], "'left_tool', 'right_tool'"), (['--tip', 'nothing'], "'nothing'"),
            (['--tip', 'left_tool', '--base', 'nowhere'], "'nowhere'")):
        assert main(['demo', '--urdf', str(twins), *arguments]) == 1
        output = capsys.readouterr()
        assert reason in output.err
        assert output.out == ''


def test_log_lines_are_short(capsys):
    """An ordinary line has the name of its node and the words; trouble is marked."""
    runner.print_line('arm', 'INFO: all is well')
    runner.print_line('arm', 'WARN: not so well')
    assert capsys.readouterr().out == '[arm] all is well\n[arm] WARN: not so well\n'
    assert set(TIPS) <= set(robot_names())


def test_the_page_is_announced_once_it_answers(capsys, monkeypatch):
    """With its address; a browser is opened where there is a screen."""
    opened: list[str] = []
    monkeypatch.setattr('webbrowser.open', opened.append)
    monkeypatch.setenv('DISPLAY', ':0')
    with HTTPServer(('127.0.0.1', 0), BaseHTTPRequestHandler) as server:
        page = f'http://127.0.0.1:{server.server_port}'
        waiting = threading.Thread(target=runner.announce, args=(page, True, Stop()))
        waiting.start()
        assert not opened
        server.handle_request()
        waiting.join(10.0)
    assert opened == [page]
    assert f'The page:  {page} ' in capsys.readouterr().out
    ended = Stop()
    ended.end()
    runner.announce(page, True, ended)  # nobody answers there any more
    assert opened == [page]


def test_a_busy_port_moves_the_page(capsys):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        wanted = taken.getsockname()[1]
        assert free_page_port(wanted) > wanted
    assert f'Port {wanted} is busy' in capsys.readouterr().err


def test_viewer_falls_back_to_what_is_installed(monkeypatch):
    monkeypatch.setattr('dq_ik.demo.choices.has_package', lambda name: False)
    viewer, note = usable_viewer('rviz')
    assert viewer == 'web'
    assert 'RViz needs rviz2 and robot_state_publisher and interactive_markers' in note
    monkeypatch.setattr('dq_ik.demo.choices.find_spec', lambda name: None)
    assert usable_viewer('rviz')[0] == 'none'
    assert usable_viewer('none') == ('none', '')


def test_contradictory_arguments_are_refused(capsys):
    assert main(['demo', '--duration', '5', '--no-path']) == 1
    assert 'excludes' in capsys.readouterr().err


# --- path and count -----------------------------------------------------------------------------


@pytest.mark.parametrize('name', ['panda', 'arm6', 'two_arms', 'planar_2r'])
def test_path_can_be_followed_in_small_steps(name):
    chain = load_robot(ROOT / 'urdf' / f'{name}.urdf').chain(None, TIPS.get(name))
    path = find_path(chain)
    assert isinstance(path, Sway if name == 'planar_2r' else FigureOfEight)
    q = Solver(chain, mode='distance').solve(path.goals(0.0), chain.neutral).q
    solver = Solver(chain, max_restarts=0)
    for moment in np.linspace(0.0, 6.0, 121):
        result = solver.solve(path.goals(moment), seed=q)
        assert result.success
        assert moment == 0.0 or np.max(np.abs(result.q - q)) < 0.4
        q = result.q


def test_tally_measures_each_answer_against_its_goal():
    tally = Tally()
    here, there = Pose.identity(), Pose.from_xyz_rpy((0.1, 0.0, 0.0), (0.0, 0.0, 0.0))
    tally.send({'tool': here}, 1.0)
    tally.send({'tool': there}, 1.1)
    tally.answer({'tool': here}, 1.01)
    tally.answer({'tool': Pose.from_xyz_rpy((0.1, 0.001, 0.0), (0.0, 0.0, 0.0))}, 1.12)
    tally.finish()
    assert (tally.sent, len(tally.answers), tally.solved) == (2, 2, 1)
    assert tally.answers[1].position_error == pytest.approx(1e-3)
    assert tally.answers[0].latency == pytest.approx(0.01)
    assert 'worst 1.0e-03 m' in tally.summary()


def test_goals_of_several_tips_are_met_by_the_last_of_their_commands():
    """The solver hears of one tip after the other."""
    old, new = Pose.identity(), Pose.from_xyz_rpy((0.001, 0.0, 0.0), (0.0, 0.0, 0.0))
    tally = Tally()
    for now, pose in ((0.0, old), (0.01, new)):
        tally.send({'left': pose, 'right': pose}, now)
        tally.answer({'left': pose, 'right': old}, now + 0.001)
        tally.answer({'left': pose, 'right': pose}, now + 0.002)
    assert (tally.sent, len(tally.answers), tally.solved) == (2, 2, 2)
    assert [answer.latency for answer in tally.answers] == pytest.approx([0.001, 0.002])


def test_overtaken_goals_are_not_answered():
    tally = Tally()
    poses = [Pose.from_xyz_rpy((0.1 * i, 0.0, 0.0), (0.0, 0.0, 0.0)) for i in range(3)]
    for pose in poses:
        tally.send({'tool': pose}, 0.0)
    tally.answer({'tool': poses[2]}, 0.1)
    tally.answer({'tool': poses[0]}, 0.2)
    assert (tally.sent, len(tally.answers), tally.solved) == (3, 1, 1)


def test_goals_after_overtaken_ones_are_counted_apart_until_one_is_met():
    """The arm is behind then, and travels at limited speed."""
    tally = Tally()
    poses = [Pose.from_xyz_rpy((0.1 * i, 0.0, 0.0), (0.0, 0.0, 0.0)) for i in range(6)]
    near = [Pose.from_xyz_rpy((0.1 * i + 0.01, 0.0, 0.0), (0.0, 0.0, 0.0)) for i in range(6)]
    for pose in poses:
        tally.send({'tool': pose}, 0.0)
    for reached in (poses[0], near[2], near[3], poses[4], near[5]):  # nobody answers the second
        tally.answer({'tool': reached}, 0.1)
    tally.finish()
    assert tally.travelling == 2
    assert (tally.sent, len(tally.answers), tally.solved) == (4, 3, 2)  # the last one is a miss


# --- processes ----------------------------------------------------------------------------------


def python(code: str, heard: list[str]) -> Child:
    return Child('child', [sys.executable, '-c', code], os.environ,
                 lambda name, line: heard.append(f'{name}: {line}'))


def test_children_are_heard_and_end_on_request():
    heard: list[str] = []
    child = python('import time; print("here", flush=True); time.sleep(60)', heard)
    while not heard:
        time.sleep(0.01)
    assert heard == ['child: here']
    assert end_all([child]) == []
    assert child.code == -signal.SIGTERM


def test_stubborn_child_is_killed_and_named():
    heard: list[str] = []
    child = python('import signal, time; signal.signal(15, signal.SIG_IGN); '
                   'print("here", flush=True); time.sleep(60)', heard)
    while not heard:
        time.sleep(0.01)
    assert end_all([child], grace=0.3) == ['child']
    assert child.code == -signal.SIGKILL


def test_children_end_one_after_the_other():
    code = ('import signal, sys, time\n'
            'def end(*_):\n    print("ends", flush=True); time.sleep(0.2); sys.exit("ended")\n'
            'signal.signal(15, end); print("here", flush=True); time.sleep(60)')
    heard: list[str] = []
    children = [python(code, heard), python(code, heard)]
    while len(heard) < 2:
        time.sleep(0.01)
    assert end_all(children) == []
    assert heard[2:] == ['child: ends', 'child: ended'] * 2


def test_signals_at_any_moment_stop_the_demo():
    """A lock in the handler would meet itself sooner or later."""
    code = ('import os, signal, threading\n'
            'from dq_ik.demo.run import stopped_by_signals\n'
            'def send():\n'
            '    for _ in range(20_000):\n'
            '        os.kill(os.getpid(), signal.SIGINT)\n'
            'with stopped_by_signals() as stop:\n'
            '    sender = threading.Thread(target=send)\n'
            '    sender.start()\n'
            '    while sender.is_alive():\n'
            '        stop.wait(0.0)\n'
            '    assert stop.wait(60.0)')
    subprocess.run([sys.executable, '-c', code], cwd=ROOT, timeout=40, check=True)


def test_watch_returns_the_first_that_ends():
    slow, quick = python('import time; time.sleep(60)', []), python('raise SystemExit(3)', [])
    try:
        assert watch([slow, quick], Stop()) is quick
        assert quick.code == 3
    finally:
        end_all([slow])


# --- the whole demo over DDS --------------------------------------------------------------------


def start_demo(*arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, '-m', 'dq_ik', 'demo', '--no-browser', *arguments], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.timeout(2 * START_UP)
def test_demo_ends_by_itself_and_tells_what_it_did():
    for _ in range(3):  # on a busy machine goals replace others that wait, and jump
        demo = start_demo('--duration', '3', '--port', '0')
        output, _ = demo.communicate(timeout=START_UP)
        assert demo.returncode == 0, output
        assert 'Traceback' not in output
        sent, answered, solved = (
            int(next(line for line in output.splitlines() if key in line).split()[-1])
            for key in ('goals sent', 'answered', 'solved'))
        if solved == answered >= 0.9 * sent > 90:
            break
    assert sent > 100
    assert solved == answered >= 0.9 * sent
    assert 'position error  mean' in output
    assert 'answers/s' in output


@pytest.mark.timeout(2 * START_UP)
@pytest.mark.parametrize('moving', [True, False], ids=['moving', 'starting'])
def test_interrupt_ends_the_demo_cleanly(moving):
    demo = start_demo('--viewer', 'none')
    lines = []
    for line in demo.stdout:
        lines.append(line)
        if ('moving the goal' if moving else '[dq_ik') in line:
            break
    demo.send_signal(signal.SIGINT)
    output, _ = demo.communicate(timeout=60)
    assert demo.returncode == 0, ''.join(lines) + output
    assert 'Traceback' not in output


@pytest.mark.timeout(2 * START_UP)
def test_ctrl_c_in_a_terminal_ends_make_demo_with_success():
    """Also make itself ends with 0, since the demo is a foreground job of its own."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execvp('make', ['make', 'demo', 'SETUP=true', f'RUN={sys.executable}',
                           'ARGS=--viewer none --no-sim'])
    output, interrupted = '', False
    with suppress(OSError):  # how a terminal says that its other end is closed
        while data := os.read(terminal, 4096):
            output += data.decode(errors='replace')
            if not interrupted and 'moving the goal' in output:
                interrupted = True
                os.write(terminal, b'\x03')
    _, status = os.waitpid(pid, 0)
    assert interrupted, output
    assert os.waitstatus_to_exitcode(status) == 0, output
    assert 'Traceback' not in output
    assert 'solved' in output


@pytest.mark.timeout(START_UP)
def test_failing_node_ends_the_demo_with_its_reason(capsys):
    waits = NodeRow('dq_ik', 'sim_node', 'waits')
    fails = NodeRow('dq_ik', 'sim_node', 'fails', {'robot_description': '<robot'})
    assert runner.run_demo([waits, fails], browser=False) == 1
    output = capsys.readouterr()
    assert 'fails ended with exit code 1' in output.err
    assert '[fails] dq_ik_sim: ' in output.out
    assert 'Traceback' not in output.out
