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

"""Pieces contain the meshes they are cut from; pairs are those that can collide."""

from __future__ import annotations

import subprocess
import sys
from time import process_time

from collision_robots import chain_of, scene_of
import dq_ik
from dq_ik import CollisionError, UrdfError
from dq_ik.collision.bodies import load_bodies
from dq_ik.collision.cache import cached
from dq_ik.collision.convex import ball_around, Piece, piece_of
from dq_ik.collision.cut import convex_pieces
from dq_ik.collision.pairs import find_pairs
from dq_ik.robot.bundled import example_robots
from dq_ik.robot.meshes import load_mesh
from dq_ik.robot.shapes import Capsule, Cylinder, MeshFile, parse_collisions, Sphere
from dq_ik.robot.urdf import read_source
import numpy as np
import pytest
from scipy.spatial import ConvexHull

UR5 = 'ur5_robot'


def outside(vertices: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how far points are outside of a hull [m]; below 0 inside."""
    faces = ConvexHull(vertices).equations
    return (points @ faces[:, :3].T + faces[:, 3]).max(axis=1)


def inside(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Tell which points a closed surface encloses: the solid angles of its triangles."""
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    x, y, z = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    volume = np.einsum('ijk,ijk->ij', a, np.cross(b, c))
    rest = (x * y * z + np.einsum('ijk,ijk->ij', a, b) * z + np.einsum('ijk,ijk->ij', b, c) * x
            + np.einsum('ijk,ijk->ij', c, a) * y)
    return np.abs(np.arctan2(volume, rest).sum(axis=1)) > np.pi


@pytest.mark.parametrize('link', ['upper_arm_link', 'shoulder_link', 'wrist_1_link'])
def test_pieces_contain_the_solid_and_little_else(link):
    file = example_robots()[UR5]
    solid = next(solid for solid in parse_collisions(read_source(file)) if solid.link == link)
    mesh = load_mesh(solid.shape, file.parent)
    pieces = convex_pieces(mesh.triangles)
    rng = np.random.default_rng(0)
    surface = mesh.triangles[rng.integers(len(mesh.faces), size=4000)]
    weights = rng.dirichlet(np.ones(3), size=4000)
    points = np.einsum('ij,ijk->ik', weights, surface)
    inner = points[:500] + rng.random((500, 1)) * (points[500:1000] - points[:500])
    inner = inner[inside(mesh.triangles, inner)]
    assert len(inner) > 100
    for sample in (mesh.vertices, points, inner):
        assert np.min([outside(piece, sample) for piece in pieces], axis=0).max() < 1e-9
    volume = sum(ConvexHull(piece).volume for piece in pieces)
    assert 1 < len(pieces) <= 6
    assert volume < 1.08 * mesh.volume


def test_a_mesh_of_200_000_triangles_is_cut_in_seconds():
    """As those of scanners: cuts are chosen by few of its points; the pieces contain all."""
    turn, polar = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 320), np.linspace(0.0, np.pi, 320))
    wide = 1.0 + 0.3 * np.cos(5.0 * turn)
    points = 0.1 * np.stack([wide * np.sin(polar) * np.cos(turn),
                             wide * np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, :-1], points[1:, 1:]
    triangles = np.concatenate([np.stack([a, b, c], axis=2), np.stack([c, b, d], axis=2)])
    triangles = triangles.reshape(-1, 3, 3)
    assert len(triangles) > 200_000
    start = process_time()
    pieces = convex_pieces(triangles)
    assert process_time() - start < 60.0
    chosen = points.reshape(-1, 3)[::37]
    assert np.min([outside(piece, chosen) for piece in pieces], axis=0).max() < 1e-9
    assert sum(ConvexHull(piece).volume for piece in pieces) < 0.93 * ConvexHull(
        points.reshape(-1, 3)).volume


def test_a_cube_cut_three_times_is_still_whole():
    """Where three planes meet inside, there is a corner that the surface does not have."""
    grid = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    cube = grid[ConvexHull(grid).simplices]
    hollow = np.concatenate([cube + offset for offset in 1.2 * grid])
    pieces = convex_pieces(np.concatenate([hollow, cube * 2.2]), most=8)
    points = np.random.default_rng(1).random((3000, 3)) * 2.2
    assert np.min([outside(piece, points) for piece in pieces], axis=0).max() < 1e-9


@pytest.mark.parametrize('name', ['panda', UR5])
def test_capsules_and_spheres_contain_their_bodies(name):
    for body in load_bodies(example_robots()[name]).values():
        centre, radius = np.split(ball_around(body.pieces), [3])
        for piece in body.pieces:
            a, b, wide = piece.capsule[:3], piece.capsule[3:6], piece.capsule[6]
            along = np.clip((piece.vertices - a) @ (b - a) / max((b - a) @ (b - a), 1e-30), 0, 1)
            off = np.linalg.norm(piece.vertices - a - along[:, None] * (b - a), axis=1)
            assert (off + piece.rounding <= wide).all()
            assert (np.linalg.norm(piece.vertices - centre, axis=1) <= radius).all()


def test_round_shapes_are_exact_and_cylinders_contained():
    assert np.ptp(piece_of(Sphere(0.1)).vertices) == 0.0
    assert piece_of(Capsule(0.1, 0.4)).rounding == 0.1
    prism = piece_of(Cylinder(0.1, 0.4)).vertices
    angle = np.linspace(0, 6.3, 500)
    rim = np.stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), np.full(500, 0.2)], axis=1)
    assert outside(prism, rim).max() < 1e-12
    assert np.hypot(*prism.T[:2]).max() < 1.006 * 0.1


