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
Resolve all dependencies for all supported Pythons; write pins and hashes for ``make setup``.

``.venv/bin/python tools/lock.py`` writes two files of ``requirements``: ``constraints.txt`` has
one line per distribution, with an environment marker where the Pythons need different versions.
``lock.txt`` has the same lines with the extras that need them and the hashes of their files.
``--keep`` keeps the versions that ``constraints.txt`` has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / 'requirements'
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')  # oldest first
INDEX = 'https://pypi.org/simple'
HEADER = """\
# Versions that `make setup` installs, for every supported Python.
# Written by tools/lock.py; change the requirements in setup.py and run it again.
"""
BASE = 'base'  # what the package itself needs
LIST = """import json, setuptools
setuptools.setup = lambda **k: print(json.dumps({'base': k['install_requires']}
                                                | k['extras_require']))
exec(open('setup.py').read())"""
# A file of the index: its hash and its name.
FILE = re.compile(r'#sha256=([0-9a-f]{64})"[^>]*>([^<]+)</a>')
# Wheels for Linux with glibc and a supported Python, of both processors.
WHEEL = re.compile(r'-(py3|py2\.py3|cp3(10|11|12|13|14)|cp3\d*-abi3)(-[^-]*[^-t])?-'
                   r'(any|(manylinux|linux_)[^-]*(x86_64|aarch64))\.whl$')


def wanted() -> dict[str, list[str]]:
    """Return the requirements of each extra of ``setup.py``, and of the package itself."""
    return json.loads(subprocess.check_output([sys.executable, '-c', LIST], cwd=ROOT, text=True))


def resolve(python: str, requirements: Iterable[str], pins: str = '') -> dict[str, str]:
    """Return the version of each distribution that some requirements lead to, on one Python."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as constraints:
        constraints.write(pins)
        constraints.flush()
        lines = subprocess.run(
            [Path(sys.executable).with_name('uv'), 'pip', 'compile', '-', '--no-config', '--quiet',
             '--no-header', '--no-annotate', '--default-index', INDEX, '--python-version', python,
             '--constraint', constraints.name],
            input='\n'.join(requirements), stdout=subprocess.PIPE, text=True, check=True,
        ).stdout.splitlines()  # fmt: skip
    return dict(line.partition(' ')[0].split('==') for line in lines if line[0].isalnum())


def pins(resolved: Mapping[str, Mapping[str, str]]) -> list[str]:
    """
    Return one constraint per distribution and version.

    :param resolved: distribution versions for each Python version, oldest Python first
    """
    lines = []
    for name in sorted({name for packages in resolved.values() for name in packages}):
        users: dict[str, list[str]] = {}
        for python, packages in resolved.items():
            if name in packages:
                users.setdefault(packages[name], []).append(python)
        lines += [f'{name}=={version}{marker(list(resolved), pythons)}'
                  for version, pythons in users.items()]
    return lines


def marker(known: Sequence[str], pythons: Sequence[str]) -> str:
    """
    Return the environment marker of some neighbouring Pythons; nothing for all of them.

    The newest known one stands for all that come after it.
    """
    bounds = []
    if pythons[0] != known[0]:
        bounds.append(f"python_version >= '{pythons[0]}'")
    if pythons[-1] != known[-1]:
        bounds.append(f"python_version < '{known[known.index(pythons[-1]) + 1]}'")
    return f'; {" and ".join(bounds)}' if bounds else ''


def hashes(pin: str) -> list[str]:
    """Return the hashes of the wheels that a pin may install; of the source if there is none."""
    name, version = pin.partition(';')[0].split('==')
    with urlopen(f'{INDEX}/{name}/', timeout=60) as page:
        files = FILE.findall(page.read().decode())
    stem = re.compile('[-_.]'.join(map(re.escape, name.split('-')))
                      + rf'-{re.escape(version)}(-|\.tar\.gz$|\.zip$)', re.IGNORECASE)
    own = [(digest, file) for digest, file in files if stem.match(file)]
    wheels = [digest for digest, file in own if WHEEL.search(file)]
    return sorted(wheels or [digest for digest, file in own if not file.endswith('.whl')])


def entry(pin: str, extras: Iterable[str], digests: Sequence[str]) -> str:
    """Return the lines of one pin in the lock file."""
    if not digests:
        raise SystemExit(f'the index has no hash of {pin}')
    return ' \\\n    '.join([f'# for {" ".join(sorted(extras))}\n{pin}',
                             *(f'--hash=sha256:{digest}' for digest in digests)])


def main(arguments: Sequence[str]) -> None:
    """Write both files."""
    constraints = REQUIREMENTS / 'constraints.txt'
    groups = wanted()
    kept = constraints.read_text() if '--keep' in arguments else ''
    everything = [line for lines in groups.values() for line in lines]
    resolved = {python: resolve(python, everything, kept) for python in PYTHONS}
    lines = pins(resolved)
    text = HEADER + '\n'.join(lines) + '\n'
    users: dict[str, set[str]] = {}
    for python in PYTHONS:
        for extra, requirements in groups.items():
            for name in resolve(python, requirements, text):
                users.setdefault(name, set()).add(extra)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(hashes, lines))
    entries = [entry(pin, users[pin.split('==')[0]], digests)
               for pin, digests in zip(lines, found)]
    constraints.write_text(text)
    (REQUIREMENTS / 'lock.txt').write_text(HEADER + '\n'.join(entries) + '\n')


if __name__ == '__main__':
    main(sys.argv[1:])
