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
"""A progress bar that remembers how long each part took."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Meter:
    """Shows where a run is, on standard error."""

    def __init__(self, console: Console, total: int):
        """Prepare a bar of ``total`` parts; it is shown within ``with meter.shown():``."""
        self._bar = Progress(TimeElapsedColumn(), BarColumn(), MofNCompleteColumn(),
                             TextColumn('{task.description}'), console=console, transient=True)
        self._task = self._bar.add_task('starting the peers', total=total)
        self.seconds: dict[str, float] = {}

    def shown(self) -> Progress:
        """Return the context in which the bar is shown."""
        return self._bar

    def __call__(self, text: str) -> None:
        """Tell what is being done."""
        self._bar.update(self._task, description=text)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time a part and count it as done."""
        self(name)
        started = perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - started
        self._bar.advance(self._task)
