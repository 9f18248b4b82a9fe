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
"""Gauss-Newton for a system of Jacobian and residual ([Rotations] section 3.7, algorithm 1)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

System = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def gauss_newton(system: System, q: np.ndarray, max_iterations: int = 50,
                 threshold: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """
    Solve ``r(q) = 0`` by ``q <- q - J^+ r`` ([Rotations] eqs. 81-84, algorithm 1).

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
