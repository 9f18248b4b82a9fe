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

"""The frames between postures of a route: halved again and again, inside the speed limits."""

from __future__ import annotations

from dq_ik.stream.path_postures import Postures
import numpy as np

SWEEPS = 4  # in which the nodes of a route are smoothed


def filled(postures: Postures, poses: np.ndarray, frames: np.ndarray, nodes: np.ndarray,
           step: np.ndarray, wanted: np.ndarray | None = None
           ) -> tuple[np.ndarray, np.ndarray]:
    """
    Return joints for all frames, and which intervals between nodes are good.

    The frame in the middle of an interval is solved inside the box from which both ends can be
    reached at limited speed, and so on for both halves. So no step is larger than ``step``.

    :param frames: numbers of the frames of the nodes
    :param nodes: postures at these frames, shape (len(frames), n)
    :param step: largest step of each joint from one frame to the next
    :param wanted: which intervals are to be filled; None: all
    """
    q = np.zeros((len(poses), nodes.shape[1]))
    q[frames] = nodes
    good = np.ones(len(frames) - 1, bool) if wanted is None else wanted.copy()
    owner = np.arange(len(good))
    first, last = frames[:-1], frames[1:]
    guess = spline(frames, nodes, len(poses))
    while len(first):
        middle = (first + last) // 2
        inner = (middle > first) & good[owner]
        first, last, middle, owner = first[inner], last[inner], middle[inner], owner[inner]
        ahead, behind = (middle - first)[:, None] * step, (last - middle)[:, None] * step
        lower = np.maximum(q[first] - ahead, q[last] - behind)
        upper = np.minimum(q[first] + ahead, q[last] + behind)
        share = ((middle - first) / (last - first))[:, None]
        seeds = guess[middle] + (1.0 - share) * (q[first] - guess[first]) \
            + share * (q[last] - guess[last])
        q[middle], solved = postures.solve(poses[middle], seeds, np.minimum(lower, upper),
                                           np.maximum(lower, upper))
        good[owner[~solved]] = False
        first, last = np.concatenate([first, middle]), np.concatenate([middle, last])
        owner = np.concatenate([owner, owner])
    return q, good


def spline(frames: np.ndarray, nodes: np.ndarray, count: int) -> np.ndarray:
    """Return a smooth curve through the nodes, sampled at each frame."""
    if len(frames) < 2:
        return np.broadcast_to(nodes[:1], (count, nodes.shape[1]))
    slopes = np.gradient(nodes, frames, axis=0)
    piece = np.clip(np.searchsorted(frames, np.arange(count), side='right') - 1, 0,
                    len(frames) - 2)
    width = (frames[piece + 1] - frames[piece])[:, None]
    u = (np.arange(count)[:, None] - frames[piece][:, None]) / width
    return ((1 + 2 * u) * (1 - u) ** 2 * nodes[piece] + u * (1 - u) ** 2 * width * slopes[piece]
            + u ** 2 * (3 - 2 * u) * nodes[piece + 1]
            - u ** 2 * (1 - u) * width * slopes[piece + 1])


def bridged(postures: Postures, poses: np.ndarray, start: np.ndarray, end: np.ndarray,
            step: np.ndarray) -> np.ndarray:
    """
    Return joints between two postures that no motion at the poses connects.

    The poses are followed as long as the end can still be reached in time; from then on the
    joints go straight to it.

    :param poses: of the frames between the two, shape (k, 8)
    """
    q = np.empty((len(poses), len(start)))
    last, follows = start, True
    for k, pose in enumerate(poses):
        left = len(poses) - k
        lower, upper = np.maximum(last - step, end - left * step), np.minimum(
            last + step, end + left * step)
        lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
        if follows:
            found, good = postures.solve(pose, last[None], lower[None], upper[None])
            q[k], follows = found[0], bool(good[0])
        if not follows:
            q[k] = np.clip(last + (end - last) / (left + 1), lower, upper)
        last = q[k]
    return q


def smoothed(postures: Postures, poses: np.ndarray, frames: np.ndarray, nodes: np.ndarray,
             step: np.ndarray, fixed: np.ndarray, wanted: np.ndarray
             ) -> tuple[np.ndarray, np.ndarray]:
    """
    Return joints for all frames and the nodes after some of them were moved.

    Every other node moves to the middle of its neighbours, as far as its pose, the limits and the
    speeds allow it, and stays where an interval beside it could not be filled then.

    :param fixed: which nodes stay
    :param wanted: which intervals are to be filled; they can be
    """
    q, good = filled(postures, poses, frames, nodes, step, wanted)
    for turn in range(2 * SWEEPS):
        mine = np.arange(1 + turn % 2, len(frames) - 1, 2)
        mine = mine[~fixed[mine]]
        if not len(mine):
            continue
        trial = nodes.copy()
        trial[mine] = _between(postures, poses, frames, nodes, step, mine)
        new, well = filled(postures, poses, frames, trial, step, good)
        moved = mine[(well | ~good)[mine - 1] & (well | ~good)[mine]]
        for k in moved:
            rows = slice(frames[k - 1] + 1, frames[k + 1])
            q[rows], nodes[k] = new[rows], trial[k]
    return q, nodes


def _between(postures: Postures, poses: np.ndarray, frames: np.ndarray, nodes: np.ndarray,
             step: np.ndarray, mine: np.ndarray) -> np.ndarray:
    """Return the nodes in the middle of their neighbours, or as they are."""
    ahead = (frames[mine] - frames[mine - 1])[:, None]
    behind = (frames[mine + 1] - frames[mine])[:, None]
    lower = np.maximum(nodes[mine - 1] - ahead * step, nodes[mine + 1] - behind * step)
    upper = np.minimum(nodes[mine - 1] + ahead * step, nodes[mine + 1] + behind * step)
    seeds = (behind * nodes[mine - 1] + ahead * nodes[mine + 1]) / (ahead + behind)
    found, solved = postures.solve(poses[frames[mine]], seeds, np.minimum(lower, upper),
                                   np.maximum(lower, upper))
    return np.where(solved[:, None], found, nodes[mine])
