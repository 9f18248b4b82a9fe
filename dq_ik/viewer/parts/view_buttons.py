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
"""What is seen: the camera, the traces of the tools, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dq_ik.viewer.panel import on_change
from dq_ik.viewer.server import set_theme
import viser

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

FRAME, RESET, CLEAR = 'Frame all', 'Reset view', 'Clear trace'
TRACE, DARK = 'Trace', 'Dark'


def add_view_buttons(page: Page) -> None:
    """Add the buttons; a camera moves in the browser of the one who presses."""
    gui = page.server.gui
    camera = gui.add_button_group('Camera', (FRAME, RESET))

    @camera.on_click
    async def _(event: viser.GuiEvent) -> None:
        if event.client is not None:
            look(page, event.target.value, event.client)

    trace = gui.add_checkbox(TRACE, page.tracing, hint='Draw the path of the tool')
    clear = gui.add_button(CLEAR)

    @clear.on_click
    async def _(_: viser.GuiEvent) -> None:
        page.clear_traces()

    def draw_traces(on: bool) -> None:
        page.tracing = on
        page.clear_traces()

    on_change(trace, draw_traces)
    on_change(gui.add_checkbox(DARK, True), lambda on: set_theme(page.server, on))


def look(page: Page, what: str, client: viser.ClientHandle) -> None:
    """Show robot and goals whole, or the first view again."""
    if what == RESET:
        page.views.reset(client.camera)
    else:
        page.views.frame(client.camera, [*page.robot.corners(), *page.goal_places().values()])
