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
"""
[Rotations] sections 3.7 and 4: algorithms 1-13.

Gauss-Newton (1) solves three systems of a Jacobian and a residual: a chain of revolute joints with
position goals (2-6), a tree of revolute and prismatic joints with position goals (7-11), and a
chain of ball joints with a goal in position and rotation (12, 13).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dq_ik.papers.rotations import exponential, logarithm, rotation, skew, UNIT
import numpy as np

System = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
BASE = -1  # parent of the joints that stand on the ground


def gauss_newton(system: System, q: np.ndarray, max_iterations: int = 50,
                 threshold: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """
    Solve ``r(q) = 0`` by ``q <- q - J^+ r`` ([Rotations] eqs. 81-84, algorithm 1).

    Differs from algorithm 1, which does not count its iterations and calls r there y, and from
    eq. 89 in the sign of r.

    :param system: function of q that returns the Jacobian (m, n) and the residual (m,)
    :param q: where to start
    :param threshold: length of the residual to stop at
    :returns: the last q and its residual
    """
    q = np.array(q, dtype=float)
    J, r = system(q)
    for _ in range(max_iterations):
        if np.linalg.norm(r) < threshold:
            break
        q -= np.linalg.lstsq(J, r, rcond=None)[0]
        J, r = system(q)
    return q, r


# --- position goals: algorithms 2-6 for a chain, 7-11 for a tree ---------------------------------

class Link(NamedTuple):
    """A revolute joint of a chain: its unit axis, its place in the frame of the joint before."""

    axis: np.ndarray
    offset: np.ndarray


class Body(NamedTuple):
    """
    A joint of a tree; both vectors are set for a screw, none for a fixed joint.

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


class Effector(NamedTuple):
    """A point of interest: the joint that carries it and its place in that joint's frame."""

    joint: int
    offset: np.ndarray


class Frame(NamedTuple):
    """A joint in task space: axis, direction of travel, rotation and origin."""

    axis: np.ndarray
    direction: np.ndarray
    R: np.ndarray
    origin: np.ndarray


GROUND = Frame(np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3))


def joint_frames(q: np.ndarray, links: Sequence[Link]) -> list[Frame]:
    """
    Place all joints of a chain in task space ([Rotations] eqs. 60, 61, algorithm 2).

    Differs from algorithm 2 in ``c <- c + R p``, printed there as ``c <- R c + p``.
    """
    R, c, frames = np.eye(3), np.zeros(3), []
    for link, angle in zip(links, q):
        c = c + R @ link.offset
        R = R @ rotation(link.axis, angle)
        frames.append(Frame(R @ link.axis, np.zeros(3), R, c))
    return frames


def body_frames(q: np.ndarray, bodies: Sequence[Body]) -> list[Frame]:
    """Place all joints of a tree in task space ([Rotations] eq. 61, algorithm 7)."""
    frames: list[Frame] = []
    for body, value in zip(bodies, q):
        parent = GROUND if body.parent == BASE else frames[body.parent]
        R_c = parent.R @ body.R
        origin = parent.R @ body.p + parent.origin + value * R_c @ body.direction
        R = R_c @ rotation(body.axis, value) if body.axis.any() else R_c
        frames.append(Frame(R @ body.axis, R_c @ body.direction, R, origin))
    return frames


def effector_positions(frames: Sequence[Frame], effectors: Sequence[Effector]) -> np.ndarray:
    """
    Positions of the end effectors in task space, (n, 3) ([Rotations] algorithms 3, 8).

    Differs from algorithm 3, which takes the frame of the effector's number, not of its joint.
    """
    return np.array([frames[j].R @ p + frames[j].origin for j, p in effectors])


def effector_joints(effectors: Sequence[Effector]) -> np.ndarray:
    """Index of the joint that carries each end effector, (n, 1) ([Rotations] algorithm 4)."""
    return np.array([[effector.joint] for effector in effectors])


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


