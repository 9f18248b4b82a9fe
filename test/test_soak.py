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

import json

from processes import python
import pytest
from tools.soak import table

pytest.importorskip('moveit_msgs')


def soak(folder, *words):
    """Return what was measured, and the bars that are missed."""
    run = python('tools/soak.py', *words, '--folder', folder, timeout=1000)
    file = folder / 'soak.json'
    assert file.exists(), run.stdout + run.stderr
    found = json.loads(file.read_text())
    print(run.stdout)
    assert found['alive']
    assert not found['traceback']
    return found, table(found)[1]


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_mixed_load(tmp_path):
    found, missed = soak(tmp_path, '--minutes', 0.33)
    assert found['clients']['calls'] > 100
    for bar in ('goals lost', 'unanswered', 'memory, growth [MB]', 'threads', 'files'):
        assert bar not in missed


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_a_stream_beside_page_marker_and_controller(tmp_path):
    _, missed = soak(tmp_path, '--minutes', 0.2, '--only', 'stream', '--with', 'page', 'marker',
                     'controller')
    for bar in ('goals lost', 'page: messages', 'marker: updates', 'controller: trajectories',
                'controller: bad'):
        assert bar not in missed
