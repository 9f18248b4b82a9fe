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
"""The package builds with colcon, copied and symlinked, and runs from the workspace."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess
import sys

from dq_ik.demo.nodes import MODULES
from packages import ROOT, unpack
import pytest

IGNORED = shutil.ignore_patterns(
    '.git', '.venv*', 'build', 'generated', 'install', 'log', '__pycache__', '*.egg-info',
    '.*_cache')
STYLES = {'copy': [], 'symlink': ['--symlink-install']}


@pytest.fixture(scope='module', params=STYLES)
def workspace(request, tmp_path_factory) -> Path:
    """Build a workspace with the archive, or with a copy of the checkout."""
    folder = tmp_path_factory.mktemp(f'workspace_{request.param}')
    if request.param == 'copy':
        unpack(folder / 'src')
    else:  # with the library that is built in place
        shutil.copytree(ROOT, folder / 'src' / 'dq_ik', ignore=IGNORED)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ('PYTHONPATH', 'COLCON_PREFIX_PATH')}
    environment['PATH'] = f'{Path(sys.executable).parent}{os.pathsep}{environment["PATH"]}'
    environment['DQ_IK_MOVEIT'] = '0'  # test_plugin_moveit.py has it
    result = subprocess.run(
        [sys.executable, '-m', 'colcon', 'build', '--event-handlers', 'console_direct+',
         *STYLES[request.param]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=250)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    (folder / 'said.txt').write_text(result.stdout + result.stderr)
    return folder


def shell(workspace: Path, command: str) -> str:
    """Run a command in a shell that has sourced the workspace, away from the checkout."""
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    environment['PATH'] = f'{Path(sys.executable).parent}{os.pathsep}{environment["PATH"]}'
    result = subprocess.run(
        ['bash', '-c', f'. install/local_setup.bash && cd / && {command}'],
        cwd=workspace, env=environment, capture_output=True, text=True, check=False, timeout=500)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    return result.stdout


def test_only_our_package_is_built(workspace):
    """The interface definitions inside the checkout are no packages of the workspace."""
    built = {path.name for path in (workspace / 'install').iterdir() if path.is_dir()}
    assert built == {'dq_ik'}


def test_ament_index_has_the_package(workspace):
    code = ('from ament_index_python.packages import get_package_share_directory as f; '
            'print(f(\\"dq_ik\\"))')
    found = Path(shell(workspace, f'{sys.executable} -c "{code}"').strip())
    assert found == workspace / 'install' / 'dq_ik' / 'share' / 'dq_ik'
    for name in ('launch/demo.launch.py', 'urdf/panda.urdf', 'config/dq_ik.yaml', 'package.xml',
                 'rviz/demo.rviz', 'worlds/table.yaml'):
        assert (found / name).is_file(), name


@pytest.mark.parametrize('name', MODULES)
def test_ros2_run_finds_the_executables(workspace, name):
    path = workspace / 'install' / 'dq_ik' / 'lib' / 'dq_ik' / name
    assert os.access(path, os.X_OK)


def test_command_runs_from_the_workspace(workspace):
    where = shell(workspace, f'{sys.executable} -c "import dq_ik; print(dq_ik.__file__)"').strip()
    assert str(workspace) in os.path.abspath(where)
    assert 'solve' in shell(workspace, 'install/dq_ik/bin/dq_ik --help'.replace(
        'install', str(workspace / 'install')))


def test_the_library_is_installed(workspace):
    """The door for Python, and the library, its header and CMake files for C and C++."""
    prefix = workspace / 'install' / 'dq_ik'
    for name in ('lib/libdq_ik.so', 'include/dq_ik.h', 'lib/cmake/dq_ik/dq_ikConfig.cmake'):
        assert (prefix / name).is_file(), name
    code = 'from dq_ik.native import load; print(load.door().path); print(load.describe())'
    path, text = shell(workspace, f'{sys.executable} -c "{code}"').splitlines()
    assert Path(path).is_relative_to(workspace)
    assert text.startswith('native library for')


def test_one_line_says_that_the_plugin_for_moveit_is_left_out(workspace):
    said = [line for line in (workspace / 'said.txt').read_text().splitlines() if 'MoveIt' in line]
    assert set(said) == {'dq_ik: the plugin for MoveIt is left out: DQ_IK_MOVEIT is 0'}
    assert not list((workspace / 'install').rglob('*kinematics_plugin*'))
