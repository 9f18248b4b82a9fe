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
"""Without the library the kernels run as they are written, and give the same answers."""

from __future__ import annotations

from collections.abc import Sequence
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys

from arms import arm, PATIENT
from dq_ik import Chain, IkResult, Pose, Solver
import numpy as np
from processes import plain_environment, python
import pytest

ROOT = Path(__file__).parent.parent
METHODS = ('pgs', 'pls')
NAMES = ('panda', 'arm5', 'two_arms')
COUNT = 3

# Solve the goals of `answers` in a process of its own.
SCRIPT = """
import json, sys, warnings
sys.modules['numba'] = None  # importing it fails
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    from test_plain import answers
    found = answers(json.loads(sys.argv[1]))
from dq_ik.native import files, load
words = [str(w.message) for w in caught if w.category is RuntimeWarning]
print(json.dumps({'level': load.door().level, 'words': load.describe(), 'warnings': words,
                  'package': str(files.PACKAGE), 'answers': found}))
"""


def answers(names: Sequence[str]) -> list[list]:
    """
    Return for goals of some arms, by both methods: success, and what must agree.

    That is the joint vector. Only where both arms of a torso are stretched out, the best reach is
    one of many (rolls about the same line add up); there it is the poses of the tips.
    """
    found = []
    far = Pose.from_xyz_rpy((2.0, 0.5, 0.7), (0.3, 0.2, 0.1))
    for name in names:
        chain, rng = arm(name), np.random.default_rng(1)
        goals = [chain.fk_all(chain.random(rng)) for _ in range(COUNT)]
        goals.append(dict.fromkeys(chain.tips, far))
        for method in METHODS:
            solver = Solver(chain, method=method, timeout=PATIENT, max_restarts=30)
            results = [solver.solve(goal) for goal in goals]
            found += [[result.success, essence(chain, result)] for result in results]
    return found


def essence(chain: Chain, result: IkResult) -> list[float]:
    """Return the numbers of a result that rounding may not change."""
    if result.success or len(chain.tips) == 1:
        return result.q.tolist()
    return np.ravel([pose.matrix for pose in chain.fk_all(result.q).values()]).tolist()


def run(folder: Path, names: Sequence[str], **more: str) -> dict:
    """Run the script in a folder and return what it printed."""
    done = subprocess.run([sys.executable, '-c', SCRIPT, json.dumps(names)], capture_output=True,
                          text=True, timeout=500, cwd=folder, env=plain_environment(**more))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_library(folder: Path) -> dict[str, str]:
    """Copy the package without its library; return the environment in which it is imported."""
    shutil.copytree(ROOT / 'dq_ik', folder / 'dq_ik',
                    ignore=shutil.ignore_patterns('built', 'generated', '__pycache__'))
    path = os.pathsep.join([str(folder), *sys.path])
    return {'PYTHONPATH': path, 'XDG_CACHE_HOME': str(folder / 'cache')}


@pytest.mark.parametrize('way', ['asked for', 'no library'])
def test_plain_answers_are_those_of_the_library(way, tmp_path):
    asked = way == 'asked for'
    folder = ROOT if asked else tmp_path
    names = NAMES if asked else NAMES[:1]  # the same kernels, however they are chosen
    plain = run(folder, names,
                **{'DQ_IK_NATIVE': 'plain'} if asked else without_library(tmp_path))
    assert Path(plain['package']) == folder / 'dq_ik'
    assert not plain['level']
    assert 'plain Python' in plain['words']
    for (success, found), (expected_success, expected) in zip(
            plain['answers'], answers(names), strict=True):
        assert success == expected_success
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    if asked:
        assert not plain['warnings']
    else:  # one sentence that says what to type
        assert len(plain['warnings']) == 1
        assert 'python -m dq_ik.native' in plain['warnings'][0]


@pytest.mark.timeout(1500)
def test_the_insides_hold_as_plain_python():
    done = python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test/uncompiled.py',
                  'test/test_lanes.py', 'test/test_multi_start.py', '-k', 'uncompiled or lanes',
                  env=plain_environment(DQ_IK_NATIVE='plain'), timeout=1500)
    assert done.returncode == 0, done.stdout[-5000:]
