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
"""The bars of the papers' experiments: our default forms against the published methods."""
from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from .bar import Bar

OURS = ('pgs', 'pls')
PAPERS_RIVALS = ('transpose', 'svd')  # Jacobian transpose, and the way of Blender
EQUAL = 1e-6  # errors below count as equal [m]
# [ProjectedLineSearch] says "much lower median" and gives no number; its plots are not in the
# text that we have. We ask for an order of magnitude.
MUCH_LOWER = 10.0
PAPERS_RATE = 100.0  # Hz, [Kenwright2022] section IX
LARGEST_STEP = 0.1  # rad
EXACT = ('to 0.001 mm', 'another gesture each frame')  # motions whose errors can be compared


def experiments(found: dict) -> Iterator[Bar]:
    """Yield the bars of the experiments that were run."""
    hand = found.get('hand', {}).get('rows', [])
    yield from _hand(hand)
    motions = dict.fromkeys(row['motion'] for row in hand)
    for motion in (name for name in motions if name.endswith(EXACT)):
        yield from _smallest(f'hand, {motion}', {
            row['method']: row['median_error'] for row in hand if row['motion'] == motion})
    rows = [row for row in found.get('humanoid', {}).get('rows', []) if not row['restarts']]
    for case in dict.fromkeys((row['goals'], row['interval']) for row in rows):
        yield from _smallest(f'humanoid, {case[0]} every {case[1]} s', {
            row['method']: median(row['squared_errors']) ** 0.5 for row in rows
            if (row['goals'], row['interval']) == case})
    for row in rows:
        if row['method'] in OURS and row['goals'] == 'poses' and row['interval'] < 0.1:
            yield Bar(f"humanoid, {row['method']}: tracking, median frame at most 120 us",
                      f"{row['median_us']:.0f} us", row['median_us'] <= 120.0)


def _hand(rows: list[dict]) -> Iterator[Bar]:
    for row in rows:
        if row['method'] not in OURS:
            continue
        if row['motion'].startswith('small: full'):
            hertz = 1e6 / row['median_us']
            yield Bar(f"hand, {row['method']}, {row['motion']}: 100 times the paper's 100 Hz, "
                      'at most 3 iterations',
                      f"{hertz:,.0f} Hz, {row['iterations']:.1f} iterations",
                      hertz >= 100.0 * PAPERS_RATE and row['iterations'] <= 3.0)
        if row['motion'] == 'out of reach and back':
            yield Bar(f"hand, {row['method']}: out of reach and back, steps of at most "
                      f'{LARGEST_STEP} rad', f"{row['largest_step']:.3f} rad",
                      row['largest_step'] <= LARGEST_STEP + 1e-9)


def _smallest(what: str, errors: dict[str, float]) -> Iterator[Bar]:
    """Ask for the smallest median error, and much less than the paper's rivals have."""
    floored = {name: max(error, EQUAL) for name, error in errors.items()}
    others = {name: error for name, error in floored.items() if name not in OURS}
    if not others:
        return
    best = min(others, key=others.get)
    for name in OURS:
        if name not in floored:
            continue
        own = floored[name]
        much = all(MUCH_LOWER * own <= others[rival] or others[rival] <= EQUAL
                   for rival in PAPERS_RIVALS if rival in others)
        yield Bar(f'{what}, {name}: smallest median error, a tenth of JT and SVD',
                  f'{errors[name]:.1e} m; {best} {errors[best]:.1e} m',
                  own <= others[best] and much)
