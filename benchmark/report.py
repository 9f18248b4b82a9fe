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
"""The page ``docs/benchmark.md``: tables and figures from the numbers of one run."""
from __future__ import annotations

from collections.abc import Iterator
import csv
from pathlib import Path

from . import figures
from .bars import bars, OURS, rate
from .markdown import figure, number, overview, percent, share, table
from .report_experiments import experiments
from .report_given import given
from .report_paths import paths
from .suite import MATRICES, TITLES

PRELUDE = """\
`make bench` (`python -m benchmark`) measured every number on this page in one run.

- **Equal terms.** All solvers get the same URDF, goals and seeds, on one processor core. Solvers
  take turns in changing order. A turn begins with up to 5 ms of calls on other goals, which are
  not measured, because the solver before has emptied the caches. About 20 ms of measured calls
  follow, with Python's garbage collection off. Solvers that need more than 2 ms per call are not
  warmed up.
- ***Solved*.** Every tip is within the tolerance and every joint within its limits, by forward
  kinematics of **Pinocchio**, not of the solver.
- **Times** are per call from Python, failures included, with the goal in the solver's own type.
  They include reading the joint values and the verdict. One section gives every solver 4x4 arrays
  instead. If another process takes the core during about a millisecond of calls, these calls are
  repeated.
- ***Asked*** is the number of goals that a solver got. A solver stops early when its share of the
  run's time is used up.
- **Restarts.** A peer without restarts gets random restarts around it within the same time
  budget. The two threads of TRAC-IK share the core.
- **Analytic peers** return their first answer within limits; in a stream, the nearest one. ssik
  runs in C++, by the module that `ssik build` writes for each arm.
- **Joints without end stops** get a range of one turn (±2π) either way, as in the vendors'
  limited models. Peers disagree about unlimited joints, so this gives all the same problem.

[benchmark.csv](benchmark.csv) has one line per case, robot and solver, with medians and 99th
percentiles. Its column *optimal* counts best reaches."""

YOURSELF = """\
## Run it yourself

```
make bench ARGS=--quick                 # this page in a few minutes; without --quick, in an hour
make bench ARGS="--only mid stream"     # some parts; --help lists them, and how to choose peers
make bench ARGS="--bvh walk.bvh"        # the human follows your motion capture
make bench ARGS=--page-only             # write the page again from the numbers of the last run
python -m benchmark.compare old.json new.json
```

`build/benchmark.json` keeps the numbers. The comparison of two such files lists every cell that
became slower or is solved less often. It fails if one of ours did."""

FIGURES = {'mid': ('success',), 'stream': ('stream_errors',), 'tips': ('growth',)}
LEGENDS = {'stream': 'Solved [%] / mean time [us] / flips',
           'unreachable': 'Best reach [%] / mean time [us]'}
CELL = ('asked', 'solved', 'optimal', 'refused', 'outside_limits', 'flips', 'mean_us', 'median_us',
        'p99_us')


def write(results: dict, docs: Path) -> None:
    """Write the page, its figures, and the table of all cells."""
    names = figures.draw(results, docs / 'images' / 'benchmark')
    parts = ['# Benchmark', PRELUDE, *_machine(results['meta']), *_bars(results),
             *_losses(results['rows']), *given(results), *_cases(results['rows'], names),
             *paths(results), *_claims(results['rows']), *_batch(results['batch']),
             *_kinematics(results['kinematics']), *_program(results.get('program', [])),
             *_first(results['calls']),
             *experiments(results['experiments'], names), *_node(results.get('node')),
             *_skipped(results['skipped']), YOURSELF]
    (docs / 'benchmark.md').write_text('\n\n'.join(parts) + '\n', encoding='utf-8')
    _write_cells(results['rows'], docs / 'benchmark.csv')


