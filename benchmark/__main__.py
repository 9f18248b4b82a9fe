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
Run the benchmark: ``python -m benchmark [--quick]``.

Writes ``build/benchmark.json``, ``docs/benchmark.md``, ``docs/benchmark.csv`` and figures in
``docs/images/benchmark``.
"""
from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
import sys
import tempfile

from rich.console import Console

from . import (
    batches,
    calls,
    machine,
    micro,
    native_program,
    paths,
    readme,
    report,
    robots,
    suite,
)
from .experiments import EXPERIMENTS
from .install import PYTHONS
from .meter import Meter
from .peers import OURS, PEERS
from .runner import Runner, start_workers

ROOT = Path(__file__).parents[1]
OTHERS = ('batch', 'calls', 'kinematics', 'program', 'paths', 'whole_paths', *EXPERIMENTS,
          'node')


def arguments(words: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser('python -m benchmark', description=__doc__)
    parser.add_argument('--quick', action='store_true',
                        help='some minutes instead of an hour')
    parser.add_argument('--only', nargs='+', metavar='PART',
                        choices=[*suite.TITLES, *OTHERS],
                        help='run these parts: %(choices)s')
    parser.add_argument('--peers', nargs='*', choices=PEERS, default=PEERS, metavar='PEER',
                        help='compare with these: %(choices)s')
    parser.add_argument('--bvh', type=Path, metavar='FILE',
                        help='motion capture for the humanoid instead of our own motion')
    parser.add_argument('--core', type=int, default=max(os.sched_getaffinity(0)),
                        help='processor core to run on (default: %(default)s)')
    parser.add_argument('--json', type=Path, default=ROOT / 'build/benchmark.json',
                        help='where to keep the numbers (default: build/benchmark.json)')
    parser.add_argument('--page-only', action='store_true',
                        help='write the page from the kept numbers, without a run')
    parser.add_argument('--docs', type=Path, default=ROOT / 'docs',
                        help='where to write benchmark.md and its figures (default: docs)')
    return parser.parse_args(words)


def main(words: list[str]) -> None:
    """Run all parts, keep the numbers (those so far, if it is interrupted), write the page."""
    options = arguments(words)
    if options.page_only:
        publish(json.loads(options.json.read_text(encoding='utf-8')), options.docs)
        return
    plan = suite.QUICK if options.quick else suite.FULL
    wanted = set(options.only or [*suite.TITLES, *OTHERS])
    console = Console(stderr=True)
    meter = Meter(console, suite.count(plan, wanted) + len(wanted & set(OTHERS)))
    results: dict = {'rows': [], 'batch': [], 'calls': {}, 'kinematics': [], 'experiments': {},
                     'skipped': []}
    try:
        with meter.shown():
            run(options, plan, wanted, meter, results)
    finally:
        if 'meta' in results:
            keep(results, words, meter, options.json)
    publish(results, options.docs)
    for line in report.skipped(results['skipped']):
        console.print(f'skipped: {line}', highlight=False)
    console.print(f"{results['meta']['seconds']:.0f} s; see {options.docs / 'benchmark.md'} "
                  f'and {options.json}', highlight=False)


def publish(results: dict, docs: Path) -> None:
    """Write the page and, beside it in the repository, the table of the README."""
    report.write(results, docs)
    if docs == ROOT / 'docs':
        readme.write(results, ROOT / 'README.md')


def keep(results: dict, words: list[str], meter: Meter, path: Path) -> None:
    """Write the numbers to a file."""
    results['meta'] |= {'command': ' '.join(['python -m benchmark', *words]),
                        'parts': meter.seconds, 'seconds': sum(meter.seconds.values())}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1), encoding='utf-8')


def run(options: argparse.Namespace, plan: suite.Plan, wanted: set[str], meter: Meter,
        results: dict) -> None:
    """Start the workers, measure all wanted parts on one core, and end the workers."""
    all_cores = os.sched_getaffinity(0)
    with meter.part('start'):
        workers = start_workers([OURS, *options.peers], PYTHONS, options.core)
    os.sched_setaffinity(0, {options.core})
    try:
        results['meta'] = machine.describe(workers, options.core)
        runner = Runner(workers, meter, results['skipped'])
        play(plan, wanted, runner, meter, all_cores, results)
        if 'calls' in wanted:
            with meter.part('calls'):
                results['calls'] = calls.measure(meter)
        if 'kinematics' in wanted:
            with meter.part('kinematics'):
                results['kinematics'] = micro.measure(meter)
        if 'program' in wanted:
            with meter.part('program'):
                results['program'] = native_program.measure(meter)
        for name in sorted(wanted & EXPERIMENTS.keys()):
            with meter.part(name):
                results['experiments'][name] = EXPERIMENTS[name](options.quick, meter, options.bvh)
    finally:
        for worker in workers:
            worker.close()
        os.sched_setaffinity(0, all_cores)
    if 'node' in wanted:
        with meter.part('node'):
            results['node'] = node_benchmark(options.quick)


def play(plan: suite.Plan, wanted: set[str], runner: Runner, meter: Meter,
         all_cores: set[int], results: dict) -> None:
    """Play the cases and the batches; add their rows to the results."""
    with tempfile.TemporaryDirectory() as folder:
        for turn in suite.turns(plan, wanted, Path(folder)):
            with meter.part(turn.case):
                tallies = runner.play(turn.case, turn.make(),
                                      turn.solvers or runner.main_solvers(), plan.cell_seconds)
            results['rows'] += [tally.summary() | {'label': turn.robot.label,
                                                   'dof': turn.robot.dof} for tally in tallies]
        if 'batch' in wanted:
            with meter.part('batch'):
                for name in suite.BATCH:
                    robot = robots.load(name, Path(folder))
                    results['batch'] += batches.measure(runner, robot, plan.batch, all_cores)
        if 'paths' in wanted:
            with meter.part('paths'):
                results['paths'] = paths.measure(runner, Path(folder), plan is suite.QUICK, meter)
        if 'whole_paths' in wanted:
            with meter.part('whole_paths'):
                pinned = os.sched_getaffinity(0)
                os.sched_setaffinity(0, all_cores)
                results['whole_paths'] = paths.measure_whole(
                    Path(folder), plan is suite.QUICK, meter)
                os.sched_setaffinity(0, pinned)


def node_benchmark(quick: bool) -> dict:
    """Measure the ROS node where ROS can be imported; else say why not."""
    try:
        from . import node
        return node.measure(quick)
    except (ImportError, OSError, RuntimeError) as error:  # OSError: a node does not answer
        return {'skipped': f'{type(error).__name__}: {error}'}


if __name__ == '__main__':
    main(sys.argv[1:])
