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

"""What a solver said about a goal, in the words of the page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
import math

REACHED = (0.18, 0.72, 0.42)
BEST_REACH = (0.95, 0.62, 0.14)
WAITING = (0.45, 0.55, 0.65)


@dataclass(frozen=True)
class Report:
    """
    The answer to the newest goal.

    :param reached: whether the solver met the goal; None before the first answer
    :param message: a sentence, saying why where the goal is not met
    :param position_error: of the solver's answer [m]
    :param rotation_error: of the solver's answer [rad]
    :param solve_time: [s]
    :param title: words for the badge, where reached or not is not the point
    """

    reached: bool | None = None
    message: str = 'drag the arrows and rings at the tool'
    position_error: float = math.nan
    rotation_error: float = math.nan
    solve_time: float = math.nan
    title: str = ''

    @property
    def color(self) -> tuple[float, float, float]:
        """Green when reached, amber at best reach, grey before any answer."""
        if self.reached is None:
            return WAITING
        return REACHED if self.reached else BEST_REACH

    @property
    def headline(self) -> str:
        """Two words for the badge."""
        if self.title:
            return self.title
        if self.reached is None:
            return 'Ready'
        return 'Reached' if self.reached else 'Best reach'

    def html(self, tool_distance: float) -> str:
        """
        Return a badge, the message and the numbers.

        What the message says in brackets is shown when the mouse rests on it.

        :param tool_distance: of the real tool from its goal [m]
        """
        red, green, blue = (round(255 * value) for value in self.color)
        numbers = ' &middot; '.join((
            f'{_length(self.position_error)} and {_angle(self.rotation_error)} off',
            f'solved in {_time(self.solve_time)}',
        )) if self.reached is not None else 'no goal yet'
        return (
            '<div style="padding:0.2em 0.9em 0.4em 0.9em;font-size:0.85em;line-height:1.45">'
            f'<span style="background:rgb({red},{green},{blue});color:#fff;border-radius:0.7em;'
            f'padding:0.15em 0.8em;font-weight:600" data-role="headline">{self.headline}</span>'
            '<span style="float:right" data-role="distance">'
            f'tool {_length(tool_distance)} from goal</span>'
            f'<div style="margin-top:0.45em;min-height:1.45em" title="{escape(self.message)}">'
            f'{escape(self.message.partition(" [")[0])}</div>'
            f'<div style="opacity:0.65">{numbers}</div></div>'
        )


def _length(metres: float) -> str:
    if not math.isfinite(metres):
        return '&ndash;'
    return f'{1e3 * metres:.2f} mm' if metres >= 1e-5 else f'{1e6 * metres:.2f} &micro;m'


def _angle(radians: float) -> str:
    if not math.isfinite(radians):
        return '&ndash;'
    if radians < 2e-4:
        return f'{1e6 * radians:.2f} &micro;rad'
    return f'{math.degrees(radians):.2f}&deg;'


def _time(seconds: float) -> str:
    if not math.isfinite(seconds):
        return '&ndash;'
    return f'{1e6 * seconds:.0f} &micro;s' if seconds < 1e-3 else f'{1e3 * seconds:.1f} ms'
