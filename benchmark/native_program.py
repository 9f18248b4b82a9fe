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
What a solve costs in a C++ program: the example, beside the kernels called once for all poses.

``python -m benchmark.native_program`` prints the row alone.
"""
from __future__ import annotations

from pathlib import Path
import re
import shutil
import subprocess
import tempfile
import time

import numpy as np

from .micro import one_core
from .timing import no_collection, ROUNDS

ROOT = Path(__file__).parents[1]
CPP = ROOT / 'examples' / 'cpp'
POSES = 10_000  # as many as the example makes


def measure(progress=lambda text: None) -> list[dict]:
    """Return one row or none: medians of the times per solve [us], and of their ratio."""
    from dq_ik.native.load import door
    if not shutil.which('g++') or not getattr(door(), 'path', None):
        return []
    progress('a program in C++')
    with tempfile.TemporaryDirectory() as name, one_core():
        program, robot = Path(name) / 'solve', Path(name) / 'panda.dqik'
        batch = kernels(robot)
        build(door().path.parent, program)
        times = []
        with no_collection():
            for _ in range(ROUNDS):
                times.append((program_us(program, robot), batch()))
    own, kernel = np.array(times).T
    return [{'robot': 'Panda (7)', 'program_us': float(np.median(own)),
             'kernel_us': float(np.median(kernel)), 'ratio': float(np.median(own / kernel))}]


def build(library: Path, program: Path) -> None:
    """Compile the example with the library that Python uses."""
    subprocess.run(['g++', '-std=c++17', '-O2', '-I', library, CPP / 'solve.cpp', '-L', library,
                    '-ldq_ik', f'-Wl,-rpath,{library}', '-o', program], check=True)


def program_us(program: Path, robot: Path) -> float:
    """Run the example; return its time per solve."""
    printed = subprocess.run([program, robot, '0'], check=True, capture_output=True,
                             text=True).stdout
    found = re.search(r'([\d.]+) us each', printed)
    assert found, printed
    return float(found.group(1))


def kernels(path: Path):
    """Write the robot file; return a function: time per solve of one call for all poses [us]."""
    from dq_ik import IkOptions, load_robot
    from dq_ik.core.entries.pose_input import PoseKind
    from dq_ik.native.load import door
    from dq_ik.requests import Requests
    from dq_ik.solver import STARTS
    chain, entries = load_robot(ROOT / 'urdf' / 'panda.urdf').chain(), door().entries
    robot, request = chain.robot(STARTS), Requests(chain, IkOptions(timeout=0.01)).template
    path.write_bytes(robot.tobytes())
    twister = np.random.MT19937()
    twister._legacy_seeding(5489)  # the goals of the example
    q = chain.spread(twister.random_raw(POSES * chain.n).reshape(POSES, chain.n) / 2.0 ** 32)
    goals, memory = np.empty((POSES, 7)), np.empty(entries['memory_size'](robot))
    kind = int(PoseKind.XYZ_XYZW)
    entries['fk'](robot, q, POSES, kind, goals, memory)
    answers = np.empty((POSES, entries['answer_size'](request)))

    def batch() -> float:
        started = time.perf_counter()
        entries['solve'](robot, request, 1, goals, kind, POSES, None, 0, 0.0, answers, POSES,
                         memory)
        return (time.perf_counter() - started) / POSES * 1e6

    return batch


if __name__ == '__main__':
    for row in measure():
        print(row)
