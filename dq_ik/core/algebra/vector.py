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

"""Copies of small vectors as plain loops: NumPy's slice assignment checks shapes each time."""

import math

from dq_ik.core.compile import kernel


@kernel
def copy(values, values_out):
    """Write the values of one vector into another of the same length."""
    for i in range(values.shape[0]):
        values_out[i] = values[i]


@kernel
def fill(value, values_out):
    """Write one value everywhere."""
    for i in range(values_out.shape[0]):
        values_out[i] = value


@kernel
def all_finite(values):
    """Tell whether no value is infinite or not a number."""
    total = 0.0
    for i in range(values.shape[0]):
        total += 0.0 * values[i]
    return total == 0.0


@kernel
def all_within(values, largest):
    """Tell whether no value is larger than this or not a number."""
    inside = True
    for i in range(values.shape[0]):
        inside = inside & (abs(values[i]) <= largest)
    return inside


@kernel
def is_finite(value):
    """Tell whether a number is finite; numba's own test fails where sums may be reordered."""
    return abs(value) < math.inf


@kernel
def is_zero(values):
    """Tell whether all values are zero."""
    largest = 0.0
    for i in range(values.shape[0]):
        largest = max(largest, abs(values[i]))
    return largest == 0.0


@kernel
def count_up(values_out):
    """Write 0, 1, 2..."""
    for i in range(values_out.shape[0]):
        values_out[i] = i
