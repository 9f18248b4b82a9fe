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
"""The lock: every file that the set-up installs has a known hash, and another one is refused."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
import re
import subprocess
import sys
import zipfile

import environment
import installer
import pytest
import report

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / 'requirements' / 'lock.txt'


def test_pins_cover_all_requirements():
    """Every requirement of setup.py is pinned for each supported Python."""
    pinned = {line.split('==')[0] for line in
              (ROOT / 'requirements' / 'constraints.txt').read_text().splitlines()
              if not line.startswith('#')}
    code = ('import setuptools, json; setuptools.setup = lambda **k: print(json.dumps('
            'k["install_requires"] + sum(k["extras_require"].values(), []))); '
            'exec(open("setup.py").read())')
    listed = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout
    names = {re.match(r'[\w.-]+', item)[0].replace('_', '-') for item in json.loads(listed)}
    assert names <= pinned
    locked = re.findall(r'^# for (.+)\n(.+) \\$', LOCK.read_text(), re.MULTILINE)
    assert [pin for _, pin in locked] == [
        line for line in (ROOT / 'requirements' / 'constraints.txt').read_text().splitlines()
        if not line.startswith('#')]


def test_the_lock_is_for_the_pythons_of_the_readme():
    listed = re.search(r'^PYTHONS = \((.+?)\)', (ROOT / 'tools' / 'lock.py').read_text(), re.M)[1]
    pythons = re.findall(r"'(.+?)'", listed)
    assert f'Python {pythons[0]} to {pythons[-1]},' in (ROOT / 'README.md').read_text()


def test_every_locked_file_has_a_hash():
    """And what an extra needs is found by its name."""
    entries = LOCK.read_text().split('\n# for ')[1:]
    assert len(entries) > 200
    for text in entries:
        _, pin, *hashes = text.replace(' \\', '').split('\n')
        assert '==' in pin
        assert hashes
        assert all(re.fullmatch(r' +--hash=sha256:[0-9a-f]{64}', line) for line in hashes if line)
    chosen = installer.chosen(LOCK.read_text(), ['sim'])
    assert 'mujoco==' in chosen
    assert 'ros-rclpy==' not in chosen
    assert 'viser==' in installer.chosen(LOCK.read_text(), ['sim', 'viewer'])


def test_a_file_with_another_hash_is_refused(tmp_path):
    """By pip, told as the set-up tells it; the package is a wheel without files."""
    pytest.importorskip('pip')
    wheel = tmp_path / 'empty_package-1-py3-none-any.whl'
    info = 'empty_package-1.dist-info'
    with zipfile.ZipFile(wheel, 'w') as archive:
        archive.writestr(f'{info}/METADATA', 'Metadata-Version: 2.1\nName: empty-package\n'
                                             'Version: 1\n')
        archive.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\n'
                                          'Tag: py3-none-any\n')
        archive.writestr(f'{info}/RECORD', '')
    lock = tmp_path / 'lock.txt'
    digests = '0' * 64, hashlib.sha256(wheel.read_bytes()).hexdigest()
    for digest, fine in zip(digests, (False, True)):
        lock.write_text(f'\n# for x\nempty-package @ {wheel.as_uri()} --hash=sha256:{digest}\n')
        tool = installer.Installer.__new__(installer.Installer)
        tool.__dict__.update(
            _lock=lock, _chosen=tmp_path / 'chosen', _settings=None, _environment=dict(os.environ),
            _report=report.Report(tmp_path / 'log'),
            _pip=[sys.executable, '-m', 'pip', 'install', '--no-deps', '--target', tmp_path / 'x'])
        if fine:
            tool.install_extras('x')
        else:
            with pytest.raises(report.CommandError) as refused:
                tool.install_extras('x')
            assert 'A file of empty-package' in environment._explain(refused.value)
