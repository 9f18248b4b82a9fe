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

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from . import figures
from .bars import bars, rate
from .suite import TITLES

PRELUDE = """\
Every number on this page was measured in one run by `make bench` (`python -m benchmark`). All
solvers get the same URDF, the same goals and the same seeds, in small portions that are dealt out
in turn and in changing order, on one processor core. *Solved* means: forward kinematics by
**Pinocchio**, not by the solver, finds every tip within the tolerance and every joint within its
limits. *Refused* counts claims of success that Pinocchio refuses; *outside* counts answers that
leave the joint limits. Times are per call from Python with the goal in the solver's own type,
failures included; a call during which another process took the core is repeated. A solver stops
early when its share of the run's time is used up; *asked* says how many goals it got. Peers
without restarts get random restarts around them within the same time budget."""


def write(results: dict, docs: Path) -> None:
    """Write the page and its figures."""
    names = figures.draw(results, docs / 'images' / 'benchmark')
    parts = ['# Benchmark', PRELUDE, *_machine(results['meta']), *_bars(results),
             *_overview(results['rows']), *_figure(names, 'success_over_time.svg'),
             *_cases(results['rows']), *_figure(names, 'growth.svg'), *_losses(results['rows']),
             *_batch(results['batch']), *_kinematics(results['kinematics']),
             *_experiments(results['experiments'], names), *_node(results.get('node')),
             *_skipped(results['skipped'])]
    (docs / 'benchmark.md').write_text('\n\n'.join(parts) + '\n', encoding='utf-8')


def table(head: Sequence[str], rows: Iterable[Sequence]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""
    lines = ['| ' + ' | '.join(head) + ' |', '| --- |' + ' ---: |' * (len(head) - 1)]
    lines += ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows]
    return '\n'.join(lines)


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


def _machine(meta: dict) -> Iterator[str]:
    packages = ', '.join(f'{name} {version}' for name, version in meta['packages'].items())
    solvers = ', '.join(f'{name} {version}' for name, version in meta['solvers'].items()
                        if not name.startswith('dq_ik'))
    yield (f"Run of {meta['date']} at commit `{meta['commit']}`: `{meta['command']}`, "
           f"{meta['seconds']:.0f} s.\n{meta['processor']}, {meta['cores']} cores, pinned to core "
           f"{meta['core']}, load {meta['load']:.2f} at the start; {meta['system']}, "
           f"Python {meta['python']}, {packages}.\nPeers: {solvers}.")


def _bars(results: dict) -> Iterator[str]:
    rows = [(bar.demand, bar.measured, 'yes' if bar.met else '**no**') for bar in bars(results)]
    if rows:
        yield '## The bars of this project'
        yield table(('bar', 'measured', 'met'), rows)


def _overview(rows: list[dict]) -> Iterator[str]:
    rows = [row for row in rows if row['case'] == 'mid']
    if not rows:
        return
    robots = list(dict.fromkeys(row['label'] for row in rows))
    cells = {(row['solver'], row['label']): row for row in rows}
    solvers = sorted({row['solver'] for row in rows}, key=lambda name: _mean_time(rows, name))
    yield f"## {TITLES['mid']}"
    yield 'Solved [%] / mean time [us], failures included; fastest first.'
    yield table(('solver', *robots), [
        (name, *(_cell(cells.get((name, robot))) for robot in robots)) for name in solvers])


def _mean_time(rows: list[dict], solver: str) -> float:
    times = [row['mean_us'] for row in rows if row['solver'] == solver]
    return sum(times) / len(times)


def _cell(row: dict | None) -> str:
    return f"{percent(rate(row))} / {number(row['mean_us'])}" if row else '–'


def _cases(rows: list[dict]) -> Iterator[str]:
    for case, title in TITLES.items():
        mine = [row for row in rows if row['case'] == case]
        if mine:
            yield f"## {title if case != 'mid' else 'The same in detail'}"
        for robot in dict.fromkeys(row['label'] for row in mine):
            yield f'**{robot}**'
            yield _detail(case, [row for row in mine if row['label'] == robot])


def _detail(case: str, rows: list[dict]) -> str:
    extra = {'stream': [('flips', 'flips')], 'unreachable': [('best reach [%]', 'optimal')]}
    head = ['solver', 'asked', 'solved [%]', 'refused', 'outside', 'mean [us]', 'median', 'p99',
            *(title for title, _ in extra.get(case, []))]
    lines = []
    for row in sorted(rows, key=lambda row: row['median_us']):
        line = [row['solver'], row['asked'], percent(rate(row)), row['refused'],
                row['outside_limits'], number(row['mean_us']), number(row['median_us']),
                number(row['p99_us'])]
        if case == 'stream':
            line.append(row['flips'])
        if case == 'unreachable':
            line.append(percent(row['optimal'] / row['asked']))
        lines.append(line)
    return table(head, lines)


