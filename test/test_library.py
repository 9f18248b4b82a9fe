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
"""The library as people use it: robots by name, points as goals, answers by joint name."""

from __future__ import annotations

from html.parser import HTMLParser
import os
import re
import subprocess
import sys
import types

import dq_ik
from dq_ik import Goal, IkOptions, load_robot, Pose, Solver
from dq_ik.errors import nearest
from dq_ik.robot.bundled import example_robots, robot_names
import numpy as np
import pytest

OFFSET = (0.02, 0.0, 0.15)


@pytest.fixture(scope='module')
def arm():
    return load_robot('panda').chain()


# --- robots ------------------------------------------------------------------------------------


@pytest.mark.parametrize('name', robot_names())
def test_our_robots_have_names(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_robot(name).joints


@pytest.mark.parametrize('name', ['Panda', 'two-arms', 'Two Arms'])
def test_names_are_read_as_people_write_them(name):
    assert load_robot(name).name in ('panda', 'two_arms')


def test_robots_of_example_robot_data_have_names():
    if 'ur5_robot' not in example_robots():
        pytest.skip('example-robot-data is not installed')
    assert load_robot('ur5_robot').chain(tip='tool0').n == 6


@pytest.fixture
def descriptions(tmp_path, monkeypatch):
    """Install what robot_descriptions has: a table, and a module per robot that knows a file."""
    file = tmp_path / 'toy.urdf'
    file.write_text('<robot name="toy"><link name="toy_link"/></robot>')
    package = types.ModuleType('robot_descriptions')
    package.__path__ = []
    package.DESCRIPTIONS = {name: types.SimpleNamespace(has_urdf=name != 'toy_mj_description')
                            for name in ('toy_description', 'toy_mj_description', 'x_description')}
    toy = types.ModuleType('robot_descriptions.toy_description')
    toy.URDF_PATH = str(file)
    xacro = types.ModuleType('robot_descriptions.x_description')
    for module in (package, toy, xacro):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def test_robots_of_robot_descriptions_have_names(descriptions):
    assert load_robot('toy_description').name == 'toy'


@pytest.mark.parametrize(('name', 'reason'), [
    ('toy_descripton', "did you mean 'toy_description'?"), ('toy_mj_description', 'no robot'),
    ('x_description', 'expand it to URDF')])
def test_what_robot_descriptions_cannot_give_is_said(descriptions, name, reason):
    with pytest.raises(dq_ik.UrdfError) as error:
        load_robot(name)
    assert reason in str(error.value)


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize('use', [
    lambda arm: load_robot('pnda'),
    lambda arm: arm.model.joint('panda_joint11'),
    lambda arm: arm.model.chain(tip='panda_hnd_tcp'),
    lambda arm: arm.model.chain('panda_lnk0'),
    lambda arm: arm.fk(arm.neutral, tip='panda_hnd_tcp'),
    lambda arm: arm.solve({'panda_hnd_tcp': Pose.identity()}),
    lambda arm: arm.solve((0.4, 0.0, 0.5), locked_joints=['panda_joint11']),
    lambda arm: arm.solve((0.4, 0.0, 0.5), metod='pgs'),
    lambda arm: arm.solve((0.4, 0.0, 0.5), method='pqs'),
    lambda arm: arm.configuration({'panda_joint11': 0.0})])
def test_unknown_names_are_refused_with_the_nearest(arm, use):
    with pytest.raises(dq_ik.DqIkError, match=r"did you mean '(panda\w*|method|pls)'\?"):
        use(arm)


@pytest.mark.parametrize('name', ['pand', 'Panda_joint'])
def test_the_beginning_of_a_name_suggests_the_shortest_that_goes_on_so(name):
    known = ['pan', 'panda_joint_with_more', 'panda_joint1', 'pandas']
    expected = {'pand': 'pandas', 'Panda_joint': 'panda_joint1'}[name]
    assert nearest(name, known) == f" (did you mean '{expected}'?)"
    assert nearest('what', known) == ''


def test_the_tip_is_named_or_obvious():
    text = """<robot name="r"><link name="base"/><link name="arm"/><link name="flange"/>
      <link name="tool0"/><link name="camera"/>
      <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
      <joint name="a" type="fixed"><parent link="arm"/><child link="flange"/></joint>
      <joint name="b" type="fixed"><parent link="arm"/><child link="tool0"/></joint>
      <joint name="c" type="fixed"><parent link="base"/><child link="camera"/></joint></robot>"""
    robot = load_robot(text)
    assert robot.chain().tips == ('flange',)
    assert robot.chain(tip='tool0').tips == ('tool0',)
    with pytest.raises(dq_ik.ChainError, match='not both'):
        robot.chain(tip='tool0', tips=('tool0',))
    with pytest.raises(dq_ik.ChainError, match='2 ends'):
        load_robot('two_arms').chain()


@pytest.mark.parametrize('tool', [
    OFFSET, np.array(OFFSET), Pose.from_xyz_rpy(OFFSET, (0, 0, 0)),
    Pose.from_xyz_rpy(OFFSET, (0, 0, 0)).matrix])
def test_a_tool_is_an_offset_or_a_pose(arm, tool):
    with_tool = arm.model.chain(tool=tool)
    q = arm.random(np.random.default_rng(1))
    assert with_tool.fk(q).position == pytest.approx(arm.fk(q) @ OFFSET, abs=1e-12)


# --- goals -------------------------------------------------------------------------------------


@pytest.mark.parametrize('goal', [
    (0.4, 0.2, 0.5), [0.4, 0.2, 0.5], np.array([0.4, 0.2, 0.5]), Goal(position=(0.4, 0.2, 0.5)),
    [(0.4, 0.2, 0.5)], {'panda_hand_tcp': (0.4, 0.2, 0.5)}], ids=repr)
def test_three_numbers_are_a_position_with_free_rotation(arm, goal):
    result = arm.solve(goal)
    assert result.success
    assert arm.fk(result.q).position == pytest.approx((0.4, 0.2, 0.5), abs=1.1e-5)
    same = arm.solve(Goal(Pose.from_xyz_rpy((0.4, 0.2, 0.5), (0, 0, 0)), rotation_weight=0.0))
    assert result.q.tolist() == same.q.tolist()


def test_batches_of_positions_are_those_of_single_solves(arm):
    points = np.random.default_rng(2).uniform((0.2, -0.4, 0.2), (0.5, 0.4, 0.7), (300, 3))
    batch = arm.solve_batch(points)
    assert batch.success.all()
    for row in (0, 150, 299):
        assert batch.q[row].tolist() == arm.solve(points[row]).q.tolist()
    assert arm.solve_batch(points[:3].tolist()).q.tolist() == batch.q[:3].tolist()


def test_a_position_may_be_relative_or_look_at_a_point():
    both = load_robot('two_arms').chain(tips=('left_tool', 'right_tool'))
    start = both.configuration({'left_joint_4': -1.2, 'right_joint_4': -1.2})
    x = both.fk_all(start)
    beside = x['left_tool'].inverse() @ x['right_tool'].position
    result = both.solve({'left_tool': x['left_tool'],
                         'right_tool': Goal(position=beside, relative_to='left_tool')}, start)
    assert result.success
    there = x['right_tool'].position
    result = both.solve({'right_tool': Goal(position=there, look_at=there + np.eye(3)[0])})
    assert result.success
    pose = both.fk(result.q, 'right_tool')
    assert pose.position == pytest.approx(there, abs=1.1e-5)
    assert pose.matrix[:3, 2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)


@pytest.mark.parametrize(('fields', 'reason'), [
    ({'pose': Pose.identity()}, 'not both'), ({'axis': (0, 0, 1)}, 'look_at')])
def test_a_position_is_not_mixed_with_what_it_excludes(fields, reason):
    with pytest.raises(dq_ik.GoalError, match=reason):
        Goal(position=(0.0, 0.0, 0.0), **fields)


def test_joint_vectors_may_be_positions_by_name(arm):
    """As answers give them; joints that are missing are at home."""
    found = arm.solve((0.4, 0.2, 0.5))
    assert np.array_equal(arm.clamp(found.joints), found.q)
    assert arm.solve((0.4, 0.2, 0.5), seed=found.joints).iterations == 0
    turned = arm.neutral.copy()
    turned[0] = 1.0
    assert arm.fk({arm.joint_names[0]: 1.0}) == arm.fk(turned)


@pytest.mark.parametrize(('seed', 'reason'), [
    ({'panda_jont1': 1.0}, "did you mean 'panda_joint1'?"),
    ({'panda_joint1': 'x'}, 'from joint name to number'),
    ({'panda_joint1': [1, 2]}, 'from joint name to number'), ({4: 1.0}, "no joint '4'"),
    ({'panda_joint1': float('nan')}, "not finite at 'panda_joint1'")])
def test_bad_positions_by_name_are_refused(arm, seed, reason):
    with pytest.raises(dq_ik.SeedError, match=re.escape(reason)):
        arm.solve((0.4, 0.2, 0.5), seed=seed)


@pytest.mark.parametrize('bounds', [3, 'ab', ([0] * 7,), ({'panda_joint1': 0.0}, {})])
def test_bounds_that_are_no_pair_are_refused(arm, bounds):
    for ask in (arm.solve, lambda goal, bounds: arm.solve_batch([goal], bounds=bounds)):
        with pytest.raises(dq_ik.SeedError, match='bounds are a pair'):
            ask((0.4, 0.2, 0.5), bounds=bounds)


@pytest.mark.parametrize('source', [None, 3, b'<robot name="r"/>', ['panda']])
def test_what_is_no_robot_is_refused(source):
    with pytest.raises(dq_ik.UrdfError, match='a name, a path or XML text'):
        load_robot(source)


@pytest.mark.parametrize('port', [-1, 65536, '8080', 1.5])
def test_show_refuses_a_port_that_is_none(arm, port):
    with pytest.raises(dq_ik.DqIkError, match='a port is a whole number from 0 to 65535'):
        arm.show(port=port, block=False, open_browser=False)


@pytest.mark.parametrize('bad', [(0.1, 0.2), (0.1, 0.2, float('nan')), (1, 2, 'x')])
def test_bad_positions_are_refused(arm, bad):
    with pytest.raises(dq_ik.DqIkError):
        arm.solve(bad)
    with pytest.raises(dq_ik.DqIkError):
        arm.solve_batch([(0.4, 0.2, 0.5), bad])
    with pytest.raises(dq_ik.DqIkError):
        Goal(position=bad)


# --- answers -----------------------------------------------------------------------------------


def test_joints_of_an_answer_have_names(arm):
    result = arm.solve((0.4, 0.2, 0.5))
    assert list(result.joints) == list(arm.joint_names)
    assert list(result.joints.values()) == result.q.tolist()
    gripper = load_robot('mimic').chain(tip=load_robot('mimic').leaves[0])
    answer = gripper.solve(gripper.fk(gripper.neutral))
    assert set(answer.joints) >= {joint.name for joint in gripper.model.joints if joint.mimic}


def test_one_line_says_what_a_thing_is(arm):
    things = [arm.model, arm, arm.solve((0.4, 0.2, 0.5)), arm.solve_batch([(0.4, 0.2, 0.5)] * 2),
              Solver(arm, method='pls'), Goal(position=(1, 2, 3)), IkOptions(timeout=0.1)]
    for thing in things:
        assert len(repr(thing)) < 120, repr(thing)
        assert '\n' not in repr(thing)
        assert 'object at' not in repr(thing)
    assert repr(things[-1]) == 'IkOptions(timeout=0.1)'
    assert repr(things[-2]) == 'Goal(position=(1.0, 2.0, 3.0))'
    assert '2 of 2' in repr(things[3])


class Tags(HTMLParser):
    """Counts rows, and checks that each tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows = [], 0
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.rows += tag == 'tr'

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_notebooks_show_a_row_per_joint(arm):
    result = arm.solve((0.4, 0.2, 0.5))
    for thing in (arm.model, arm, result):
        text = thing._repr_html_()
        assert Tags(text).rows == 1 + arm.n
        assert all(name in text for name in arm.joint_names)
    far = arm.solve((0.0, 0.0, -2.0))
    edge = 0.005 * (arm.upper - arm.lower)
    assert far._repr_html_().count('at its limit') == np.count_nonzero(
        (far.q - arm.lower < edge) | (arm.upper - far.q < edge))
    hostile = load_robot("""<robot name="&lt;b&gt;"><link name="&lt;i&gt;"/></robot>""")
    assert '<b>' not in hostile._repr_html_()


# --- the page ----------------------------------------------------------------------------------


def test_show_hands_the_chain_and_the_answer_to_the_page(arm, monkeypatch):
    pytest.importorskip('viser')
    seen = []
    alone = types.ModuleType('dq_ik.viewer.alone')
    alone.show = lambda chain, **given: seen.append((chain, given))
    monkeypatch.setitem(sys.modules, 'dq_ik.viewer.alone', alone)
    result = arm.solve((0.4, 0.2, 0.5))
    arm.show(result, port=8090, block=False)
    result.show(block=False)
    arm.show(goal=(0.4, 0.2, 0.5))
    assert all(chain is arm for chain, _ in seen)
    first, second, third = (given for _, given in seen)
    assert first['q'].tolist() == second['q'].tolist() == result.q.tolist()
    assert (first['port'], first['host'], first['block']) == (8090, '127.0.0.1', False)
    assert (third['q'], third['goal']) == (None, (0.4, 0.2, 0.5))


def test_without_viser_one_sentence_says_what_to_install(arm, monkeypatch):
    monkeypatch.setattr('dq_ik.display.find_spec', lambda name: None)
    with pytest.raises(dq_ik.DqIkError, match='pip install') as error:
        arm.show()
    assert '\n' not in str(error.value)


def test_the_package_loads_only_what_a_solve_needs():
    code = ('import sys, dq_ik; print(dq_ik.__version__, sorted({"scipy", "viser", "rich", '
            '"robot_descriptions", "numba"} & sys.modules.keys()))')
    clean = {name: value for name, value in os.environ.items() if name != 'DQ_IK_KERNELS'}
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True,
                         env=clean)
    assert out.stdout.strip() == f'{dq_ik.__version__} []'
