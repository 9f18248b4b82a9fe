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
"""The code of docs/kinematics.md runs."""

from __future__ import annotations

from pathlib import Path
import re

ROOT = Path(__file__).parent.parent


def test_the_guide_runs(monkeypatch, capsys):
    text = (ROOT / 'docs' / 'kinematics.md').read_text()
    blocks = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    assert len(blocks) >= 10
    monkeypatch.chdir(ROOT)
    exec(compile('\n'.join(blocks), 'docs/kinematics.md', 'exec'), {})
    out = capsys.readouterr().out
    assert "robot 'r' has 2 roots, 'a', 'b'; join them with a fixed joint" in out
    assert "('shoulder.x', 'shoulder.y', 'shoulder.z')" in out
