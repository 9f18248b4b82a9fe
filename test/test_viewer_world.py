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
"""The tab World of the page: bodies, clearance, and objects that are added and dragged."""

from __future__ import annotations

import asyncio
from functools import partial
import threading

from dq_ik.collision.bands import BANDS
from dq_ik.collision.bodies import load_bodies
from dq_ik.collision.scene import Scene
from dq_ik.collision.world import Box, Capsule, Cylinder, HalfSpace, Sphere, World
from dq_ik.demo.choices import find_robot, tips_of
from dq_ik.errors import CollisionError
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.in_process import InProcess
from dq_ik.viewer.alone import bodies_of, visuals_of
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.page import Page
from dq_ik.viewer.server import open_server
from dq_ik.viewer.surroundings import READING, Surroundings
import numpy as np
import pytest
from ros_bench import wait_until
from test_viewer_page import use
from test_viewer_parts import _all_html
import viser

HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
SLIDER = (
    '<robot name="slider"><link name="rail"/><link name="cart"/><joint name="slide" '
    'type="prismatic"><parent link="rail"/><child link="cart"/>'
    '<limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>')


@pytest.fixture(scope='module')
def server():
    """Serve one page for all tests."""
    page = open_server(port=0)
    yield page
    page.stop()


class Bench:
    """A page of a robot in process, and what it tells of objects."""

    def __init__(self, server, robot='panda', q=HOME, world=None, read=None) -> None:
        server.scene.reset()
        server.gui.reset()
        model = load_robot(robot if '<' in robot else find_robot(robot)[0])
        self.chain = model.chain(None, None if '<' in robot else tips_of(robot, ()))
        self.robot, self.server = InProcess(self.chain, q), server
        self.told = []
        self.around = Surroundings(
            self.chain, read or partial(bodies_of, model), world,
            lambda edit, thing: self.told.append((edit, thing.name, thing.pose)))
        self.page = Page(
            server, self.chain, visuals_of(model),
            Outlet(self.robot.goal, self.robot.option, surroundings=self.around),
            methods=('pgs',), modes=('speed',))
        self.page.show_joints(self.robot.positions)
        self.now = 100.0
        self.run()

    def run(self, seconds: float = 0.2) -> None:
        for _ in range(max(1, round(30 * seconds))):
            self.page.tick()

    def use(self, label, value=None) -> None:
        use(self.server, label, value)

    def control(self, label):
        *_, found = (handle for handle in self.server.gui._gui_input_handle_from_uuid.values()
                     if handle.label == label)
        return found

    def html(self, word: str) -> str:
        return next((handle.content for handle in _all_html(self.server)
                     if word in handle.content), '')

    def nodes(self, word: str) -> dict:
        return {name: node for name, node in self.server.scene._handle_from_node_name.items()
                if word in name}

    def ready(self) -> None:
        wait_until(lambda: not self.around.is_reading, 60.0, 'bodies')

    def shows(self, word: str) -> bool:
        self.page.tick()
        return word in self.html(word)

    def drag(self, pose: Pose, phase: str = 'update') -> None:
        """Do what viser does when a browser moves the handle of the object."""
        handle, = self.nodes('object_handle').values()
        handle.position, handle.wxyz = pose.position, pose.quaternion
        event = viser.TransformControlsEvent(client=None, client_id=0, target=handle, phase=phase)
        for entry in handle._impl_aux.update_cb:
            asyncio.run(entry.callback(event) if hasattr(entry, 'callback') else entry(event))


@pytest.fixture
def bench(server):
    return Bench(server)


def at(*xyz: float) -> Pose:
    return Pose.from_xyz_rpy(xyz, (0.0, 0.0, 0.0))


# --- bodies and clearance ------------------------------------------------------------------------


def test_nothing_is_read_before_somebody_asks(bench):
    bench.run(1.0)
    assert bench.around.scene is None
    assert not bench.around.is_reading
    assert not bench.nodes('/body')


