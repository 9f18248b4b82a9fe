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
"""Buttons that move the tool while they are held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import viser

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

RATE = 20.0  # of twists while a button is held [Hz]
TURN = 4.0  # rad/s of turning at one m/s
BASE, TOOL = 'Base', 'Tool'
JOG, AXES, SPEED = 'Jog', 'Axes', 'Speed [m/s]'
BUTTONS = {f'{what}{axis} {sign}': (3 * turning + number, factor)
           for turning, what in enumerate(('', 'Turn '))
           for number, axis in enumerate('xyz') for sign, factor in (('+', 1.0), ('−', -1.0))}


def add_jog_buttons(page: Page) -> None:
    """
    Add the buttons, if twists are wanted.

    Press and hold moves an axis, along the base or the tool; who lets go stops it smoothly. A
    held button sends twists; the ik node slows down when they end, so that a browser that is
    gone stops the arm too.
    """
    if page.outlet.twist is None:
        return
    gui = page.server.gui
    with gui.add_folder(JOG, expand_by_default=False):
        axes = gui.add_dropdown(AXES, (BASE, TOOL))
        speed = gui.add_slider(SPEED, min=0.01, max=0.5, step=0.01, initial_value=0.1)
        buttons = {label: gui.add_button(label, hint='Press and hold') for label in BUTTONS}
    for label, button in buttons.items():
        @button.on_hold(callback_hz=RATE)
        async def _(event: viser.GuiEvent, label: str = label) -> None:
            twist, (axis, sign) = [0.0] * 6, BUTTONS[label]
            twist[axis] = sign * float(speed.value) * (1.0 if axis < 3 else TURN)
            tip = page.panel.tip
            page.jog(tip, twist, tip if axes.value == TOOL else page.chain.base)
