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
"""The clock of the fuzzer: it goes while a process could run, and not while others run."""

import os
import subprocess
import sys
import time

import pytest
from tools.fuzz.patience import Patience

BUSY = 'import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass'


def passed(pid: int, seconds: float) -> float:
    """Return the share of some seconds in which a process could run."""
    clock, began = Patience(pid), time.monotonic()
    while time.monotonic() - began < seconds:
        time.sleep(0.25)
        clock.now()
    return clock.now() / (time.monotonic() - began)


def test_a_process_that_waits_for_the_processor_is_not_late():
    """Three on one core: each waits two thirds of the time."""
    if not os.path.exists('/proc/self/schedstat'):
        pytest.skip('Linux notes no waiting here')
    core = str(min(os.sched_getaffinity(0)))
    runs = [subprocess.Popen([sys.executable, '-c', BUSY, core]) for _ in range(3)]
    try:
        time.sleep(0.5)
        assert passed(runs[0].pid, 2.0) < 0.6
    finally:
        for run in runs:
            run.kill()
            run.wait()


def test_a_process_that_sleeps_is():
    with subprocess.Popen(['sleep', '30']) as run:
        assert passed(run.pid, 1.0) > 0.8
        run.kill()
