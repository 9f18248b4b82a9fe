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
"""A clock that stands still while processes wait for a processor that others use."""

from __future__ import annotations

from pathlib import Path
import time

FRESH = 0.2  # seconds; the notes of many threads take a millisecond to read


class Patience:
    """
    Time [s] in which some processes could run: a busy machine makes nobody late.

    Linux notes for each thread how long it was ready to run and did not (``schedstat``). Where
    there is no such note, this is the steady clock.
    """

    def __init__(self, *pids: int) -> None:
        """Begin at 0 with the processes that must run for an answer."""
        self._pids = pids
        self._seconds = 0.0
        self._last, self._waited = time.monotonic(), self._waits()

    def now(self) -> float:
        """Return the time, up to FRESH; to be called often."""
        if time.monotonic() - self._last < FRESH:
            return self._seconds
        last, before = self._last, self._waited
        self._last, self._waited = time.monotonic(), self._waits()
        lost = sum(
            max((waited - old.get(thread, waited) for thread, waited in new.items()), default=0.0)
            for old, new in zip(before, self._waited))
        self._seconds += max(0.0, self._last - last - lost)
        return self._seconds

    def _waits(self) -> list[dict[str, float]]:
        """Return for each process how long each of its threads has waited so far."""
        return [waits_of(pid) for pid in self._pids]


def waits_of(pid: int) -> dict[str, float]:
    """Return how long [s] each thread of a process was ready to run, and did not."""
    found = {}
    for task in Path(f'/proc/{pid}/task').glob('*'):
        try:
            found[task.name] = 1e-9 * int((task / 'schedstat').read_text().split()[1])
        except (OSError, IndexError, ValueError):  # it has just ended
            continue
    return found
