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

"""Numbers in lanes do in one instruction what NumPy does with arrays."""

from dq_ik.core.algebra import frame, lanes
from dq_ik.core.compile import kernel
from helpers import close, variant
import numpy as np

RNG = np.random.default_rng(3)
A = RNG.normal(size=(2, lanes.WIDTH))
FRAMES = RNG.normal(size=(7, lanes.WIDTH))


@kernel
def arithmetic(rows, out):
    a, b = lanes.get(rows, 0), lanes.get(rows, 1)
    lanes.put(a + b, out, 0)
    lanes.put(a - 2.0, out, 1)
    lanes.put(3.0 * a, out, 2)
    lanes.put(a / b, out, 3)
    lanes.put(-a, out, 4)
    lanes.put(lanes.sqrt(a * a), out, 5)
    lanes.put(lanes.floor(a), out, 6)
    lanes.put(lanes.absolute(b), out, 7)
    lanes.put(7.0, out, 8)
    lanes.put(lanes.everywhere(8.0), out, 9)
    lanes.put(lanes.clamp(a, -0.5, 0.25), out, 10)
    lanes.put(lanes.clamp(a, b - 1.0, b), out, 11)


def test_arithmetic_is_that_of_arrays():
    a, b = A
    out = np.zeros((12, lanes.WIDTH))
    variant(arithmetic, 'compiled')(A, out)
    close(out, [a + b, a - 2.0, 3.0 * a, a / b, -a, abs(a), np.floor(a), abs(b), 7.0 + 0 * a,
                8.0 + 0 * a, np.clip(a, -0.5, 0.25), np.clip(a, b - 1.0, b)], atol=1e-13)


@kernel
def choices(rows, out):
    a, b = lanes.get(rows, 0), lanes.get(rows, 1)
    lanes.put(lanes.select(a < b, a, b), out, 0)
    lanes.put(lanes.select(a > 0.5, 1.0, b), out, 1)
    lanes.put(lanes.select((a <= b) & (b >= 0.0), a, 0.0), out, 2)
    lanes.put(lanes.select((a < 0.0) | (b < 0.0), 1.0, 0.0), out, 3)
    return (lanes.anywhere(a < -100.0), lanes.anywhere(a <= rows[0, 2]),
            lanes.at(a <= rows[0, 2], 2), lanes.at(a < rows[0, 2], 2))


def test_masks_choose_lane_by_lane():
    a, b = A
    out = np.zeros((4, lanes.WIDTH))
    assert variant(choices, 'compiled')(A, out) == (False, True, True, False)
    close(out, [np.minimum(a, b), np.where(a > 0.5, 1.0, b), np.where((a <= b) & (b >= 0), a, 0.0),
                (a < 0) | (b < 0)], atol=0.0)


@kernel
def product(rows, constant, out):
    r = (lanes.get(rows, 0), lanes.get(rows, 1), lanes.get(rows, 2), lanes.get(rows, 3))
    t = (lanes.get(rows, 4), lanes.get(rows, 5), lanes.get(rows, 6))
    r, t = frame.mul((r, t), frame.load(constant))
    for i in range(4):
        lanes.put(r[i], out, i)
    for i in range(3):
        lanes.put(t[i], out, 4 + i)


def test_kernels_for_numbers_take_lanes():
    constant = RNG.normal(size=7)
    out = np.zeros_like(FRAMES)
    variant(product, 'compiled')(FRAMES, constant, out)
    for lane in range(lanes.WIDTH):
        r, t = frame.mul(frame.load(FRAMES[:, lane]), frame.load(constant))
        close(out[:, lane], [*r, *t], atol=1e-13)


def test_the_arc_tangent_is_good_to_seven_digits():
    t = np.linspace(1e-9, 1.0, 1000)
    close(lanes.arc_tangent_over(t * t), np.arctan(t) / t, atol=7e-7)
