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
"""One arm, one caller: the same goals as poses and as 4x4 arrays, and a fresh process."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import subprocess
import sys
import tempfile

import numpy as np

from . import cases, robots
from .suite import OURS
from .timing import interleaved

ARM = 'panda'
GOALS = 500
PROCESSES = 7  # fresh ones of each kind

CLOCKED = """\
from time import perf_counter
started = perf_counter()
{program}
print(perf_counter() - started)
"""
FIRST_ANSWER = """\
import numpy as np
from dq_ik import load_robot, Solver
solver = Solver(load_robot({urdf!r}).chain({base!r}, {tip!r}))
result = solver.solve(np.array({goal}))
assert result.success, result.q
"""


def measure(progress=lambda text: None) -> dict:
    """Return the times of a call by the form of its goal [us], and of a first answer [s]."""
    with tempfile.TemporaryDirectory() as folder:
        problems = cases.reachable(robots.load(ARM, Path(folder)), GOALS)
        progress('calls · poses and 4x4 arrays')
        rows = [by_form(name, problems) for name in OURS]
        progress('calls · fresh processes')
        return {'rows': rows, 'first': first_answer(problems)}


def by_form(name: str, problems: cases.Problems) -> dict:
    """Return the medians of a solver's mean time per call, from poses and from 4x4 arrays [us]."""
    from .peers.ours import SOLVERS
    solver = SOLVERS[name](problems.robot, problems.settings)
    times = interleaved({'pose': _calls(solver, problems),
                         '4x4': _calls(solver.given_matrices(), problems)})
    return {'solver': name, 'robot': problems.robot.label,
            'pose_us': float(np.median(times['pose'])),
            'matrix_us': float(np.median(times['4x4'])),
            'ratio': float(np.median(times['4x4'] / times['pose']))}


def _calls(solver, problems: cases.Problems) -> tuple[int, Callable[[], None]]:
    goals = [solver.translate(goal) for goal in problems.goals]
    seed = problems.seeds[0]

    def solve_all():
        for goal in goals:
            solver.solve(goal, seed)

    return len(goals), solve_all


def first_answer(problems: cases.Problems) -> dict[str, float]:
    """Return the seconds from the import to the first answer, and numpy's own; best of several."""
    robot = problems.robot
    programs = {'numpy': 'import numpy', 'dq_ik': FIRST_ANSWER.format(
        urdf=str(robot.urdf), base=robot.base, tip=robot.tips[0],
        goal=problems.goals[0, 0].tolist())}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(PROCESSES):
        for name, program in programs.items():
            times[name].append(seconds_of(program))
    return {name: min(values) for name, values in times.items()}


def seconds_of(program: str) -> float:
    """Run a program in a fresh process; return its seconds without the start of Python."""
    done = subprocess.run([sys.executable, '-c', CLOCKED.format(program=program)], check=True,
                          capture_output=True, text=True)
    return float(done.stdout)
