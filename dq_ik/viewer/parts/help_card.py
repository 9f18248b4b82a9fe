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
"""The help card: what can be done on the page, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import viser

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

HELP, CLOSE = 'Help', 'Close'
TEXT = """
**Goal** Drag an arrow, a square or a ring at the tool; or type a pose and press *Go to pose*. The
arm follows as far as it can. The badge says whether it gets there, and why not.

**Joints** Move a slider: the joint moves and the goal follows. *Elbow* moves the joints while the
tool stays. *Find all* shows every solution as a ghost: click one, or its number.

**Poses** *Save* keeps the posture, *Recall* goes back to it. *Play* leads the goals from pose to
pose. *Export*, *CSV* and *Import* are files.

**World** *Clearance* colours links that are near other links or objects. Add an object, click it,
and drag its handle.

**Solver** Method, speed, margins and plots. **View** Robot and tool, camera,
trace, light and dark.

**Scene** Drag: turn. Right button or two fingers: move. Wheel or pinch: zoom. On a phone, tap the
title of the panel to fold it.

**Keys** *I K*, *J L*, *U O*: move the goal by 1 cm along x, y, z; with *Shift*: turn it by 5
degrees. *H*: home. *G*: goal to tool. *F*: frame all. *Space*: stop. *Ctrl K*: all commands. *Tab*
and *Enter* reach every control.
"""


def add_help(page: Page) -> None:
    """Add the button that opens the card in the browser of the one who presses."""
    button = page.server.gui.add_button(HELP)

    @button.on_click
    async def _(event: viser.GuiEvent) -> None:
        if event.client is None:
            return
        gui = event.client.gui
        card = gui.add_modal(HELP)
        with card:
            gui.add_markdown(TEXT)
            close = gui.add_button(CLOSE)

        @close.on_click
        async def _(_: viser.GuiEvent) -> None:
            card.close()
