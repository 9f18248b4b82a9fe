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
"""What the tests of packaging share: the archive, the wheel, bare Pythons; each made once."""

from __future__ import annotations

import atexit
from functools import cache
from importlib import metadata
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = Path(__file__).resolve().parents[1]
PYTHON = f'python{sys.version_info.major}.{sys.version_info.minor}'
LEVELS = ('v2', 'v3', 'v4', 'aarch64')
RUN_TIME = ('numpy', 'scipy', 'urdf_parser_py', 'pyyaml', 'lxml', 'rich', 'pygments',
            'markdown-it-py', 'mdurl', 'viser', 'imageio', 'pillow', 'msgspec', 'requests',
            'charset-normalizer', 'idna', 'urllib3', 'certifi', 'tqdm', 'trimesh',
            'typing-extensions', 'websockets', 'zstandard')
CHECKED_TESTS = ('test_solver.py', 'test_modes.py', 'test_best_reach.py', 'test_goals.py',
                 'test_goals_of_trees.py', 'test_joint_kinds.py', 'test_look_at.py',
                 'test_methods.py', 'test_posture.py', 'test_relative_goal.py',
                 'test_streaming.py')
#: no settings of this session, and no index
ALONE = {'PATH': os.environ['PATH'], 'HOME': os.environ.get('HOME', '/'), 'PIP_NO_INDEX': '1',
         'PIP_CONFIG_FILE': os.devnull, 'PIP_DISABLE_PIP_VERSION_CHECK': '1'}


def run(*command: object, **options: object) -> subprocess.CompletedProcess:
    """Run a command, and show what it said if it fails."""
    result = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    return result


@cache
def scratch() -> Path:
    """Return a folder for this session."""
    folder = tempfile.mkdtemp(prefix='dq_ik_packages_')
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def generated() -> Path:
    """Return the assembly and C files of all levels; they are kept for the next session."""
    folder = ROOT / 'dq_ik' / 'native' / 'generated'
    run('nice', sys.executable, ROOT / 'dq_ik' / 'native', '--generate', '--output', folder,
        *LEVELS)
    return folder


@cache
def checked() -> tuple[dict[str, str], subprocess.CompletedProcess]:
    """Return settings in which the library checks indices, and how the core's tests went then."""
    folder = scratch() / 'checked'
    plain = {name: value for name, value in os.environ.items() if not name.startswith('DQ_IK')}
    run('nice', sys.executable, ROOT / 'dq_ik' / 'native', '--checked', '--output',
        folder / 'dq_ik', env=plain)
    settings = {**plain, 'DQ_IK_CHECKED': '1', 'XDG_CACHE_HOME': str(folder), 'PYTHONPATH':
                os.pathsep.join([str(ROOT), str(ROOT / 'test'), *sys.path])}
    return settings, subprocess.run(
        ['nice', sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider', '-m',
         'not slow', *(f'test/{name}' for name in CHECKED_TESTS)],
        capture_output=True, text=True, check=False, timeout=500, cwd=ROOT, env=settings)


@cache
def archive() -> Path:
    """Return the archive that ``make dist`` writes."""
    generated()
    folder = scratch() / 'archive'
    folder.mkdir()
    run(sys.executable, 'setup.py', '--quiet', 'egg_info', '--egg-base', folder, 'sdist',
        '--dist-dir', folder, cwd=ROOT)
    return next(folder.glob('*.tar.gz'))


def unpack(folder: Path) -> Path:
    """Unpack the archive; return the folder of the sources."""
    with tarfile.open(archive()) as content:
        content.extractall(folder)
    return next(folder.iterdir())


def bare_python(folder: Path, *distributions: str) -> Path:
    """Make an environment that has some of the distributions of this one, and nothing else."""
    run(sys.executable, '-m', 'venv', '--without-pip', folder)
    site = folder / 'lib' / PYTHON / 'site-packages'
    for name in distributions:
        found = metadata.distribution(name)
        for top in {path.parts[0] for path in found.files or ()} - {'..', '__pycache__'}:
            (site / top).symlink_to(found.locate_file(top))
    return folder / 'bin' / 'python'


@cache
def builder() -> Path:
    """Return a Python that can build wheels, and has no numba."""
    return bare_python(scratch() / 'builder', 'pip', 'setuptools')


@cache
def wheel() -> Path:
    """Return the wheel that is built from the archive, without numba and without an index."""
    folder = scratch() / 'wheel'
    run(builder(), '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation',
        '--wheel-dir', folder, archive(), env=ALONE)
    return next(folder.glob('*.whl'))
