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
[Recipe] figure 5 and section 3: trimmed adjoints for any joints, and the linear solve.

A joint slides, turns, or does both freely (the "universal joint" of the document). Procedure 2
trims the adjoint of each joint: its columns to what the joint can do, its rows to what is asked of
the end effector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from dq_ik.papers.recipe import adjoint
from dq_ik.pose import Pose
import numpy as np

Motion = Literal['linear', 'angular', 'both']
PARTS = {'linear': [0, 1, 2], 'angular': [3, 4, 5], 'both': [0, 1, 2, 3, 4, 5]}
ROOT = -1  # parent of the root: the world


class Joint(NamedTuple):
    """
    A joint of a character.

    :param parent: index of the parent joint, ``ROOT`` for the root
    :param motion: what it can do: slide, turn, or both
    :param axes: of its own frame along or about which it moves, all three by default
    """

    parent: int
    motion: Motion
    axes: tuple[int, ...] = (0, 1, 2)


def set_dim(control: Motion, joint: Joint) -> tuple[list[int], list[int]]:
    """
    Rows and columns of an adjoint that stay ([Recipe] procedure 2, ``SETDIM``, figure 5).

    Differs from procedure 2 in that each joint has its own trim, as figure 5 draws it: with one
    trim for all, the root's translation would be a case of its own.
    """
    return PARTS[control], [i for i in PARTS[joint.motion] if i % 3 in joint.axes]


def set_matrix_block(J: np.ndarray, first: int, Ad: np.ndarray,
                     trim: tuple[list[int], list[int]]) -> None:
    """Write the trimmed adjoint into J from a column on ([Recipe] ``SETMATRIXBLOCK``)."""
    rows, columns = trim
    J[:, first:first + len(columns)] = Ad[np.ix_(rows, columns)]


def trimmed_jacobian(joints: Sequence[Joint], poses: Sequence[Pose], effector: int,
                     point: np.ndarray, control: Motion) -> np.ndarray:
    """
    Body Jacobian of a point of a link, for joints of any kind ([Recipe] eqs. 11, 12, procedure 2).

    Columns are velocities of the joints in their own frames, joint by joint; joints that do not
    carry the end effector have columns of zeros.

    :param poses: of the joints in the world, after their own motion
    :param effector: joint that carries the point
    """
    trims = [set_dim(control, joint) for joint in joints]
    first = np.cumsum([0, *(len(columns) for _, columns in trims)])
    J = np.zeros((len(PARTS[control]), first[-1]))
    x_world_b = poses[effector] @ Pose.from_xyz_wxyz(point, (1, 0, 0, 0))
    j = effector
    while j != ROOT:
        set_matrix_block(J, first[j], adjoint(x_world_b.inverse() @ poses[j]), trims[j])
        j = joints[j].parent
    return J


def pseudo_inverse(J: np.ndarray) -> np.ndarray:
    """``J^T (J J^T)^-1`` ([Recipe] eqs. 33, 34), for rows that are independent."""
    return J.T @ np.linalg.inv(J @ J.T)


def singularity_robust(J: np.ndarray, damping: float) -> np.ndarray:
    """``J^T (J J^T + lambda I)^-1``, lambda at will ([Recipe] eq. 35)."""
    return J.T @ np.linalg.inv(J @ J.T + damping * np.eye(len(J)))


def limit_rows(q: np.ndarray, lower: np.ndarray,
               upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Joint limits as rows of the system ([Recipe] section 3.3): J (k, n) and error (k,).

    A joint out of its range asks to be on its limit; one within asks for nothing and has no row.
    """
    error = np.clip(q, lower, upper) - q
    out = np.flatnonzero(error)
    return np.eye(len(q))[out], error[out]


def step_with_limits(J: np.ndarray, e: np.ndarray, q: np.ndarray, lower: np.ndarray,
                     upper: np.ndarray, damping: float, weight: float = 10.0) -> np.ndarray:
    """
    Damped step in which goals and limits contend inside the solver ([Recipe] section 3.3).

    A step may leave the range; the next one brings the joint back while the others make up for it.

    :param weight: of a limit against the goals
    """
    C, c = limit_rows(q, lower, upper)
    return singularity_robust(np.vstack((J, weight * C)), damping) @ np.append(e, weight * c)
