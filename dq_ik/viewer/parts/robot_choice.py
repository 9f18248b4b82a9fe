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
"""Another robot, and a tool on its tip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dq_ik.stream.texts import parse_tool, tool_text
from dq_ik.viewer.panel import on_change

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

ROBOT, TOOL, SET_TOOL = 'Robot', 'Tool', 'Set tool'


def add_robot_choice(page: Page) -> None:
    """Add what the page may change: the robot, the tool, both or nothing."""
    gui, outlet = page.server.gui, page.outlet
    if outlet.robots is not None:
        names, use = outlet.robots
        on_change(gui.add_dropdown(ROBOT, names, hint='Show another robot'), use)
    if outlet.tool is None:
        return
    present, set_tool = outlet.tool
    text = gui.add_text(TOOL, tool_text(present),
                        hint='x, y, z [m] in the tip; then roll, pitch, yaw [deg] if it is turned')

    @page.notes.told
    def put() -> None:
        set_tool(parse_tool(text.value))

    button = gui.add_button(SET_TOOL, hint='Goals are for the tool from then on')

    @button.on_click
    async def _(_: object) -> None:
        put()
