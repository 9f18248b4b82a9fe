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
"""
The plugin inside MoveIt: built by colcon, loaded by pluginlib, judged by MoveIt's RobotState.

These tests need a sourced ROS installation with MoveIt. `make test` hides one, `colcon test` does
not.
"""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

from arms import arm
from packages import ROOT, run, unpack
import pytest

PREFIXES = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
pytestmark = pytest.mark.skipif(
    not any(Path(prefix, 'share/moveit_core/cmake').is_dir() for prefix in PREFIXES if prefix),
    reason='needs a sourced ROS installation with MoveIt')

CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(program CXX)
find_package(moveit_core REQUIRED)
find_package(pluginlib REQUIRED)
find_package(rclcpp REQUIRED)
add_executable(program SOURCE)
target_compile_features(program PRIVATE cxx_std_17)
target_include_directories(program PRIVATE PLUGIN)
target_link_libraries(program PRIVATE moveit_core::moveit_kinematics_base
  moveit_core::moveit_robot_model moveit_core::moveit_robot_state pluginlib::pluginlib
  rclcpp::rclcpp)
"""
ARM = tuple(f'panda_joint{i}' for i in range(1, 8))
BOTH = ('torso_yaw', *(f'{side}_joint_{i}' for side in ('left', 'right') for i in range(1, 8)))
# Robot, joints of the group, base, tips.
ROBOTS = {
    'panda': ('panda', ARM, 'panda_link0', ('panda_hand_tcp',)),
    'part': ('panda', ARM[2:], 'panda_link2', ('panda_link8',)),
    'interleaved': ('panda', (*ARM[:2], *ARM[3:]), 'panda_link0', ('panda_link8',)),
    'two arms': ('two_arms', BOTH, 'base_link', ('left_tool', 'right_tool')),
    'one of two': ('two_arms', BOTH[1:8], 'base_link', ('left_tool',)),
    'mimic': ('mimic', ('yaw', 'bend', 'bend_middle', 'bend_distal'), 'base_link', ('tool',)),
    'slides': ('prismatic', ('slide_x', 'slide_y', 'slide_z', 'turn'), 'base_link', ('tool',)),
}
# A robot with a joint that no value of a group places, beside the way to its tip.
FLOATING = """<robot name="floating"><link name="base"/><link name="arm"/><link name="tool"/>
  <link name="drone"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="tool"/>
    <axis xyz="1 0 0"/><limit lower="0.1" upper="0.5" velocity="1" effort="1"/></joint>
  <joint name="flight" type="floating"><parent link="arm"/><child link="drone"/></joint>
</robot>"""
ROBOTS['beside a floating joint'] = ('floating', ('turn', 'slide'), 'base', ('tool',))


@pytest.fixture(scope='module')
def workspace(tmp_path_factory) -> Path:
    """Build a workspace with this package, and the program of the tests."""
    folder = tmp_path_factory.mktemp('workspace')
    unpack(folder / 'src')
    run(sys.executable, '-m', 'colcon', 'build', cwd=folder)
    build = folder / 'program'
    build.mkdir()
    (build / 'CMakeLists.txt').write_text(
        CMAKE.replace('SOURCE', str(ROOT / 'test' / 'cpp' / 'plugin_moveit.cpp'))
        .replace('PLUGIN', str(ROOT / 'plugin')))
    run('cmake', '-S', build, '-B', build, '-DCMAKE_BUILD_TYPE=Release')
    run('cmake', '--build', build)
    return folder


def start(workspace: Path, task: str, robot: str, *words: str) -> subprocess.CompletedProcess:
    """Run a task of the program in the sourced workspace."""
    name, joints, base, tips = ROBOTS[robot]
    srdf = workspace / f'{name}.srdf'
    members = ''.join(f'<joint name="{joint}"/>' for joint in joints)
    srdf.write_text(f'<robot name="{name}"><group name="group">{members}</group></robot>')
    urdf = ROOT / 'urdf' / f'{name}.urdf'
    if name == 'floating':
        urdf = workspace / urdf.name
        urdf.write_text(FLOATING)
    command = ' '.join([str(workspace / 'program' / 'program'), task, str(urdf), str(srdf),
                        'group', base, *tips, *words])
    return subprocess.run(['bash', '-c', f'. install/local_setup.bash && {command}'],
                          cwd=workspace, capture_output=True, text=True, check=False, timeout=300)


def ask(workspace: Path, task: str, robot: str) -> list[float]:
    """Return the numbers that a task of the program prints."""
    done = start(workspace, task, robot)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def test_the_index_has_the_plugin(workspace):
    prefix = workspace / 'install' / 'dq_ik'
    entry = prefix / 'share/ament_index/resource_index/moveit_core__pluginlib__plugin/dq_ik'
    assert (prefix / entry.read_text().strip()).is_file()
    assert (prefix / 'lib' / 'libdq_ik_kinematics_plugin.so').is_file()


@pytest.mark.parametrize('robot', ROBOTS)
def test_reachable_poses_are_reached_within_the_limits(workspace, robot):
    solved, wrong, each, error = ask(workspace, 'random', robot)
    print(f'\n{robot}: {solved / 10:.1f} % solved, {each:.1f} us each, {error:.1e} apart')
    assert solved >= 999
    assert wrong == 0
    assert error < 1e-9


def test_consistency_limits_are_kept(workspace):
    found, beyond = ask(workspace, 'consistency', 'panda')
    assert found >= 299
    assert beyond == 0


def test_a_callback_may_refuse_half_of_all_states(workspace):
    assert ask(workspace, 'callbacks', 'panda')[0] >= 499


def test_options_of_a_query_are_honoured(workspace):
    held, moved, reached, miss, approached, many, cheap, usual = ask(workspace, 'queries', 'panda')
    assert (held, moved) == (1, 0)
    assert (reached, miss, approached) == (0, -31, 1)  # NO_IK_SOLUTION
    assert many == 16
    assert cheap < usual


def test_eight_threads_share_a_plugin(workspace):
    assert ask(workspace, 'threads', 'panda') == [0]


def test_bad_input_is_refused_without_an_exception(workspace):
    assert ask(workspace, 'bad', 'panda') == [0, -31]


@pytest.mark.parametrize(('robot', 'most'), [('panda', 50), ('humanoid', 500)])
def test_limits_are_those_of_the_robot_model(workspace, robot, most, monkeypatch):
    """The plugin is ready for the 71 joints of a humanoid in half a second."""
    chain = arm('humanoid')
    monkeypatch.setitem(ROBOTS, chain.model.name, (
        chain.model.name, chain.joint_names, chain.base, chain.tips))
    time, outside = ask(workspace, 'limits', robot)
    print(f'\n{robot}: ready in {time:.1f} ms')
    assert outside == 0
    assert time < most


def test_a_group_whose_joints_move_no_tip_is_refused(workspace, monkeypatch):
    monkeypatch.setitem(ROBOTS, 'idle', ('two_arms', BOTH[1:8], 'base_link', ('right_tool',)))
    assert start(workspace, 'random', 'idle').returncode == 1


@pytest.mark.parametrize(('setting', 'sentence'), [
    ('mode:=all', 'mode is one of speed, distance'),
    ('max_restarts:=5.5', "max_restarts is a whole number, got '5.5")])
def test_a_bad_setting_names_its_group(workspace, setting, sentence):
    prefix = 'robot_description_kinematics.group.'
    done = start(workspace, 'random', 'panda', '--ros-args', '-p', prefix + setting)
    assert done.returncode == 1
    assert prefix + sentence in done.stderr
