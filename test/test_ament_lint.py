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
The linters of a ROS installation find nothing.

``colcon test`` runs all four there. Where there are only wheels, those of ament_flake8 and
ament_pep257 run (``make lint``).
"""

from pathlib import Path
import shutil
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ('benchmark', 'dq_ik', 'examples', 'launch', 'setup.py', 'test', 'tools')
XML = ('benchmark', 'interfaces', 'package.xml', 'plugin', 'urdf')


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    """Run in the folder of the sources, as colcon does."""
    monkeypatch.chdir(ROOT)


@pytest.mark.flake8
@pytest.mark.linter
def test_flake8():
    linter = pytest.importorskip('ament_flake8.main')
    status, errors = linter.main_with_errors(argv=list(PYTHON))
    assert status == 0, '\n'.join(errors)


@pytest.mark.linter
@pytest.mark.pep257
def test_pep257():
    linter = pytest.importorskip('ament_pep257.main')
    assert linter.main(argv=list(PYTHON)) == 0


@pytest.mark.copyright
@pytest.mark.linter
def test_copyright():
    linter = pytest.importorskip('ament_copyright.main')
    folders = [*PYTHON, 'plugin', 'CONTRIBUTING.md', 'LICENSE', 'dq_ik/native/cmake']
    assert linter.main(argv=[*folders, '--exclude', 'dq_ik/native/generated/*']) == 0


@pytest.mark.linter
@pytest.mark.xmllint
def test_xmllint():
    linter = pytest.importorskip('ament_xmllint.main')
    if shutil.which('xmllint') is None:
        pytest.skip('xmllint is not installed')
    assert linter.main(argv=[*XML, '--extensions', 'xml', 'urdf']) == 0


def test_xml_is_well_formed():
    """What of xmllint needs no program and no network."""
    files = [path for name in XML for path in (ROOT / name).rglob('*.[xu][mr]*')]
    assert len(files) > 10
    for path in (ROOT / 'package.xml', *files):
        ElementTree.parse(path)
