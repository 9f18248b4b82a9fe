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
"""URDF files of every kind become models; bad ones are refused with a reason."""

from __future__ import annotations

import math
from pathlib import Path
import sys
import time
import types

from dq_ik.errors import ChainError, UrdfError
from dq_ik.robot.model import JointKind, Mimic
from dq_ik.robot.shapes import parse_collisions, parse_visuals
from dq_ik.robot.urdf import load_robot, read_source
from helpers import close
import numpy as np
import pytest

URDF = Path(__file__).parent.parent / 'urdf'
LIMIT = "<limit lower='-1' upper='2' velocity='3' effort='4'/>"


def joint(name='j', kind='revolute', parent='a', child='b', inside=LIMIT):
    return (f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
            f'{inside}</joint>')


def robot(*joints, links='ab'):
    body = ''.join(f"<link name='{link}'/>" for link in links)
    return f"<robot name='r'>{body}{''.join(joints)}</robot>"


def refuse(text, words, **options):
    with pytest.raises(UrdfError, match=words):
        load_robot(text, **options)


# --- what is read --------------------------------------------------------------------------------

def test_a_joint_has_all_that_the_file_says():
    inside = "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 3 4'/>" + LIMIT
    model = load_robot(robot(joint(inside=inside)))
    j = model.joint('j')
    assert (j.kind, j.parent, j.child) == (JointKind.REVOLUTE, 'a', 'b')
    close(j.axis, (0, 0.6, 0.8), 1e-15)
    close(j.origin.position, (1, 2, 3), 1e-14)
    close(j.origin.rpy, (0.1, 0.2, 0.3), 1e-15)
    assert (j.lower, j.upper, j.velocity, j.effort) == (-1, 2, 3, 4)
    assert j.mimic is None


def test_defaults_are_those_of_the_specification():
    model = load_robot(robot(joint(inside='<limit/>'), joint('k', 'continuous', 'b', 'c', ''),
                             links='abc'))
    j, k = model.joints
    assert j.axis == (1, 0, 0)
    assert (j.lower, j.upper) == (0, 0)
    assert (j.velocity, j.effort) == (math.inf, math.inf)
    assert (k.lower, k.upper) == (-math.inf, math.inf)
    assert np.array_equal(j.origin.matrix, np.eye(4))


def test_zero_speed_and_effort_mean_unknown():
    inside = "<limit lower='0' upper='1' velocity='0' effort='0'/>"
    j = load_robot(robot(joint(inside=inside))).joint('j')
    assert (j.velocity, j.effort) == (math.inf, math.inf)


@pytest.mark.parametrize('kind', ['continuous', 'fixed', 'planar', 'floating'])
def test_kinds_without_limits(kind):
    j = load_robot(robot(joint(kind=kind, inside="<axis xyz='0 0 1'/>"))).joint('j')
    assert j.kind.value == kind
    assert (j.lower, j.upper) == (-math.inf, math.inf)


def test_a_continuous_joint_ignores_position_limits():
    j = load_robot(robot(joint(kind='continuous'))).joint('j')
    assert not j.is_limited
    assert j.velocity == 3


def test_soft_limits_narrow_the_hard_ones_on_request():
    soft = "<safety_controller soft_lower_limit='-0.5' soft_upper_limit='9' k_velocity='1'/>"
    text = robot(joint(inside=LIMIT + soft))
    assert (load_robot(text).joint('j').lower, load_robot(text).joint('j').upper) == (-1, 2)
    j = load_robot(text, soft_limits=True).joint('j')
    assert (j.lower, j.upper) == (-0.5, 2)


def test_soft_limits_that_are_not_given_do_not_lock_the_joint():
    text = robot(joint(inside=LIMIT + "<safety_controller k_velocity='1'/>"))
    j = load_robot(text, soft_limits=True).joint('j')
    assert (j.lower, j.upper) == (-1, 2)


def test_links_and_joints_come_parents_first_whatever_the_order():
    text = robot(joint('k', parent='b', child='c'), joint('j'), joint('m', parent='a', child='d'),
                 links='cbda')
    model = load_robot(text)
    assert model.links == ('a', 'b', 'c', 'd')
    assert [j.name for j in model.joints] == ['j', 'k', 'm']
    assert model.leaves == ('c', 'd')


def test_chains_of_mimics_are_resolved():
    text = robot(
        joint('one'), joint('two', parent='b', child='c',
                            inside=LIMIT + "<mimic joint='one' multiplier='2' offset='0.5'/>"),
        joint('three', parent='c', child='d',
              inside=LIMIT + "<mimic joint='two' multiplier='-3' offset='1'/>"),
        joint('four', parent='d', child='e', inside=LIMIT + "<mimic joint='one'/>"), links='abcde')
    model = load_robot(text)
    assert model.joint('two').mimic == Mimic('one', 2.0, 0.5)
    assert model.joint('three').mimic == Mimic('one', -6.0, -0.5)
    assert model.joint('four').mimic == Mimic('one', 1.0, 0.0)


