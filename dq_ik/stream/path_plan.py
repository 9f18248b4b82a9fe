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

"""A plan for a whole path: layers of postures, the best route through them, all frames filled."""

from __future__ import annotations

from dataclasses import dataclass

from dq_ik.stream.path_fill import bridged, filled, smoothed
from dq_ik.stream.path_postures import Postures
from dq_ik.stream.path_route import ban, best_route, Edges, edges_between
import numpy as np

CELL = 1.0  # edge of a cell of postures, as a share of the reach from slice to slice
ROUNDS = 60  # in which edges that cannot be filled are banned


@dataclass
class Layers:
    """
    Postures at some frames, each reachable from one of the layer before.

    :param gaps: whether poses are lost between a layer and the next
    """

    frames: list[int]
    rows: list[np.ndarray]
    gaps: list[bool]


class Plan:
    """Follows poses with slices of a given number of frames."""

    def __init__(self, postures: Postures, poses: np.ndarray, step: np.ndarray,
                 size: int) -> None:
        """
        Prepare.

        :param poses: dual quaternions, shape (N, 8)
        :param step: largest step of each joint from one frame to the next
        :param size: frames from one slice to the next
        """
        self._postures, self._poses, self._step, self._size = postures, poses, step, size
        self._slices = np.unique(np.append(np.arange(0, len(poses), size), len(poses) - 1))

    def follow(self, start: np.ndarray | None) -> np.ndarray | None:
        """Return joints for all frames (N, n); None if the chain reaches none of the slices."""
        layers = self._layers(start)
        if not layers.frames:
            return None
        edges = [edges_between(self._postures.chain, before, after, self._step * frames)
                 for before, after, frames in zip(layers.rows, layers.rows[1:],
                                                  np.diff(layers.frames))]
        nodes, good = self._route(layers, edges)
        return self._motion(np.array(layers.frames), nodes, good, start is not None)

    def _layers(self, start: np.ndarray | None) -> Layers:
        """Carry all postures from slice to slice; search again where none can be carried."""
        layers = Layers([], [], [])
        for frame in self._slices:
            if frame == 0 and start is not None:
                rows = start[None]
            elif not layers.frames:
                rows = self._search(frame)
            else:
                frames = frame - layers.frames[-1]
                rows = np.empty((0, len(self._step)))
                if frames <= self._size:
                    rows = self._postures.carried(
                        self._poses[frame], layers.rows[-1], self._step * frames, CELL)
                gap = not len(rows)
                if gap:
                    rows = self._within(layers.rows[-1], self._search(frame), frames)
                if len(rows):
                    layers.gaps.append(gap)
            if len(rows):
                layers.frames.append(int(frame))
                layers.rows.append(rows)
        return layers

    def _search(self, frame: int) -> np.ndarray:
        return self._postures.search(self._poses[frame], self._step * self._size, CELL)

    def _within(self, before: np.ndarray, rows: np.ndarray, frames: int) -> np.ndarray:
        """Return the postures that some posture before can reach in so many frames."""
        links = edges_between(self._postures.chain, before, rows, self._step * frames)
        return rows[np.unique(links.end)]

    def _route(self, layers: Layers, edges: list[Edges]) -> tuple[np.ndarray, np.ndarray]:
        """Return the posture of each layer on the best route, and which intervals are good."""
        frames, gaps = np.array(layers.frames), np.array(layers.gaps, bool)
        best: tuple[np.ndarray, np.ndarray] | None = None
        for _ in range(ROUNDS):
            route = best_route(layers.rows, edges)
            if route is None:
                break
            nodes = np.array([rows[k] for rows, k in zip(layers.rows, route)])
            good = filled(self._postures, self._poses, frames, nodes, self._step, ~gaps)[1]
            if best is None or good.sum() > best[1].sum():
                best = nodes, good
            bad = np.nonzero(~good & ~gaps)[0]
            if not len(bad):
                break
            for k in bad:
                ban(edges[k], route[k], route[k + 1])
        assert best is not None  # each posture of a layer has an edge from the one before
        return best

    def _motion(self, frames: np.ndarray, nodes: np.ndarray, good: np.ndarray,
                starts: bool) -> np.ndarray:
        """Return joints for all frames; hold where the route has not begun or has ended."""
        bad = np.append(~good, False) | np.append(False, ~good)
        bad[0] |= starts
        q, nodes = smoothed(self._postures, self._poses, frames, nodes, self._step, bad, good)
        for k in np.nonzero(~good)[0]:
            rows = slice(frames[k] + 1, frames[k + 1])
            q[rows] = bridged(self._postures, self._poses[rows], nodes[k], nodes[k + 1],
                              self._step)
        q[:frames[0]], q[frames[-1] + 1:] = nodes[0], nodes[-1]
        return q
