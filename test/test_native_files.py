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
"""The files of the library: what they need, and what happens where they are bad or missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tempfile

from dq_ik.native import files
from dq_ik.native.build import LIBRARY
from dq_ik.native.load import door
from processes import plain_environment
import pytest

ROOT = Path(__file__).resolve().parents[1]
NO_PRIVILEGE = ('setpriv', '--bounding-set=-dac_override,-dac_read_search')
LIBC = {
    'acos', 'asin', 'atan', 'atan2', 'atan2f', 'ceil', 'clock_gettime', 'cos', 'exp', 'floor',
    'fmod', 'hypot', 'log', 'memcpy', 'memmove', 'memset', 'pow', 'sin', 'sincos', 'sqrt', 'tan'}
LOADER = {'_ITM_deregisterTMCloneTable', '_ITM_registerTMCloneTable', '__cxa_finalize',
          '__gmon_start__'}
DOOR = {'malloc', 'free', 'strcmp', 'strlen', '__stack_chk_fail'}

pytestmark = pytest.mark.skipif(not hasattr(door(), 'path'), reason='there is no native library')

# Say in a process of its own how the kernels run, and use them.
SCRIPT = """
import json, sys, warnings
if sys.argv[1] == 'without numba':
    sys.modules['numba'] = None  # importing it fails
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    import dq_ik
    from dq_ik.native import files, load
    chain = dq_ik.load_robot(sys.argv[2]).chain()
    q = chain.fk(chain.neutral).position.tolist()
print(json.dumps({
    'level': load.door().level, 'kind': load.door().kind, 'package': str(files.PACKAGE),
    'path': str(getattr(load.door(), 'path', '')), 'q': q,
    'warnings': [[w.category.__name__, str(w.message)] for w in caught]}))
"""


class Copy:
    """A copy of the package in a folder that everybody may read, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        """Copy the package with the door that is in use."""
        self.folder, self.cache = folder, folder / 'cache'
        shutil.copytree(ROOT / 'dq_ik', folder / 'dq_ik', ignore=shutil.ignore_patterns(
            'built', 'generated', '__pycache__'))
        shutil.copy(ROOT / 'urdf' / 'planar_3r.urdf', folder)
        self.built = folder / 'dq_ik' / 'native' / 'built'
        self.built.mkdir()
        self.door = self.built / door().path.name
        self.note = self.door.with_name(f'{self.door.name}.json')
        shutil.copy(door().path, self.door)
        shutil.copy(door().path.with_name(self.note.name), self.note)

    def run(self, *command: str, numba: str = 'without numba') -> dict:
        """Use the copy in another process, started by a command."""
        path = os.pathsep.join([str(self.folder), *sys.path])
        done = subprocess.run(
            [*command, sys.executable, '-c', SCRIPT, numba, self.folder / 'planar_3r.urdf'],
            capture_output=True, text=True, timeout=200, cwd=self.folder,
            env=plain_environment(PYTHONPATH=path, XDG_CACHE_HOME=str(self.cache),
                                  PYTHONDONTWRITEBYTECODE='1', HOME=str(self.folder / 'nowhere')))
        assert done.returncode == 0, done.stderr
        assert 'Traceback' not in done.stderr
        found = json.loads(done.stdout)
        assert Path(found['package']) == self.folder / 'dq_ik'
        assert found['q'] == pytest.approx(EXPECTED, abs=1e-12)
        for category, text in found['warnings']:
            assert category == 'RuntimeWarning'
            assert text.startswith('dq_ik: ')
            assert '\n' not in text
        return found

    def to_cache(self) -> Path:
        """Move the door to the folder of the user; return it."""
        own = self.cache / 'dq_ik'
        own.mkdir(parents=True, mode=0o700)
        for path in (self.door, self.note):
            shutil.move(path, own)
        return own


def _expected() -> list[float]:
    from dq_ik import load_robot
    chain = load_robot(ROOT / 'urdf' / 'planar_3r.urdf').chain()
    return chain.fk(chain.neutral).position.tolist()


