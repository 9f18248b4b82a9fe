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
Texts of URDFs and SRDFs as XML of bounded size and depth.

A document type is refused: its entities could read files or exhaust the memory.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.parsers import expat

from dq_ik.errors import UrdfError

# Bounds of what is read, far above any robot: characters, elements, elements inside each other.
MOST_CHARACTERS, MOST_ELEMENTS, MOST_LEVELS = 5_000_000, 200_000, 100
URDF, SRDF = 'robot description', 'SRDF'


def parse_robot(text: str, kind: str = URDF) -> ElementTree.Element:
    """
    Return the element ``<robot>`` of a text.

    :param kind: what the text is called where it is refused: URDF or SRDF
    :raises UrdfError: if it is no XML, too large, or something other than a robot
    """
    text = text.lstrip('\ufeff \t\r\n')
    if not text:
        raise UrdfError(f'the {kind} is empty')
    check_length(len(text), kind)
    root = _parse(text, kind)
    if root.tag != 'robot':
        raise UrdfError(f'the {kind} begins with <{root.tag}>; it must begin with '
                        "<robot name='...'>")
    return root


def _parse(text: str, kind: str) -> ElementTree.Element:
    builder = _BoundedBuilder(kind)
    reader = expat.ParserCreate(encoding='utf-8')
    reader.buffer_text = True
    reader.StartDoctypeDeclHandler = reader.EntityDeclHandler = builder.refuse_doctype
    reader.StartElementHandler = builder.start
    reader.EndElementHandler = builder.end
    reader.CharacterDataHandler = builder.data
    try:
        reader.Parse(text.encode(), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise UrdfError(f'the {kind} is not well-formed XML: {error}') from None
    return builder.close()


class _BoundedBuilder(ElementTree.TreeBuilder):
    """Makes a tree of not too many elements and not too many levels."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind
        self._count = self._level = 0

    def start(self, tag: str, attributes: dict[str, str]) -> ElementTree.Element:
        """Open an element."""
        self._count += 1
        self._level += 1
        if self._count > MOST_ELEMENTS:
            raise UrdfError(f'the {self._kind} has more than {MOST_ELEMENTS} elements')
        if self._level > MOST_LEVELS:
            raise UrdfError(f'the {self._kind} has elements nested more than {MOST_LEVELS} deep, '
                            f'at <{tag[:40]}>')
        return super().start(tag, attributes)

    def end(self, tag: str) -> ElementTree.Element:
        """Close an element."""
        self._level -= 1
        return super().end(tag)

    def refuse_doctype(self, *_: object) -> None:
        """Refuse what could read files or exhaust the memory."""
        raise UrdfError(f'the {self._kind} contains a DOCTYPE or an entity declaration; remove it '
                        '(it could read files or exhaust the memory)')


def check_length(length: int, kind: str = URDF) -> None:
    """Raise UrdfError if a text is too long."""
    if length > MOST_CHARACTERS:
        raise UrdfError(f'the {kind} has {length} characters; at most {MOST_CHARACTERS} are read')
