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

"""C and C++ programs: the header compiles, and the example answers as Python does, bit by bit."""

from __future__ import annotations

from pathlib import Path
import re
import shutil
import subprocess
import sys

from dq_ik.cli.main import main
from dq_ik.core.compile import CHECKED
from dq_ik.core.entries.pose_input import PoseKind
from dq_ik.core.memory.layout import ANSWER
from dq_ik.native import build, files
from dq_ik.native.load import door
from dq_ik.options import IkOptions
from dq_ik.requests import Requests
from dq_ik.robot.chain import Chain
from dq_ik.robot.urdf import load_robot
from dq_ik.solver import STARTS
import numpy as np
from packages import generated
import pytest

ROOT = Path(__file__).resolve().parents[1]
CPP = ROOT / 'examples' / 'cpp'
PANDA = ROOT / 'urdf' / 'panda.urdf'
STRICT = ('-Wall', '-Wextra', '-Werror', '-pedantic', '-Wconversion', '-Wcast-qual')
CROSS = 'aarch64-linux-gnu-g++', 'qemu-aarch64'
POSES, SHOWN = 10_000, 500


def library_is_there() -> bool:
    """Tell whether the library of the door that Python uses is beside it."""
    path = getattr(door(), 'path', None)
    header = path.with_name('dq_ik.h') if path else None
    return (header is not None and header.exists() and path.with_name('libdq_ik.so').exists()
            and f'"{files.digest(CHECKED)}"' in header.read_text())


pytestmark = pytest.mark.skipif(not library_is_there() or not shutil.which('g++'),
                                reason='needs the native library and g++')

# The arm of the table in robot.hpp.
ROWS = ((0.0, 0.3, '0 0 1', 3.0), (0.1, 0.0, '0 1 0', 2.0), (0.0, 0.45, '0 1 0', 2.5),
        (0.0, 0.2, '0 0 1', 3.0), (0.0, 0.25, '0 1 0', 2.1), (0.0, 0.1, '0 0 1', 3.0))


def arm_urdf() -> str:
    """Return the same arm as a URDF."""
    joints = ''.join(
        f'<link name="l{i}"/><joint name="j{i}" type="revolute"><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/><origin xyz="0 {y} {z}"/><axis xyz="{axis}"/>'
        f'<limit lower="{-limit}" upper="{limit}" effort="1" velocity="1"/></joint>'
        for i, (y, z, axis, limit) in enumerate(ROWS))
    return (f'<robot name="arm">{joints}<link name="l6"/><link name="flange"/>'
            '<joint name="end" type="fixed"><parent link="l6"/><child link="flange"/>'
            '<origin xyz="0 0 0.08"/></joint></robot>')


