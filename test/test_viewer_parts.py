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
"""The parts of the panel do what their controls say, with a robot in process; no browser."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

from dq_ik.demo.choices import find_robot, tips_of
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.in_process import InProcess
from dq_ik.viewer.alone import visuals_of
from dq_ik.viewer.outlet import Outlet
from dq_ik.viewer.page import Page
from dq_ik.viewer.parts.keys import NUDGE, TURN
from dq_ik.viewer.server import open_server
import numpy as np
import pytest
from test_ball_angles import balled
from test_viewer_page import use
import viser

TIP = 'panda_hand_tcp'
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])


@pytest.fixture(scope='module')
def server():
    """Serve one page for all tests."""
    page = open_server(port=0)
    yield page
    page.stop()


class World:
    """A page, a robot in process, and a clock that is moved by hand."""

    def __init__(self, server, robot: str | Chain, q, clock: list[float]) -> None:
        server.scene.reset()
        server.gui.reset()
        self.chain = robot if isinstance(robot, Chain) else (
            load_robot(find_robot(robot)[0]).chain(None, tips_of(robot, ())))
        self.robot = InProcess(self.chain, q)
        self.server, self.clock = server, clock
        self.page = Page(
            server, self.chain, visuals_of(self.chain.model),
            Outlet(self.robot.goal, self.robot.option, self.robot.twist, self.robot.joints),
            methods=('pgs', 'pls'), modes=('speed',))
        self.run(0.1)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(30 * seconds)):
            self.clock[0] += 1.0 / 30.0
            self.robot.step(self.clock[0])
            self.page.show_joints(self.robot.positions)
            self.page.show_report(self.robot.report)
            self.page.tick()

    def use(self, label: str, value=None) -> None:
        """Press a button or set a control."""
        use(self.server, label, value)

    def control(self, label: str):
        """Return the newest control of a label."""
        *_, found = (handle for handle in self.server.gui._gui_input_handle_from_uuid.values()
                     if handle.label == label)
        return found

    def html(self, word: str) -> str:
        """Return the newest HTML that has a word."""
        *_, found = (handle.content for handle in _all_html(self.server) if word in handle.content)
        return found


def _all_html(server):
    for container in server.gui._container_handle_from_uuid.values():
        for handle in container._children.values():
            if isinstance(handle, viser.GuiHtmlHandle):
                yield handle


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr('time.monotonic', lambda: now[0])
    return now


@pytest.fixture
def world(server, clock):
    return World(server, 'panda', HOME, clock)


def test_sliders_show_the_robot_and_move_it(world):
    """In degrees; the goal follows, the other joints stay."""
    assert world.control('panda_joint2').value == pytest.approx(np.degrees(-0.6), abs=0.05)
    world.use('panda_joint1', 30.0)
    world.run(4.0)
    assert world.robot.tracker.command == pytest.approx(
        [np.radians(30.0), *HOME[1:]], abs=1e-3)
    assert world.page.tool_distance() < 1e-6
    assert world.control('panda_joint1').value == 30.0


def test_a_ball_has_sliders_for_the_three_joints_of_the_urdf(server, clock):
    chain = balled()[1]
    world = World(server, chain, chain.neutral, clock)
    assert world.control('j1').value == pytest.approx(np.degrees(0.2), abs=0.05)
    world.use('j2', 20.0)
    world.use('elbow', 30.0)
    world.run(4.0)
    wanted = {'j1': 0.2, 'j2': np.radians(20.0), 'j3': -0.1, 'elbow': np.radians(30.0)}
    found = {name: world.robot.positions[name] for name in wanted}
    assert found == pytest.approx(wanted, abs=1e-3)


def test_two_sliders_at_once_do_not_forget_each_other(world):
    world.use('panda_joint1', 30.0)
    world.run(0.1)
    world.use('panda_joint7', 0.0)
    world.run(4.0)
    assert world.robot.tracker.command[[0, 6]] == pytest.approx([np.radians(30.0), 0.0], abs=1e-3)


def test_a_slider_forgets_where_it_sent_the_joints_when_something_else_moves(world):
    world.use('panda_joint1', 30.0)
    world.page.go_to(HOME)
    world.use('panda_joint7', 0.0)
    world.run(4.0)
    assert world.robot.tracker.command[[0, 6]] == pytest.approx([0.0, 0.0], abs=1e-3)


def test_what_a_user_has_set_is_not_hidden_before_it_is_heard(world):
    """The page is drawn between the message of a browser and what is done about it."""
    for label, value in (('panda_joint1', 30.0), ('Position [m]', '0.3 0 0.5')):
        control = world.control(label)
        control._impl.value = value  # as viser does before it calls anybody
        world.run(0.5)
        assert control.value == value
        use(world.server, label, value)
    world.run(4.0)
    assert np.degrees(world.robot.tracker.command[0]) == pytest.approx(30.0, abs=0.05)
    assert world.control('Position [m]').value == '0.3 0 0.5'


def test_dragging_takes_over_from_a_slider(world):
    world.use('panda_joint1', 90.0)
    world.run(0.2)
    handle = world.page.goals[TIP]
    asyncio.run(handle._dragged(viser.TransformControlsEvent(
        client=None, client_id=0, target=handle.control, phase='end')))
    assert not world.page.moves_joints
    world.run(2.0)
    assert world.robot.tracker.command[0] < 0.8


@pytest.mark.parametrize(('form', 'words'), [
    ('list', '[0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8]'), ('YAML', 'panda_joint4: -2.2'),
    ('JointState', 'position: [0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8]}')])
def test_joint_values_can_be_copied(world, form, words):
    world.use('Copy as', form)
    assert words in world.html('data-copy="joint values"')


def test_a_typed_pose_is_the_goal(world):
    """And the fields show the goal until somebody types."""
    goal = world.page.goals[TIP]
    shown = [float(word) for word in world.control('Position [m]').value.split(',')]
    assert shown == pytest.approx(goal.pose.position, abs=1e-6)
    world.use('Position [m]', '0.4 0.1 0.5')
    world.use('Rotation', '180, 0, 0')
    world.run(0.5)
    assert world.control('Position [m]').value == '0.4 0.1 0.5'
    world.use('Go to pose')
    world.run(3.0)
    tool = world.page.tool_poses()[TIP]
    assert tool.distance(Pose.from_xyz_rpy((0.4, 0.1, 0.5), (np.pi, 0, 0))) < (1e-4, 1e-4)


def test_poses_may_be_in_the_frame_of_any_link(world):
    world.use('In frame', 'panda_link4')
    world.use('Rotation as', 'quaternion w x y z')
    model = world.chain.model.link_poses(world.page.positions)
    expected = model['panda_link4'].inverse() @ model[TIP]
    shown = world.html('data-copy="pose of the tool"').partition('tabindex="0">')[2]
    numbers = [float(word) for word in shown.partition('<')[0].replace(',', ' ').split()]
    assert numbers == pytest.approx([*expected.position, *expected.quaternion], abs=1e-5)
    world.use('Rotation', '1 0 0 0')
    world.use('Go to pose')
    x_base_link = model['panda_link0'].inverse() @ model['panda_link4']
    assert world.page.goals[TIP].pose.distance(
        x_base_link @ Pose.from_xyz_wxyz(expected.position, (1, 0, 0, 0))) < (1e-5, 1e-5)


def test_a_bad_pose_is_told_and_nothing_moves(world):
    before = world.page.goals[TIP].pose
    world.use('Position [m]', '0.4, here')
    world.use('Go to pose')
    assert "the position is '0.4, here'; wanted: 3 numbers" in world.page.notes.last
    assert world.page.goals[TIP].pose == before


def test_the_elbow_moves_and_the_tool_stays(world):
    tool = world.page.tool_poses()[TIP]
    world.use('Elbow [%]', 60)
    farthest = 0.0
    for _ in range(60):
        world.run(0.1)
        farthest = max(farthest, world.page.tool_poses()[TIP].distance(tool)[0])
    assert np.abs(world.robot.tracker.command - HOME).max() > 0.3
    assert farthest < 0.01
    assert world.page.tool_poses()[TIP].distance(tool) < (1e-4, 1e-4)
    world.use('Elbow [%]', 0)
    world.run(6.0)
    assert world.robot.tracker.command == pytest.approx(HOME, abs=0.02)


def test_the_elbow_of_another_goal_begins_anew(world):
    world.use('Elbow [%]', 40)
    world.run(4.0)
    world.use('Random goal')
    world.run(4.0)
    assert world.control('Elbow [%]').value == 0


def test_an_arm_without_an_elbow_says_so(server, clock):
    """Unless the orientation is free."""
    world = World(server, 'arm6', np.full(6, 0.4), clock)
    world.use('Elbow [%]', 50)
    world.run(0.5)
    assert 'no freedom' in world.page.notes.last
    assert world.control('Elbow [%]').value == 0
    world.use('Position only', True)
    world.use('Elbow [%]', 50)
    world.run(4.0)
    assert np.abs(world.robot.tracker.command - 0.4).max() > 0.1


def test_a_solution_is_chosen_by_its_number_or_its_ghost(world):
    tool = world.page.tool_poses()[TIP]
    world.use('Find all')
    ghosts = [name for name in world.server.scene._handle_from_node_name if '/solution_' in name]
    assert len({name.split('/')[1] for name in ghosts}) >= 2
    world.use('2')
    world.run(6.0)
    assert np.abs(world.robot.tracker.command - HOME).max() > 0.1
    assert world.page.tool_poses()[TIP].distance(tool)[0] < 2e-3
    clickable = next(world.server.scene._handle_from_node_name[name] for name in ghosts
                     if name.startswith('/solution_0') and 'visual_' in name)
    for entry in clickable._impl.click_cb:
        asyncio.run(entry.callback(None))
    world.run(6.0)
    assert world.robot.tracker.command == pytest.approx(HOME, abs=5e-3)
    world.use('Hide')
    assert not [name for name in world.server.scene._handle_from_node_name
                if '/solution_' in name]


def test_key_poses_are_saved_recalled_renamed_ordered_and_deleted(world):
    world.use('Name', 'low')
    world.use('Save')
    world.use('Random goal')
    world.run(4.0)
    there = world.robot.tracker.command
    world.use('Save')
    assert 'low &rarr; pose 2' in world.html('data-role="poses"')
    world.use('Pose', 'low')
    world.use('Recall')
    world.run(6.0)
    assert world.robot.tracker.command == pytest.approx(HOME, abs=1e-3)
    world.use('Later')
    assert 'pose 2 &rarr; low' in world.html('data-role="poses"')
    world.use('Pose', 'pose 2')
    world.use('Name', 'high <1>')
    world.use('Rename')
    assert 'high &lt;1&gt; &rarr; low' in world.html('data-role="poses"')
    world.use('Recall')
    world.run(6.0)
    assert world.robot.tracker.command == pytest.approx(there, abs=1e-3)
    world.use('Delete')
    assert world.control('Pose').options == ('low',)


@pytest.mark.parametrize('robot', ['humanoid', 'hand', 'panda'])
def test_key_poses_are_played_by_the_solver(server, clock, robot):
    """One goal is dragged between two saves; the others are pinned, and stay."""
    world = World(server, robot, None if robot != 'panda' else HOME, clock)
    page, tip = world.page, world.chain.tips[0]
    others = {other: page.goals[other].pose for other in world.chain.tips[1:]}
    world.use('Save')
    near = page.goals[tip].pose
    shift = np.array([0.0, 0.0, -0.008])
    page.set_goals({tip: Pose.from_xyz_wxyz(near.position + shift, near.quaternion)})
    world.run(2.0)
    lower = page.tool_poses()[tip].position
    world.use('Save')
    world.use('Pose', 'pose 1')
    world.use('Recall')
    world.run(3.0)
    world.use('Play')
    assert page.is_playing
    for _ in range(20):
        world.run(0.1)
        for other, pose in others.items():
            assert page.tool_poses()[other].distance(pose)[0] < 2e-3, other
    world.run(3.0)
    assert not page.is_playing
    assert page.tool_poses()[tip].position == pytest.approx(lower, abs=1e-3)


def test_a_loop_goes_on_until_it_is_stopped(world):
    world.use('Save')
    world.use('panda_joint1', 20.0)
    world.run(3.0)
    world.use('Save')
    world.use('Loop', True)
    world.use('Play')
    world.run(20.0)
    assert world.page.is_playing
    world.use('Stop')
    assert not world.page.is_playing


class Client:
    """Takes downloads."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def send_file_download(self, name: str, content: bytes, save_immediately: bool) -> None:
        self.files[name] = content.decode()