def position_jacobian(frames: Sequence[Frame], positions: np.ndarray,
                      mask: np.ndarray) -> np.ndarray:
    """
    Jacobian (3n, m) of the positions ([Rotations] eqs. 74, 78, algorithms 5, 10).

    Column j is ``w x (E - c) + d``, row by row ``(E - c)^T [-w] + d^T``, for the end effectors
    that depend on joint j. Differs from algorithm 10 in the direction d of prismatic joints,
    which is left out there.

    :param mask: (m, n), whether joint j moves end effector i
    """
    columns = []
    for frame, moves in zip(frames, mask):
        velocity = (positions - frame.origin) @ skew(-frame.axis) + frame.direction
        columns.append((velocity * moves[:, None]).ravel())
    return np.column_stack(columns)


def chain_system(q: np.ndarray, links: Sequence[Link], effectors: Sequence[Effector],
                 goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and residual ``E - S`` of a chain for Gauss-Newton ([Rotations] algorithm 6)."""
    mask = np.arange(len(links))[:, None] <= effector_joints(effectors).T
    return _position_system(joint_frames(q, links), effectors, goals, mask)


def tree_system(q: np.ndarray, bodies: Sequence[Body], effectors: Sequence[Effector],
                goals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jacobian and residual ``E - S`` of a tree for Gauss-Newton ([Rotations] algorithm 11)."""
    mask = dependencies(bodies, effectors)
    return _position_system(body_frames(q, bodies), effectors, goals, mask)


def _position_system(frames: Sequence[Frame], effectors: Sequence[Effector], goals: np.ndarray,
                     mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    positions = effector_positions(frames, effectors)
    return position_jacobian(frames, positions, mask), (positions - goals).ravel()


# --- a goal in position and rotation: algorithms 12, 13 ------------------------------------------

class Socket(NamedTuple):
    """A ball joint, turned about x, then y, then z: its constant pose in the joint before."""

    R: np.ndarray
    p: np.ndarray


class Placement(NamedTuple):
    """A position and a rotation vector."""

    p: np.ndarray
    w: np.ndarray


def ball_frames(q: np.ndarray, sockets: Sequence[Socket]) -> list[Frame]:
    """
    Place all turns, three per joint, in task space ([Rotations] eq. 61, algorithm 12).

    Differs from algorithm 12 in ``c <- R p_c + c`` with the rotation R before the joint, printed
    there with the constant ``R_c``.
    """
    R, c, frames = np.eye(3), np.zeros(3), []
    for socket, angles in zip(sockets, np.reshape(q, (-1, 3))):
        c = R @ socket.p + c
        R = R @ socket.R
        for axis, angle in zip(UNIT.values(), angles):
            R = R @ rotation(axis, angle)
            frames.append(Frame(R @ axis, np.zeros(3), R, c))
    return frames


def ball_system(q: np.ndarray, sockets: Sequence[Socket], effector: Placement,
                goal: Placement) -> tuple[np.ndarray, np.ndarray]:
    """
    Jacobian (6, m) and residual for Gauss-Newton ([Rotations] eqs. 79, 86, algorithm 13).

    The residual is ``(p - p_T, -log(R_T R^T))``: what is left as seen from the instantaneous
    configuration, so that its derivative there is the geometric Jacobian. It is the exact
    derivative of the residual only where the rotation part vanishes; the exact one is in
    :func:`dq_ik.papers.kenwright.split_error`. Differs from eq. 69 (``R_si`` stands for ``R_ei``,
    whose transpose is missing), from eq. 77 (brackets are missing around ``q - q_0``) and from
    eq. 86 (``R_ce`` stands for ``R_se``).

    :param effector: pose of the end effector in the last joint
    :param goal: where it should be
    """
    frames = ball_frames(q, sockets)
    last = frames[-1]
    p = last.R @ effector.p + last.origin
    w = logarithm(exponential(goal.w) @ exponential(-effector.w) @ last.R.T)
    J = np.column_stack([np.append(np.cross(frame.axis, p - frame.origin), frame.axis)
                         for frame in frames])
    return J, np.append(p - goal.p, -w)
