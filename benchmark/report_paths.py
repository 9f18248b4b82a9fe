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
"""The tables of the hard paths."""
from __future__ import annotations

from collections.abc import Iterator

from .markdown import number, percent, table

STREAMS = """\
Each joint moves by a sum of three sines (0.05 to 0.15 Hz) over 90 % of its range, for 8 s at
500 Hz. The solvers get the poses one by one, and the first posture. *Slowed* paths are the same,
played so slowly that the motion they come from keeps the speed limits of the URDF. *Ordinary*
paths move each joint by at most 1.2 rad per second. `dq_ik stream` keeps every joint step within
the bound; peers have no such bound and solve each frame from their last answer, the toolbox with
restarts of its own, TRAC-IK too, within 2 ms. *Solved*: within 1e-5 m and 1e-5 rad and the joint
limits, by Pinocchio. *Flips*: steps of a joint over 0.1 rad. *Step*: the largest one, as a
multiple of the bound."""

WHOLE = """\
The whole path is given at once (`dq_ik.stream.whole_path.follow_path`), and the start is free.
*Followed*: from end to end without a lost frame, by Pinocchio. Times are on all cores."""


def paths(results: dict) -> Iterator[str]:
    """Yield the tables of the parts that were run."""
    rows = results.get('paths', [])
    if rows:
        yield '## Hard paths'
        yield STREAMS
    for kind in dict.fromkeys(row['kind'] for row in rows):
        yield f'### {kind.capitalize()} paths'
        yield table(('robot', 'bound [rad per frame]', 'solver', 'paths', 'solved [%]',
                     'paths followed [%]', 'flips', 'step', 'mean per frame [us]'),
                    [(row['label'], _bound(row), row['solver'], row['paths'],
                      percent(row['solved'] / row['frames']),
                      percent(row['followed'] / row['paths']), row['flips'],
                      f"{row['largest_step']:.3f}", number(row['mean_us']))
                     for row in rows if row['kind'] == kind])
    if results.get('whole_paths'):
        yield '## Whole paths given at once'
        yield WHOLE
        yield table(('robot', 'bound [rad per frame]', 'paths', 'followed [%]', 'lost frames',
                     'step', 'mean time per path [s]', 'longest [s]'),
                    [(row['label'], _bound(row), row['paths'],
                      percent(row['followed'] / row['paths']), row['frames'] - row['solved'],
                      f"{row['largest_step']:.3f}", f"{row['seconds'] / row['paths']:.2f}",
                      f"{row['longest']:.2f}") for row in results['whole_paths']])


def _bound(row: dict) -> str:
    return f"{row['bound']:g}" if row['bound'] else 'speed limits of the URDF'
