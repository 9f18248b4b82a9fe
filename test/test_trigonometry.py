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

"""Sines and cosines in tables, against the library's."""

from __future__ import annotations

from dq_ik.core.algebra import trigonometry
from dq_ik.core.algebra.trigonometry import ANGLE, COSINE, fill_table, LANES, LARGE, SINE
from helpers import BOTH, variant
import numpy as np
import pytest

both = pytest.mark.parametrize('how', BOTH)


def filled(how: str, angles: np.ndarray) -> np.ndarray:
    """Return a table of these angles."""
    table = np.zeros((3, -(-len(angles) // LANES) * LANES))
    table[ANGLE, :len(angles)] = angles
    variant(fill_table, how)(table)
    return table[:, :len(angles)]


@both
@pytest.mark.parametrize('largest', [1e-8, 1.0, 10.0, 1e3, 0.99 * LARGE, 10 * LARGE])
def test_tables_are_exact_to_the_rounding_of_the_angles(how, largest):
    angles = np.random.default_rng(1).uniform(-largest, largest, 300)
    table = filled(how, angles)
    rounding = 4e-16 + 0.5 * np.spacing(largest)
    np.testing.assert_allclose(table[SINE], np.sin(angles), rtol=0, atol=rounding)
    np.testing.assert_allclose(table[COSINE], np.cos(angles), rtol=0, atol=rounding)


@both
def test_quarters_of_a_turn(how):
    angles = np.arange(-9, 10) * np.pi / 4
    table = filled(how, angles)
    np.testing.assert_allclose(table[SINE], np.sin(angles), rtol=0, atol=3e-16)
    np.testing.assert_allclose(table[COSINE], np.cos(angles), rtol=0, atol=3e-16)


@both
def test_what_is_no_number_stays_none_and_spoils_nothing_else(how):
    table = filled(how, np.array([0.5, np.nan, 1.5]))
    assert np.isnan(table[1:, 1]).all()
    np.testing.assert_allclose(table[SINE, [0, 2]], np.sin([0.5, 1.5]), rtol=0, atol=3e-16)


def test_lanes():
    assert trigonometry.LANES % 4 == 0
