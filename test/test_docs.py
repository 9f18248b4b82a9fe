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
"""The pages are connected, name files that exist, and use words of the field."""
from __future__ import annotations

from pathlib import Path
import re

from dq_ik import IkOptions
import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob('*.md'), *ROOT.glob('docs/**/*.md'), *ROOT.glob('examples/*.md')])
LINK = re.compile(r'\]\((?!http)([^)#\s]*)#?([^)\s]*)\)')
PRIVATE = re.compile(r'\b(rac(e|es|ing)|heats?|laps?|wish(es)?)\b', re.IGNORECASE)
FILE = re.compile(r'`((?:dq_ik|test|tools|urdf|config|rviz|examples|interfaces)/[\w./]+\.\w+)`')
every_page = pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)


def anchors(page):
    """Return the anchors that GitHub gives to the headings of a page."""
    heads = re.findall(r'^#+ (.+)$', page.read_text(), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', head.lower()).replace(' ', '-') for head in heads}


@every_page
def test_links_lead_somewhere(page):
    for path, anchor in LINK.findall(page.read_text()):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f'{path}#{anchor}'


@every_page
def test_files_that_are_named_exist(page):
    for path in FILE.findall(page.read_text()):
        assert (ROOT / path).exists(), path


@every_page
def test_words_are_those_of_the_field(page):
    prose = re.sub(r'```.*?```', '', page.read_text(), flags=re.DOTALL)
    assert PRIVATE.search(prose) is None


def test_every_page_can_be_found_from_the_readme():
    linked = {path for path, _ in LINK.findall((ROOT / 'README.md').read_text())}
    assert linked >= {str(page.relative_to(ROOT)) for page in (ROOT / 'docs').rglob('*.md')}


def test_questions_name_the_default_of_the_timeout():
    page = (ROOT / 'docs' / 'faq.md').read_text()
    assert re.findall(r'([\d.]+) ms is the default', page) == [f'{1e3 * IkOptions().timeout:g}']
