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

from collections.abc import Callable
import time

from dq_ik.viewer.outlet import Outlet
import viser

RATE = 20.0  # of twists while a button is held [Hz]
SETTLING = 1.0  # in which the arm has come to rest after the last twist [s]
TURN = 4.0  # rad/s of turning at one m/s
BASE, TOOL = 'Base', 'Tool'
JOG, AXES, SPEED = 'Jog', 'Axes', 'Speed [m/s]'
BUTTONS = {f'{what}{axis} {sign}': (3 * turning + number, factor)
           for turning, what in enumerate(('', 'Turn '))
           for number, axis in enumerate('xyz') for sign, factor in (('+', 1.0), ('−', -1.0))}


class JogButtons:
    """
    Press and hold moves an axis, along the base or the tool; who lets go stops it smoothly.

    A held button sends twists; the ik node slows down when they end, so that a browser that is
    gone stops the arm too.
    """

    def __init__(self, server: viser.ViserServer, outlet: Outlet, base: str,
                 tip: Callable[[], str], begin: Callable[[], None]) -> None:
        """
        Add the buttons, if twists are wanted.

        :param base: name of the chain's base
        :param tip: returns the tip that is chosen
        :param begin: called before each twist
        """
        self._last: float | None = None
        send = outlet.twist
        if send is None:
            return
        with server.gui.add_folder(JOG, expand_by_default=False):
            axes = server.gui.add_dropdown(AXES, (BASE, TOOL))
            speed = server.gui.add_slider(SPEED, min=0.01, max=0.5, step=0.01, initial_value=0.1)
            buttons = {label: server.gui.add_button(label, hint='Press and hold')
                       for label in BUTTONS}
        for label, button in buttons.items():
            @button.on_hold(callback_hz=RATE)
            async def _(event: viser.GuiEvent, label: str = label) -> None:
                begin()
                self._last = time.monotonic()
                twist, (axis, sign) = [0.0] * 6, BUTTONS[label]
                twist[axis] = sign * float(speed.value) * (1.0 if axis < 3 else TURN)
                send(tip(), twist, tip() if axes.value == TOOL else base)

    @property
    def is_recent(self) -> bool:
        """Whether the arm moves, or may still move, because of a button."""
        return self._last is not None and time.monotonic() - self._last < SETTLING
