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
"""Measure how fast goals of a robot are solved here, without ROS."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from time import perf_counter
from typing import Any

from dq_ik.cli.common import add_json, add_robot, read_chain
from dq_ik.cli.words import is_terminal, Names, one_of, say_json, whole_number
from dq_ik.errors import OptionError
from dq_ik.native.load import describe
from dq_ik.options import METHODS
from dq_ik.robot.chain import Chain
from dq_ik.robot.describe import text_table
from dq_ik.solver import Solver
import numpy as np

HEADINGS = ('method', 'solved [%]', 'mean [us]', 'median [us]', '99 of 100 below [us]')


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``dq_ik bench``."""
    add_robot(parser)
    parser.add_argument('--count', type=whole_number, default=2000, metavar='N',
                        help='random reachable poses (default: %(default)s)')
    parser.add_argument('--method', nargs='+', action=Names, default=['pgs', 'pls'],
                        metavar='METHOD',
                        help=f'some of {", ".join(METHODS)} (default: pgs pls)')
    parser.add_argument('--random-seed', type=whole_number, default=1, metavar='N',
                        help='of the poses')
    add_json(parser)
    parser.epilog = ('Times are those of whole calls from Python, one after the other, failures '
                     'included.')


def run(args: Namespace) -> int:
    """Print one row per method."""
    try:
        methods = list(map(one_of('method', METHODS), args.method))
    except ArgumentTypeError as error:
        raise OptionError(str(error)) from None
    if not 1 <= args.count <= 1_000_000:
        raise OptionError(f'--count is from 1 to 1000000, got {args.count}')
    if args.random_seed < 0:
        raise OptionError(f'--random-seed is 0 or more, got {args.random_seed}')
    chain = read_chain(args)
    rows = [measure(chain, method, args.count, args.random_seed) for method in methods]
    if args.json:
        say_json({'robot': chain.model.name, 'tips': chain.tips, 'count': args.count,
                  'kernels': describe(), 'methods': rows})
    else:
        print(f'{args.count} random reachable poses of {chain}, {describe()}')
        print(text_table(HEADINGS, [(row['method'], f"{100 * row['solved']:.2f}",
                                     *(f'{1e6 * row[what]:.1f}' for what in
                                       ('mean', 'median', 'p99'))) for row in rows]))
    return 0


def measure(chain: Chain, method: str, count: int, random_seed: int) -> dict[str, Any]:
    """Solve random reachable poses one by one; return the share solved and the times [s]."""
    from rich.console import Console
    from rich.progress import track
    options: Any = {'method': method}
    solver = Solver(chain, **options)
    rng = np.random.default_rng(random_seed)
    solved, times = 0, np.empty(count)
    for i in track(range(count), method, transient=True, console=Console(stderr=True),
                   disable=not is_terminal()):
        poses = chain.fk_all(chain.random(rng))
        goal = poses[chain.tips[0]] if len(poses) == 1 else poses
        begun = perf_counter()
        result = solver.solve(goal)
        times[i] = perf_counter() - begun
        solved += result.success
    return {'method': method, 'solved': solved / count, 'mean': times.mean(),
            'median': float(np.median(times)), 'p99': float(np.quantile(times, 0.99))}
