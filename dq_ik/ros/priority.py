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

"""Real-time priority, so that a stream is not late when the machine is busy."""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path
import sys

THREADS = Path('/proc/self/task')


def take_priority(level: int) -> None:
    """
    Let all threads of this process run before ordinary ones (SCHED_FIFO).

    :param level: 1 to 99; the highest goes first
    :raises PermissionError: if this user may not; the message says what would help
    """
    try:
        _schedule(os.SCHED_FIFO, level)
    except PermissionError:
        raise PermissionError(
            f'real-time priority {level} is not permitted; it takes root, or a line such as '
            f"'@realtime - rtprio {level}' in /etc/security/limits.conf") from None


def return_priority() -> None:
    """Let all threads of this process be ordinary ones again; everybody may do this."""
    if sys.platform == 'linux':
        _schedule(os.SCHED_OTHER, 0)


def may_take_priority(level: int) -> bool:
    """Tell whether this process may run at a real-time priority, by trying."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(level))
    except PermissionError:
        return False
    os.sched_setscheduler(0, *before)
    return True


def _schedule(policy: int, level: int) -> None:
    for thread in sorted(THREADS.iterdir()):
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setscheduler(int(thread.name), policy, os.sched_param(level))
