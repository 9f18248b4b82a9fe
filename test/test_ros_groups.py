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
"""Groups from parameters and from an SRDF."""

from dq_ik.errors import ChainError, DqIkError, UrdfError
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.groups import build_robot, read_srdf
from dq_ik.ros.settings import NodeSettings
import pytest
import ros_robot


@pytest.fixture(scope='module')
def model():
    return load_robot(ros_robot.urdf_text())


def test_group_named_by_parameters_comes_first():
    robot = ros_robot.robot()
    assert list(robot.groups) == ['arm', 'arm_on_lift', 'arm_and_hand']
    assert robot.groups['arm'].base == 'arm_base'
    assert robot.groups['arm'].joint_names == ros_robot.ARM
    assert robot.groups['arm_on_lift'].joint_names == ('lift', *ros_robot.ARM)


def test_group_chooses_among_those_of_the_srdf():
    robot = build_robot(ros_robot.urdf_text(), NodeSettings(
        robot_description_semantic=ros_robot.SRDF, group='all'))
    assert robot.default_group == 'all'


def test_unknown_group_lists_the_groups():
    with pytest.raises(ChainError, match="'arm'"):
        build_robot(ros_robot.urdf_text(), NodeSettings(
            robot_description_semantic=ros_robot.SRDF, group='leg'))


def test_no_tip_given_lists_the_leaves():
    with pytest.raises(ChainError, match=r"'tool'.*'finger_left'.*'finger_right'"):
        build_robot(ros_robot.urdf_text(), NodeSettings())


def test_only_leaf_is_the_default_tip():
    urdf = ('<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
            '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>')
    robot = build_robot(urdf, NodeSettings())
    assert (robot.groups['default'].base, robot.groups['default'].tips) == ('a', ('b',))


@pytest.mark.parametrize('text', ['', 'robot.urdf', '/etc/passwd', '<robot', '<robot name="r"/>'])
def test_bad_description_is_refused(text):
    with pytest.raises(DqIkError):
        build_robot(text, NodeSettings())


def test_srdf_chain_and_joint_list(model):
    chains, _ = read_srdf(ros_robot.SRDF, model)
    assert (chains['arm'].base, chains['arm'].tips) == ('arm_base', ('flange',))
    assert (chains['arm_by_joints'].base, chains['arm_by_joints'].tips) == ('arm_base', ('tool',))
    assert chains['arm_by_joints'].joint_names == ros_robot.ARM


def test_srdf_links_and_subgroups(model):
    chains, _ = read_srdf(ros_robot.SRDF, model)
    assert set(chains['hand'].tips) == {'finger_left', 'finger_right'}
    assert chains['hand'].joint_names == ('grip',)
    assert (chains['all'].base, chains['all'].tips) == ('base_link', ('flange',))
    assert chains['all'].joint_names == ('lift', *ros_robot.ARM)


def test_srdf_group_with_a_gap_is_refused_with_the_joint(model):
    chains, refused = read_srdf(ros_robot.SRDF, model)
    assert 'gap' not in chains
    assert "'j2'" in refused['gap']


@pytest.mark.parametrize(('body', 'reason'), [
    ('<group name="g"/>', 'no joints'),
    ('<group name="g"><group name="h"/></group>', "no group 'h'"),
    ('<group name="g"><group name="g"/></group>', 'contains itself'),
    ('<group name="g"><joint name="nope"/></group>', "no joint 'nope'"),
    ('<group name="g"><chain base_link="flange" tip_link="l1"/></group>', 'not below'),
])
def test_srdf_group_that_fits_not_is_refused_alone(model, body, reason):
    good = '<group name="arm"><chain base_link="arm_base" tip_link="flange"/></group>'
    chains, refused = read_srdf(f'<robot name="r">{body}{good}</robot>', model)
    assert list(chains) == ['arm']
    assert reason in refused['g']


@pytest.mark.parametrize('text', ['<robot', '<srdf/>', 'text',
                                  '<!DOCTYPE r [<!ENTITY a "b">]><robot name="r"/>'])
def test_bad_srdf_is_refused(model, text):
    with pytest.raises(UrdfError):
        read_srdf(text, model)


def test_srdf_groups_nested_deeply_and_often(model):
    """Each group is read once: 1,200 levels do not recurse, and doubling does not take 2^1200."""
    body = ''.join(f'<group name="g{i}"><group name="g{i + 1}"/><group name="g{i + 1}"/></group>'
                   for i in range(1200))
    last = '<group name="g1200"><chain base_link="arm_base" tip_link="flange"/></group>'
    chains, refused = read_srdf(f'<robot name="r">{body}{last}</robot>', model)
    assert not refused
    assert chains['g0'] is chains['g1200']
    chains, refused = read_srdf(f'<robot name="r">{body}</robot>', model)
    assert not chains
    assert "no group 'g1200'" in refused['g0']


def test_srdf_group_that_contains_one_that_contains_itself(model):
    body = ''.join(f'<group name="{a}"><group name="{b}"/></group>' for a, b in ('ab', 'bc', 'cb'))
    chains, refused = read_srdf(f'<robot name="r">{body}</robot>', model)
    assert not chains
    assert all('contains itself' in reason for reason in refused.values())
