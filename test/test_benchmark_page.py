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
"""The page of the benchmark: bars, losses, tables and figures say what the numbers say."""
from __future__ import annotations

import json
from pathlib import Path

from benchmark import bars, compare, readme, report
import pytest

ROOT = Path(__file__).parent.parent


def cell(**changes):
    """Return a row of a run."""
    row = {'case': 'mid', 'robot': 'panda', 'label': 'Panda (7)', 'dof': 7, 'solver': 'dq_ik pgs',
           'asked': 10_000, 'solved': 10_000, 'claimed': 10_000, 'refused': 0,
           'outside_limits': 0, 'flips': 0, 'disturbed': 0, 'optimal': 0, 'mean_us': 8.0,
           'median_us': 6.0, 'p99_us': 30.0, 'solved_mean_us': 8.0, 'curve_us': [4.0, 6.0, 30.0],
           'trace_mm': []}
    return row | changes


def results(*rows):
    """Return a run with these rows."""
    meta = {'date': 'today', 'command': 'python -m benchmark', 'commit': 'abc', 'processor': 'CPU',
            'cores': 2, 'core': 1, 'load': 0.0, 'system': 'Linux', 'python': '3.11',
            'seconds': 1.0, 'library': '', 'packages': {'numpy': '2'}, 'solvers': {'TRAC-IK': '1'}}
    return {'meta': meta, 'rows': list(rows), 'batch': [], 'calls': {}, 'kinematics': [],
            'experiments': {},
            'skipped': [{'solver': 'KDL', 'robot': 'all', 'reason': 'not installed'}]}


def test_comparison_flags_slower_and_less_solved_cells(tmp_path, capsys):
    old, same, slow, less = (tmp_path / f'{name}.json' for name in ('old', 'same', 'slow', 'less'))
    old.write_text(json.dumps(results(cell())))
    same.write_text(json.dumps(results(cell(median_us=6.5))))
    slow.write_text(json.dumps(results(cell(median_us=9.0))))
    less.write_text(json.dumps(results(cell(solved=9_900))))
    assert compare.main([str(old), str(same)]) == 0
    assert compare.main([str(old), str(slow)]) == 1
    assert compare.main([str(old), str(less)]) == 1
    assert 'time x  1.50' in capsys.readouterr().out


def test_comparison_covers_batches_and_experiments():
    batch = {'solver': 'dq_ik pgs', 'robot': 'Panda (7)', 'seed': 'none', 'asked': 100,
             'solved': 100, 'per_second': 400_000.0}
    old, new = results() | {'batch': [batch]}, results() | {'batch': [batch | {'solved': 90}]}
    old['experiments'] = {'humanoid': {'rows': [frames('pls', 0.05, True, 1e-12)]}}
    new['experiments'] = {'humanoid': {
        'rows': [frames('pls', 0.05, True, 1e-12) | {'median_us': 160.0}]}}
    found = {change.key: (change.time_ratio, round(change.rate_change, 6))
             for change in compare.changes(old, new)}
    assert found == {('batch', 'Panda (7), seed none', 'dq_ik pgs'): (1.0, -0.1),
                     ('humanoid', 'poses, 0.05 s', 'dq_ik pls, restarts'): (2.0, 0.0)}


@pytest.mark.parametrize(('asked', 'worse'), [(20, False), (10_000, True)])
def test_comparison_knows_that_few_goals_are_luck(asked, worse):
    before, after = cell(asked=asked, solved=asked), cell(asked=asked, solved=int(0.95 * asked))
    change, = compare.changes(results(before), results(after))
    assert change.is_worse(slower=1.25, less=0.002) == worse


def test_comparison_forgives_peers(tmp_path):
    old, new = tmp_path / 'old.json', tmp_path / 'new.json'
    old.write_text(json.dumps(results(cell(solver='TRAC-IK'))))
    new.write_text(json.dumps(results(cell(solver='TRAC-IK', median_us=60.0))))
    assert compare.main([str(old), str(new)]) == 0


def test_bars_are_judged_by_the_numbers():
    trac = cell(solver='TRAC-IK', mean_us=1000.0)
    good = {bar.demand: bar.met for bar in bars.bars(results(cell(), trac))}
    assert all(good.values())
    assert len(good) == 2
    bad = {bar.demand: bar.met
           for bar in bars.bars(results(cell(solved=9_998, mean_us=13.0), trac))}
    assert not any(bad.values())


