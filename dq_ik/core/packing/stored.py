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
The stored configurations from which a search starts again, spread evenly over the limits.

They follow a Weyl sequence with the square roots of the primes: the same for the same shift,
evenly spread for any number of joints. :mod:`dq_ik.core.solve.starts` chooses among them.
"""

from __future__ import annotations

import math

from dq_ik.core.algebra import frame
from dq_ik.core.algebra.frame import inverse
from dq_ik.core.algebra.trigonometry import ANGLE
from dq_ik.core.algebra.vector import fill
from dq_ik.core.compile import kernel, routine
from dq_ik.core.kinematics.tree import forward_kinematics, tip_frame
from dq_ik.core.memory.arrays import vector
from dq_ik.core.packing.spread import spread


@routine
def fill_starts(tree, shift, work):
    """
    Fill ``tree.stored``, one column each: a configuration and its tips' frames.

    In single precision, so that kernels pass over it in vectors. The frames (r, t) are given in
    the frame of the first joint.

    :param shift: number of the table; others hold other configurations
    :param work: memory, a :data:`dq_ik.core.memory.layout.PACKING`
    """
    n, count, stored = tree.n, tree.n_stored, tree.stored
    step, u, q = vector(work.step, 0, n), vector(work.u, 0, n), vector(work.q, 0, n)
    _fill_steps(step)
    fill(0.0, work.turns[ANGLE])
    to_first = frame.IDENTITY
    if tree.index.shape[0] > 0:
        to_first = inverse(frame.load(tree.element[0]))
    for column in range(count):
        number = float(1 + column + count * shift)
        for i in range(n):
            value = 0.5 + number * step[i]
            u[i] = value - math.floor(value)
        spread(tree, tree.lower, tree.upper, tree.neutral, u, q)
        forward_kinematics(tree, q, work.turns, work.world, work.screw)
        for i in range(n):
            stored[i, column] = q[i]
        for tip in range(tree.tip.shape[0]):
            x = frame.mul(to_first, tip_frame(tree, tip, work.world))
            _store_column(x, n + frame.WIDTH * tip, column, stored)


@kernel
def _store_column(x, start, column, table_out):
    """Write a frame downwards from a row on."""
    r, t = x
    for k in range(4):
        table_out[start + k, column] = r[k]
    for k in range(3):
        table_out[start + 4 + k, column] = t[k]


@kernel
def _fill_steps(step_out):
    """Write the fractions of the square roots of the first primes."""
    number = 2.0
    for i in range(step_out.shape[0]):
        while _has_divisor(number, step_out, i):
            number += 1.0
        step_out[i] = number
        number += 1.0
    for i in range(step_out.shape[0]):
        root = math.sqrt(step_out[i])
        step_out[i] = root - math.floor(root)


@kernel
def _has_divisor(number, primes, count):
    """Tell whether one of the first primes divides a number; all are as small as can be."""
    for k in range(count):
        if primes[k] * primes[k] > number:
            return False
        if number % primes[k] == 0.0:
            return True
    return False