def test_bodies_are_shown_and_hidden(bench):
    """They are as wide as the links, and a little wider."""
    bench.use('Bodies', True)
    bench.ready()
    wait_until(lambda: bench.page.tick() or bool(bench.nodes('/body')), what='bodies')
    bodies = bench.nodes('/body')
    assert len(bodies) == len(bench.around.scene.bodies)
    assert all(node.visible for node in bodies.values())
    assert all(0.0 < node.opacity < 1.0 for node in bodies.values())
    for name, node in bodies.items():
        corners = np.concatenate([piece.vertices for piece in bench.around.scene.bodies[
            name.split('/')[-2]].pieces if not piece.rounding])
        assert (node.vertices.min(axis=0) <= corners.min(axis=0)).all()
        assert (node.vertices.max(axis=0) <= corners.max(axis=0) + 0.08).all()
    bench.use('Bodies', False)
    assert not any(node.visible for node in bodies.values())


def test_links_are_coloured_by_their_clearance(bench):
    """As the scene says; far ones keep their look; the nearest pair is told."""
    bench.use('Clearance', True)
    bench.ready()
    wait_until(lambda: bench.shows('panda_link5 and panda_link7 are 12.6 mm apart'))
    assert all(band.words in bench.html('data-role="clearance"') for band in BANDS)
    scene = bench.around.scene
    for name, node in bench.nodes('/body').items():
        gap = scene.clearances(HOME).gaps[name.split('/')[-2]]
        band = next((band for band in BANDS if gap <= band.limit), None)
        assert node.visible == (band is not None)
        assert band is None or tuple(node.color) == band.rgb
    line, = bench.nodes('/nearest').values()
    assert line.visible
    assert np.linalg.norm(np.diff(line.points[0], axis=0)) == pytest.approx(0.0126, abs=1e-4)
    bench.use('Clearance', False)
    assert not line.visible
    assert not any(node.visible for node in bench.nodes('/body').values())


def test_an_object_that_comes_near_changes_the_colours(bench):
    bench.use('Clearance', True)
    bench.ready()
    bench.around.world.add('block', Box((0.1, 0.1, 0.1)), at(0.36, 0.0, 0.445))
    wait_until(lambda: bench.shows('panda_hand'), what='near the hand')
    bench.around.world.move('block', at(0.36, 0.0, 0.5))
    wait_until(lambda: bench.shows('block overlap'), what='in the hand')
    hand, = (node for name, node in bench.nodes('/body').items() if '/panda_hand/' in name)
    assert tuple(hand.color) == BANDS[0].rgb


def test_what_does_not_change_is_not_sent_again(bench, monkeypatch):
    bench.use('Clearance', True)
    bench.ready()
    wait_until(lambda: bench.shows('12.6 mm'))
    sent = []
    monkeypatch.setattr(bench.server._websock_server, 'queue_message',
                        lambda message: sent.append(message))
    monkeypatch.setattr(bench.page, '_push_panel', lambda now: None)
    bench.run(2.0)
    assert not [message for message in sent if 'body' in getattr(message, 'name', '')]


def test_distances_are_asked_ten_times_a_second_and_only_while_they_are_shown(bench, monkeypatch):
    now, asked = [100.0], []
    monkeypatch.setattr('time.monotonic', lambda: now[0])
    bench.use('Bodies', True)
    bench.around._thread.join()
    real = Scene.clearances
    monkeypatch.setattr(Scene, 'clearances',
                        lambda *what: asked.append(now[0]) or real(*what))

    def run() -> int:
        asked.clear()
        for _ in range(90):
            now[0] += 1.0 / 30.0
            bench.page.tick()
        return len(asked)

    assert run() == 0
    bench.use('Clearance', True)
    assert 20 <= run() <= 31
    bench.use('Clearance', False)
    assert run() == 0


def test_reading_goes_on_in_the_background_and_says_so(server):
    go = threading.Event()

    def read():
        assert go.wait(60.0)
        return load_bodies(find_robot('panda')[0], of_visuals=True)

    bench = Bench(server, read=read)
    bench.use('Bodies', True)
    assert bench.shows(READING)
    go.set()
    bench.ready()
    wait_until(lambda: not bench.shows(READING))


