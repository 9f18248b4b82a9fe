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
"""The answer of an ik node to the newest goal, as a page or a marker shows it."""

from __future__ import annotations

from dataclasses import dataclass
import math

from dq_ik.stream.outlook import Outlook

# Colours that colour-blind people tell apart, with signs for those who see none.
REACHED = (0.0, 0.62, 0.45)
BEST_REACH = (0.90, 0.62, 0.0)
WAITING = (0.55, 0.63, 0.72)
SIGNS = {None: '○', True: '✓', False: '△'}
UNKNOWN = Outlook()


@dataclass(frozen=True)
class MotionReport:
    """
    How a stream moves; empty or NaN: not known.

    :param policy: what is done when the goal is lost
    :param phase: what is done now, such as following
    :param outlook: how far the next limits are
    :param speed: greatest joint speed, as a part of its limit
    :param acceleration: greatest acceleration of a joint, as a part of its limit
    """

    policy: str = ''
    phase: str = ''
    outlook: Outlook = UNKNOWN
    speed: float = math.nan
    acceleration: float = math.nan


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
    def sign(self) -> str:
        """Return a sign that stands for the colour."""
        return SIGNS[self.reached]

    @property
    def reason(self) -> str:
        """Return the message without details in brackets, and without what the headline says."""
        words = self.message.partition(' [')[0]
        if words.lower().startswith(self.headline.lower()):
            words = words[len(self.headline):].lstrip(' :,;')
        return words

    @property
    def headline(self) -> str:
        """Two words for the badge."""
        if self.title:
            return self.title
        if self.reached is None:
            return 'Ready'
        return 'Reached' if self.reached else 'Best reach'
