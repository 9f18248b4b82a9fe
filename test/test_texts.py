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
"""Joint values and poses as texts; YAML is read back by PyYAML, rotations by SciPy."""

from __future__ import annotations

from dq_ik.errors import PoseError
from dq_ik.pose import Pose
from dq_ik.stream.texts import (
    FORMS,
    JOINT_STATE,
    joints_text,
    LIST,
    parse_pose,
    parse_tool,
    pose_texts,
    ROTATIONS,
    RPY,
    RPY_DEGREES,
    tool_text,
    WXYZ,
    XYZW,
    YAML,
)
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
import yaml

JOINTS = {'shoulder': 0.5, 'on': -1.25, 'a: b': 1e-7, 'arm/elbow': -0.0, 'x"y': 1 / 3}


@pytest.mark.parametrize('form', FORMS)
def test_yaml_reads_back_what_is_copied(form):
    """Names that YAML would take for something else are quoted."""
    read = yaml.safe_load(joints_text(JOINTS, form))
    names, values = list(JOINTS), pytest.approx(list(JOINTS.values()), abs=1e-9)
    if form == LIST:
        assert read == values
    elif form == YAML:
        assert list(read) == names
        assert list(read.values()) == values
    else:
        assert read == {'name': names, 'position': values}


def test_plain_names_and_numbers_stay_plain():
    joints = {'panda_joint1': 0.25, 'panda_joint2': -0.0}
    assert joints_text(joints, YAML) == 'panda_joint1: 0.25\npanda_joint2: 0.0'
    assert joints_text(joints, JOINT_STATE) == (
        '{name: [panda_joint1, panda_joint2], position: [0.25, 0.0]}')


@pytest.mark.parametrize('kind', ROTATIONS)
def test_a_pose_is_typed_as_it_is_shown(kind):
    rng = np.random.default_rng(3)
    for _ in range(50):
        pose = Pose.exp(rng.normal(0.0, 1.0, 6))
        read = parse_pose(*pose_texts(pose, kind), kind)
        assert read.distance(pose) == pytest.approx((0.0, 0.0), abs=2e-5)


def test_rotations_mean_what_scipy_means():
    turn = Rotation.from_euler('xyz', [10.0, 20.0, 30.0], degrees=True)
    texts = {RPY_DEGREES: '10 20 30', RPY: '[0.17453293, 0.34906585, 0.52359878]',
             XYZW: ', '.join(map(str, turn.as_quat())),
             WXYZ: ';'.join(map(str, np.roll(turn.as_quat(), 1)))}
    for kind, text in texts.items():
        pose = parse_pose('0.1, -0.2  3', text, kind)
        assert pose.matrix[:3, :3] == pytest.approx(turn.as_matrix(), abs=1e-7)
        assert pose.position == pytest.approx((0.1, -0.2, 3.0))


@pytest.mark.parametrize(('position', 'rotation', 'kind', 'words'), [
    ('0.1, 0.2', '0 0 0', RPY, "'0.1, 0.2'; wanted: 3 numbers, x, y, z in metres"),
    ('1 2 three', '0 0 0', RPY, '1 2 three'),
    ('1 2 nan', '0 0 0', RPY, '1 2 nan'),
    ('1e300 2 3', '0 0 0', RPY, "'1e300 2 3'; no number may be beyond 1e+09"),
    ('1 2 3', '0 0 0 1', RPY_DEGREES, "'0 0 0 1'; wanted: 3 numbers, roll pitch yaw"),
    ('1 2 3', '0 0 0', XYZW, 'wanted: 4 numbers, quaternion x y z w'),
    ('1 2 3', '0 0 0 0', WXYZ, 'quaternion of the pose'), ('', '', WXYZ, "is ''")])
def test_what_is_no_pose_is_named(position, rotation, kind, words):
    with pytest.raises(PoseError) as error:
        parse_pose(position, rotation, kind)
    assert words in str(error.value)


@pytest.mark.parametrize('tool', [
    Pose.identity(), Pose.from_xyz_rpy((0.1, -0.02, 0.3), (0.0, 0.0, 0.0)),
    Pose.from_xyz_rpy((0.0, 0.0, 0.1), (0.5, -0.4, 3.0))])
def test_a_tool_is_read_back(tool):
    assert parse_tool(tool_text(tool)).distance(tool) < (1e-6, 1e-6)


def test_a_tool_is_nothing_three_or_six_numbers():
    assert parse_tool(' ') == Pose.identity()
    assert parse_tool('[0, 0; 0.1]').position.tolist() == [0.0, 0.0, 0.1]
    turned = parse_tool('0 0 0.1 0 90 0')
    assert turned.rpy[1] == pytest.approx(np.pi / 2)
    for text in ('1', '1 2', '1 2 3 4', '0 0 0.1 0 0', '1 2 3 4 5 6 7', 'a b c', '0 0 inf'):
        with pytest.raises(PoseError, match='or 6 with roll, pitch, yaw in degrees'):
            parse_tool(text)
