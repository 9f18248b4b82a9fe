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

"""Limits of a packed robot, those of its balls included."""

from __future__ import annotations

from dq_ik.core.memory.layout import FARTHEST
from dq_ik.native.load import door
import numpy as np


def clamped(block: np.ndarray, q: np.ndarray, lower: np.ndarray,
            upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return q moved into limits of a packed robot, and how far each variable was outside."""
    q = np.clip(q, -FARTHEST, FARTHEST)
    inside, beyond = np.empty(q.shape), np.empty(q.shape)
    door().entries['clamp'](block, lower, upper, q, 1, inside, beyond)
    return inside, beyond