def test_pairs_of_the_panda():
    pairs = scene_of('panda').pairs
    assert pairs.dropped['panda_link0', 'panda_link1'] == 'adjacent'
    assert pairs.dropped['panda_link7', 'panda_hand'] == 'adjacent'
    assert pairs.dropped['panda_link3', 'panda_hand'] == 'never'
    assert ('panda_link0', 'panda_hand') in pairs.kept
    assert ('panda_leftfinger', 'panda_rightfinger') in pairs.kept
    # what the arm cannot change is not its business
    assert ('panda_leftfinger', 'panda_rightfinger') not in scene_of('panda').snapshot().names


def test_an_srdf_is_obeyed_and_what_it_hides_is_named():
    file = example_robots()[UR5]
    srdf = (file.parents[1] / 'srdf' / 'ur5.srdf').read_text()
    pairs = find_pairs(chain_of(UR5).model, load_bodies(file), srdf)
    assert ('base_link', 'upper_arm_link') not in pairs.kept
    assert set(pairs.shares) == {('base_link', 'upper_arm_link'), ('forearm_link', 'wrist_2_link'),
                                 ('forearm_link', 'wrist_3_link')}
    assert all(0.03 < share < 0.08 for share in pairs.shares.values())
    assert any('base_link and upper_arm_link' in line for line in pairs.warnings())
    with pytest.raises(UrdfError, match='SRDF is not well-formed XML'):
        find_pairs(chain_of(UR5).model, load_bodies(file), '<robot')


def test_links_that_always_overlap_are_left_out():
    text = """<robot name="r">""" + ''.join(
        f'<link name="l{i}"><collision><geometry><sphere radius="0.5"/></geometry></collision>'
        '</link>' for i in range(3)) + ''.join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        '<origin xyz="0.1 0 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
        for i in range(2)) + '</robot>'
    pairs = find_pairs(dq_ik.load_robot(text), load_bodies(text))
    assert pairs.kept == ()
    assert pairs.dropped['l0', 'l2'] == 'always'


def test_pieces_are_kept_and_damaged_files_made_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    file = example_robots()['panda']
    first = load_bodies(file)
    assert 'cutting the mesh of panda_link0' in capsys.readouterr().err
    load_bodies(file)
    assert not capsys.readouterr().err
    kept = sorted((tmp_path / 'dq_ik').glob('collision_*.npz'))
    assert len(kept) == 9
    kept[0].write_bytes(b'damaged')
    again = load_bodies(file)
    assert 'cutting' in capsys.readouterr().err
    for link, body in first.items():
        for a, b in zip(body.pieces, again[link].pieces):
            assert (a.vertices == b.vertices).all()
    (tmp_path / 'dq_ik').chmod(0o777)  # others may write there: it is not trusted
    load_bodies(file)
    assert 'cutting' in capsys.readouterr().err


def test_no_damage_of_a_kept_file_costs_a_piece(tmp_path, monkeypatch):
    """Some bits of an archive decide how many arrays there are, or make it say strange things."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    arrays = [np.arange(12.0).reshape(4, 3), np.arange(15.0).reshape(5, 3)]
    made = []

    def make():
        made.append(True)
        return arrays

    cached('pieces', make)
    path = tmp_path / 'dq_ik' / 'collision_pieces.npz'
    sound, rng = path.read_bytes(), np.random.default_rng(0)
    for place in rng.permutation(len(sound)):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        made.clear()
        again = cached('pieces', make)
        assert made
        assert len(again) == 2
    cached('pieces', make)
    assert len(made) == 1


def test_kept_pieces_need_no_trimesh():
    load_bodies(example_robots()['panda'])
    code = ('import sys; sys.modules["trimesh"] = None\n'
            'from dq_ik.collision.bodies import load_bodies\n'
            'from dq_ik.robot.bundled import example_robots\n'
            'print(len(load_bodies(example_robots()["panda"])))')
    found = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                           check=True)
    assert found.stdout.split() == ['11']


def test_without_trimesh_a_line_says_what_helps(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setitem(sys.modules, 'trimesh', None)
    from dq_ik.robot import meshes
    meshes._load_file.cache_clear()
    with pytest.raises(CollisionError, match=r'panda_link0.*pip install trimesh'):
        load_bodies(example_robots()['panda'])


def test_visuals_serve_where_there_is_no_collision():
    text = ('<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
            '</visual></link></robot>')
    assert load_bodies(text) == {}
    assert list(load_bodies(text, of_visuals=True)) == ['a']


def test_flat_meshes_have_pieces_too():
    triangle = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float)
    pieces = convex_pieces(triangle)
    assert len(pieces) == 1
    assert Piece(pieces[0]).capsule[6] < 0.6
    assert MeshFile('a.stl').scale == (1.0, 1.0, 1.0)
