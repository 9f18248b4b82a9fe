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
"""A chain of revolute joints with position goals ([Rotations] section 4.1, algorithms 2-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dq_ik.papers.rotations import rotation, skew
import numpy as np


class Link(NamedTuple):
    """A revolute joint: its unit axis and its place in the frame of the joint before."""

    axis: np.ndarray
    offset: np.ndarray


class Effector(NamedTuple):
    """A point of interest: the joint that carries it and its place in that joint's frame."""

    joint: int
    offset: np.ndarray


class JointFrame(NamedTuple):
    """A joint in task space: axis, rotation and origin."""

    axis: np.ndarray
    R: np.ndarray
    origin: np.ndarray


def joint_frames(q: np.ndarray, links: Sequence[Link]) -> list[JointFrame]:
    """
    Place all joints in task space ([Rotations] eqs. 60, 61, algorithm 2).

    Differs from algorithm 2 in ``c <- c + R p``, printed there as ``c <- R c + p``.
    """
    R, c, frames = np.eye(3), np.zeros(3), []
    for link, angle in zip(links, q):
        c = c + R @ link.offset
        R = R @ rotation(link.axis, angle)
        frames.append(JointFrame(R @ link.axis, R, c))
    return frames


def effector_positions(frames: Sequence[JointFrame], effectors: Sequence[Effector]) -> np.ndarray:
    """Positions of the end effectors in task space, (n, 3) ([Rotations] algorithm 3)."""
    return np.array([frames[j].R @ p + frames[j].origin for j, p in effectors])


def effector_joints(effectors: Sequence[Effector]) -> np.ndarray:
    """Index of the joint that carries each end effector, (n, 1) ([Rotations] algorithm 4)."""
    return np.array([[effector.joint] for effector in effectors])


def position_jacobian(frames: Sequence[JointFrame], positions: np.ndarray,
                      joints: np.ndarray) -> np.ndarray:
    """
    Jacobian (3n, m) of the positions ([Rotations] eq. 78, algorithm 5).

    Row by row ``(E - c)^T [-w] = w x (E - c)``, and zero for the joints beyond an end effector.
    """
    columns = [((positions - frame.origin) @ skew(-frame.axis) * (j <= joints)).ravel()
               for j, frame in enumerate(frames)]
    return np.column_stack(columns)


def system(q: np.ndarray, links: Sequence[Link], effectors: Sequence[Effector],
           goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and residual ``E - S`` for Gauss-Newton ([Rotations] algorithm 6)."""
    frames = joint_frames(q, links)
    positions = effector_positions(frames, effectors)
    J = position_jacobian(frames, positions, effector_joints(effectors))
    return J, (positions - goals).ravel()
