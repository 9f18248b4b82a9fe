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
"""How far a stream is from limits and dead ends, and how much of its joints' speed it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import math

import numpy as np

SOON = 0.5  # a limit that is nearer in time is worth a warning [s]


@dataclass(frozen=True)
class Outlook:
    """
    How far a stream is from the next limit of a joint, and from the loss of its goals.

    :param margin: distance to the nearest limit, as a part of the range of its joint
    :param nearest: that joint; empty: no joint has limits
    :param time_left: time in which a joint is at its limit at the present speed [s]
    :param coming: that joint; empty: none moves towards a limit
    :param time_to_loss: time after which the goals can no longer be met if they move on as now
        [s]; infinite: none is in sight
    """

    margin: float = math.nan
    nearest: str = ''
    time_left: float = math.nan
    coming: str = ''
    time_to_loss: float = math.inf

    @classmethod
    def of(cls, names: Sequence[str], q: np.ndarray, qdot: np.ndarray, lower: np.ndarray,
           upper: np.ndarray) -> Outlook:
        """
        Look ahead from positions and velocities (n,).

        :param lower: least positions; joints with an infinite range have no limit
        :param upper: greatest positions
        """
        low, high = q - lower, upper - q
        bounded = np.isfinite(upper - lower) & (upper > lower)
        if not bounded.any():
            return cls(1.0, '', math.inf, '')
        share = np.full(len(q), np.inf)
        np.divide(np.minimum(low, high), upper - lower, out=share, where=bounded)
        time = np.full(len(q), np.inf)
        np.divide(np.where(qdot > 0.0, high, low), np.abs(qdot), out=time,
                  where=bounded & (qdot != 0.0))
        nearest, first = int(np.argmin(share)), int(np.argmin(time))
        return cls(max(0.0, float(share[nearest])), names[nearest],
                   max(0.0, float(time[first])), names[first] if time[first] < np.inf else '')

    @property
    def sentence(self) -> str:
        """Return a warning, empty while neither a limit nor a loss is near in time."""
        sentences = []
        if 0.0 <= self.time_left <= SOON:
            sentences.append(
                f'{self.coming} is at its limit in {self.time_left:.1f} s at this speed')
        if 0.0 <= self.time_to_loss <= SOON:
            sentences.append('the goal will be lost in '
                             f'{self.time_to_loss:.1f} s if it moves on like this')
        return '; '.join(sentences)


def share_of_limits(values: np.ndarray, limits: np.ndarray, none: float) -> float:
    """
    Return the greatest of values as a part of its limit; NaN where nothing is limited.

    :param none: a limit from which on it stands for no limit
    """
    limited = limits < none
    if not limited.any():
        return math.nan
    return float(np.max(np.abs(values[limited]) / limits[limited]))
