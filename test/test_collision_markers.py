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
"""Bodies and objects as markers of RViz: places, colours, and how often they come."""

from __future__ import annotations

from pathlib import Path
import sys
import time

from domains import reserve
from dq_ik.collision.bands import BANDS
from dq_ik.collision.bodies import load_bodies
from dq_ik.collision.world import Box, HalfSpace, Sphere, World
from dq_ik.errors import CollisionError
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose, pose_from_msg
from dq_ik.ros.description import LATCHED
from dq_ik.ros.markers.collision_messages import BODIES, CollisionMarkers, OBJECTS, PLAIN
from dq_ik.ros.markers.node import GoalMarkerNode
from marker_library import stand_in
from moveit_msgs.msg import CollisionObject
import numpy as np
import pytest
from ros_bench import ros_bench, wait_until
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive
from visualization_msgs.msg import Marker, MarkerArray

FILE = Path(__file__).parent.parent / 'urdf' / 'panda.urdf'
PANDA = FILE.read_text()
TIP = 'panda_hand_tcp'
DOMAIN = reserve()
TIME = 2.0  # of fast joint states [s]
MOST = 10.0  # updates per second that RViz keeps up with
HOME = {'panda_joint2': -0.6, 'panda_joint4': -2.2, 'panda_joint6': 1.6, 'panda_joint7': 0.8}
PLACE = Pose.from_xyz_rpy((0.3, -0.4, 0.5), (0.1, 0.2, 0.3))


def corners(marker: Marker) -> np.ndarray:
    return np.array([(point.x, point.y, point.z) for point in marker.points])


def test_each_body_is_in_the_frame_of_its_link_and_a_little_wider():
    bodies = load_bodies(FILE, of_visuals=True)
    first, *markers = CollisionMarkers(bodies, 'panda_link0').array([], {}).markers
    assert first.action == Marker.DELETEALL
    assert [marker.header.frame_id for marker in markers] == list(bodies)
    for marker, body in zip(markers, bodies.values()):
        assert marker.ns == BODIES
        assert marker.type == Marker.TRIANGLE_LIST
        assert marker.frame_locked
        assert marker.header.stamp.sec == marker.header.stamp.nanosec == 0
        assert pose_from_msg(marker.pose) == Pose.identity()
        assert len(marker.points) % 3 == 0
        flat = np.concatenate([piece.vertices for piece in body.pieces if not piece.rounding])
        seen = corners(marker)
        assert (seen.min(axis=0) <= flat.min(axis=0)).all()
        assert (seen.max(axis=0) >= flat.max(axis=0)).all()
        assert round(255 * marker.color.r) == PLAIN[0]
        assert 0.0 < marker.color.a < 1.0
    assert len({marker.id for marker in markers}) == len(markers)


def test_colours_are_those_of_the_bands():
    bodies = load_bodies(FILE, of_visuals=True)
    bands = dict(zip(bodies, BANDS))
    _, *markers = CollisionMarkers(bodies, 'panda_link0').array([], bands).markers
    for marker, band in zip(markers, BANDS):
        color = marker.color.r, marker.color.g, marker.color.b
        assert tuple(round(255 * value) for value in color) == band.rgb


def test_objects_are_where_the_world_has_them():
    world = World()
    world.add('a', Box((0.1, 0.2, 0.3)), PLACE)
    world.add('b', Sphere(0.1), PLACE, link='panda_hand')
    world.add('floor', HalfSpace())
    markers = CollisionMarkers({}, 'panda_link0')
    _, a, b, floor = markers.array(world.snapshot()[1], {}).markers
    assert {a.ns, b.ns, floor.ns} == {OBJECTS}
    assert a.header.frame_id == floor.header.frame_id == 'panda_link0'
    assert b.header.frame_id == 'panda_hand'
    assert pose_from_msg(a.pose).distance(PLACE) < (1e-12, 1e-12)
    assert np.ptp(corners(a), axis=0) == pytest.approx([0.1, 0.2, 0.3])
    assert np.linalg.norm(corners(b), axis=1) == pytest.approx(0.1)
    world.add('a', Box((0.5, 0.5, 0.5)), PLACE)
    world.remove('b')
    _, a, _ = markers.array(world.snapshot()[1], {}).markers
    assert np.ptp(corners(a), axis=0) == pytest.approx([0.5, 0.5, 0.5])