def test_files_go_out_and_come_back(world):
    client = Client()
    for angle in (0.0, 25.0):
        world.use('panda_joint1', angle)
        world.run(3.0)
        world.use('Save')
    group, = (handle for handle in world.server.gui._gui_input_handle_from_uuid.values()
              if 'CSV' in getattr(handle, 'options', ()))
    for what in ('Export', 'CSV'):
        group._impl.value = what
        for callback in group._impl.update_cb:
            asyncio.run(callback(viser.GuiEvent(client=client, client_id=0, target=group)))
    rows = client.files['motion.csv'].splitlines()
    assert rows[0] == ','.join(['time', *world.chain.joint_names])
    last = np.array(rows[-1].split(','), float)[1:]
    assert world.chain.fk(last).distance(world.page.goals[TIP].pose) < (1e-3, 1e-3)
    assert len(json.loads(client.files['key_poses.json'])['poses']) == 2
    world.use('Delete')
    world.use('Delete')
    assert world.control('Pose').options == ('(none saved)',)
    load(world, client.files['key_poses.json'])
    assert world.control('Pose').options == ('pose 1', 'pose 2')
    load(world, '{"poses": [{"name": "x", "joints": {"knee": 1}}]}')
    assert 'not of this robot' in world.page.notes.last
    assert world.control('Pose').options == ('pose 1', 'pose 2')


