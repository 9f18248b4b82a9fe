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
"""What the buttons and switches of goals and solver do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from dq_ik.stream.path import FigureOfEight, Glide, random_configuration, Square, unreachable_goal
from dq_ik.viewer import panel
import numpy as np

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

FIGURES: dict[str, type[FigureOfEight] | type[Square]] = {
    panel.PLAY: FigureOfEight, panel.SQUARE: Square}


def actions(page: Page) -> dict[str, Callable[..., None]]:
    """Return what each control of the panel does, by label."""
    rng = np.random.default_rng()
    return {
        panel.TO_TOOL: lambda: page.set_goals(page.tool_poses()),
        panel.HOME: lambda: _glide_to(page, page.home),
        panel.RANDOM: lambda: _glide_to(page, random_configuration(page.chain, rng, page.q)),
        panel.UNREACHABLE: lambda: _go_out_of_reach(page),
        panel.KINDS: page.choose_kind,
        panel.POSITION_ONLY: partial(_position_only, page),
        **{label: partial(_play, page, label) for label in FIGURES},
        **{panel.LABELS[name]: partial(page.outlet.option, name)
           for name in ('method', 'mode', 'velocity_scaling', 'collision')},
    }


def _glide_to(page: Page, q: np.ndarray) -> None:
    """Lead the goals of all tips from where the robot is to another configuration."""
    page.play(Glide(page.chain, page.q, q))


def _go_out_of_reach(page: Page) -> None:
    tip = page.panel.tip
    page.set_goals({tip: unreachable_goal(page.chain, tip, page.tool_poses()[tip])})


def _play(page: Page, label: str, playing: bool) -> None:
    """Begin or end a figure of the chosen tip's handle, which keeps its kind of goal."""
    page.stop()
    if playing:
        tip = page.panel.tip
        figure = FIGURES[label].around(page.chain, {tip: page.goals[tip].pose})
        page.play(figure, as_poses=False)
        page.panel.show_playing(label)


def _position_only(page: Page, on: bool) -> None:
    page.allow_rotation(not on)
    page.outlet.option('position_only', on)
