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

"""The extent of a chain: configurations spread over its limits, and how far it reaches."""

from __future__ import annotations

import math

import numpy as np

from dq_ik.core import tree as core
from dq_ik.pose import Pose

# How far variables without limits are sampled to each side: half a turn, or a metre.
HALF_TURN, SLIDE = math.pi, 1.0
TURN = 2.0 * math.pi


def spread(tree: core.Tree, lower: np.ndarray, upper: np.ndarray, neutral: np.ndarray,
           u: np.ndarray) -> np.ndarray:
    """Map numbers of the unit cube (..., n) to configurations within the limits."""
    width = np.full(len(neutral), HALF_TURN)
    for kind, _, variable, _ in tree.index:
        if kind == core.PRISMATIC:
            width[variable] = SLIDE
    low = np.where(np.isfinite(lower), lower, neutral - width)
    high = np.where(np.isfinite(upper), upper, neutral + width)
    q = low + (high - low) * u
    for (kind, _, variable, _), element in zip(tree.index, tree.element):
        if kind == core.BALL:
            ball = slice(variable, variable + 3)
            q[..., ball] = np.apply_along_axis(_spread_ball, -1, u[..., ball], element)
    return np.clip(q, lower, upper)


def _spread_ball(u: np.ndarray, element: np.ndarray) -> np.ndarray:
    """Map the unit cube to exponential-map coordinates in a cone and twist range about z."""
    direction = (2.0 * u[0] - 1.0) * math.pi
    angle = min(element[core.SWING], math.pi) * math.sqrt(u[1])
    low = max(element[core.TWIST_LOWER], -math.pi)
    twist = low + u[2] * (min(element[core.TWIST_UPPER], math.pi) - low)
    x = (Pose.exp((0, 0, 0, angle * math.cos(direction), angle * math.sin(direction), 0.0))
         @ Pose.exp((0, 0, 0, 0, 0, twist)))
    return x.log()[3:]


def reach(tree: core.Tree, lower: np.ndarray, upper: np.ndarray) -> tuple[float, ...]:
    """Length of the stretched chain from its first joint to each tip, slides included [m]."""
    lengths = []
    for tip, (element, *_) in zip(tree.tip, tree.tip_index):
        length, last = _length(tip), element
        while last >= 0:
            kind, parent, variable, _ = tree.index[last]
            if parent >= 0:
                length += _length(tree.element[last])
            span = float(upper[variable] - lower[variable])
            if kind == core.PRISMATIC and math.isfinite(span):
                length += span
            last = parent
        lengths.append(length)
    return tuple(lengths)


def _length(row: np.ndarray) -> float:
    """Length of the translation of a stored frame."""
    return float(np.linalg.norm(row[4:7]))


def turning(tree: core.Tree, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return 2 pi for joints free to turn whole turns, in a range of at least one, else 0."""
    period = np.where(upper - lower >= TURN - 1e-9, TURN, 0.0)
    for (kind, _, variable, _), element in zip(tree.index, tree.element):
        whole = float(element[core.MULTIPLIER]).is_integer()
        if kind == core.BALL:
            period[variable:variable + 3] = 0.0
        elif kind != core.REVOLUTE or not whole:
            period[variable] = 0.0
    return period
