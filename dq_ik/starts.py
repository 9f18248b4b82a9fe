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

"""The stored configurations from which a search starts again, spread evenly over the limits."""

from __future__ import annotations

import numpy as np

from dq_ik.chain import Chain
from dq_ik.core import tree as core


def start_table(chain: Chain, count: int, shift: int = 0) -> np.ndarray:
    """
    Return ``count`` configurations with the poses of their tips, (count, n + 8 n_tips).

    The configurations follow a Weyl sequence with the square roots of the primes: the same for the
    same ``shift``, evenly spread for any number of joints.
    """
    steps = np.sqrt(_primes(chain.n)) % 1.0
    rows = 1 + np.arange(count)[:, None] + count * shift
    q = np.array([chain.spread(u) for u in (0.5 + rows * steps) % 1.0])
    poses = np.empty((count, len(chain.tips), 8))
    core.fk(*chain.packed, q, poses)
    return np.hstack([q, poses.reshape(count, -1)])


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes
