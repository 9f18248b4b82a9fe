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

"""The controls beside the scene: status, goals, solver, joints, plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import viser

from dq_ik.robot.model import Joint
from dq_ik.stream.report import Report
from dq_ik.viewer.html import joint_bars, status_html
from dq_ik.viewer.plots import RollingPlot

TO_TOOL, HOME = 'Goal to tool', 'Home'
LABELS = {'method': 'Solver', 'mode': 'Mode'}
RANDOM, UNREACHABLE = 'Random goal', 'Out of reach'


@dataclass(frozen=True)
class PanelActions:
    """What the controls do; called on viser's loop, so each must return at once."""

    to_tool: Callable[[], None]
    home: Callable[[], None]
    random: Callable[[], None]
    unreachable: Callable[[], None]
    play: Callable[[bool], None]
    trace: Callable[[bool], None]
    position_only: Callable[[bool], None]
    method: Callable[[str], None]
    mode: Callable[[str], None]


class Panel:
    """All controls of the page, each wired to one action."""

    def __init__(
        self,
        server: viser.ViserServer,
        joints: Sequence[Joint],
        tips: Sequence[str],
        methods: Sequence[str],
        modes: Sequence[str],
        actions: PanelActions,
    ) -> None:
        """
        Add the controls.

        :param joints: rows of the joint table
        :param tips: where there are several, one is chosen for the path and goals out of reach
        :param methods: names of the solvers, the first one is in use; likewise ``modes``
        """
        self._joints = tuple(joints)
        self._choices: dict[str, viser.GuiDropdownHandle] = {}
        gui = server.gui
        self._status = gui.add_html(status_html(Report(), float('nan')))
        self._tip = gui.add_dropdown('Tip', tips, visible=len(tips) > 1)
        self._add_goal_controls(gui, actions)
        self._add_solver_controls(gui, methods, modes, actions)
        with gui.add_folder('Joints'):
            self._bars = gui.add_html('')
        with gui.add_folder('Error of the answer, time to solve'):
            self._error = RollingPlot(server, ('position [µm]', 'rotation [µrad]'), 1e-3)
            self._time = RollingPlot(server, ('solve time [µs]',), 0.1)

    @property
    def tip(self) -> str:
        """The tip that single-tip buttons mean."""
        return self._tip.value

    def show_status(self, report: Report, tool_distance: float) -> None:
        """Show the newest answer and how far the tool still is from its goal [m]."""
        self._status.content = status_html(report, tool_distance)

    def show_joints(self, positions: Mapping[str, float]) -> None:
        """Show joint values against their limits."""
        self._bars.content = joint_bars(self._joints, positions)

    def add_sample(self, time: float, position: float, rotation: float, solve_time: float) -> None:
        """Append one answer to the plots: errors [µm and µrad] and time [µs]."""
        self._error.add(time, (position, rotation))
        self._time.add(time, (solve_time,))

    def push_plots(self, now: float) -> None:
        """Redraw the plots."""
        self._error.push(now)
        self._time.push(now)

    def show_option(self, name: str, value: str | bool) -> None:
        """Show a setting that was changed elsewhere: ``method``, ``mode``, ``position_only``."""
        if name == 'position_only':
            self._position_only.value = bool(value)
        elif (dropdown := self._choices[LABELS[name]]).options.count(value):
            dropdown.value = value

    def stop_playing(self) -> None:
        """Switch the path off, as if the user had."""
        self._play.value = False

    def _add_goal_controls(self, gui: viser.GuiApi, actions: PanelActions) -> None:
        on_click = {
            TO_TOOL: actions.to_tool, HOME: actions.home,
            RANDOM: actions.random, UNREACHABLE: actions.unreachable,
        }
        rows = [
            gui.add_button_group('Goal', (TO_TOOL, HOME)),
            gui.add_button_group(' ', (RANDOM, UNREACHABLE)),
        ]
        for row in rows:
            @row.on_click
            async def _(event: viser.GuiEvent) -> None:
                on_click[event.target.value]()
        self._play = self._add_switch(
            gui, 'Figure of eight', False, 'Move the goal along a path', actions.play)
        self._add_switch(gui, 'Trace', True, 'Draw the path of the tool', actions.trace)
        self._position_only = self._add_switch(
            gui, 'Position only', False, 'Leave the orientation free', actions.position_only)

    def _add_solver_controls(
        self, gui: viser.GuiApi, methods: Sequence[str], modes: Sequence[str],
        actions: PanelActions,
    ) -> None:
        for label, choices, action in (
            (LABELS['method'], methods, actions.method), (LABELS['mode'], modes, actions.mode),
        ):
            self._choices[label] = gui.add_dropdown(label, choices)
            _on_change(self._choices[label], action)

    @staticmethod
    def _add_switch(
        gui: viser.GuiApi, label: str, value: bool, hint: str, action: Callable[[bool], None]
    ) -> viser.GuiCheckboxHandle:
        switch = gui.add_checkbox(label, value, hint=hint)
        _on_change(switch, action)
        return switch


def _on_change(control: viser.GuiInputHandle, action: Callable) -> None:
    """Call ``action`` with the value that a user has chosen, not with one set by the program."""
    @control.on_update
    async def _(event: viser.GuiEvent) -> None:
        if event.client_id is not None:
            action(event.target.value)
