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
"""What the numbers were measured on."""
from __future__ import annotations

from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
import os
from pathlib import Path
import platform
import subprocess

from dq_ik.native import load

from .runner import Worker

ROOT = Path(__file__).parents[1]


def describe(workers: list[Worker], core: int) -> dict:
    """Return processor, versions and commit."""
    return {
        'date': datetime.now(timezone.utc).strftime('%Y-%m-%d %H:%M UTC'),
        'commit': commit(),
        'processor': processor(),
        'cores': os.cpu_count(),
        'core': core,
        'load': os.getloadavg()[0],
        'system': f'{platform.system()} {platform.release()}',
        'python': platform.python_version(),
        'library': load.describe(),
        'packages': {name: package_version(name)
                     for name in ('numpy', 'scipy', 'pin', 'example-robot-data')},
        'solvers': {name: worker.version for worker in workers for name in worker.solvers},
    }


def commit() -> str:
    """Return the commit of the working tree, marked when it has changes."""
    try:
        return subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=ROOT, check=True,
                              capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return 'unknown'


def processor() -> str:
    """Return the name of the processor."""
    try:
        for line in Path('/proc/cpuinfo').read_text().splitlines():
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def package_version(name: str) -> str:
    """Return the version of an installed distribution."""
    try:
        return version(name)
    except PackageNotFoundError:
        return 'not installed'
