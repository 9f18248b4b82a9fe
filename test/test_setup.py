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
"""The set-up program: what is done is skipped, what broke is repaired, failures are explained."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys
import time

import environment
import installer
import interfaces
import library
import pytest
import report

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / 'tools' / 'setup'


@pytest.fixture
def steps(monkeypatch, tmp_path):
    """Replace what takes time by notes of what would have been done."""
    done = []
    venv = tmp_path / 'venv'

    def make(folder, root):
        done.append('make')
        (folder / 'bin').mkdir(parents=True, exist_ok=True)
        (folder / 'bin' / 'python').touch()
        state = environment.State(folder)
        state.done = {}
        state.record(pins='', extras=[])
        return state

    def install(root, python, extras, state, folder, library):
        done.append(('install', *extras))
        state.record(extras=extras)

    def add_interfaces(root, python, state, folder):
        done.append('interfaces')
        state.record(interfaces=interfaces.digest(root / 'interfaces'))

    class NoLibrary:

        def __init__(self, *_):
            self.start = self.finish = self.stop = lambda: None

    monkeypatch.setattr(environment, 'Library', NoLibrary)
    monkeypatch.setattr(environment, '_make', make)
    monkeypatch.setattr(environment, '_install', install)
    monkeypatch.setattr(environment, '_add_interfaces', add_interfaces)
    return venv, done


def test_first_run_does_everything_and_the_second_nothing(steps):
    venv, done = steps
    environment.set_up(ROOT, venv, ['ros'])
    assert done == ['make', ('install', 'ros'), 'interfaces']
    environment.set_up(ROOT, venv, ['ros'])
    assert len(done) == 3


def test_extras_are_added_and_kept(steps):
    venv, done = steps
    environment.set_up(ROOT, venv, ['ros'])
    environment.set_up(ROOT, venv, ['ros', 'test'])
    environment.set_up(ROOT, venv, ['ros'])
    assert done[3:] == [('install', 'ros', 'test')]


def test_interrupted_installation_starts_anew(steps):
    venv, done = steps
    environment.set_up(ROOT, venv, ['ros'])
    environment.State(venv).record(installing=True)
    environment.set_up(ROOT, venv, ['ros'])
    assert done[3:] == ['make', ('install', 'ros'), 'interfaces']


@pytest.mark.parametrize('damage', [
    lambda venv: (venv / 'bin' / 'python').unlink(),
    lambda venv: (venv / 'dq_ik_setup.json').write_text('{"pins": '),
    lambda venv: (venv / 'dq_ik_setup.json').unlink(),
])
def test_damaged_environment_is_made_anew(steps, damage):
    venv, done = steps
    environment.set_up(ROOT, venv, ['ros'])
    damage(venv)
    environment.set_up(ROOT, venv, ['ros'])
    assert done[3:] == ['make', ('install', 'ros'), 'interfaces']


def test_new_pins_are_installed(steps):
    venv, done = steps
    environment.set_up(ROOT, venv, ['ros'])
    environment.State(venv).record(pins='older')
    environment.set_up(ROOT, venv, ['ros'])
    assert done[3:] == [('install', 'ros')]


@pytest.mark.parametrize(('output', 'words'), [
    ('WARNING: Retrying (Retry(total=1, ...)) after connection broken', 'cannot be reached'),
    ('ERROR: No matching distribution found for ros-rclpy==7.1.6', 'has no ros-rclpy==7.1.6'),
    ('ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have ...\n'
     '    rich==14.3.4 from https://...\n', 'A file of rich==14.3.4 does not have the hash'),
    ('OSError: [Errno 28] No space left on device', 'disk is full'),
    ('something else', 'see the log'),
])
def test_failures_of_pip_become_one_sentence(output, words):
    sentence = environment._explain(report.CommandError('It failed; see the log.', output))
    assert words in sentence
    assert '\n' not in sentence


def test_missing_compiler_is_named(monkeypatch):
    monkeypatch.setattr(interfaces.shutil, 'which', lambda name: None)
    assert 'build-essential' in interfaces.missing_tool(Path(sys.executable))


def test_without_a_compiler_set_up_goes_on(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(interfaces, 'importable', lambda python: False)
    monkeypatch.setattr(interfaces, 'missing_tool', lambda python: 'No compiler.')
    state = environment.State(tmp_path)
    environment._add_interfaces(ROOT, Path(sys.executable), state, tmp_path)
    assert 'No compiler. Until then the node runs without' in capsys.readouterr().out
    assert 'interfaces' not in state.done


def test_present_moveit_msgs_is_used(monkeypatch, tmp_path):
    monkeypatch.setattr(interfaces, 'importable', lambda python: True)
    monkeypatch.setattr(interfaces, 'build', lambda *_: pytest.fail('nothing is to be built'))
    state = environment.State(tmp_path)
    environment._add_interfaces(ROOT, Path(sys.executable), state, tmp_path)
    assert state.done['interfaces'] == interfaces.digest(ROOT / 'interfaces')


def test_complete_moveit_msgs_is_never_replaced(monkeypatch, tmp_path):
    """Not even after a change of our definitions, in an environment where ours were noted."""
    monkeypatch.setattr(interfaces, 'importable', lambda python: True)
    monkeypatch.setattr(interfaces, 'complete', lambda python: True)
    monkeypatch.setattr(interfaces, 'build', lambda *_: pytest.fail('nothing is to be built'))
    state = environment.State(tmp_path)
    state.record(interfaces='older')
    environment._add_interfaces(ROOT, Path(sys.executable), state, tmp_path)
    assert state.done['interfaces'] == interfaces.digest(ROOT / 'interfaces')


def test_a_complete_package_is_left_out_of_a_build(monkeypatch, tmp_path):
    """Where the wheels have all of control_msgs but no moveit_msgs, only the latter is built."""
    built = []
    monkeypatch.setattr(interfaces, 'repair_exports', lambda python: 0)
    monkeypatch.setattr(interfaces, 'importable', lambda python: True)
    monkeypatch.setattr(interfaces, 'complete', lambda python, name: name == 'control_msgs')
    monkeypatch.setattr(interfaces, '_build_package',
                        lambda python, source, work, report: built.append(source.name))
    (tmp_path / 'work').mkdir()
    monkeypatch.setattr(interfaces.shutil, 'rmtree', lambda *_, **__: None)
    interfaces.build(Path(sys.executable), ROOT / 'interfaces', tmp_path / 'work',
                     report.Report(tmp_path / 'log'))
    assert built == ['object_recognition_msgs', 'moveit_msgs']


def test_failed_command_leaves_its_output_in_the_log(tmp_path, capsys):
    log = tmp_path / 'log'
    with pytest.raises(report.CommandError, match='It failed') as caught:
        report.Report(log).run(
            [sys.executable, '-c', 'print("why"); raise SystemExit(3)'], os.environ, 'It failed')
    assert 'why' in caught.value.output
    assert 'why' in log.read_text()
    assert 'why' not in capsys.readouterr().out


def test_foreign_folder_is_not_deleted(tmp_path):
    treasure = tmp_path / 'venv' / 'treasure'
    treasure.parent.mkdir()
    treasure.touch()
    with pytest.raises(report.SetupError, match='move it away'):
        environment._make(treasure.parent, ROOT)
    assert treasure.exists()


def test_unreachable_index_is_one_sentence(tmp_path):
    """The whole program against an index that is not there; then nothing is half done."""
    venv = tmp_path / 'venv'
    result = subprocess.run(
        [sys.executable, TOOL, '--venv', venv], capture_output=True, text=True, check=False,
        cwd=tmp_path, env={
            'PATH': os.environ['PATH'], 'HOME': str(tmp_path), 'PIP_CONFIG_FILE': os.devnull,
            'PIP_INDEX_URL': 'http://127.0.0.1:9/simple', 'PIP_RETRIES': '0',
            'PIP_NO_CACHE_DIR': '1'})
    assert result.returncode == 1
    assert result.stderr == (
        'The Python package index cannot be reached: check the network or pip.conf.\n')
    assert not json.loads((venv / 'dq_ik_setup.json').read_text())['installing']


def test_old_python_is_refused_with_one_sentence():
    code = ('import runpy, sys; sys.version_info = (3, 8, 10); sys.argv = ["setup"]; '
            f'runpy.run_path({str(TOOL)!r}, run_name="__main__")')
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                            check=False)
    assert result.returncode == 1
    assert result.stderr == (
        'dq_ik needs Python 3.10 or newer; this is 3.8.10. Try: make PYTHON=python3.12\n')


def test_finished_set_up_takes_no_time(steps, tmp_path):
    """A complete environment is recognised from its state file alone."""
    venv, _ = steps
    environment.set_up(ROOT, venv, ['build', 'ros', 'interfaces'])
    (venv / 'bin' / 'python').write_text('#!/bin/sh\n')
    (venv / 'bin' / 'python').chmod(0o755)
    start = time.monotonic()
    result = subprocess.run([sys.executable, TOOL, '--venv', venv], capture_output=True,
                            text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, '', '')
    assert time.monotonic() - start < 2.0


def test_settings_of_pip_are_handed_to_uv():
    assert installer.uv_settings([
        "global.index-url='https://a.example/simple'",
        "global.extra-index-url='https://b.example/simple\\nhttps://c.example/simple'",
        "global.timeout='60'", "install.find-links='/one /two'", "download.platform='any'",
        ":env:.index-url='https://d.example/simple'"]) == {
            'UV_DEFAULT_INDEX': 'https://d.example/simple',
            'UV_INDEX': 'https://b.example/simple https://c.example/simple',
            'UV_FIND_LINKS': '/one,/two', 'UV_INDEX_STRATEGY': 'unsafe-best-match'}


@pytest.mark.parametrize('line', ["global.proxy='http://p'", "install.no-binary=':all:'",
                                  "global.require-hashes='true'"])
def test_settings_that_uv_does_not_know_leave_the_work_to_pip(line):
    assert installer.uv_settings(["global.timeout='60'", line]) is None


def test_pip_takes_over_where_uv_fails(monkeypatch, tmp_path):
    ran = []

    class Log:

        def run(self, command, environment, failure):
            tool = Path(command[0]).name
            ran.append((tool, command[-1]))
            if tool == 'uv':
                raise report.CommandError('It failed.', 'index')

    monkeypatch.setattr(installer.Installer, '_pip_settings', lambda self, python: [])
    (tmp_path / 'lock').write_text('')
    tool = installer.Installer(tmp_path / 'bin' / 'python', tmp_path / 'lock', Log())
    tool.install('a')
    tool.install('b')
    assert ran == [('python', tmp_path / 'requirements.txt'), ('uv', 'a'), ('python', 'a'),
                   ('python', 'b')]


def fake_build(folder: Path, text: str) -> library.Library:
    """Start a shell script as the build of a checkout."""
    python = folder / 'python'
    python.write_text(f'#!/bin/sh\n{text}\n')
    python.chmod(0o755)
    build = library.Library(ROOT, python, folder)
    build.start()
    return build


def test_failed_build_of_the_library_is_one_sentence(tmp_path):
    build = fake_build(tmp_path, "echo 'dq_ik: no numba: type this'; exit 1")
    with pytest.raises(report.SetupError) as caught:
        build.finish()
    assert str(caught.value) == 'The native library could not be built: no numba: type this'


def test_interrupted_build_of_the_library_is_ended(tmp_path):
    build = fake_build(tmp_path, 'sleep 60 & echo $! > child; wait'.replace(
        'child', str(tmp_path / 'child')))
    while not (tmp_path / 'child').exists() or not (tmp_path / 'child').read_text():
        time.sleep(0.01)
    build.stop()
    child = int((tmp_path / 'child').read_text())
    time.sleep(0.2)
    stat = Path(f'/proc/{child}/stat')
    assert not stat.exists() or stat.read_text().split()[2] == 'Z'


def test_library_that_is_there_is_not_announced(tmp_path, capsys):
    build = fake_build(tmp_path, "echo 'dq_ik: up to date'")
    build.start()
    build.finish()
    build.stop()
    assert capsys.readouterr().out == ''
