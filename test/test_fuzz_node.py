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
"""A node under random messages for a short while: it answers all, and lives."""

from processes import python
import pytest

pytest.importorskip('moveit_msgs')


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_random_messages():
    run = python('-m', 'tools.fuzz', '--ros', '--minutes', 0.33, '--seed', 1, timeout=1000)
    assert run.returncode == 0, run.stdout + run.stderr
    counts = dict(line.rsplit(maxsplit=1) for line in run.stdout.splitlines() if line)
    assert counts['requests'] == counts['answers'] != '0'
