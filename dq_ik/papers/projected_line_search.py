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
"""[ProjectedLineSearch] appendix A: the tool vector, its Jacobian, a ball in Euler angles."""

from __future__ import annotations

from collections.abc import Sequence

from dq_ik.papers.recipe import on_path
from dq_ik.papers.recipe_skeleton import euler_axes
from dq_ik.robot.chain import Chain
import numpy as np


def tool(chain: Chain, q: np.ndarray, tip: str | None = None) -> np.ndarray:
    """Tool vector ``(p, i, j)`` (9,): position, x, y axis ([ProjectedLineSearch] eq. A.2)."""
    T = chain.fk(q, tip).matrix
    return np.concatenate((T[:3, 3], T[:3, 0], T[:3, 1]))


def tool_jacobian(chain: Chain, q: np.ndarray, tip: str | None = None) -> np.ndarray:
    """
    Jacobian (9, n) of the tool vector ([ProjectedLineSearch] eqs. A.11, A.15).

    A turn gives ``(u x (p - t), u x i, u x j)``, a slide ``(u, 0, 0)``.
    """
    p, i, j = tool(chain, q, tip).reshape(3, 3)
    J = np.zeros((9, chain.n))
    for screw in on_path(chain, q, tip):
        u = screw.axis
        J[:, screw.variable] += screw.multiplier * np.concatenate(
            (np.cross(u, p - screw.origin) + screw.direction, np.cross(u, i), np.cross(u, j)))
    return J


def ball_tool_block(R_0: np.ndarray, t_0: np.ndarray, order: str, angles: Sequence[float],
                    tool_vector: np.ndarray) -> np.ndarray:
    """
    Columns (9, 3) of a ball joint in Euler angles ([ProjectedLineSearch] eqs. A.20-A.22).

    Differs from eq. A.16, whose matrix has 0 where 1 is due in the lower right corner.

    :param R_0: rotation of the frame before the joint, in the world
    :param t_0: centre of the joint in the world
    :param order: of the Euler angles, ``'zyz'`` in the document
    :param tool_vector: ``(p, i, j)`` in the world
    """
    p, i, j = np.reshape(tool_vector, (3, 3))
    axes = (R_0 @ euler_axes(order, angles)).T
    arms = (p - t_0, i, j)
    return np.vstack([np.column_stack([np.cross(u, arm) for u in axes]) for arm in arms])
