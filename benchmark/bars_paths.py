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
"""The bars of hard paths."""
from __future__ import annotations

from collections.abc import Iterator

from .bar import Bar

#: robot, largest step of a joint per frame -> share solved by the stream, and with look-ahead
HARD = {('UR5', 0.01): (1.0, 1.0), ('Panda', 0.015): (0.98, 0.98), ('Panda', 0.005): (0.93, 0.93),
        ('iiwa', 0.015): (0.96, 0.975), ('iiwa', 0.005): (0.88, 0.905)}
MEAN = 8.0, 20.0  # us per frame, the same two
ORDINARY = 0.999
WHOLE = 0.95  # of whole paths, from end to end


def paths(results: dict) -> Iterator[Bar]:
    """Yield the bars of streams and of whole paths."""
    for row in results.get('paths', []):
        if row['solver'].startswith('dq_ik'):
            yield from _stream(row)
    for row in results.get('whole_paths', []):
        share = row['followed'] / row['paths']
        yield Bar(f"whole paths, {row['label']}, {row['bound']:g} rad per frame: "
                  f'{100 * WHOLE:.0f} % followed, no step above the bound',
                  f"{100 * share:.1f} % of {row['paths']}, step {row['largest_step']:.3f}",
                  share >= WHOLE and row['largest_step'] <= 1.0 + 1e-9)


def _stream(row: dict) -> Iterator[Bar]:
    ahead = row['solver'].endswith('look-ahead')
    wanted = _wanted(row, ahead)
    if wanted is None:
        return
    share = row['solved'] / row['frames']
    yield Bar(f"{row['kind']} paths, {row['label']}, {row['bound']:g} rad per frame, "
              f"{row['solver']}: "
              f'{100 * wanted:g} %, no step above the bound, at most {MEAN[ahead]:.0f} us',
              f"{100 * share:.2f} % of {row['paths']} paths, step {row['largest_step']:.3f}, "
              f"{row['mean_us']:.1f} us",
              share >= wanted and row['largest_step'] <= 1.0 + 1e-9
              and row['mean_us'] <= MEAN[ahead])


def _wanted(row: dict, ahead: bool) -> float | None:
    """Return the share of frames that a row should have solved, None if there is no bar."""
    if row['kind'] == 'ordinary':
        return ORDINARY
    return next((shares[ahead] for (name, bound), shares in HARD.items()
                 if row['kind'] == 'hard' and row['bound'] == bound
                 and row['label'].startswith(name)), None)
