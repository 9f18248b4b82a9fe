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

"""Decisions and distances of bodies, judged by coal on the original meshes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from collision_judge import Judge
from collision_robots import chain_of, clutter, ENDS, scene_of
import dq_ik
from dq_ik import CollisionError, Pose
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Capsule, Cylinder, HalfSpace, Mesh, Sphere
from dq_ik.robot.bundled import example_robots
import numpy as np
import pytest

COUNT = 10_000  # configurations of each comparison
FALSE = {'panda': 0.002, 'ur5_robot': 0.015}  # free ones called colliding, at most
MARGIN = 1e-4

each_robot = pytest.mark.parametrize('name', ENDS)
LINE = """<robot name="line">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="slide"><collision><geometry>{shape}</geometry></collision></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <link name="tip"/>
  <joint name="end" type="fixed"><parent link="slide"/><child link="tip"/></joint></robot>"""


def line(shape: str = '<sphere radius="0.05"/>', **options) -> Scene:
    """Return a body that slides along x."""
    text = LINE.format(shape=shape)
    return Scene.load(dq_ik.load_robot(text).chain(tips='tip'), text, **options)


@each_robot
@pytest.mark.parametrize('around', ['itself', 'things'])
def test_no_collision_is_missed_and_few_are_false(name, around):
    world = clutter(5) if around == 'things' else None
    scene = scene_of(name, world=world)
    chain, now = scene.chain, scene.snapshot()
    judge = Judge(example_robots()[name], chain, now.names, scene.world.snapshot()[1])
    count = COUNT if around == 'itself' else COUNT // 4  # coal takes longer with things
    q = chain.spread(np.random.default_rng(2).random((count, chain.n)))
    truth = np.array([judge.collides(row) for row in q])
    hit = ~scene.free(q)
    assert truth.any()
    assert not truth.all()
    assert not (truth & ~hit).any()
    assert (hit & ~truth).sum() <= FALSE[name] * (~truth).sum() + 2


@each_robot
def test_next_to_the_boundary_no_collision_is_missed(name):
    scene = scene_of(name)
    chain, judge = scene.chain, Judge(example_robots()[name], scene.chain, scene.snapshot().names)
    rng, last = np.random.default_rng(7), []
    while len(last) < 60:
        ends = chain.spread(rng.random((2, chain.n)))
        if judge.collides(ends[0]) == judge.collides(ends[1]):
            continue
        free, colliding = ends if judge.collides(ends[1]) else ends[::-1]
        for _ in range(40):
            middle = 0.5 * (free + colliding)
            free, colliding = (free, middle) if judge.collides(middle) else (middle, colliding)
        last.append(colliding)
    assert not scene.free(np.array(last)).any()


def test_distances_are_those_of_coal():
    scene = scene_of('panda', world=clutter(3))
    chain, now = scene.chain, scene.snapshot()
    judge = Judge(example_robots()['panda'], chain, now.names, scene.world.snapshot()[1])
    compared = 0
    for q in chain.spread(np.random.default_rng(4).random((60, chain.n))):
        expected, found = judge.distance(q), scene.clearance(q)
        if expected > 1e-3:
            # the prism that stands for a cylinder is up to 0.5 % of its radius wider
            assert found.distance == pytest.approx(expected, abs=1e-3)
            assert found.distance < expected + 1e-6
            points = np.array(found.point_first), np.array(found.point_second)
            assert np.linalg.norm(points[0] - points[1]) == pytest.approx(found.distance, abs=1e-6)
            compared += 1
    assert compared > 10


@pytest.mark.parametrize('solid', [
    Box((0.2, 0.2, 0.2)), Sphere(0.1), Capsule(0.1, 0.2), Cylinder(0.1, 0.2), HalfSpace()],
    ids=lambda solid: type(solid).__name__)
@pytest.mark.parametrize('body', ['<sphere radius="0.05"/>', '<box size="0.1 0.1 0.1"/>'])
def test_gaps_by_hand(solid, body):
    """A body whose face is at x + 0.05 comes near to a solid whose face is at 1.0."""
    scene = line(body)
    turn = (np.sqrt(0.5), 0, -np.sqrt(0.5), 0)  # its z looks along -x
    if isinstance(solid, HalfSpace):
        scene.world.add('it', solid, Pose.from_xyz_wxyz((1.0, 0, 0), turn))
    else:
        scene.world.add('it', solid, Pose.from_xyz_wxyz((1.1, 0, 0), (1, 0, 0, 0)))
    for gap in (0.3, 0.01, 2e-4):
        near = scene.clearance([0.95 - gap], 1.0)
        wider = 0.1 * (1 / np.cos(np.pi / 32) - 1) if isinstance(solid, Cylinder) else 0.0
        assert near.distance == pytest.approx(max(gap - wider, 0.0), abs=1e-7)
        assert {near.first, near.second} == {'slide', 'it'}
    assert not scene.collides([0.8])
    assert scene.collides([0.95 - 0.5 * MARGIN])
    assert scene.collides([1.0])


@pytest.mark.parametrize('offset', [0.0, 0.03, 0.07])
def test_the_point_of_an_overlap_is_in_both(offset):
    """Whatever was asked before; the work memory is not cleared."""
    scene = line('<box size="0.1 0.1 0.1"/>')
    pose = Pose.from_xyz_rpy((1.0, offset, -0.02), (0.3, 0.2, 0.1))
    scene.world.add('it', Box((0.1, 0.12, 0.2)), pose)
    found = scene.clearance([0.98])
    assert found == scene.clearances([0.98]).nearest
    assert found.distance == 0.0
    assert found.point_first == found.point_second
    assert np.abs(np.array(found.point_first) - (0.98, 0, 0)).max() <= 0.05 + 1e-6
    assert (np.abs(pose.inverse() @ found.point_first) <= np.array([0.05, 0.06, 0.1]) + 1e-6).all()


def test_the_margin_is_where_it_is_said_to_be():
    scene = line(margin=0.02)
    scene.world.add('wall', Box((0.2, 1.0, 1.0)), Pose.from_xyz_wxyz((1.1, 0, 0), (1, 0, 0, 0)))
    assert scene.collides([0.95 - 0.0199])
    assert not scene.collides([0.95 - 0.0201])


AS_WRITTEN = """
import json, sys
sys.path[:0] = ['test']
from collision_robots import clutter, scene_of
scene = scene_of('ur5_robot', world=clutter(9, 2))
rows = json.load(sys.stdin)
print(json.dumps([[scene.collides(q), scene.clearance(q).distance] for q in rows]))"""


def test_kernels_as_written_decide_as_compiled_ones():
    scene = scene_of('ur5_robot', world=clutter(9, 2))
    q = scene.chain.spread(np.random.default_rng(1).random((3, scene.chain.n)))
    environment = {**os.environ, 'DQ_IK_NATIVE': 'plain'}
    environment.pop('DQ_IK_KERNELS', None)
    found = subprocess.run([sys.executable, '-c', AS_WRITTEN], input=json.dumps(q.tolist()),
                           capture_output=True, text=True, check=True, env=environment)
    for row, (colliding, distance) in zip(q, json.loads(found.stdout)):
        assert colliding == scene.collides(row)
        assert distance == pytest.approx(scene.clearance(row).distance, abs=1e-6)


# --- the world --------------------------------------------------------------------------------

def test_things_come_move_and_go():
    scene = line()
    wall = Box((0.2, 1.0, 1.0))
    scene.world.add('wall', wall, Pose.from_xyz_wxyz((0.5, 0, 0), (1, 0, 0, 0)))
    assert scene.collides([0.5])
    scene.world.move('wall', Pose.from_xyz_wxyz((1.5, 0, 0), (1, 0, 0, 0)))
    assert not scene.collides([0.5])
    assert scene.collides([1.5])
    scene.world.remove('wall')
    assert not scene.collides([1.5])
    with pytest.raises(CollisionError, match="no object 'wall'"):
        scene.world.remove('wall')


def test_things_in_the_hand_collide_with_others_and_not_with_the_hand():
    scene = line()
    scene.world.add('wall', Box((0.2, 1.0, 1.0)), Pose.from_xyz_wxyz((1.1, 0, 0), (1, 0, 0, 0)))
    scene.world.add('rod', Capsule(0.01, 0.4), Pose.from_xyz_wxyz(
        (0.2, 0, 0), (np.sqrt(0.5), 0, np.sqrt(0.5), 0)), link='tip')
    near = scene.clearance([0.4])
    assert {near.first, near.second} == {'rod', 'wall'}
    assert near.distance == pytest.approx(1.0 - 0.4 - 0.41, abs=1e-7)
    scene.world.add('rod', Sphere(0.01), link='tip', touching=('wall',))
    assert not scene.collides([0.93])


def test_meshes_are_cut_or_wrapped():
    """A body may be inside the corner of an L, but not inside of the L's hull."""
    corner = [((0, 0, 0), (0.6, 0.1, 1)), ((0, 0, 0), (0.1, 0.6, 1))]
    vertices, faces = [], []
    for low, high in corner:
        box = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]]
                        for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        hull = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7),
                (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
        faces += [[index + 8 * (len(vertices) // 8) for index in face] for face in hull]
        vertices += box.tolist()
    scene = line('<sphere radius="0.02"/>')
    at = Pose.from_xyz_wxyz((0.8, -0.2, -0.5), (1, 0, 0, 0))
    scene.world.add('L', Mesh(np.array(vertices), np.array(faces)), at)
    assert not scene.collides([1.0])
    assert scene.collides([0.85])
    scene.world.add('L', Mesh(np.array(vertices), np.array(faces), convex=True), at)
    assert scene.collides([1.0])


def test_joints_beside_the_chain_are_where_they_are_held():
    scene = scene_of('panda')
    finger = scene.clearance(scene.chain.neutral)
    scene.world.add('thing', Sphere(0.02), Pose.from_xyz_wxyz((0.088, 0.06, 0.8), (1, 0, 0, 0)))
    before = scene.snapshot()
    scene.hold({'panda_finger_joint1': 0.04, 'panda_finger_joint2': 0.04, 'other': 1.0})
    assert scene.snapshot() is not before
    assert (scene.snapshot().block != before.block).any()
    assert finger is not None


@pytest.mark.parametrize(('solid', 'reason'), [
    (Box((0.0, 1.0, 1.0)), 'greater than 0'),
    (Sphere(float('nan')), 'finite'),
    (Cylinder(0.1, -1.0), 'greater than 0'),
    (Box((1e200, 1e200, 0.1)), r'at most 1e\+09 m'),
    (Mesh(1e200 * np.eye(3), np.array([[0, 1, 2]])), r'more than 1e\+09 m away'),
    (Mesh(np.zeros((3, 3)), np.array([[0, 1, 7]])), 'numbers of its vertices'),
    (Mesh(np.full((3, 3), np.nan), np.array([[0, 1, 2]])), 'not finite'),
])
def test_bad_solids_are_refused_with_a_reason(solid, reason):
    scene = line()
    with pytest.raises(CollisionError, match=reason):
        scene.world.add('bad', solid)
    assert len(scene.world) == 0


def test_other_bad_input_is_refused_with_a_reason():
    scene = line()
    with pytest.raises(CollisionError, match='needs a name'):
        scene.world.add('', Sphere(0.1))
    with pytest.raises(CollisionError, match='stands alone and still'):
        scene.world.add('floor', HalfSpace(), link='tip')
    scene.world.add('held', Sphere(0.1), link='nowhere')
    with pytest.raises(CollisionError, match="'nowhere', which is no link"):
        scene.collides([0.0])
    scene.world.clear()
    scene.world.add('slide', Sphere(0.1))
    with pytest.raises(CollisionError, match='has the name of a link'):
        scene.collides([0.0])
    with pytest.raises(CollisionError, match='margin is'):
        line(margin=0.0)
    with pytest.raises(CollisionError, match=r"link 'slide'.*bad size"):
        line('<box size="0 1 1"/>')
    with pytest.raises(CollisionError, match=r"link 'slide'.*no such file"):
        line('<mesh filename="/nowhere/at_all.stl"/>')
    with pytest.raises(CollisionError, match='no <collision> shapes'):
        Scene.load(chain_of('panda'), '<robot name="x"><link name="a"/></robot>')


def test_the_library_loads_neither_meshes_nor_hulls():
    code = 'import dq_ik, sys; print("trimesh" in sys.modules, "scipy.spatial" in sys.modules)'
    found = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                           check=True)
    assert found.stdout.split() == ['False', 'False']
