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
"""RobotModel: a checked tree, its paths, its poses and its description."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

from dq_ik.errors import ChainError, DqIkError, listing, UrdfError
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind, Mimic, RobotModel
from dq_ik.robot.urdf import load_robot
from helpers import close
import naive
import numpy as np
import pytest

URDF = Path(__file__).parent.parent / 'urdf'


def tree():
    """Robot of four links: a -turn-> b -slide-> c, and b -ball-> d."""
    return build_model('tree', [
        Joint('ball', 'ball', 'b', 'd', swing=0.5, twist=(-0.1, 0.2)),
        Joint('slide', JointKind.PRISMATIC, 'b', 'c', mimic=Mimic('turn', 2, 0.1)),
        Joint('turn', JointKind.REVOLUTE, 'a', 'b', Pose.from_xyz_rpy((0, 0, 1), (0, 0, 0)),
              axis=(0, 0, 5), lower=-1, upper=1, velocity=2),
    ])


def test_paths_parents_and_leaves():
    model = tree()
    assert model.root == 'a'
    assert set(model.leaves) == {'c', 'd'}
    assert [j.name for j in model.joint_path('a', 'c')] == ['turn', 'slide']
    assert model.joint_path('b', 'b') == ()
    assert model.parent_joint('a') is None
    assert model.parent_joint('d').name == 'ball'
    assert set(model.links_below('b')) == {'c', 'd'}
    with pytest.raises(ChainError, match="no link 'x'"):
        model.parent_joint('x')


def test_a_model_cannot_be_changed():
    model = tree()
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.root = 'b'
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.joints[0].lower = 0


def test_a_robot_of_one_link():
    model = build_model('stone', [], ['stone'])
    assert model.leaves == ('stone',)
    assert model.link_poses({}) == {'stone': Pose.identity()}


def test_direct_construction_is_checked_too():
    first = Joint('j', JointKind.FIXED, 'a', 'b')
    second = Joint('k', JointKind.FIXED, 'b', 'c')
    RobotModel('r', 'a', ('a', 'b', 'c'), (first, second))
    with pytest.raises(UrdfError, match='must be its root'):
        RobotModel('r', 'a', ('b', 'a'), (first,))
    with pytest.raises(UrdfError, match='must come after its parent'):
        RobotModel('r', 'a', ('a', 'c', 'b'), (second, first))
    with pytest.raises(UrdfError, match='two joints of the same name'):
        RobotModel('r', 'a', ('a', 'b', 'c'), (first, dataclasses.replace(second, name='j')))
    slide = Joint('s', JointKind.PRISMATIC, 'a', 'b', mimic=Mimic('t'))
    turn = Joint('t', JointKind.REVOLUTE, 'b', 'c', mimic=Mimic('s'))
    with pytest.raises(UrdfError, match="mimics 't', which is itself a mimic"):
        RobotModel('r', 'a', ('a', 'b', 'c'), (slide, turn))


@pytest.mark.parametrize(('change', 'words'), [
    ({'lower': 2.0, 'upper': 1.0}, 'limits inverted'),
    ({'upper': math.nan}, 'not a number'),
    ({'axis': (0, 0, 0)}, 'not zero'),
    ({'axis': (0, math.inf, 0)}, 'must be finite'),
    ({'velocity': -1.0}, 'velocity limit -1.0'),
    ({'effort': math.nan}, 'effort limit nan'),
    ({'kind': 'ball', 'swing': -0.1}, 'swing -0.1'),
    ({'kind': 'ball', 'twist': (0.1, 0.2)}, 'twist range'),
])
def test_impossible_joints_are_refused(change, words):
    good = {'name': 'j', 'kind': 'revolute', 'parent': 'a', 'child': 'b'}
    Joint(**good)
    with pytest.raises(UrdfError, match=words):
        Joint(**{**good, **change})


@pytest.mark.parametrize('path', sorted(URDF.glob('*.urdf')), ids=lambda path: path.stem)
def test_link_poses_agree_with_matrices(path):
    model = load_robot(path)
    chain = model.whole
    q = chain.random(np.random.default_rng(3))
    values = dict(zip(chain.joint_names, q))
    poses = model.link_poses(values)
    assert tuple(poses) == model.links
    for link, T in naive.link_matrices(model, values).items():
        close(poses[link].matrix, T, 1e-12)


def test_missing_joints_stay_neutral_and_mimics_follow():
    poses = tree().link_poses({'turn': 0.2})
    close(poses['c'].position, Pose.from_xyz_rpy((0, 0, 1), (0, 0, 0.2)) @ (0.5, 0, 0), 1e-15)
    assert tree().link_poses({})['b'] == tree().joint('turn').origin


def test_description_names_every_joint_and_its_numbers():
    text = tree().describe()
    lines = text.splitlines()
    assert lines[0] == 'tree: 4 links, 3 joints, root a'
    turn = next(line for line in lines if line.startswith('turn'))
    assert ' '.join(turn.split()) == 'turn revolute a b 0 0 1 0 0 0 0 0 1 -1 .. 1 2'
    slide = next(line for line in lines if line.startswith('slide'))
    assert slide.endswith('2 turn +0.1')
    assert 'swing 0.5, twist -0.1 .. 0.2' in text


def test_errors_are_value_errors_and_lists_are_readable():
    assert issubclass(DqIkError, ValueError)
    assert listing(['a', 'b']) == "'a', 'b'"
    assert listing([]) == '(none)'
    assert listing('abcd', limit=2) == "'a', 'b' and 2 more"
