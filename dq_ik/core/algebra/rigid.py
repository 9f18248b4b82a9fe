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

"""Poses (r, t) while a robot is packed: rotations keep unit length over any number of products."""

import math

from dq_ik.core.algebra import frame, quaternion
from dq_ik.core.compile import kernel


@kernel
def product(a, b):
    """Product of two poses, its rotation brought to unit length."""
    r, t = frame.mul(a, b)
    return quaternion.normalized(r), t


@kernel
def inverse(a):
    """Pose of frame a in frame b, given that of frame b in frame a: ``(r*, -r* t r)``."""
    r = quaternion.conj(a[0])
    t = quaternion.rotate(r, a[1])
    return r, (-t[0], -t[1], -t[2])


@kernel
def load(table, row, start):
    """Read a pose from seven numbers of a row; its rotation may have any length."""
    r = (table[row, start], table[row, start + 1], table[row, start + 2], table[row, start + 3])
    t = (table[row, start + 4], table[row, start + 5], table[row, start + 6])
    return quaternion.normalized(r), t


@kernel
def turn_z(angle):
    """Pose of a turn about z."""
    return (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)), (0.0, 0.0, 0.0)
