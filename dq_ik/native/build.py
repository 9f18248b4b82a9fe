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
Build the library: Python kernels -> one raw module -> assembly per level -> door and library.

Only the standard library is used here; numba works in processes of its own, by a Python that has
it (:class:`Numba`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import importlib.util
import os
from pathlib import Path
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from dq_ik.native import files
from dq_ik.native.files import NUMBA
from dq_ik.native.levels import levels_of

HERE = files.PACKAGE / 'native'
GENERATED = HERE / 'generated'  # in the archive of 'make dist'
LIBRARY, HEADER = 'libdq_ik.so', 'dq_ik.h'
FLAGS = ('-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-Wl,-z,noexecstack', '-Wl,-s',
         '-Wl,--build-id=none')
PROBE = 'import numba; print(numba.__version__)'

Say = Callable[[str], None]


class BuildError(Exception):
    """The library cannot be built; the text is one sentence for people."""


class NoCompilerError(BuildError):
    """There is no C compiler, or no headers for it."""


def build(folder: Path, wanted: Sequence[str], *, checked: bool, say: Say) -> Path:
    """
    Build the door, the library and the header into a folder; return the door.

    Files appear in the folder whole or not at all. A checked build, which is for tests, leaves
    the library alone that is there.

    :param wanted: levels (:data:`dq_ik.native.levels.LEVELS`); from the generated files of an
        archive all levels of this architecture are built
    """
    find_compiler()  # better now than after a minute of work
    folder.mkdir(parents=True, exist_ok=True)
    name = files.digest(checked)
    generated = archived(name, wanted)
    if generated is not None:
        wanted = [level for level in levels_of(platform.machine())
                  if (generated / f'dq_ik_{level}.s').exists()]
    door = folder / f'door_{name}_{"_".join(wanted)}{files.door_suffix()}'
    with tempfile.TemporaryDirectory(dir=folder, prefix='draft_') as draft_name:
        draft = Path(draft_name)
        if generated is None:
            generated = draft
            generate(draft, wanted, checked=checked, say=say)
        say('linking')
        _link(generated, wanted, draft / LIBRARY, draft / door.name)
        files.write_note(draft / door.name, digest=name, levels=list(wanted), checked=checked)
        shutil.copy(generated / HEADER, draft / 'copy.h')
        if not (checked and (folder / LIBRARY).exists()):
            os.replace(draft / 'copy.h', folder / HEADER)
            os.replace(draft / LIBRARY, folder / LIBRARY)
        for file in (f'{door.name}.json', door.name):
            os.replace(draft / file, folder / file)
    if folder == files.BUILT:  # the user's own folder may serve several installations
        _remove_older(folder, door, checked)
    return door


def _link(generated: Path, wanted: Sequence[str], library: Path, door: Path) -> None:
    """Make the library that C and C++ programs link, and the door to Python with it inside."""
    sources = [generated / 'choose.c', *(generated / f'dq_ik_{level}.s' for level in wanted)]
    compile_c(['-DDQ_IK_EXPORTS', f'-Wl,-soname,{LIBRARY}', *sources], library)
    include = Path(sysconfig.get_path('include'))
    if not (include / 'Python.h').exists():
        raise NoCompilerError('the headers of Python were not found: install python3-dev')
    limited = ['-DPy_LIMITED_API=0x030B0000'] if files.has_stable_interface() else []
    compile_c([*limited, f'-I{include}', f'-I{generated}', HERE / 'door.c', *sources], door)


def _remove_older(folder: Path, door: Path, checked: bool) -> None:
    """Remove doors of other sources; checked ones and others do not count as older."""
    for other in folder.glob(f'door_*{files.door_suffix()}'):
        if other != door and files.note_of(other).get('checked') == checked:
            other.unlink()
            other.with_name(f'{other.name}.json').unlink()


def ready(folder: Path, wanted: Sequence[str], checked: bool) -> bool:
    """Tell whether a folder has the door, the library and the header of these sources."""
    name = files.digest(checked)
    for door in folder.glob(f'door_{name}_*{files.door_suffix()}'):
        has = files.note_of(door).get('levels')
        if isinstance(has, list) and set(wanted) <= set(has):
            return checked or all(_names(folder / file, name) for file in (LIBRARY, HEADER))
    return False


def archived(name: str, wanted: Sequence[str], folder: Path = GENERATED) -> Path | None:
    """Return the folder of generated files that came with the sources, if they are of these."""
    whole = all((folder / f'dq_ik_{level}.s').exists() for level in wanted)
    return folder if whole and _names(folder / HEADER, name) else None


def _names(path: Path, digest: str) -> bool:
    """Tell whether a file carries a digest."""
    try:
        return digest.encode() in path.read_bytes()
    except OSError:
        return False


def generate(folder: Path, wanted: Sequence[str], *, checked: bool, say: Say,
             suffix: str = '.s') -> None:
    """Write the header, the door's entries, the choice and the assembly of all levels."""
    for path in [folder / HEADER, *folder.glob('dq_ik_*')]:
        path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix='draft_') as draft_name:
        draft = Path(draft_name)
        numba = Numba(draft, checked, say)
        numba.run('header.write_c_files', draft, files.digest(checked), *wanted)
        _translate(numba, draft / 'raw.bc', files.digest(checked), say)
        say(f'emitting {", ".join(wanted)}')
        outputs = [f'dq_ik_{level}{suffix}' for level in wanted]
        with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
            list(pool.map(lambda level, output: numba.run(
                'translate.emit', draft / 'raw.bc', level, draft / output), wanted, outputs))
        for output in (*outputs, 'entries.h', 'choose.c', HEADER):  # the last says: all is there
            os.replace(draft / output, folder / output)


