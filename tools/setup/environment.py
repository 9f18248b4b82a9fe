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
"""The steps of the set-up, each skipped when its result is there already."""

from __future__ import annotations

from collections.abc import Iterable
import hashlib
import importlib.util
import json
import os
from pathlib import Path
import platform
import re
import shutil
import sys

from installer import Installer
import interfaces
from library import Library
from report import CommandError, Report, SetupError

#: what pip prints when it cannot talk to the index at all
_UNREACHABLE = re.compile(
    r'Retrying \(Retry|NewConnectionError|ConnectTimeout|Temporary failure in name resolution'
    r'|Network is unreachable|Connection refused|ProxyError|SSLError'
)
#: what pip prints above the distribution whose file is not the one that was locked
_CHANGED = re.compile(r'DO NOT MATCH THE HASHES[^\n]*\n\s*(\S+)')
_ABSENT = re.compile(r'No matching distribution found for ([^\s;]+)')


class State:
    """What has been done in an environment; kept in a file inside it, written whole or not."""

    def __init__(self, venv: Path) -> None:
        """Read the state of an environment; a missing or damaged file means nothing is done."""
        self._path = venv / 'dq_ik_setup.json'
        try:
            self.done: dict[str, object] = json.loads(self._path.read_text())
        except (OSError, ValueError):
            self.done = {}

    def record(self, **values: object) -> None:
        """Record values."""
        self.done.update(values)
        draft = self._path.with_suffix('.draft')
        draft.write_text(json.dumps(self.done, indent=1))
        os.replace(draft, self._path)


def set_up(root: Path, venv: Path, extras: Iterable[str]) -> None:
    """
    Bring an environment to the state that a target needs.

    :param root: the checkout
    :param venv: folder of the environment, made when missing
    :param extras: names of optional dependencies in ``setup.py``
    :raises SetupError: with one sentence for the user
    """
    python = venv / 'bin' / 'python'
    pins = _digest(root / 'setup.py', root / 'requirements' / 'lock.txt')
    state = State(venv)
    if not python.exists() or state.done.get('installing') or 'pins' not in state.done:
        state = _make(venv, root)
    present = set(state.done['extras']) if state.done['pins'] == pins else set()
    wanted = set(extras)
    library = Library(root, python, venv)
    try:
        if not wanted <= present:
            extras = sorted(wanted | set(state.done['extras']))
            _install(root, python, extras, state, venv, library)
            state.record(pins=pins)
        library.start()
        if state.done.get('interfaces') != interfaces.digest(root / 'interfaces'):
            _add_interfaces(root, python, state, venv)
        library.finish()
    finally:
        library.stop()


def _make(venv: Path, root: Path) -> State:
    """Make an empty environment; whatever an interrupted run left is removed first."""
    if importlib.util.find_spec('ensurepip') is None:
        version = f'{sys.version_info.major}.{sys.version_info.minor}'
        raise SetupError(
            'This Python cannot make virtual environments: install python3-venv '
            f'(on Debian or Ubuntu: python{version}-venv).'
        )
    if venv.exists() and not (venv / 'pyvenv.cfg').exists() and any(venv.iterdir()):
        raise SetupError(f'{venv} is not a virtual environment: move it away and try again.')
    shutil.rmtree(venv, ignore_errors=True)
    venv.mkdir(parents=True)
    (venv / 'pyvenv.cfg').touch()
    report = Report(venv / 'setup.log')
    report.begin(f'Making a virtual environment with Python {platform.python_version()}')
    environment = interfaces.clean_environment(Path(sys.executable))
    report.run([sys.executable, '-m', 'venv', '--clear', venv], environment, 'No environment')
    state = State(venv)
    state.record(pins='', extras=[])
    report.end()
    return state


def _install(root: Path, python: Path, extras: list[str], state: State, venv: Path,
             library: Library) -> None:
    """Install the locked dependencies, numba first, for the library; then this checkout."""
    report = Report(venv / 'setup.log')
    report.begin(f'Installing dq_ik with {", ".join(extras)} (by hashes; a minute or less)')
    state.record(installing=True)
    try:
        installer = Installer(python, root / 'requirements' / 'lock.txt', report)
        installer.install_extras('build')
        library.start()
        installer.install_extras('base', *extras)
        installer.install('--editable', root)
    except CommandError as error:
        if 'Installing collected packages' not in error.output:
            state.record(installing=False)
        raise SetupError(_explain(error)) from error
    state.record(installing=False, extras=extras)
    report.end()


def _explain(error: CommandError) -> str:
    """Return the sentence that tells why pip failed."""
    if _UNREACHABLE.search(error.output):
        return 'The Python package index cannot be reached: check the network or pip.conf.'
    absent = _ABSENT.search(error.output)
    if absent:
        return (
            f'The Python package index has no {absent.group(1)} for Python '
            f'{platform.python_version()} on {platform.machine()}.'
        )
    changed = _CHANGED.search(error.output)
    if changed:
        return (f'A file of {changed.group(1)} does not have the hash of requirements/lock.txt: '
                'somebody changed it, or the index has another build.')
    if 'No space left on device' in error.output:
        return 'The disk is full: the environment needs about 1 GB.'
    return str(error)


def _add_interfaces(root: Path, python: Path, state: State, venv: Path) -> None:
    """Generate our parts of message packages that are not there; say which compiler lacks."""
    source = root / 'interfaces'
    ours = 'interfaces' in state.done and not interfaces.complete(python)
    if ours or not interfaces.importable(python):
        lacking = interfaces.missing_tool(python)
        if lacking:
            print(f'{lacking} Until then the node runs without ~/compute_ik, '
                  '~/compute_fk and ~/joint_jog.')
            return
        report = Report(venv / 'setup.log')
        report.begin('Compiling parts of moveit_msgs and control_msgs (once; half a minute)')
        state.record(interfaces='building')
        interfaces.build(python, source, venv / 'interfaces', report)
        report.end()
    state.record(interfaces=interfaces.digest(source))


def _digest(*paths: Path) -> str:
    """Return a fingerprint of some files and of the Python that runs."""
    text = b''.join(path.read_bytes() for path in paths) + sys.version.encode()
    return hashlib.sha256(text).hexdigest()[:16]
