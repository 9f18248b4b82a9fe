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
"""A reader of Biovision (BVH) motion capture files, and goals for our humanoid from them."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation


class BvhError(ValueError):
    """The file is not a BVH file that we can read."""


@dataclass
class Node:
    """A joint of the skeleton; ``end`` names of leaves are made from their parents."""

    name: str
    parent: int
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    channels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Capture:
    """A skeleton and its recorded channels."""

    nodes: tuple[Node, ...]
    interval: float
    frames: np.ndarray

    def poses(self, frame: int) -> np.ndarray:
        """Return the poses of all nodes in a frame, shape ``(n, 4, 4)``, in file units."""
        out = np.tile(np.eye(4), (len(self.nodes), 1, 1))
        values = iter(self.frames[frame])
        for i, node in enumerate(self.nodes):
            local = np.eye(4)
            local[:3, 3] = node.offset
            for channel in node.channels:
                value, axis = next(values), 'XYZ'.index(channel[0])
                if channel.endswith('position'):
                    local[axis, 3] += value
                else:
                    turn = Rotation.from_euler(channel[0].lower(), value, degrees=True)
                    local[:3, :3] = local[:3, :3] @ turn.as_matrix()
            out[i] = local if node.parent < 0 else out[node.parent] @ local
        return out


def read(path: Path) -> Capture:
    """Read a file, or raise BvhError saying what is wrong."""
    words = iter(path.read_text(encoding='utf-8', errors='replace').split())
    try:
        nodes = _hierarchy(words)
        _expect(words, 'Frames:')
        count = int(next(words))
        _expect(words, 'Frame')
        _expect(words, 'Time:')
        interval = float(next(words))
        numbers = np.array([float(word) for word in words])
    except (StopIteration, ValueError) as error:
        if isinstance(error, BvhError):
            raise
        raise BvhError(f'{path.name}: {error or "it ends too early"}') from None
    width = sum(len(node.channels) for node in nodes)
    if width == 0 or interval <= 0.0 or numbers.size != count * width:
        raise BvhError(f'{path.name}: {count} frames of {width} channels do not fit '
                       f'{numbers.size} numbers')
    return Capture(tuple(nodes), interval, numbers.reshape(count, width))


def _hierarchy(words) -> list[Node]:
    _expect(words, 'HIERARCHY')
    nodes: list[Node] = []
    open_nodes: list[int] = []
    for word in words:
        if word in ('ROOT', 'JOINT', 'End'):
            name = next(words)
            parent = open_nodes[-1] if open_nodes else -1
            nodes.append(Node(f'{nodes[parent].name}_end' if word == 'End' else name, parent))
        elif word == '{':
            open_nodes.append(len(nodes) - 1)
        elif word == '}':
            open_nodes.pop()
        elif word == 'OFFSET':
            nodes[-1].offset = np.array([float(next(words)) for _ in range(3)])
        elif word == 'CHANNELS':
            nodes[-1].channels = tuple(next(words) for _ in range(int(next(words))))
        elif word == 'MOTION':
            return nodes
        else:
            raise BvhError(f'unexpected word {word!r} in the hierarchy')
    raise BvhError('there is no MOTION part')


def _expect(words, wanted: str) -> None:
    word = next(words)
    if word != wanted:
        raise BvhError(f'expected {wanted!r}, got {word!r}')


# Names used by common skeletons (CMU, Bandai-Namco, Mixamo), in lower case without prefix.
NAMES = {
    'left_hand': ('lefthand', 'hand_l', 'lhand', 'leftwrist'),
    'right_hand': ('righthand', 'hand_r', 'rhand', 'rightwrist'),
    'left_foot': ('lefttoebase', 'toes_l', 'ltoe', 'leftfoot', 'foot_l', 'lfoot'),
    'right_foot': ('righttoebase', 'toes_r', 'rtoe', 'rightfoot', 'foot_r', 'rfoot'),
    'pelvis': ('hips', 'pelvis', 'hip'),
    'head': ('head',),
}
Z_UP = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z forward, y up to ours


def goals(capture: Capture, tracker, interval: float) -> np.ndarray:
    """
    Return goals for the humanoid's tips, shape ``(frames, 6, 4, 4)``.

    The figure is scaled to our height of the pelvis, turned from y up to z up, and its rotations
    are taken relative to the first frame, in which it is supposed to stand like ours at zero.
    """
    home = tracker.goals(np.zeros((1, tracker.robot.dof)))[0]
    columns = [_find(capture, tip) for tip in tracker.robot.tips]
    step = max(1, round(interval / capture.interval))
    frames = np.array([capture.poses(i)[columns] for i in range(0, len(capture.frames), step)])
    pelvis = tracker.robot.tips.index('pelvis')
    feet = min(frames[0, :, 1, 3])
    scale = home[pelvis, 2, 3] / (frames[0, pelvis, 1, 3] - feet)
    out = np.tile(np.eye(4), (*frames.shape[:2], 1, 1))
    origin = frames[0, pelvis, :3, 3] * [1.0, 0.0, 1.0] + [0.0, feet, 0.0]
    out[..., :3, 3] = (frames[..., :3, 3] - origin) * scale @ Z_UP.T
    turned = frames[..., :3, :3] @ np.swapaxes(frames[0, :, :3, :3], -1, -2)
    out[..., :3, :3] = Z_UP @ turned @ Z_UP.T @ home[:, :3, :3]
    return out


def _find(capture: Capture, tip: str) -> int:
    names = [node.name.lower().split(':')[-1] for node in capture.nodes]
    for wanted in NAMES[tip]:
        if wanted in names:
            return names.index(wanted)
    raise BvhError(f'no node for {tip}: looked for {", ".join(NAMES[tip])} among '
                   f'{", ".join(names)}')
