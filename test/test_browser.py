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

"""A real browser on the real page: solver, simulated arm and viewer over ROS topics."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
import time

from browser import ARROW, open_browser, PLANE, RING, unavailable
from domains import reserve
from dq_ik.ros.follow.node import IkNode
from dq_ik.ros.sim_node import SimNode
from dq_ik.ros.viewer_node import ViewerNode
import numpy as np
import pytest
from ros_bench import ros_bench, wait_until

pytest.importorskip('mujoco')

TIP = 'panda_hand_tcp'
PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
DOMAIN = reserve()
ARRIVED = 1e-3

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.browser,
]


@pytest.fixture(scope='module')
def stack():
    """Run solver, arm and page as the demo does."""
    if reason := unavailable():
        pytest.fail(reason)
    with ros_bench(DOMAIN) as bench:
        bench.ik = bench.add(IkNode, robot_description=PANDA, tip_links=[TIP], use_tf=False)
        bench.add(SimNode, robot_description=PANDA,
                  remap={'joint_commands': 'dq_ik/joint_commands'})
        bench.viewer = bench.add(ViewerNode, robot_description=PANDA, tip_links=[TIP], port=0)
        yield bench


@pytest.fixture(scope='module')
def page(stack):
    """Return the page object, once the arm is known."""
    wait_until(lambda: stack.viewer.page._heard_joints, 60.0, 'joint states')
    return stack.viewer.page


@pytest.fixture(scope='module')
def browser(stack, page):
    """Open the page in Chromium."""
    with open_browser(stack.viewer._server) as opened:
        yield opened


@pytest.fixture(autouse=True)
def at_home(browser, page):
    """Begin each test at home with the settings of the beginning."""
    home = page.chain.fk(page.home)
    browser.press('Home')
    wait_until(lambda: not page.is_playing and max(page.goals[TIP].pose.distance(home)) < 1e-9,
               60.0, 'the goal is at home')
    arrive(page)


def arrive(page) -> None:
    """Wait until the goal rests, and the tool is at it in place and orientation."""
    wait_until(
        lambda: not page.is_playing and pose_error(page) < ARRIVED, 60.0, 'the tool arrives')


def pose_error(page) -> float:
    """Return the greater of the tool's distance [m] and angle [rad] from its goal."""
    return max(page.tool_poses()[TIP].distance(page.goals[TIP].pose))


def face_gizmo(browser, page) -> tuple[np.ndarray, np.ndarray, float]:
    """Look at the gizmo from its own diagonal; return its place, axes and size."""
    pose = page.goals[TIP].pose
    axes = pose.matrix[:3, :3]
    browser.look_at(pose.position, pose.position + axes @ np.full(3, 0.6))
    return pose.position, axes, page.goals[TIP].control.scale


def drag(browser, page, grip, to) -> None:
    """Drag the handle from one point of the world to another one."""
    browser.drag(grip, to, lambda: page.goals[TIP].is_dragged)


def rest(page, there: Callable[[], bool]) -> None:
    """Wait until a handle that was released is where it shall be; a busy page tells it late."""
    with suppress(AssertionError):  # the test says how far it is
        wait_until(lambda: there() and not page.goals[TIP].is_dragged, what='release')


def released(page, place, axes, way, slack) -> np.ndarray:
    """Return how far the handle was moved, along its own axes."""
    def moved() -> np.ndarray:
        return axes.T @ (page.goals[TIP].pose.position - place)

    rest(page, lambda: np.abs(moved() - way).max() < slack)
    return moved()


