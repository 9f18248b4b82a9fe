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
"""In a real browser: an obstacle is added, dragged with the mouse, and removed."""

from __future__ import annotations

from browser import ARROW, open_browser, unavailable
from dq_ik.demo.choices import find_robot, STARTS
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.alone import show
from dq_ik.viewer.object_view import COLORS
import numpy as np
import pytest

TIP = 'panda_hand_tcp'
PATIENCE = 60.0  # with a busy machine [s]
PHONE = {'width': 390, 'height': 844}

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture(scope='module')
def alone():
    """Open the page of an arm behind a table, as the demo without ROS does."""
    if reason := unavailable():
        pytest.fail(reason)
    chain = load_robot(find_robot('panda')[0]).chain(None, TIP)
    start = chain.configuration(STARTS['panda'], strict=False)
    with show(chain, q=start, port=0, open_browser=False, block=False, world='table') as page:
        yield page


def near(pixels: np.ndarray, rgb, slack: float) -> int:
    """Count the pixels of a colour."""
    return int((np.abs(pixels.astype(int) - rgb).max(axis=2) < slack).sum())


def test_an_obstacle_is_added_dragged_and_removed(alone, pictures):
    """The mouse moves it along an arrow into the arm, which makes way and comes back."""
    around, page = alone.page.outlet.surroundings, alone.page
    with open_browser(alone._server) as browser:
        browser.tab('World')
        browser.page.get_by_text('panda_link5 and panda_link7 are 12.6 mm apart').wait_for()
        browser.choose('Shape', 'sphere')
        assert browser.comes(lambda: browser.field('Size [m]').input_value() == '0.08', PATIENCE)
        browser.write('Size [m]', '0.06')
        browser.press('Add object')
        assert browser.comes(lambda: 'sphere 1' in around.world, PATIENCE)
        assert browser.comes(lambda: page.server.scene._handle_from_node_name[
            '/robot/panda_link0/object_handle'].visible, PATIENCE)
        handle = page.server.scene._handle_from_node_name['/robot/panda_link0/object_handle']
        before, rest = around.world['sphere 1'].pose.position, page.q
        browser.look_at(before, before + np.array([0.3, -0.7, 0.45]))
        grip = before + ARROW * handle.scale * np.array([1.0, 0.0, 0.0])
        wanted = np.array([-0.2, 0.0, 0.0])
        browser.drag(grip, grip + wanted,
                     lambda: np.linalg.norm(
                         around.world['sphere 1'].pose.position - before) > 1e-3)
        moved = around.world['sphere 1'].pose.position - before
        assert moved == pytest.approx(wanted, abs=0.03)
        assert browser.comes(lambda: 'sphere 1 are' in browser.text(), PATIENCE)
        assert browser.comes(lambda: np.abs(page.q - rest).max() > 0.01, PATIENCE)
        assert browser.comes(lambda: not around.scene.collides(page.q), PATIENCE)
        shown = browser.screenshot(pictures / 'world.png')
        assert near(shown, COLORS[2], 40) > 1500  # the sphere is seen
        browser.write('Object at [m]', '0.3, -0.5, 0.4')
        assert browser.comes(lambda: np.allclose(
            around.world['sphere 1'].pose.position, (0.3, -0.5, 0.4)), PATIENCE)
        home = page.chain.fk(rest)  # the arm goes back
        assert browser.comes(lambda: max(page.chain.fk(page.q).distance(home)) < 1e-3, PATIENCE)
        browser.switch('Bodies')
        browser.switch('Clearance')
        browser.page.get_by_text('nearer than 20 mm').wait_for(state='hidden')
        browser.switch('Clearance')
        browser.switch('Bodies')
        browser.press('Remove object')
        assert browser.comes(lambda: list(around.world) == ['table', 'pillar'], PATIENCE)
        browser.choose('Object', 'pillar')
        assert browser.comes(lambda: handle.visible, PATIENCE)
        browser.page.keyboard.press('Tab')  # every control can be reached by the keyboard
        browser.page.get_by_role('button', name='Add object', exact=True).focus()
        browser.page.keyboard.press('Enter')
        assert browser.comes(lambda: 'sphere 2' in around.world, PATIENCE)
        around.remove('sphere 2')
    assert not browser.failed_requests


def test_a_phone_can_use_the_tab(alone, pictures):
    around = alone.page.outlet.surroundings
    with open_browser(alone._server, PHONE) as browser:
        browser.tab('World')
        assert browser.page.evaluate('document.documentElement.scrollWidth') <= PHONE['width']
        browser.press('Add object')
        assert browser.comes(lambda: len(around.world) == 3, PATIENCE)
        browser.screenshot(pictures / 'world_phone.png')
        browser.press('Remove object')
        assert browser.comes(lambda: len(around.world) == 2, PATIENCE)
        boxes = [browser.page.get_by_role('tab', name=name, exact=True).bounding_box()
                 for name in ('Goal', 'World', 'View')]
        assert len({round(box['y']) for box in boxes}) == 1  # one row
