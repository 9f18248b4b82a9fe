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

"""Requests that must avoid collisions, and the messages that tell of objects."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace

from collision_judge import Judge
from collision_robots import chain_of, scene_of
from dq_ik import CollisionError, Pose
from dq_ik.collision.world import Box, HalfSpace, World
from dq_ik.options import IkOptions
from dq_ik.robot.bundled import example_robots
from dq_ik.ros.client import Client
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.groups import build_robot
from dq_ik.ros.services.collisions import Collisions
from dq_ik.ros.services.compute_ik import IkServer
from dq_ik.ros.services.objects import apply_attached, apply_object, apply_scene
from dq_ik.ros.services.requests import ErrorCode, fill_error, RequestError
from dq_ik.ros.settings import NodeSettings
from geometry_msgs.msg import Point
from geometry_msgs.msg import Pose as PoseMsg
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, PositionIKRequest
from moveit_msgs.srv import GetPositionIK
import numpy as np
import pytest
from ros_bench import wait_until
import ros_processes
from shape_msgs.msg import Mesh, MeshTriangle, Plane, SolidPrimitive

ros_processes.use_own_domain()
pytestmark = pytest.mark.timeout(600)

URDF = example_robots()['panda'].read_text()
ARM = {'base_link': 'panda_link0', 'tip_links': ('panda_hand',), 'group': 'arm'}
CHAIN = chain_of('panda')
Q = np.array([0.2, -0.5, 0.1, -2.0, 0.1, 1.8, 0.5])
START_UP = 400.0  # a checkout without a library builds it first
MOVED = Pose.from_xyz_rpy((0.1, 0.2, 0.3), (0.1, 0.2, 0.3))
# Frames of these tests: the root, and one that is turned and moved.
FRAMES = {'': Pose.identity(), 'panda_link0': Pose.identity(), 'table': MOVED}
SIZES = {SolidPrimitive.BOX: [0.1, 0.2, 0.3], SolidPrimitive.SPHERE: [0.1],
         SolidPrimitive.CYLINDER: [0.5, 0.1], SolidPrimitive.CONE: [0.5, 0.1]}


def pose_msg(pose: Pose) -> PoseMsg:
    msg = PoseMsg()
    fill_pose(msg, pose)
    return msg


def object_msg(name='block', pose=None, frame='', operation=CollisionObject.ADD, kind=None,
               sizes=None) -> CollisionObject:
    msg = CollisionObject(id=name, operation=operation)
    msg.header.frame_id = frame
    msg.pose = pose_msg(pose or Pose.identity())
    if kind is not None:
        msg.primitives.append(SolidPrimitive(type=kind, dimensions=sizes or SIZES[kind]))
        msg.primitive_poses.append(pose_msg(Pose.identity()))
    return msg


class Logs:
    """Keeps what is logged."""

    def __init__(self):
        self.lines = []

    def info(self, line):
        self.lines.append(line)

    warning = info


def served(srdf='', text=URDF, **settings):
    """Return a server of the Panda, its world and its log."""
    chosen = NodeSettings(robot_description_semantic=srdf, **ARM, **settings)
    log = Logs()
    collisions = Collisions(log)
    server = IkServer(build_robot(text, chosen), IkOptions(timeout=1.0), chosen, None,
                      lambda chain: collisions.scene(chain, text, chosen))
    return server, collisions.world, log


def ask(server, goal, avoid=True, held=(), **state):
    msg = PositionIKRequest(group_name='arm', avoid_collisions=avoid)
    fill_pose(msg.pose_stamped.pose, goal)
    msg.pose_stamped.header.frame_id = 'panda_link0'
    for name, value in {**dict(zip(CHAIN.joint_names, Q.tolist())), **state}.items():
        msg.robot_state.joint_state.name.append(name)
        msg.robot_state.joint_state.position.append(value)
    msg.robot_state.attached_collision_objects = list(held)
    response = GetPositionIK.Response()
    try:
        query = server.query(msg, {})
        return server.fill(response, query, server.solve(query))
    except RequestError as error:
        fill_error(response.error_code, error.code, str(error))
        return response


def configuration(response):
    state = dict(zip(response.solution.joint_state.name, response.solution.joint_state.position))
    return np.array([state[name] for name in CHAIN.joint_names])


# --- requests ------------------------------------------------------------------------------------

def test_solutions_do_not_collide_with_the_robot_itself():
    server, _, log = served()
    scene = scene_of('panda')
    judge = Judge(example_robots()['panda'], CHAIN, scene.snapshot().names)
    blind = 0
    for q in CHAIN.spread(np.random.default_rng(5).random((200, 7))):
        if judge.collides(q):
            continue
        response = ask(server, CHAIN.fk(q))
        assert response.error_code.val == ErrorCode.SUCCESS, response.error_code.message
        assert not judge.collides(configuration(response))
        blind += judge.collides(configuration(ask(server, CHAIN.fk(q), avoid=False)))
    assert blind
    assert any('11 bodies' in line for line in log.lines)


def test_an_object_in_the_way_is_named_and_one_beside_is_avoided():
    server, world, _ = served()
    goal = CHAIN.fk(Q)
    apply_object(world, object_msg(pose=goal, kind=SolidPrimitive.BOX), FRAMES.__getitem__)
    refused = ask(server, goal)
    assert refused.error_code.val == ErrorCode.NO_IK_SOLUTION
    assert 'and block overlap' in refused.error_code.message
    assert not refused.solution.joint_state.name
    assert ask(server, goal, avoid=False).error_code.val == ErrorCode.SUCCESS
    apply_object(world, object_msg(operation=CollisionObject.REMOVE), FRAMES.__getitem__)
    assert ask(server, goal).error_code.val == ErrorCode.SUCCESS


def test_approximate_solutions_that_collide_are_refused():
    server, world, _ = served(allow_approximate=True)
    goal = CHAIN.fk(Q)
    apply_object(world, object_msg(pose=goal, kind=SolidPrimitive.BOX), FRAMES.__getitem__)
    assert ask(server, goal).error_code.val == ErrorCode.NO_IK_SOLUTION


def test_objects_that_the_request_attaches_are_held_for_it_alone():
    server, world, _ = served()
    goal = CHAIN.fk(Q)
    apply_object(world, object_msg('table', Pose.from_xyz_rpy((0.5, 0.0, -1.0), (0, 0, 0)),
                                   kind=SolidPrimitive.BOX), FRAMES.__getitem__)

    def held(frame='panda_hand', link='panda_hand', size=3.0):
        item = AttachedCollisionObject(link_name=link, touch_links=['panda_link7'])
        item.object = object_msg('ball', Pose.identity(), frame, kind=SolidPrimitive.SPHERE,
                                 sizes=[size])
        return item
    for items, code in (((), ErrorCode.SUCCESS), ((held(),), ErrorCode.NO_IK_SOLUTION),
                        ((held(size=0.01),), ErrorCode.SUCCESS),
                        ((held(frame='nowhere'),), ErrorCode.FRAME_TRANSFORM_FAILURE),
                        ((held(link='nowhere'),), ErrorCode.INVALID_ROBOT_STATE),
                        ((), ErrorCode.SUCCESS)):
        response = ask(server, goal, held=items)
        assert ErrorCode(response.error_code.val) is code, response.error_code.message
        assert list(world) == ['table']
    assert 'ball' in ask(server, goal, held=[held()]).error_code.message


def test_joints_beside_the_group_are_those_of_the_request():
    server, world, _ = served()
    goal = CHAIN.fk(Q)
    beside = goal @ Pose.from_xyz_rpy((0.0, 0.07, 0.105), (0, 0, 0))  # where a finger opens to
    apply_object(world, object_msg(pose=beside, kind=SolidPrimitive.SPHERE, sizes=[0.02]),
                 FRAMES.__getitem__)
    closed = ask(server, goal, panda_finger_joint1=0.0, panda_finger_joint2=0.0)
    opened = ask(server, goal, panda_finger_joint1=0.04, panda_finger_joint2=0.04)
    assert closed.error_code.val == ErrorCode.SUCCESS
    assert opened.error_code.val == ErrorCode.NO_IK_SOLUTION
    assert 'panda_leftfinger and block' in opened.error_code.message


def test_an_srdf_is_obeyed_and_named_in_the_log():
    srdf = (example_robots()['panda'].parents[1] / 'srdf' / 'panda.srdf').read_text()
    server, _, log = served(srdf)
    assert ask(server, CHAIN.fk(Q)).error_code.val == ErrorCode.SUCCESS
    assert any('the SRDF lets panda_link5 and panda_link7 collide' in line for line in log.lines)


def test_visuals_serve_by_option():
    text = (Path(__file__).parents[1] / 'urdf' / 'panda.urdf').read_text()
    chosen = {**ARM, 'tip_links': ('panda_hand_tcp',), 'robot_description_semantic': ''}
    for solid, said in ((False, 'collisions not checked'), (True, 'overlap')):
        settings = NodeSettings(**chosen, solid_visuals=solid)
        collisions, robot = Collisions(Logs()), build_robot(text, settings)
        server = IkServer(robot, IkOptions(timeout=1.0), settings, None, partial(
            collisions.scene, description=text, settings=settings))
        goal = robot.groups['arm'].fk(Q)
        apply_object(collisions.world, object_msg(pose=goal, kind=SolidPrimitive.BOX),
                     FRAMES.__getitem__)
        assert said in ask(server, goal).error_code.message


@pytest.mark.parametrize(('text', 'reason'), [
    (URDF.replace('<collision>', '<coll>').replace('</collision>', '</coll>'),
     'has no <collision> shapes'),
    (URDF.replace('package://example-robot-data', 'package://nowhere'), "package 'nowhere'"),
], ids=['no shapes', 'no meshes'])
def test_where_bodies_are_missing_the_message_says_so(text, reason):
    server, _, _ = served(text=text)
    response = ask(server, CHAIN.fk(Q))
    assert response.error_code.val == ErrorCode.SUCCESS
    assert 'collisions not checked' in response.error_code.message
    assert reason in response.error_code.message


# --- objects -------------------------------------------------------------------------------------

@pytest.mark.parametrize('kind', SIZES)
def test_primitives_stand_where_their_frame_says(kind):
    world, own = World(), Pose.from_xyz_rpy((0, 0, 0.5), (0, 1.0, 0))
    apply_object(world, object_msg(pose=own, frame='table', kind=kind), FRAMES.__getitem__)
    assert world['block'].pose.distance(MOVED @ own) < (1e-12, 1e-12)
    points = world['block'].pieces[0].vertices
    height = {SolidPrimitive.SPHERE: 0.0, SolidPrimitive.BOX: 0.3}.get(kind, 0.5)
    assert np.ptp(points[:, 2]) == pytest.approx(height)


def test_objects_are_moved_appended_and_removed():
    world, place = World(), FRAMES.__getitem__
    apply_object(world, object_msg(kind=SolidPrimitive.BOX), place)
    apply_object(world, object_msg(pose=MOVED, operation=CollisionObject.MOVE), place)
    assert world['block'].pose.distance(MOVED) < (1e-12, 1e-12)
    apply_object(world, object_msg(kind=SolidPrimitive.SPHERE, operation=CollisionObject.APPEND),
                 place)
    (box, at_box), (sphere, at_sphere) = world['block'].shapes
    assert isinstance(box, Box)
    assert (world['block'].pose @ at_box).distance(MOVED) < (1e-9, 1e-9)
    assert (world['block'].pose @ at_sphere).distance(Pose.identity()) < (1e-9, 1e-9)
    apply_object(world, object_msg('other', kind=SolidPrimitive.SPHERE), place)
    apply_object(world, object_msg('', operation=CollisionObject.REMOVE), place)
    assert len(world) == 0


def test_meshes_and_planes():
    world, mesh = World(), Mesh()
    for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        mesh.vertices.append(Point(x=float(x), y=float(y), z=float(z)))
    for face in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)):
        mesh.triangles.append(MeshTriangle(vertex_indices=face))
    msg = object_msg('wedge')
    msg.meshes.append(mesh)
    apply_object(world, msg, FRAMES.__getitem__)
    assert len(world['wedge'].pieces[0].vertices) == 4
    floor = object_msg('floor')
    floor.planes.append(Plane(coef=[0.0, 0.0, 2.0, 0.5]))
    apply_object(world, floor, FRAMES.__getitem__)
    (solid, pose), = world['floor'].shapes
    assert isinstance(solid, HalfSpace)
    assert pose.position == pytest.approx((0, 0, -0.25))
    assert pose.matrix[:3, 2] == pytest.approx((0, 0, 1))


def test_objects_are_held_and_put_down():
    world, place, model = World(), FRAMES.__getitem__, CHAIN.model
    positions = dict(zip(CHAIN.joint_names, Q.tolist()))
    hand = model.link_poses(positions)['panda_hand']
    apply_object(world, object_msg(pose=hand, kind=SolidPrimitive.BOX), place)
    take = AttachedCollisionObject(link_name='panda_hand', touch_links=['panda_leftfinger'])
    take.object.id = 'block'
    apply_attached(world, take, place, model, positions)
    assert world['block'].link == 'panda_hand'
    assert world['block'].pose.distance(Pose.identity()) < (1e-9, 1e-9)
    assert world['block'].touching == {'panda_hand', 'panda_leftfinger'}
    give = AttachedCollisionObject(link_name='panda_hand')
    give.object.operation = CollisionObject.REMOVE
    elsewhere = dict.fromkeys(CHAIN.joint_names, 0.1)
    apply_attached(world, give, place, model, elsewhere)
    assert world['block'].link is None
    there = model.link_poses(elsewhere)['panda_hand']
    assert world['block'].pose.distance(there) < (1e-9, 1e-9)
    with pytest.raises(CollisionError, match='nothing named'):
        apply_attached(world, give, place, model, elsewhere)


def test_planning_scenes_replace_or_add():
    """The message itself is in the full package of moveit_msgs only."""
    def scene(is_diff, objects, attached=()):
        return SimpleNamespace(
            is_diff=is_diff, world=SimpleNamespace(collision_objects=objects),
            robot_state=SimpleNamespace(attached_collision_objects=attached))

    world, place, model = World(), FRAMES.__getitem__, CHAIN.model
    held = AttachedCollisionObject(link_name='panda_hand')
    held.object = object_msg('held', kind=SolidPrimitive.SPHERE)
    block, more = (object_msg(name, kind=SolidPrimitive.BOX) for name in ('block', 'more'))
    apply_scene(world, scene(False, [block], [held]), place, model, {})
    apply_scene(world, scene(True, [more]), place, model, {})
    assert set(world) == {'block', 'held', 'more'}
    apply_scene(world, scene(False, []), place, model, {})
    assert not set(world)


def test_a_bad_object_of_a_planning_scene_costs_none_of_the_others():
    """And a whole scene replaces the one before at once, not object by object."""
    world, place, seen = World(), FRAMES.__getitem__, []
    apply_object(world, object_msg('old', kind=SolidPrimitive.BOX), place)

    def looking(frame):
        seen.append(set(world))
        return place(frame)

    objects = [object_msg('first', kind=SolidPrimitive.BOX),
               object_msg('bad', kind=SolidPrimitive.BOX, sizes=[0.1]),
               object_msg('panda_link3', kind=SolidPrimitive.BOX),
               object_msg('last', kind=SolidPrimitive.SPHERE)]
    msg = SimpleNamespace(is_diff=False, world=SimpleNamespace(collision_objects=objects),
                          robot_state=SimpleNamespace(attached_collision_objects=[]))
    with pytest.raises(CollisionError, match=r'3 dimensions, got 1; .*name of a link'):
        apply_scene(world, msg, looking, CHAIN.model, {})
    assert set(world) == {'first', 'last'}
    assert all(names == {'old'} for names in seen)


def test_an_object_with_the_name_of_a_link_is_refused_before_it_is_in_the_world():
    """There it would keep every later question from an answer."""
    world, place, model = World(), FRAMES.__getitem__, CHAIN.model
    with pytest.raises(CollisionError, match='has the name of a link'):
        apply_object(world, object_msg('panda_link3', kind=SolidPrimitive.BOX), place,
                     model.links)
    msg = AttachedCollisionObject(link_name='panda_hand')
    msg.object = object_msg('panda_link3', kind=SolidPrimitive.BOX)
    with pytest.raises(CollisionError, match='has the name of a link'):
        apply_attached(world, msg, place, model, {})
    assert len(world) == 0


@pytest.mark.parametrize('operation', [
    CollisionObject.MOVE, CollisionObject.APPEND, CollisionObject.REMOVE])
def test_what_a_hand_holds_is_not_changed_as_if_it_stood_in_the_world(operation):
    world, place, model = World(), FRAMES.__getitem__, CHAIN.model
    take = AttachedCollisionObject(link_name='panda_hand')
    take.object = object_msg(kind=SolidPrimitive.BOX)
    apply_attached(world, take, place, model, {})
    before = world['block']
    with pytest.raises(CollisionError, match="attached to 'panda_hand'; detach it first"):
        apply_object(world, object_msg(pose=MOVED, operation=operation, kind=SolidPrimitive.BOX),
                     place)
    assert world['block'] is before


def test_an_object_is_handed_from_link_to_link_and_stays_where_it_is():
    world, place, model = World(), FRAMES.__getitem__, CHAIN.model
    positions = dict(zip(CHAIN.joint_names, Q.tolist()))
    poses = model.link_poses(positions)
    apply_object(world, object_msg(pose=MOVED, kind=SolidPrimitive.BOX), place)
    for link in ('panda_hand', 'panda_link5'):
        take = AttachedCollisionObject(link_name=link)
        take.object.id = 'block'
        apply_attached(world, take, place, model, positions)
        assert world['block'].link == link
        assert (poses[link] @ world['block'].pose).distance(MOVED) < (1e-9, 1e-9)


@pytest.mark.parametrize(('msg', 'reason'), [
    (object_msg(kind=SolidPrimitive.BOX, sizes=[0.1]), '3 dimensions, got 1'),
    (object_msg(kind=SolidPrimitive.BOX, sizes=[0.1, 0.0, 0.1]), 'greater than 0'),
    (object_msg(kind=SolidPrimitive.SPHERE, sizes=[float('nan')]), 'finite'),
    (object_msg(kind=SolidPrimitive.CONE, sizes=[0.1, -0.1]), 'above 0'),
    (object_msg(kind=9, sizes=[0.1]), 'type 9'),
    (object_msg(), 'no shape'),
    (object_msg(operation=CollisionObject.MOVE), 'no object'),
    (object_msg(operation=CollisionObject.REMOVE), 'no object'),
    (object_msg(operation=b'\x07'), 'operation 7'),
    (object_msg('', kind=SolidPrimitive.SPHERE), 'needs a name'),
])
def test_bad_objects_are_refused_with_a_reason(msg, reason):
    world = World()
    with pytest.raises(CollisionError, match=reason):
        apply_object(world, msg, FRAMES.__getitem__)
    assert len(world) == 0


def test_attaching_to_nothing_is_refused():
    msg = AttachedCollisionObject(link_name='tail')
    msg.object = object_msg(kind=SolidPrimitive.SPHERE)
    with pytest.raises(CollisionError, match="'tail', which is no link"):
        apply_attached(World(), msg, FRAMES.__getitem__, CHAIN.model, {})


# --- the node ------------------------------------------------------------------------------------

def test_a_node_hears_of_objects_and_avoids_them():
    goal = CHAIN.fk(Q)
    with ros_processes.run_node(robot_description=URDF, **ARM) as node, Client('tester') as client:
        ask_node = client.node.create_client(GetPositionIK, '/dq_ik/compute_ik')
        objects = client.node.create_publisher(CollisionObject, 'collision_object', 10)
        held = client.node.create_publisher(
            AttachedCollisionObject, 'attached_collision_object', 10)
        wait_until(lambda: (ask_node.service_is_ready() and objects.get_subscription_count()
                            and held.get_subscription_count()) or not node.alive, START_UP)

        def answer():
            msg = GetPositionIK.Request()
            msg.ik_request.group_name, msg.ik_request.avoid_collisions = 'arm', True
            fill_pose(msg.ik_request.pose_stamped.pose, goal)
            future = ask_node.call_async(msg)
            wait_until(future.done, 60.0)
            return future.result().error_code

        assert answer().val == ErrorCode.SUCCESS, node.log
        objects.publish(object_msg(pose=goal, kind=SolidPrimitive.BOX))
        wait_until(lambda: answer().val == ErrorCode.NO_IK_SOLUTION)
        assert 'and block overlap' in answer().message
        objects.publish(object_msg(operation=CollisionObject.REMOVE))
        wait_until(lambda: answer().val == ErrorCode.SUCCESS)
        objects.publish(object_msg(operation=CollisionObject.REMOVE))
        wait_until(lambda: 'collision_object not used' in node.log)
        msg = AttachedCollisionObject(link_name='panda_hand')
        msg.object = object_msg('pole', Pose.from_xyz_rpy((0, 0, 0), (0, 0, 0)), 'panda_hand',
                                kind=SolidPrimitive.CYLINDER, sizes=[3.0, 0.02])
        held.publish(msg)
        wait_until(lambda: 'pole' in answer().message)
        objects.publish(object_msg('panda_link3', kind=SolidPrimitive.BOX))
        wait_until(lambda: "object 'panda_link3' has the name of a link" in node.log)
        assert 'pole' in answer().message
        assert node.alive, node.log
        assert 'Traceback' not in node.log
