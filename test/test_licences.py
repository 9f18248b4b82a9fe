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
"""The list of licences names one for every distribution that says it somewhere."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

TOOL = Path(__file__).parent.parent / 'tools' / 'licences.py'


def test_every_distribution_is_listed_with_its_licence():
    out = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=True).stdout
    *table, total = out.splitlines()
    licences = {line.split()[0].lower(): line.split(None, 2)[2] for line in table}
    assert 'BSD' in licences['numpy']
    assert 'MIT' in licences['rich']
    assert {name for name, text in licences.items() if text == 'not stated'} <= {'urdf_parser_py'}
    assert total.startswith(f'{len(table)} distributions')
