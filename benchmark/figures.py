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
"""Figures of the report."""
from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use('Agg')

from matplotlib import pyplot as plt
import numpy as np

OURS = 'dq_ik'


def style(solver: str, others: list[str]) -> dict:
    """Return colour and width: ours bold, each peer a colour of its own."""
    if solver.startswith(OURS):
        dashed = 'paper' in solver
        return {'color': '#d62728' if 'pgs' in solver else '#ff7f0e', 'linewidth': 2.5,
                'linestyle': '--' if dashed else '-', 'zorder': 3}
    return {'color': plt.cm.tab20(others.index(solver) % 20), 'linewidth': 1.2}


def draw(results: dict, folder: Path) -> list[str]:
    """Draw all figures that the results allow; return their file names."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {'success_over_time': _success, 'growth': _growth, 'humanoid': _humanoid}
    names = []
    for name, drawing in drawings.items():
        figure = drawing(results)
        if figure is not None:
            figure.savefig(folder / f'{name}.svg', bbox_inches='tight', metadata={'Date': None})
            plt.close(figure)
            names.append(f'{name}.svg')
    return names


def _success(results: dict):
    """Share of goals solved within a time, per arm of TRAC-IK's protocol."""
    rows = [row for row in results['rows'] if row['case'] == 'mid']
    robots = list(dict.fromkeys(row['label'] for row in rows))[:4]
    if not robots:
        return None
    others = _peers(rows)
    figure, axes = plt.subplots(1, len(robots), figsize=(4.5 * len(robots), 4), sharey=True,
                                squeeze=False)
    for axis, robot in zip(axes[0], robots):
        for row in rows:
            if row['label'] == robot and row['curve_us']:
                share = np.linspace(0.0, row['solved'] / row['asked'], len(row['curve_us']))
                axis.plot(row['curve_us'], 100.0 * share, label=row['solver'],
                          **style(row['solver'], others))
        axis.set(xscale='log', xlabel='time per solve [us]', title=robot)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel('solved and verified [%]')
    axes[0][-1].legend(loc='center left', bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure


def _growth(results: dict):
    """Median time over the number of joints and of tips."""
    cases = [case for case in ('joints', 'tips')
             if any(row['case'] == case for row in results['rows'])]
    if not cases:
        return None
    figure, axes = plt.subplots(1, len(cases), figsize=(5.5 * len(cases), 4), squeeze=False)
    for axis, case in zip(axes[0], cases):
        rows = [row for row in results['rows'] if row['case'] == case]
        others = _peers(rows)
        for solver in dict.fromkeys(row['solver'] for row in rows):
            mine = sorted((row['dof'], row['median_us']) for row in rows
                          if row['solver'] == solver and row['solved'] >= 0.5 * row['asked'])
            if mine:
                axis.plot(*zip(*mine), marker='o', label=solver, **style(solver, others))
        axis.set(yscale='log', xlabel='joints', ylabel='median time [us]',
                 title={'joints': 'one chain', 'tips': 'trees, 1 tip and more'}[case])
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    return figure


def _humanoid(results: dict):
    """Box plots of the summed squared error, as figures 8-10 of the paper."""
    rows = results['experiments'].get('humanoid', {}).get('rows', [])
    intervals = list(dict.fromkeys(row['interval'] for row in rows))
    if not intervals:
        return None
    figure, axes = plt.subplots(1, len(intervals), figsize=(5 * len(intervals), 4), sharey=True,
                                squeeze=False)
    for axis, interval in zip(axes[0], intervals):
        mine = [row for row in rows if row['interval'] == interval]
        axis.boxplot([np.maximum(row['squared_errors'], 1e-14) for row in mine],
                     tick_labels=[row['method'] for row in mine])
        axis.set(yscale='log', title=f'sampled every {interval} s')
        axis.tick_params(axis='x', rotation=60)
        axis.grid(alpha=0.3, axis='y')
    axes[0][0].set_ylabel('summed squared error [m²]')
    return figure


def _peers(rows: list[dict]) -> list[str]:
    return [name for name in dict.fromkeys(row['solver'] for row in rows)
            if not name.startswith(OURS)]
