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

from .bar import Bar
from .bars_experiments import experiments
from .bars_paths import paths
from .markdown import number

OURS = ('dq_ik pgs', 'dq_ik pls')
MANY_JOINTS = 8
MANY_JOINTS_US = 20.0  # mean for arms with so many joints
FEW_JOINTS_US = 6.0  # mean for arms with fewer, goals given as 4x4


def bars(results: dict) -> Iterator[Bar]:
    """Yield the bars that this run can judge."""
    rows = results['rows']
    for solver in OURS:
        yield from _arms([row for row in rows if row['case'] == 'mid'], solver)
        yield from _arms_4x4([row for row in rows if row['case'] == 'mid_4x4'], solver)
        yield from _stream([row for row in rows if row['case'] == 'stream'], solver)
        yield from _stream_4x4([row for row in rows if row['case'] == 'stream_4x4'], solver)
        yield from _best_reach([row for row in rows if row['case'] == 'unreachable'], solver)
        yield from _batch([row for row in results['batch'] if row['solver'] == solver])
    yield from paths(results)
    yield from _calls(results['calls'])
    yield from _kinematics(results['kinematics'])
    yield from _program(results.get('program', []))
    yield from experiments(results['experiments'])


def _arms(rows: list[dict], solver: str) -> Iterator[Bar]:
    ours = {row['robot']: row for row in rows if row['solver'] == solver}
    if not ours:
        return
    worst = min(ours.values(), key=rate)
    yield Bar(f'{solver}: 99.99 % solved on each arm',
              f"{100 * rate(worst):.2f} % at worst ({worst['label']}, {worst['asked']} goals)",
              rate(worst) >= 0.9999)
    yield from _mean(f'{solver}: mean at most {MANY_JOINTS_US:.0f} us (8-9 joints)',
                     MANY_JOINTS_US, [row for row in ours.values() if row['dof'] >= MANY_JOINTS])
    for peer, factor in (('TRAC-IK', 80.0), ('toolbox LM Chan', 15.0)):
        yield from _times_less(f'{solver}: mean', rows, ours, peer, factor)


def _arms_4x4(rows: list[dict], solver: str) -> Iterator[Bar]:
    """Judge random poses that are given as 4x4 arrays, on cold caches."""
    ours = {row['robot']: row for row in rows if row['solver'] == solver}
    what = f'{solver}: 4x4, cold caches: mean'
    yield from _mean(f'{what} at most {FEW_JOINTS_US:.0f} us (6-7 joints)', FEW_JOINTS_US,
                     [row for row in ours.values() if row['dof'] < MANY_JOINTS])
    for peer, factor in (('TRAC-IK', 70.0), ('toolbox LM Chan', 12.0), ('EAIK (analytic)', 1.0),
                         ('ssik (analytic)', 1.0)):
        yield from _times_less(what, rows, ours, peer, factor)


def _mean(demand: str, limit: float, rows: list[dict]) -> Iterator[Bar]:
    """Judge the slowest of some arms by its mean."""
    if rows:
        slowest = max(rows, key=lambda row: row['mean_us'])
        yield Bar(demand, f"{slowest['mean_us']:.1f} us at worst ({slowest['label']})",
                  slowest['mean_us'] <= limit)


def _times_less(what: str, rows: list[dict], ours: dict[str, dict], peer: str,
                factor: float) -> Iterator[Bar]:
    """Compare the means with those of a peer, on the robot where it comes closest."""
    ratios = {row['label']: row['mean_us'] / ours[row['robot']]['mean_us']
              for row in rows if row['solver'] == peer and row['robot'] in ours}
    if ratios:
        least = min(ratios, key=ratios.get)
        demand = f'{factor:.0f} times less than' if factor > 1.0 else 'less than'
        yield Bar(f'{what} {demand} {peer} on every arm',
                  f'{number(ratios[least])} times at least ({least})', ratios[least] >= factor)