@pytest.mark.parametrize(('robot', 'read', 'words'), [
    (SLIDER, None, 'has no collision shapes'),
    ('panda', lambda: (_ for _ in ()).throw(CollisionError('no trimesh here')), 'no trimesh here'),
    ('panda', lambda: 1 / 0, 'ZeroDivisionError')])
def test_what_cannot_be_read_is_one_sentence(server, robot, read, words):
    """And the rest of the tab works."""
    bench = Bench(server, robot, None, read=read)
    bench.use('Clearance', True)
    bench.ready()
    assert bench.shows(words)
    bench.use('Add object')
    bench.run()
    assert len(bench.around.world) == 1


def test_a_world_that_does_not_fit_is_one_sentence(bench):
    bench.use('Clearance', True)
    bench.ready()
    bench.around.world.add('panda_link3', Sphere(0.1))
    assert bench.shows('has the name of a link') or bench.shows('Distances cannot be told')
    bench.around.world.remove('panda_link3')
    wait_until(lambda: bench.shows('12.6 mm'))


# --- objects -------------------------------------------------------------------------------------


@pytest.mark.parametrize(('shape', 'size', 'solid'), [
    ('box', '0.1 0.2, 0.3', Box((0.1, 0.2, 0.3))), ('sphere', '0.05', Sphere(0.05)),
    ('cylinder', '0.05; 0.4', Cylinder(0.05, 0.4))])
def test_an_object_is_added_ahead_of_the_tool_and_removed(bench, shape, size, solid):
    bench.use('Shape', shape)
    bench.use('Size [m]', size)
    bench.use('Add object')
    bench.run()
    name = f'{shape} 1'
    thing = bench.around.world[name]
    assert thing.shapes[0][0] == solid
    tool = bench.page.tool_poses()['panda_hand_tcp'].position
    assert np.linalg.norm(thing.pose.position - tool) == pytest.approx(0.25)
    assert bench.control('Object').value == name
    assert bench.control('Object name').value == f'{shape} 2'
    assert len(bench.nodes('/shape')) == 1
    assert bench.told == [('add', name, thing.pose)]
    bench.use('Remove object')
    bench.run()
    assert len(bench.around.world) == 0
    assert not bench.nodes('/shape')
    assert bench.told[-1][:2] == ('remove', name)
    assert bench.control('Object').value == '(none)'


@pytest.mark.parametrize(('label', 'value', 'words'), [
    ('Size [m]', '0.1', ("size of a box is '0.1'", '3 numbers', 'x, y, z')),
    ('Size [m]', '0.1 0.1 wide', ("'0.1 0.1 wide'",)),
    ('Size [m]', '0.1 0.1 -1', ('-1.0', 'greater than 0')),
    ('Size [m]', '0 0 0', ('greater than 0',)),
    ('Object name', '', ('needs a name',)),
    ('Object name', 'panda_hand', ('is a link',)),
    ('Object name', 'taken', ("an object 'taken'",))])
def test_a_bad_object_is_told_and_not_added(server, label, value, words):
    world = World()
    world.add('taken', Sphere(0.1), at(0, 0, 2))
    bench = Bench(server, world=world)
    bench.use(label, value)
    bench.use('Add object')
    assert all(word in bench.page.notes.last for word in words), bench.page.notes.last
    assert list(world) == ['taken']
    assert not bench.told


