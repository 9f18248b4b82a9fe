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
"""How far each body is from others, how that is coloured, and bodies as triangles."""

from __future__ import annotations

from itertools import combinations

from collision_robots import chain_of, clutter, scene_of
from dq_ik.collision.bands import band_of, BANDS, FARTHEST
from dq_ik.collision.convex import Piece, piece_of
from dq_ik.collision.hulls import triangles
from dq_ik.collision.scene import MARGIN, Scene
from dq_ik.collision.scene_block import Placed, scene_block
from dq_ik.collision.world import Box, World
from dq_ik.core.memory.scene_layout import NEAREST
from dq_ik.native.load import door
from dq_ik.robot.shapes import Capsule, Cylinder, Sphere
import numpy as np
import pytest
from test_viewer_colors import BLINDNESS, lab, linear


@pytest.mark.parametrize('farthest', [10.0, 0.1])
def test_each_body_knows_its_nearest(farthest):
    """Against scenes of one pair each."""
    scene = scene_of('panda', world=clutter(4))
    rng = np.random.default_rng(8)
    for q in scene.chain.spread(rng.random((5, 7))):
        found = scene.clearances(q, farthest)
        assert found.nearest == scene.clearance(q, farthest)
        assert set(found.gaps) == {*scene.bodies, *scene.world}
        expected = dict.fromkeys(found.gaps, farthest)
        for names, distance in distances(scene, q).items():
            for name in names:
                expected[name] = min(expected[name], distance)
        assert found.gaps == pytest.approx(expected, abs=2e-6)


def distances(scene: Scene, q) -> dict[tuple[str, str], float]:
    """Return the distance of each pair, by a block with that pair alone."""
    found = {}
    things = scene.world.snapshot()[1]
    bodies = [Placed(link, number, body.pieces)
              for number, (link, body) in enumerate(scene.bodies.items())]
    bodies += [scene._placed(thing) for thing in things]
    order = {body.name: number for number, body in enumerate(bodies)}
    links = scene._links
    source = [scene.chain.joint_names.index(name) if name in scene.chain.joint_names else -1
              for name in links.joint_names]
    for a, b in scene.snapshot().names:
        block = scene_block(scene.chain.n, source, list(scene._values.values()), len(links.tips),
                            bodies, [(order[a], order[b])], scene.margin)
        row = np.empty(NEAREST.width)
        memory = np.empty(door().entries['scene_memory_size'](links.block, block))
        door().entries['clearance'](links.block, block, q, 1, 10.0, row, memory)
        found[a, b] = row[1]
    return found


def test_a_world_that_changes_is_seen_at_once():
    world = World()
    scene = scene_of('panda', world=world)
    q = chain_of('panda').neutral
    before = scene.clearances(q).gaps
    world.add('block', Box((0.1, 0.1, 0.1)), chain_of('panda').fk(q))
    after = scene.clearances(q).gaps
    assert after['block'] == after['panda_hand'] == 0.0
    world.remove('block')
    assert scene.clearances(q).gaps == before


def test_bands_follow_each_other_and_begin_with_the_margin():
    limits = [band.limit for band in BANDS]
    assert limits == sorted(limits)
    assert limits[0] == MARGIN
    assert limits[-1] == FARTHEST
    assert [band_of(gap) for gap in (0.0, MARGIN, 0.02, 0.1, 0.1001)] == [
        BANDS[0], BANDS[0], BANDS[1], BANDS[2], None]


@pytest.mark.parametrize('kind', BLINDNESS)
def test_bands_are_told_apart_by_the_colour_blind(kind):
    seen = [lab(np.array(BLINDNESS[kind]) @ linear(np.array(band.rgb) / 255)) for band in BANDS]
    assert all(np.linalg.norm(one - two) > 30.0 for one, two in combinations(seen, 2))


@pytest.mark.parametrize(('shape', 'volume'), [
    (Box((0.1, 0.2, 0.3)), 0.006), (Sphere(0.1), 4.0 / 3.0 * np.pi * 1e-3),
    (Cylinder(0.1, 0.3), np.pi * 0.003), (Capsule(0.1, 0.3), np.pi * (0.003 + 4e-3 / 3.0))])
def test_triangles_are_closed_and_face_outwards(shape, volume):
    vertices, faces = triangles([piece_of(shape)])
    edges = [tuple(sorted(edge)) for face in faces for edge in zip(face, np.roll(face, 1))]
    assert all(edges.count(edge) == 2 for edge in set(edges))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.einsum('ij,ij->i', a, np.cross(b, c)).sum() / 6.0 == pytest.approx(volume, rel=0.04)
    assert triangles([piece_of(shape)], 0.01)[0].max() > vertices.max() + 0.004


def test_several_pieces_flat_ones_and_half_spaces_are_drawn():
    flat = Piece(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float))
    vertices, faces = triangles([piece_of(Sphere(0.1)), flat])
    assert faces.max() == len(vertices) - 1
    assert np.isfinite(vertices).all()
    assert np.isfinite(triangles([Piece(np.ones((5, 3))), Piece(np.ones((1, 3)))])[0]).all()
    for size in ((1e200, 1.0, 1.0), (1e308, 1e308, 1e308), (1e-300, 1.0, 1.0), (1e9, 1e-9, 1.0)):
        corners, sides = triangles([piece_of(Box(size))])
        assert len(corners) == 8
        assert len(sides) == 12
        assert np.isfinite(corners.astype(np.float32)).all()
    square, sides = triangles([])
    assert np.ptp(square, axis=0) == pytest.approx([2.0, 2.0, 0.0])
    assert len(sides) == 4
