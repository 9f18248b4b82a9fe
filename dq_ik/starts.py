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
from dq_ik.elements import from_frame


def start_table(chain: Chain, count: int, shift: int = 0) -> np.ndarray:
    """
    Return ``count`` configurations and the frames of their tips, (n + 7 n_tips, count).

    One column each, in single precision, so that kernels pass over them in vectors. The
    configurations follow a Weyl sequence with the square roots of the primes: the same for the
    same ``shift``, evenly spread for any number of joints. The frames (r, t) are given in the
    frame of the first joint.
    """
    steps = np.sqrt(_primes(chain.n)) % 1.0
    rows = 1 + np.arange(count)[:, None] + count * shift
    q = chain.spread((0.5 + rows * steps) % 1.0)
    frames = _in_first_joint(chain, chain.fk_batch(q))
    return np.ascontiguousarray(np.hstack([q, frames.reshape(count, -1)]).T, dtype=np.float32)


def _in_first_joint(chain: Chain, poses: np.ndarray) -> np.ndarray:
    """Turn dual quaternions (..., 8) in the base frame into frames (..., 7) of the first joint."""
    r, r_vector, d, d_vector = poses[..., :1], poses[..., 1:4], poses[..., 4:5], poses[..., 5:]
    t = 2.0 * (r * d_vector - d * r_vector + np.cross(r_vector, d_vector))
    frames = np.concatenate([poses[..., :4], t], axis=-1)
    for element in chain.elements.tree.element[:1]:
        first = from_frame(element)
        w, x, y, z = first.inverse().real
        left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
        frames[..., :4] = poses[..., :4] @ left.T
        frames[..., 4:] = (t - first.position) @ first.matrix[:3, :3]
    return frames


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes
