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
"""The documentation site: built without a warning, with every page, and no link is broken."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
import subprocess
import sys
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent
pytest.importorskip('myst_parser', reason='the extra docs is not installed (make docs)')


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """Build the site; return its folder and what was said."""
    folder = tmp_path_factory.mktemp('site')
    done = subprocess.run(
        [sys.executable, '-m', 'sphinx', '--quiet', '-b', 'html', '-d', folder / 'doctrees',
         ROOT / 'docs', folder / 'html'], capture_output=True, text=True, check=True)
    return folder / 'html', done.stderr


def test_the_site_is_built_without_a_warning(site):
    assert site[1] == ''


def test_every_page_is_in_the_site(site):
    pages = {page.relative_to(ROOT / 'docs').with_suffix('.html')
             for page in (ROOT / 'docs').rglob('*.md')}
    assert {page for page in pages if not (site[0] / page).is_file()} == set()


class Links(HTMLParser):
    """Collects what a page leads to, and what in it can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.to, self.ids = set(), set()
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get('id'))
        self.to |= {given[name] for name in ('href', 'src') if given.get(name)}


def test_no_link_of_the_site_is_broken(site):
    pages = {page.resolve(): Links(page) for page in site[0].rglob('*.html')}
    broken = []
    for page, links in pages.items():
        for link in links.to:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            known = not parts.fragment or target not in pages or unquote(
                parts.fragment) in pages[target].ids
            if not target.exists() or not known:
                broken.append(f'{page.name}: {link}')
    assert broken == []


def test_the_reference_has_every_public_name(site):
    import dq_ik
    text = (site[0] / 'api.html').read_text()
    assert [name for name in dq_ik.__all__ if f'dq_ik.{name}' not in text
            and f'dq_ik.errors.{name}' not in text] == []
