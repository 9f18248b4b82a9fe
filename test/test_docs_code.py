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
"""Every block of code of the documentation runs; what needs a ROS installation is counted."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
import re
import shlex

from dq_ik import load_robot, Pose
from dq_ik.cli.main import main, ROS_ARGUMENTS
import numpy as np
import pytest
from tools import code_blocks

ROOT = Path(__file__).parent.parent

CODES = [code for page in code_blocks.pages() for code in code_blocks.codes(page)]
OWN_TESTS = ('kinematics.md', 'solvers.md')  # they look at the output, too
PYTHON = sorted({code.page for code in CODES if code.language == 'python'
                 and code.page.name not in OWN_TESTS})
URDFS = ('robot.urdf', 'arm.urdf', 'my_arm.urdf')


def of(language: str, needs: str) -> list:
    """Return code as parameters of a test."""
    return [pytest.param(code.text, id=f'{code.page.name}: {code.text.splitlines()[0][:60]}')
            for code in CODES if (code.language, code.needs) == (language, needs)]


@pytest.mark.parametrize('page', PYTHON, ids=lambda page: page.name)
def test_python_runs(page, tmp_path, monkeypatch, capsys):
    """All blocks of a page, one after the other."""
    if 'sim' in page.stem:
        pytest.importorskip('mujoco')
    monkeypatch.chdir(tmp_path)
    text = '\n'.join(code.text for code in CODES if code.page == page
                     and (code.language, code.needs) == ('python', 'here'))
    exec(compile(text, str(page), 'exec'), {})


@pytest.mark.parametrize('text', of('python', 'ROS'))
def test_python_for_ros_is_python(text):
    compile(text, 'docs', 'exec')
    for module in re.findall(r'^(?:from|import) (\w+)', text, re.MULTILINE):
        if find_spec('rclpy'):
            assert find_spec(module), module


@pytest.mark.parametrize('text', of('yaml', 'here'))
def test_yaml_can_be_read(text):
    yaml = pytest.importorskip('yaml')
    assert yaml.safe_load(text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the files that commands name."""
    monkeypatch.chdir(tmp_path)
    arm = load_robot('panda').chain()
    text = (ROOT / 'urdf' / 'panda.urdf').read_text().replace('panda_hand_tcp', 'tool0')
    for name in URDFS:
        Path(name).write_text(text)
    start = arm.configuration({'panda_joint4': -1.5, 'panda_joint6': 1.5})
    x = arm.fk(start)
    rows = [Pose.from_xyz_rpy((0.0, 0.002 * i, 0.0), (0, 0, 0)) @ x for i in range(20)]
    np.savetxt('poses.csv', [[*p.position, *p.quaternion] for p in rows], delimiter=',',
               header='x,y,z,qw,qx,qy,qz', comments='')
    return tmp_path


@pytest.mark.parametrize('text', of('shell', 'here'))
def test_commands_without_ros_run(text, folder, capsys):
    """They end with 0, or with 2 where a goal is not reached."""
    try:
        code = main(shlex.split(text)[1:])
    except SystemExit as end:
        code = end.code
    assert code in (0, 2), capsys.readouterr().err


@pytest.mark.parametrize('text', [p for p in of('shell', 'ROS') if p.values[0].startswith('dq_')])
def test_commands_for_ros_are_understood(text, folder, monkeypatch, capsys):
    """Their words, without running them."""
    seen = []
    words = shlex.split(text)[1:]
    monkeypatch.setattr('dq_ik.cli.main.import_module', _without_run(seen))
    main(words[:words.index(ROS_ARGUMENTS)] if ROS_ARGUMENTS in words else words)
    assert seen == [words[0]]


def _without_run(seen: list):
    from importlib import import_module
    from types import SimpleNamespace

    def load(name):
        module = import_module(name)
        return SimpleNamespace(add_arguments=module.add_arguments,
                               run=lambda args: seen.append(args.command))
    return load


@pytest.mark.parametrize('text', of('shell', 'make'))
def test_targets_of_make_exist(text):
    words = [word for word in shlex.split(text)[1:] if '=' not in word]
    targets = re.findall(r'^(\w+):', (ROOT / 'Makefile').read_text(), re.MULTILINE)
    assert set(words) <= set(targets)


@pytest.mark.parametrize('text', of('shell', 'python'))
def test_programs_exist(text):
    words = shlex.split(text)
    if words[1] == '-m':
        assert find_spec(words[2]), words[2]
    elif words[1] != '-c':
        path = ROOT / words[1]
        assert path.is_file() or (path / '__main__.py').is_file()


def test_little_is_left_to_ros():
    """What needs a ROS installation is tagged; the rest is the most."""
    for_ros = [code for code in CODES if code.needs == 'ROS']
    assert 0 < len(for_ros) < 0.5 * len(CODES)
    untagged = [code for code in CODES if code.language == 'python' and code.needs == 'here'
                and 'rclpy' in code.text]
    assert untagged == []


def test_the_pictures_are_drawn_by_solving(tmp_path):
    """And are those of the page."""
    pytest.importorskip('matplotlib')
    from tools import figures
    figures.main(tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    text = (ROOT / 'docs' / 'how_it_works.md').read_text()
    assert drawn == set(re.findall(r'images/how/(\w+\.png)', text))
    assert drawn == {path.name for path in figures.FOLDER.iterdir()}
