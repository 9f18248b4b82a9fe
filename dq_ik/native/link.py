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

"""The last step of a build: a C compiler makes the door and the library of generated files."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
import shlex
import shutil
import subprocess
import sysconfig

from dq_ik.native.files import has_stable_interface

SOURCE = Path(__file__).resolve().parent
FLAGS = ('-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-Wl,-z,noexecstack', '-Wl,-s',
         '-Wl,--build-id=none')
LIBRARY = 'libdq_ik.so'


class BuildError(Exception):
    """The library cannot be built; the text is one sentence for people."""


class NoCompilerError(BuildError):
    """There is no C compiler, or no headers for it."""


def compiler() -> list[str]:
    """Return the command of the C compiler."""
    command = shlex.split(os.environ.get('CC', 'cc'))
    if shutil.which(command[0]) is None:
        raise NoCompilerError(f'no C compiler ({command[0]}) was found: install gcc '
                              '(on Debian or Ubuntu: build-essential)')
    return command


def link_library(generated: Path, levels: Sequence[str], out: Path) -> None:
    """Make the library that C and C++ programs link."""
    _run([*compiler(), *FLAGS, '-DDQ_IK_EXPORTS', f'-Wl,-soname,{LIBRARY}',
          *_sources(generated, levels), '-lm', '-o', out])


def link_door(generated: Path, levels: Sequence[str], out: Path) -> None:
    """Make the door to Python, with the library inside."""
    include = Path(sysconfig.get_path('include'))
    if not (include / 'Python.h').exists():
        raise NoCompilerError('the headers of Python were not found: install python3-dev')
    limited = ['-DPy_LIMITED_API=0x030B0000'] if has_stable_interface() else []
    _run([*compiler(), *FLAGS, *limited, f'-I{include}', f'-I{generated}', SOURCE / 'door.c',
          *_sources(generated, levels), '-lm', '-o', out])


def _sources(generated: Path, levels: Sequence[str]) -> list[Path]:
    return [generated / 'choose.c', *(generated / f'dq_ik_{level}.s' for level in levels)]


def _run(command: Sequence[object]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise BuildError(f'the C compiler failed: {done.stderr.strip()[-2000:]}')
