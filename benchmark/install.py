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

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
import subprocess
import sys
import venv

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / 'requirements' / 'constraints.txt'
SYSTEM = Path('/usr/lib/python3/dist-packages')  # of Debian's packages
PLACO = ROOT / 'build' / 'placo'
PYTHONS = {'placo_qp': str(PLACO / 'bin/python')} if (PLACO / 'bin/python').exists() else {}


def main() -> None:
    """Install into this environment, and PlaCo into one of its own."""
    here = Path(__file__)
    for requirement in wanted(here.with_name('requirements.txt')):
        if not installed(requirement):
            install(sys.executable, requirement, '--constraint', str(CONSTRAINTS))
    if not any(PLACO.glob('lib/python*/site-packages/placo-*')):
        venv.create(PLACO, with_pip=True)
        for requirement in wanted(here.with_name('requirements-placo.txt')):
            install(str(PLACO / 'bin/python'), requirement)
    if not any(SYSTEM.glob('PyKDL*')):
        print('skipped: PyKDL: not on the package index; Debian and Ubuntu have python3-pykdl')


def wanted(file: Path) -> list[str]:
    """Return the lines of a requirements file that are not comments."""
    return [line for line in file.read_text().splitlines() if line and not line.startswith('#')]


def installed(requirement: str) -> bool:
    """Tell whether this environment has exactly that version."""
    name, _, number = requirement.partition('==')
    try:
        return version(name) == number
    except PackageNotFoundError:
        return False


def install(python: str, requirement: str, *options: str) -> None:
    """Install one requirement; say so if that fails."""
    print(f'installing {requirement} ...', flush=True)
    done = subprocess.run([python, '-m', 'pip', 'install', '--quiet', requirement, *options],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ['no reason given'])[-1]
        print(f'skipped: {requirement}: {reason}')


if __name__ == '__main__':
    main()
