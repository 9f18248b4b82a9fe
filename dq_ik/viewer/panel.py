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
"""The controls beside the scene: the status, and tabs that parts of the page fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
import math
import time
from typing import Any

from dq_ik.stream.report import MotionReport, Report
from dq_ik.viewer.panel_html import motion_html, status_html
from dq_ik.viewer.plots import RollingPlot
import viser

TO_TOOL, HOME, RANDOM, UNREACHABLE = 'Goal to tool', 'Home', 'Random goal', 'Out of reach'
PLAY, SQUARE, POSITION_ONLY = 'Figure of eight', 'Square', 'Position only'
KINDS, SPEED, AVOID = 'Kind of goal', 'Speed [%]', 'Avoid collisions'
SWITCHES = (
    (PLAY, 'Move the goal along a figure of eight'),
    (SQUARE, 'Move the goal along a square'),
    (POSITION_ONLY, 'Leave the orientation free'),
)
GOAL, JOINTS, POSES, WORLD, SOLVER, VIEW = TABS = (
    'Goal', 'Joints', 'Poses', 'World', 'Solver', 'View')
#: settings of the solver and the labels of their controls
LABELS = {'method': 'Solver', 'mode': 'Mode', 'position_only': POSITION_ONLY,
          'velocity_scaling': SPEED, 'collision': AVOID}
#: what the robot keeps away from: nothing, itself, itself and the objects around it
COLLISIONS = ('off', 'self', 'world')
REST = 0.25  # a slider that was not moved for so long is set [s]


class Panel:
    """The status, six tabs, and the controls that every page has; each is wired to one action."""

    def __init__(
        self,
        server: viser.ViserServer,
        kinds: Mapping[str, Sequence[str]],
        choices: Mapping[str, Sequence[str]],
        actions: Mapping[str, Callable[..., None]],
    ) -> None:
        """
        Add the controls.

        :param kinds: of goals of each tip, the first one is in use; where there are several tips,
            one is chosen for the path and goals out of reach
        :param choices: values of the settings ``method`` and ``mode``, the first one is in use
        :param actions: what a button does, and what a switch or choice does with its new value,
            by label; called on viser's loop, so each must return at once
        """
        gui = server.gui
        self._actions = actions
        self._speed_moved: float | None = None
        self._status = gui.add_html(status_html(Report(), math.nan))
        group = gui.add_tab_group()
        self.tabs = {name: group.add_tab(name) for name in TABS}
        with self.tabs[GOAL]:
            self._add_goals(gui, kinds)
        with self.tabs[WORLD]:
            self._add_choice(gui, 'collision', COLLISIONS)
        with self.tabs[SOLVER]:
            self._add_solver(server, choices)

    def _add_goals(self, gui: viser.GuiApi, kinds: Mapping[str, Sequence[str]]) -> None:
        actions = self._actions
        self._tip = gui.add_dropdown('Tip', tuple(kinds), visible=len(kinds) > 1)
        for label, buttons in (('Goal', (TO_TOOL, HOME)), (' ', (RANDOM, UNREACHABLE))):
            on_choice(gui.add_button_group(label, buttons), actions)
        self._controls: dict[str, Any] = {
            label: gui.add_checkbox(label, False, hint=hint) for label, hint in SWITCHES}
        for label, control in self._controls.items():
            on_change(control, actions[label])
        with gui.add_folder(KINDS):  # one that is folded cannot be opened by keys
            self._kinds: dict[str, Any] = {
                tip: gui.add_dropdown(tip, names) for tip, names in kinds.items()}
        for tip, control in self._kinds.items():
            on_change(control, partial(actions[KINDS], tip))

    def _add_solver(self, server: viser.ViserServer,
                    choices: Mapping[str, Sequence[str]]) -> None:
        gui = server.gui
        for name, values in choices.items():
            self._add_choice(gui, name, values)
        self._controls[SPEED] = gui.add_slider(
            SPEED, min=1, max=100, step=1, initial_value=100,
            hint='Greatest joint speed, as a part of the limits')
        on_change(self._controls[SPEED], self._move_speed)
        with gui.add_folder('Motion'):
            self._motion = gui.add_html(motion_html(MotionReport()))
        with gui.add_folder('Error of the answer, time to solve'):
            self._error = RollingPlot(server, ('position [µm]', 'rotation [µrad]'), 1e-3)
            self._time = RollingPlot(server, ('solve time [µs]',), 0.1)

    def _add_choice(self, gui: viser.GuiApi, name: str, values: Sequence[str]) -> None:
        """Add a list of the values of a setting."""
        control = gui.add_dropdown(LABELS[name], values)
        self._controls[LABELS[name]] = control
        on_change(control, self._actions[LABELS[name]])

    @property
    def tip(self) -> str:
        """Return the tip that single-tip buttons mean."""
        return self._tip.value

    @property
    def speed(self) -> float:
        """Return the chosen share of the joints' speed limits."""
        return 0.01 * float(self._controls[SPEED].value)

    @property
    def is_position_only(self) -> bool:
        """Whether the orientation of goals does not count."""
        return self._controls[POSITION_ONLY].value

    def press(self, label: str) -> None:
        """Do what a button does."""
        self._actions[label]()

    def tick(self, now: float) -> None:
        """Send a speed that was chosen and has come to rest."""
        if self._speed_moved is not None and now - self._speed_moved > REST:
            self._speed_moved = None
            self._actions[SPEED](self.speed)

    def show_status(self, report: Report, tool_distance: float) -> None:
        """Show the newest answer and how far the tool still is from its goal [m]."""
        self._status.content = status_html(report, tool_distance)

    def show_motion(self, motion: MotionReport) -> None:
        """Show policy, next limit, speed and acceleration."""
        self._motion.content = motion_html(motion)

    def add_sample(self, time: float, report: Report) -> None:
        """Append one answer to the plots."""
        self._error.add(time, (1e6 * report.position_error, 1e6 * report.rotation_error))
        self._time.add(time, (1e6 * report.solve_time,))

    def push_plots(self, now: float) -> None:
        """Redraw the plots."""
        self._error.push(now)
        self._time.push(now)

    def show_option(self, name: str, value: str | bool | float) -> None:
        """Show a setting that was changed elsewhere, one of LABELS."""
        control = self._controls[LABELS[name]]
        if name == 'velocity_scaling':
            if self._speed_moved is None:
                control.value = min(100, max(1, round(100 * float(value)))) if value else 100
        elif value in getattr(control, 'options', (True, False)):
            control.value = value

    def show_kind(self, tip: str, kind: str) -> None:
        """Show the kind of goal that a tip has."""
        show_value(self._kinds[tip], kind)

    def show_playing(self, playing: str = '') -> None:
        """Show which figure is played; empty: none."""
        for label in (PLAY, SQUARE):
            show_value(self._controls[label], label == playing)

    def _move_speed(self, _: int) -> None:
        self._speed_moved = time.monotonic()