def load(world: World, text: str) -> None:
    """Do what a browser does when a user chooses a file."""
    button, = (handle for handle in world.server.gui._gui_input_handle_from_uuid.values()
               if isinstance(handle, viser.GuiUploadButtonHandle))
    button._impl.value = SimpleNamespace(name='key_poses.json', content=text.encode())
    for callback in button._impl.update_cb:
        asyncio.run(callback(viser.GuiEvent(client=None, client_id=0, target=button)))


def test_playing_one_pose_says_what_is_missing(world):
    world.use('Save')
    world.use('Play')
    assert 'two key poses, there are 1' in world.page.notes.last
    assert not world.page.is_playing


def test_a_square_is_played_and_another_figure_ends_it(world):
    start = world.page.goals[TIP].pose
    world.use('Square', True)
    places = []
    for _ in range(60):
        world.run(0.1)
        places.append(world.page.goals[TIP].pose.position - start.position)
    size = np.ptp(places, axis=0)
    assert size[0] == pytest.approx(0.0, abs=1e-9)
    assert size[1] == pytest.approx(size[2], rel=0.02)
    world.use('Figure of eight', True)
    assert world.control('Square').value is False
    assert world.control('Figure of eight').value is True
    world.use('Figure of eight', False)
    assert not world.page.is_playing


def press_key(server, label: str) -> None:
    """Do what a browser does when a key is pressed."""
    command, = (handle for handle in server.gui._command_handle_from_uuid.values()
                if handle.label == label)
    for callback in command._impl.trigger_cb:
        asyncio.run(callback(viser.CommandEvent(client=object(), client_id=0, target=command)))


def test_keys_nudge_the_goal(world):
    before = world.page.goals[TIP].pose
    press_key(world.server, 'Goal z +')
    press_key(world.server, 'Turn goal z −')
    moved = world.page.goals[TIP].pose
    assert moved.position - before.position == pytest.approx([0, 0, NUDGE])
    turn = moved.matrix[:3, :3] @ before.matrix[:3, :3].T
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(-TURN)


def test_the_speed_counts(world):
    world.use('Speed [%]', 10)
    world.run(0.5)
    world.use('panda_joint1', 90.0)
    before = world.robot.tracker.command
    world.run(1.0)
    moved = world.robot.tracker.command - before
    assert 0.05 < moved[0] <= 0.1 * world.chain.velocity[0] * 1.01
