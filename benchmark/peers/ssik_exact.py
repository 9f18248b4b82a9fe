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
ssik: all analytic solutions of six- and seven-joint arms; for reference.

Its development loader (``Manipulator.from_urdf``) solves in Python, tens to hundreds of times
slower than the C++ of its wheel, so it only names the family of the arm here. What solves is the
module that ``ssik build`` writes for the very URDF of the benchmark; those that ssik ships are
written in the same way, for other tips and limits.
"""
from __future__ import annotations

from hashlib import sha256
from importlib.metadata import version
import importlib.util
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import ssik
from ssik import _ssik_native  # noqa: F401 (without it, ssik would fall back to Python silently)
import ssik.cpp

from .common import Matrices, one_tip

PACKAGE = 'ssik'
CACHE = Path(os.environ.get('XDG_CACHE_HOME', Path.home() / '.cache')) / 'dq_ik_benchmark'
# The modules of these families want data for C++ that only arms shipped with ssik have.
WITHOUT_DATA = {'ikgeo.general_6r', 'jointlock.seven_r'}


class Ssik(Matrices):
    """Asks for one solution: any within limits, or where a path is followed the nearest."""

    def __init__(self, robot, settings):
        """Build the module of the arm, once on a machine, and import it."""
        tip = one_tip(robot)
        family = ssik.Manipulator.from_urdf(str(robot.urdf), base=robot.base, ee=tip).solver_name
        if family not in ssik.cpp.NATIVE_FAMILIES - WITHOUT_DATA:
            raise ValueError(f'`ssik build` writes no native solver for this arm ({family})')
        self._solve = imported(built(robot, tip)).solve
        self._tracks = not settings.restarts

    def solve(self, goals, seed):
        """Return an answer or None."""
        found = self._solve(goals[0], q_seed=seed if self._tracks else None, max_solutions=1)
        return (np.array(found[0].q), True) if found else (None, False)


def built(robot, tip: str) -> Path:
    """Return the module of an arm, from the cache of this user or by ``ssik build``."""
    key = sha256(f'{robot.urdf.read_text()} {robot.base} {tip}'.encode()).hexdigest()[:16]
    file = CACHE / f'ssik-{version(PACKAGE)}' / f'{robot.name}_{key}_ik.py'
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f'{file.stem}_{os.getpid()}.py')
        subprocess.run([sys.executable, '-m', 'ssik.cli', 'build', str(robot.urdf),
                        '--base', robot.base, '--ee', tip, '--out', str(part)],
                       check=True, capture_output=True)
        part.replace(file)
    return file


def imported(file: Path):
    """Import a module from a file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOLVERS = {'ssik (analytic)': Ssik}