def judged(*rows, **parts):
    """Return the demands of a run and whether they are met."""
    return {bar.demand: bar.met for bar in bars.bars(results(*rows) | parts)}


@pytest.mark.parametrize(('mean', 'met'), [(5.9, True), (13.0, False)])
def test_random_poses_as_matrices_are_judged_beside_their_peers(mean, met):
    found = judged(*(cell(case='mid_4x4', solver=solver, mean_us=time) for solver, time in (
        ('dq_ik pgs', mean), ('TRAC-IK', 500.0), ('toolbox LM Chan', 100.0),
        ('EAIK (analytic)', 10.0), ('ssik (analytic)', 10.0))))
    assert found == {f'dq_ik pgs: 4x4, cold caches: mean {demand}': met for demand in (
        'at most 6 us (6-7 joints)', '70 times less than TRAC-IK on every arm',
        '12 times less than toolbox LM Chan on every arm',
        'less than EAIK (analytic) on every arm',
        'less than ssik (analytic) on every arm')}


def test_the_arm_where_a_peer_comes_closest_decides():
    far, near = ({'robot': name, 'label': name, 'case': 'mid_4x4'} for name in ('far', 'near'))
    found = list(bars.bars(results(
        cell(**far, mean_us=5.0), cell(**far, mean_us=9.0, solver='EAIK (analytic)'),
        cell(**near, mean_us=5.0), cell(**near, mean_us=4.0, solver='EAIK (analytic)'))))
    assert (found[-1].met, found[-1].measured) == (False, '0.8 times at least (near)')


def test_arms_with_many_joints_keep_their_own_bar():
    demand = 'dq_ik pgs: mean at most 20 us (8-9 joints)'
    assert judged(cell(dof=9, mean_us=19.0))[demand]
    assert not judged(cell(dof=9, mean_us=21.0))[demand]


@pytest.mark.parametrize(('mean', 'met'), [(3.4, True), (3.6, False)])
def test_tracking_matrices_is_judged_beside_placo(mean, met):
    found = judged(cell(case='stream_4x4', mean_us=mean),
                   cell(case='stream_4x4', mean_us=21.0, solver='PlaCo'))
    assert found == {'dq_ik pgs: 4x4: tracking at most 3.5 us': met,
                     'dq_ik pgs: 4x4: tracking 6 times less than PlaCo on every arm': met}


def kinematics(**changes):
    """Return a row of forward kinematics and Jacobians."""
    return {'robot': 'Panda (7)', 'kernel_fk': 0.1, 'kernel_fk_jacobian': 0.2, 'python_fk': 0.5,
            'python_jacobian': 0.9, 'pinocchio_fk': 0.6, 'pinocchio_jacobian': 0.8} | changes


@pytest.mark.parametrize(('ratio', 'met'), [(1.09, True), (1.11, False)])
def test_a_program_in_c_plus_plus_is_judged_beside_the_kernel(ratio, met, tmp_path):
    rows = [{'robot': 'Panda (7)', 'program_us': 5.0, 'kernel_us': 4.7, 'ratio': ratio}]
    assert judged(program=rows) == {
        "Panda (7) solved in a C++ program: at most 1.1 times the kernel's time": met}
    report.write(results() | {'program': rows}, tmp_path)
    assert f'{ratio:.2f}' in (tmp_path / 'benchmark.md').read_text()


def test_kinematics_from_python_are_judged_beside_pinocchio(tmp_path):
    run = results() | {'kinematics': [kinematics()]}
    found = {bar.demand: bar.met for bar in bars.bars(run)}
    assert found["Panda (7): fk from Python not slower than Pinocchio's"]
    assert not found["Panda (7): jacobian from Python not slower than Pinocchio's"]
    report.write(run, tmp_path)
    assert '| Panda (7) | 0.10 | 0.20 | 0.50 | 0.90 | 0.60 | 0.80 |' in (
        tmp_path / 'benchmark.md').read_text()


CALLS = {'rows': [{'solver': 'dq_ik pgs', 'robot': 'Panda (7)', 'pose_us': 3.0, 'matrix_us': 3.3,
                   'ratio': 1.1}], 'first': {'numpy': 0.08, 'dq_ik': 0.3}}


def test_calls_and_the_first_answer_are_judged():
    slow = {'rows': [CALLS['rows'][0] | {'ratio': 1.3}], 'first': {'numpy': 0.08, 'dq_ik': 0.6}}
    assert list(judged(calls=CALLS).values()) == [True, True]
    assert list(judged(calls=slow).values()) == [False, False]


