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
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

from dq_ik.native import files, link
from dq_ik.native.link import BuildError

HERE = Path(__file__).resolve().parent
HEADERS = ('dq_ik.h', 'entries.h', 'choose.c')
PROBE = 'import numba; print(numba.__version__)'

Say = Callable[[str], None]


def silent(text: str) -> None:
    """Say nothing."""


def build(folder: Path, wanted: Sequence[str], *, checked: bool = False, say: Say = silent,
          python: str | None = None) -> Path:
    """
    Build the door, the library and the header into a folder; return the door.

    Files appear in the folder whole or not at all.

    :param wanted: levels (:data:`dq_ik.native.levels.LEVELS`)
    :param python: one that has numba; None: it is found or made
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = files.digest(checked)
    door = folder / f'door_{name}_{"_".join(wanted)}{files.door_suffix()}'
    with tempfile.TemporaryDirectory(dir=folder, prefix='draft_') as draft_name:
        draft = Path(draft_name)
        generated = archived(name, wanted)
        if generated is None:
            generated = draft
            generate(draft, wanted, checked=checked, say=say, python=python)
        say('linking')
        link.link_library(generated, wanted, draft / link.LIBRARY)
        link.link_door(generated, wanted, draft / door.name)
        files.write_note(draft / door.name, digest=name, levels=list(wanted), checked=checked)
        shutil.copy(generated / 'dq_ik.h', draft / 'copy.h')
        os.replace(draft / 'copy.h', folder / 'dq_ik.h')
        os.replace(draft / link.LIBRARY, folder / link.LIBRARY)
        os.replace(draft / f'{door.name}.json', folder / f'{door.name}.json')
        os.replace(draft / door.name, door)
    return door


def archived(name: str, wanted: Sequence[str]) -> Path | None:
    """Return the folder of generated files that came with the sources, if they are of these."""
    folder = HERE / 'generated'
    try:
        same = f'"{name}"' in (folder / 'dq_ik.h').read_text()
    except OSError:
        return None
    whole = all((folder / f'dq_ik_{level}.s').exists() for level in wanted)
    return folder if same and whole else None


def generate(folder: Path, wanted: Sequence[str], *, checked: bool = False, say: Say = silent,
             python: str | None = None, suffix: str = '.s') -> None:
    """Write the header, the door's entries, the choice and the assembly of all levels."""
    own = python or python_with_numba(folder, say)
    environment = {key: value for key, value in os.environ.items()
                   if key not in ('DQ_IK_KERNELS', 'DQ_IK_CHECKED')
                   and not key.startswith('NUMBA_')}
    environment['DQ_IK_CHECKED'] = '1' if checked else '0'
    say('translating the kernels')
    _run([own, HERE / 'write_c.py', folder, *wanted], environment)
    _run([own, HERE / 'front_end.py', folder / 'raw.bc'], environment)
    say(f'emitting {", ".join(wanted)}')
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as pool:
        list(pool.map(lambda level: _run(
            [own, HERE / 'back_end.py', folder / 'raw.bc', level,
             folder / f'dq_ik_{level}{suffix}'], environment), wanted))
    (folder / 'raw.bc').unlink()


def _run(command: Sequence[object], environment: dict[str, str]) -> None:
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise BuildError(f'{Path(str(command[1])).name} failed:\n{done.stderr.strip()[-3000:]}')


def has_numba(python: str) -> bool:
    """Tell whether a Python has the numba that the front end is written for."""
    done = subprocess.run([python, '-c', PROBE], capture_output=True, text=True, check=False)
    return done.stdout.strip() == files.NUMBA


def python_with_numba(folder: Path, say: Say) -> str:
    """Return a Python with the pinned numba: this one, or that of a private environment."""
    if has_numba(sys.executable):
        return sys.executable
    say(f'installing numba {files.NUMBA} into a private environment')
    python = folder / 'environment' / 'bin' / 'python'
    done = None
    for command in ([sys.executable, '-m', 'venv', folder / 'environment'],
                    [python, '-m', 'pip', 'install', '--quiet', f'numba=={files.NUMBA}']):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            break
    if done is None or done.returncode or not has_numba(str(python)):
        reason = re.sub(r'\s+', ' ', (done.stderr if done else '')[-300:])
        raise BuildError(
            f'the library is built with numba {files.NUMBA}, which could not be installed '
            f"({reason.strip()}); type 'pip install numba=={files.NUMBA}', or build from the "
            "archive that 'make dist' writes, which needs gcc alone")
    return str(python)


def build_object(path: Path, level: str, *, checked: bool = False, say: Say = silent) -> None:
    """Write the machine code of a level, for a machine without a C compiler."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix='draft_') as name:
        folder = Path(name)
        generate(folder, [level], checked=checked, say=say, suffix='.o')
        draft = folder / f'dq_ik_{level}.o'
        os.replace(draft, path)
    files.write_note(path, digest=files.digest(checked), levels=[level], checked=checked)
