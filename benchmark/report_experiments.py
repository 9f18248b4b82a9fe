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
Each frame starts from the last answer, with one attempt of at most 15 ms for every method, to
1e-6 m and 1e-6 rad unless the row says more. The answer of a published method is where its
iterations end. Our default forms end a failed attempt with the best reach. *Out of reach and back*
is a stream: no joint may move farther than 0.1 rad in a frame."""

HUMANOID = """\
Each frame starts from the last answer. Every method has the same 15 ms and ends early only where
every end effector is within 1e-6 m (and 1e-6 rad for poses), which counts as *solved*, or where it
stalls. Rows without *restarts* are one attempt. Rows with restarts use the default ones within the
same 15 ms (`Solver(chain, method='pls', timeout=0.015)`)."""


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
                 'median error [m]', 'rms error [mm]', 'largest step [rad]', 'jitter [rad]'),
                [(row['motion'], row['method'], row['frames'],
                  percent(row['solved'] / row['frames']), f"{row['iterations']:.1f}",
                  number(row['median_us']), number(row['p99_us']), f"{row['median_error']:.1e}",
                  f"{row['rms_mm']:.3g}", f"{row['largest_step']:.3g}",
                  '' if row['jitter'] is None else f"{row['jitter']:.1e}")
                 for row in sorted(rows, key=lambda row: row['motion'])])


def _humanoid(found: dict) -> Iterator[str]:
    yield '### A human with 71 degrees of freedom and six end effectors, 15 ms per frame'
    yield f"Motion: {found['source']}. {HUMANOID}"
    for kind in dict.fromkeys(row['goals'] for row in found['rows']):
        yield f'Goals: {kind} of the end effectors.'
        yield table(('interval [s]', 'method', 'frames', 'solved [%]', 'median error [m]',
                     'median squared error [m²]', 'worst', 'iterations', 'median [us]', 'p99',
                     'largest step [rad]'),
                    [_frames(row) for row in found['rows'] if row['goals'] == kind])


def _frames(row: dict) -> tuple:
    """Return the cells of a row of the humanoid."""
    middle = float(np.median(row['squared_errors']))
    return (row['interval'], name_of(row), row['frames'], percent(row['solved'] / row['frames']),
            f'{middle ** 0.5:.1e}', f'{middle:.1e}', f"{max(row['squared_errors']):.1e}",
            f"{row['iterations']:.0f}", number(row['median_us']), number(row['p99_us']),
            f"{row['largest_step']:.2f}")


def _solvers(found: dict) -> Iterator[str]:
    yield f"### Solvers compared, one start, no restarts: {found['robot']}"
    yield table(('method', 'flops (003)', 'solved near [%]', 'anywhere [%]', 'singular goals [%]',
                 'iterations near', 'us per iteration', 'mean near [us]'),
                [(row['method'], row['complexity'], percent(row['near']['solved']),
                  percent(row['far']['solved']), percent(row['singular']['solved']),
                  number(row['near']['iterations']), f"{row['near']['iteration_us']:.2f}",
                  number(row['near']['mean_us'])) for row in found['rows']])