EXPECTED = _expected()


@pytest.fixture
def copy() -> Iterator[Copy]:
    """Return a copy of the package outside of the private folders of pytest."""
    folder = Path(tempfile.mkdtemp(prefix='dq_ik_copy_'))
    folder.chmod(0o755)
    yield Copy(folder)
    for path in folder.rglob('*'):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


def is_plain(found: dict, *texts: str) -> None:
    """Check that the kernels run as written, and that the warnings say these things, in order."""
    assert not found['level']
    assert found['kind'] == 'plain Python'
    words = [text for _, text in found['warnings']]
    assert len(words) == len(texts) + 1
    for text, pattern in zip(words, texts):
        assert re.search(pattern, text), text
    assert 'python -m dq_ik.native' in words[-1]


# --- what the files need -------------------------------------------------------------------------


def undefined(path: Path) -> set[str]:
    """Return the names that a library expects others to have."""
    lines = subprocess.run(['nm', '-D', '-u', path], capture_output=True, text=True, check=True)
    return {line.split()[-1].split('@')[0] for line in lines.stdout.splitlines()}


needs_nm = pytest.mark.skipif(shutil.which('nm') is None, reason='needs nm of binutils')


@needs_nm
def test_the_library_needs_libc_and_libm_and_no_memory():
    assert undefined(door().path.parent / LIBRARY) - LOADER <= LIBC


@needs_nm
def test_the_door_needs_python_besides():
    names = undefined(door().path) - LOADER - LIBC - DOOR
    assert names
    assert all(name.startswith(('Py', '_Py')) for name in names)