def test_page_shows_arm_gizmo_and_panel(browser, page, pictures):
    """A light arm, coloured arrows, all controls; nothing was asked from the internet."""
    face_gizmo(browser, page)
    picture = browser.screenshot(pictures / 'page.png').astype(int)
    scene = picture[:, :930]
    bright = np.mean(scene.min(axis=2) > 190)
    assert bright > 0.01, 'no arm to be seen'
    red, green, blue = (scene[..., channel] for channel in range(3))
    assert np.sum((red > 200) & (green < 90)) > 50, 'no red arrow to be seen'
    assert np.sum((blue > 180) & (red < 90)) > 50, 'no blue arrow to be seen'
    for tab, word in (('Joints', 'panda_joint7'), ('Poses', 'Recall'), ('Solver', 'Mode'),
                      ('View', 'Trace'), ('Goal', 'Random goal')):
        browser.tab(tab)
        browser.page.get_by_text(word, exact=True).first.wait_for()
    assert browser.failed_requests == []


@pytest.mark.parametrize('axis', range(3), ids='xyz')
def test_dragging_an_arrow_moves_the_goal_and_the_tool_arrives(browser, page, axis):
    """By the distance dragged along that axis, within 3 %; the tool within 1 mm."""
    place, axes, scale = face_gizmo(browser, page)
    direction = axes[:, axis]
    grip = place + ARROW * scale * direction
    drag(browser, page, grip, grip - 0.05 * direction)
    moved = released(page, place, axes, -0.05 * np.eye(3)[axis], 1.5e-3)
    assert moved[axis] == pytest.approx(-0.05, rel=0.03)
    assert np.delete(moved, axis) == pytest.approx([0.0, 0.0], abs=1e-6)
    wait_until(lambda: page.tool_distance() < ARRIVED, 60.0, 'the tool arrives')


def test_dragging_a_plane_and_a_ring(browser, page):
    """Two directions at once, and a turn; the whole pose of the tool arrives."""
    place, axes, scale = face_gizmo(browser, page)
    grip = place + axes @ np.array([PLANE, PLANE, 0.0]) * scale
    drag(browser, page, grip, grip - axes @ np.array([0.03, 0.02, 0.0]))
    moved = released(page, place, axes, np.array([-0.03, -0.02, 0.0]), 1e-3)
    assert moved == pytest.approx([-0.03, -0.02, 0.0], abs=1e-3)
    place, axes, scale = face_gizmo(browser, page)
    before = page.goals[TIP].pose

    def on_ring(angle: float) -> np.ndarray:
        return place + axes @ np.array([np.cos(angle), np.sin(angle), 0.0]) * RING * scale

    def turn() -> np.ndarray:
        return (before.inverse() @ page.goals[TIP].pose).log()[3:]

    drag(browser, page, on_ring(0.6), on_ring(1.0))
    rest(page, lambda: abs(turn()[2] - 0.4) < 0.02)
    turned = turn()
    assert turned == pytest.approx([0.0, 0.0, 0.4], abs=0.02)
    wait_until(lambda: pose_error(page) < ARRIVED, 60.0, 'the tool arrives, turned')


def test_a_random_goal_is_reached(browser, page):
    """By arm and solver; the badge is green."""
    before = page.goals[TIP].pose
    browser.press('Random goal')
    wait_until(lambda: page.goals[TIP].pose.distance(before)[0] > 0.01, what='a new goal')
    arrive(page)
    browser.page.get_by_text('Reached', exact=True).wait_for()


def test_out_of_reach_says_best_reach_and_why(browser, page, pictures):
    """The arm stretches out, and the page tells that the goal is too far."""
    browser.press('Out of reach')
    browser.page.get_by_text('Best reach', exact=True).wait_for()
    assert page.tool_distance() > 0.05
    wait_until(lambda: 'reach' in page._report.message, what='reason')
    browser.page.wait_for_timeout(1500)
    x, y = browser.pixel(page._x_world_base @ page.goals[TIP].pose.position)
    assert 0 < x < 930, 'the goal is off the screen'
    assert 0 < y < 800, 'the goal is off the screen'
    browser.screenshot(pictures / 'best_reach.png')