def _losses(rows: list[dict]) -> Iterator[str]:
    """Name every cell in which a peer is faster or solves more than the better one of ours."""
    lines = []
    for case, robot in dict.fromkeys((row['case'], row['label']) for row in rows):
        here = [row for row in rows if (row['case'], row['label']) == (case, robot)]
        ours = [row for row in here if row['solver'] in ('dq_ik pgs', 'dq_ik pls')]
        if not ours or case == 'unreachable':
            continue
        best = max(rate(row) for row in ours)
        fastest = min(row['median_us'] for row in ours)
        for row in here:
            if row['solver'].startswith('dq_ik'):
                continue
            if rate(row) > best:
                lines.append((f'{case}, {robot}', row['solver'],
                              f'solves {percent(rate(row))} %, ours {percent(best)} %'))
            if row['median_us'] < fastest and rate(row) > 0.5:
                lines.append((f'{case}, {robot}', row['solver'],
                              f"median {number(row['median_us'])} us, ours {number(fastest)} us"))
    yield '## Where we lose'
    yield table(('case', 'peer', 'how'), lines) if lines else 'In no cell of this run.'


def _batch(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Batches on all cores'
        yield ("TRAC-IK's protocol again. Solvers that take many goals at once get them in one "
               'call; the others run as a plain loop in one process per core.')
        yield table(('robot', 'solver', 'how', 'seed', 'cores', 'asked', 'solved [%]',
                     'solves per second'),
                    [(row['robot'], row['solver'], row['how'], row['seed'], row['cores'],
                      row['asked'], percent(rate(row)), f"{row['per_second']:,.0f}")
                     for row in rows])


def _kinematics(rows: list[dict]) -> Iterator[str]:
    if rows:
        yield '## Forward kinematics and Jacobians'
        yield ('Medians [us] per configuration: inside a kernel (all tips), and pose and Jacobian '
               'of one tip called from Python: one call each on arrays, one call for 200 '
               '(`Chain.jacobian_batch`), one by one through `Chain`, and Pinocchio one by one.')
        keys = [key for key in rows[0] if key != 'robot']
        yield table(('robot', *(key.replace('_', ' ') for key in keys)),
                    [(row['robot'], *(f'{row[key]:.2f}' for key in keys)) for row in rows])


def _experiments(found: dict, names: list[str]) -> Iterator[str]:
    if found:
        yield '## The experiments of the papers'
        yield 'What they are and what they show is told in [experiments.md](experiments.md).'
    if 'hand' in found:
        yield '### A hand with 22 degrees of freedom and five fingertips'
        yield table(('motion', 'method', 'frames', 'solved [%]', 'iterations', 'median [us]',
                     'p99', 'rms error [mm]', 'largest step [rad]', 'jitter [rad]'),
                    [(row['motion'], row['method'], row['frames'],
                      percent(row['solved'] / row['frames']), f"{row['iterations']:.1f}",
                      number(row['median_us']), number(row['p99_us']), f"{row['rms_mm']:.3g}",
                      f"{row['largest_step']:.3g}",
                      '' if row['jitter'] is None else f"{row['jitter']:.1e}")
                     for row in sorted(found['hand']['rows'], key=lambda row: row['motion'])])
    if 'humanoid' in found:
        yield '### A human with 71 degrees of freedom and six end effectors, 15 ms per frame'
        yield f"Motion: {found['humanoid']['source']}."
        yield table(('interval [s]', 'method', 'frames', 'solved [%]', 'median squared error [m²]',
                     'worst', 'iterations', 'median [us]', 'p99'),
                    [(row['interval'], row['method'], row['frames'],
                      percent(row['solved'] / row['frames']),
                      f"{sorted(row['squared_errors'])[len(row['squared_errors']) // 2]:.1e}",
                      f"{max(row['squared_errors']):.1e}", f"{row['iterations']:.0f}",
                      number(row['median_us']), number(row['p99_us']))
                     for row in found['humanoid']['rows']])
        yield from _figure(names, 'humanoid.svg')
    if 'solvers' in found:
        yield from _solvers(found['solvers'])


def _solvers(found: dict) -> Iterator[str]:
    yield f"### Solvers compared, one start, no restarts: {found['robot']}"
    yield table(('method', 'flops (003)', 'solved near [%]', 'anywhere [%]', 'singular goals [%]',
                 'iterations near', 'us per iteration', 'mean near [us]'),
                [(row['method'], row['complexity'], percent(row['near']['solved']),
                  percent(row['far']['solved']), percent(row['singular']['solved']),
                  number(row['near']['iterations']), f"{row['near']['iteration_us']:.2f}",
                  number(row['near']['mean_us'])) for row in found['rows']])


def _node(found: dict | None) -> Iterator[str]:
    if found:
        yield '## The ROS node'
        yield table(('what', 'measured'), found.items())


def _figure(names: list[str], name: str) -> Iterator[str]:
    if name in names:
        yield f'![{name.removesuffix(".svg").replace("_", " ")}](images/benchmark/{name})'


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
