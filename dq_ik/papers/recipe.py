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
[Recipe] section 1: Jacobians of a chain, by cross products and by adjoints.

The joints on the way from the base to a tip are placed in the base frame one by one. Their columns
are then written in the world, or carried to the tip's own frame (product of exponentials).
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from dq_ik.errors import ChainError
from dq_ik.papers.rotations import rotation, skew
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import JointKind, Mimic
import numpy as np

KINDS = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC, JointKind.BALL)
NONE = np.zeros(3)


class Screw(NamedTuple):
    """
    One axis of motion in the base frame; it turns or slides, the other vector is zero.

    :param axis: unit axis of rotation
    :param direction: direction of travel
    :param origin: a point of the axis
    :param variable: index in the joint vector
    :param multiplier: of a mimic joint, otherwise 1
    :param joint: name of the joint
    """

    axis: np.ndarray
    direction: np.ndarray
    origin: np.ndarray
    variable: int
    multiplier: float
    joint: str


def on_path(chain: Chain, q: np.ndarray, tip: str | None = None) -> list[Screw]:
    """
    Return the axes of motion that carry a tip, base first ([Recipe] On-Path).

    A ball has three, the axes of its moved frame: its tangent space.
    """
    x, screws = Pose.identity(), []
    for joint in chain.model.joint_path(chain.base, chain.tips[chain.tip_number(tip)]):
        x = x @ joint.origin
        if joint.kind is JointKind.FIXED:
            continue
        if joint.kind not in KINDS:
            raise ChainError(f"joint '{joint.name}' is {joint.kind}; the textbook functions take "
                             'revolute, continuous, prismatic, fixed and ball joints')
        name = joint.mimic.joint if joint.mimic else joint.name
        if joint.kind is JointKind.BALL:
            first, axes = chain.joint_names.index(f'{name}.x'), axis_frame(joint.axis)
            x = x @ Pose.exp((*NONE, *(axes @ q[first:first + 3])))
            screws += [Screw(axis, NONE, x.position, first + k, 1.0, joint.name)
                       for k, axis in enumerate((x.matrix[:3, :3] @ axes).T)]
            continue
        variable, slides = chain.joint_names.index(name), joint.kind is JointKind.PRISMATIC
        mimic = joint.mimic or Mimic(name)
        axis = x.matrix[:3, :3] @ joint.axis
        turn, travel = (NONE, axis) if slides else (axis, NONE)
        screws.append(Screw(turn, travel, x.position, variable, mimic.multiplier,
                            joint.name))
        motion = (mimic.multiplier * q[variable] + mimic.offset) * np.array(joint.axis)
        x = x @ Pose.exp((*motion, *NONE) if slides else (*NONE, *motion))
    return screws


def axis_frame(axis: tuple[float, float, float]) -> np.ndarray:
    """Return the shortest rotation (3, 3) from z to a unit axis; about x where the axis is -z."""
    across = np.cross((0.0, 0.0, 1.0), axis)
    sine = float(np.linalg.norm(across))
    if sine < 1e-6:
        return np.eye(3) if axis[2] > 0.0 else np.diag((1.0, -1.0, -1.0))
    return rotation(across / sine, np.arctan2(sine, axis[2]))


def world_jacobian(chain: Chain, q: np.ndarray, tip: str | None = None,
                   point: np.ndarray | None = None) -> np.ndarray:
    """
    Jacobian (6, n) of a point of the tip in the world frame, linear rows first.

    A turn gives ``(w x (p - c), w)``, a slide ``(d, 0)``; a mimic adds its column, scaled, to that
    of its master ([Recipe] eq. 16; [Rotations] eqs. 74, 79).

    :param point: in the tip's frame; None takes its origin
    """
    x = chain.fk(q, tip)
    p = x.position if point is None else x @ np.asarray(point)
    J = np.zeros((6, chain.n))
    for screw in on_path(chain, q, tip):
        J[:, screw.variable] += column(screw, p)
    return J


