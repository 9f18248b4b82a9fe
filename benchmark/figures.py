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
"""The six figures of the report, as small PNG files."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
import numpy as np
from PIL import Image

matplotlib.use('Agg')
OURS = 'dq_ik'
DOTS_PER_INCH = 80
SHADES = 128  # colours of a file
HIDDEN = 1e-14  # squared errors below this are drawn as this
COLOURS = {
    'TRAC-IK': '#1f77b4', 'KDL': '#aec7e8', 'toolbox LM Chan': '#2ca02c',
    'toolbox LM Sugihara': '#98df8a', 'Pinocchio loop': '#9467bd', 'PlaCo': '#c5b0d5',
    'mink': '#8c564b', 'Pink': '#e377c2', 'ikpy': '#c49c94', 'Klampt': '#17becf',
    'PyBullet': '#7f7f7f', 'OptIK': '#bcbd22', 'RoboPlan': '#393b79',
    'EAIK (analytic)': '#000000', 'ssik (analytic)': '#c7c7c7'}


def style(solver: str) -> dict:
    """Return colour and width: ours bold, each peer a colour of its own in all figures."""
    if solver.startswith(OURS):
        return {'color': '#d62728' if 'pgs' in solver else '#ff7f0e', 'linewidth': 2.5,
                'linestyle': '--' if 'paper' in solver else '-', 'zorder': 3}
    return {'color': COLOURS.get(solver, '#dbdb8d'), 'linewidth': 1.2}


def draw(results: dict, folder: Path) -> list[str]:
    """Draw all figures that the results allow, in place of older ones; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob('*.png'):
        old.unlink()
    rows, experiments = results['rows'], results['experiments']
    hand = experiments.get('hand', {}).get('rows', [])
    humanoid = experiments.get('humanoid', {}).get('rows', [])
    drawings = {'success': _success(_of(rows, 'mid')), 'stream_errors': _stream(rows),
                'growth': _growth(rows), 'hand_errors': _hand(hand),
                'humanoid': _boxes(humanoid), 'humanoid_errors': _humanoid(humanoid)}
    found = {name: figure for name, figure in drawings.items() if figure is not None}
    for name, figure in found.items():
        _save(figure, folder / f'{name}.png')
    return list(found)


def _save(figure: Figure, path: Path) -> None:
    """Write a figure with few colours, which makes the file small."""
    figure.savefig(path, dpi=DOTS_PER_INCH, bbox_inches='tight')
    plt.close(figure)
    with Image.open(path) as image:
        few = image.convert('RGB').quantize(SHADES, Image.Quantize.FASTOCTREE)
    few.save(path, optimize=True)


def _success(rows: list[dict]) -> Figure | None:
    """Share of goals solved within a time, one panel per robot."""
    rows = [row for row in rows if row['curve_us']]

    def panel(axis, label):
        for row in (row for row in rows if row['label'] == label):
            share = np.linspace(0.0, row['solved'] / row['asked'], len(row['curve_us']))
            axis.plot(row['curve_us'], 100.0 * share, label=row['solver'], **style(row['solver']))
        axis.set(xscale='log', title=label)

    return _panels(list(dict.fromkeys(row['label'] for row in rows)), panel,
                   'time per solve [us]', 'solved and verified [%]')


def _growth(rows: list[dict]) -> Figure | None:
    """Median time over the number of joints and of tips."""
    cases = [case for case in ('joints', 'tips') if _of(rows, case)]

    def panel(axis, case):
        mine = _of(rows, case)
        for solver in dict.fromkeys(row['solver'] for row in mine):
            points = sorted((row['dof'], row['median_us']) for row in mine
                            if row['solver'] == solver and row['solved'] >= 0.5 * row['asked'])
            if points:
                axis.plot(*zip(*points), marker='o', label=solver, **style(solver))
        title = {'joints': 'one chain', 'tips': 'trees, 1 tip and more'}[case]
        axis.set(yscale='log', title=title)

    return _panels(cases, panel, 'joints', 'median time [us]')


def _stream(rows: list[dict]) -> Figure | None:
    """Position error along the first path of each robot."""
    rows = _of(rows, 'stream')

    def panel(axis, label):
        for row in (row for row in rows if row['label'] == label):
            _trace(axis, row['trace_mm'], row['solver'])
        axis.set(title=label)

    return _panels(list(dict.fromkeys(row['label'] for row in rows)), panel,
                   'part of the path [%]', 'position error [mm]')


