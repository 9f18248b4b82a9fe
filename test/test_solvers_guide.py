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
"""The code of docs/solvers.md runs, and its tables name what exists."""

from __future__ import annotations

from pathlib import Path
import re

from dq_ik import Goal, Status
from dq_ik.options import DEFAULTS, METHODS, MODES

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / 'docs' / 'solvers.md').read_text()


def test_the_guide_runs(monkeypatch, capsys):
    blocks = re.findall(r'```python\n(.*?)```', TEXT, re.DOTALL)
    assert len(blocks) >= 9
    monkeypatch.chdir(ROOT)
    # A busy machine must not time out: budgets are longer here.
    code = '\n'.join(blocks).replace('timeout=0.001', 'timeout=1.0')
    exec(compile(code, 'docs/solvers.md', 'exec'), {})
    out = capsys.readouterr().out
    assert 'BEST_REACH' in out
    assert 'max_restarts = 100' in out


def test_every_method_mode_and_status_is_explained():
    named = set(re.findall(r'`(\w+)`', TEXT))
    assert named >= {*METHODS, *MODES, *(status.name for status in Status)}


def test_options_and_fields_in_the_tables_exist():
    rows = re.findall(r'^\| ((?:`\w+`(?:, )?)+) \|', TEXT, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r'`(\w+)`', row)}
    known = {*METHODS, *MODES, *DEFAULTS, *Goal.__dataclass_fields__, *(s.name for s in Status)}
    assert names <= known
