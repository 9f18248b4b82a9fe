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
"""The Jacobian by finite differences: the referee of all others ([Kenwright2022] Appendix B.A)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]


def forward_differences(f: Function, q: np.ndarray, delta: float = 1e-7) -> np.ndarray:
    """
    ``J_n = (f(q + e_n delta) - f(q)) / delta`` ([Kenwright2022] eq. 47, algorithm 2).

    :param f: function of (n,) to (m,)
    :param delta: step; the error is of the order of the step
    """
    p = np.asarray(f(q))
    return np.column_stack([(np.asarray(f(q + e)) - p) / delta for e in delta * np.eye(len(q))])


def central_differences(f: Function, q: np.ndarray, delta: float = 1e-5) -> np.ndarray:
    """``J_n = (f(q + e_n delta) - f(q - e_n delta)) / (2 delta)``; the error is delta squared."""
    steps = delta * np.eye(len(q))
    columns = [(np.asarray(f(q + e)) - np.asarray(f(q - e))) / (2.0 * delta) for e in steps]
    return np.column_stack(columns)
