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
"""[Recipe] section 2: a character with a free root and spherical joints, procedures 1-3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dq_ik.papers.recipe import adjoint, adjoint_of
from dq_ik.papers.rotations import moved_axes, rotation, UNIT
from dq_ik.pose import Pose
import numpy as np

ROOT = -1  # parent of the root joint: the world


class Bone(NamedTuple):
    """
    A spherical joint.

    :param parent: index of the parent joint, ``ROOT`` for the root
    :param offset: place of the joint in its parent's frame
    :param order: of its Euler angles, ``'xyz'`` means ``R_x R_y R_z``
    """

    parent: int
    offset: np.ndarray
    order: str = 'xyz'


class Posture(NamedTuple):
    """Translation of the root, and per joint the angles about x, y and z, shape (m, 3)."""

    root: np.ndarray
    angles: np.ndarray


def euler_rotation(order: str, angles: Sequence[float] | np.ndarray) -> np.ndarray:
    """``R_a(angle_0) R_b(angle_1) R_c(angle_2)`` for an order like ``'zyz'`` or ``'xyz'``."""
    R = np.eye(3)
    for name, angle in zip(order, angles):
        R = R @ rotation(UNIT[name], angle)
    return R


def euler_axes(order: str, angles: Sequence[float] | np.ndarray) -> np.ndarray:
    """
    Axes (3, 3), in columns, about which the three Euler angles turn in the parent's frame.

    Each unit axis is moved by the rotations to its left, not by those to its right ([Recipe]
    eqs. 20-24, 26; [ProjectedLineSearch] eq. A.19 for ``'zyz'``). Differs from [Recipe] eq. 25,
    which writes the order zyx as ``R_z R_x R_y``.
    """
    return moved_axes([UNIT[name] for name in order], angles)


def local_rotation(bone: Bone, angles: np.ndarray) -> np.ndarray:
    """Rotation of a joint in its parent, by the order of its angles ([Recipe] eq. 22)."""
    return euler_rotation(bone.order, angles[_places(bone)])


def axes_in_parent(bone: Bone, angles: np.ndarray) -> np.ndarray:
    """Columns ``(p_x, p_y, p_z)``: the joint axes in the parent's frame ([Recipe] eqs. 20-26)."""
    axes = np.empty((3, 3))
    axes[:, _places(bone)] = euler_axes(bone.order, angles[_places(bone)])
    return axes


def _places(bone: Bone) -> list[int]:
    return ['xyz'.index(name) for name in bone.order]


def world_poses(bones: Sequence[Bone], posture: Posture) -> list[Pose]:
    """Pose of every joint in the world, after its own rotation; parents come first."""
    poses: list[Pose] = []
    for bone, angles in zip(bones, posture.angles):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = local_rotation(bone, angles), bone.offset
        parent = (Pose.from_xyz_wxyz(posture.root, (1, 0, 0, 0))
                  if bone.parent == ROOT else poses[bone.parent])
        poses.append(parent @ Pose.from_matrix(T))
    return poses


def ancestors(bones: Sequence[Bone], joint: int) -> Iterator[int]:
    """Yield a joint and the joints that carry it, up to the root ([Recipe] On-Path)."""
    while joint != ROOT:
        yield joint
        joint = bones[joint].parent


def simple_jacobian(bones: Sequence[Bone], posture: Posture, joint: int,
                    point: np.ndarray) -> np.ndarray:
    """
    Jacobian (3, 3 + 3m) of a point's position in the world ([Recipe] eqs. 16, 17, procedure 1).

    The first three columns are those of the root's translation, then x, y, z of each joint.
    Differs from eq. 19, where rotation and translation have changed places.

    :param joint: that carries the point
    :param point: in the frame of that joint
    """
    poses = world_poses(bones, posture)
    p_e = poses[joint] @ point
    J = np.zeros((3, 3 + 3 * len(bones)))
    J[:, :3] = np.eye(3)
    for j in ancestors(bones, joint):
        bone = bones[j]
        R_parent = np.eye(3) if bone.parent == ROOT else poses[bone.parent].matrix[:3, :3]
        axes = R_parent @ axes_in_parent(bone, posture.angles[j])
        J[:, 3 + 3 * j:6 + 3 * j] = np.cross(axes.T, p_e - poses[j].position).T
    return J


def generic_jacobian(bones: Sequence[Bone], posture: Posture, joint: int) -> np.ndarray:
    """
    Body Jacobian (6, 3m) for angular velocities in the joints' own frames.

    The blocks are the angular columns of the adjoints from each joint to the end effector
    ([Recipe] eq. 11, procedure 2 with its trim to revolute joints). Differs from eq. 11 in its
    number of columns: there one for each joint, not one for each number of a joint.
    """
    return _adjoint_jacobian(bones, posture, joint, adjusted=False)


def adjusted_jacobian(bones: Sequence[Bone], posture: Posture, joint: int) -> np.ndarray:
    """
    Body Jacobian (6, 3m) for the rates of the Euler angles ([Recipe] eqs. 30-32, procedure 3).

    The rotation of each adjoint is multiplied by ``R* = R^T R'``, where the columns of R' are the
    joint's axes in its parent; without an order, R* is the identity.
    """
    return _adjoint_jacobian(bones, posture, joint, adjusted=True)


def _adjoint_jacobian(bones: Sequence[Bone], posture: Posture, joint: int, *,
                      adjusted: bool) -> np.ndarray:
    poses = world_poses(bones, posture)
    J = np.zeros((6, 3 * len(bones)))
    for j in ancestors(bones, joint):
        x_b_j = poses[joint].inverse() @ poses[j]
        Ad = adjoint(x_b_j)
        if adjusted:
            R_parent_j = local_rotation(bones[j], posture.angles[j])
            adjustment = R_parent_j.T @ axes_in_parent(bones[j], posture.angles[j])
            Ad = adjoint_of(Ad[:3, :3] @ adjustment, x_b_j.position)
        J[:, 3 * j:3 * j + 3] = Ad[:, 3:]
    return J
