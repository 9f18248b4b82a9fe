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
"""The launch files, where a ROS installation offers ``launch``."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from dq_ik.demo.choices import find_robot
from dq_ik.demo.nodes import demo_nodes, DemoSettings
from dq_ik.errors import DqIkError
from dq_ik.native.load import describe
from launch import LaunchContext
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch.utilities import perform_substitutions
import pytest

ROOT = Path(__file__).resolve().parents[1]
START_UP = 100.0
BUILD = 600.0  # of the library, in a checkout without one


def actions(name: str, **arguments: str) -> tuple[LaunchContext, list]:
    """Return the actions that a launch file leads to."""
    description = get_launch_description_from_python_launch_file(str(ROOT / 'launch' / name))
    context = LaunchContext()
    context.launch_configurations.update(arguments)
    found = []
    for entity in description.entities:
        found += entity.visit(context) or []
    return context, found


def nodes(name: str, **arguments: str) -> dict[str, object]:
    context, found = actions(name, **arguments)
    result = {}
    for action in found:
        if type(action).__name__ == 'Node':
            executable = action.node_executable
            text = executable if isinstance(executable, str) else perform_substitutions(
                context, executable)
            result[text] = action
    return result


@pytest.mark.parametrize('arguments', [
    {'viewer': 'none'},
    {'viewer': 'none', 'sim': 'false', 'path': 'true'},
    {'viewer': 'web', 'robot': 'arm6'},
    {'viewer': 'none', 'scene': 'table'},
])
def test_launch_file_starts_the_rows_of_the_table(arguments):
    urdf, text = find_robot(arguments.get('robot', 'panda'))
    rows = demo_nodes(DemoSettings(
        urdf=urdf, description=text, viewer=arguments['viewer'],
        sim=arguments.get('sim', 'true') == 'true', path=arguments.get('path') == 'true'))
    assert set(nodes('demo.launch.py', **arguments)) == {row.executable for row in rows}


def test_an_unknown_scene_is_refused_before_anything_starts():
    with pytest.raises(DqIkError, match="no world 'tabel'"):
        nodes('demo.launch.py', viewer='none', scene='tabel')


def test_unknown_solver_is_refused_before_anything_starts():
    with pytest.raises(RuntimeError, match=r'nonsense.*pgs'):
        nodes('demo.launch.py', viewer='none', solver='nonsense')


def test_demo_ends_with_its_solver():
    """Nobody answers goals without it, so the other nodes do not run on."""
    from launch.actions import Shutdown
    started = nodes('demo.launch.py', viewer='none')
    on_exit = {name: vars(action)['_ExecuteLocal__on_exit'] for name, action in started.items()}
    assert isinstance(on_exit['ik_node'], Shutdown)
    assert on_exit['sim_node'] is None


def test_solver_alone():
    assert set(nodes('ik.launch.py', urdf=str(ROOT / 'urdf' / 'arm6.urdf'))) == {'ik_node'}


@pytest.mark.timeout(BUILD + 2 * START_UP)
def test_demo_runs_under_ros2_launch(tmp_path):
    """The nodes start, the goal moves, and SIGINT ends everything without a traceback."""
    describe()  # builds the library if there is none: three nodes would wait for one that does
    log = tmp_path / 'log'
    command = [sys.executable, '-c', 'import sys; from ros2cli.cli import main; sys.exit(main())',
               'launch', 'dq_ik', 'demo.launch.py', 'viewer:=none', 'path:=true']
    with log.open('w') as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                   env=dict(os.environ), cwd=tmp_path)
    deadline = time.monotonic() + START_UP
    while 'moving the goal' not in log.read_text() and time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        assert 'process has died' not in log.read_text(), log.read_text()
        time.sleep(0.2)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=40)
    text = log.read_text()
    assert 'Traceback' not in text, text
    assert 'solved' in text
