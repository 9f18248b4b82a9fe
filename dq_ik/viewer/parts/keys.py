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
"""Keys of the page: nudges of the goal, and the most used buttons."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any, TYPE_CHECKING

from dq_ik.pose import Pose
from dq_ik.viewer.panel import HOME, TO_TOOL
from dq_ik.viewer.parts.view_buttons import FRAME, look
import viser

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

NUDGE, TURN = 0.01, math.radians(5.0)  # of a goal by one press [m, rad]
#: key -> axis and direction of a nudge
AXES = {'I': (0, 1.0), 'K': (0, -1.0), 'J': (1, 1.0), 'L': (1, -1.0), 'U': (2, 1.0),
        'O': (2, -1.0)}
SIGNS = {1.0: '+', -1.0: '−'}


def add_keys(page: Page) -> None:
    """Register the keys; the browser's palette of commands lists them."""
    for key, (axis, sign) in AXES.items():
        name = f'{"xyz"[axis]} {SIGNS[sign]}'
        _on_key(page, f'Goal {name}', key, None, _nudge(page, axis, sign * NUDGE))
        _on_key(page, f'Turn goal {name}', key, 'shift', _nudge(page, 3 + axis, sign * TURN))
    _on_key(page, HOME, 'H', None, lambda _: page.panel.press(HOME))
    _on_key(page, TO_TOOL, 'G', None, lambda _: page.panel.press(TO_TOOL))
    _on_key(page, 'Stop', 'space', None, lambda _: page.stop())
    _on_key(page, FRAME, 'F', None, lambda client: look(page, FRAME, client))


def _nudge(page: Page, axis: int, by: float) -> Callable[[Any], None]:
    """Return what moves the goal of the chosen tip along an axis of the base, or turns it."""
    numbers = [by if k == axis else 0.0 for k in range(6)]

    def nudge(_: Any) -> None:
        tip = page.panel.tip
        at = page.goals[tip].pose
        turn = Pose.from_xyz_rpy((0, 0, 0), numbers[3:])
        turned = turn @ Pose.from_xyz_wxyz((0, 0, 0), at.quaternion)
        page.set_goals({tip: Pose.from_xyz_wxyz(at.position + numbers[:3], turned.quaternion)})
    return nudge


def _on_key(page: Page, label: str, key: Any, modifier: Any,
            action: Callable[[Any], None]) -> None:
    command = page.server.gui.add_command(label, hotkey=key, modifier=modifier)

    @command.on_trigger
    async def _(event: viser.CommandEvent) -> None:
        if event.client is not None:
            action(event.client)