def test_the_chosen_object_is_dragged(bench):
    """At most one message goes out per picture; the handle stays in the user's hand."""
    world = bench.around.world
    world.add('a', Box((0.1, 0.1, 0.1)), at(0.5, 0.3, 0.3))
    world.add('b', HalfSpace(), at(0, 0, -0.1))
    bench.run()
    handle, = bench.nodes('object_handle').values()
    assert not handle.visible
    bench.use('Object', 'a')
    assert handle.visible
    assert handle.position == pytest.approx((0.5, 0.3, 0.3))
    turned = Pose.from_xyz_rpy((0.4, 0.2, 0.1), (0.0, 0.0, 0.7))
    bench.drag(at(0.45, 0.3, 0.3))
    bench.drag(turned)
    bench.page.tick()
    assert world['a'].pose.distance(turned) < (1e-9, 1e-9)
    assert [edit for edit, *_ in bench.told] == ['move']
    assert bench.control('Object at [m]').value == '0.4, 0.2, 0.1'
    shape, = (node for name, node in bench.nodes('/object_').items()
              if name.endswith('object_1'))
    assert shape.position == pytest.approx((0.4, 0.2, 0.1))
    world.move('a', at(1, 1, 1))  # somebody else moves it meanwhile
    bench.run()
    assert handle.position == pytest.approx((0.4, 0.2, 0.1))
    bench.drag(turned, 'end')
    bench.run()
    assert world['a'].pose.distance(turned) < (1e-9, 1e-9)
    bench.drag(at(0, 0, 5))
    world.remove('a')
    bench.run()
    assert not handle.visible
    assert list(world) == ['b']


def test_a_place_is_typed(bench):
    bench.around.world.add('a', Sphere(0.1), Pose.from_xyz_rpy((0.5, 0, 0), (0, 0, 1)))
    bench.use('Object at [m]', '1 2 3')
    wait_until(lambda: bench.page.tick() or 'choose an object first' in bench.page.notes.last,
               what='a refusal')
    bench.use('Object', 'a')
    bench.use('Object at [m]', '1')
    bench.run()
    assert 'choose' in bench.page.notes.last  # somebody types still
    bench.use('Object at [m]', '1 2')
    wait_until(lambda: bench.page.tick() or "'1 2'" in bench.page.notes.last, what='a refusal')
    bench.use('Object at [m]', '1 2 3')
    bench.run()
    assert bench.control('Object at [m]').value == '1 2 3'
    wanted = Pose.from_xyz_rpy((1, 2, 3), (0, 0, 1))
    wait_until(lambda: bench.page.tick() or bench.around.world['a'].pose.distance(wanted) < (
        1e-9, 1e-9), what='the place')
    bench.use('Object', '(none)')
    bench.use('Remove object')
    assert 'choose an object first' in bench.page.notes.last


def test_objects_of_others_come_change_and_go(bench):
    """Also those that a link carries, which have no handle; a click chooses one that stands."""
    world = bench.around.world
    world.add('still', [(Capsule(0.05, 0.2), at(0, 0, 0)), (Box((0.1, 0.1, 0.1)), at(0, 0, 0.1))],
              at(0.4, 0.4, 0.4))
    world.add('held', Sphere(0.03), at(0, 0, 0.1), link='panda_hand')
    world.add('lost', Sphere(0.03), at(0, 0, 0.1), link='no_such_link')
    bench.run()
    assert bench.control('Object').options == ('(none)', 'still')
    still, held = sorted(bench.nodes('/shape'), key=len)
    assert '/panda_hand/' in held
    assert '/panda_hand/' not in still
    for entry in bench.nodes('/shape')[still]._impl.click_cb:
        asyncio.run(entry.callback(None))
    assert bench.control('Object').value == 'still'
    world.add('still', Sphere(0.2), at(0.4, 0.4, 0.4))
    bench.run()
    mesh, = (node for name, node in bench.nodes('/shape').items() if name != held)
    assert np.abs(mesh.vertices).max() == pytest.approx(0.2, rel=0.02)
    world.clear()
    bench.run()
    assert not bench.nodes('/shape')


def test_clearance_is_on_from_the_beginning_where_there_are_objects(server):
    world = World()
    world.add('a', Sphere(0.1), at(0.36, 0.0, 0.395))
    bench = Bench(server, world=world)
    assert bench.control('Clearance').value
    bench.ready()
    wait_until(lambda: bench.shows('and a '), what='the nearest pair')


def test_a_page_without_surroundings_has_no_part_for_them(server):
    server.scene.reset()
    server.gui.reset()
    chain = load_robot('arm6').chain()
    page = Page(server, chain, (), Outlet(print, print), methods=('pgs',), modes=('speed',))
    page.tick()
    labels = {h.label for h in server.gui._gui_input_handle_from_uuid.values()}
    assert 'Object' not in labels
