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
The functions of the C header that read and write the fields of blocks.

Whole numbers are copied, since C lets no pointer of another type read a double.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
import textwrap

from dq_ik.core.memory.layout import ANSWER, REQUEST, ROBOT
from dq_ik.core.memory.table import Field, formula, HEAD, INTEGER, Table
from dq_ik.native.c_text import COLUMNS, in_c

# What of a robot concerns callers; the rest is for the kernels.
OF_ROBOT = ('n', 'n_tips', 'n_stored', 'lower', 'upper', 'neutral', 'period', 'reach', 'joint',
            'part')
SIZES = {'n': 'variables: numbers of a joint vector', 'n_tips': 'tips',
         'n_stored': 'configurations from which searches may start',
         'max_solutions': 'room for solutions', 'max_trace': 'room for iterates'}
HEADINGS = {
    'robot': 'What may be read of a robot. Variables are in the order of the table of joints.',
    'request': 'A request: what dq_ik_request() has written may be read, and set.',
    'answer': 'An answer, as dq_ik_solve() writes it.'}
WORD = """\
/* A whole number of a block. */
static inline int64_t dq_ik_word(const double *block, int64_t place)
{
    int64_t value;
    memcpy(&value, block + place, sizeof value);
    return value;
}
"""


class Sum(Counter):
    """A sum of products of sizes, which formulas of tables can be evaluated with."""

    def __add__(self, other: object) -> Sum:
        """Add a sum or a number."""
        total = Sum(self)
        total.update(other if isinstance(other, Sum) else {(): other})
        return total

    def __mul__(self, other: object) -> Sum:
        """Multiply by a sum or a number."""
        product = Sum()
        factors = other if isinstance(other, Sum) else Sum({(): other})
        for names, count in self.items():
            for more, times in factors.items():
                product[names + more] += count * times
        return product

    __radd__, __rmul__ = __add__, __mul__

    def in_c(self, table: Table) -> str:
        """Write it in C, as a formula of the words of a block."""
        terms = []
        for names, count in sorted(self.items(), key=lambda item: len(item[0])):
            words = [f'dq_ik_word({table.name}, {HEAD + table.sizes.index(name)})'
                     for name in names]
            factors = [str(count)] if count != 1 or not words else []
            terms.append(' * '.join([*factors, *words]))
        return ' + '.join(terms)


def accessors() -> Iterator[str]:
    """Write the functions of all tables."""
    yield WORD
    for table in (ROBOT, REQUEST, ANSWER):
        name = table.name
        yield f'/* --- {HEADINGS[name]} --- */\n'
        yield _function('int64_t', f'{name}_words', f'const double *{name}',
                        f'return dq_ik_word({name}, 1);', 'length of the block in words')
        for i, size in enumerate(table.sizes):
            if name != 'robot' or size in OF_ROBOT:
                yield _function('int64_t', f'{name}_{size}', f'const double *{name}',
                                f'return dq_ik_word({name}, {HEAD + i});', SIZES[size])
        for field in table.fields.values():
            if name != 'robot' or field.name in OF_ROBOT:
                yield from _field(table, field)


def _field(table: Table, field: Field) -> Iterator[str]:
    """Write the functions of a field: single numbers are returned, arrays are pointed to."""
    block, name = table.name, f'{table.name}_{field.name}'
    symbols = {size: Sum({(size,): 1}) for size in table.sizes}
    place = Sum() + formula(table.places[field.name], symbols)
    where, text = place.in_c(table), in_c(field.text)
    if field.shape not in ((), ('1',)):
        text += f" ({', '.join(field.shape).replace('26', 'dq_ik_goal')})"
    whole, single = field.kind == INTEGER, field.shape in ((), ('1',))
    kind = 'int64_t' if whole else 'double'
    read = f'const double *{block}'
    if whole and not single:
        yield _function(kind, name, f'{read}, int64_t i',
                        f'return dq_ik_word({block}, {where} + i);', f'{text}: number i of these')
    elif single:
        yield _function(kind, name, read, f'return dq_ik_word({block}, {where});' if whole
                        else f'return {block}[{where}];', text)
    elif name == 'request_goals':
        yield _function('dq_ik_goal *', name, f'double *{block}',
                        f'return (dq_ik_goal *)({block} + {where});', text)
    else:
        const = '' if block == 'request' else 'const '
        yield _function(f'{const}double *', name, f'{const}double *{block}',
                        f'return {block} + {where};', text)
    if single and block == 'request':
        body = (f'memcpy({block} + {where}, &value, sizeof value);' if whole
                else f'{block}[{where}] = value;')
        yield _function('void', f'{block}_set_{field.name}', f'double *{block}, {kind} value',
                        body)


def _function(kind: str, name: str, given: str, body: str, text: str = '') -> str:
    head = '\n   '.join(textwrap.wrap(f'/* {text} */', COLUMNS - 3)) + '\n' if text else ''
    space = '' if kind.endswith('*') else ' '
    lines = textwrap.fill(body, COLUMNS, initial_indent=' ' * 4, subsequent_indent=' ' * 8)
    return f'{head}static inline {kind}{space}dq_ik_{name}({given})\n{{\n{lines}\n}}\n'
