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
"""Options are typed: a misspelt keyword is an error before the program runs."""

from dataclasses import fields
from pathlib import Path
import re

from dq_ik.options import CallOptions, IkOptions, METHODS, MODES, Overrides
import pytest

ROOT = Path(__file__).resolve().parents[1]
#: a line of a program, and what mypy says about it
LINES = {
    "chain.solve(pose, seed=q, method='pls', timeout=0.1, locked_joints=['a'])": '',
    'chain.solve(pose, rest_posture=q, tolerance=1e-4, bounds=(q, q))': '',
    "chain.solve_batch([pose], q, order='xyzw', progress=True, mode='all')": '',
    'solve(chain, pose, q, max_restarts=0)': '',
    "Solver(chain, options, timeout=0.1, method='dls')": '',
    "IkOptions(method='ccd', mode='distance')": '',
    'chain.solve(pose, sed=q)': 'Unexpected keyword argument "sed"',
    "chain.solve(pose, metod='pls')": 'Unexpected keyword argument "metod"',
    'chain.solve_batch([pose], timout=0.1)': 'Unexpected keyword argument "timout"',
    "chain.solve(pose, method='pgd')": 'Argument "method" to "solve" of "Chain" has incompat',
    "chain.solve(pose, max_restarts='many')": 'Argument "max_restarts" to "solve" of "Chain" has',
    'solve(chain, pose, sed=q)': 'Unexpected keyword argument "sed"',
    "solve_batch(chain, [pose], metod='pls')": 'Unexpected keyword argument "metod"',
    'Solver(chain, timout=0.1)': 'Unexpected keyword argument "timout"',
    "IkOptions(metod='pls')": 'Unexpected keyword argument "metod"',
    "IkOptions(mode='fast')": 'Argument "mode" to "IkOptions" has incompatible type',
    'IkOptions.of(None, timout=1.0)': 'Unexpected keyword argument "timout"',
}
HEAD = """\
from dq_ik import Chain, IkOptions, Pose, solve, solve_batch, Solver
import numpy as np


def program(chain: Chain, pose: Pose, q: np.ndarray, options: IkOptions) -> None:
"""


def test_keywords_are_the_fields_of_the_options():
    names = {item.name for item in fields(IkOptions)}
    assert set(Overrides.__annotations__) == names | {'tolerance'}
    assert set(CallOptions.__annotations__) == names - {'timeout'} | {'tolerance'}


def test_names_of_methods_and_modes_are_stated_once():
    assert METHODS[:2] == ('pgs', 'pls')
    assert MODES[0] == 'speed'
    for item in fields(IkOptions):
        if item.name in ('method', 'mode'):
            assert item.metadata['choices'] is {'method': METHODS, 'mode': MODES}[item.name]


@pytest.mark.linter
def test_misspelt_options_are_type_errors(tmp_path, monkeypatch):
    api = pytest.importorskip('mypy.api')
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv('MYPYPATH', str(ROOT))
    program = tmp_path / 'program.py'
    program.write_text(HEAD + ''.join(f'    {line}\n' for line in LINES))
    said, trouble, _ = api.run([str(program)])
    assert not trouble
    errors = dict(re.findall(r'program\.py:(\d+): error: (.*)', said))
    for number, (line, expected) in enumerate(LINES.items(), HEAD.count('\n') + 1):
        error = errors.pop(str(number), '')
        assert error.startswith(expected), line
        assert bool(error) == bool(expected), line
    assert not errors
