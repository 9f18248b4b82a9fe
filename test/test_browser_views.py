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

"""What a real browser shows of a robot: first view, all of it, another robot."""

from __future__ import annotations

from functools import partial

from browser import open_browser, SIZE, unavailable
from dq_ik.cli.demo import load_chain
from dq_ik.viewer.alone import show
import numpy as np
import pytest

PANEL = 930  # where the panel begins [pixels]
ROBOTS = ('panda', 'two_arms', 'prismatic', 'hand')

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture(scope='module')
def alone():
    """Open the page of an arm, with others to choose."""
    if reason := unavailable():
        pytest.fail(reason)
    robots = {name: partial(load_chain, name) for name in ROBOTS}
    with show(load_chain('panda'), port=0, open_browser=False, block=False,
              robots=robots) as page:
        yield page


@pytest.fixture(scope='module')
def browser(alone):
    """Open it in Chromium."""
    with open_browser(alone._server) as opened:
        yield opened


def are_seen(browser, points) -> bool:
    """Tell whether points of the world are on the screen, beside the panel."""
    seen = [browser.pixel(point) for point in points]
    return all(0 < x < PANEL and 0 < y < SIZE['height'] for x, y in seen)


def goals_are_seen(browser, alone) -> bool:
    return are_seen(browser, alone.page.goal_places().values())


@pytest.mark.parametrize('robot', [*ROBOTS[1:], ROBOTS[0]])
def test_another_robot_is_seen_and_framed_whole(browser, alone, robot):
    browser.tab('View')
    browser.choose('Robot', robot)
    assert browser.comes(lambda: alone.page.chain.model.name == robot, 60.0)
    first = alone.page.views._first[1]
    camera = browser.client.camera
    assert browser.comes(lambda: np.allclose(camera.position, first, atol=1e-3), 30.0)
    assert browser.comes(lambda: goals_are_seen(browser, alone), 30.0)
    browser.tab('View')
    browser.press('Frame all')
    assert browser.comes(lambda: not np.allclose(camera.position, first, atol=1e-3), 30.0)
    browser.wait(500, frames=3)
    assert are_seen(browser, alone.page.robot.corners())
    assert goals_are_seen(browser, alone)
    browser.press('Reset view')
    assert browser.comes(lambda: np.allclose(camera.position, first, atol=1e-3)
                         and np.allclose(camera.look_at, alone.page.views._first[0], atol=1e-3),
                         30.0)


def test_tab_reaches_every_control_of_goals(browser, alone):
    """But for those that are held to jog, which are folded."""
    browser.tab('Goal')
    browser.page.locator('[role="tab"]').first.focus()
    reached = []
    for _ in range(30):
        browser.page.keyboard.press('Tab')
        reached.append(browser.page.evaluate(
            'document.activeElement.value || document.activeElement.innerText'))
    kind, = alone.page.goals.values()
    assert {'Goal to tool', 'Random goal', kind.kind, 'Go to pose', 'panda_link0'} <= set(reached)
    assert len([word for word in reached if word == 'on']) >= 3  # check boxes


def test_a_goal_that_is_very_far_away_leaves_robot_and_page_as_they_are(browser, alone):
    """One that is a little too far is kept on the screen."""
    page = alone.page
    before = browser.client.camera.position
    browser.tab('Goal')
    browser.write('Position [m]', '1e300, 0, 0')
    browser.press('Go to pose')
    browser.page.get_by_text('no number may be beyond 1e+09').first.wait_for()
    browser.write('Position [m]', '1e8, 0, 0')
    browser.press('Go to pose')
    browser.page.get_by_text('Best reach', exact=True).wait_for()
    browser.wait(1000, frames=3)
    assert np.allclose(browser.client.camera.position, before, atol=1e-3)
    browser.write('Position [m]', '0, 3, 0.5')
    browser.press('Go to pose')
    assert browser.comes(lambda: np.allclose(page.goal_places()['panda_hand_tcp'], (0, 3, 0.5)),
                         30.0)
    assert browser.comes(lambda: goals_are_seen(browser, alone), 30.0)
