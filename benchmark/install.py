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
"""Install the peers one by one: ``python -m benchmark.install``; those that fail are named."""
from __future__ import annotations

from pathlib import Path
import subprocess
import sys
import venv

HERE = Path(__file__).parent
PLACO = HERE.parent / 'build/placo'
PYTHONS = {'placo_qp': str(PLACO / 'bin/python')} if (PLACO / 'bin/python').exists() else {}


def main() -> None:
    """Install into this environment, and PlaCo into one of its own."""
    for line in (HERE / 'requirements.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            install(sys.executable, line)
    if not (PLACO / 'bin/python').exists():
        venv.create(PLACO, with_pip=True)
    for line in (HERE / 'requirements-placo.txt').read_text().splitlines():
        install(str(PLACO / 'bin/python'), line)


def install(python: str, requirement: str) -> None:
    """Install one requirement; say so if that fails."""
    done = subprocess.run([python, '-m', 'pip', 'install', '--quiet', requirement],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ['no reason given'])[-1]
        print(f'skipped: {requirement}: {reason}')


if __name__ == '__main__':
    main()
