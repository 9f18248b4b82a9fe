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
Fuzz the solver, with ``--motion`` the limits of the motion, or with ``--ros`` a node.

    make fuzz ARGS="--minutes 5 --seed 1"

Every case has a number; ``--case`` runs one again. Cases run in processes of their own, so that a
crash or a hang is found too. A violation is written to ``.artifacts/fuzz`` with its robot.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from random import Random
import sys

from . import motions, solves
from .workers import outcomes, Run

ROOT = Path(__file__).parents[2]


def keep(folder: Path, case: str, number: int, text: str, violations: list[str]) -> None:
    """Write how to see violations again."""
    folder.mkdir(parents=True, exist_ok=True)
    command = f'python -m tools.fuzz {case} --case {number}'
    seed = case.split()[-1]
    (folder / f'{seed}_{number}.txt').write_text('\n\n'.join([command, *violations]))
    if text:
        (folder / f'{seed}_{number}.urdf').write_text(text, errors='replace')


def fuzz(run: Run, seed: int, jobs: int, seconds: float,
         folder: Path) -> tuple[Counter, list[str]]:
    """Run cases for a while; return what was counted and one line per kind of violation."""
    counts: Counter = Counter()
    kinds: Counter = Counter()
    worst = 0.0
    option = '--motion ' if run is motions.run_case else ''
    for number, outcome in outcomes(run, seed, jobs, seconds):
        counts['cases'] += 1
        if isinstance(outcome, str):
            violations, text = [outcome], ''
        else:
            counts.update(outcome.counts)
            worst, violations, text = max(worst, outcome.ratio), outcome.violations, outcome.text
        if violations:
            keep(folder, f'{option}--seed {seed}', number, text, violations)
            kinds.update(line.partition(':')[0] for line in violations)
            counts['violations'] += len(violations)
            print(f'case {number}: {violations[0][:150]!r}', flush=True)
        if counts['cases'] % 500 == 0:
            print(f"so far {counts['cases']:,} cases", flush=True)
    if run is solves.run_case:
        print(f'worst time over budget (at least 1 ms; best of 6 solves): {worst:.1f}')
    return counts, [f'{count} x {kind}' for kind, count in kinds.most_common()]


def main() -> int:
    """Fuzz as the arguments say; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog='fuzz', description=__doc__)
    parser.add_argument('--minutes', type=float, default=1.0)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=1, help='processes')
    parser.add_argument('--case', type=int, help='run this one only')
    parser.add_argument('--motion', action='store_true', help='limits of the motion')
    parser.add_argument('--ros', action='store_true', help='a node under random messages')
    parser.add_argument('--folder', type=Path, default=ROOT / '.artifacts' / 'fuzz')
    given = parser.parse_args()
    run = motions.run_case if given.motion else solves.run_case
    if given.case is not None:
        print('\n\n'.join(run(Random(f'{given.seed} {given.case}')).violations))
        return 0
    if given.ros:
        from .node import fuzz_node
        counts, kinds = fuzz_node(given.seed, 60.0 * given.minutes, given.folder)
    else:
        counts, kinds = fuzz(run, given.seed, given.jobs, 60.0 * given.minutes, given.folder)
    for name, count in sorted(counts.items()):
        print(f'{name:28} {count:12,}')
    for kind in kinds:
        print(kind)
    return 1 if counts['violations'] else 0


if __name__ == '__main__':
    sys.exit(main())
