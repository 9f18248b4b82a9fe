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
"""One setup.py for both worlds: what pip installs, and that the files agree with each other."""

from __future__ import annotations

import ast
import os
from pathlib import Path
import re
import subprocess
import sys
from xml.etree import ElementTree

from catkin_pkg.package import parse_package
import dq_ik
from dq_ik.cli.main import COMMANDS
from dq_ik.demo.nodes import MODULES
from dq_ik.native.files import NUMBA
from packages import PYTHON, ROOT, run, wheel
import pytest


@pytest.fixture(scope='module')
def prefix(tmp_path_factory) -> Path:
    """Install the wheel as pip does, without its dependencies."""
    target = tmp_path_factory.mktemp('prefix')
    run(sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps',
        '--ignore-installed', '--prefix', target, wheel())
    return target


@pytest.fixture(scope='module')
def environment(prefix) -> dict[str, str]:
    """Return an environment in which the installed package comes first."""
    site = prefix / 'lib' / PYTHON / 'site-packages'
    return {**os.environ, 'PYTHONPATH': str(site),
            'AMENT_PREFIX_PATH': f'{prefix}{os.pathsep}{sys.prefix}',
            'PATH': f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'}


def test_ament_finds_the_installed_package(prefix, environment):
    code = ('from ament_index_python.packages import get_package_share_directory as f; '
            "print(f('dq_ik'))")
    assert run(sys.executable, '-c', code, env=environment).stdout.strip() == str(
        prefix / 'share' / 'dq_ik')


@pytest.mark.parametrize('folder', ['config', 'launch', 'rviz', 'urdf'])
def test_share_files_are_installed(prefix, folder):
    expected = {path.name for path in (ROOT / folder).iterdir() if path.is_file()}
    assert expected
    installed = (prefix / 'share' / 'dq_ik' / folder).iterdir()
    assert {path.name for path in installed if path.is_file()} == expected


@pytest.mark.parametrize('name', MODULES)
def test_executables_are_where_ros2_run_looks(prefix, name):
    path = prefix / 'lib' / 'dq_ik' / name
    assert os.access(path, os.X_OK)
    assert f'from {MODULES[name]} import main' in path.read_text()


def test_installed_command_runs(prefix, environment, tmp_path):
    """The command works away from the checkout, and finds its robots in the share folder."""
    console = run(prefix / 'bin' / 'dq_ik', '--help', env=environment, cwd=tmp_path).stdout
    module = run(sys.executable, '-m', 'dq_ik', '--help', env=environment, cwd=tmp_path).stdout
    assert console == module
    code = 'from dq_ik.robot.bundled import share_folder; print(share_folder())'
    found = run(sys.executable, '-c', code, env=environment, cwd=tmp_path).stdout.strip()
    assert found == str(prefix / 'share' / 'dq_ik')
    without_ament = {**environment, 'AMENT_PREFIX_PATH': ''}
    found = run(sys.executable, '-c', code, env=without_ament, cwd=tmp_path).stdout.strip()
    assert found.endswith('share/dq_ik')


@pytest.mark.parametrize('name', ['ik_node', 'sim_node', 'viewer_node', 'path_node'])
def test_executable_names_what_is_wrong(prefix, environment, name, tmp_path):
    """Each executable starts; a bad parameter ends it with a sentence instead of a traceback."""
    result = subprocess.run(
        [prefix / 'lib' / 'dq_ik' / name, '--ros-args', '-p', 'robot_description:=<robot/>'],
        env=environment, capture_output=True, text=True, cwd=tmp_path, timeout=500, check=False)
    assert result.returncode == 1
    assert 'Traceback' not in result.stdout + result.stderr
    assert 'robot' in result.stderr


def test_scripts_setup_and_table_name_the_same_executables():
    tree = ast.parse((ROOT / 'setup.py').read_text())
    nodes = next(ast.literal_eval(node.value) for node in tree.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == 'NODES')
    scripts = {path.name for path in (ROOT / 'scripts').iterdir()}
    assert set(nodes) == set(MODULES) == scripts


def test_versions_agree():
    version = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    assert f"version='{version}'" in (ROOT / 'setup.py').read_text()
    assert dq_ik.__version__ == version
    assert re.search(rf'^{re.escape(version)} \(|^Forthcoming$',
                     (ROOT / 'CHANGELOG.rst').read_text(), re.MULTILINE)


def test_package_manifest_is_format_3_with_known_keys():
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    assert package.get('format') == '3'
    assert package.findtext('license') == 'Apache-2.0'
    depends = {item.text for item in package if item.tag.endswith('depend')}
    tested = {item.text for item in package if item.tag == 'test_depend'}
    assert depends >= {
        'python3-numpy', 'python3-scipy', 'urdfdom_py', 'rclpy', 'moveit_msgs',
        'tf2_ros', 'interactive_markers', 'launch_ros'}
    assert tested >= {'ament_copyright', 'ament_flake8', 'ament_pep257', 'ament_xmllint',
                      'python3-pytest', 'tf_transformations'}
    assert not depends & {'rviz2', 'robot_state_publisher', 'mujoco'}, 'the node runs headless'
    assert not {name for name in depends if name.endswith('-pip')}, 'no release with pip keys'
    assert 'python3-numba' not in depends, 'not every distribution has it'


def test_numba_is_pinned_in_one_way():
    assert f'"numba=={NUMBA}"' in (ROOT / 'pyproject.toml').read_text()
    pins = (ROOT / 'requirements' / 'constraints.txt').read_text().splitlines()
    assert f'numba=={NUMBA}' in pins


def test_every_command_has_its_module():
    for name in COMMANDS:
        source = (ROOT / 'dq_ik' / 'cli' / f'{name}.py').read_text()
        assert 'def add_arguments(' in source
        assert 'def run(' in source


@pytest.mark.parametrize(('wanted', 'count'), [({}, 0), ({'DQ_IK_MOVEIT': '0'}, 0),
                                               ({'DQ_IK_MOVEIT': '1'}, 1)])
def test_moveit_is_a_dependency_only_where_it_is_wanted(wanted, count):
    package = parse_package(ROOT / 'package.xml')
    package.evaluate_conditions(wanted)
    for depends in (package.build_depends, package.exec_depends):
        assert [d.name for d in depends if d.evaluated_condition].count('moveit_core') == count
