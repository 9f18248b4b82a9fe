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
"""The command line as a whole: robots by name, and what it says where ROS is missing."""

from __future__ import annotations

import json
from pathlib import Path
import re
import subprocess
import sys

from dq_ik.cli.main import COMMANDS, main
from dq_ik.cli.words import angle
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
GOAL = ('--xyz', '0.4', '0.2', '0.5', '--rpy', '3.14', '0', '0')
NO_ROS = """
import importlib.abc, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == 'rclpy' or name.split('.')[0].endswith(('_msgs', '_srvs')):
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, Absent())
from dq_ik.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize('words', [
    ('goal', *GOAL), ('ask', *GOAL), ('node', 'panda'), ('demo', '--duration', '1'),
    ('jog',)],
    ids=lambda words: words[0])
def test_without_ros_one_sentence_says_what_to_install(words):
    answer = subprocess.run([sys.executable, '-c', NO_ROS, *words], cwd=ROOT, capture_output=True,
                            text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f'dq_ik {words[0]}: this command needs ROS 2')
    assert "pip install 'dq_ik[ros]'" in answer.stderr
    assert 'setup.bash' in answer.stderr
    assert answer.stderr.count('\n') == 1


def test_robots_have_names_in_every_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['info', 'panda']) == 0
    assert main(['solve', 'panda', *GOAL]) == 0
    assert main(['export', 'panda', 'arm.dqik', '--starts', '1']) == 0
    assert capsys.readouterr().out.count('panda_joint7') >= 3


def test_a_file_of_that_name_wins(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path('panda').write_text((ROOT / 'urdf' / 'arm6.urdf').read_text())
    assert main(['info', 'panda']) == 0
    assert capsys.readouterr().out.startswith('arm6')


@pytest.mark.parametrize(('robot', 'reason'), [
    ('pnda', "there is no file and no robot 'pnda'"), ('./x.urdf', "there is no file 'x.urdf'"),
    ('.', "there is no file '.'")])
def test_unknown_robot_is_one_sentence(robot, reason, capsys):
    assert main(['info', robot]) == 1
    assert reason in capsys.readouterr().err


def test_without_ros_the_demo_is_a_page_in_this_process(monkeypatch, capsys):
    """With the robot, the tips and the tool that were asked for."""
    seen = []
    monkeypatch.setitem(sys.modules, 'rclpy', None)
    monkeypatch.setattr('dq_ik.cli.demo.show', lambda chain, **given: seen.append((chain, given)))
    assert main(['demo', '--robot', 'arm6', '--tool', '0,0,0.1', '--no-browser']) == 0
    assert main(['demo', '--robot', 'two_arms', '--port', '8099']) == 0
    (arm, first), (both, second) = seen
    assert arm.tool.position.tolist() == [0.0, 0.0, 0.1]
    assert both.tips == ('left_tool', 'right_tool')
    assert (first['open_browser'], second['open_browser'], second['port']) == (False, True, 8099)
    assert 'ROS 2 is not usable here' in capsys.readouterr().out


def test_without_ros_the_demo_finds_the_meshes_beside_the_urdf(tmp_path, monkeypatch, capsys):
    """Here by choice: ROS is there."""
    folder = tmp_path / 'my_arm'
    (folder / 'meshes').mkdir(parents=True)
    (folder / 'meshes' / 'part.stl').write_text('solid part')
    visual = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    (folder / 'arm.urdf').write_text(
        (ROOT / 'urdf' / 'arm6.urdf').read_text().replace('</robot>', f"""
        <link name="more">{visual.format('meshes/part.stl')}</link>
        <joint name="more" type="fixed"><parent link="tool0"/><child link="more"/></joint>
        </robot>"""))
    seen = []
    monkeypatch.setattr('dq_ik.cli.demo.show', lambda chain, **given: seen.append((chain, given)))
    assert main(['demo', '--urdf', str(folder / 'arm.urdf'), '--no-ros']) == 0
    [(chain, given)] = seen
    assert chain.model.source[1] == str(folder)
    assert given['robots']['two_arms']().tips == ('left_tool', 'right_tool')
    assert capsys.readouterr().out.startswith('The arm moves in this process')
    assert main(['demo', '--no-ros', '--duration', '1']) == 1
    assert '--no-ros' in capsys.readouterr().err


@pytest.mark.parametrize('words', [
    ('--xyz', '0.4', '-0.2', '0.5', '--rpy', '3.14159265', '0', '-0.5'),
    ('--xyz', '0.4,-0.2,0.5', '--rpy', 'pi,0,-0.5'),
    ('--xyz=0.4,-0.2,0.5', '--rpy=180deg,0,-0.5'),
    ('--xyz', '[0.4,', '-0.2,', '0.5]', '--rpy', '180deg', '0', '-0.5'),
    ('--xyz', '(0.4; -0.2; 0.5)', '--rpy', '180°', '0', '-5e-1')])
def test_lists_are_read_as_people_write_them(words, capsys):
    assert main(['solve', 'panda', *words, '--json']) == 0
    joints = json.loads(capsys.readouterr().out)['joints']
    chain = load_robot('panda').chain()
    pose = chain.fk(chain.configuration(joints))
    wanted = Pose.from_xyz_rpy((0.4, -0.2, 0.5), (np.pi, 0.0, -0.5))
    assert pose.distance(wanted) < (1e-4, 1e-4)


@pytest.mark.parametrize(('text', 'value'), [
    ('1.5', 1.5), ('-pi/2', -np.pi / 2), ('2pi', 2 * np.pi), ('2*pi/3', 2 * np.pi / 3),
    ('-90deg', -np.pi / 2), ('1e-3', 0.001), ('π', np.pi)])
def test_angles(text, value):
    assert angle(text) == pytest.approx(value, abs=1e-15)


def test_seeds_are_numbers_in_order_or_by_name(capsys):
    chain = load_robot('panda').chain()
    q = chain.random(np.random.default_rng(3))
    place = ['--xyz', *map(str, chain.fk(q).position), '--rpy', *map(str, chain.fk(q).rpy)]
    for seed in ([','.join(map(str, q))], list(map(str, q)),
                 [f'{name}={value}' for name, value in zip(chain.joint_names, q)]):
        assert main(['solve', 'panda', *place, '--json', '--seed', *seed]) == 0
        joints = json.loads(capsys.readouterr().out)['joints']
        assert list(joints.values()) == pytest.approx(q.tolist(), abs=1e-4)
    assert main(['solve', 'panda', *place, '--seed', '0.1', 'panda_joint2=0.2']) == 1
    assert 'has no name' in capsys.readouterr().err


@pytest.mark.parametrize('words', [
    ('info', 'panda'), ('info', 'panda', '--tip', 'panda_hand'), ('solve', 'panda', *GOAL),
    ('fk', 'panda', 'panda_joint1=0.5'), ('export', 'panda', 'arm.dqik'),
    ('bench', 'arm6', '--count', '20')], ids=lambda words: words[0])
def test_every_answer_can_be_json(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([*words, '--json']) == 0
    assert json.loads(capsys.readouterr().out)


def test_fk_prints_where_the_tips_are(capsys):
    both = load_robot('two_arms').chain(tips=('left_tool', 'right_tool'))
    q = both.configuration({'left_joint_4': -1.2})
    words = ['fk', 'two-arms', 'left_joint_4=-1.2', '--tip', 'left_tool,right_tool']
    assert main([*words, '--json']) == 0
    printed = json.loads(capsys.readouterr().out)
    for tip, pose in both.fk_all(q).items():
        assert Pose.from_xyz_wxyz(printed[tip]['xyz'], printed[tip]['quat']).distance(pose) < (
            1e-12, 1e-7)
        assert Pose.from_xyz_rpy(printed[tip]['xyz'], printed[tip]['rpy']).distance(pose) < (
            1e-12, 1e-7)
    assert main(words) == 0
    assert 'left_tool in' in capsys.readouterr().out
    assert main(['fk', 'panda', '0', '0']) == 1
    assert '7 numbers' in capsys.readouterr().err


def test_a_tool_moves_the_goal_frame_in_every_command(capsys):
    chain = load_robot('panda').chain(tool=(0.0, 0.0, 0.2))
    assert main(['fk', 'panda', '--tool', '0 0 0.2', '--json']) == 0
    at_home = json.loads(capsys.readouterr().out)['panda_hand_tcp']['xyz']
    assert at_home == pytest.approx(chain.fk(chain.neutral).position.tolist(), abs=1e-12)
    assert main(['solve', 'panda', *GOAL, '--tool', '0', '0', '0.2', '--json']) == 0
    q = chain.configuration(json.loads(capsys.readouterr().out)['joints'])
    assert chain.fk(q).position == pytest.approx([0.4, 0.2, 0.5], abs=1e-4)
    assert main(['info', 'panda', '--tool', '1', '2']) == 1
    assert 'x y z' in capsys.readouterr().err


def test_words_of_a_choice_are_read_as_people_write_them(capsys):
    solve = ['solve', 'panda', '--xyz', '0.4,0.2,0.5', '--position-only', '--json']
    assert main([*solve, '--method', 'PGS', '--mode', 'Distance-Max']) == 0
    assert main([*solve, '--option', 'locked_joints=[panda_joint5, panda_joint7]']) == 0
    joints = json.loads(capsys.readouterr().out.splitlines()[-1])['joints']
    assert joints['panda_joint5'] == joints['panda_joint7'] == 0.0
    assert main(['bench', 'arm6', '--count', '5', '--method', 'PGS,pls', '--json']) == 0
    assert [row['method'] for row in json.loads(capsys.readouterr().out)['methods']] == [
        'pgs', 'pls']


@pytest.mark.parametrize(('words', 'reason'), [
    (('slove', 'panda'), "there is no command 'slove' (did you mean 'solve'?)"),
    (('solve', 'panda', '--xyz', '1,0,0', '--mode', 'al'),
     "there is no mode 'al' (did you mean 'all'?)"),
    (('solve', 'panda', '--xyz', '1,0,0', '--method', 'pqs'), "there is no method 'pqs'"),
    (('solve', 'panda', '--xyz', '0.4m', '0', '0'), "'0.4m' is no number of metres"),
    (('goal', '--xyz', '1,0,0', '--node', 'a b'), "'a b' is no name of ROS 2"),
    (('ask', '--xyz', '1,0,0', '--service', '1'), "'1' is no name of ROS 2"),
    (('goal', '--xyz', '1,0,0', '--timeout', 'nan'), "'nan' is no time to wait"),
    (('jog', '--timeout', '-1'), "'-1' is no time to wait"),
    (('doctor', '--timeout', 'inf'), "'inf' is no time to wait")])
def test_a_word_that_is_none_is_refused_with_what_would_be_right(words, reason, capsys):
    with pytest.raises(SystemExit) as end:
        main(list(words))
    assert end.value.code == 1
    assert reason in capsys.readouterr().err


def test_degrees_that_are_given_as_radians_are_noted(capsys):
    place = ['solve', 'panda', '--xyz', '0.4,0.2,0.5', '--json']
    assert main([*place, '--rpy', '180', '0', '0']) == 0
    assert '180 rad; degrees are written 180deg' in capsys.readouterr().err
    assert main([*place, '--rpy', '180deg', '0', '2pi']) == 0
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize('port', ['-1', '65536', '99999999999999'])
def test_a_port_that_is_none_is_one_sentence(port, monkeypatch, capsys):
    """With ROS as well as without."""
    words = ['demo', '--port', port, '--no-browser', '--robot', 'arm6']
    assert main(words) == 1
    monkeypatch.setitem(sys.modules, 'rclpy', None)
    assert main(words) == 1
    errors = capsys.readouterr().err.splitlines()
    assert errors == [f'dq_ik demo: a port is a whole number from 0 to 65535, got {port}'] * 2


def test_bench_measures_each_method(capsys):
    assert main(['bench', 'panda', '--count', '50', '--json']) == 0
    rows = json.loads(capsys.readouterr().out)['methods']
    assert [row['method'] for row in rows] == ['pgs', 'pls']
    assert all(row['solved'] > 0.9 and 0 < row['median'] <= row['p99'] for row in rows)
    assert main(['bench', 'panda', '--method', 'pqs']) == 1
    assert "did you mean 'pls'?" in capsys.readouterr().err


@pytest.mark.parametrize('words', [
    (), ('solv', 'panda'), ('solve', 'panda'), ('solve', 'panda', '--xyz', '1', '2'),
    ('solve', 'panda', '--xyz', 'a', 'b', 'c'), ('solve', 'two_arms', *GOAL)])
def test_mistakes_are_one_line_and_exit_code_1(words, capsys):
    """Code 2 says that a goal is not reached."""
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code
    assert code == 1
    assert capsys.readouterr().err.count('\n') == 1


def test_the_help_names_every_command_and_exit_code(capsys):
    with pytest.raises(SystemExit) as end:
        main(['--help'])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert all(f'    {name} ' in text for name in COMMANDS)
    assert all(f'{code} ' in text for code in (0, 1, 2, 130))
    assert 'ROS 2' in text


@pytest.mark.parametrize('command', COMMANDS)
def test_every_command_has_plain_help(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, '--help'])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert not re.search(r'\b(ros2 |Ros|Urdf|urdf file)', text)


def test_on_a_terminal_the_verdict_has_a_colour(monkeypatch, capsys):
    monkeypatch.setattr('sys.stdout.isatty', lambda: True)
    monkeypatch.setenv('TERM', 'xterm-256color')
    monkeypatch.delenv('NO_COLOR', raising=False)
    assert main(['solve', 'panda', *GOAL]) == 0
    assert '\x1b[1;32mthe goal is reached' in capsys.readouterr().out
    assert main(['solve', 'panda', '--xyz', '3,0,0']) == 2
    assert '\x1b[1;33mbest reach' in capsys.readouterr().out
