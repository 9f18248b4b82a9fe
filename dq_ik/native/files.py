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
Where the library is, and which one belongs to these sources.

A build is a folder with the door to Python, the library for C and its header. Its file names carry
the digest of the sources, so that code and library never differ. A note beside the door holds a
hash of what is loaded of it: a damaged file is not loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
import struct
import sys
import sysconfig

PACKAGE = Path(__file__).resolve().parents[1]
BUILT = PACKAGE / 'native' / 'built'  # builds beside the sources, and in wheels
RECIPE = ('door.c', 'dq_ik.h.in', 'header.py', 'calls.py', 'translate.py', 'levels.py',
          'build.py')
NUMBA = '0.68.1'  # private names of it are used
LOADED = 1  # type of an ELF segment that is loaded


def digest(checked: bool = False) -> str:
    """Return a name for the sources of the library."""
    found = hashlib.sha256(f'{NUMBA} {"checked" if checked else ""}'.encode())
    kernels = [*(PACKAGE / 'core').rglob('*.py'), *(PACKAGE / 'papers/kernels').glob('*.py')]
    for path in [*sorted(kernels), *(PACKAGE / 'native' / name for name in RECIPE)]:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def has_stable_interface() -> bool:
    """Tell whether one file serves this Python and all later ones."""
    return sys.version_info >= (3, 11) and not sysconfig.get_config_var('Py_GIL_DISABLED')


def door_suffix() -> str:
    """Return the end of the door's file name."""
    if has_stable_interface():
        return '.abi3.so'
    return str(sysconfig.get_config_var('EXT_SUFFIX'))


def cache_folder() -> Path:
    """Return the user's own folder for builds where the package's is not writable."""
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'dq_ik'


def is_private(folder: Path) -> bool:
    """Tell whether a folder is this user's and nobody else may write to it."""
    try:
        status = folder.stat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def writable_folder() -> Path:
    """Return the folder for a build: the package's, or the user's own."""
    if os.access(BUILT.parent, os.W_OK):
        BUILT.mkdir(exist_ok=True)
        return BUILT
    own = cache_folder()
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not is_private(own):
        raise PermissionError(f'{own} may be written by others; make it your own (chmod 700)')
    return own


def doors(name: str) -> list[Path]:
    """Return the doors of a digest: in the package, then in the user's own folder."""
    pattern = f'door_{name}_*{door_suffix()}'
    own = cache_folder()
    folders = [BUILT, *([own] if is_private(own) else [])]
    return [path for folder in folders for path in sorted(folder.glob(pattern))]


def write_note(door: Path, **facts: object) -> None:
    """Write the note beside a door."""
    note = door.with_name(f'{door.name}.json')
    note.write_text(json.dumps({'loaded': loaded_hash(door.read_bytes()), **facts}, indent=1))


def note_of(door: Path) -> dict[str, object]:
    """Return the note beside a door; empty if there is none or the door is not what it says."""
    try:
        note = json.loads(door.with_name(f'{door.name}.json').read_text())
        whole = note['loaded'] == loaded_hash(door.read_bytes())
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return {}
    return note if whole else {}


def loaded_hash(elf: bytes) -> str:
    """
    Return a hash of the parts of an ELF file that are loaded.

    The file's head is left out: tools that strip symbols change it, and nothing else of these.
    An object has none such: it counts whole.
    """
    if elf[:5] != b'\x7fELF\x02':
        raise ValueError('this is no 64-bit ELF file')
    start, = struct.unpack_from('<Q', elf, 32)
    size, count = struct.unpack_from('<HH', elf, 54)
    found = hashlib.sha256() if count else hashlib.sha256(elf)
    for i in range(count):
        kind, _, place, _, _, length = struct.unpack_from('<IIQQQQ', elf, start + i * size)
        if kind == LOADED:
            if place + length > len(elf):
                raise ValueError('this file is not whole')
            found.update(elf[max(place, 64):place + length])
    return found.hexdigest()
