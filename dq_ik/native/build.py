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
it (:func:`python_with_numba`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import importlib.util
import os
from pathlib import Path
import platform
import shutil
import subprocess
import sys
import tempfile

from dq_ik.native import files, levels, link
from dq_ik.native.link import BuildError

HERE = Path(__file__).resolve().parent
GENERATED = HERE / 'generated'  # in the archive of 'make dist'
HEADER = 'dq_ik.h'
C_FILES = ('entries.h', 'choose.c')
PROBE = 'import numba; print(numba.__version__)'

Say = Callable[[str], None]


def silent(text: str) -> None:
    """Say nothing."""


def build(folder: Path, wanted: Sequence[str], *, checked: bool = False, say: Say = silent,
          python: str | None = None) -> Path:
    """
    Build the door, the library and the header into a folder; return the door.

    Files appear in the folder whole or not at all. A checked build, which is for tests, leaves
    the library alone that is there.

    :param wanted: levels (:data:`dq_ik.native.levels.LEVELS`); from the generated files of an
        archive all levels of this architecture are built
    :param python: one that has numba; None: it is found or made
    """
    link.compiler()  # better now than after a minute of work
    folder.mkdir(parents=True, exist_ok=True)
    name = files.digest(checked)
    generated = archived(name, wanted)
    if generated is not None:
        wanted = [level for level in levels.levels_of(platform.machine())
                  if (generated / f'dq_ik_{level}.s').exists()]
    door = folder / f'door_{name}_{"_".join(wanted)}{files.door_suffix()}'
    with tempfile.TemporaryDirectory(dir=folder, prefix='draft_') as draft_name:
        draft = Path(draft_name)
        if generated is None:
            generated = draft
            generate(draft, wanted, checked=checked, say=say, python=python)
        say('linking')
        link.link_library(generated, wanted, draft / link.LIBRARY)
        link.link_door(generated, wanted, draft / door.name)
        files.write_note(draft / door.name, digest=name, levels=list(wanted), checked=checked)
        shutil.copy(generated / HEADER, draft / 'copy.h')
        if not (checked and (folder / link.LIBRARY).exists()):
            os.replace(draft / 'copy.h', folder / HEADER)
            os.replace(draft / link.LIBRARY, folder / link.LIBRARY)
        os.replace(draft / f'{door.name}.json', folder / f'{door.name}.json')
        os.replace(draft / door.name, door)
    if folder == files.BUILT:  # the user's own folder may serve several installations
        _remove_older(folder, door, checked)
    return door


def _remove_older(folder: Path, door: Path, checked: bool) -> None:
    """Remove doors of other sources; checked ones and others do not count as older."""
    for other in folder.glob(f'door_*{files.door_suffix()}'):
        if other != door and files.note_of(other).get('checked') == checked:
            other.unlink()
            other.with_name(f'{other.name}.json').unlink()


def ready(folder: Path, wanted: Sequence[str], checked: bool = False) -> bool:
    """Tell whether a folder has the door, the library and the header of these sources."""
    name = files.digest(checked)
    for door in folder.glob(f'door_{name}_*{files.door_suffix()}'):
        has = files.note_of(door).get('levels')
        if isinstance(has, list) and set(wanted) <= set(has):
            return checked or all(_names(folder / file, name) for file in (link.LIBRARY, HEADER))
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


def generate(folder: Path, wanted: Sequence[str], *, checked: bool = False, say: Say = silent,
             python: str | None = None, suffix: str = '.s') -> None:
    """Write the header, the door's entries, the choice and the assembly of all levels."""
    for path in [folder / HEADER, *folder.glob('dq_ik_*')]:
        path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix='draft_') as draft_name:
        draft = Path(draft_name)
        own = python or python_with_numba(draft, say)
        environment = _environment(own, checked)
        _run([own, HERE / 'write_c.py', draft, *wanted], environment)
        _translate(own, environment, draft / 'raw.bc', files.digest(checked), say)
        say(f'emitting {", ".join(wanted)}')
        outputs = [f'dq_ik_{level}{suffix}' for level in wanted]
        with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
            list(pool.map(lambda level, output: _run(
                [own, HERE / 'back_end.py', draft / 'raw.bc', level, draft / output],
                environment), wanted, outputs))
        for output in (*outputs, *C_FILES, HEADER):  # the header last: it says that all is there
            os.replace(draft / output, folder / output)