@needs_nm
def test_the_library_shows_its_entries_only():
    from dq_ik.core.entries.exports import ENTRIES
    lines = subprocess.run(['nm', '-D', '--defined-only', door().path.parent / LIBRARY],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    names = {line.split()[-1] for line in lines}
    assert names == {f'dq_ik_{name}' for name in ENTRIES} | {'dq_ik_digest', 'dq_ik_level'}


# --- good files ----------------------------------------------------------------------------------


def test_a_copy_of_the_package_uses_its_own_door(copy):
    found = copy.run()
    assert Path(found['path']) == copy.door
    assert not found['warnings']


def test_a_stripped_door_is_as_good(copy):
    if shutil.which('strip') is None:
        pytest.skip('needs strip of binutils')
    subprocess.run(['strip', copy.door], check=True)
    found = copy.run()
    assert found['level']
    assert not found['warnings']


def test_the_folder_of_the_user_serves_too(copy):
    own = copy.to_cache()
    found = copy.run()
    assert Path(found['path']).parent == own
    assert not found['warnings']


# --- bad files -----------------------------------------------------------------------------------


def cut(size: float) -> Callable[[Copy], None]:
    """Return what cuts a door to a part of its size, or to so many bytes."""
    def spoil(copy: Copy) -> None:
        data = copy.door.read_bytes()
        copy.door.write_bytes(data[:int(size * len(data)) if isinstance(size, float) else size])
    return spoil


def zero_the_middle(copy: Copy) -> None:
    """Write zeros where the code is."""
    data = bytearray(copy.door.read_bytes())
    half = len(data) // 2
    data[half:half + 4096] = bytes(4096)
    copy.door.write_bytes(data)


def put_text(copy: Copy) -> None:
    """Write something else."""
    copy.door.write_text('this is no library')


def put_another_library(copy: Copy) -> None:
    """Write a library that is no door, with the note of the door."""
    shutil.copy(door().path.parent / LIBRARY, copy.door)


def put_a_folder(copy: Copy) -> None:
    """Make a folder of that name."""
    copy.door.unlink()
    copy.door.mkdir()


def write_note(text: str) -> Callable[[Copy], None]:
    """Return what writes another note."""
    return lambda copy: copy.note.write_text(text)


DAMAGES: dict[str, Callable[[Copy], object]] = {
    'empty': cut(0), 'three bytes': cut(3), 'head of ELF': cut(64), 'a page': cut(4096),
    'a quarter': cut(0.25), 'a half': cut(0.5), 'most': cut(0.9), 'zeroed': zero_the_middle,
    'text': put_text, 'another library': put_another_library, 'a folder': put_a_folder,
    'no note': lambda copy: copy.note.unlink(), 'empty note': write_note(''),
    'list for a note': write_note('[1, 2]'), 'note of another': write_note('{"loaded": "12ab"}')}


@pytest.mark.parametrize('damage', DAMAGES)
def test_a_damaged_door_is_not_loaded(copy, damage):
    DAMAGES[damage](copy)
    is_plain(copy.run(), re.escape(f'{copy.door} is not used: it is damaged'))


def test_a_door_without_its_last_byte_is_whole_or_refused(copy):
    """The end of the file is not loaded."""
    data = copy.door.read_bytes()
    copy.door.write_bytes(data[:-1])
    found = copy.run()
    if found['level']:
        assert not found['warnings']
    else:
        is_plain(found, 'is not used')


def test_a_library_that_is_no_door_is_not_used_whatever_its_note_says(copy):
    put_another_library(copy)
    files.write_note(copy.door, digest='x')
    is_plain(copy.run(), 'is not used: .*PyInit')


def test_the_door_of_another_python_is_not_looked_at(copy):
    for path in (copy.door, copy.note):
        path.rename(path.with_name(path.name.replace('.abi3.so', '.cpython-39-x86_64.so')))
    is_plain(copy.run())


def test_the_door_of_other_sources_is_not_looked_at(copy):
    module = copy.folder / 'dq_ik/core/algebra/vector.py'
    module.write_text(module.read_text() + '\n# changed\n')
    is_plain(copy.run())


def test_after_a_damaged_door_comes_the_folder_of_the_user(copy):
    own = copy.to_cache()
    copy.door.write_bytes(b'rubbish')
    found = copy.run()
    assert Path(found['path']).parent == own
    assert len(found['warnings']) == 1
    assert f'{copy.door} is not used' in found['warnings'][0][1]


@pytest.mark.parametrize('mode', [0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_to_is_not_used(copy, mode):
    own = copy.to_cache()
    own.chmod(mode)
    is_plain(copy.run())


def read_only(copy: Copy) -> tuple[str, ...]:
    """Take away the right to write; return the command by which this holds for root too."""
    for path in (copy.folder, *copy.folder.rglob('*')):
        if path.is_dir():
            path.chmod(0o555)
    return () if os.getuid() else NO_PRIVILEGE


needs_rights = pytest.mark.skipif(os.getuid() == 0 and shutil.which('setpriv') is None,
                                  reason='root may write everywhere')


@needs_rights
def test_a_read_only_install_with_its_library_works(copy):
    found = copy.run(*read_only(copy))
    assert Path(found['path']) == copy.door
    assert not found['warnings']


@needs_rights
def test_a_read_only_install_without_library_and_numba_says_what_to_type(copy):
    copy.door.unlink()
    is_plain(copy.run(*read_only(copy)))


@needs_rights
def test_a_read_only_install_does_not_build_where_others_may_write(copy):
    pytest.importorskip('numba')
    copy.door.unlink()
    own = copy.cache / 'dq_ik'
    own.mkdir(parents=True)
    command = read_only(copy)
    own.chmod(0o777)
    found = copy.run(*command, numba='with numba')
    assert not found['level']
    assert len(found['warnings']) == 1
    assert 'may be written by others' in found['warnings'][0][1]
    assert not list(own.iterdir())


@needs_rights
def test_a_read_only_install_without_a_home_says_so(copy):
    pytest.importorskip('numba')
    copy.door.unlink()
    found = copy.run(*read_only(copy), numba='with numba')  # no folder can be made for the user
    assert not found['level']
    assert len(found['warnings']) == 1
