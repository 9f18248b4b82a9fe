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
"""The part of the page about the experiments of the papers."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .figures import name_of
from .markdown import figure, number, percent, table

HAND = """\
Each frame starts from the last answer, with one attempt of at most 1/60 s, to 0.1 mm and 1 mrad.
The answer of `pgs_paper` and `pls_paper` is where their iterations end. Our default forms end a
failed attempt with the best reach."""

HUMANOID = """\
Each frame starts from the last answer. `transpose` to `pgs_paper` are as published: one attempt
with as many iterations as take 15 ms. The answer is where it ends, within the limits. `pls` and
`pgs` are our default forms, which stop by themselves. They run in one attempt, as for a stream,
and with the default restarts within the same 15 ms (`Solver(chain, method='pls',
timeout=0.015)`), as for a goal that jumps. Damped least squares gets the same restarts for
comparison. *Solved* means every end effector within 1e-5 m and 1e-5 rad."""


def experiments(found: dict, names: list[str]) -> Iterator[str]:
    """Yield the tables and figures of the experiments that were run."""
    if found:
        yield '## The experiments of the papers'
        yield '[experiments.md](experiments.md) describes them.'
    if 'hand' in found:
        yield from _hand(found['hand']['rows'])
        yield from figure(names, 'hand_errors')
    if 'humanoid' in found:
        yield from _humanoid(found['humanoid'])
        yield from figure(names, 'humanoid')
        yield from figure(names, 'humanoid_errors')
    if 'solvers' in found:
        yield from _solvers(found['solvers'])


def _hand(rows: list[dict]) -> Iterator[str]:
    yield '### A hand with 22 degrees of freedom and five fingertips'
    yield HAND
    yield table(('motion', 'method', 'frames', 'solved [%]', 'iterations', 'median [us]', 'p99',
                 'rms error [mm]', 'largest step [rad]', 'jitter [rad]'),
                [(row['motion'], row['method'], row['frames'],
                  percent(row['solved'] / row['frames']), f"{row['iterations']:.1f}",
                  number(row['median_us']), number(row['p99_us']), f"{row['rms_mm']:.3g}",
                  f"{row['largest_step']:.3g}",
                  '' if row['jitter'] is None else f"{row['jitter']:.1e}")
                 for row in sorted(rows, key=lambda row: row['motion'])])


def _humanoid(found: dict) -> Iterator[str]:
    yield '### A human with 71 degrees of freedom and six end effectors, 15 ms per frame'
    yield f"Motion: {found['source']}. {HUMANOID}"
    yield table(('interval [s]', 'method', 'frames', 'solved [%]', 'median squared error [m²]',
                 'worst', 'iterations', 'median [us]', 'p99', 'largest step [rad]'),
                [(row['interval'], name_of(row), row['frames'],
                  percent(row['solved'] / row['frames']),
                  f"{np.median(row['squared_errors']):.1e}", f"{max(row['squared_errors']):.1e}",
                  f"{row['iterations']:.0f}", number(row['median_us']), number(row['p99_us']),
                  f"{row['largest_step']:.2f}")
                 for row in found['rows']])


def _solvers(found: dict) -> Iterator[str]:
    yield f"### Solvers compared, one start, no restarts: {found['robot']}"
    yield table(('method', 'flops (003)', 'solved near [%]', 'anywhere [%]', 'singular goals [%]',
                 'iterations near', 'us per iteration', 'mean near [us]'),
                [(row['method'], row['complexity'], percent(row['near']['solved']),
                  percent(row['far']['solved']), percent(row['singular']['solved']),
                  number(row['near']['iterations']), f"{row['near']['iteration_us']:.2f}",
                  number(row['near']['mean_us'])) for row in found['rows']])