def test_a_long_chain_of_mimics_loads_in_linear_time():
    """It took the third power of its length: minutes for this one."""
    count = 3000
    joints = [joint('j0', parent='l0', child='l1')] + [
        joint(f'j{i}', parent=f'l{i}', child=f'l{i + 1}',
              inside=LIMIT + f"<mimic joint='j{i - 1}' multiplier='-1'/>")
        for i in range(1, count)]
    names = [f'l{i}' for i in range(count + 1)]
    start = time.process_time()
    model = load_robot(robot(*joints, links=names))
    assert model.chain().joint_names == ('j0',)
    assert time.process_time() - start < 8.0
    assert model.joint(f'j{count - 1}').mimic == Mimic('j0', -1.0)


def test_a_long_loop_of_mimics_is_told_in_short():
    count = 1000
    joints = [joint(f'j{i}', child=f'l{i}', inside=LIMIT + f"<mimic joint='j{(i + 1) % count}'/>")
              for i in range(count)]
    links = ['a', *(f'l{i}' for i in range(count))]
    refuse(robot(*joints, links=links), "^mimic joints form a loop: 'j0' -> .* -> 981 more -> .* "
           "-> 'j999' -> 'j0'$")


def test_mimics_whose_product_is_too_large_are_refused():
    joints = [joint('j0', parent='l0', child='l1')] + [
        joint(f'j{i}', parent=f'l{i}', child=f'l{i + 1}',
              inside=LIMIT + f"<mimic joint='j{i - 1}' multiplier='1e200'/>") for i in (1, 2)]
    refuse(robot(*joints, links=['l0', 'l1', 'l2', 'l3']), "'j2' follows 'j0' .* must be finite")


def test_a_joint_with_the_name_of_a_variable_is_refused():
    text = robot(joint('p', 'planar', inside=''), joint('p.x', parent='b', child='c'), links='abc')
    refuse(text, "planar joint 'p' and the revolute joint 'p.x' both have a variable 'p.x'")


def test_a_mimic_tag_on_a_fixed_joint_is_ignored():
    text = robot(joint(kind='fixed', inside="<mimic joint='nobody'/>"))
    assert load_robot(text).joint('j').mimic is None


# --- sources -------------------------------------------------------------------------------------

def test_path_text_and_path_object_are_the_same():
    path = URDF / 'panda.urdf'
    assert load_robot(path) == load_robot(str(path)) == load_robot(path.read_text())


def test_declaration_comments_and_byte_order_mark(tmp_path):
    text = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- \u00e4 -->\n' + robot(joint())
    path = tmp_path / 'r.urdf'
    path.write_text(text, encoding='utf-8')
    assert load_robot(path) == load_robot(text) == load_robot('\n ' + robot(joint()))


def test_everything_but_kinematics_may_be_wrong(capsys):
    visual = '<visual><geometry><unknown/></geometry></visual>'
    junk = (f"<link name='a'>{visual}</link><link name='b'/><gazebo><x y='z'/></gazebo>"
            "<transmission name='t'/><material name='m'/>")
    dynamics = "<dynamics x='y'/>"
    text = f"<robot name='r' version='7'>{junk}{joint(inside=LIMIT + dynamics)}</robot>"
    assert load_robot(text).links == ('a', 'b')
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize('head', ['\ufeff', '\ufeff\n', '\n\ufeff \t'])
@pytest.mark.parametrize('read', [load_robot, parse_visuals, parse_collisions])
def test_every_reader_skips_what_editors_put_before_the_text(read, head):
    read(head + "<?xml version='1.0'?>" + robot(joint()))


def test_xacro_is_used_when_it_is_there(tmp_path, monkeypatch):
    path = tmp_path / 'r.urdf.xacro'
    path.write_text('<robot/>')
    document = types.SimpleNamespace(toxml=lambda: robot(joint()))
    good = types.SimpleNamespace(process_file=lambda _: document)
    monkeypatch.setitem(sys.modules, 'xacro', good)
    assert load_robot(path).links == ('a', 'b')
    bad = types.SimpleNamespace(process_file=lambda _: 1 / 0)
    monkeypatch.setitem(sys.modules, 'xacro', bad)
    refuse(path, 'xacro cannot expand .*division by zero')
    monkeypatch.setitem(sys.modules, 'xacro', None)
    refuse(path, 'xacro package is not installed')


def test_read_source_returns_text():
    assert read_source(URDF / 'panda.urdf').lstrip().startswith('<?xml')
    assert read_source('<robot/>') == '<robot/>'


# --- safety --------------------------------------------------------------------------------------

@pytest.mark.parametrize('declaration', [
    "<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>",
    "<!DOCTYPE robot [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>",
    "<!DOCTYPE robot SYSTEM 'http://127.0.0.1:9/x.dtd'>",
    '<!DOCTYPE robot>',
])
@pytest.mark.parametrize('read', [load_robot, parse_visuals])
def test_document_types_are_refused(read, declaration):
    with pytest.raises(UrdfError, match='DOCTYPE'):
        read(declaration + robot(joint()))


def test_undeclared_entities_are_refused():
    refuse(robot(joint()).replace("name='r'", "name='&x;'"), 'undefined entity')


