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

"""A real browser on the page alone, without ROS: narrow screens, and a page that dies."""

from __future__ import annotations

from pathlib import Path
import threading

from browser import open_browser, unavailable
from dq_ik.robot.urdf import load_robot
from dq_ik.stream.report import Report
from dq_ik.viewer.page import Outlet, Page
from dq_ik.viewer.panel import UNREACHABLE
from dq_ik.viewer.panel_html import SILENCE
from dq_ik.viewer.server import open_server
from dq_ik.viewer.visuals import parse_visuals
import numpy as np
import pytest

PANDA = (Path(__file__).parent.parent / 'urdf' / 'panda.urdf').read_text()
TIP = 'panda_hand_tcp'
NARROW = {'width': 390, 'height': 800}

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture
def page():
    """Serve the page of an arm that has reached its goal, and draw it as the node does."""
    if reason := unavailable():
        pytest.fail(reason)
    server = open_server(port=0)
    page = Page(server, load_robot(PANDA).chain(None, TIP), parse_visuals(PANDA),
                Outlet(lambda *_: None, lambda *_: None), methods=('pgs',), modes=('speed',))
    page.show_report(Report(True, 'the goal is reached', 0.0, 0.0, 0.0))
    stop = threading.Event()

    def draw() -> None:
        while not stop.wait(1 / 30):
            page.tick()

    thread = threading.Thread(target=draw)
    thread.start()

    def end() -> None:
        if not stop.is_set():
            stop.set()
            thread.join()
            server.stop()

    page.end = end
    yield page
    end()


def test_a_narrow_screen_shows_scene_and_goals_and_a_dead_page_says_so(page):
    """The panel leaves the scene free; the badge does not stay green."""
    with open_browser(page._server, NARROW) as browser:
        browser.page.get_by_text('Reached', exact=True).wait_for()
        assert 'No connection' not in browser.text()
        width, height = NARROW['width'], NARROW['height']
        for at in np.linspace(0.25, 0.7, 10):
            assert covering(browser, 0.5 * width, at * height) == 'CANVAS'
        assert in_scene(browser, page)
        browser.press(UNREACHABLE)
        assert browser.comes(lambda: page.tool_distance() > 0.5, 40.0)
        assert in_scene(browser, page)
        page.end()
        assert browser.comes(lambda: 'No connection' in browser.text(), SILENCE + 40.0)
        assert 'Reached' not in browser.text()


def covering(browser, x: float, y: float) -> str:
    """Return the kind of element that is seen at a pixel."""
    return browser.page.evaluate(
        '([x, y]) => document.elementFromPoint(x, y).tagName', [x, y])


def in_scene(browser, page) -> bool:
    """Tell whether the handle comes to be on the screen, above the panel."""
    for _ in range(40):
        browser.page.wait_for_timeout(250)
        x, y = browser.pixel(page._x_world_base @ page.goals[TIP].pose.position)
        if 0 < x < NARROW['width'] and 0 < y < 0.75 * NARROW['height']:
            return True
    return False
