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
Long work that begins with the session, on a core that other tests leave free.

Tests that wait for such work come last, in the order in which it is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
import subprocess
import sys
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
POOL = ThreadPoolExecutor(1)
#: files of tests, and single tests of other files, that wait for work -> the work
WAITING: dict[str, Callable[[], Any]] = {}


def wait_for(work: Callable[[], Any], *names: str) -> None:
    """Note which tests wait for some work."""
    WAITING.update(dict.fromkeys(names, work))


def begin(names: Iterable[str]) -> None:
    """Begin the work that some tests wait for."""
    for name in sorted(set(names), key=place):
        if place(name):
            _begun(WAITING[name])


def place(name: str) -> int:
    """Return where a file of tests or a test comes: 0, or after all others by its work."""
    return 1 + list(WAITING).index(name) if name in WAITING else 0


def awaited(work: Callable[[], Any]) -> Any:
    """Wait for work and return what it found."""
    return _begun(work).result()


@cache
def _begun(work: Callable[[], Any]) -> Future:
    return POOL.submit(work)


def python(*words: str, **options: Any) -> subprocess.CompletedProcess:
    """Run Python in the checkout, after everything that is urgent."""
    return subprocess.run(['nice', sys.executable, *words], capture_output=True, text=True,
                          check=False, cwd=ROOT, **options)
