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
"""Build the native library of the checkout while other steps of the set-up go on."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import signal
import subprocess
import sysconfig
import time

import interfaces
from report import Report, SetupError


class Library:
    """One build in the background; it does nothing where the library is up to date."""

    def __init__(self, root: Path, python: Path, venv: Path) -> None:
        """Prepare a build with the Python of an environment."""
        self._command = [str(python), str(root / 'dq_ik' / 'native')]
        self._environment = interfaces.clean_environment(python)
        self._log = venv / 'library.log'
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start the build, unless it was started or there is no compiler."""
        header = Path(sysconfig.get_path('include'), 'Python.h')
        if self._process is not None or not header.exists() or shutil.which('cc') is None:
            return
        with self._log.open('w') as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True)

    def finish(self) -> None:
        """
        Wait for the build.

        :raises SetupError: with the reason when it failed
        """
        if self._process is None:
            return
        report = Report(self._log)
        if not self._ends_soon():
            report.begin('Building the native library (once; about a minute, most of it gone)')
            while self._process.poll() is None:
                report.show(self._last_line())
                time.sleep(0.2)
            report.end()
        if self._process.returncode:
            raise SetupError(f'The native library could not be built: {self._last_line()}')

    def _ends_soon(self) -> bool:
        """Tell whether there is nothing to wait for."""
        assert self._process is not None
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _last_line(self) -> str:
        """Return what the build said last."""
        lines = self._log.read_text(errors='replace').strip().splitlines()
        return lines[-1].removeprefix('dq_ik:').strip() if lines else ''

    def stop(self) -> None:
        """End the build if it still runs, with all its processes."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait()
