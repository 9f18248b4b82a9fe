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
"""A tree of revolute and prismatic joints ([Rotations] section 4.2, algorithms 7-11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dq_ik.papers.rotations import rotation, skew
from dq_ik.papers.serial_chain import Effector
import numpy as np

BASE = -1  # parent of the joints that stand on the ground


class Body(NamedTuple):
    """
    A joint with one degree of freedom; both vectors are set for a screw, none for a fixed joint.

    :param parent: index of the parent joint, ``BASE`` for the ground
    :param axis: unit axis of rotation, or zero
    :param direction: direction of travel per unit, or zero
    :param R: constant rotation in the parent's frame
    :param p: constant offset in the parent's frame
    """

    parent: int
    axis: np.ndarray
    direction: np.ndarray
    R: np.ndarray
    p: np.ndarray


class BodyFrame(NamedTuple):
    """A joint in task space: axis, direction of travel, rotation and origin."""

    axis: np.ndarray
    direction: np.ndarray
    R: np.ndarray
    origin: np.ndarray


def body_frames(q: np.ndarray, bodies: Sequence[Body]) -> list[BodyFrame]:
    """Place all joints in task space, parents first ([Rotations] eq. 61, algorithm 7)."""
    frames: list[BodyFrame] = []
    ground = BodyFrame(np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3))
    for body, value in zip(bodies, q):
        parent = ground if body.parent == BASE else frames[body.parent]
        R_c = parent.R @ body.R
        origin = parent.R @ body.p + parent.origin + value * R_c @ body.direction
        R = R_c @ rotation(body.axis, value) if body.axis.any() else R_c
        frames.append(BodyFrame(R @ body.axis, R_c @ body.direction, R, origin))
    return frames


def effector_positions(frames: Sequence[BodyFrame], effectors: Sequence[Effector]) -> np.ndarray:
    """Positions of the end effectors in task space, (n, 3) ([Rotations] algorithm 8)."""
    return np.array([frames[j].R @ p + frames[j].origin for j, p in effectors])


def dependencies(bodies: Sequence[Body], effectors: Sequence[Effector]) -> np.ndarray:
    """
    Mask (m, n): whether joint j moves end effector i ([Rotations] algorithm 9; [Recipe] On-Path).

    Going from the leaves to the root each joint hands what depends on it to its parent. Differs
    from algorithm 9, which marks the parent (``X_ii = 1``) where the joint itself is due: as
    printed, a leaf would not depend on itself.
    """
    X = np.eye(len(bodies), dtype=bool)  # X[a, b]: joint a moves joint b
    for j in range(len(bodies) - 1, -1, -1):
        if bodies[j].parent != BASE:
            X[bodies[j].parent] |= X[j]
    return X[:, [effector.joint for effector in effectors]]


def position_jacobian(frames: Sequence[BodyFrame], positions: np.ndarray,
                      mask: np.ndarray) -> np.ndarray:
    """
    Jacobian (3n, m) of the positions ([Rotations] eqs. 74, 78, algorithm 10).

    Column j is ``w x (E - c) + d`` for the end effectors that depend on joint j. Differs from
    algorithm 10 in the direction d of prismatic joints, which is left out there.
    """
    columns = []
    for j, frame in enumerate(frames):
        velocity = (positions - frame.origin) @ skew(-frame.axis) + frame.direction
        columns.append((velocity * mask[j][:, None]).ravel())
    return np.column_stack(columns)


def system(q: np.ndarray, bodies: Sequence[Body], effectors: Sequence[Effector],
           goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and residual ``E - S`` for Gauss-Newton ([Rotations] algorithm 11)."""
    frames = body_frames(q, bodies)
    positions = effector_positions(frames, effectors)
    J = position_jacobian(frames, positions, dependencies(bodies, effectors))
    return J, (positions - goals).ravel()
