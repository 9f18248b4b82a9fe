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
"""The native library in packages: wheels that need no numba, archives that build without it."""

from __future__ import annotations

from pathlib import Path
import platform
import shutil
import subprocess
import sys
import zipfile

import dq_ik
from dq_ik.native.files import NUMBA
from packages import (
    ALONE,
    archive,
    bare_python,
    builder,
    LEVELS,
    ROOT,
    run,
    RUN_TIME,
    unpack,
    wheel,
)
import pytest

FIRST = """
import importlib.util, warnings
warnings.simplefilter('error')
assert importlib.util.find_spec('numba') is None
from dq_ik import load_robot, Pose
from dq_ik.native import load
from dq_ik.robot.bundled import share_folder
chain = load_robot(share_folder() / 'urdf' / 'panda.urdf').chain()
assert chain.solve(Pose.from_xyz_rpy((0.4, 0.2, 0.5), (3.14, 0.0, 0.0))).success
print(load.describe())
"""
PROGRAM = '#include <dq_ik.h>\n#include <stdio.h>\nint main(void) { puts(dq_ik_digest()); }\n'
CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(dq_ik 0.2 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE dq_ik::dq_ik)
"""


@pytest.fixture(scope='module')
def clean(tmp_path_factory) -> Path:
    """Install the wheel beside its dependencies; return the prefix."""
    folder = tmp_path_factory.mktemp('clean')
    python = bare_python(folder, 'pip', *RUN_TIME)
    run(python, '-m', 'pip', 'install', '--quiet', wheel(), env=ALONE)
    return folder


def test_wheel_is_tagged_truly():
    tag = 'cp311-abi3' if sys.version_info >= (3, 11) else 'cp310-cp310'
    assert wheel().name == (
        f'dq_ik-{dq_ik.__version__}-{tag}-linux_{platform.machine()}.whl')


def test_wheel_has_one_door_for_all_processors():
    with zipfile.ZipFile(wheel()) as content:
        built = [name for name in content.namelist() if '/native/built/' in name]
    assert len(built) == 2, built
    if platform.machine() == 'x86_64':
        assert all('_v2_v3_v4.' in name for name in built)


def test_first_answer_without_numba(clean, tmp_path):
    text = run(clean / 'bin' / 'python', '-c', FIRST, env=ALONE, cwd=tmp_path).stdout
    assert text.startswith('native library for')


def test_command_solves_without_numba(clean, tmp_path):
    urdf = clean / 'share' / 'dq_ik' / 'urdf' / 'panda.urdf'
    result = run(clean / 'bin' / 'dq_ik', 'solve', urdf, '--xyz', '0.4', '0.2', '0.5', '--rpy',
                 '3.14', '0', '0', env=ALONE, cwd=tmp_path)
    assert 'panda_joint1' in result.stdout


def test_uv_builds_as_pip_does(tmp_path):
    uv = Path(sys.executable).with_name('uv')
    if not uv.is_file():
        pytest.skip('uv is not installed')
    python = bare_python(tmp_path / 'env', 'setuptools', *RUN_TIME)
    run(uv, 'pip', 'install', '--quiet', '--offline', '--no-config', '--no-deps',
        '--no-build-isolation', '--python', python, archive(), env=ALONE)
    text = run(python, '-c', FIRST, env=ALONE, cwd=tmp_path).stdout
    assert text.startswith('native library for')


def test_cmake_finds_the_library(clean, tmp_path):
    (tmp_path / 'CMakeLists.txt').write_text(CMAKE)
    (tmp_path / 'program.c').write_text(PROGRAM)
    cmake = shutil.which('cmake', path=f'{Path(sys.executable).parent}:{ALONE["PATH"]}')
    run(cmake, '-S', tmp_path, '-B', tmp_path / 'build', f'-DCMAKE_PREFIX_PATH={clean}')
    run(cmake, '--build', tmp_path / 'build')
    digest = run(tmp_path / 'build' / 'program').stdout.strip()
    assert f'"{digest}"' in (clean / 'include' / 'dq_ik.h').read_text()


def test_archive_has_all_sources_and_all_levels(tmp_path):
    source = unpack(tmp_path)
    found = {str(path.relative_to(source)) for path in source.rglob('*') if path.is_file()}
    listed = subprocess.run(['git', 'ls-files'], cwd=ROOT, capture_output=True, text=True,
                            check=False)
    if listed.returncode == 0:
        assert not set(listed.stdout.splitlines()) - found
    generated = {path.name for path in (source / 'dq_ik/native/generated').iterdir()}
    assert generated == {'dq_ik.h', 'entries.h', 'choose.c',
                         *(f'dq_ik_{level}.s' for level in LEVELS)}
    assert archive().name == f'dq_ik-{dq_ik.__version__}.tar.gz'


def test_another_numba_without_an_index_is_one_sentence(tmp_path):
    source = unpack(tmp_path / 'source')
    shutil.rmtree(source / 'dq_ik' / 'native' / 'generated')
    (tmp_path / 'numba.py').write_text("__version__ = '0.1'\n")
    result = subprocess.run(
        [builder(), 'setup.py', 'build_ext'], cwd=source, capture_output=True, text=True,
        check=False, env={**ALONE, 'PYTHONPATH': str(tmp_path)})
    assert result.returncode == 1
    assert f"type 'pip install numba=={NUMBA}'" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr


def test_a_build_without_the_library(tmp_path):
    source = unpack(tmp_path)
    run(builder(), '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation',
        '--wheel-dir', tmp_path, source, env={**ALONE, 'DQ_IK_NATIVE': 'plain'})
    assert [path.name for path in tmp_path.glob('*.whl')] == [
        f'dq_ik-{dq_ik.__version__}-py3-none-any.whl']
