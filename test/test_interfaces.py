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
"""Our moveit_msgs and control_msgs are the real ones on the wire: equal type hashes."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys
from xml.etree import ElementTree

import interfaces
import pytest

ROOT = Path(__file__).resolve().parents[1]

# RIHS01 hashes of the definitions in ROS 2 Jazzy.
HASHES = {
    'moveit_msgs/srv/GetPositionIK':
        '054ed6f6f71a09b01b5246c5d80beb4dacc6f444f58df039849c76292933e9e3',
    'moveit_msgs/srv/GetPositionIK_Request':
        '2fc6ac96ee9a8523466c443f06e7c76c47bd3e6b8698edc517ea82cf0b56e747',
    'moveit_msgs/srv/GetPositionIK_Response':
        'e80acd352080518d3498cc09f4dd84e0303e31128237de11d4019c8a5937b19f',
    'moveit_msgs/srv/GetPositionFK':
        '2f16ec361a135d84b85a29385abeb9eeb025e39c09038bd6b2826645edc7edad',
    'moveit_msgs/srv/GetPositionFK_Request':
        '03282430a957ca7dd7e8a84b4f13225c39c467ec79efb77d9554e7b8d4cd6055',
    'moveit_msgs/srv/GetPositionFK_Response':
        'a1b88541679d04b392399fb4633adb55afaea22d3d5c38c79ad65f7cae6f4f2c',
    'moveit_msgs/msg/PositionIKRequest':
        '200709be614f71f4d11d0bdd672785db28d27f7a10b516d9b961706a0c7f6d7d',
    'moveit_msgs/msg/RobotState':
        '7c516dc15713e545cb2836c5ca745fbdcfcc10de4855a41c83e6b4bf1afc3f83',
    'moveit_msgs/msg/Constraints':
        '71718200459ae8fecdc4f2c9631215f7eba5ff686c701a32e231ba8b11b3592b',
    'moveit_msgs/msg/MoveItErrorCodes':
        'dcda8a9950cf6dd6ac221c2c0d2509f52f136afa0403dd19beacdf07e83e4a07',
    'moveit_msgs/msg/JointConstraint':
        '4996641a8e12f5b7fde07f1cec1490324e1c4035ac5fc989ce99c9600c31e30d',
    'moveit_msgs/msg/PositionConstraint':
        '3758504dabfe337a1a660b29917e3405e5e858fdd6e9976edba04275396523df',
    'moveit_msgs/msg/OrientationConstraint':
        '7a1917ac47886eb1fc170317952198b203bb797f07270475a7bbaf692cad2871',
    'moveit_msgs/msg/VisibilityConstraint':
        '2b479935307de421623221520ee5d9ffab494af7f4b1945114fc7e4831856c75',
    'moveit_msgs/msg/BoundingVolume':
        '00bb0df2edac637497dedf1778d8f217187c8d9d10f41dcfccc4d8578123ef13',
    'moveit_msgs/msg/CollisionObject':
        '74b0acd6d56be032bf4f764b2c2633f50588b5fb2bd71e97206c59052747cf7e',
    'moveit_msgs/msg/AttachedCollisionObject':
        '7fdfe7951a33a857f20fc42c9ed410a38d06dd0c209ac774ecea746dc487dc41',
    'object_recognition_msgs/msg/ObjectType':
        '5eb3ee3976403366d7c50d7dbee8bec96b3bced1e752674a7194a35841632134',
    'control_msgs/msg/JointJog':
        'ba249455a20f70168a1acb7bf43b776b72ff1f7eb5fc4cfea443f749e963c6e7',
}
DESCRIPTIONS = ('moveit_msgs/srv/GetPositionFK', 'moveit_msgs/srv/GetPositionIK',
                'control_msgs/msg/JointJog')
ORIGINS = {'moveit_msgs': 'Copyright (c) 2008-2013, Willow Garage, Inc.',
           'object_recognition_msgs': 'Copyright (c) 2008-2013, Willow Garage, Inc.',
           'control_msgs': 'Copyright 2025 ros2_control Development Team'}


@pytest.fixture(scope='module')
def installed_hashes() -> dict[str, str]:
    """Return the hashes of all types in the descriptions of what is installed."""
    hashes = {}
    for name in DESCRIPTIONS:
        description = Path(sys.prefix, 'share', f'{name}.json')
        for item in json.loads(description.read_text())['type_hashes']:
            hashes[item['type_name']] = item['hash_string']
    return hashes


@pytest.mark.parametrize('name', HASHES)
def test_type_hash_is_that_of_jazzy(installed_hashes, name):
    assert installed_hashes[name] == f'RIHS01_{HASHES[name]}'


def test_every_definition_is_compared():
    """No type of ours escapes the comparison, and none is missing."""
    ours = {f'{path.parents[1].name}/{path.parent.name}/{path.stem}'
            for path in (ROOT / 'interfaces').glob('*/*/*.*')
            if path.suffix in ('.msg', '.srv')}
    assert ours == {name for name in HASHES if not name.endswith(('_Request', '_Response'))}


def test_definitions_are_bare_fields():
    for path in (ROOT / 'interfaces').glob('*/*/*.*'):
        assert '#' not in path.read_text(), path


@pytest.mark.parametrize('package', interfaces.PACKAGES)
def test_licence_is_that_of_the_origin(package):
    manifest = ROOT / 'interfaces' / package / 'package.xml'
    assert ElementTree.parse(manifest).findtext('license') == 'BSD'
    assert ORIGINS[package] in manifest.read_text()


@pytest.mark.parametrize(('package', 'member'), interfaces.PACKAGES.items())
def test_a_complete_package_is_not_hidden_by_ours(package, member, tmp_path):
    """Where the real package is installed, building ours beside it is refused."""
    real = tmp_path / 'ros' / 'share' / package / 'msg' / f'{member}.msg'
    real.parent.mkdir(parents=True)
    real.touch()
    python = Path(sys.executable)
    result = subprocess.run(
        [python.parent / 'cmake', '-S', ROOT / 'interfaces' / package, '-B', tmp_path / 'build',
         '-G', 'Ninja'], capture_output=True, text=True, check=False,
        env={**interfaces.clean_environment(python), 'AMENT_PREFIX_PATH': f'/a:{tmp_path}/ros'})
    assert result.returncode != 0
    assert f'{package} is installed' in ' '.join(result.stderr.split())


def test_a_sourced_installation_comes_before_ours(tmp_path):
    """Python finds the package of a ROS installation first: that is on PYTHONPATH, ours is not."""
    real = tmp_path / 'moveit_msgs' / '__init__.py'
    real.parent.mkdir()
    real.touch()
    found = subprocess.run(
        [sys.executable, '-c', 'import dq_ik, moveit_msgs; print(moveit_msgs.__file__)'],
        env={**os.environ, 'PYTHONPATH': f'{ROOT}{os.pathsep}{tmp_path}'}, capture_output=True,
        text=True, check=True).stdout.strip()
    assert found == str(real)


def test_services_can_be_created():
    assert interfaces.importable(Path(sys.executable))


def test_error_codes_have_moveits_numbers():
    from moveit_msgs.msg import MoveItErrorCodes

    assert MoveItErrorCodes.SUCCESS == 1
    assert MoveItErrorCodes.FAILURE == 99999
    assert MoveItErrorCodes.NO_IK_SOLUTION == -31
    assert MoveItErrorCodes.TIMED_OUT == -6
    assert MoveItErrorCodes.INVALID_GROUP_NAME == -15
    assert MoveItErrorCodes.INVALID_LINK_NAME == -18
    assert MoveItErrorCodes.FRAME_TRANSFORM_FAILURE == -21


def test_exports_name_this_python(tmp_path):
    """The wheels' exports are pointed at existing folders; other paths stay as they are."""
    prefix = tmp_path / 'venv'
    export = prefix / 'share' / 'x_msgs' / 'cmake' / 'x__rosidl_generator_pyExport.cmake'
    export.parent.mkdir(parents=True)
    (prefix / 'bin').mkdir()
    python = prefix / 'bin' / 'python'
    python.symlink_to(sys.executable)
    (prefix / 'pyvenv.cfg').write_text(Path(sys.prefix, 'pyvenv.cfg').read_text())
    (prefix / 'lib').symlink_to(Path(sys.prefix, 'lib'))
    export.write_text(
        'INTERFACE_INCLUDE_DIRECTORIES "/nowhere/include/python3.9;'
        '/nowhere/site-packages/numpy/_core/include;${_IMPORT_PREFIX}/include/x_msgs"')
    assert interfaces.repair_exports(python) == 1
    assert interfaces.repair_exports(python) == 0
    folders = export.read_text().split('"')[1].split(';')
    assert folders[2] == '${_IMPORT_PREFIX}/include/x_msgs'
    assert all(Path(folder).is_dir() for folder in folders[:2])