def run(*command: object) -> str:
    """Run a command; return what it prints."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def compiled(source: Path, program: Path) -> Path:
    """Compile a C++ program with the library."""
    built = door().path.parent
    run('g++', '-std=c++17', '-O2', *STRICT[:4], '-I', CPP, '-I', built, source, '-L', built,
        '-ldq_ik', f'-Wl,-rpath,{built}', '-o', program)
    return program


@pytest.fixture(scope='module')
def example(tmp_path_factory) -> Path:
    """Compile the example."""
    return compiled(CPP / 'solve.cpp', tmp_path_factory.mktemp('cpp') / 'solve')


@pytest.fixture
def panda_file(tmp_path, capsys) -> Path:
    """Write the robot file as the command does."""
    path = tmp_path / 'panda.dqik'
    assert main(['export', str(PANDA), str(path)]) == 0
    assert 'panda_joint7' in capsys.readouterr().out
    return path


def goals_of(chain: Chain, count: int) -> np.ndarray:
    """Return the goals that the example makes."""
    twister = np.random.MT19937()
    twister._legacy_seeding(5489)  # as std::mt19937
    q = chain.spread(twister.random_raw(count * chain.n).reshape(count, chain.n) / 2.0 ** 32)
    goals = np.empty((count, 7))
    memory = np.empty(door().entries['memory_size'](chain.block))
    door().entries['fk'](chain.block, q, count, int(PoseKind.XYZ_XYZW), goals, memory)
    return goals


def answers_of(chain: Chain, goals: np.ndarray) -> tuple[np.ndarray, float]:
    """Return Python's answers in one call, and the mean of the kernels' own times [us]."""
    robot = chain.robot(STARTS)
    request = Requests(chain, IkOptions(timeout=0.01)).template
    entries = door().entries
    answers = np.empty((len(goals), entries['answer_size'](request)))
    status = entries['solve'](robot, request, 1, goals, int(PoseKind.XYZ_XYZW), len(goals), None,
                              0, 0.0, answers, len(goals), np.empty(entries['memory_size'](robot)))
    assert status >= 0
    where = ANSWER.slices(n=chain.n, n_tips=1, max_solutions=0, max_trace=0)
    return answers[:, where['q']], 1e6 * float(answers[:, where['time']].mean())


def read(printed: str, n: int) -> tuple[np.ndarray, int, float]:
    """Return the answers that the example printed, how many it reached, its time per solve."""
    *rows, last = printed.strip().splitlines()
    q = np.array([[float(word) for word in row.split(' :')[0].split()] for row in rows])
    found = re.fullmatch(rf'(\d+) of {POSES} poses reached, ([\d.]+) us each', last)
    assert found, last
    assert q.shape[1] == n
    return q, int(found.group(1)), float(found.group(2))


@pytest.mark.parametrize(('compiler', 'standard', 'suffix'), [
    ('gcc', 'c99', 'c'), ('gcc', 'c11', 'c'), ('g++', 'c++17', 'cpp'), ('g++', 'c++20', 'cpp')])
def test_the_header_compiles_without_a_word(compiler, standard, suffix, tmp_path):
    source = tmp_path / f'check.{suffix}'
    source.write_text('#include "dq_ik.h"\nint main(void) { return DQ_IK_STATUS_CONVERGED; }\n')
    assert run(compiler, f'-std={standard}', *STRICT, '-I', door().path.parent, '-c', source,
               '-o', tmp_path / 'check.o') == ''


def test_the_header_is_narrow_and_knows_no_python():
    text = (door().path.parent / 'dq_ik.h').read_text()
    assert max(map(len, text.splitlines())) <= 99
    assert not re.search(r':param|:returns|``|PoseKind|PackError|JointType', text)


def test_the_example_answers_as_python_does(example, panda_file):
    chain = load_robot(PANDA).chain()
    q, reached, each = read(run(example, panda_file, SHOWN), chain.n)
    expected, own = answers_of(chain, goals_of(chain, POSES))
    np.testing.assert_array_equal(q, expected[:SHOWN])
    assert reached >= 0.999 * POSES
    assert 0.5 * own < each < 20.0 * own
    print(f'\nexample {each:.3f} us, kernel {own:.3f} us: {each / own:.3f}')


def test_the_table_of_joints_packs_as_a_urdf_does(example, tmp_path):
    source = tmp_path / 'dump.cpp'
    source.write_text('#include "robot.hpp"\nint main() { const Words robot = packed(); return '
                      'std::fwrite(robot.data(), 8, robot.size(), stdout) != robot.size(); }\n')
    program = compiled(source, tmp_path / 'dump')
    block = subprocess.run([program], capture_output=True, check=True).stdout
    chain = load_robot(arm_urdf()).chain()
    assert block == chain.robot(STARTS).tobytes()
    q, reached, _ = read(run(example), chain.n)
    np.testing.assert_array_equal(q, answers_of(chain, goals_of(chain, len(q)))[0])
    assert reached >= 0.999 * POSES


@pytest.mark.parametrize('damage', [
    lambda block: block[:-8], lambda block: block + bytes(8), lambda block: block[:40],
    lambda block: b'', lambda block: bytes(8) + block[8:],
    lambda block: block[:16] + bytes([255] * 8) + block[24:],
    lambda block: block[:24] + bytes([2]) + block[25:]])
def test_a_damaged_file_is_refused(example, panda_file, damage):
    panda_file.write_bytes(damage(panda_file.read_bytes()))
    done = subprocess.run([example, panda_file], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'is no whole robot' in done.stderr


def test_a_robot_with_few_starts_is_searched_without_a_race():
    chain = load_robot(PANDA).chain()
    request = Requests(chain, IkOptions()).template
    robot, entries = chain.robot(20), door().entries
    goals = goals_of(chain, 200)
    memory = np.full(entries['memory_size'](robot) + 1000, np.pi)
    answers = np.empty((200, entries['answer_size'](request)))
    assert entries['solve'](robot, request, 1, goals, 3, 200, None, 0, 0.0, answers, 200,
                            memory) >= 0
    assert (memory[-1000:] == np.pi).all(), 'written beyond the memory'
    status = ANSWER.slices(n=chain.n, n_tips=1, max_solutions=0, max_trace=0)['status']
    assert (answers[:, status].view(np.int64) == 0).mean() > 0.9


@pytest.mark.parametrize(('counts', 'kind'), [
    ((2, 3, 0), 3), ((1, 2, 0), 3), ((1, 3, 2), 3), ((1, 3, 0), 4), ((1, 3, 0), -1)])
def test_counts_that_do_not_fit_are_refused(counts, kind):
    chain = load_robot(PANDA).chain()
    request = np.tile(Requests(chain, IkOptions()).template, 3)
    entries = door().entries
    n_requests, n_poses, n_seeds = counts
    answers = np.empty((3, entries['answer_size'](request)))
    result = entries['solve'](chain.robot(STARTS), request, n_requests, np.zeros(48), kind,
                              n_poses, np.zeros(21), n_seeds, 0.0, answers, 3,
                              np.empty(entries['memory_size'](chain.robot(STARTS))))
    assert -result % 32 == 6


def test_poses_come_in_all_kinds():
    chain = load_robot(PANDA).chain()
    q = chain.random(np.random.default_rng(1))
    memory = np.empty(door().entries['memory_size'](chain.block))
    for kind, width in enumerate((8, 16, 7, 7)):
        pose, dual = np.empty(width), np.empty(8)
        assert door().entries['fk'](chain.block, q, 1, kind, pose, memory) == 0
        assert door().entries['pose'](kind, pose, dual) == 0
        sign = np.sign(dual[:4] @ chain.fk(q).real)
        np.testing.assert_allclose(sign * dual, chain.fk(q).numbers(), atol=1e-12)
    assert door().entries['fk'](chain.block, q, 1, 4, pose, memory) < 0


# --- the commands -------------------------------------------------------------------------------

def test_export_takes_a_tool_and_several_tips(tmp_path, capsys):
    path = tmp_path / 'arm.dqik'
    assert main(['export', str(PANDA), str(path), '--tip', 'panda_link8', '--tool', '0', '0',
                 '0.1', '--starts', '300']) == 0
    from dq_ik.pose import Pose
    chain = Chain(load_robot(PANDA), None, 'panda_link8', Pose.from_xyz_rpy((0, 0, 0.1), (0,) * 3))
    assert path.read_bytes() == chain.robot(300).tobytes()
    two = ROOT / 'urdf' / 'two_arms.urdf'
    assert main(['export', str(two), str(path), '--tip', 'left_tool', 'right_tool']) == 0
    assert '-> left_tool, right_tool' in capsys.readouterr().out


@pytest.mark.parametrize(('words', 'sentence'), [
    (['--starts', '0'], 'must be from 1'), (['--tip', 'nowhere'], 'nowhere'),
    (['--base', 'nowhere'], 'nowhere')])
def test_export_refuses_in_one_sentence(words, sentence, tmp_path, capsys):
    assert main(['export', str(PANDA), str(tmp_path / 'x'), *words]) == 1
    error = capsys.readouterr().err
    assert error.startswith('dq_ik export: ')
    assert sentence in error
    assert error.count('\n') == 1


def test_export_says_where_it_cannot_write(tmp_path, capsys):
    assert main(['export', str(PANDA), str(tmp_path / 'no' / 'x')]) == 1
    assert 'cannot write' in capsys.readouterr().err


@pytest.mark.parametrize('words', [['--version'], ['info', '--version']])
def test_the_version_tells_how_the_kernels_run(words, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    assert re.fullmatch(r'dq_ik \d+\.\d+\.\d+: native library for .*\n', capsys.readouterr().out)


# --- another architecture -----------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, CROSS)), reason='needs a cross compiler and qemu')
def test_the_example_runs_on_aarch64(panda_file, tmp_path):
    if not build.has_numba(sys.executable):
        pytest.skip(f'needs numba {files.NUMBA}')
    made = generated()
    source = tmp_path / 'solve.cpp'
    patient = (CPP / 'solve.cpp').read_text().replace('data(), 0.01)', 'data(), 9.0)')  # qemu
    assert '9.0' in patient
    source.write_text(patient)
    run('aarch64-linux-gnu-gcc', '-O2', '-c', made / 'choose.c', '-o', tmp_path / 'choose.o')
    run('aarch64-linux-gnu-g++', '-std=c++17', '-O2', '-static', '-I', made, '-I', CPP,
        source, tmp_path / 'choose.o', made / 'dq_ik_aarch64.s', '-lm', '-o',
        tmp_path / 'solve')
    chain = load_robot(PANDA).chain()
    q, reached, _ = read(run('qemu-aarch64', tmp_path / 'solve', panda_file, SHOWN), chain.n)
    expected, _ = answers_of(chain, goals_of(chain, SHOWN))
    difference = np.abs(q - expected).max(axis=1)
    print(f'\naarch64: {reached} of {POSES} reached, difference {np.median(difference):.1e}, '
          f'{(difference < 1e-6).mean():.2%} within 1e-6')
    assert reached >= 0.999 * POSES
    assert (difference < 1e-6).mean() > 0.95