def _translate(python: str, environment: dict[str, str], raw: Path, digest: str,
               say: Say) -> None:
    """Write the raw module; a checkout keeps it, so that further levels take less time."""
    kept = files.BUILT / f'raw_{digest}.bc'
    if kept.exists():
        shutil.copy(kept, raw)
        return
    say('translating the kernels')
    _run([python, HERE / 'front_end.py', raw], environment)
    if files.BUILT.is_dir() and os.access(files.BUILT, os.W_OK):
        for older in files.BUILT.glob('raw_*.bc'):
            older.unlink()
        draft = files.BUILT / f'draft_{os.getpid()}.bc'
        shutil.copy(raw, draft)
        os.replace(draft, kept)


def _environment(python: str, checked: bool) -> dict[str, str]:
    """Return the environment of the processes that use numba."""
    dropped = {'DQ_IK_KERNELS', 'DQ_IK_CHECKED'}
    if python != sys.executable:
        dropped |= {'PYTHONPATH', 'PYTHONHOME'}  # they are of this Python
    environment = {key: value for key, value in os.environ.items()
                   if key not in dropped and not key.startswith('NUMBA_')}
    environment['DQ_IK_CHECKED'] = '1' if checked else '0'
    return environment


def _run(command: Sequence[object], environment: dict[str, str]) -> None:
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise BuildError(f'{Path(str(command[1])).name} failed:\n{done.stderr.strip()[-3000:]}')


def has_numba(python: str) -> bool:
    """Tell whether a Python has the numba that the front end is written for."""
    done = subprocess.run([python, '-c', PROBE], capture_output=True, text=True, check=False,
                          env=_environment(python, False))
    return done.stdout.strip() == files.NUMBA


def python_with_numba(folder: Path, say: Say) -> str:
    """Return a Python with the pinned numba: this one, or that of a private environment."""
    if has_numba(sys.executable):
        return sys.executable
    say(f'installing numba {files.NUMBA} into a private environment')
    environment = folder / 'environment'
    python = environment / 'bin' / 'python'
    own_pip = importlib.util.find_spec('pip') is not None  # else that of the new environment
    version = f'python{sys.version_info.major}.{sys.version_info.minor}'
    done = None
    for command in ([sys.executable, '-m', 'venv', *(['--without-pip'] if own_pip else []),
                     environment],
                    [sys.executable if own_pip else python, '-m', 'pip', 'install', '--quiet',
                     '--no-compile', '--disable-pip-version-check', '--target',
                     environment / 'lib' / version / 'site-packages', f'numba=={files.NUMBA}']):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            break
    if done is None or done.returncode or not has_numba(str(python)):
        lines = (done.stderr if done else '').strip().splitlines()
        reason = f' ({lines[-1].strip()[:200]})' if lines else ''
        raise BuildError(
            f'the library is built with numba {files.NUMBA}, which could not be '
            f"installed{reason}: type 'pip install numba=={files.NUMBA}', or build from the "
            "archive that 'make dist' writes, which needs gcc alone, or set DQ_IK_NATIVE=plain "
            'to do without the library')
    return str(python)


def build_object(path: Path, level: str, *, checked: bool = False, say: Say = silent) -> None:
    """Write the machine code of a level, for a machine without a C compiler."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix='draft_') as name:
        folder = Path(name)
        generate(folder, [level], checked=checked, say=say, suffix='.o')
        draft = folder / f'dq_ik_{level}.o'
        os.replace(draft, path)
    files.write_note(path, digest=files.digest(checked), levels=[level], checked=checked)
