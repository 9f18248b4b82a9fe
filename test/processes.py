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
"""Programs that tests run in processes of their own."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def python(*words: object, **options: Any) -> subprocess.CompletedProcess:
    """Run Python in the checkout, after everything that is urgent."""
    return subprocess.run(['nice', sys.executable, *map(str, words)], capture_output=True,
                          text=True, check=False, cwd=ROOT, **options)


def plain_environment(**more: str) -> dict[str, str]:
    """Return the environment without what tests of compiled kernels need."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith('DQ_IK_')}
    return {**kept, 'PYTHONPATH': os.pathsep.join(sys.path), **more}
