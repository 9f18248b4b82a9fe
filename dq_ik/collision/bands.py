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
"""Distances as colours: bands that people tell apart, also those who are colour-blind."""

from __future__ import annotations

from typing import NamedTuple


class Band(NamedTuple):
    """
    Distances that look alike.

    :param limit: the greatest of them [m]
    :param rgb: 0 to 255
    :param words: for the legend
    """

    limit: float
    rgb: tuple[int, int, int]
    words: str


#: the nearest first; what is farther than the last limit keeps its own colour
BANDS = (
    Band(1e-4, (192, 57, 43), 'touches or overlaps'),
    Band(0.02, (240, 228, 66), 'nearer than 20 mm'),
    Band(0.1, (100, 143, 255), 'nearer than 100 mm'),
)
WIDER = 0.002  # than a body its picture is: else the shape that it is of would hide it [m]
FARTHEST = BANDS[-1].limit  # distances that are farther need not be known [m]


def band_of(gap: float) -> Band | None:
    """Return the band of a distance [m]; None: it is far."""
    return next((band for band in BANDS if gap <= band.limit), None)
