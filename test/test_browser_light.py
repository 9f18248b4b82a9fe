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

"""Dark and light in a real browser: the scene is there, and every word can be read."""

from __future__ import annotations

import os
from pathlib import Path

from browser import open_browser, unavailable
from dq_ik.robot.urdf import load_robot
from dq_ik.viewer.alone import show
import numpy as np
import pytest
from test_viewer_colors import contrast

TABS = ('Goal', 'Joints', 'Poses', 'World', 'Solver', 'View')
LEAST = 4.5  # contrast of WCAG 2, level AA
#: [word, its colour, the colours behind it, nearest first], colours as r, g, b, opacity
WORDS = """() => {
    const rgba = text => { const c = text.match(/[\\d.]+/g).map(Number);
                           return [c[0], c[1], c[2], c.length > 3 ? c[3] : 1]; };
    const up = (e, what) => { const all = [];
                              for (; e; e = e.parentElement) all.push(what(getComputedStyle(e)));
                              return all; };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement, word = walker.currentNode.textContent.trim();
        if (!word || ['STYLE', 'SCRIPT', 'NOSCRIPT'].includes(e.tagName)) continue;
        if (!e.getClientRects().length || !e.checkVisibility({visibilityProperty: true})) continue;
        const color = rgba(getComputedStyle(e).color);
        color[3] *= up(e, s => Number(s.opacity)).reduce((a, b) => a * b);
        found.push([word, color, up(e, s => rgba(s.backgroundColor))]);
    }
    return found;
}"""

pytestmark = [pytest.mark.timeout(300), pytest.mark.browser]


@pytest.fixture(scope='module')
def browser():
    """Open the page of an arm."""
    if reason := unavailable():
        pytest.fail(reason)
    chain = load_robot('panda').chain()
    robots = {'panda': lambda: chain}
    with (show(chain, port=0, open_browser=False, block=False, robots=robots) as page,
          open_browser(page._server) as opened):
        yield opened


@pytest.fixture(params=['dark', 'light'])
def scheme(browser, request):
    """Make the page dark or light."""
    is_light = browser.page.locator('[data-mantine-color-scheme="light"]').count() > 0
    if is_light != (request.param == 'light'):
        browser.tab('View')
        browser.switch('Dark')
    browser.page.locator(f'[data-mantine-color-scheme="{request.param}"]').first.wait_for(
        state='attached')
    return request.param


def over(front, behind) -> np.ndarray:
    """Return a colour r, g, b, opacity on another one, which is opaque."""
    return np.append(front[3] * np.array(front[:3]) + (1.0 - front[3]) * np.array(behind[:3]), 1.0)


def contrasts(browser) -> dict[str, float]:
    """Return the contrast of each word that can be seen."""
    found = {}
    for word, color, stack in browser.page.evaluate(WORDS):
        ground = np.array([255.0, 255.0, 255.0, 1.0])
        for layer in reversed(stack):
            ground = over(layer, ground)
        found[word] = contrast(over(color, ground)[:3] / 255.0, ground[:3] / 255.0)
    return found


def test_every_word_of_every_tab_can_be_read(browser, scheme):
    for tab in TABS:
        browser.tab(tab)
        browser.wait(300, frames=2)
        found = contrasts(browser)
        assert {tab, 'dq_ik'} < set(found)
        assert {word: ratio for word, ratio in found.items() if ratio < LEAST} == {}


def test_the_arm_is_seen(browser, scheme, tmp_path):
    """Arrows and dark caps of the arm are drawn on the ground of the scheme."""
    pictures = Path(os.environ.get('DQ_IK_TEST_ARTIFACTS') or tmp_path)

    def seen() -> bool:
        picture = browser.screenshot(pictures / f'{scheme}.png')[:, 320:930].astype(int)
        red, green, blue = (picture[..., channel] for channel in range(3))
        caps = (picture.max(axis=2) < 70) & (blue - red > 5)
        return (np.sum((red > 200) & (green < 90)) > 50 and np.sum(caps) > 300
                and (np.median(picture) > 180) == (scheme == 'light'))

    assert browser.comes(seen, 60.0)
