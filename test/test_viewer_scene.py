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

"""Links, shapes and meshes are drawn where the URDF says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from dq_ik.pose import Pose
from dq_ik.robot import meshes
from dq_ik.robot.bundled import example_robots
from dq_ik.robot.meshes import load_mesh, MeshError, resolve_uri
from dq_ik.robot.shapes import Box, Cylinder, MeshFile, parse_visuals, Sphere
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.scene import RobotScene
from dq_ik.viewer.server import open_server
import numpy as np
import pytest

URDF = Path(__file__).parent.parent / 'urdf'
ROBOTS = ('panda', 'arm6', 'arm5', 'two_arms', 'hand', 'humanoid')

SHAPES = """<robot name="shapes">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base">
    <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
      <geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>
    <visual><geometry><sphere radius="0.2"/></geometry>
      <material name="own"><color rgba="0 1 0 1"/></material></visual>
    <visual><geometry><mesh filename="part.stl" scale="0.5 0.5 0.5"/></geometry></visual>
    <visual><geometry><plane normal="0 0 1"/></geometry></visual>
  </link></robot>"""
TRIANGLE = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 2 0 0
vertex 0 2 0
endloop
endfacet
endsolid t
"""


@pytest.fixture(scope='module')
def server():
    """Serve one page for all tests."""
    page = open_server(port=0)
    yield page
    page.stop()


def has_collada() -> bool:
    return importlib.util.find_spec('collada') is not None


def scene_of(server, robot: str) -> tuple[RobotScene, object]:
    server.scene.reset()
    text = (URDF / f'{robot}.urdf').read_text()
    model = load_robot(text)
    return RobotScene(server, model, parse_visuals(text)), model


def world_pose(server, name: str) -> Pose:
    """Compose the poses of a scene node and of all nodes above it."""
    pose = Pose.identity()
    parts = name.split('/')[1:]
    for depth in range(1, len(parts) + 1):
        handle = server.scene._handle_from_node_name.get('/' + '/'.join(parts[:depth]))
        if handle is not None:
            pose = pose @ Pose.from_xyz_wxyz(handle.position, handle.wxyz)
    return pose


def test_visuals_are_read_with_origin_shape_and_colour():
    """Colours of their own, colours by name, none; unknown shapes are left out."""
    box, cylinder, sphere, mesh = parse_visuals(SHAPES)
    assert box.shape == Box((1.0, 2.0, 3.0))
    assert box.rgba == (1.0, 0.0, 0.0, 0.5)
    assert cylinder.shape == Cylinder(0.1, 0.4)
    assert cylinder.rgba is None
    np.testing.assert_allclose(cylinder.origin @ (1.0, 0.0, 0.0), (1.0, 3.0, 3.0), atol=1e-12)
    assert sphere.shape == Sphere(0.2)
    assert sphere.rgba == (0.0, 1.0, 0.0, 1.0)
    assert mesh.shape == MeshFile('part.stl', (0.5, 0.5, 0.5))


@pytest.mark.parametrize('robot', ROBOTS)
def test_nodes_stand_where_forward_kinematics_says(server, robot):
    """For every link that is drawn, in random configurations."""
    scene, model = scene_of(server, robot)
    rng = np.random.default_rng(4)
    for _ in range(3):
        positions = model.whole.joint_positions(model.whole.random(rng))
        scene.show(positions)
        for link, pose in model.link_poses(positions).items():
            metres, radians = world_pose(server, scene.node_name(link)).distance(pose)
            assert metres < 1e-6
            assert radians < 1e-6


def test_only_moved_joints_are_sent(server):
    """A still arm costs nothing."""
    scene, _ = scene_of(server, 'panda')
    scene.show({'panda_joint1': 0.1, 'panda_joint2': 0.2})
    assert scene.show({'panda_joint1': 0.1, 'panda_joint2': 0.2}) == 0
    assert scene.show({'panda_joint1': 0.1, 'panda_joint2': 0.3}) == 1


def test_a_mimic_joint_moves_with_its_master(server):
    """Although the joint states name the master alone."""
    scene, model = scene_of(server, 'mimic')
    master = next(joint.mimic.joint for joint in model.joints if joint.mimic)
    count = sum(1 for joint in model.joints
                if joint.name == master or (joint.mimic and joint.mimic.joint == master))
    assert count > 1
    assert scene.show({master: 0.2}) == count


@pytest.mark.parametrize('tool', [
    Pose.identity(), Pose.from_xyz_rpy((0.02, 0.0, 0.15), (0.0, 0.4, 0.0))])
def test_ghost_covers_the_tool_when_the_handle_is_at_the_tool(server, tool):
    """Each part of the ghost lies on the part that it copies, also where the chain has a tool."""
    scene, model = scene_of(server, 'panda')
    tip = 'panda_hand_tcp'
    pose = model.link_poses({})[tip] @ tool
    handle = server.scene.add_transform_controls(
        '/goal', position=pose.position, wxyz=pose.quaternion)
    parts = scene.add_ghost('/goal', tip, (0.1, 0.2, 0.3, 0.4), tool)
    assert parts
    assert handle.name == '/goal'
    for part in parts:
        index = part.name.rsplit('_', 1)[1]
        original = next(name for name in server.scene._handle_from_node_name
                        if name.endswith(f'/visual_{index}'))
        metres, radians = world_pose(server, part.name).distance(world_pose(server, original))
        assert metres < 1e-6
        assert radians < 1e-6