def _translate(numba: Numba, raw: Path, digest: str, say: Say) -> None:
    """Write the raw module; a checkout keeps it, so that further levels take less time."""
    kept = files.BUILT / f'raw_{digest}.bc'
    if kept.exists():
        shutil.copy(kept, raw)
        return
    say('translating the kernels')
    numba.run('translate.translate', raw)
    if files.BUILT.is_dir() and os.access(files.BUILT, os.W_OK):
        for older in files.BUILT.glob('raw_*.bc'):
            older.unlink()
        draft = files.BUILT / f'draft_{os.getpid()}.bc'
        shutil.copy(raw, draft)
        os.replace(draft, kept)


def build_object(path: Path, level: str, *, checked: bool, say: Say) -> None:
    """Write the machine code of a level, for a machine without a C compiler."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix='draft_') as name:
        generate(Path(name), [level], checked=checked, say=say, suffix='.o')
        os.replace(Path(name) / f'dq_ik_{level}.o', path)
    files.write_note(path, digest=files.digest(checked), levels=[level], checked=checked)


# --- the tools: a C compiler, and a Python with the one numba that can translate -----------------

def find_compiler() -> list[str]:
    """Return the command of the C compiler."""
    command = shlex.split(os.environ.get('CC', 'cc'))
    if shutil.which(command[0]) is None:
        raise NoCompilerError(f'no C compiler ({command[0]}) was found: install gcc '
                              '(on Debian or Ubuntu: build-essential)')
    return command


def compile_c(arguments: Sequence[object], out: Path) -> None:
    """Make a shared library."""
    done = _run([*find_compiler(), *FLAGS, *arguments, '-lm', '-o', out])
    if done.returncode:
        raise BuildError(f'the C compiler failed: {done.stderr.strip()[-2000:]}')


def _run(command: Sequence[object],
         environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], env=environment, capture_output=True,
                          text=True, check=False)


class Numba:
    """A Python with the pinned numba: this one, or that of a private environment."""

    def __init__(self, folder: Path, checked: bool, say: Say) -> None:
        """
        Find it, or install it.

        :param folder: where the private environment is made
        :param checked: whether code that it translates checks its indices
        """
        self.checked = checked
        self.python = sys.executable if has_numba(sys.executable) else _install(folder, say)

    def run(self, step: str, *arguments: object) -> None:
        """Call a function of this folder, named ``module.function``, in a process of its own."""
        done = _run([self.python, HERE, '--step', step, *arguments],
                    _environment(self.python, self.checked))
        if done.returncode:
            raise BuildError(f'{step} failed:\n{done.stderr.strip()[-3000:]}')


def has_numba(python: str) -> bool:
    """Tell whether a Python has the numba that :mod:`dq_ik.native.translate` is written for."""
    return _run([python, '-c', PROBE], _environment(python)).stdout.strip() == NUMBA


def _environment(python: str, checked: bool = False) -> dict[str, str]:
    """Return the environment of the processes that use numba."""
    dropped = {'DQ_IK_KERNELS', 'DQ_IK_CHECKED'}
    if python != sys.executable:
        dropped |= {'PYTHONPATH', 'PYTHONHOME'}  # they are of this Python
    environment = {key: value for key, value in os.environ.items()
                   if key not in dropped and not key.startswith('NUMBA_')}
    return {**environment, 'DQ_IK_CHECKED': '1' if checked else '0'}


def _install(folder: Path, say: Say) -> str:
    """Make an environment with numba; return its Python."""
    say(f'installing numba {NUMBA} into a private environment')
    environment = folder / 'environment'
    python = environment / 'bin' / 'python'
    own_pip = importlib.util.find_spec('pip') is not None  # else that of the new environment
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    done = _run([sys.executable, '-m', 'venv', *(['--without-pip'] if own_pip else []),
                 environment])
    if not done.returncode:
        done = _run([sys.executable if own_pip else python, '-m', 'pip', 'install', '--quiet',
                     '--no-compile', '--disable-pip-version-check', '--target',
                     environment / 'lib' / version / 'site-packages', f'numba=={NUMBA}'])
    if done.returncode or not has_numba(str(python)):
        lines = done.stderr.strip().splitlines()
        reason = f' ({lines[-1].strip()[:200]})' if lines else ''
        raise BuildError(
            f'the library is built with numba {NUMBA}, which could not be installed{reason}: '
            f"type 'pip install numba=={NUMBA}', or build from the archive that 'make dist' "
            'writes, which needs gcc alone, or set DQ_IK_NATIVE=plain to do without the library')
    return str(python)
