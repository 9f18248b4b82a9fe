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

"""
Build the library when it is asked for and not there: in a checkout at work, or beside numba.

Where there is no C compiler, llvmlite itself loads the machine code, and ctypes calls it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import fcntl
import os
from pathlib import Path
import sys
from typing import Any
import warnings

from dq_ik.core.compile import CHECKED
from dq_ik.native import build, files, levels
from dq_ik.native.door import ctypes_entries, Door
from dq_ik.native.link import BuildError, NoCompilerError
from dq_ik.native.load import built, NativeDoor


def build_now() -> Any:
    """Build the level of this machine in the first folder that is writable; return its door."""
    level, folder = levels.own_level(), _folder()
    with _alone(folder):
        found = built()  # another process may have been faster
        if found is not None:
            return found
        _show('building the native library, once; this takes about a minute')
        try:
            return NativeDoor(build.build(folder, [level], checked=CHECKED, say=_show))
        except ImportError as error:
            raise BuildError(str(error)) from None
        except NoCompilerError as error:
            warnings.warn(f'dq_ik: {error}; llvmlite loads the machine code instead, and calls '
                          'take longer', RuntimeWarning, stacklevel=4)
            return _load_object(_object(folder, level), level)


def _show(text: str) -> None:
    print(f'dq_ik: {text}', file=sys.stderr, flush=True)


def _folder() -> Path:
    """Return the folder for a build: the package's, or the user's own."""
    if os.access(files.BUILT.parent, os.W_OK):
        files.BUILT.mkdir(exist_ok=True)
        return files.BUILT
    own = files.cache_folder()
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not files.is_private(own):
        raise BuildError(f'{own} may be written by others; make it your own (chmod 700)')
    return own


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process build at a time."""
    with (folder / 'lock').open('w') as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _object(folder: Path, level: str) -> Path:
    """Return the object of a level, made if it is not there."""
    path = folder / f'object_{files.digest(CHECKED)}_{level}.o'
    if not files.note_of(path):
        build.build_object(path, level, checked=CHECKED, say=_show)
    return path


def _load_object(path: Path, level: str) -> Door:
    """Load machine code without a linker."""
    from llvmlite import binding as llvm
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(''), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_path(str(path)))
    engine.finalize_object()
    found = Door(ctypes_entries(lambda name: engine.get_function_address(f'{name}_{level}')),
                 'machine code loaded by llvmlite', levels.LEVELS[level].cpu)
    found.engine = engine  # the code lives as long as it
    return found