def test_meshes_are_found_by_package_and_by_folder(tmp_path, monkeypatch):
    """package:// through the ament prefix and ROS_PACKAGE_PATH; relative to the URDF; file://."""
    part = tmp_path / 'share' / 'my_robot' / 'meshes' / 'a part.stl'
    part.parent.mkdir(parents=True)
    part.write_text(TRIANGLE)
    uri = 'package://my_robot/meshes/a%20part.stl'
    assert resolve_uri(uri) is None
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    assert resolve_uri(uri) == part
    monkeypatch.setenv('AMENT_PREFIX_PATH', '')
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'share'))
    assert resolve_uri(uri) == part
    monkeypatch.setenv('ROS_PACKAGE_PATH', str(tmp_path / 'share' / 'my_robot'))
    assert resolve_uri(uri) == part
    monkeypatch.delenv('ROS_PACKAGE_PATH')
    assert resolve_uri(uri, part.parent) == part
    assert resolve_uri('a part.stl', part.parent) == part
    assert resolve_uri(part.as_uri(), part.parent) == part
    assert resolve_uri('http://example.com/part.stl') is None


def test_meshes_beside_the_urdf_are_found(tmp_path):
    """By the name of a folder there, of the package, or of a package that was renamed."""
    robot = tmp_path / 'franka_panda'
    part = robot / 'meshes' / 'visual' / 'link0.obj'
    part.parent.mkdir(parents=True)
    part.write_text('v 0 0 0')
    (robot / 'urdf').mkdir()
    assert resolve_uri('package://meshes/visual/link0.obj', robot) == part
    assert resolve_uri('meshes/visual/link0.obj', robot) == part
    for name in ('franka_panda', 'franka_description'):
        uri = f'package://{name}/meshes/visual/link0.obj'
        assert resolve_uri(uri, robot) == part
        assert resolve_uri(uri, robot / 'urdf') == part
    assert resolve_uri('../meshes/visual/link0.obj', robot / 'urdf') == part
    other = tmp_path / 'other'
    other.mkdir()
    assert resolve_uri('package://franka_panda/meshes/visual/link0.obj', other) is None
    (robot / 'package.xml').write_text('<package/>')
    assert resolve_uri('package://franka_panda/meshes/visual/link0.obj', other) == part


@pytest.mark.parametrize('uri', [
    '../secret.stl', 'meshes/../../secret.stl', '%2e%2e/secret.stl', 'package://../secret.stl',
    'package://./../secret.stl', 'package://robot/../../secret.stl', 'package://etc/passwd',
    'package://robot/%2e%2e/%2e%2e/secret.stl', 'file://../secret.stl', 'file:///etc/passwd',
    '/etc/passwd', 'file://[::1', 'file://evil.example/part.stl', 'a\0b.stl', 'x' * 5000, ''])
def test_no_mesh_is_read_outside_of_the_roots(uri, tmp_path):
    """Of the folder of the URDF and of installed packages; whatever the URDF says."""
    folder = tmp_path / 'robot'
    folder.mkdir()
    (tmp_path / 'secret.stl').write_text(TRIANGLE)
    assert resolve_uri(uri, folder) is None
    assert resolve_uri((tmp_path / 'secret.stl').as_uri(), folder) is None
    with pytest.raises(MeshError):
        load_mesh(MeshFile(uri), folder)


@pytest.mark.parametrize(('old', 'new', 'words'), [
    ('<box size="1 2 3"/>', '<box size="1 1"/>', '3 finite numbers of at least 0'),
    ('<sphere radius="0.2"/>', '<sphere radius="x"/>', '1 finite number of at least 0'),
    ('<sphere radius="0.2"/>', '<sphere radius="-1"/>', 'radius="-1"'),
    ('<sphere radius="0.2"/>', '<sphere radius="1e999"/>', 'finite'),
    ('<sphere radius="0.2"/>', '<sphere radius="1e300"/>', 'finite'),
    ('rgba="1 0 0 0.5"', 'rgba="1 0"', '3 or 4 finite numbers from 0 to 1'),
    ('rgba="0 1 0 1"', 'rgba="0 255 0 1"', 'from 0 to 1'),
    ('xyz="1 2 3"', 'xyz="1 2 nan"', 'xyz="1 2 nan"'),
    ('rpy="0 0 1.5707963267948966"', 'rpy="0 0"', '3 finite numbers'),
    ('part.stl', 'file://[::1', 'that is no address')])
def test_a_flaw_of_a_visual_is_a_sentence_and_the_rest_is_drawn(server, old, new, words):
    """A colour that cannot be read is left out; the shape is drawn."""
    text = SHAPES.replace(old, new)
    assert text != SHAPES
    server.scene.reset()
    scene = RobotScene(server, load_robot(text), parse_visuals(text))
    assert any(words in reason for reason in scene.flaws.values())
    drawn = sum('/visual_' in name for name in server.scene._handle_from_node_name)
    assert drawn == (3 if 'rgba' in new or '[' in new else 2)  # the mesh file is never there


