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
"""The robots of ``urdf/``: counts, limits, masses; they load in Pinocchio and MuJoCo."""
from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[1]
URDF = ROOT / 'urdf'

#: robot: degrees of freedom, tips
ROBOTS = {
    'arm5': (5, ('tool',)),
    'arm6': (6, ('tool0',)),
    'panda': (7, ('panda_hand_tcp',)),
    'two_arms': (15, ('left_tool', 'right_tool')),
    'hand': (22, tuple(f'{finger}_tip' for finger in
                       ('thumb', 'index', 'middle', 'ring', 'little'))),
    'humanoid': (71, ('left_hand', 'right_hand', 'left_foot', 'right_foot', 'pelvis', 'head')),
    'planar_2r': (2, ('tool',)),
    'planar_3r': (3, ('tool',)),
    'prismatic': (4, ('tool',)),
    'mimic': (2, ('tool',)),
}
every_robot = pytest.mark.parametrize('name', ROBOTS)


def parse(name):
    """Return the XML tree of a robot."""
    return ElementTree.parse(URDF / f'{name}.urdf').getroot()


def moving_joints(robot):
    """Return the joints that are neither fixed nor mimics."""
    return [joint for joint in robot.findall('joint')
            if joint.get('type') != 'fixed' and joint.find('mimic') is None]


def test_every_file_is_listed():
    assert {path.stem for path in URDF.glob('*.urdf')} == set(ROBOTS)


@every_robot
def test_text_is_a_string_for_yaml(name):
    """ROS reads the value of ``-p robot_description:="$(cat arm.urdf)"`` as YAML."""
    text = (URDF / f'{name}.urdf').read_text()
    assert isinstance(yaml.safe_load(text), str)


@every_robot
def test_degrees_of_freedom_and_tips(name):
    dof, tips = ROBOTS[name]
    robot = parse(name)
    assert len(moving_joints(robot)) == dof
    assert set(tips) <= {link.get('name') for link in robot.findall('link')}


@every_robot
def test_limits_are_ordered_and_complete(name):
    for joint in parse(name).findall('joint'):
        if joint.get('type') == 'fixed':
            continue
        limit = joint.find('limit').attrib
        assert float(limit['velocity']) > 0.0
        assert float(limit['effort']) > 0.0
        if joint.get('type') == 'continuous':
            assert name == 'prismatic'
        else:
            assert float(limit['lower']) < float(limit['upper'])


@every_robot
def test_moving_bodies_have_mass_and_possible_inertia(name):
    robot = parse(name)
    links = {link.get('name'): link for link in robot.findall('link')}
    for joint in robot.findall('joint'):
        if joint.get('type') == 'fixed':
            continue
        inertial = links[joint.find('child').get('link')].find('inertial')
        value = {key: float(text) for key, text in inertial.find('inertia').attrib.items()}
        matrix = np.array([[value['ixx'], value['ixy'], value['ixz']],
                           [value['ixy'], value['iyy'], value['iyz']],
                           [value['ixz'], value['iyz'], value['izz']]])
        principal = np.linalg.eigvalsh(matrix)
        assert float(inertial.find('mass').get('value')) > 0.0
        assert principal[0] > 0.0
        assert principal[0] + principal[1] >= principal[2] * (1.0 - 1e-6)


@every_robot
def test_pinocchio_loads_it(name):
    pin = pytest.importorskip('pinocchio')
    dof, tips = ROBOTS[name]
    model = pin.buildModelFromUrdf(str(URDF / f'{name}.urdf'))
    assert model.nv == dof + len(parse(name).findall('joint/mimic'))
    assert all(model.existFrame(tip) for tip in tips)


@every_robot
def test_mujoco_loads_and_simulates_it(name):
    mujoco = pytest.importorskip('mujoco')
    model = mujoco.MjModel.from_xml_path(str(URDF / f'{name}.urdf'))
    mimics = len(parse(name).findall('joint/mimic'))
    assert model.nv == ROBOTS[name][0] + mimics
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 50)
    assert np.isfinite(data.qpos).all()
    assert data.warning.number.sum() == 0


def test_panda_has_the_published_kinematics():
    """The flange of the real arm, all joints at zero, is at (0.088, 0, 0.926), upside down."""
    pin = pytest.importorskip('pinocchio')
    model = pin.buildModelFromUrdf(str(URDF / 'panda.urdf'))
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.zeros(7))
    flange = data.oMf[model.getFrameId('panda_link8')]
    np.testing.assert_allclose(flange.translation, [0.088, 0.0, 0.926], atol=1e-12)
    np.testing.assert_allclose(flange.rotation, np.diag([1.0, -1.0, -1.0]), atol=1e-11)


def test_hand_is_that_of_the_paper():
    """17 bodies and 16 joints, when axes at one point are counted as one joint."""
    robot = parse('hand')
    bodies = [link for link in robot.findall('link')
              if not link.get('name').endswith(('_tip', '_link'))]
    joints = {joint.get('name').removesuffix('_x').removesuffix('_y').removesuffix('_z')
              for joint in moving_joints(robot)}
    assert (len(bodies), len(joints)) == (17, 16)


def test_sides_mirror_each_other():
    """A left and a right arm at mirrored joint values hold mirrored tools."""
    pin = pytest.importorskip('pinocchio')
    for name, tips in (('two_arms', ('left_tool', 'right_tool')),
                       ('humanoid', ('left_hand', 'right_hand')),
                       ('humanoid', ('left_foot', 'right_foot'))):
        model = pin.buildModelFromUrdf(str(URDF / f'{name}.urdf'))
        q = np.zeros(model.nq)
        rng = np.random.default_rng(0)
        for joint, partner in sided_joints(model):
            even = model.joints[joint].shortname().endswith('Y')
            lower, upper = limits(model, joint)
            assert limits(model, partner) == ((lower, upper) if even else (-upper, -lower))
            q[model.idx_qs[joint]] = value = rng.uniform(lower, upper)
            q[model.idx_qs[partner]] = value if even else -value
        data = model.createData()
        pin.framesForwardKinematics(model, data, q)
        left, right = (data.oMf[model.getFrameId(tip)].translation for tip in tips)
        np.testing.assert_allclose(left * [1, -1, 1], right, atol=1e-12)


def sided_joints(model):
    """Return pairs of a left joint and its right partner."""
    return [(model.getJointId(name), model.getJointId(name.replace('left', 'right')))
            for name in model.names if name.startswith('left')]


def limits(model, joint):
    """Return the limits of a joint."""
    index = model.idx_qs[joint]
    return model.lowerPositionLimit[index], model.upperPositionLimit[index]


def test_generator_writes_what_is_committed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from tools.make_robots.__main__ import main
    main(tmp_path)
    for path in URDF.glob('*.urdf'):
        assert (tmp_path / path.name).read_text() == path.read_text()
