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
"""Files of worlds: what is read, and how bad ones are answered."""

from __future__ import annotations

from pathlib import Path

from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Capsule, Cylinder, HalfSpace, Sphere
from dq_ik.collision.world_file import check_links, load_world
from dq_ik.demo.choices import find_robot, STARTS, tips_of
from dq_ik.errors import CollisionError
from dq_ik.pose import Pose
from dq_ik.robot.bundled import world_names
from dq_ik.robot.urdf import load_robot
import numpy as np
import pytest

GOOD = """
- name: bench
  box: {size: [0.4, 0.6, 1e-2]}
  xyz: [0.5, 0, 0.1]
  rpy: [0, 0, 0.5]
- name: post
  shapes:
    - cylinder: {radius: 0.05, length: 0.5}
      xyz: [0, 0, 0.25]
    - sphere: {radius: 0.06}
      xyz: [0, 0, 0.5]
  xyz: [0.3, 0.3, 0.0]
  wxyz: [0, 0, 0, 2]
  touching: [bench]
- name: floor
  half_space: {}
- name: rod
  capsule: {radius: 0.01, length: 0.2}
  link: panda_hand
  touching: [panda_hand]
- name: stone
  mesh: {file: stone.stl, scale: [0.001, 0.001, 0.001]}
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    import trimesh
    trimesh.creation.box((100.0, 200.0, 300.0)).export(tmp_path / 'stone.stl')
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / 'world.yaml'
    path.write_text(text)
    return path


def test_all_shapes_are_read(folder):
    world = load_world(write(folder, GOOD))
    assert list(world) == ['bench', 'post', 'floor', 'rod', 'stone']
    (bench, at), = world['bench'].shapes
    assert bench == Box((0.4, 0.6, 0.01))
    assert at == Pose.identity()
    assert world['bench'].pose.distance(
        Pose.from_xyz_rpy((0.5, 0.0, 0.1), (0.0, 0.0, 0.5))) == pytest.approx((0, 0), abs=1e-12)
    assert [solid for solid, _ in world['post'].shapes] == [Cylinder(0.05, 0.5), Sphere(0.06)]
    assert world['post'].pose @ np.array([0.1, 0, 0]) == pytest.approx([0.2, 0.3, 0.0])
    assert world['post'].touching == {'bench'}
    assert world['floor'].shapes[0][0] == HalfSpace()
    assert world['rod'].shapes[0][0] == Capsule(0.01, 0.2)
    assert world['rod'].link == 'panda_hand'
    corners = np.concatenate([piece.vertices for piece in world['stone'].pieces])
    assert np.ptp(corners, axis=0) == pytest.approx([0.1, 0.2, 0.3])


@pytest.mark.parametrize(('text', 'words'), [
    ('', ('nothing', 'a list of objects')),
    ('table: {}', ('a list of objects',)),
    ('- [', ('no YAML',)),
    ('\x00', ('no YAML',)),
    ('- 3', ('object 1', 'it is 3', 'a mapping')),
    ('- sphere: {radius: 1}', ('object 1', 'its name is nothing', 'a text')),
    ('- name: 7\n  sphere: {radius: 1}', ('its name is 7',)),
    ('- name: a\n  sphere: {radius: 1}\n- name: a\n  sphere: {radius: 1}',
     ('object 2', "an object 'a' before",)),
    ('- name: a', ("'a'", '(none) as its shape', "'box', 'sphere'")),
    ('- name: a\n  sphere: {radius: 1}\n  box: {size: [1, 1, 1]}', ("'box', 'sphere' as its",)),
    ('- name: a\n  sphre: {radius: 1}', ("'sphre' is no key", "did you mean 'sphere'?")),
    ('- name: a\n  sphere: 0.1', ('sphere is 0.1', '{radius: ...}')),
    ('- name: a\n  sphere: {size: 1}', ("'size' is no key of a sphere", "'radius'")),
    ('- name: a\n  cylinder: {radius: 1}', ("no 'length'", '{radius: ..., length: ...}')),
    ('- name: a\n  sphere: {radius: -0.1}', ('radius=-0.1', 'greater than 0')),
    ('- name: a\n  sphere: {radius: 0}', ('greater than 0',)),
    ('- name: a\n  sphere: {radius: .nan}', ('radius has nan', 'a finite number')),
    ('- name: a\n  sphere: {radius: true}', ('radius has True',)),
    ('- name: a\n  sphere: {radius: wide}', ("radius has 'wide'",)),
    ('- name: a\n  box: {size: [1, 2]}', ('size is [1, 2]', '3 numbers')),
    ('- name: a\n  box: {size: 1}', ('size is 1', '3 numbers')),
    ('- name: a\n  sphere: {radius: 1}\n  xyz: [1, .inf, 0]', ('xyz has inf',)),
    ('- name: a\n  sphere: {radius: 1}\n  wxyz: [1, 0, 0]', ('wxyz is [1, 0, 0]', '4 numbers')),
    ('- name: a\n  sphere: {radius: 1}\n  wxyz: [0, 0, 0, 0]', ("'a'",)),
    ('- name: a\n  sphere: {radius: 1}\n  rpy: [0, 0, 0]\n  wxyz: [1, 0, 0, 0]',
     ('rpy and wxyz', 'one of the two')),
    ('- name: a\n  shapes: []', ('shapes is []', 'a list of shapes')),
    ('- name: a\n  shapes: [1]', ('a shape is 1',)),
    ('- name: a\n  shapes: [{sphere: {radius: 1}}]\n  box: {size: [1, 1, 1]}',
     ("shapes and 'box'",)),
    ('- name: a\n  half_space: {}\n  link: hand', ('half-space stands alone',)),
    ('- name: a\n  sphere: {radius: 1}\n  link: 3', ('link is 3', 'the name of a link')),
    ('- name: a\n  sphere: {radius: 1}\n  touching: b', ("touching is 'b'", 'a list')),
    ('- name: a\n  mesh: {file: none.stl}', ('none.stl',)),
    ('- name: a\n  mesh: {file: world.yaml}', ("'a'",)),
    ('- name: a\n  mesh: {file: 3}', ('file is 3', 'path of a mesh')),
])
def test_what_is_wrong_is_told(tmp_path, text, words):
    with pytest.raises(CollisionError) as caught:
        load_world(write(tmp_path, text))
    assert 'world.yaml' in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_a_file_that_refers_to_itself_many_times_is_told(tmp_path):
    """It would fill the memory if it were written out."""
    lists = ['a: &l0 [0, 0, 0, 0, 0, 0, 0, 0, 0]']
    lists += [f'l{k}: &l{k} [{", ".join(9 * [f"*l{k - 1}"])}]' for k in range(1, 12)]
    text = '- name: a\n  sphere: {radius: 1}\n  xyz: *l11\n'
    nested = '- hidden: {' + ', '.join(lists) + '}\n'
    with pytest.raises(CollisionError, match="'hidden' is no key"):
        load_world(write(tmp_path, nested + text))
    with pytest.raises(CollisionError, match='it is '):
        load_world(write(tmp_path, '- [' + ', '.join(f'{{{entry}}}' for entry in lists) + ']'))


def test_missing_files_are_told(tmp_path):
    with pytest.raises(CollisionError, match=r"no world 'tabel' \(did you mean 'table'\?\)"):
        load_world('tabel')
    with pytest.raises(CollisionError, match='no file'):
        load_world(tmp_path)
    (tmp_path / 'w.yaml').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(CollisionError, match=r'w\.yaml'):
        load_world(tmp_path / 'w.yaml')


def test_objects_must_fit_the_robot(tmp_path):
    model = load_robot('panda')
    carried = load_world(write(tmp_path, '- {name: a, sphere: {radius: 1}, link: panda_hnd}'))
    with pytest.raises(CollisionError, match=r"'panda_hnd'.*did you mean 'panda_hand'"):
        check_links(carried, model)
    named = load_world(write(tmp_path, '- {name: panda_hand, sphere: {radius: 1}}'))
    with pytest.raises(CollisionError, match='has the name of a link'):
        check_links(named, model)


@pytest.mark.parametrize('world', world_names())
@pytest.mark.parametrize('robot', ['arm5', 'arm6', 'panda', 'two_arms'])
def test_our_arms_start_free_in_our_worlds_and_reach_over_them(robot, world):
    """Not all postures are free: the objects are in the way."""
    file, _ = find_robot(robot)
    chain = load_robot(file).chain(None, tips_of(robot, ()))
    scene = Scene.load(chain, file, of_visuals=True, world=load_world(world))
    start = chain.configuration(STARTS.get(robot, {}), strict=False)
    assert not scene.collides(start)
    gaps = scene.clearances(start, 1.0).gaps
    assert min(gaps[name] for name in scene.world) > 0.1
    alone = Scene.load(chain, file, of_visuals=True)
    q = chain.spread(np.random.default_rng(3).random((2000, chain.n)))
    free = alone.free(q)
    assert 0.005 < (free & ~scene.free(q)).sum() / free.sum() < 0.7
