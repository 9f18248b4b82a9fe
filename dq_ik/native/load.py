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
Load the library of these sources: once, when it is first asked for.

In order: a door that was built; one that is built now, where numba is installed; the kernels as
they are written, with one warning. ``DQ_IK_NATIVE=plain`` asks for the last. Where there is no C
compiler, llvmlite itself loads the machine code, and ctypes calls it. What is wrong with a file is
said in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import fcntl
from functools import cache
import importlib.machinery
import importlib.util
import os
from pathlib import Path
import sys
from typing import Any, NamedTuple
import warnings

from dq_ik.core.compile import CHECKED
from dq_ik.core.entries.block_check import FAULTS
from dq_ik.core.entries.pose_input import Fault
from dq_ik.core.packing.joint_check import PackError
from dq_ik.native import files

SLOW = ('dq_ik: there is no native library ({reason}); the kernels run as plain Python, several '
        "thousand times slower. Build it with 'python -m dq_ik.native'.")


class NativeDoor:
    """The door in C, with what the door in Python has."""

    def __init__(self, path: Path) -> None:
        """
        Load a door.

        :raises ImportError: if it is for another kind of processor or Python
        """
        loader = importlib.machinery.ExtensionFileLoader('door', str(path))
        spec = importlib.util.spec_from_loader('door', loader)
        assert spec is not None
        module: Any = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        self.Robot, self.Solver = module.Robot, module.Solver
        self.entries = {name: value for name, value in vars(module).items()
                        if callable(value) and not isinstance(value, type)}
        self.kind, self.level, self.path = 'native library', module.level, path


@cache
def door() -> Any:
    """Return the door: an object with ``entries``, ``Robot``, ``Solver``, ``kind``, ``level``."""
    if os.environ.get('DQ_IK_NATIVE') == 'plain':
        return _plain('plain Python, as asked')
    found = built()
    if found is not None:
        return found
    reason = f'numba {files.NUMBA}, which builds it, is not installed'
    if importlib.util.find_spec('numba') is not None:
        from dq_ik.native.build import BuildError
        try:
            return _build_now()
        except (BuildError, LookupError, OSError) as error:
            reason = str(error)
    warnings.warn(SLOW.format(reason=reason), RuntimeWarning, stacklevel=3)
    return _plain('plain Python')


def describe() -> str:
    """Return in words how the kernels run here."""
    found = door()
    if not found.level:
        return f'{found.kind}, no native library'
    checked = ', indices checked' if CHECKED else ''
    return f'{found.kind} for {found.level}{checked}, sources {files.digest(CHECKED)}'


class BadRow(NamedTuple):
    """What is wrong with which row of an argument."""

    kind: Fault | PackError
    row: int

    @property
    def words(self) -> str:
        """Return what is wrong in words."""
        return self.kind.name.lower().replace('_', ' ')

    def __str__(self) -> str:
        """Return both in words."""
        return f'row {self.row}: {self.words}'


def fault_of(result: int, *, pack: bool = False) -> BadRow:
    """
    Return what a result below zero says.

    :param pack: whether it is one of the packing of a robot
    """
    return BadRow((PackError if pack else Fault)(-result % FAULTS), -result // FAULTS)


def built() -> NativeDoor | None:
    """Return the first good door that was built before; say which are bad."""
    for path in files.doors(files.digest(CHECKED)):
        try:
            if files.note_of(path):
                return NativeDoor(path)
            reason: object = 'it is damaged'
        except ImportError as error:
            reason = error
        warnings.warn(f'dq_ik: {path} is not used: {reason}', RuntimeWarning, stacklevel=4)
    return None


def _plain(kind: str) -> Any:
    from dq_ik.native.door import Door, plain_entries
    return Door(plain_entries(), kind)


def _build_now() -> Any:
    """Build the level of this machine in the first folder that is writable; return its door."""
    from dq_ik.native import build, levels
    from dq_ik.native.build import BuildError, NoCompilerError
    level, folder = levels.own_level(), files.writable_folder()
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
        path = folder / f'object_{files.digest(CHECKED)}_{level}.o'
        if not files.note_of(path):
            build.build_object(path, level, checked=CHECKED, say=_show)
        return _load_object(path, level, levels.LEVELS[level].cpu)


def _show(text: str) -> None:
    print(f'dq_ik: {text}', file=sys.stderr, flush=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process build at a time."""
    with (folder / 'lock').open('w') as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _load_object(path: Path, level: str, cpu: str) -> Any:
    """Load machine code without a linker."""
    from dq_ik.native.door import ctypes_entries, Door
    from llvmlite import binding as llvm
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(''), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_path(str(path)))
    engine.finalize_object()
    entries = ctypes_entries(lambda name: engine.get_function_address(f'{name}_{level}'))
    return Door(entries, 'machine code loaded by llvmlite', cpu, engine)
