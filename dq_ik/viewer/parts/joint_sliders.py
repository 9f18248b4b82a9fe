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
"""A slider for each joint: they show the robot, and whoever moves one moves its joint."""

from __future__ import annotations

from functools import partial
import math
from typing import TYPE_CHECKING

from dq_ik.robot.model import JointKind
from dq_ik.stream.texts import FORMS, joints_text
from dq_ik.viewer.panel import Mirror, on_change
from dq_ik.viewer.parts.copy_box import CopyBox
import numpy as np

if TYPE_CHECKING:
    from dq_ik.robot.joint_table import Variable
    from dq_ik.viewer.page import Page

PERIOD = 0.2  # between two updates of the sliders [s]
COPY_AS, COPY = 'Copy as', 'Joint values'
STEP = 0.1  # of a slider [degrees or millimetres]
NO_JOINTS = 'Joints cannot be moved: control_msgs is not installed.'


class JointSliders:
    """Degrees and millimetres beside the joints' names; the goals follow the joints."""

    def __init__(self, page: Page) -> None:
        """Add a slider for each joint of the URDF, and the values to be copied."""
        self._page, gui = page, page.server.gui
        self._time = 0.0
        self._angles = page.chain.angles  # the joints of the URDF, three for a ball
        self._wanted: np.ndarray | None = None  # where sliders have sent the joints...
        self._turn = -1  # ...unless something else moves by now
        self._scales = [_scale(page, variable) for variable in page.chain.variables]
        self._sliders = []
        for number, name in enumerate(self._angles.names):
            lower, upper = self._range(number)
            slider = gui.add_slider(
                name, min=lower, max=upper, step=STEP, initial_value=lower,
                disabled=page.outlet.joints is None,
                hint=NO_JOINTS if page.outlet.joints is None else self._hint(number))
            self._sliders.append(Mirror(slider, partial(self._move, number)))
        with gui.add_folder(COPY):
            self._form = gui.add_dropdown(COPY_AS, FORMS)
            self._values = CopyBox(gui, 'joint values')
        on_change(self._form, lambda _: self._show())
        page.on_tick.append(self._tick)
        self._show()

    def _range(self, number: int) -> tuple[float, float]:
        """Return the ends of a slider; a turn or a metre to either side where there is none."""
        scale = self._scales[number]
        free = math.pi if scale < 100.0 else 1.0
        lower, upper = self._angles.lower[number], self._angles.upper[number]
        return (math.floor(10.0 * scale * (lower if math.isfinite(lower) else -free)) / 10.0,
                math.ceil(10.0 * scale * (upper if math.isfinite(upper) else free)) / 10.0)

    def _hint(self, number: int) -> str:
        lower, upper = self._range(number)
        unit = 'degrees' if self._scales[number] < 100.0 else 'mm'
        return f'{lower:g} to {upper:g} {unit}'

    def _move(self, number: int, value: float) -> None:
        """Send one joint to a place, and the others where they were sent before."""
        page = self._page
        with page.lock:
            if self._wanted is None or not self._is_leading:
                self._wanted = self._angles.of(page.q)
            self._wanted[number] = value / self._scales[number]
            page.go_to(self._angles.vector(self._wanted))
            self._turn = page.turn

    @property
    def _is_leading(self) -> bool:
        """Whether the joints are on their way to where a slider has sent them."""
        return self._page.moves_joints and self._page.turn == self._turn

    def _tick(self, now: float) -> None:
        if now - self._time >= PERIOD:
            self._time = now
            self._show()

    def _show(self) -> None:
        """Let the sliders show the robot; those that send it elsewhere stay until it is there."""
        now = self._angles.of(self._page.q)
        if not self._is_leading:
            self._wanted = None
        for number, slider in enumerate(self._sliders):
            shown = now if self._wanted is None else self._wanted
            value = round(shown[number] * self._scales[number], 1) + 0.0  # without minus zero
            lower, upper = self._range(number)
            slider.show(min(max(value, lower), upper))
        values = dict(zip(self._angles.names, now.tolist()))
        self._values.show(joints_text(values, self._form.value))


def _scale(page: Page, variable: Variable) -> float:
    """Return how many units of a slider a radian or a metre is."""
    kind, part = page.chain.model.joint(variable.joint).kind, variable.name.rpartition('.')[2]
    is_length = kind is JointKind.PRISMATIC or (
        kind in (JointKind.PLANAR, JointKind.FLOATING) and part in ('x', 'y', 'z'))
    return 1000.0 if is_length else math.degrees(1.0)
