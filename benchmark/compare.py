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
Compare two runs: ``python -m benchmark.compare OLD.json NEW.json``.

Lists every cell that became slower or less often solved than allowed. The exit status is 1 if
one of ours did.
"""
from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
import json
from pathlib import Path
import sys

OURS = 'dq_ik'


Key = tuple[str, str, str]


@dataclass(frozen=True)
class Cell:
    """Median time [us], and how many goals were solved of those asked."""

    time: float
    solved: int
    asked: int

    @property
    def rate(self) -> float:
        """Share of solved goals."""
        return self.solved / self.asked

    @property
    def variance(self) -> float:
        """Variance of the share, by the rule of succession."""
        share = (self.solved + 1.0) / (self.asked + 2.0)
        return share * (1.0 - share) / self.asked


@dataclass(frozen=True)
class Change:
    """How a cell changed: ratio of the median times, difference of the solve rates, its chance."""

    key: Key
    time_ratio: float
    rate_change: float
    chance: float

    def is_worse(self, slower: float, less: float) -> bool:
        """Tell whether the change is a regression, and not just other luck with few goals."""
        return self.time_ratio > slower or self.rate_change < -less - self.chance

    def __str__(self) -> str:
        """Return a line for people."""
        return (f'{" · ".join(self.key):60s} time x {self.time_ratio:5.2f}, '
                f'solved {100.0 * self.rate_change:+7.3f} points')


def changes(old: dict, new: dict) -> list[Change]:
    """Return the changes of all cells that both runs have."""
    before = dict(cells(old))
    return [Change(key, cell.time / before[key].time, cell.rate - before[key].rate,
                   2.0 * (cell.variance + before[key].variance) ** 0.5)
            for key, cell in cells(new) if key in before]


def cells(run: dict) -> Iterator[tuple[Key, Cell]]:
    """Yield all cells of a run with case, robot and solver."""
    for row in run['rows']:
        yield ((row['case'], row['robot'], row['solver']),
               Cell(row['median_us'], row['solved'], row['asked']))
    for row in run['batch']:
        given = ', as 4x4' if row.get('given') == '4x4' else ''
        yield (('batch', f"{row['robot']}, seed {row['seed']}{given}", row['solver']),
               Cell(1e6 / row['per_second'], row['solved'], row['asked']))
    for name in run['experiments'].keys() & {'hand', 'humanoid'}:
        for row in run['experiments'][name]['rows']:
            what = row['motion'] if name == 'hand' else f"{row['goals']}, {row['interval']} s"
            restarts = ', restarts' if row.get('restarts') else ''
            yield ((name, what, f"{OURS} {row['method']}{restarts}"),
                   Cell(row['median_us'], row['solved'], row['frames']))


def main(words: list[str]) -> int:
    """Print the regressions; return 1 if there is one of ours."""
    parser = argparse.ArgumentParser('python -m benchmark.compare', description=__doc__)
    parser.add_argument('old', type=Path)
    parser.add_argument('new', type=Path)
    parser.add_argument('--slower', type=float, default=1.25, metavar='RATIO',
                        help='allowed ratio of median times (default: %(default)s)')
    parser.add_argument('--less', type=float, default=0.002, metavar='SHARE',
                        help='allowed loss of solve rate, beside chance (default: %(default)s)')
    options = parser.parse_args(words)
    found = changes(*(json.loads(path.read_text(encoding='utf-8'))
                      for path in (options.old, options.new)))
    worse = [change for change in found if change.is_worse(options.slower, options.less)]
    for change in sorted(worse, key=lambda change: -change.time_ratio):
        print(change)
    ours = [change for change in worse if change.key[2].startswith(OURS)]
    print(f'{len(found)} cells compared, {len(worse)} worse, {len(ours)} of them ours')
    return 1 if ours else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
