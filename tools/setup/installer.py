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
Install packages whose hashes are known: by uv where it can stand in for pip, else by pip.

pip is several times slower.

uv reads no settings of pip. They are handed on where all of them are understood; where one is not,
or uv fails, pip does the work.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from pathlib import Path
import subprocess

import interfaces
from report import CommandError, Report

FAILURE = 'The dependencies could not be installed'
# Settings of pip that do not change what is installed.
HARMLESS = {'timeout', 'default-timeout', 'disable-pip-version-check', 'retries', 'no-input',
            'no-cache-dir', 'cache-dir', 'progress-bar', 'quiet', 'verbose', 'no-color',
            'no-compile', 'root-user-action', 'no-warn-script-location', 'break-system-packages',
            'require-virtualenv', 'prefer-binary'}
# Those that name where packages come from, and what uv calls them.
PLACES = {'index-url': 'UV_DEFAULT_INDEX', 'extra-index-url': 'UV_INDEX', 'cert': 'SSL_CERT_FILE',
          'find-links': 'UV_FIND_LINKS', 'trusted-host': 'UV_INSECURE_HOST'}


class Installer:
    """Installs the packages of a lock file into an environment, and nothing else."""

    def __init__(self, python: Path, lock: Path, report: Report) -> None:
        """Get uv, if it can be used."""
        self._report, self._lock = report, lock
        self._chosen = python.parent.parent / 'requirements.txt'
        self._environment = {**interfaces.clean_environment(python), 'DQ_IK_NATIVE': 'plain'}
        self._pip = [
            python, '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input',
            '--no-compile', '--retries', '2', '--no-deps', '--no-build-isolation', '--use-pep517']
        self._uv = [
            python.parent / 'uv', 'pip', 'install', '--no-config', '--python', python,
            '--no-deps', '--no-build-isolation']
        settings = uv_settings(self._pip_settings(python))
        self._settings = settings
        if settings is not None:
            try:
                report.run([*self._pip, *self._locked('setup')], self._environment, FAILURE)
            except CommandError as error:
                if 'No matching distribution' not in error.output:
                    raise
                self._settings = None

    def install_extras(self, *extras: str) -> None:
        """Install what some extras need; every file must have one of the hashes of the lock."""
        self.install(*self._locked(*extras))

    def _locked(self, *extras: str) -> list[object]:
        """Return the arguments that install the lines of the lock file for some extras."""
        self._chosen.write_text(chosen(self._lock.read_text(), extras))
        return ['--require-hashes', '--requirement', self._chosen]

    def install(self, *what: object) -> None:
        """Install something without its dependencies."""
        if self._settings is not None:
            try:
                self._report.run([*self._uv, *what], {**self._environment, **self._settings},
                                 FAILURE)
                return
            except CommandError:
                self._settings = None  # pip goes on, and says what is wrong
        self._report.run([*self._pip, *what], self._environment, FAILURE)

    def _pip_settings(self, python: Path) -> Sequence[str]:
        """Return the settings of pip, one in a line."""
        return subprocess.run([python, '-m', 'pip', 'config', 'list'], env=self._environment,
                              capture_output=True, text=True, check=False).stdout.splitlines()


def chosen(lock: str, extras: Collection[str]) -> str:
    """
    Return the lines of a lock file that some extras need.

    :param lock: entries that begin with ``# for extra1 extra2``
    """
    entries = lock.split('\n# for ')[1:]
    return ''.join(f'{lines}\n' for users, _, lines in (e.partition('\n') for e in entries)
                   if set(users.split()) & set(extras))


def uv_settings(lines: Sequence[str]) -> dict[str, str] | None:
    """
    Return the environment of uv that means the same as settings of pip; None: there is none.

    :param lines: of ``pip config list``, as ``global.index-url='...'``
    """
    found = {}
    for section in ('global.', 'install.', ':env:.'):  # the later ones win
        for line in lines:
            key, _, value = line.partition('=')
            if key.startswith(section):
                found[key[len(section):]] = str(ast.literal_eval(value))
    if not set(found) <= HARMLESS | set(PLACES):
        return None
    settings = {PLACES[key]: value for key, value in found.items() if key in PLACES}
    for name in ('UV_INDEX', 'UV_INSECURE_HOST'):
        if name in settings:
            settings[name] = ' '.join(settings[name].split())
    if 'UV_FIND_LINKS' in settings:
        settings['UV_FIND_LINKS'] = ','.join(settings['UV_FIND_LINKS'].split())
    return {**settings, 'UV_INDEX_STRATEGY': 'unsafe-best-match'}  # as pip chooses
