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
"""What people do on the page, done in a real browser, without ROS: one test per task."""

from __future__ import annotations

from functools import partial
import json

from browser import ARROW, open_browser, unavailable
from dq_ik.cli.demo import load_chain
from dq_ik.demo.choices import find_robot
from dq_ik.pose import Pose
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.alone import show
import numpy as np
import pytest

TIP = 'panda_hand_tcp'
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture(scope='module')
def alone():
    """Open the page of an arm as ``chain.show()`` does."""
    if reason := unavailable():
        pytest.fail(reason)
    chain = load_robot(find_robot('panda')[0]).chain(None, TIP)
    robots = {name: partial(load_chain, name) for name in ('panda', 'two_arms')}
    with show(chain, q=HOME, port=0, open_browser=False, block=False, robots=robots) as page:
        yield page


@pytest.fixture(scope='module')
def browser(alone):
    """Open it in Chromium."""
    with open_browser(alone._server) as opened:
        opened.page.context.grant_permissions(['clipboard-read', 'clipboard-write'])
        yield opened


@pytest.fixture(autouse=True)
def at_home(alone, browser):
    """Begin each task at home."""
    alone.page.go_to(HOME)
    until(browser, lambda: near(alone, HOME), 'the arm is at home')


def near(alone, q, slack: float = 2e-3) -> bool:
    """Tell whether the arm rests at a posture."""
    return not alone.page.moves_joints and np.abs(alone.page.q - q).max() < slack


def until(browser, condition, what: str, seconds: float = 60.0) -> None:
    """Wait for a condition while the page goes on."""
    assert browser.comes(condition, seconds), what


def tool(alone) -> Pose:
    return alone.page.tool_poses()[TIP]


def test_type_a_pose(alone, browser):
    browser.tab('Goal')
    browser.write('Position [m]', '0.4, 0.15, 0.45')
    browser.write('Rotation', '180 0 0')
    browser.press('Go to pose')
    wanted = Pose.from_xyz_rpy((0.4, 0.15, 0.45), (np.pi, 0.0, 0.0))
    until(browser, lambda: tool(alone).distance(wanted) < (1e-4, 1e-4), 'the tool is there')
    browser.page.get_by_text('Reached', exact=True).wait_for()


def test_copy_the_joints(alone, browser):
    """By a click, into the clipboard; and in another form."""
    browser.tab('Joints')
    browser.press('Copy joint values')
    browser.page.get_by_text('Copied', exact=True).wait_for()
    copied = browser.page.evaluate('navigator.clipboard.readText()')
    assert json.loads(copied) == pytest.approx(alone.page.q.tolist(), abs=1e-3)
    browser.choose('Copy as', 'JointState')
    browser.page.get_by_text('name: [panda_joint1').wait_for()
    browser.choose('Copy as', 'list')


def test_move_a_joint(alone, browser):
    browser.tab('Joints')
    browser.write('panda_joint1', '-15')
    until(browser, lambda: near(alone, [np.radians(-15.0), *HOME[1:]]), 'the joint is there')
    assert alone.page.tool_distance() < 1e-3


def test_save_recall_and_play(alone, browser, tmp_path):
    """Two key poses; the motion between them is played and saved as CSV."""
    browser.tab('Poses')
    browser.press('Save')
    browser.page.get_by_text('pose 1', exact=True).first.wait_for()
    browser.tab('Joints')
    browser.write('panda_joint1', '25')
    there = np.array([np.radians(25.0), *HOME[1:]])
    until(browser, lambda: near(alone, there), 'another posture')
    browser.tab('Poses')
    browser.write('Name', 'aside')
    browser.press('Save')
    browser.page.get_by_text('pose 1 → aside').wait_for()
    browser.choose('Pose', 'pose 1')
    browser.press('Recall')
    until(browser, lambda: near(alone, HOME), 'the saved posture')
    browser.press('Play')
    until(browser, lambda: alone.page.is_playing, 'the motion begins')
    until(browser, lambda: not alone.page.is_playing, 'the motion ends')
    wanted = alone.page.chain.fk(there)
    until(browser, lambda: tool(alone).distance(wanted)[0] < 1e-3, 'the last pose')
    with browser.page.expect_download() as download:
        browser.press('CSV')
    download.value.save_as(tmp_path / 'motion.csv')
    rows = np.loadtxt(tmp_path / 'motion.csv', delimiter=',', skiprows=1)
    assert rows.shape[1] == 8
    assert alone.page.chain.fk(rows[-1, 1:]).distance(wanted)[0] < 1e-3


def test_pick_the_second_solution(alone, browser, pictures):
    before = tool(alone)
    browser.tab('Joints')
    browser.press('Find all')
    browser.page.get_by_role('button', name='2', exact=True).wait_for()
    browser.screenshot(pictures / 'solutions.png')
    browser.press('2')
    until(browser, lambda: np.abs(alone.page.q - HOME).max() > 0.1, 'another posture')
    until(browser, lambda: not alone.page.moves_joints, 'it is there')
    assert tool(alone).distance(before)[0] < 2e-3
    browser.press('Hide')


