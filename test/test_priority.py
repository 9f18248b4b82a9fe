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

"""Real-time priority where it is permitted, and plain words where it is not."""

import os
import subprocess
import sys

import pytest

from dq_ik.ros import priority

LEVEL = 3
SCRIPT = f"""
import os, threading
from dq_ik.ros.priority import may_take_priority, return_priority, take_priority
done = threading.Event()
threading.Thread(target=done.wait).start()
print(may_take_priority({LEVEL}), os.sched_getscheduler(0) == os.SCHED_OTHER)
try:
    take_priority({LEVEL})
except PermissionError as error:
    print(error)
def policies():
    return [os.sched_getscheduler(int(thread)) for thread in os.listdir('/proc/self/task')]
print(*policies())
return_priority()
print(*policies())
done.set()
"""


def run_script() -> list[str]:
    """Return what the script printed in a process of its own."""
    done = subprocess.run([sys.executable, '-c', SCRIPT], capture_output=True, text=True,
                          timeout=60, check=True,
                          env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    return done.stdout.splitlines()


def test_all_threads_go_first_where_it_is_permitted_until_it_is_returned():
    permitted = priority.may_take_priority(LEVEL)
    first, *words, policies, ordinary = run_script()
    assert first == f'{permitted} True'  # is ordinary again after trying
    assert [('rtprio' in line) for line in words] == ([] if permitted else [True])
    policy = os.SCHED_FIFO if permitted else os.SCHED_OTHER
    assert set(policies.split()) == {str(policy)}
    assert len(policies.split()) >= 2
    assert set(ordinary.split()) == {str(os.SCHED_OTHER)}


def test_what_is_not_permitted_is_refused_with_advice(monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, 'sched_setscheduler', refuse)
    assert not priority.may_take_priority(LEVEL)
    with pytest.raises(PermissionError, match='rtprio'):
        priority.take_priority(LEVEL)


def test_a_thread_that_has_ended_meanwhile_is_no_trouble(monkeypatch):
    def vanish(*_):
        raise ProcessLookupError

    monkeypatch.setattr(os, 'sched_setscheduler', vanish)
    priority.take_priority(LEVEL)  # does not raise
