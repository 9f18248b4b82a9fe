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
"""Options and settings as ROS parameters, and the file that shows their defaults."""

from dataclasses import fields
from pathlib import Path

from dq_ik.errors import OptionError
from dq_ik.options import IkOptions
from dq_ik.ros.parameters import declare, declare_groups, ros_value, updated, with_numbers
from dq_ik.ros.settings import NodeSettings
from dq_ik.ros.sim_node import SimSettings
import pytest
import rclpy
from rclpy.parameter import Parameter
import yaml

CONFIG = Path(__file__).parent.parent / 'config' / 'dq_ik.yaml'


@pytest.fixture
def node():
    context = rclpy.Context()
    context.init(args=['--ros-args', '-p', 'rate:=50.0', '-p', 'tip_links:=flange',
                       '-p', 'group_names:=[left]', '-p', 'groups.left.base_link:=torso',
                       '-p', 'groups.left.tip_links:=[a, b]', '-p', 'max_restarts:=3',
                       '-p', 'engine:=steam'])
    made = rclpy.create_node('parameters', context=context)
    yield made
    made.destroy_node()
    context.try_shutdown()


def test_given_values_arrive_and_others_are_the_defaults(node):
    settings, options = declare(node, NodeSettings), declare(node, IkOptions)
    assert settings == NodeSettings(rate=50.0, tip_links=('flange',), group_names=('left',))
    assert options == IkOptions(max_restarts=3)


def test_named_groups_are_declared(node):
    groups = declare_groups(node, declare(node, NodeSettings))
    assert (groups['left'].base_link, groups['left'].tip_links) == ('torso', ('a', 'b'))


def test_descriptors_carry_description_range_and_choices(node):
    declare(node, IkOptions)
    declare(node, NodeSettings)
    tolerance = node.describe_parameter('position_tolerance')
    assert tolerance.floating_point_range[0].to_value == 1.0
    assert node.describe_parameter('max_restarts').integer_range[0].from_value == 0
    assert 'pls_paper' in node.describe_parameter('method').additional_constraints
    assert node.describe_parameter('trajectory_topic').read_only
    every = [item.name for kind in (IkOptions, NodeSettings) for item in fields(kind)]
    assert all(node.describe_parameter(name).description for name in every)


def test_value_out_of_range_is_refused_by_ros_itself(node):
    declare(node, NodeSettings)
    result = node.set_parameters([Parameter('rate', value=-1.0)])[0]
    assert not result.successful
    assert 'rate' in result.reason


def test_word_that_is_no_choice_is_refused_at_the_start(node):
    """ROS checks ranges of numbers, but no choices."""
    with pytest.raises(OptionError, match=r"engine is one of .*'kinematic'.*got 'steam'"):
        declare(node, SimSettings)


@pytest.mark.parametrize(('name', 'value'), [
    ('method', 'magic'), ('timeout', -1.0), ('max_restarts', 10**9), ('random_seed', -1)])
def test_bad_option_is_refused_with_its_name(name, value):
    with pytest.raises(OptionError, match=name):
        updated(IkOptions(), [Parameter(name, value=value)])


@pytest.mark.parametrize(('name', 'value'), [
    ('goal_mode', 'dance'), ('goal_axis', [0.0, 0.0, 0.0]), ('goal_axis', [1.0, 0.0]),
    ('goal_axis', [1.0, 0.0, float('nan')]), ('velocity_scaling', 1.5), ('rate', float('nan')),
    ('tip_links', [1, 2]), ('controller_joints', 3.5)])
def test_bad_setting_is_refused_with_its_name(name, value):
    with pytest.raises(OptionError, match=name):
        updated(NodeSettings(), [Parameter(name, value=value)])


def test_numbers_in_strings_and_integers_become_floats(node):
    """``ros2 param set /dq_ik timeout 1e-4`` sends a string."""
    declare(node, IkOptions)
    given = [('timeout', '1e-4', 1e-4), ('timeout', 2, 2.0), ('timeout', 'soon', 'soon'),
             ('max_restarts', 3, 3), ('method', '1e3', '1e3'), ('unknown', '1', '1')]
    made = with_numbers(node, [Parameter(name, value=value) for name, value, _ in given])
    assert [item.value for item in made] == [value for *_, value in given]
    assert made[1].type_ is Parameter.Type.DOUBLE


def test_other_parameters_change_nothing():
    options = IkOptions()
    assert updated(options, [Parameter('use_sim_time', value=True)]) is options


def test_lists_of_numbers_and_names():
    assert updated(IkOptions(), [Parameter('rest_posture', value=[0.1, 0.2])]
                   ).rest_posture == (0.1, 0.2)
    assert updated(NodeSettings(), [Parameter('tip_links', value='one')]).tip_links == ('one',)
    assert updated(NodeSettings(), [Parameter('tip_links', value=[''])]).tip_links == ()


def test_config_file_shows_every_parameter_at_its_default():
    shown = yaml.safe_load(CONFIG.read_text())['/**']['ros__parameters']
    defaults = {item.name: ros_value(item) for kind in (NodeSettings, IkOptions)
                for item in fields(kind)}
    assert shown == defaults
    assert list(shown) == list(defaults)


def test_config_file_explains_every_parameter():
    lines = CONFIG.read_text().splitlines()
    for kind in (NodeSettings, IkOptions):
        for item in fields(kind):
            at = [line.split(':')[0].strip() for line in lines].index(item.name)
            assert lines[at - 1].strip().startswith('#')