def test_move_the_elbow(alone, browser):
    before = tool(alone)
    browser.tab('Joints')
    browser.write('Elbow [%]', '50')
    until(browser, lambda: np.abs(alone.page.q - HOME).max() > 0.2, 'the elbow moves')
    until(browser, lambda: not alone.page.moves_joints
          and tool(alone).distance(before)[0] < 1e-4, 'the tool is in place')
    browser.write('Elbow [%]', '0')
    until(browser, lambda: np.abs(alone.page.q - HOME).max() < 0.05, 'the elbow is back')


def test_drag_with_position_only(alone, browser):
    """The orientation is free, and changes."""
    browser.tab('Goal')
    browser.switch('Position only')
    until(browser, lambda: alone.page.panel.is_position_only, 'position only')
    handle, before = alone.page.goals[TIP], tool(alone)
    axes = before.matrix[:3, :3]
    browser.look_at(before.position, before.position + axes @ np.full(3, 0.6))
    grip = before.position + ARROW * handle.control.scale * axes[:, 0]
    browser.drag(grip, grip - 0.1 * axes[:, 0], lambda: handle.is_dragged)
    until(browser, lambda: tool(alone).distance(before)[0] > 0.07
          and alone.page.tool_distance() < 1e-3, 'the tool is dragged')
    browser.switch('Position only')
    until(browser, lambda: not alone.page.panel.is_position_only, 'pose again')


def test_find_why_a_goal_is_not_reached(alone, browser):
    browser.tab('Goal')
    browser.press('Out of reach')
    browser.page.get_by_text('Best reach', exact=True).wait_for()
    browser.page.get_by_text('beyond the reach of').first.wait_for()
    browser.press('Goal to tool')
    until(browser, lambda: alone.page.tool_distance() < 1e-3, 'the goal is back')


def test_play_a_square(alone, browser):
    browser.tab('Goal')
    browser.switch('Square')
    places = []
    for _ in range(30):
        browser.page.wait_for_timeout(200)
        places.append(tool(alone).position)
    browser.switch('Square')
    until(browser, lambda: not alone.page.is_playing, 'the end')
    assert np.ptp(np.array(places), axis=0)[1:].min() > 0.08


def test_set_a_tool(alone, browser):
    """The goal is for the tool from then on; a bad text is refused and says what is wanted."""
    before = tool(alone)
    browser.tab('View')
    browser.write('Tool', '0, 0, 0.1, 0, 90')
    browser.press('Set tool')
    browser.page.get_by_text('x, y, z in metres, or 6 with roll').first.wait_for()
    browser.write('Tool', '0, 0, 0.1')
    browser.press('Set tool')
    longer = before @ Pose.from_xyz_rpy((0.0, 0.0, 0.1), (0.0, 0.0, 0.0))
    until(browser, lambda: alone.page.chain.tool != Pose.identity(), 'there is a tool')
    distance = tool(alone).distance(longer)
    assert distance[0] < 5e-3, distance
    assert near(alone, HOME)
    browser.tab('Goal')
    browser.write('Position [m]', '0.4, 0.15, 0.45')
    browser.press('Go to pose')
    until(browser, lambda: np.abs(tool(alone).position - (0.4, 0.15, 0.45)).max() < 1e-4,
          'the longer tool is there')
    browser.tab('View')
    browser.write('Tool', '0 0 0')
    browser.press('Set tool')
    until(browser, lambda: alone.page.chain.tool == Pose.identity(), 'the tool is gone')


def test_change_the_robot(alone, browser, pictures):
    browser.tab('View')
    browser.choose('Robot', 'two_arms')
    until(browser, lambda: alone.page.chain.tips == ('left_tool', 'right_tool'), 'two arms')
    browser.tab('Goal')
    browser.press('Random goal')
    until(browser, lambda: alone.page.tool_distance() > 0.01, 'goals move')
    until(browser, lambda: alone.page.tool_distance() < 1e-3, 'both arms follow')
    browser.screenshot(pictures / 'another_robot.png')
    browser.tab('View')
    browser.choose('Robot', 'panda')
    until(browser, lambda: alone.page.chain.tips == (TIP,), 'the first robot')


def test_keys_views_and_help(alone, browser):
    """By the keyboard alone: nudge the goal, frame all, open the help."""
    page = browser.page
    before = alone.page.goals[TIP].pose.position
    page.mouse.click(100, 700)
    page.keyboard.press('u')
    until(browser, lambda: abs(alone.page.goals[TIP].pose.position[2] - before[2] - 0.01) < 1e-4,
          'the goal is nudged')
    browser.tab('View')
    far = browser.client.camera.position * 3.0
    browser.look_at(browser.client.camera.look_at, far)
    page.keyboard.press('f')
    until(browser, lambda: np.linalg.norm(browser.client.camera.position - far) > 0.5,
          'the camera moves')
    page.get_by_role('button', name='Help', exact=True).focus()
    page.keyboard.press('Enter')
    page.get_by_text('move the goal by 1 cm').wait_for()
    browser.press('Close')
    browser.switch('Dark')
    page.locator('[data-mantine-color-scheme="light"]').first.wait_for(state='attached')
    browser.switch('Dark')
