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
"""The bars that the project set itself, and whether this run meets them."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

OURS = ('dq_ik pgs', 'dq_ik pls')
MEAN_BAR = {6: 12.0, 7: 12.0, 8: 20.0, 9: 20.0}  # us by number of joints


@dataclass(frozen=True)
class Bar:
    """A demand, what was measured, and whether that is enough."""

    demand: str
    measured: str
    met: bool


def bars(results: dict) -> Iterator[Bar]:
    """Yield the bars that this run can judge."""
    rows = results['rows']
    for solver in OURS:
        yield from _arms([row for row in rows if row['case'] == 'mid'], solver)
        yield from _stream([row for row in rows if row['case'] == 'stream'], solver)
        yield from _best_reach([row for row in rows if row['case'] == 'unreachable'], solver)
        yield from _batch([row for row in results['batch'] if row['solver'] == solver])
    yield from _kinematics(results['kinematics'])
    yield from _experiments(results['experiments'])


def _arms(rows: list[dict], solver: str) -> Iterator[Bar]:
    ours = {row['robot']: row for row in rows if row['solver'] == solver}
    if not ours:
        return
    worst = min(ours.values(), key=rate)
    yield Bar(f'{solver}: 99.99 % solved on each arm',
              f"{100 * rate(worst):.2f} % at worst ({worst['label']}, {worst['asked']} goals)",
              rate(worst) >= 0.9999)
    slowest = max(ours.values(), key=lambda row: row['mean_us'] / MEAN_BAR[row['dof']])
    yield Bar(f'{solver}: mean at most 12 us (6-7 joints), 20 us (8-9)',
              f"{slowest['mean_us']:.1f} us at worst ({slowest['label']})",
              slowest['mean_us'] <= MEAN_BAR[slowest['dof']])
    for peer, factor in (('TRAC-IK', 80.0), ('toolbox LM Chan', 15.0)):
        ratios = {row['label']: row['mean_us'] / ours[row['robot']]['mean_us']
                  for row in rows if row['solver'] == peer and row['robot'] in ours}
        if ratios:
            least = min(ratios, key=ratios.get)
            yield Bar(f'{solver}: mean {factor:.0f} times less than {peer}',
                      f'{ratios[least]:.0f} times at least ({least})', ratios[least] >= factor)


def _stream(rows: list[dict], solver: str) -> Iterator[Bar]:
    for robot in {row['robot'] for row in rows}:
        here = {row['solver']: row for row in rows if row['robot'] == robot}
        own = here.get(solver)
        if own is None:
            continue
        steady = [row for row in here.values()
                  if not row['flips'] and not row['solver'].startswith('dq_ik')]
        best = max(steady, key=rate, default=None)
        yield Bar(f"{solver}: tracking {own['label']} at most 5 us, no flips",
                  f"{own['mean_us']:.1f} us, {own['flips']} flips",
                  own['mean_us'] <= 5.0 and own['flips'] == 0)
        if best is not None:
            yield Bar(f"{solver}: tracking {own['label']} as often as the best peer without flips",
                      f"{100 * rate(own):.1f} %; {best['solver']} {100 * rate(best):.1f} %",
                      rate(own) >= rate(best))


def _best_reach(rows: list[dict], solver: str) -> Iterator[Bar]:
    for row in rows:
        if row['solver'] == solver:
            share = row['optimal'] / row['asked']
            yield Bar(f"{solver}: best reach within 1 % of SciPy's cost on 99 %, under 1 ms",
                      f"{100 * share:.1f} % of {row['asked']}, p99 {row['p99_us']:.0f} us",
                      share >= 0.99 and row['p99_us'] < 1000.0)


def _batch(rows: list[dict]) -> Iterator[Bar]:
    for row in rows:
        if row['robot'].startswith('Panda'):
            yield Bar(f"{row['solver']}: 400,000 Panda solves/s in a batch, seed {row['seed']}",
                      f"{row['per_second']:,.0f} on {row['cores']} cores",
                      row['per_second'] >= 4e5)


def _kinematics(rows: list[dict]) -> Iterator[Bar]:
    limits = {'Panda (7)': (('kernel_fk', 0.5), ('kernel_fk_jacobian', 1.2)),
              'humanoid (71)': (('kernel_fk_jacobian', 15.0),)}
    for row in rows:
        for key, limit in limits[row['robot']]:
            yield Bar(f"{row['robot']}: {key.replace('_', ' ')} at most {limit} us",
                      f'{row[key]:.2f} us', row[key] <= limit)
        yield Bar(f"{row['robot']}: FK and Jacobian called from Python on arrays as fast as "
                  'Pinocchio',
                  f"{row['python_arrays']:.2f} us; Pinocchio {row['pinocchio_python']:.2f} us",
                  row['python_arrays'] <= row['pinocchio_python'])


def _experiments(found: dict) -> Iterator[Bar]:
    for row in found.get('hand', {}).get('rows', []):
        if row['method'] in ('pgs', 'pls') and row['motion'].startswith('small'):
            yield Bar(f"hand, {row['method']}: 40 us per frame, 2-3 iterations",
                      f"{row['median_us']:.0f} us, {row['iterations']:.1f} iterations",
                      row['median_us'] <= 40.0 and row['iterations'] <= 3.0)
    rows = found.get('humanoid', {}).get('rows', [])
    tracking = [row for row in rows if row['interval'] == min(r['interval'] for r in rows)
                and not row['restarts']]
    for row in tracking:
        if row['method'] in ('pgs', 'pls'):
            yield Bar(f"humanoid, {row['method']}: tracking, median frame at most 120 us",
                      f"{row['median_us']:.0f} us", row['median_us'] <= 120.0)
            own, others = mean(row['squared_errors']), {
                other['method']: mean(other['squared_errors']) for other in tracking
                if other['method'] not in ('pgs', 'pls')}
            best = min(others, key=others.get)
            yield Bar(f"humanoid, {row['method']}: tracking, mean squared error below each "
                      'reference',
                      f'{own:.1e}; {best} {others[best]:.1e}', own <= others[best])


def rate(row: dict) -> float:
    """Return the share of solved problems."""
    return row['solved'] / row['asked']
