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
Blocks of memory as tables: the name, type and shape of each field, stated once.

A block is a vector of 64-bit words. It begins with a number that names its table, its length and
its sizes; the fields follow one after the other. From the table come the length of a block, the
view that kernels and Python take of it (:mod:`dq_ik.core.memory.views`) and the functions of the C
header (:mod:`dq_ik.native.header`), so that no place is written down twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import hashlib
from typing import Any, NamedTuple

import numpy as np

HEAD = 2  # words before the sizes: the number of the table, the length of the block
FLOAT, INTEGER, SINGLE = 'float', 'integer', 'single'


class Field(NamedTuple):
    """One field: without a shape it is a number that is read once, else an array."""

    name: str
    kind: str
    shape: tuple[str, ...]
    text: str

    @property
    def words(self) -> str:
        """Return the number of words, a formula of the sizes; two singles share a word."""
        count = ' * '.join(f'({size})' for size in self.shape) or '1'
        return f'({count} + 1) // 2' if self.kind == SINGLE else count


def number(name: str, text: str) -> Field:
    """Declare a number."""
    return Field(name, FLOAT, (), text)


def integer(name: str, text: str) -> Field:
    """Declare a whole number."""
    return Field(name, INTEGER, (), text)


def floats(name: str, *shape: object, text: str) -> Field:
    """Declare an array of numbers; a shape is made of whole numbers and formulas of the sizes."""
    return Field(name, FLOAT, tuple(map(str, shape)), text)


def integers(name: str, *shape: object, text: str) -> Field:
    """Declare an array of whole numbers."""
    return Field(name, INTEGER, tuple(map(str, shape)), text)


def singles(name: str, *shape: object, text: str) -> Field:
    """Declare an array of numbers in single precision."""
    return Field(name, SINGLE, tuple(map(str, shape)), text)


class Row:
    """The columns of a matrix that mean different things: ``places`` in order, and ``width``."""

    def __init__(self, **widths: int) -> None:
        """State the columns with their widths, in order."""
        self.widths = widths
        ends = np.cumsum(list(widths.values())).tolist()
        self.places = (0, *ends[:-1])
        self.width = int(ends[-1])


class Table:
    """A kind of block: its sizes and its fields."""

    def __init__(self, name: str, sizes: Sequence[str], fields: Sequence[Field]) -> None:
        """
        State a table.

        :param sizes: names of the whole numbers of which shapes are formulas
        """
        self.name, self.sizes = name, tuple(sizes)
        self.fields = {field.name: field for field in fields}
        self.id = int(hashlib.sha256(repr((name, self.sizes, tuple(fields))).encode())
                      .hexdigest()[:15], 16)
        self.head = HEAD + len(self.sizes)
        self.places, place = {}, str(self.head)
        for field in fields:  # formulas of the sizes
            self.places[field.name] = place
            place = f'{place} + {field.words}'
        self.words = place

    def size(self, sizes: Mapping[str, Any]) -> Any:
        """Return the length of a block."""
        return formula(self.words, sizes)

    def new(self, **sizes: int) -> np.ndarray:
        """Return a block of zeros with its head filled in."""
        block = np.zeros(self.size(sizes))
        given = [sizes[name] for name in self.sizes]
        block[:self.head].view(np.int64)[:] = [self.id, len(block), *given]
        return block

    def slices(self, **sizes: int) -> dict[str, slice]:
        """Return where each field is in a block."""
        found = {}
        for name, field in self.fields.items():
            start = formula(self.places[name], sizes)
            found[name] = slice(start, start + formula(field.words, sizes))
        return found


def formula(text: str, sizes: Mapping[str, Any], **functions: Any) -> Any:
    """Evaluate a formula of a table; ``functions`` take the place of ``min`` and ``max``."""
    return eval(text, {'min': min, 'max': max, **functions}, sizes)  # no text but our own
