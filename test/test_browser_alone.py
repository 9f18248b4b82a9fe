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
"""A real browser on the page alone, without ROS: phones, the first paint, and a page that dies."""

from __future__ import annotations

import os
from pathlib import Path

from browser import open_browser, unavailable
from dq_ik.demo.choices import find_robot
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.alone import show
from dq_ik.viewer.panel import UNREACHABLE
from dq_ik.viewer.panel_html import SILENCE
import numpy as np
import pytest

TIP = 'panda_hand_tcp'
HOME = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
PHONE = {'width': 390, 'height': 844}
FIRST_PAINT = 2000  # [ms]

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture
def alone():
    """Serve the page of an arm that has reached its goal."""
    if reason := unavailable():
        pytest.fail(reason)
    chain = load_robot(find_robot('panda')[0]).chain(None, TIP)
    with show(chain, goal=chain.fk(HOME), q=HOME, port=0, open_browser=False,
              block=False) as page:
        yield page


def test_a_phone_can_use_the_page_and_a_dead_page_says_so(alone, tmp_path):
    """The panel leaves the scene free, and folds; the badge does not stay green."""
    page = alone.page
    with open_browser(alone._server, PHONE) as browser:
        browser.page.get_by_text('Reached', exact=True).wait_for()
        assert 'No connection' not in browser.text()
        assert browser.page.evaluate('document.documentElement.scrollWidth') <= PHONE['width']
        for at in np.linspace(0.25, 0.7, 10):
            assert covering(browser, 0.5 * PHONE['width'], at * PHONE['height']) == 'CANVAS'
        assert in_scene(browser, page)
        browser.press(UNREACHABLE)
        assert browser.comes(lambda: page.tool_distance() > 0.3, 40.0)
        assert in_scene(browser, page)
        browser.tab('Joints')
        browser.write('panda_joint1', '10')
        assert browser.comes(lambda: abs(np.degrees(page.q[0]) - 10.0) < 0.2, 60.0)
        browser.screenshot(Path(os.environ.get('DQ_IK_TEST_ARTIFACTS') or tmp_path) / 'phone.png')
        browser.page.get_by_text('dq_ik', exact=True).click()
        assert browser.comes(lambda: not browser.page.get_by_role('tab').first.is_visible(), 20.0)
        browser.page.get_by_text('dq_ik', exact=True).click()
        assert browser.comes(lambda: browser.page.get_by_role('tab').first.is_visible(), 20.0)
        assert first_paint(browser) < FIRST_PAINT
        alone.close()
        assert browser.comes(lambda: 'No connection' in browser.text(), SILENCE + 40.0)
        assert 'Reached' not in browser.text()


def first_paint(browser) -> float:
    """Return the time of the first contentful paint [ms], the least of three on a busy machine."""
    times = []
    for _ in range(3):
        times.append(browser.page.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        if times[-1] < FIRST_PAINT:
            break
        browser.page.reload()
        browser.page.get_by_role('tab').first.wait_for()
    return min(times)


def covering(browser, x: float, y: float) -> str:
    """Return the kind of element that is seen at a pixel."""
    return browser.page.evaluate(
        '([x, y]) => document.elementFromPoint(x, y).tagName', [x, y])


def in_scene(browser, page) -> bool:
    """Tell whether the handle comes to be on the screen, above the panel."""
    for _ in range(40):
        browser.page.wait_for_timeout(250)
        x, y = browser.pixel(page._x_world_base @ page.goals[TIP].pose.position)
        if 0 < x < PHONE['width'] and 0 < y < 0.71 * PHONE['height']:
            return True
    return False
