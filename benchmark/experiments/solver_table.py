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
The table of solvers of [Recipe] figure 8, with measured robustness and speed.

All methods start once, without restarts: near the answer, anywhere, and at singular goals.
"""
from __future__ import annotations

from pathlib import Path
import tempfile

from dq_ik import IkOptions, load_robot, Solver
import numpy as np

from .. import cases, robots
from ..protocol import Referee

COMPLEXITY = {'dls': '≈ 2n²', 'svd': '≈ 2n³', 'qr': '≈ 2n³', 'transpose': 'n²',
              'transpose_buss': 'n²'}
METHODS = ('pgs', 'pls', 'pgs_paper', 'pls_paper', 'dls', 'svd', 'qr', 'gauss_newton',
           'transpose', 'transpose_buss', 'ccd')


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return one row per method."""
    count = 40 if quick else 1000
    with tempfile.TemporaryDirectory() as folder:
        robot = robots.load('panda', Path(folder))
        chain = load_robot(robot.urdf).chain(robot.base, robot.tips)
        problems = {'near': cases.nearby(robot, count), 'far': cases.reachable(
            robot, count, seeds='random'), 'singular': cases.singular(robot, count)}
        referee = Referee(robot)
    rows = []
    for method in METHODS:
        progress(f'solvers · {method}')
        options = IkOptions(method=method, max_restarts=0, timeout=0.05)
        solver = Solver(chain, options)
        row = {'method': method, 'complexity': COMPLEXITY.get(method, '')}
        for name, problem in problems.items():
            row[name] = _solve(solver, referee, problem)
        rows.append(row)
    return {'rows': rows, 'robot': robot.label, 'count': count}


def _solve(solver: Solver, referee: Referee, problems: cases.Problems) -> dict:
    """Solve all problems once; return verified share, iterations and times."""
    solver.solve(problems.goals[0, 0], problems.seeds[0])
    results = [solver.solve(goals[0], seed)
               for goals, seed in zip(problems.goals, problems.seeds)]
    solved = [bool((referee.errors(result.q, goals) <= 1e-5 * (1 + 1e-6)).all())
              for result, goals in zip(results, problems.goals)]
    seconds = np.array([result.time for result in results])
    iterations = np.array([max(result.iterations, 1) for result in results])
    return {'solved': float(np.mean(solved)), 'iterations': float(iterations.mean()),
            'mean_us': float(seconds.mean() * 1e6),
            'iteration_us': float(seconds.sum() / iterations.sum() * 1e6)}
