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
"""Tables and numbers in Markdown."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""
    lines = ['| ' + ' | '.join(head) + ' |', '| --- |' + ' ---: |' * (len(head) - 1)]
    lines += ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows]
    return '\n'.join(lines)


def overview(rows: Sequence[dict], *, flips: bool = False) -> str:
    """Return the share [%] and mean time [us] of each solver on each robot, fastest first."""
    robots = list(dict.fromkeys(row['label'] for row in rows))
    cells = {(row['solver'], row['label']): row for row in rows}
    times: dict[str, list[float]] = {}
    for row in rows:
        times.setdefault(row['solver'], []).append(row['mean_us'])
    solvers = sorted(times, key=lambda name: sum(times[name]) / len(times[name]))
    return table(('solver', *robots), [
        (name, *(_cell(cells.get((name, robot)), flips) for robot in robots)) for name in solvers])


def _cell(row: dict | None, flips: bool) -> str:
    if row is None:
        return '–'
    text = f"{percent(share(row))} / {number(row['mean_us'])}"
    return f"{text} / {row['flips']}" if flips else text


def share(row: dict) -> float:
    """Return the share of solved goals, or of best reaches where goals are out of reach."""
    return row['optimal' if row['case'] == 'unreachable' else 'solved'] / row['asked']


def number(value: float | None) -> str:
    """Format a time or count with three digits that matter."""
    if value is None:
        return ''
    if value >= 1000.0:
        return f'{value:,.0f}'
    return f'{value:.0f}' if value >= 100.0 else f'{value:.1f}'


def percent(share: float) -> str:
    """Format a share; 100 % is reserved for all."""
    text = f'{100.0 * share:.2f}'
    return '99.99+' if text == '100.00' and share < 1.0 else text.removesuffix('.00')


def figure(names: Sequence[str], name: str) -> Iterator[str]:
    """Yield the line that shows a figure, if it was drawn."""
    if name in names:
        yield f'![{name.replace("_", " ")}](images/benchmark/{name}.png)'
