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
"""The demo with objects: the choices, and all nodes of ``dq_ik demo --scene table``."""

from __future__ import annotations

from pathlib import Path
import signal
import time

from dq_ik.cli import demo as command
from dq_ik.cli.main import main
from dq_ik.collision.scene import Scene
from dq_ik.collision.world_file import load_world
from dq_ik.demo.choices import find_robot, find_scene, start_of, tips_of
from dq_ik.demo.nodes import demo_nodes, DemoSettings, NodeRow
from dq_ik.errors import DqIkError
from dq_ik.pose import Pose
from dq_ik.robot.bundled import find_world
from dq_ik.robot.urdf import load_robot
from dq_ik.ros.client import Client
from dq_ik.ros.conversions import fill_pose
import numpy as np
import pytest
import ros_processes
from test_demo import SLIDER, start_demo, START_UP

ros_processes.use_own_domain()
TABLE = find_world('table')


def rows(**choices: object) -> dict[str, NodeRow]:
    settings = DemoSettings(urdf=Path('robots/r.urdf'), description=SLIDER, **choices)
    return {row.executable: row for row in demo_nodes(settings)}


def test_nodes_know_the_objects_and_the_start():
    start = {'slide': 0.25}
    table = rows(world=TABLE, start=start)
    for name in ('ik_node', 'viewer_node'):
        assert table[name].parameters['world_file'] == str(TABLE)
        assert table[name].parameters['solid_visuals'] is True
        assert table[name].parameters['urdf_folder'] == 'robots'
    assert table['ik_node'].parameters['collision'] == 'world'
    assert table['sim_node'].parameters['start.slide'] == 0.25
    marker = rows(world=TABLE, viewer='rviz')['goal_marker'].parameters
    assert marker['world_file'] == str(TABLE)
    assert marker['collision_markers'] is True


def test_without_a_scene_there_are_no_objects():
    table = rows()
    assert not any({'world_file', 'collision'} & set(row.parameters) for row in table.values())
    assert rows(viewer='rviz')['goal_marker'].parameters['collision_markers'] is False


def test_a_scene_is_a_name_or_a_file_that_fits_the_robot(tmp_path):
    _, panda = find_robot('panda')
    assert find_scene('', panda) is None
    assert find_scene('table', panda) == TABLE
    file = tmp_path / 'w.yaml'
    file.write_text('- {name: a, sphere: {radius: 0.1}, link: panda_hand}')
    assert find_scene(str(file), panda) == file
    with pytest.raises(DqIkError, match='panda_hand'):
        find_scene(str(file), SLIDER)


@pytest.mark.parametrize('robot', ['panda', 'arm6', 'two_arms', 'ur5_robot', 'planar_2r'])
def test_the_start_is_free(robot):
    """A UR5 that is neutral lies in the table."""
    file, text = find_robot(robot)
    tips = tips_of(robot, ())
    chain = load_robot(text).chain(None, tips)
    scene = Scene.load(chain, file, of_visuals=True, world=load_world(TABLE))
    assert start_of(file, text, tips, None) == {}
    start = start_of(file, text, tips, TABLE)
    q = chain.configuration(start, strict=False)
    assert chain.within_limits(q)
    assert not scene.collides(q)
    assert scene.collides(chain.neutral) == bool(start)


def test_a_robot_whose_bodies_are_not_known_starts_as_usual(tmp_path):
    text = SLIDER.replace('<link name="cart"/>', '<link name="cart"><collision><geometry>'
                          '<mesh filename="none.stl"/></geometry></collision></link>')
    assert start_of(tmp_path / 'r.urdf', SLIDER, ('cart',), TABLE) == {}
    assert start_of(tmp_path / 'r.urdf', text, ('cart',), TABLE) == {}


def test_an_unknown_scene_is_told_before_anything_starts(capsys):
    assert main(['demo', '--scene', 'tabel']) == 1
    assert "no world 'tabel' (did you mean 'table'?)" in capsys.readouterr().err


def test_without_ros_the_page_has_the_objects(monkeypatch):
    shown = {}
    monkeypatch.setattr(command, 'has_ros', lambda: False)
    monkeypatch.setattr(command, 'show', lambda chain, **what: shown.update(what, chain=chain))
    assert main(['demo', '--scene', 'table', '--no-browser']) == 0
    assert shown['world'] == TABLE
    assert shown['chain'].joint_positions(shown['q'])['panda_joint4'] == -2.2


@pytest.mark.timeout(2 * START_UP)
def test_the_whole_demo_knows_the_table():
    """A goal in the table has no free answer, one above it has; objects that come are heard."""
    from moveit_msgs.srv import GetPositionIK
    demo = start_demo('--scene', 'table', '--no-path', '--port', '0')
    try:
        with Client('tester') as client:
            assert ask(client, GetPositionIK, Pose.from_xyz_rpy((0.5, -0.2, 0.4), (np.pi, 0, 0)),
                       START_UP) == 1
            inside = Pose.from_xyz_rpy((0.5, -0.2, 0.12), (np.pi, 0, 0))
            assert ask(client, GetPositionIK, inside) != 1
            assert ask(client, GetPositionIK, inside, avoid=False) == 1
            with_block(client)
            deadline = time.monotonic() + 30.0
            while ask(client, GetPositionIK,
                      Pose.from_xyz_rpy((0.5, -0.2, 0.4), (np.pi, 0, 0))) == 1:
                assert time.monotonic() < deadline, 'the block is not heard'
    finally:
        demo.send_signal(signal.SIGINT)
        output, _ = demo.communicate(timeout=60)
    assert demo.returncode == 0, output
    assert 'Traceback' not in output
    assert 'The page:' in output
    assert 'collisions are checked' in output
    assert "streams avoid collisions: 'world'" in output


def ask(client: Client, kind: type, goal: Pose, timeout: float = 30.0, avoid: bool = True) -> int:
    """Return the error code of a request for the tool."""
    request = kind.Request()
    request.ik_request.avoid_collisions = avoid
    request.ik_request.pose_stamped.header.frame_id = 'panda_link0'
    fill_pose(request.ik_request.pose_stamped.pose, goal)
    response = client.call(kind, 'dq_ik/compute_ik', request, timeout)
    assert response is not None
    return response.error_code.val


def with_block(client: Client) -> None:
    """Publish a block above the table, as anybody may."""
    from moveit_msgs.msg import CollisionObject
    from shape_msgs.msg import SolidPrimitive
    msg = CollisionObject(id='block', operation=CollisionObject.ADD)
    msg.header.frame_id = 'panda_link0'
    msg.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.2, 0.2, 0.2])]
    fill_pose(msg.pose, Pose.from_xyz_rpy((0.5, -0.2, 0.4), (0, 0, 0)))
    publisher = client.node.create_publisher(CollisionObject, 'collision_object', 10)
    deadline = time.monotonic() + 30.0
    while publisher.get_subscription_count() < 2:
        assert time.monotonic() < deadline, 'solver and page do not listen'
        time.sleep(0.05)
    publisher.publish(msg)
