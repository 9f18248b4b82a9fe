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
"""Every sentence of the README stands in docs/promises.md, beside a test that exists."""

from __future__ import annotations

from pathlib import Path
import re
import subprocess
import sys

ROOT = Path(__file__).parent.parent
README = (ROOT / 'README.md').read_text()
ROW = re.compile(r'^\| (.+?) \| (`test_.+`) \|$', re.MULTILINE)
ROWS = ROW.findall((ROOT / 'docs' / 'promises.md').read_text())
SETUP = """import setuptools
setuptools.setup = lambda **k: print(*k['install_requires'])
exec(open('setup.py').read())"""


def words(text: str) -> str:
    """Return a text in one line, links as their text."""
    return ' '.join(re.sub(r'\[(.+?)\]\(.+?\)', r'\1', text).split())


def sentences() -> list[str]:
    """Return the sentences of the prose: no headings, tables, code or pictures."""
    text = re.sub(r'<!--.*?-->|```.*?```|^(#|\||!|    ).*$', '', README, flags=re.M | re.S)
    text = re.sub(r'^- ', '\n', text, flags=re.M)
    found = []
    for paragraph in re.split(r'\n\s*\n', text):
        found += re.split(r'(?<=[.])\s+(?=[A-Z`]|docs/)', words(paragraph))
    return [sentence for sentence in found if sentence and not sentence.startswith('or from any')]


def test_quotations_are_in_the_readme():
    assert len(ROWS) > 30
    assert [said for said, _ in ROWS if words(said) not in words(README)] == []


def test_sentences_of_the_readme_are_quoted():
    quoted = {said for said, _ in ROWS}
    told = ('`python -m benchmark', 'Apache-2.0 ')  # by what run the table was made
    assert [text for text in sentences() if text not in quoted and not text.startswith(told)] == []


def test_tests_that_hold_a_promise_exist():
    for _, tests in ROWS:
        for file, name in re.findall(r'`(test_\w+\.py)::(test_\w+)`', tests):
            assert f'def {name}(' in (ROOT / 'test' / file).read_text(), f'{file}::{name}'
        assert tests.count('::') == tests.count('`') // 2


def test_run_time_needs_what_the_readme_says():
    listed = subprocess.run([sys.executable, '-c', SETUP], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout.split()
    assert sorted(listed) == ['numpy', 'pyyaml', 'rich', 'scipy', 'urdf_parser_py', 'viser==1.1.1']


def test_make_alone_lists_all_targets():
    text = (ROOT / 'Makefile').read_text()
    targets = re.search(r'^\.PHONY: (.+)$', text, re.MULTILINE)[1].split()
    assert set(re.findall(r'^(\w+):', text, re.MULTILINE)) == set(targets)
    listed = subprocess.run(['make', '--no-print-directory'], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout
    assert {line.split()[1] for line in listed.splitlines()} == set(targets) - {'help'}
