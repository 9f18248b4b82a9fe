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
"""A node under mixed load for 20 seconds; the bars that a busy machine cannot spoil."""

from background import awaited
from long_runs import mixed_load
import pytest
from tools.soak import table


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_mixed_load():
    run, found = awaited(mixed_load)
    assert found, run.stdout + run.stderr
    print(run.stdout)
    _, missed = table(found)
    assert found['alive']
    assert not found['traceback']
    assert found['clients']['calls'] > 100
    for bar in ('goals lost', 'unanswered', 'memory, growth [MB]', 'threads', 'files'):
        assert bar not in missed
