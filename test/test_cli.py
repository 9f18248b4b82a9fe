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

from pathlib import Path
import subprocess
import sys

from dq_ik.cli.main import main
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
    ('goal', *GOAL), ('ask', *GOAL), ('node', 'panda'), ('demo', '--no-browser')],
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