# --- refusals ------------------------------------------------------------------------------------

@pytest.mark.parametrize(('text', 'words'), [
    ('', 'empty'),
    ('   ', 'empty'),
    ('<', 'not well-formed'),
    ('<robot name="r"><link name="a"/>', 'not well-formed'),
    ('<sdf><model/></sdf>', 'begins with <sdf>'),
    ('/no/such/file.urdf', "no file '/no/such/file.urdf'"),
    ("<robot name='r'/>", 'has no link'),
    ("<robot name='r'><link/></robot>", '<link> without a name'),
    (robot(joint(name='')), '<joint> without a name'),
    (robot(joint(kind='ball')), "joint 'j' has the type 'ball'; supported are 'revolute'"),
    (robot(joint(parent='x')), "'j' has the unknown parent link 'x'; the links are 'a', 'b'"),
    (robot(joint(child='x')), "unknown child link 'x'"),
    (robot("<joint name='j' type='fixed'><child link='b'/></joint>"), "joint 'j' has no <parent"),
    (robot(joint(inside='')), "revolute joint 'j' has no limits; write <limit"),
    (robot(joint(kind='prismatic', inside='')), "prismatic joint 'j' has no limits"),
    (robot(joint(inside="<limit lower='1' upper='-1'/>")), "'j' has its limits inverted: lower 1"),
    (robot(joint(inside="<limit lower='nan' upper='1'/>")), "'j' has a limit that is not"),
    (robot(joint(inside="<limit lower='x' upper='1'/>")), "joint.*'j'.*must be"),
    (robot(joint(inside="<limit lower='0' upper='1' velocity='-1'/>")), 'velocity limit -1'),
    (robot(joint(inside="<axis xyz='0 0 0'/>" + LIMIT)), r"'j' has the axis \(0.0, 0.0, 0.0\)"),
    (robot(joint(inside="<axis xyz='0 nan 0'/>" + LIMIT)), 'must be finite and not zero'),
    (robot(joint(inside="<axis xyz='1 0'/>" + LIMIT)),
     "joint 'j' has <axis xyz='1 0'>; it must be 3 numbers"),
    (robot(joint(inside="<origin xyz='0 inf 0'/>" + LIMIT)), "'j' has a bad <origin>"),
    (robot(joint(), joint(parent='b', child='c'), links='abc'), "more than one joint named 'j'"),
    (robot(joint(), links='abb'), "more than one link named 'b'"),
    (robot(joint(), links='abc'), "has 2 roots, 'a', 'c'"),
    (robot(joint(), joint('k', child='b')), "link 'b' is the child of two joints, 'j' and 'k'"),
    (robot(joint(), joint('k', parent='b', child='a')), "cycle runs through .*'a' -> 'b'"),
    (robot(joint(), joint('k', parent='c', child='d'), joint('m', parent='d', child='c'),
           links='abcd'), "does not carry all links: a cycle .* 'c' -> 'd' -> 'c'"),
    (robot(joint(inside=LIMIT + "<mimic joint='x'/>")), "mimics the unknown joint 'x'.* 'j'"),
    (robot(joint(inside=LIMIT + "<mimic joint='j'/>")), "form a loop: 'j' -> 'j'"),
    (robot(joint(inside=LIMIT + "<mimic joint='k'/>"),
           joint('k', parent='b', child='c', inside=LIMIT + "<mimic joint='j'/>"), links='abc'),
     "form a loop: 'j' -> 'k' -> 'j'"),
    (robot(joint(inside=LIMIT + "<mimic joint='k'/>"), joint('k', 'fixed', 'b', 'c'), links='abc'),
     "'j' mimics 'k', which is fixed"),
    (robot(joint(kind='floating', inside="<mimic joint='k'/>")), 'is floating and cannot mimic'),
    (robot(joint(inside=LIMIT + "<mimic joint='k' multiplier='nan'/>"),
           joint('k', parent='b', child='c'), links='abc'), 'both must be finite'),
])
def test_bad_descriptions_are_refused_with_a_reason(text, words):
    refuse(text, words)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / 'r.urdf'
    path.write_bytes(b'\xff\xfe\x00\x01')
    refuse(path, 'cannot read')


def test_unknown_links_and_joints_are_named_with_what_exists():
    model = load_robot(robot(joint()))
    with pytest.raises(ChainError, match="no link 'x'; its links are 'a', 'b'"):
        model.joint_path('a', 'x')
    with pytest.raises(ChainError, match=r"'a' is not below link 'b'; .* one reaches \(none\)"):
        model.joint_path('b', 'a')
    with pytest.raises(ChainError, match="no joint 'x'; its joints are 'j'"):
        model.joint('x')


# --- speed ---------------------------------------------------------------------------------------

def test_sixty_links_load_within_fifty_milliseconds():
    text = robot(*(joint(f'j{i}', parent=f'l{i}', child=f'l{i + 1}') for i in range(59)),
                 links=[f'l{i}' for i in range(60)])
    load_robot(text)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        load_robot(text)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
