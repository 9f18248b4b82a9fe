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

"""Work on rows in parallel: kernels release the GIL, so plain threads use all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
import os
from typing import Any

CHUNK = 256  # rows handed to a thread at once


def on_all_cores(count: int, work: Callable[[slice], Any], *, progress: bool = False) -> None:
    """
    Call ``work`` with slices that together cover ``count`` rows.

    :param progress: show a progress bar
    """
    chunks = [slice(start, start + CHUNK) for start in range(0, count, CHUNK)]
    if len(chunks) < 2:
        list(map(work, chunks))
        return
    own = getattr(os, 'sched_getaffinity', None)  # the cores that this process may use
    with ThreadPoolExecutor(len(own(0)) if own else os.cpu_count()) as pool:
        done: Iterable[Any] = pool.map(work, chunks)
        if progress:
            from rich.progress import track
            done = track(done, description='solving', total=len(chunks), transient=True)
        for _ in done:
            pass
