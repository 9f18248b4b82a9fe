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
"""The part of the page that shows bodies, and how near they are to each other and to objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dq_ik.collision.bands import band_of, FARTHEST
from dq_ik.errors import DqIkError
from dq_ik.viewer.body_view import BodyView
from dq_ik.viewer.collision_html import clearance_html, sentence_html
from dq_ik.viewer.panel import on_change
from dq_ik.viewer.surroundings import READING

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page
    from dq_ik.viewer.surroundings import Surroundings

CLEARANCE, BODIES = 'Clearance', 'Bodies'
PERIOD = 0.1  # between two looks at the distances [s]


class Clearance:
    """Two switches, the nearest pair in words, and a legend; costs nothing while both are off."""

    def __init__(self, page: Page, around: Surroundings) -> None:
        """Add the switches; the clearance is shown at once where there are objects already."""
        self._page, self._around, gui = page, around, page.server.gui
        self._clearance = gui.add_checkbox(
            CLEARANCE, len(around.world) > 0,
            hint='Colour links that are near other links or objects')
        self._bodies = gui.add_checkbox(
            BODIES, False, hint='Show the convex shapes that count for collisions')
        self._html = gui.add_html('')
        self._text = ''
        self._view: BodyView | None = None
        self._time = 0.0
        for switch in (self._clearance, self._bodies):
            on_change(switch, lambda _: self._show())
        page.on_tick.append(self._tick)

    def _tick(self, now: float) -> None:
        if now - self._time >= PERIOD and (self._clearance.value or self._bodies.value):
            self._time = now
            self._show()

    def _show(self) -> None:
        """Show what the switches ask for, as far as the bodies are known."""
        page, around = self._page, self._around
        with page.lock, page.server.atomic():
            is_wanted = self._clearance.value or self._bodies.value
            if is_wanted:
                around.want_scene()
            if around.scene is not None and self._view is None and is_wanted:
                self._view = BodyView(page.server, page.robot, around.scene.bodies,
                                      page.chain.model.root)
            if self._view is not None and self._clearance.value:
                self._measure(self._view)
                return
            if self._view is not None:
                self._view.show({}, self._bodies.value)
                self._view.point_out(None)
            text = READING if around.is_reading else around.trouble
            self._say(sentence_html(text if is_wanted else ''))

    def _measure(self, view: BodyView) -> None:
        """Colour the links by their distances as the joints are now."""
        scene, page = self._around.scene, self._page
        assert scene is not None
        try:
            scene.hold(page.positions)
            found = scene.clearances(page.q, FARTHEST)
        except DqIkError as error:
            self._say(sentence_html(f'Distances cannot be told: {error}'))
            return
        view.show({link: band_of(found.gaps[link]) if found.gaps[link] < FARTHEST else None
                   for link in scene.bodies}, self._bodies.value)
        view.point_out(found.nearest)
        self._say(clearance_html(found.nearest))

    def _say(self, text: str) -> None:
        """Show a text, unless it is there."""
        if text != self._text:
            self._text = self._html.content = text


def add_clearance(page: Page) -> None:
    """Add the part, if the page knows what is around its robot."""
    if page.outlet.surroundings is not None:
        Clearance(page, page.outlet.surroundings)
