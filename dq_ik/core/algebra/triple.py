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

"""Vectors of three numbers as tuples."""

import math

from dq_ik.core.compile import kernel


@kernel
def add(a, b):
    """Sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """Difference of two vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a, factor):
    """Vector times a number."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


@kernel
def dot(a, b):
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def length(a):
    """Length of a vector."""
    return math.sqrt(dot(a, a))


@kernel
def at(row, start):
    """Read a vector from three consecutive numbers."""
    return (row[start], row[start + 1], row[start + 2])


@kernel
def put(a, row_out, start):
    """Write a vector to three consecutive numbers."""
    row_out[start], row_out[start + 1], row_out[start + 2] = a[0], a[1], a[2]


@kernel
def rotate(m, a):
    """Product of a matrix, row by row in the first nine numbers, and a vector."""
    return (m[0] * a[0] + m[1] * a[1] + m[2] * a[2], m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
            m[6] * a[0] + m[7] * a[1] + m[8] * a[2])


@kernel
def rotate_back(m, a):
    """Product of the transposed matrix and a vector."""
    return (m[0] * a[0] + m[3] * a[1] + m[6] * a[2], m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
            m[2] * a[0] + m[5] * a[1] + m[8] * a[2])


@kernel
def transform(m, a):
    """Rotate a point and move it by the last three of twelve numbers."""
    return add(rotate(m, a), at(m, 9))
