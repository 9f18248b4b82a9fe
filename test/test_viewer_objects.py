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
"""Objects between the page, the ik node and others, over DDS."""

from __future__ import annotations

from pathlib import Path
import sys

from domains import reserve
from dq_ik.collision.world import Box, Capsule, Cylinder, Sphere, World
from dq_ik.errors import CollisionError
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.services.object_topics import fill_shapes
from dq_ik.ros.services.objects import solids
from dq_ik.ros.services.shared_world import UNHEARD
from dq_ik.ros.viewer_node import ViewerNode
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
import pytest
from ros_bench import ros_bench, wait_until
from shape_msgs.msg import SolidPrimitive
from test_viewer_page import use

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
ROBOT = {'robot_description': PANDA, 'tip_links': [TIP]}
DOMAIN = reserve()
PLACE = Pose.from_xyz_rpy((0.3, -0.4, 0.5), (0.1, 0.2, 0.3))


@pytest.fixture(scope='module')
def bench():
    """Run an ik node and a page with the same objects."""
    with ros_bench(DOMAIN) as opened:
        opened.ik = opened.add(IkNode, world_file='table', use_tf=False, **ROBOT)
        opened.viewer = opened.add(ViewerNode, world_file='table', port=0, **ROBOT)
        opened.sender = opened.node.create_publisher(CollisionObject, 'collision_object', 10)
        wait_until(lambda: opened.sender.get_subscription_count() == 2, what='listeners')
        around = opened.viewer.page.outlet.surroundings
        sender = opened.viewer._objects._sender._publisher
        wait_until(lambda: sender.get_subscription_count() == 2, what='the ik node listens')
        opened.around, opened.solver = around, opened.ik._collisions.world
        yield opened


def test_both_know_the_objects_of_the_file(bench):
    assert list(bench.around.world) == list(bench.solver) == ['table', 'pillar']


def test_what_a_user_does_reaches_the_solver(bench):
    """Added by the controls, moved by the handle, removed."""
    server = bench.viewer._server
    use(server, 'Shape', 'cylinder')
    use(server, 'Size [m]', '0.05 0.4')
    use(server, 'Object name', 'my post')
    use(server, 'Add object')
    wait_until(lambda: 'my post' in bench.solver, what='added')
    here, there = bench.around.world['my post'], bench.solver['my post']
    assert there.shapes[0][0] == Cylinder(0.05, 0.4)
    assert there.pose.distance(here.pose) < (1e-9, 1e-9)
    bench.around.move('my post', PLACE)
    wait_until(lambda: bench.solver['my post'].pose.distance(PLACE) < (1e-9, 1e-9), what='moved')
    for number in range(40):  # as fast as a hand; what comes back to the page is left out
        last = Pose.from_xyz_rpy((0.3, 0.01 * number, 0.5), (0, 0, 0))
        bench.around.move('my post', last)
        assert bench.around.world['my post'].pose is last
    wait_until(lambda: bench.solver['my post'].pose.distance(last) < (1e-9, 1e-9), what='last')
    assert bench.around.world['my post'].pose is last
    use(server, 'Remove object')
    wait_until(lambda: 'my post' not in bench.solver, what='removed')
    assert 'my post' not in bench.around.world


def message(name: str, operation: bytes, frame: str = 'panda_link0') -> CollisionObject:
    msg = CollisionObject(id=name, operation=operation)
    msg.header.frame_id = frame
    fill_pose(msg.pose, PLACE)
    msg.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.07])]
    return msg


def test_what_others_do_is_shown(bench):
    """In any frame of the robot; bad messages are left out."""
    world, links = bench.around.world, bench.viewer.page.chain.model.link_poses(
        bench.viewer._state.positions)
    bench.sender.publish(message('bad', CollisionObject.ADD, 'nowhere'))
    bench.sender.publish(message('foreign', CollisionObject.ADD, 'panda_link1'))
    wait_until(lambda: 'foreign' in world, what='added')
    assert world['foreign'].shapes[0][0] == Sphere(0.07)
    assert world['foreign'].pose.distance(links['panda_link1'] @ PLACE) < (1e-9, 1e-9)
    assert 'bad' not in world
    names = bench.viewer._server.scene._handle_from_node_name
    wait_until(lambda: len([name for name in names if name.endswith('/shape')]) == 3, what='drawn')
    bench.sender.publish(message('foreign', CollisionObject.MOVE))
    wait_until(lambda: world['foreign'].pose.distance(PLACE)[0] < 1e-9, what='moved')
    hand = bench.node.create_publisher(AttachedCollisionObject, 'attached_collision_object', 10)
    wait_until(lambda: hand.get_subscription_count() == 2)
    held = AttachedCollisionObject(link_name='panda_hand')
    held.object.id = 'foreign'
    hand.publish(held)
    wait_until(lambda: world['foreign'].link == 'panda_hand', what='in the hand')
    wait_until(lambda: any('/panda_hand/' in name and name.endswith('/shape') for name in names))
    held.object.operation = CollisionObject.REMOVE
    hand.publish(held)
    wait_until(lambda: world['foreign'].link is None, what='out of the hand')
    bench.sender.publish(message('foreign', CollisionObject.REMOVE))
    wait_until(lambda: 'foreign' not in world, what='removed')


@pytest.mark.parametrize('solid', [Box((0.1, 0.2, 0.3)), Sphere(0.1), Cylinder(0.1, 0.3)])
def test_shapes_are_sent_as_they_are_read(solid):
    world, msg = World(), CollisionObject(id='a')
    world.add('a', [(solid, PLACE)])
    fill_shapes(msg, world['a'])
    (back, pose), = solids(msg)
    assert back == solid
    assert pose.distance(PLACE) < (1e-12, 1e-12)
    assert pose_from_msg(msg.primitive_poses[0]).distance(PLACE) < (1e-12, 1e-12)


def test_other_shapes_are_not_sent():
    world = World()
    world.add('a', Capsule(0.1, 0.3))
    with pytest.raises(CollisionError, match="'a' is no box, sphere or cylinder"):
        fill_shapes(CollisionObject(), world['a'])


@pytest.mark.parametrize('kind', [IkNode, ViewerNode])
def test_a_bad_file_ends_a_node_at_its_start(bench, kind, tmp_path):
    with pytest.raises(CollisionError, match="no world 'tabel'"):
        bench.add(kind, world_file='tabel', **ROBOT)


def test_an_object_of_a_file_on_an_unknown_link_is_told(bench, tmp_path):
    """The page does not start; requests are answered without a check, and say why."""
    file = tmp_path / 'world.yaml'
    file.write_text('- {name: a, sphere: {radius: 0.1}, link: panda_hnd}')
    with pytest.raises(CollisionError, match="'panda_hnd'"):
        bench.add(ViewerNode, world_file=str(file), port=0, **ROBOT)
    node = bench.add(IkNode, world_file=str(file), solid_visuals=True,
                     use_tf=False, **ROBOT)
    wait_until(lambda: node._prepared is not None)
    scene = node._collisions.scene(node._prepared.chain, PANDA, node._settings)
    assert "'panda_hnd', which is no link of the robot" in scene


def test_without_moveit_msgs_objects_stay_on_the_page(bench, monkeypatch):
    monkeypatch.setitem(sys.modules, 'moveit_msgs', None)
    monkeypatch.setitem(sys.modules, 'moveit_msgs.msg', None)
    node = bench.add(ViewerNode, port=0, **ROBOT)
    around = node.page.outlet.surroundings
    assert around.note == UNHEARD
    around.add('a', Sphere(0.1), PLACE)
    assert list(around.world) == ['a']