def _write_cells(rows: list[dict], path: Path) -> None:
    """Write one line per case, robot and solver."""
    with path.open('w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(('case', 'robot', 'solver', *CELL))
        writer.writerows((row['case'], row['label'], row['solver'],
                          *(f'{row[key]:.4g}' if key.endswith('us') else row[key] for key in CELL))
                         for row in rows)


def _machine(meta: dict) -> Iterator[str]:
    packages = ', '.join(f'{name} {version}' for name, version in meta['packages'].items())
    library = f", {meta['library']}"
    solvers = ', '.join(f'{name} {version}' for name, version in meta['solvers'].items()
                        if not name.startswith('dq_ik'))
    yield (f"Run of {meta['date']} at commit `{meta['commit']}`: `{meta['command']}`, "
           f"{meta['seconds']:.0f} s.\n{meta['processor']}, {meta['cores']} cores, pinned to core "
           f"{meta['core']}, load {meta['load']:.2f} at the start; {meta['system']}, "
           f"Python {meta['python']}, {packages}{library}.\nPeers: {solvers}.")


def _bars(results: dict) -> Iterator[str]:
    rows = [(bar.demand, bar.measured, 'yes' if bar.met else '**no**') for bar in bars(results)]
    if rows:
        yield '## The bars of this project'
        yield table(('bar', 'measured', 'met'), rows)


def _cases(rows: list[dict], names: list[str]) -> Iterator[str]:
    for case, title in TITLES.items():
        mine = [row for row in rows if row['case'] == case]
        if mine and case not in MATRICES:
            yield f'## {title}'
            yield f"{LEGENDS.get(case, 'Solved [%] / mean time [us]')}; fastest first."
            yield overview(mine, flips=case == 'stream')
            for name in FIGURES.get(case, ()):
                yield from figure(names, name)


def _claims(rows: list[dict]) -> Iterator[str]:
    """Sum up which claims and limits Pinocchio did not confirm."""
    keys = ('asked', 'refused', 'outside_limits')
    if rows:
        yield '## Wrong claims'
        yield ('All cases together. *Refused*: the solver claims success, Pinocchio does not '
               'confirm it. *Outside*: the answer leaves the joint limits.')
        yield table(('solver', 'asked', 'refused', 'outside'), [
            (solver, *(f"{sum(row[key] for row in rows if row['solver'] == solver):,}"
                       for key in keys)) for solver in dict.fromkeys(r['solver'] for r in rows)])


def _losses(rows: list[dict]) -> Iterator[str]:
    """Name every cell in which a peer is faster or solves more than the better one of ours."""
    lines = []
    for case, robot in dict.fromkeys((row['case'], row['label']) for row in rows):
        here = [row for row in rows if (row['case'], row['label']) == (case, robot)]
        ours = [row for row in here if row['solver'] in OURS]
        if not ours:
            continue
        best = max(ours, key=share)
        fastest = min(row['median_us'] for row in ours)
        for row in here:
            if row['solver'].startswith('dq_ik'):
                continue
            if share(row) > share(best):
                lines.append((f'{case}, {robot}', row['solver'],
                              f"{percent(share(row))} % of {row['asked']}, "
                              f"ours {percent(share(best))} % of {best['asked']}"))
            if row['median_us'] < fastest and share(row) > 0.5:
                lines.append((f'{case}, {robot}', row['solver'],
                              f"median {number(row['median_us'])} us, ours {number(fastest)} us"))
    yield '## Where we lose'
    yield 'Cases in which a peer solves more than our better solver, or has the lower median time.'
    yield table(('case', 'peer', 'how'), lines) if lines else 'There is none in this run.'


def _batch(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Batches on all cores'
        yield ("TRAC-IK's protocol. A solver that takes many goals at once gets them in one call. "
               'The others run as a plain loop in one process per core.')
        yield table(('robot', 'solver', 'how', 'seed', 'cores', 'asked', 'solved [%]',
                     'solves per second'),
                    [(row['robot'], row['solver'], row['how'], row['seed'], row['cores'],
                      row['asked'], percent(rate(row)), f"{row['per_second']:,.0f}")
                     for row in rows if row['given'] != '4x4'])


def _kinematics(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Forward kinematics and Jacobians'
        yield 'Medians [us] per configuration, on one core, all in turn.'
        yield ('- *Kernel*: thousands in one call of `Chain.fk_batch` (all tips) and of '
               '`Chain.jacobian_batch` (pose and Jacobian of one tip).\n'
               '- *Python*: one by one for one tip, by `Chain.fk` and `Chain.jacobian`.\n'
               '- *Pinocchio*: one by one from Python, by the faster of two ways: '
               '`forwardKinematics` and `updateFramePlacement`, or `framesForwardKinematics`; '
               '`computeFrameJacobian`, or `computeJointJacobians` and `getFrameJacobian`.')
        keys = [key for key in rows[0] if key != 'robot']
        yield table(('robot', *(key.replace('_', ' ') for key in keys)),
                    [(row['robot'], *(f'{row[key]:.2f}' for key in keys)) for row in rows])


def _program(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## A program in C++'
        yield ('`examples/cpp/solve.cpp` solves 10,000 random poses one by one. *Kernel*: the '
               'same poses in one call of the library. Medians [us] of rounds in turn, on one '
               'core.')
        yield table(('robot', 'program', 'kernel', 'ratio'), [
            (row['robot'], number(row['program_us']), number(row['kernel_us']),
             f"{row['ratio']:.2f}") for row in rows])


def _first(found: dict) -> Iterator[str]:
    if 'first' in found:
        yield '## From import to the first answer'
        yield ('A fresh process imports the package, reads the URDF of the Panda, prepares the '
               'solver and solves a pose given as a 4x4 array. The start of Python itself is not '
               'counted. The time includes the import of numpy. The best of several processes.')
        yield table(('what', 'seconds'), [
            ('`import dq_ik` to the first answer', f"{found['first']['dq_ik']:.2f}"),
            ('`import numpy`', f"{found['first']['numpy']:.2f}")])


def _node(found: dict | None) -> Iterator[str]:
    if found:
        yield '## The ROS node'
        yield table(('what', 'measured'), found.items())


def _skipped(lines: list[dict]) -> Iterator[str]:
    if lines:
        yield '## Skipped'
        yield '\n'.join(f'- {line}' for line in skipped(lines))


def skipped(lines: list[dict]) -> list[str]:
    """Return who was skipped on which robots and why, the same reasons together."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        reasons.setdefault((line['solver'], line['reason']), []).append(line['robot'])
    return [f'{solver}, {", ".join(on)}: {reason}' for (solver, reason), on in reasons.items()]