def test_page_shows_what_matrices_cost(tmp_path):
    rows = [cell(case=case, solver=solver, flips=2) for case in ('mid_4x4', 'stream_4x4')
            for solver in ('dq_ik pgs', 'TRAC-IK')]
    batch = {'solver': 'dq_ik pgs', 'robot': 'Panda (7)', 'how': 'its batch call', 'seed': 'none',
             'asked': 100, 'solved': 100, 'cores': 2, 'per_second': 5e5, 'given': '4x4',
             'speed': 0.95}
    report.write(results(*rows) | {'calls': CALLS, 'batch': [batch]}, tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    start = page.index('## Given as 4x4')
    section = page[start:page.index('\n## ', start)]
    for line in ('| TRAC-IK | 100 / 8.0 |', '| TRAC-IK | 100 / 8.0 / 2 |',
                 '| dq_ik pgs | Panda (7) | 3.0 | 3.3 | 1.10 |',
                 '| Panda (7) | dq_ik pgs | its batch call | none | 100 | 100 | 500,000 | 0.95 |'):
        assert line in section
    assert '| `import dq_ik` to the first answer | 0.30 |' in page
    assert '| `import numpy` | 0.08 |' in page


def test_report_names_where_we_lose_and_who_was_skipped(tmp_path):
    faster = cell(solver='EAIK (analytic)', mean_us=4.0, median_us=4.0)
    report.write(results(cell(solved=9_999), faster), tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    assert '| mid, Panda (7) | EAIK (analytic) | median 4.0 us, ours 6.0 us |' in page
    assert '| mid, Panda (7) | EAIK (analytic) | 100 % of 10000, ours 99.99 % of 10000 |' in page
    assert '- KDL, all: not installed' in page
    assert (tmp_path / 'images/benchmark/success.png').stat().st_size > 1000
    assert '| EAIK (analytic) | 10,000 | 0 | 0 |' in page


def test_goals_out_of_reach_are_judged_by_the_best_reach(tmp_path):
    ours = cell(case='unreachable', solved=0, optimal=9_950, curve_us=[])
    better = cell(case='unreachable', solver='ikpy', solved=0, optimal=9_990, median_us=7e5,
                  curve_us=[])
    report.write(results(ours, better), tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    assert '| dq_ik pgs | 99.50 / 8.0 |' in page
    assert 'unreachable,Panda (7),dq_ik pgs,10000,0,9950,0,0,0,8,6,30\n' in (
        tmp_path / 'benchmark.csv').read_text()
    assert '| unreachable, Panda (7) | ikpy | 99.90 % of 10000, ours 99.50 % of 10000 |' in page
    assert [bar.met for bar in bars.bars(results(ours))] == [True]
    assert [bar.met for bar in bars.bars(results(ours | {'optimal': 9_800}))] == [False]


def test_batches_are_shown_and_judged(tmp_path):
    rows = [{'solver': 'dq_ik pgs', 'robot': 'Panda (7)', 'how': 'its batch call', 'seed': seed,
             'asked': 100, 'solved': 100, 'cores': 2, 'per_second': rate, 'given': given,
             'speed': speed}
            for seed, rate, given, speed in (
                ('none', 500_000.0, 'own type', 1.0), ('none', 300_000.0, '4x4', 0.92),
                ('middle', 300_000.0, 'own type', 1.0), ('middle', 240_000.0, '4x4', 0.8))]
    run = results() | {'batch': rows}
    assert [bar.met for bar in bars.bars(run)] == [True, True, False, False]
    report.write(run, tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    assert '| Panda (7) | dq_ik pgs | its batch call | none | 2 | 100 | 100 | 500,000 |' in page


GESTURES = 'small: full-range gestures, to 0.001 mm'


def frames(method, interval, restarts, error):
    """Return a row of the humanoid."""
    return {'goals': 'poses', 'interval': interval, 'method': method, 'restarts': restarts,
            'frames': 3, 'solved': 3,
            'squared_errors': [error] * 3, 'iterations': 2.0, 'median_us': 80.0, 'p99_us': 90.0,
            'largest_step': 0.1, 'rotation_rms': 0.0}


def test_errors_are_drawn_over_time(tmp_path):
    gesture = {'method': 'pgs', 'motion': GESTURES, 'frames': 3, 'solved': 3,
               'iterations': 2.0, 'median_us': 8.0, 'p99_us': 9.0, 'rms_mm': 0.1,
               'median_error': 1e-7,
               'trace_mm': [0.1, None, 0.2], 'largest_step': 0.1, 'jitter': None}
    run = results(cell(case='stream', trace_mm=[0.1, None, 0.2]))
    run['experiments'] = {'hand': {'rows': [gesture, gesture | {'method': 'svd'}]}, 'humanoid': {
        'rows': [frames('pls', 0.05, False, 1e-12), frames('pls', 0.05, True, 1e-12),
                 frames('svd', 0.05, False, 1e-4), frames('pgs', 0.7, False, 1e-5),
                 frames('svd', 0.7, False, 1e-4)], 'source': 'own key poses'}}
    report.write(run, tmp_path)
    page = (tmp_path / 'benchmark.md').read_text()
    for name in ('stream_errors', 'hand_errors', 'humanoid_errors', 'humanoid'):
        assert f'images/benchmark/{name}.png' in page
        assert (tmp_path / f'images/benchmark/{name}.png').stat().st_size > 1000
    assert '| 0.05 | pls, restarts | 3 |' in page
    found = {bar.demand: bar.met for bar in bars.bars(run)}
    smallest = 'smallest median error, a tenth of JT and SVD'
    assert found[f'humanoid, poses every 0.05 s, pls: {smallest}']
    assert not found[f'humanoid, poses every 0.7 s, pgs: {smallest}']  # a third is not a tenth
    assert found[f'hand, {GESTURES}, pgs: {smallest}']  # both below 1e-6 m
    assert found['humanoid, pls: tracking, median frame at most 120 us']


def test_the_pictures_of_a_run_are_few_and_small():
    pictures = list((ROOT / 'docs/images/benchmark').iterdir())
    assert len(pictures) <= 6
    assert sum(picture.stat().st_size for picture in pictures) < 400_000


def test_the_page_is_written_again_from_kept_numbers(tmp_path):
    pytest.importorskip('rich')
    from benchmark.__main__ import main
    kept = tmp_path / 'kept.json'
    kept.write_text(json.dumps(results(cell())))
    main(['--page-only', '--json', str(kept), '--docs', str(tmp_path)])
    assert '| dq_ik pgs | 100 / 8.0 |' in (tmp_path / 'benchmark.md').read_text()


def test_readme_gets_the_table_between_its_markers(tmp_path):
    file = tmp_path / 'README.md'
    file.write_text(f'before\n{readme.START}\nold\n{readme.STOP}\nafter\n')
    readme.write(results(cell(), cell(solver='TRAC-IK', mean_us=1000.0)), file)
    text = file.read_text()
    assert text.startswith('before\n')
    assert text.endswith('\nafter\n')
    assert '| dq_ik pgs | 1 | 100 | 8.0 |' in text
    assert 'old' not in text


def test_readme_shows_means_over_the_robots(tmp_path):
    """Each robot counts the same, failures included; solvers that fail most goals are left out."""
    file = tmp_path / 'README.md'
    file.write_text(f'{readme.START}\n{readme.STOP}\n')
    readme.write(results(cell(mean_us=8.0), cell(robot='ur5', mean_us=16.0, solved=9_000),
                         cell(solver='slow', solved=1_000)), file)
    assert '| dq_ik pgs | 2 | 95 | 12 |' in file.read_text().replace('12.0', '12')
    assert 'slow' not in file.read_text()


def test_bars_of_paths_are_judged_by_the_numbers():
    row = {'kind': 'hard', 'label': 'Panda (7)', 'bound': 0.015, 'solver': 'dq_ik stream',
           'paths': 160, 'frames': 1000, 'solved': 981, 'largest_step': 1.0, 'mean_us': 7.0}
    whole = {'label': 'UR5 (6)', 'bound': 0.01, 'paths': 100, 'followed': 95, 'largest_step': 1.0}
    ahead, peer = (row | {'solver': name} for name in ('dq_ik stream, look-ahead', 'PlaCo'))

    def met(*paths, **parts):
        return [bar.met for bar in bars.bars(results() | {'paths': paths} | parts)]

    assert met(row, ahead | {'mean_us': 19.0}, peer, row | {'bound': 0.0}) == [True, True]
    assert met(row | {'solved': 979}, row | {'largest_step': 1.01},
               row | {'mean_us': 8.1}, ahead | {'mean_us': 20.1}) == [False] * 4
    ordinary = row | {'kind': 'ordinary', 'bound': 0.005}
    assert met(ordinary, ordinary | {'solved': 999}) == [False, True]
    assert met(whole_paths=[whole, whole | {'followed': 94}]) == [True, False]
