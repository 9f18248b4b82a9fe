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
The documentation site: ``make docs`` builds it from the Markdown of this folder, by Sphinx.

rosdoc2 builds it too (``rosdoc2.yaml``).
"""

from importlib.util import find_spec
from pathlib import Path
import sys
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from dq_ik import __version__ as release

project, author = 'dq_ik', 'The dq_ik Authors'
project_copyright = f'2026, {author}'

extensions = ['myst_parser', 'sphinx.ext.autodoc']
exclude_patterns = ['_build']
myst_heading_anchors = 4
myst_enable_extensions = ['colon_fence']

autodoc_typehints = 'description'
autodoc_member_order = 'bysource'

html_theme = 'furo' if find_spec('furo') else 'alabaster'
html_title = f'dq_ik {release}'



def setup(app: Any) -> None:
    """Change pages as they are read."""
    app.connect('source-read', complete)


def complete(app: Any, name: str, text: list[str]) -> None:
    """Let links to the README lead to the first page, and name the pages that no list names."""
    text[0] = text[0].replace('](../README.md)', '](index.md)')
    if name == 'index':
        named = {*text[0].split(), 'index'}
        others = sorted(page for page in app.env.found_docs
                        if '/' not in page and page not in named)
        text[0] = text[0].replace('\npromises\n', '\n'.join(['\npromises', *others, '']))