def column(screw: Screw, p: np.ndarray) -> np.ndarray:
    """Return the twist (6,) that a screw gives a point p ([Recipe] eq. 16)."""
    velocity = np.cross(screw.axis, p - screw.origin) + screw.direction
    return screw.multiplier * np.append(velocity, screw.axis)


def adjoint(x: Pose) -> np.ndarray:
    """
    Matrix (6, 6) that carries a twist from frame b to frame a by the pose ``x_a_b``.

    ``[[R, [p] R], [0, R]]`` for twists with the linear part first ([Recipe] eqs. 4, 5).
    """
    T = x.matrix
    return adjoint_of(T[:3, :3], T[:3, 3])


def adjoint_of(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Do so from the rotation and the origin of frame b in frame a ([Recipe] eq. 5)."""
    return np.block([[R, skew(p) @ R], [np.zeros((3, 3)), R]])


def bracket(xi: np.ndarray) -> np.ndarray:
    """
    Matrix ``[[[w], [v]], [0, [w]]]`` of the twist ``xi = (v, w)`` ([Recipe] eq. 14).

    It is the rate of the adjoint: ``dAd/dt = bracket(xi) Ad`` where xi is the twist of frame b in
    frame a, taken at the origin of a.
    """
    v, w = xi[:3], xi[3:]
    return np.block([[skew(w), skew(v)], [np.zeros((3, 3)), skew(w)]])


def adjoint_rate(xi: np.ndarray, x: Pose) -> np.ndarray:
    """Rate of the adjoint, ``[[[w] R, [w][p] R + [v] R], [0, [w] R]]`` ([Recipe] eq. 15)."""
    return bracket(xi) @ adjoint(x)


def body_jacobian(chain: Chain, q: np.ndarray, tip: str | None = None) -> np.ndarray:
    """
    Jacobian (6, n) of the tip in its own frame ([Recipe] eqs. 9, 10).

    Each column is the twist of one joint, carried to the tip by the inverse adjoint.
    """
    J = np.zeros((6, chain.n))
    for screw, xi in _body_columns(chain, q, tip):
        J[:, screw.variable] += xi
    return J


def at_point(J_body: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Move a body Jacobian to a point of the tip, the axes unchanged ([Recipe] eq. 12)."""
    return adjoint_of(np.eye(3), -np.asarray(point)) @ J_body


def in_world_axes(J_body: np.ndarray, x: Pose) -> np.ndarray:
    """
    Turn a body Jacobian to the world's axes, the point unchanged: the usual world Jacobian.

    Differs from [Recipe] eq. 13, whose full adjoint also moves the point to the world's origin;
    that one is ``adjoint(x) @ J_body``.
    """
    return adjoint_of(x.matrix[:3, :3], np.zeros(3)) @ J_body


def body_jacobian_rate(chain: Chain, q: np.ndarray, qdot: np.ndarray,
                       tip: str | None = None) -> np.ndarray:
    """
    Time derivative (6, n) of the body Jacobian along ``qdot`` ([Recipe] section 1.3, eq. 15).

    Joint j moves as seen from the tip because the joints between them move:
    ``d/dt column_j = bracket(- sum_{k after j} column_k qdot_k) column_j``. The three axes of a
    ball move with it, so none comes after another; its rates are those of its tangent space.
    """
    J_rate = np.zeros((6, chain.n))
    between = np.zeros(6)
    for _, axes in groupby(reversed(_body_columns(chain, q, tip)), lambda pair: pair[0].joint):
        moved = between.copy()
        for screw, xi in axes:
            J_rate[:, screw.variable] += bracket(-between) @ xi
            moved += xi * qdot[screw.variable]
        between = moved
    return J_rate


def _body_columns(chain: Chain, q: np.ndarray,
                  tip: str | None) -> list[tuple[Screw, np.ndarray]]:
    """Return each axis of motion with its twist in the tip's frame, base first."""
    to_tip = adjoint(chain.fk(q, tip).inverse())
    return [(screw, to_tip @ column(screw, NONE)) for screw in on_path(chain, q, tip)]