def _hand(rows: list[dict]) -> Figure | None:
    """Root mean square error of the fingertips, one panel per motion."""
    names = list(dict.fromkeys(row['method'] for row in rows))

    def panel(axis, motion):
        for row in (row for row in rows if row['motion'] == motion):
            mm = np.array([np.nan if value is None else value for value in row['trace_mm']])
            _curve(axis, np.linspace(0.0, 100.0, len(mm)), mm, row['method'], names)
        axis.set(title=motion)

    return _panels(list(dict.fromkeys(row['motion'] for row in rows)), panel,
                   'part of the motion [%]', 'error of the fingertips [mm]', 3)


def _humanoid(rows: list[dict]) -> Figure | None:
    """Error over the frames, one panel per kind of goal and interval."""
    names = list(dict.fromkeys(name_of(row) for row in rows))

    def panel(axis, key):
        for row in (row for row in rows if case_of(row) == key):
            mm = 1e3 * np.sqrt(row['squared_errors'])
            _curve(axis, np.arange(len(mm)), mm, name_of(row), names)
        axis.set(title=key)

    return _panels(list(dict.fromkeys(map(case_of, rows))), panel, 'frame',
                   'error of the end effectors [mm]', 3)


def _curve(axis, x: np.ndarray, mm: np.ndarray, name: str, names: list[str]) -> None:
    """Draw the error of a published method in its own colour; our default forms are bold."""
    own = name.split(',')[0] in ('pgs', 'pls')
    axis.plot(x, np.maximum(mm, 1e3 * HIDDEN ** 0.5), label=name,
              linewidth=2.2 if own else 1.0, zorder=3 if own else 2,
              color=plt.cm.tab20(names.index(name)))
    axis.set(yscale='log')


def _boxes(rows: list[dict]) -> Figure | None:
    """Box plots of the summed squared error, as figures 8-10 of the paper."""
    def panel(axis, key):
        mine = [row for row in rows if case_of(row) == key]
        axis.boxplot([np.maximum(row['squared_errors'], HIDDEN) for row in mine],
                     tick_labels=[name_of(row) for row in mine])
        axis.set(yscale='log', title=key)
        axis.tick_params(axis='x', rotation=75)

    return _panels(list(dict.fromkeys(map(case_of, rows))), panel, '',
                   'summed squared error [m²]', 3)


def case_of(row: dict) -> str:
    """Return the kind of goals and the interval of a row of the humanoid."""
    return f"{row['goals']}, sampled every {row['interval']} s"


def name_of(row: dict) -> str:
    """Return the name of a method of the humanoid with how it is called."""
    return row['method'] + (', restarts' if row['restarts'] else '')


def _trace(axis, values: list[float | None], solver: str) -> None:
    """Draw an error over time with gaps where there was no answer."""
    mm = np.array([np.nan if value is None else max(value, 1e-6) for value in values])
    axis.plot(np.linspace(0.0, 100.0, len(mm)), mm, label=solver,
              **style(solver) | {'linewidth': 1.5, 'alpha': 0.8})
    axis.set(yscale='log')


def _panels(keys: list, panel: Callable, x: str, y: str, widest: int = 5) -> Figure | None:
    """Draw one panel per key, five in a row or fewer, with one legend for all."""
    if not keys:
        return None
    columns = min(len(keys), widest)
    lines = -(-len(keys) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(2.0 + 4.2 * columns, 3.8 * lines),
                                sharey=True, squeeze=False, layout='constrained')
    for axis, key in zip(axes.flat, keys):
        panel(axis, key)
        axis.grid(alpha=0.3)
        axis.set_xlabel(x)
    for axis in axes.flat[len(keys):]:
        axis.set_axis_off()
    axes[0][0].set_ylabel(y)
    curves = {label: handle for axis in axes.flat
              for handle, label in zip(*axis.get_legend_handles_labels())}
    if curves:
        figure.legend(curves.values(), curves.keys(), loc='outside right upper', fontsize=8)
    return figure


def _of(rows: list[dict], case: str) -> list[dict]:
    return [row for row in rows if row['case'] == case]
