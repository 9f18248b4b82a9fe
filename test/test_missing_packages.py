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
"""Where optional packages are missing, their tests are skipped and all others are found."""

from __future__ import annotations

import os
from pathlib import Path
import re
import subprocess
import sys

import pytest

TESTS = Path(__file__).parent
HIDE = """
import sys

class Hide:
    def find_spec(name, path=None, target=None):
        package = name.split('.')[0]
        if package == {name!r} or {name!r} == 'rclpy' and package.endswith(
                ('_msgs', '_interfaces')):
            raise ModuleNotFoundError(f'No module named {{name!r}}', name=name)

sys.meta_path.insert(0, Hide)
"""


@pytest.mark.parametrize(('missing', 'words'), [
    ('rclpy', r'rclpy|_msgs|ros_|viser|viewer|browser'), ('viser', 'viser|viewer|browser')])
def test_every_file_is_found_or_skipped(missing, words, tmp_path):
    (tmp_path / 'hide.py').write_text(HIDE.format(name=missing))
    files = [path for path in TESTS.glob('test_*.py') if path.name != Path(__file__).name
             and re.search(words, path.read_text())]
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-p', 'hide', '-p', 'no:cacheprovider', '-q', '-rs',
         '--collect-only', *files], capture_output=True, text=True, cwd=TESTS.parent,
        env={**os.environ, 'PYTHONPATH': f'{tmp_path}:{os.environ["PYTHONPATH"]}'})
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(rf'SKIPPED .* there is no {missing}$', done.stdout, re.MULTILINE)