@pytest.fixture
def bench(monkeypatch):
    """Open a domain, and make marker nodes with a stand-in for the library."""
    monkeypatch.setitem(sys.modules, 'interactive_markers', stand_in())
    with ros_bench(DOMAIN) as opened:
        opened.marker = lambda **chosen: opened.add(
            GoalMarkerNode, robot_description=PANDA, tip_links=[TIP], **chosen)
        yield opened


def test_there_are_none_by_default(bench):
    bench.marker()
    assert not bench.node.count_publishers('dq_ik_goal_marker/collision_markers')


def test_a_bad_file_is_told_at_the_start(bench):
    with pytest.raises(CollisionError, match="no world 'tabel'"):
        bench.marker(collision_markers=True, world_file='tabel')


def test_markers_follow_joints_and_objects_ten_times_a_second(bench):
    """Those who come late get all of them; what does not change is not sent."""
    node = bench.marker(collision_markers=True, world_file='table', solid_visuals=True)
    arrays: list[MarkerArray] = []
    bench.node.create_subscription(
        MarkerArray, 'dq_ik_goal_marker/collision_markers', arrays.append, LATCHED)
    states = bench.node.create_publisher(JointState, 'joint_states', 10)
    objects = bench.node.create_publisher(CollisionObject, 'collision_object', 10)
    wait_until(lambda: objects.get_subscription_count() > 0, what='the node listens')

    def newest() -> list[Marker]:
        return arrays[-1].markers if arrays else []

    def of(space: str) -> list[Marker]:
        return [marker for marker in newest() if marker.ns == space]

    def joints(**positions: float) -> None:
        known = {**dict.fromkeys(node._collisions._around.chain.joint_names, 0.0), **HOME,
                 **positions}
        states.publish(JointState(name=list(known), position=list(known.values())))

    def still() -> bool:
        joints()
        before = len(arrays)
        time.sleep(0.5)
        return len(arrays) == before

    wait_until(lambda: len(of(BODIES)) == 9 and len(of(OBJECTS)) == 2, what='all of them')
    wait_until(still, what='nothing changes')
    before, started = len(arrays), time.monotonic()
    count = 0
    while time.monotonic() - started < TIME:  # into itself and out, at 60 Hz
        joints(panda_joint6=1.6 if count % 2 else -0.0175)
        count += 1
        msg = CollisionObject(id='block', operation=CollisionObject.ADD)
        msg.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.1, 0.1, 0.1])]
        place = Pose.from_xyz_rpy((0.6, 1e-3 * count, 0.6), (0.0, 0.0, 0.0))
        fill_pose(msg.pose, place)
        objects.publish(msg)
        time.sleep(1 / 60)
    assert count > 3 * MOST * TIME / 2
    wait_until(lambda: len(of(OBJECTS)) == 3 and pose_from_msg(of(OBJECTS)[-1].pose).distance(
        place)[0] < 1e-9, what='the last object')
    assert 2 < len(arrays) - before <= MOST * (time.monotonic() - started) + 1
    joints(panda_joint6=-0.0175)
    red = BANDS[0].rgb[0]
    wait_until(lambda: any(round(255 * marker.color.r) == red for marker in of(BODIES)),
               what='a collision is seen')
    late = bench.newest(MarkerArray, 'dq_ik_goal_marker/collision_markers', LATCHED)
    wait_until(lambda: bool(late), what='the latched message')
    assert len(late[0].markers) == 1 + 9 + 3


def test_a_robot_without_shapes_shows_objects_and_says_why(bench, capfd):
    bench.marker(collision_markers=True, world_file='table')
    arrays = bench.newest(MarkerArray, 'dq_ik_goal_marker/collision_markers', LATCHED)
    wait_until(lambda: arrays and len(arrays[0].markers) == 3, what='objects')
    wait_until(lambda: 'has no collision shapes' in capfd.readouterr().err, what='the reason')