def on_change(control: Any, action: Callable[..., None]) -> None:
    """Call ``action`` with the value that a user has chosen, not with one set by the program."""
    @control.on_update
    async def _(event: viser.GuiEvent) -> None:
        if event.client_id is not None:
            action(event.target.value)


class Mirror:
    """A control that shows what the robot does, but never hides what a user has just set."""

    def __init__(self, control: Any, action: Callable[..., None]) -> None:
        """Call ``action`` with each value that a user sets."""
        self.control, self._last, self._action = control, control.value, action
        on_change(control, self._take)

    @property
    def value(self) -> Any:
        """Return what the control shows."""
        return self.control.value

    def show(self, value: Any) -> None:
        """Show a value, unless one that a user has set is still on its way to the action."""
        if value != self._last and self.control.value == self._last:
            self.control.value = self._last = value

    def _take(self, value: Any) -> None:
        self._last = value
        self._action(value)


def show_value(control: Any, value: Any) -> None:
    """Let a control show a value, if it does not yet."""
    if control.value != value:
        control.value = value


def on_choice(buttons: Any, actions: Mapping[str, Callable[[], None]]) -> None:
    """Do what belongs to the button of a group that a user presses."""
    @buttons.on_click
    async def _(event: viser.GuiEvent) -> None:
        actions[event.target.value]()
