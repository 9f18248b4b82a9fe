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
"""The section in which every solver is given 4x4 arrays."""
from __future__ import annotations

from collections.abc import Iterator

from .bars import rate
from .markdown import number, overview, percent, table

INTRODUCTION = """\
Poses often come as 4x4 arrays. Here every solver gets such an array of numpy. The conversion to
its own type is part of the time, for the peers as for us."""

RANDOM = """\
TRAC-IK's protocol. No solver is warmed up: a turn begins with the caches as the solver before has
left them, and its first calls count. Solved [%] / mean time [us]; fastest first."""


def given(results: dict) -> Iterator[str]:
    """Yield the section, with what this run has measured of it."""
    parts = [*_random(results['rows']), *_stream(results['rows']), *_poses(results['calls']),
             *_batch(results['batch'])]
    if parts:
        yield '## Given as 4x4'
        yield INTRODUCTION
        yield from parts


def _random(rows: list[dict]) -> Iterator[str]:
    rows = [row for row in rows if row['case'] == 'mid_4x4']
    if rows:
        yield '### Random poses, caches cold between turns'
        yield RANDOM
        yield overview(rows)


def _stream(rows: list[dict]) -> Iterator[str]:
    rows = [row for row in rows if row['case'] == 'stream_4x4']
    if rows:
        yield '### Tracking at 500 Hz'
        yield ('Each frame starts from the last answer, without restarts. Solved [%] / mean time '
               '[us] / flips; fastest first.')
        yield overview(rows, flips=True)


def _poses(found: dict) -> Iterator[str]:
    if 'rows' in found:
        yield '### A `Pose` and a 4x4 array compared'
        yield ('The same random poses from the middle, in turn in both forms, in one process. '
               'Medians of the time per call and of the ratio. The time includes reading `q` and '
               '`success`.')
        yield table(('solver', 'robot', '`Pose` [us]', '4x4 [us]', 'ratio'), [
            (row['solver'], row['robot'], number(row['pose_us']), number(row['matrix_us']),
             f"{row['ratio']:.2f}") for row in found['rows']])


def _batch(rows: list[dict]) -> Iterator[str]:
    rows = [row for row in rows if row['given'] == '4x4']
    if rows:
        yield '### Batches on all cores'
        yield ("As in the section on batches. *Speed* compares with goals in the solver's own "
               'type, for ours (N, 8) dual quaternions. Medians of rounds in turn.')
        yield table(('robot', 'solver', 'how', 'seed', 'asked', 'solved [%]', 'solves per second',
                     'speed'),
                    [(row['robot'], row['solver'], row['how'], row['seed'], row['asked'],
                      percent(rate(row)), f"{row['per_second']:,.0f}", f"{row['speed']:.2f}")
                     for row in rows])