def test_a_mesh_is_read_and_scaled(tmp_path):
    """The vertices of an STL file in metres."""
    pytest.importorskip('trimesh')
    (tmp_path / 'part.stl').write_text(TRIANGLE)
    mesh = load_mesh(MeshFile('part.stl', (0.5, 0.5, 0.5)), tmp_path)
    assert mesh.vertices.max() == pytest.approx(1.0)


def test_a_broken_or_missing_mesh_is_named_not_fatal(server, tmp_path):
    """The rest of the robot is drawn."""
    (tmp_path / 'part.stl').write_bytes(b'not a mesh')
    server.scene.reset()
    scene = RobotScene(server, load_robot(SHAPES), parse_visuals(SHAPES), tmp_path)
    assert list(scene.flaws) == ['part.stl']
    assert 'no triangles' in scene.flaws['part.stl']


@pytest.mark.parametrize(('uri', 'reason'), [
    ('package://no_such_package/a.stl', r"'no_such_package' is not installed.*ROS_PACKAGE_PATH"),
    ('meshes/a.stl', 'no such file .*relative to'), ('https://example.org/a.stl', 'not fetched'),
    ('damaged.obj', 'export it again')])
def test_a_mesh_that_is_not_drawn_has_a_reason_and_a_remedy(uri, reason, tmp_path):
    pytest.importorskip('trimesh')
    (tmp_path / 'damaged.obj').write_text('v 0 0\nf 1 2 9\n')
    with pytest.raises(MeshError, match=reason):
        load_mesh(MeshFile(uri), tmp_path)


def test_the_package_that_reads_a_mesh_is_named(tmp_path, monkeypatch):
    pytest.importorskip('trimesh')
    (tmp_path / 'a.dae').write_text('<COLLADA/>')
    monkeypatch.setattr(meshes, 'find_spec', lambda name: None)
    with pytest.raises(MeshError, match='pip install pycollada'):
        load_mesh(MeshFile('a.dae'), tmp_path)


@pytest.mark.parametrize('robot', ['panda', 'ur5_robot', 'kinova', 'xarm7', 'tiago'])
def test_example_robots_are_drawn_with_their_meshes(server, robot):
    """STL and COLLADA files from the wheel of example-robot-data."""
    pytest.importorskip('trimesh')
    if not example_robots():
        pytest.skip('example-robot-data is not installed')
    path = example_robots()[robot]
    text = path.read_text()
    server.scene.reset()
    scene = RobotScene(server, load_robot(text), parse_visuals(text), path.parent)
    readable = ('.stl', '.obj', '.dae') if has_collada() else ('.stl', '.obj')
    assert [uri for uri in scene.flaws if uri.lower().endswith(readable)] == []


def test_bones_lead_from_link_to_link(server):
    """Where nothing else is drawn: both ends of each bone are where the kinematics says."""
    server.scene.reset()
    model = load_robot(URDF / 'panda.urdf')
    scene = RobotScene(server, model, ())
    positions = model.whole.joint_positions(model.whole.neutral)
    scene.show(positions)
    poses = model.link_poses(positions)
    joint = model.joint('panda_joint4')
    bone = next(handle for name, handle in server.scene._handle_from_node_name.items()
                if name.startswith(f'{scene.node_name(joint.parent)}/bone_1'))
    middle = world_pose(server, bone.name)
    for sign, link in ((-0.5, joint.parent), (0.5, joint.child)):
        end = middle @ np.array([0.0, 0.0, sign * bone.height])
        assert end == pytest.approx(poses[link].position, abs=1e-6)


def test_links_whose_meshes_are_missing_get_bones_and_the_others_do_not(server):
    server.scene.reset()
    text = """<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry>
        </visual></link><link name="arm"><visual><geometry><mesh filename="gone.stl"/></geometry>
        </visual></link><link name="tip"/><joint name="j" type="continuous"><parent link="base"/>
        <child link="arm"/></joint><joint name="k" type="fixed"><origin xyz="0 0 1"/>
        <parent link="arm"/><child link="tip"/></joint></robot>"""
    RobotScene(server, load_robot(text), parse_visuals(text))
    bones = [name for name in server.scene._handle_from_node_name if 'bone_' in name]
    assert bones == ['/robot/base/arm/bone_0', '/robot/base/arm/bone_1']


def test_a_ghost_is_a_second_robot_that_can_be_taken_away(server):
    scene, model = scene_of(server, 'panda')
    before = set(server.scene._handle_from_node_name)
    ghost = scene.copy('/ghost', (0.3, 0.7, 0.9, 0.3))
    ghost.show({'panda_joint1': 1.0})
    assert len(ghost.parts) == len(scene.parts)
    assert all(part.opacity == 0.3 for part in ghost.parts)
    ghost.remove()
    assert set(server.scene._handle_from_node_name) == before