def _stream(rows: list[dict], solver: str) -> Iterator[Bar]:
    for robot in dict.fromkeys(row['robot'] for row in rows):
        here = {row['solver']: row for row in rows if row['robot'] == robot}
        own = here.get(solver)
        if own is None:
            continue
        steady = [row for row in here.values()
                  if not row['flips'] and not row['solver'].startswith('dq_ik')]
        best = max(steady, key=rate, default=None)
        yield Bar(f"{solver}: tracking {own['label']} without flips", f"{own['flips']} flips",
                  own['flips'] == 0)
        if best is not None:
            yield Bar(f"{solver}: tracking {own['label']} as often as the best peer without flips",
                      f"{100 * rate(own):.1f} %; {best['solver']} {100 * rate(best):.1f} %",
                      rate(own) >= rate(best))


def _stream_4x4(rows: list[dict], solver: str) -> Iterator[Bar]:
    """Judge tracking of goals that are given as 4x4 arrays."""
    ours = {row['robot']: row for row in rows if row['solver'] == solver}
    yield from _mean(f'{solver}: 4x4: tracking at most 3.5 us', 3.5, list(ours.values()))
    yield from _times_less(f'{solver}: 4x4: tracking', rows, ours, 'PlaCo', 6.0)


def _best_reach(rows: list[dict], solver: str) -> Iterator[Bar]:
    for row in rows:
        if row['solver'] == solver:
            share = row['optimal'] / row['asked']
            yield Bar(f"{solver}: best reach within 1 % of SciPy's cost on 99 %, under 1 ms",
                      f"{100 * share:.1f} % of {row['asked']}, p99 {row['p99_us']:.0f} us",
                      share >= 0.99 and row['p99_us'] < 1000.0)


def _batch(rows: list[dict]) -> Iterator[Bar]:
    for row in rows:
        if row['given'] == '4x4':
            yield Bar(f"{row['solver']}: batch of {row['robot']} given as (N, 4, 4), seed "
                      f"{row['seed']}: 0.9 of the speed of (N, 8)",
                      f"{row['speed']:.2f}", row['speed'] >= 0.9)
        elif row['robot'].startswith('Panda'):
            yield Bar(f"{row['solver']}: 400,000 Panda solves/s in a batch, seed {row['seed']}",
                      f"{row['per_second']:,.0f} on {row['cores']} cores",
                      row['per_second'] >= 4e5)


def _calls(found: dict) -> Iterator[Bar]:
    for row in found.get('rows', []):
        yield Bar(f"{row['solver']}: {row['robot']} solved from a 4x4 array: at most 1.2 times a "
                  'Pose, at most 4 us',
                  f"{row['ratio']:.2f} times, {row['matrix_us']:.1f} us",
                  row['ratio'] <= 1.2 and row['matrix_us'] <= 4.0)
    if 'first' in found:
        yield Bar('import to first answer in a fresh process: at most 0.5 s',
                  f"{found['first']['dq_ik']:.2f} s", found['first']['dq_ik'] <= 0.5)


def _kinematics(rows: list[dict]) -> Iterator[Bar]:
    limits = {'Panda (7)': (('kernel_fk', 0.5), ('kernel_fk_jacobian', 1.2)),
              'humanoid (71)': (('kernel_fk_jacobian', 15.0),)}
    for row in rows:
        for key, limit in limits[row['robot']]:
            yield Bar(f"{row['robot']}: {key.replace('_', ' ')} at most {limit} us",
                      f'{row[key]:.2f} us', row[key] <= limit)
        for key in ('fk', 'jacobian'):
            own, theirs = row[f'python_{key}'], row[f'pinocchio_{key}']
            yield Bar(f"{row['robot']}: {key} from Python not slower than Pinocchio's",
                      f'{own:.2f} us; Pinocchio {theirs:.2f} us', own <= theirs)


def _program(rows: list[dict]) -> Iterator[Bar]:
    for row in rows:
        yield Bar(f"{row['robot']} solved in a C++ program: at most 1.1 times the kernel's time",
                  f"{row['ratio']:.2f} times, {row['program_us']:.1f} us", row['ratio'] <= 1.1)


def rate(row: dict) -> float:
    """Return the share of solved problems."""
    return row['solved'] / row['asked']
