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

"""Rolling plots of the last seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import viser
from viser import uplot

SPAN = 20.0  # [s]
SAMPLES = 300
GREY = '#7e8790'  # on light and on dark
COLORS = ('#2b9ac2', '#e0a030')


class RollingPlot:
    """A few curves over time on a logarithmic axis, in a viser panel."""

    def __init__(
        self, server: viser.ViserServer, labels: Sequence[str], smallest: float
    ) -> None:
        """
        Add an empty plot to the panel.

        :param labels: one per curve, with the unit
        :param smallest: values below are drawn at it: a logarithm needs a floor
        """
        self._smallest = smallest
        self._times: deque[float] = deque(maxlen=SAMPLES)
        self._values: deque[tuple[float, ...]] = deque(maxlen=SAMPLES)
        self._curves = len(labels)
        curves: list[uplot.Series] = [
            {'label': label, 'stroke': color, 'width': 2, 'points': {'show': False}}
            for label, color in zip(labels, COLORS)
        ]
        lines: Any = {'stroke': 'rgba(128,128,128,0.25)', 'width': 1}
        axis: uplot.Axis = {'stroke': GREY, 'grid': lines, 'ticks': {**lines, 'size': 4}}
        self._handle = server.gui.add_uplot(
            self._data(0.0), ({'label': 'time'}, *curves), height=130, padding=(6, 14, 0, 0),
            scales={'x': {'time': False, 'range': (-SPAN, 0.0)}, 'y': {'distr': 3}},
            axes=({**axis, 'size': 30}, {**axis, 'size': 70}),
            legend={'show': True, 'live': False}, cursor={'show': False},
        )

    def add(self, time: float, values: Sequence[float]) -> None:
        """Append one sample; values that are not finite are skipped."""
        if len(values) != self._curves:
            raise ValueError(f'the plot has {self._curves} curves, got {len(values)} values')
        if np.all(np.isfinite(values)):
            self._times.append(time)
            self._values.append(tuple(max(value, self._smallest) for value in values))

    def push(self, now: float) -> None:
        """Send the samples of the last seconds to the page."""
        self._handle.data = self._data(now)

    def _data(self, now: float) -> tuple[np.ndarray, ...]:
        while self._times and self._times[0] < now - SPAN:
            self._times.popleft()
            self._values.popleft()
        if not self._times:
            return (np.array([-SPAN, 0.0]), *[np.full(2, self._smallest)] * self._curves)
        return (np.array(self._times) - now, *np.array(self._values).T)
