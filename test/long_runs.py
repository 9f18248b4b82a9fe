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
"""Runs that take long and need nobody to look on: they go on while other tests run."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
from typing import Any

from background import python, wait_for


def plain_environment(**more: str) -> dict[str, str]:
    """Return the environment without what tests of compiled kernels need."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith('DQ_IK_')}
    return {**kept, 'PYTHONPATH': os.pathsep.join(sys.path), **more}


def insides() -> subprocess.CompletedProcess:
    """Run the tests that look inside the kernels, as plain Python."""
    return python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test/uncompiled.py',
                  'test/test_lanes.py', 'test/test_multi_start.py', '-k', 'uncompiled or lanes',
                  env=plain_environment(DQ_IK_NATIVE='plain'), timeout=1500)


def solves() -> subprocess.CompletedProcess:
    """Fuzz the solver for 20 s."""
    return python('-m', 'tools.fuzz', '--minutes', '0.33', '--seed', '1', timeout=600)


def messages() -> subprocess.CompletedProcess:
    """Fuzz a node for 20 s."""
    return python('-m', 'tools.fuzz', '--ros', '--minutes', '0.33', '--seed', '1', timeout=1000)


def mixed_load() -> tuple[subprocess.CompletedProcess, dict[str, Any]]:
    """Soak a node for 20 s; return the run and its numbers."""
    with tempfile.TemporaryDirectory() as folder:
        run = python('tools/soak.py', '--minutes', '0.33', '--folder', folder, timeout=1000)
        file = Path(folder) / 'soak.json'
        return run, json.loads(file.read_text()) if file.exists() else {}


wait_for(insides, 'test_the_insides_hold_as_plain_python')
wait_for(solves, 'test_short_fuzz')
wait_for(messages, 'test_random_messages')
wait_for(mixed_load, 'test_mixed_load')
