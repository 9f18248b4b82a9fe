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
"""docs/equations.md speaks the truth: its functions and tests exist, and none is missing."""

from __future__ import annotations

import ast
from pathlib import Path
import re

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / 'docs' / 'equations.md').read_text()
ROWS = re.findall(r'^\| (.+) \| .+ \| `dq_ik\.([\w.]+)` \| `(\w+\.py)::(\w+)` \|$', TEXT,
                  re.MULTILINE)
SOURCES = re.findall(r'^\| ((?:\[\w+\] [^|]+)) \|', TEXT.split('## Misprints')[0], re.MULTILINE)
ITEM = re.compile(r'(?:(algorithm|procedure)s? )?(A\.)?(\d+)(?:-(?:A\.)?(\d+))?')
# What each document numbers: equations (those of appendices with a letter), algorithms.
NUMBERED = {
    '[Kenwright2022]': {'': 47, 'algorithm': 2}, '[Rotations]': {'': 90, 'algorithm': 13},
    '[ProjectedLineSearch]': {'': 40, 'A.': 22}, '[Recipe]': {'': 35, 'procedure': 3}}
TAGS = re.findall(r'^\| (\[\w+\]) \|', (ROOT / 'docs' / 'references.md').read_text(), re.MULTILINE)


def functions(path: Path) -> dict[str, str]:
    """Return name and docstring of each function at the top level of a file."""
    tree = ast.parse(path.read_text())
    return {node.name: ast.get_docstring(node) or '' for node in tree.body
            if isinstance(node, ast.FunctionDef)}


def test_there_are_rows_and_tags():
    assert len(ROWS) > 60
    assert len(TAGS) == 4


@pytest.mark.parametrize(('source', 'function', 'file', 'test'), ROWS)
def test_row(source, function, file, test):
    *module, name = function.split('.')
    assert name in functions(ROOT.joinpath('dq_ik', *module).with_suffix('.py'))
    assert test in functions(ROOT / 'test' / file)
    assert all(part.startswith(tuple(TAGS)) for part in source.split('; ')), source


def test_every_cited_function_of_the_textbook_has_a_row():
    listed = {function for _, function, _, _ in ROWS}
    for path in (ROOT / 'dq_ik/papers').glob('*.py'):
        for name, docstring in functions(path).items():
            if any(tag in docstring for tag in TAGS):
                assert f'papers.{path.stem}.{name}' in listed


def test_tags_in_the_code_are_known():
    for path in (ROOT / 'dq_ik').rglob('*.py'):
        for tag in re.findall(r'\[[A-Z][A-Za-z]+\d*\] (?:eqs?\.|algorithm|section|procedure)',
                              path.read_text()):
            assert tag.split()[0] in TAGS, f'{path}: {tag}'


def numbered(source: str) -> set[tuple[str, str, int]]:
    """Return document, kind and number of all that a source like ``[Tag] 1, 3-5`` names."""
    found = set()
    for part in source.split('; '):
        tag, _, items = part.partition(' ')
        kind = ''
        for item in items.split(', '):
            match = ITEM.fullmatch(item)
            if match:
                kind = match[1] or match[2] or kind
                first, last = int(match[3]), int(match[4] or match[3])
                found |= {(tag, kind, i) for i in range(first, last + 1)}
    return found


def test_every_numbered_equation_and_algorithm_has_a_row():
    listed = set().union(*map(numbered, SOURCES))
    missing = {(tag, kind, i) for tag, kinds in NUMBERED.items() for kind, last in kinds.items()
               for i in range(1, last + 1)} - listed
    assert sorted(missing) == []


def test_no_row_names_an_equation_that_does_not_exist():
    for tag, kind, i in set().union(*map(numbered, SOURCES)):
        assert 1 <= i <= NUMBERED[tag][kind], (tag, kind, i)


def test_every_misprint_is_named_where_the_right_formula_is():
    """A docstring with the tag says "differs from", and the number after it."""
    rows = re.findall(r'^\| (\[\w+\]) (?:(algorithm) )?([A\d., ]+) \|',
                      TEXT.split('## Misprints')[1], re.MULTILINE)
    said = dict.fromkeys(TAGS, '')
    for path in (ROOT / 'dq_ik').rglob('*.py'):
        for docstring in re.findall(r'"""(.*?)"""', path.read_text(), re.DOTALL):
            _, differs, rest = ' '.join(docstring.split()).partition('iffers from')
            for tag in TAGS:
                said[tag] += differs + rest if tag in docstring else ''
    assert len(rows) > 30
    for tag, kind, numbers in rows:
        for number in numbers.split(', '):
            place = rf'{kind or "eqs?[.]"} (?:[A\d.]+ and )?{re.escape(number)}\b'
            assert re.search(place, said[tag]), (tag, kind, number)
