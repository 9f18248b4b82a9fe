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
Resolve all dependencies for several Pythons and write the pins of ``make setup``.

``python3 tools/lock.py python3.10 python3.11 ...`` writes ``requirements/constraints.txt``: one
line per distribution, with an environment marker where the Pythons need different versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
from pathlib import Path
import subprocess
import sys
import tempfile

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ('build', 'setup', 'ros', 'interfaces', 'viewer', 'sim', 'lint', 'test', 'bench')
HEADER = """\
# Versions that `make setup` installs, for every supported Python.
# Written by tools/lock.py; change the requirements in setup.py and run it again.
"""


def resolve(python: str) -> tuple[str, dict[str, str]]:
    """Return the version of a Python, and the version of each distribution it would install."""
    version = subprocess.check_output(
        [python, '-c', "import sys; print('%d.%d' % sys.version_info[:2])"], text=True
    ).strip()
    with tempfile.NamedTemporaryFile('r', suffix='.json') as report:
        subprocess.run(
            [python, '-m', 'pip', 'install', '--dry-run', '--ignore-installed', '--quiet',
             '--report', report.name, f'{ROOT}[{",".join(EXTRAS)}]'],
            check=True,
        )  # fmt: skip
        items = [item['metadata'] for item in json.load(report)['install']]
    return version, {normal(item['name']): item['version'] for item in items}


def normal(name: str) -> str:
    """Return the name of a distribution in its normal form."""
    return name.lower().replace('_', '-').replace('.', '-')


def pins(resolved: Mapping[str, Mapping[str, str]]) -> list[str]:
    """
    Return one constraint per distribution and version.

    :param resolved: distribution versions for each Python version, oldest Python first
    """
    lines = []
    for name in sorted({name for packages in resolved.values() for name in packages} - {'dq-ik'}):
        users: dict[str, list[str]] = {}
        for python, packages in resolved.items():
            if name in packages:
                users.setdefault(packages[name], []).append(python)
        if len(users) == 1:
            lines.append(f'{name}=={next(iter(users))}')
        else:
            lines += [f'{name}=={version}; {marker(list(resolved), pythons)}'
                      for version, pythons in users.items()]
    return lines


def marker(known: Sequence[str], pythons: Sequence[str]) -> str:
    """
    Return the environment marker of some neighbouring Pythons.

    The newest known one stands for all that come after it.
    """
    bounds = []
    if pythons[0] != known[0]:
        bounds.append(f"python_version >= '{pythons[0]}'")
    if pythons[-1] != known[-1]:
        bounds.append(f"python_version < '{known[known.index(pythons[-1]) + 1]}'")
    return ' and '.join(bounds)


def main(pythons: Sequence[str]) -> None:
    """Write the constraints for the given interpreters."""
    resolved = dict(resolve(python) for python in pythons)
    text = HEADER + '\n'.join(pins(resolved)) + '\n'
    (ROOT / 'requirements' / 'constraints.txt').write_text(text)


if __name__ == '__main__':
    main(sys.argv[1:])
