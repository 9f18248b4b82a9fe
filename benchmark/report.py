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
from pathlib import Path

from . import figures
from .bars import bars, OURS, rate
from .markdown import figure, number, overview, percent, table
from .report_experiments import experiments
from .report_given import given
from .suite import MATRICES, TITLES

PRELUDE = """\
Every number on this page was measured in one run by `make bench` (`python -m benchmark`). All
solvers get the same URDF, the same goals and the same seeds, in portions that are dealt out in
turn and in changing order, on one processor core. A turn begins with calls that are not measured
(up to 5 ms, on other goals), because whoever had the core before has emptied the caches; then
come about 20 ms of measured work with Python's garbage collection off. The rule is the same for
everybody; solvers that need more than 2 ms per call are not warmed up.

*Solved* means: forward kinematics by **Pinocchio**, not by the solver, finds every tip within the
tolerance and every joint within its limits. *Refused* counts claims of success that Pinocchio
refuses; *outside* counts answers that leave the joint limits. Times are per call from Python with
the goal in the solver's own type (a section of its own gives everybody 4x4 arrays instead),
including the reading of the joint values and of the verdict, failures included; stretches of about
a millisecond of calls during which another process took the core are repeated. A solver stops
early when its share of the run's time is used up; *asked* says how many goals it got. Peers
without restarts get random restarts around them within the same time budget; the two threads of
TRAC-IK share the core. The analytic peers return their first answer within limits, in a stream the
nearest one; ssik runs in C++, by the module that `ssik build` writes for each arm. Joints without
end stops get a range of one turn (±2π) either way, as the vendors' limited models have: peers
disagree about unlimited joints, and so all solve the same problem."""


YOURSELF = """\
## Run it yourself

```
make bench ARGS=--quick                 # this page in a few minutes; without --quick, in an hour
make bench ARGS="--only mid stream"     # some parts; --help lists them, and how to choose peers
make bench ARGS="--bvh walk.bvh"        # the human follows your motion capture
python -m benchmark.compare old.json new.json
```

The numbers are kept in `build/benchmark.json`; the comparison of two such files lists every cell
that became slower or is solved less often, and fails if one of ours did."""


def write(results: dict, docs: Path) -> None:
    """Write the page and its figures."""
    names = figures.draw(results, docs / 'images' / 'benchmark')
    parts = ['# Benchmark', PRELUDE, *_machine(results['meta']), *_bars(results),
             *_losses(results['rows']), *given(results), *_overview(results['rows']),
             *_cases(results['rows'], names), *_batch(results['batch']),
             *_kinematics(results['kinematics']), *_program(results.get('program', [])),
             *_first(results['calls']),
             *experiments(results['experiments'], names), *_node(results.get('node')),
             *_skipped(results['skipped']), YOURSELF]
    (docs / 'benchmark.md').write_text('\n\n'.join(parts) + '\n', encoding='utf-8')


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


def _overview(rows: list[dict]) -> Iterator[str]:
    rows = [row for row in rows if row['case'] == 'mid']
    if rows:
        yield f"## {TITLES['mid']}"
        yield 'Solved [%] / mean time [us], failures included; fastest first.'
        yield overview(rows)


def _cases(rows: list[dict], names: list[str]) -> Iterator[str]:
    for case, title in TITLES.items():
        mine = [row for row in rows if row['case'] == case]
        if not mine or case in MATRICES:
            continue
        yield f"## {title if case != 'mid' else 'The same in detail'}"
        yield from figure(names, f'success_{case}')
        yield from figure(names, f'{case}_errors')
        for robot in dict.fromkeys(row['label'] for row in mine):
            yield f'**{robot}**'
            yield _detail(case, [row for row in mine if row['label'] == robot])
        if case == 'tips':
            yield from figure(names, 'growth')


def _detail(case: str, rows: list[dict]) -> str:
    """Return the table of a case on a robot; out of reach, the share of best reaches counts."""
    head = ['solver', 'asked', 'best reach [%]' if case == 'unreachable' else 'solved [%]',
            'refused', 'outside', 'mean [us]', 'median', 'p99', *(['flips'] * (case == 'stream'))]
    return table(head, [
        [row['solver'], row['asked'], percent(_share(row)), row['refused'], row['outside_limits'],
         number(row['mean_us']), number(row['median_us']), number(row['p99_us']),
         *([row['flips']] * (case == 'stream'))]
        for row in sorted(rows, key=lambda row: row['median_us'])])


def _share(row: dict) -> float:
    """Return the share of solved goals, or of best reaches where goals are out of reach."""
    return row['optimal'] / row['asked'] if row['case'] == 'unreachable' else rate(row)


def _losses(rows: list[dict]) -> Iterator[str]:
    """Name every cell in which a peer is faster or solves more than the better one of ours."""
    lines = []
    for case, robot in dict.fromkeys((row['case'], row['label']) for row in rows):
        here = [row for row in rows if (row['case'], row['label']) == (case, robot)]
        ours = [row for row in here if row['solver'] in OURS]
        if not ours:
            continue
        best = max(ours, key=_share)
        fastest = min(row['median_us'] for row in ours)
        for row in here:
            if row['solver'].startswith('dq_ik'):
                continue
            if _share(row) > _share(best):
                lines.append((f'{case}, {robot}', row['solver'],
                              f"{percent(_share(row))} % of {row['asked']}, "
                              f"ours {percent(_share(best))} % of {best['asked']}"))
            if row['median_us'] < fastest and _share(row) > 0.5:
                lines.append((f'{case}, {robot}', row['solver'],
                              f"median {number(row['median_us'])} us, ours {number(fastest)} us"))
    yield '## Where we lose'
    yield 'Every case in which a peer solves more than our better solver, or is faster (median).'
    yield table(('case', 'peer', 'how'), lines) if lines else 'There is none in this run.'


def _batch(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Batches on all cores'
        yield ("TRAC-IK's protocol again. Solvers that take many goals at once get them in one "
               'call; the others run as a plain loop in one process per core.')
        yield table(('robot', 'solver', 'how', 'seed', 'cores', 'asked', 'solved [%]',
                     'solves per second'),
                    [(row['robot'], row['solver'], row['how'], row['seed'], row['cores'],
                      row['asked'], percent(rate(row)), f"{row['per_second']:,.0f}")
                     for row in rows if row['given'] != '4x4'])


def _kinematics(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Forward kinematics and Jacobians'
        yield ('Medians [us] per configuration, on one core, all in turn. *Kernel*: thousands in '
               'one call of `Chain.fk_batch` (all tips) and of `Chain.jacobian_batch` (pose and '
               'Jacobian of one tip). *Python*: one by one for one tip, by `Chain.fk` and by '
               '`Chain.jacobian`. *Pinocchio*: the same, one by one from Python, by the faster of '
               'two ways each: `forwardKinematics` and `updateFramePlacement`, or '
               '`framesForwardKinematics`; `computeFrameJacobian`, or `computeJointJacobians` and '
               '`getFrameJacobian`.')
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
        yield ('In a fresh process, without the start of Python itself: import, read the URDF of '
               'the Panda, prepare the solver, solve a pose given as a 4x4 array. The best of '
               'several processes; the import of numpy alone beside it, of which ours has to wait '
               'for all.')
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