def test_goal_to_tool_brings_the_goal_back(browser, page):
    """After a goal out of reach."""
    browser.press('Out of reach')
    wait_until(lambda: page.tool_distance() > 0.05, what='goal far away')
    time.sleep(2.0)
    browser.press('Goal to tool')
    wait_until(lambda: page.tool_distance() < ARRIVED, 60.0, 'goal at the tool')


def test_solver_and_mode_are_parameters_of_the_ik_node(browser, stack):
    """Chosen in the page, set over there."""
    browser.tab('Solver')
    browser.choose('Solver', 'pls')
    wait_until(lambda: stack.ik.get_parameter('method').value == 'pls', what='method')
    browser.choose('Mode', 'distance')
    wait_until(lambda: stack.ik.get_parameter('mode').value == 'distance', what='mode')
    browser.choose('Solver', 'pgs')
    browser.choose('Mode', 'speed')
    wait_until(lambda: stack.ik.get_parameter('mode').value == 'speed', what='mode back')
    browser.write('Speed [%]', '40')
    wait_until(lambda: stack.ik.get_parameter('velocity_scaling').value == 0.4, what='speed')
    browser.write('Speed [%]', '100')
    wait_until(lambda: stack.ik.get_parameter('velocity_scaling').value == 1.0, what='speed')
    browser.tab('Goal')


def test_position_only_frees_the_orientation(browser, stack, page):
    """The rings vanish and the node is told; a second click takes it back."""
    browser.switch('Position only')
    wait_until(lambda: stack.ik.get_parameter('goal_mode').value == 'position', what='goal_mode')
    wait_until(lambda: page.goals[TIP].control.disable_rotations, what='no rings')
    browser.switch('Position only')
    wait_until(lambda: stack.ik.get_parameter('goal_mode').value == 'pose', what='goal_mode back')


def test_a_slider_moves_its_joint_and_the_goal_follows(browser, stack, page):
    """By joint velocities, to the degree that was typed; dragging works afterwards."""
    browser.tab('Joints')
    browser.write('panda_joint1', '20')
    wait_until(lambda: abs(np.degrees(page.q[0]) - 20.0) < 0.1 and not page.moves_joints, 60.0,
               'the joint arrives')
    wait_until(lambda: page.tool_distance() < ARRIVED, what='the goal is at the tool')
    browser.tab('Goal')


def test_a_posture_is_saved_and_recalled(browser, stack, page):
    """All joints come back, though the arm is redundant."""
    browser.tab('Poses')
    saved = page.q
    browser.press('Save')
    browser.tab('Goal')
    browser.press('Random goal')
    wait_until(lambda: np.abs(page.q - saved).max() > 0.1, 60.0, 'another posture')
    wait_until(lambda: not page.is_playing, what='the goal rests')
    browser.tab('Poses')
    browser.press('Recall')
    wait_until(lambda: np.abs(page.q - saved).max() < 2e-3 and not page.moves_joints, 60.0,
               'the saved posture')
    browser.tab('Goal')


def test_figure_of_eight_is_followed_and_traced(browser, page, pictures):
    """The tool moves on and on near its goal, and leaves a line."""
    page.clear_traces()
    browser.switch('Figure of eight')
    places, distances = [], []
    for _ in range(40):
        browser.page.wait_for_timeout(100)
        places.append(page.tool_poses()[TIP].position)
        distances.append(page.tool_distance())
    browser.screenshot(pictures / 'figure_of_eight.png')
    browser.switch('Figure of eight')
    assert np.ptp(np.array(places), axis=0)[1:].min() > 0.05
    assert np.median(distances) < 0.05  # a busy machine lets the arm wait now and then
    arrive(page)
    assert page._traces[TIP]._line.visible
    assert len(page._traces[TIP]._line.points) > 20


def test_plots_fill(page):
    """With every answer of the solver."""
    assert len(page.panel._error._times) > 0
    assert len(page.panel._time._times) > 0
