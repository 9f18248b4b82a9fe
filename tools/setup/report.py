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
"""Progress, log and errors of the set-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import os
from pathlib import Path
import subprocess
import sys
import time


class SetupError(Exception):
    """Set-up cannot go on; the text is one sentence for the user."""


class Report:
    """Shows one line per step, and keeps everything the tools say in a log file."""

    def __init__(self, log: Path) -> None:
        """
        Start a report.

        :param log: file that receives the output of all commands
        """
        self.log = log
        self._start = 0.0
        self._live = sys.stdout.isatty()

    def begin(self, text: str) -> None:
        """Announce the next step."""
        self._start = time.monotonic()
        print(f'{text} ...', flush=True)

    def end(self) -> None:
        """Say how long the step took."""
        self._erase()
        print(f'  done in {time.monotonic() - self._start:.0f} s', flush=True)

    def run(self, command: Sequence[object], environment: Mapping[str, str], failure: str) -> str:
        """
        Run a command, log its output, and show its latest line on a terminal.

        :param failure: beginning of the sentence raised when the command fails
        :returns: the output
        :raises SetupError: when the command ends with an error
        """
        lines = []
        with self.log.open('a') as log:
            log.write(f'$ {" ".join(map(str, command))}\n')
            process = subprocess.Popen(
                [str(part) for part in command],
                env=dict(environment),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors='replace',
            )
            assert process.stdout is not None
            for line in process.stdout:
                log.write(line)
                lines.append(line)
                self.show(line.strip())
        if process.wait() != 0:
            self._erase()
            raise CommandError(f'{failure}; see {os.path.relpath(self.log)}.', ''.join(lines))
        return ''.join(lines)

    def show(self, line: str) -> None:
        """Replace the status line on a terminal."""
        if self._live:
            width = os.get_terminal_size().columns - 4
            print(f'\r\033[K  {line[:width]}', end='', flush=True)

    def _erase(self) -> None:
        """Remove the status line."""
        if self._live:
            print('\r\033[K', end='', flush=True)


class CommandError(SetupError):
    """A command failed; carries what it printed."""

    def __init__(self, sentence: str, output: str) -> None:
        """Keep the output beside the sentence."""
        super().__init__(sentence)
        self.output = output
