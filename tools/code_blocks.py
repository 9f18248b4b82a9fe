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
List the code of the documentation, and what it needs: ``python tools/code_blocks.py``.

Code that needs a ROS installation is listed by page; ``test/test_docs_code.py`` runs the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
import re
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r'^```(\w*)([^\n]*)\n(.*?)^```', re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r'(?<=\n\n)((?:    [^\n]*\n)+)')
#: first words of a command, and what it needs; ``dq_ik`` by its command
NEEDS = {
    'dq_ik': 'here', 'make': 'make', 'python': 'python', 'cmake': 'cmake',
    **dict.fromkeys(('ros2', 'colcon', 'rosdep', 'sudo', '.', 'source'), 'ROS'),
    **dict.fromkeys(('pip', 'uv', 'pipx', 'python3', 'git', 'cd', 'tar'), 'installation'),
}
OF_ROS = ('node', 'goal', 'ask', 'jog', 'demo')  # commands of dq_ik


class Code(NamedTuple):
    """A block of Python or YAML, or one command of a shell."""

    page: Path
    language: str
    needs: str
    text: str


def pages() -> list[Path]:
    """Return all pages of the documentation."""
    return sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').rglob('*.md'),
                   *(ROOT / 'examples').glob('*.md')])


def codes(page: Path) -> Iterator[Code]:
    """Return the code of a page, in order; formulas, trees and tables of text are none."""
    text = page.read_text()
    for language, tag, body in FENCE.findall(text):
        if language in ('python', 'yaml', 'cpp'):
            yield Code(page, language, 'ROS' if 'ros' in tag.split() else 'here', body)
        elif language in ('', 'bash', 'console', 'sh'):
            yield from commands(page, body)
    for body in INDENTED.findall(FENCE.sub('', text)):
        yield from commands(page, body)


def commands(page: Path, body: str) -> Iterator[Code]:
    """Return the commands of a block, without comments."""
    lines = re.sub(r'\\\n', ' ', body).splitlines()
    for line in lines:
        for command in re.sub(r'\s#.*$|^#.*$', '', line).split(' && '):
            words = command.split()
            if not words:
                continue
            name = re.sub(r'^(\.venv|env)/bin/', '', words[0])
            needs = NEEDS.get(name, '')
            if name == 'dq_ik' and words[1:2] and words[1] in OF_ROS:
                needs = 'ROS'
            if needs and not (name == 'dq_ik' and ':' in ''.join(words[:2])):  # what it prints
                yield Code(page, 'shell', needs, ' '.join([name, *words[1:]]))


def main() -> None:
    """Print what needs a ROS installation, and how much of the rest there is."""
    found = [code for page in pages() for code in codes(page)]
    for code in found:
        if code.needs == 'ROS':
            print(f'{code.page.relative_to(ROOT)}: {code.text.splitlines()[0]}')
    for (language, needs), count in sorted(Counter((c.language, c.needs) for c in found).items()):
        print(f'{count:4} {language:6} {needs}')


if __name__ == '__main__':
    main()
