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
"""A chain of ball joints with a goal in position and rotation ([Rotations] section 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dq_ik.papers.rotations import exponential, logarithm, rotation, UNIT
import numpy as np


class Socket(NamedTuple):
    """A ball joint, turned about x, then y, then z: its constant pose in the joint before."""

    R: np.ndarray
    p: np.ndarray


class Placement(NamedTuple):
    """A position and a rotation vector."""

    p: np.ndarray
    w: np.ndarray


class Configuration(NamedTuple):
    """Origins (3, m) and axes (3, m) of all single turns, and the pose of the last joint."""

    origins: np.ndarray
    axes: np.ndarray
    R: np.ndarray
    origin: np.ndarray


def configuration(q: np.ndarray, sockets: Sequence[Socket]) -> Configuration:
    """
    Place all turns in task space ([Rotations] eq. 61, algorithm 12).

    Differs from algorithm 12 in ``c <- R p_c + c`` with the rotation R before the joint, printed
    there with the constant ``R_c``.
    """
    R, c, origins, axes = np.eye(3), np.zeros(3), [], []
    angles = iter(q)
    for socket in sockets:
        c = R @ socket.p + c
        R = R @ socket.R
        for axis in UNIT.values():
            R = R @ rotation(axis, next(angles))
            axes.append(R @ axis)
            origins.append(c)
    return Configuration(np.column_stack(origins), np.column_stack(axes), R, c)


def system(q: np.ndarray, sockets: Sequence[Socket], effector: Placement,
           goal: Placement) -> tuple[np.ndarray, np.ndarray]:
    """
    Jacobian (6, m) and residual for Gauss-Newton ([Rotations] eqs. 79, 86, algorithm 13).

    The residual is ``(p - p_T, -log(R_T R^T))``: what is left as seen from the instantaneous
    configuration, so that its derivative there is the geometric Jacobian. It is the exact
    derivative of the residual only where the rotation part vanishes; the exact one is in
    :mod:`dq_ik.papers.pose_error`.

    :param effector: pose of the end effector in the last joint
    :param goal: where it should be
    """
    at = configuration(q, sockets)
    p = at.R @ effector.p + at.origin
    w = logarithm(exponential(goal.w) @ exponential(-effector.w) @ at.R.T)
    J = np.vstack((np.cross(at.axes.T, p - at.origins.T).T, at.axes))
    return J, np.append(p - goal.p, -w)
