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

"""The best way through layers of postures: a dynamic programme whose edges may be banned."""

from __future__ import annotations

from dataclasses import dataclass

from dq_ik.robot.chain import Chain
from dq_ik.stream.path_postures import barrier
import numpy as np

BARRIER = 0.3  # weight of the nearness to limits against the square of the speed
HASTE = 8  # power of the share of the reach that an edge uses; such edges are hard to fill


@dataclass
class Edges:
    """Moves from one layer to the next, in order of their starts."""

    start: np.ndarray
    end: np.ndarray
    cost: np.ndarray


def edges_between(chain: Chain, before: np.ndarray, after: np.ndarray,
                  reach: np.ndarray) -> Edges:
    """Return all moves from a layer to the next that keep within the reach."""
    start, end = np.nonzero(np.abs(before[:, None, 0] - after[None, :, 0]) <= reach[0])
    for joint in range(1, chain.n):
        near = np.abs(before[start, joint] - after[end, joint]) <= reach[joint]
        start, end = start[near], end[near]
    shares = np.abs(after[end] - before[start]) / reach
    cost = (shares ** 2).mean(axis=1) + shares.max(axis=1, initial=0.0) ** HASTE
    return Edges(start, end, cost + BARRIER * barrier(chain, after)[end])


def best_route(layers: list[np.ndarray], edges: list[Edges]) -> np.ndarray | None:
    """Return the number of a posture in each layer: the cheapest way; None if there is none."""
    value = np.zeros(len(layers[-1]))
    choices = []
    for layer, links in zip(layers[-2::-1], edges[::-1]):
        total = links.cost + value[links.end]
        value = np.full(len(layer), np.inf)
        choice = np.zeros(len(layer), int)
        if len(total):
            order = np.lexsort((total, links.start))
            first = order[np.unique(links.start[order], return_index=True)[1]]
            value[links.start[first]] = total[first]
            choice[links.start[first]] = links.end[first]
        choices.append(choice)
    if not len(value) or not np.isfinite(value).any():
        return None
    route = [int(value.argmin())]
    for choice in reversed(choices):
        route.append(int(choice[route[-1]]))
    return np.array(route)


def ban(links: Edges, start: int, end: int) -> None:
    """Take a move away."""
    links.cost[(links.start == start) & (links.end == end)] = np.inf
