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
"""The controls beside the scene: status, goals, solver, motion, joints, plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
import math
from typing import Any

from dq_ik.robot.model import Joint
from dq_ik.stream.report import MotionReport, Report
from dq_ik.viewer.panel_html import joint_bars, motion_html, status_html
from dq_ik.viewer.plots import RollingPlot
import viser

TO_TOOL, HOME, RANDOM, UNREACHABLE = 'Goal to tool', 'Home', 'Random goal', 'Out of reach'
PLAY, TRACE, POSITION_ONLY = 'Figure of eight', 'Trace', 'Position only'
KINDS = 'Kind of goal'
SWITCHES = (
    (PLAY, False, 'Move the goal along a path'),
    (TRACE, True, 'Draw the path of the tool'),
    (POSITION_ONLY, False, 'Leave the orientation free'),
)
#: settings of the solver and the labels of their controls
LABELS = {'method': 'Solver', 'mode': 'Mode', 'position_only': POSITION_ONLY}


class Panel:
    """All controls of the page, each wired to one action."""

    def __init__(
        self,
        server: viser.ViserServer,
        joints: Sequence[Joint],
        kinds: Mapping[str, Sequence[str]],
        choices: Mapping[str, Sequence[str]],
        actions: Mapping[str, Callable[..., None]],
    ) -> None:
        """
        Add the controls.

        :param joints: rows of the joint table
        :param kinds: of goals of each tip, the first one is in use; where there are several tips,
            one is chosen for the path and goals out of reach
        :param choices: values of the settings ``method`` and ``mode``, the first one is in use
        :param actions: what a button does, and what a switch or choice does with its new value,
            by label; called on viser's loop, so each must return at once
        """
        self._joints = tuple(joints)
        gui = server.gui
        self._status = gui.add_html(status_html(Report(), math.nan))
        self._tip = gui.add_dropdown('Tip', tuple(kinds), visible=len(kinds) > 1)
        for label, buttons in (('Goal', (TO_TOOL, HOME)), (' ', (RANDOM, UNREACHABLE))):
            @gui.add_button_group(label, buttons).on_click
            async def _(event: viser.GuiEvent) -> None:
                actions[event.target.value]()
        self._controls: dict[str, Any] = {
            label: gui.add_checkbox(label, on, hint=hint) for label, on, hint in SWITCHES}
        for name, values in choices.items():
            self._controls[LABELS[name]] = gui.add_dropdown(LABELS[name], values)
        for label, control in self._controls.items():
            _on_change(control, actions[label])
        with gui.add_folder(KINDS, expand_by_default=False):
            self._kinds: dict[str, Any] = {
                tip: gui.add_dropdown(tip, names) for tip, names in kinds.items()}
        for tip, control in self._kinds.items():
            _on_change(control, partial(actions[KINDS], tip))
        with gui.add_folder('Motion'):
            self._motion = gui.add_html(motion_html(MotionReport()))
        with gui.add_folder('Joints'):
            self._bars = gui.add_html('')
        with gui.add_folder('Error of the answer, time to solve'):
            self._error = RollingPlot(server, ('position [µm]', 'rotation [µrad]'), 1e-3)
            self._time = RollingPlot(server, ('solve time [µs]',), 0.1)

    @property
    def tip(self) -> str:
        """Return the tip that single-tip buttons mean."""
        return self._tip.value

    def show_status(self, report: Report, tool_distance: float) -> None:
        """Show the newest answer and how far the tool still is from its goal [m]."""
        self._status.content = status_html(report, tool_distance)

    def show_motion(self, motion: MotionReport) -> None:
        """Show policy, next limit, speed and acceleration."""
        self._motion.content = motion_html(motion)

    def show_joints(self, positions: Mapping[str, float]) -> None:
        """Show joint values against their limits."""
        self._bars.content = joint_bars(self._joints, positions)

    def add_sample(self, time: float, report: Report) -> None:
        """Append one answer to the plots."""
        self._error.add(time, (1e6 * report.position_error, 1e6 * report.rotation_error))
        self._time.add(time, (1e6 * report.solve_time,))

    def push_plots(self, now: float) -> None:
        """Redraw the plots."""
        self._error.push(now)
        self._time.push(now)

    def show_option(self, name: str, value: str | bool) -> None:
        """Show a setting that was changed elsewhere: ``method``, ``mode``, ``position_only``."""
        control = self._controls[LABELS[name]]
        if value in getattr(control, 'options', (True, False)):
            control.value = value

    def show_kind(self, tip: str, kind: str) -> None:
        """Show the kind of goal that a tip has."""
        if self._kinds[tip].value != kind:
            self._kinds[tip].value = kind

    def stop_playing(self) -> None:
        """Switch the path off, as if the user had."""
        self._controls[PLAY].value = False


def _on_change(control: Any, action: Callable[..., None]) -> None:
    """Call ``action`` with the value that a user has chosen, not with one set by the program."""
    @control.on_update
    async def _(event: viser.GuiEvent) -> None:
        if event.client_id is not None:
            action(event.target.value)
