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
The header of the library, ``dq_ik.h``: its frame is ``dq_ik.h.in``, the rest comes from the core.

No meaning is written down twice: names and types of arguments come from the annotations of
:mod:`dq_ik.core.entries.exports`, comments from docstrings and remarks of the Python sources,
places of fields from :mod:`dq_ik.core.memory.layout`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum
import inspect
from itertools import takewhile
import math
from pathlib import Path
import re
from string import Template
import textwrap
from types import ModuleType
from typing import Any

from dq_ik.core.entries.block_check import FAULTS
from dq_ik.core.entries.exports import ENTRIES
from dq_ik.core.entries.pose_input import Fault, PoseKind
from dq_ik.core.memory import layout
from dq_ik.core.memory.layout import ANSWER, Method, Mode, Policy, REQUEST, ROBOT, TRACK
from dq_ik.core.memory.table import Field, HEAD, INTEGER, Row, Table
from dq_ik.core.packing import joints
from dq_ik.core.packing.joint_check import PackError
from dq_ik.core.packing.joints import JointType
from dq_ik.core.solve.verdict import SENTENCES, Status
from dq_ik.native.calls import choice, door_entries, prototype
from dq_ik.native.files import PACKAGE

FRAME = PACKAGE / 'native' / 'dq_ik.h.in'
COLUMNS = 99
TIED = '~'  # a space at which no line ends
# What members of each enum begin with in C.
PREFIXES: dict[type[IntEnum], str] = {
    PoseKind: 'POSE', Status: 'STATUS', Fault: 'FAULT', PackError: 'PACK', JointType: 'JOINT',
    Method: 'METHOD', Mode: 'MODE', Policy: 'POLICY'}
# What of a robot concerns callers; the rest is for the kernels.
OF_ROBOT = ('n', 'n_tips', 'n_stored', 'lower', 'upper', 'neutral', 'period', 'reach', 'joint',
            'part')
SIZES = {'n': 'variables: numbers of a joint vector', 'n_tips': 'tips',
         'n_stored': 'configurations from which searches may start',
         'max_solutions': 'room for solutions', 'max_trace': 'room for iterates'}
HEADINGS = {
    'robot': 'What may be read of a robot. Variables are in the order of the table of joints.',
    'request': 'A request: what dq_ik_request() has written may be read, and set.',
    'answer': 'An answer, as dq_ik_solve() writes it.',
    'track': 'The state of a stream: settings may be set after dq_ik_track_begin().'}
SETTABLE = ('request', 'track')


def header(digest: str, version: str) -> str:
    """Return the C header."""
    types = [enum(kind, SENTENCES if kind is Status else {}) for kind in PREFIXES]
    types += [struct(name, getattr(module, name.upper()), module)
              for name, module in (('joint', joints), ('tip', joints), ('goal', layout))]
    texts = [words('status_text', 'A DQ_IK_STATUS_... in words.', Status, SENTENCES),
             words('fault_text', 'A DQ_IK_FAULT_... in words: '
                   'dq_ik_fault_text(DQ_IK_FAULT(result)).', Fault, {}),
             words('pack_text', 'A DQ_IK_PACK_... in words, of what dq_ik_robot_size() answers.',
                   PackError, {})]
    parts = {'types': types, 'entries': map(declaration, ENTRIES), 'accessors': accessors(),
             'texts': texts}
    return Template(FRAME.read_text()).substitute(
        {name: '\n'.join(part) for name, part in parts.items()}, digest=digest, version=version,
        faults=FAULTS)


def write_c_files(folder: str, digest: str, *levels: str) -> None:
    """Write the header, the door's entries and the choice of levels."""
    version = re.search(r"__version__ = '([^']+)'", (PACKAGE / '__init__.py').read_text())
    out = Path(folder)
    (out / 'dq_ik.h').write_text(header(digest, version.group(1) if version else ''))
    (out / 'entries.h').write_text(door_entries())
    (out / 'choose.c').write_text(choice(levels))


# --- meanings, as comments -----------------------------------------------------------------------

def in_c(text: str) -> str:
    """Return a text with the names that things have in C."""
    for name in ENTRIES:
        text = re.sub(rf'\b(?<!_){name}\(\)', f'dq_ik_{name}()', text)
    for kind, prefix in PREFIXES.items():
        text = re.sub(rf'\b{kind.__name__}\b', f'DQ_IK_{prefix}_...', text)
    text = re.sub(r'\bmode ALL\b', 'mode DQ_IK_MODE_ALL', text)
    text = re.sub(r'\bWRONG_BLOCK\b', 'DQ_IK_FAULT_WRONG_BLOCK', text)
    return text.replace('``', '').replace('(8,)', '8 numbers').replace('(3,)', '3 numbers:')


def remarks(source: str) -> dict[str, str]:
    """Return the comments behind ``name = 1`` in a source, by name."""
    found: dict[str, str] = {}
    for line in source.splitlines():
        code, _, text = line.partition('#')
        for name in re.findall(r'\b(\w+) ?= ?\d', code):
            found.setdefault(name, in_c(text.strip()))
    return found


def meanings(kind: type[IntEnum], sentences: Mapping[Any, str]) -> list[tuple[IntEnum, str]]:
    """Return the members of an enum, each with what it means."""
    behind = remarks(inspect.getsource(kind))
    return [(member, sentences.get(member) or behind[member.name]) for member in kind]


def _aside(lines: list[tuple[str, str]]) -> str:
    """Return lines with comments behind them, or above where there is no room."""
    width = max(len(code) for code, _ in lines)
    return '\n'.join(
        code if not text else f'{code:<{width}}  /* {text} */'
        if width + len(text) + 8 <= COLUMNS else f'    /* {text} */\n{code}'
        for code, text in lines)


# --- types and functions -------------------------------------------------------------------------

def enum(kind: type[IntEnum], sentences: Mapping[Any, str]) -> str:
    """Return an enum, each member with what it means."""
    text, prefix = inspect.getdoc(kind) or '', PREFIXES[kind]
    lines = _aside([(f'    DQ_IK_{prefix}_{member.name} = {member.value},', meaning)
                    for member, meaning in meanings(kind, sentences)])
    return f'/* {text.splitlines()[0]} */\nenum {{\n{lines}\n}};\n'


def struct(name: str, row: Row, module: ModuleType) -> str:
    """Return a row of numbers as a struct of doubles."""
    behind = remarks(inspect.getsource(module).split(f'\n{name.upper()} = Row(')[1])
    lines = _aside([(f'    double {column}{"" if width == 1 else f"[{width}]"};', behind[column])
                    for column, width in row.widths.items()])
    return (f'/* One {name}: {row.width} doubles. */\ntypedef struct dq_ik_{name} {{\n{lines}\n'
            f'}} dq_ik_{name};\n')


def words(name: str, title: str, kind: type[IntEnum], sentences: Mapping[Any, str]) -> str:
    """Return a function that tells in words what a number means."""
    cases = '\n'.join(f'    case {member.value}: return "{meaning}";'
                      for member, meaning in meanings(kind, sentences)
                      if sentences or member.value)
    return (f'/* {title} */\nstatic inline const char *dq_ik_{name}(int64_t value)\n{{\n'
            f'    switch (value) {{\n{cases}\n    default: return "unknown";\n    }}\n}}\n')


def declaration(name: str) -> str:
    """Return an entry with a comment: what it does, its arguments, its result."""
    text = in_c(inspect.getdoc(ENTRIES[name]) or '')
    head, *fields = re.split(r'\n:(?=param |returns:)', text)
    lines = [*head.strip().splitlines(), *([''] if fields else [])]
    for field in fields:
        label, _, meaning = field.partition(':')
        lines += textwrap.wrap(f'  {label.removeprefix("param ") + ":":<14} '
                               f'{" ".join(meaning.split())}', COLUMNS - 3,
                               subsequent_indent=' ' * 17)
    comment = '\n'.join(f' * {line}'.rstrip() for line in lines)
    tied = re.sub('([a-z0-9_]) (?=[a-z*])', rf'\1{TIED}', prototype(name))
    code = textwrap.fill(f'DQ_IK_API {tied};', COLUMNS, subsequent_indent=' ' * 4)
    return f'/*\n{comment}\n */\n{code.replace(TIED, " ")}\n'


# --- fields of blocks ----------------------------------------------------------------------------

def place_in_c(table: Table, field: Field) -> str:
    """Write the place of a field, a sum of products of sizes, by the words of a block."""
    terms: Counter[tuple[str, ...]] = Counter({(): table.head})
    for before in takewhile(lambda other: other is not field, table.fields.values()):
        sizes = tuple(size for size in before.shape if not size.isdigit())
        terms[sizes] += math.prod(int(size) for size in before.shape if size.isdigit())
    products = []
    for names, count in sorted(terms.items(), key=lambda item: len(item[0])):
        sizes = tuple(f'dq_ik_word({table.name}, {HEAD + table.sizes.index(name)})'
                      for name in names)
        products.append(' * '.join((*([str(count)] if count != 1 or not sizes else []), *sizes)))
    return ' + '.join(products)


def accessors() -> Iterator[str]:
    """Write the functions that read and write the fields of all tables."""
    for table in (ROBOT, REQUEST, ANSWER, TRACK):
        name, block = table.name, f'const double *{table.name}'
        yield f'/* --- {HEADINGS[name]} --- */\n'
        yield _function('int64_t', f'{name}_words', block, f'return dq_ik_word({name}, 1);',
                        'length of the block in words')
        for i, size in enumerate(table.sizes):
            if name != 'robot' or size in OF_ROBOT:
                yield _function('int64_t', f'{name}_{size}', block,
                                f'return dq_ik_word({name}, {HEAD + i});', SIZES[size])
        for field in table.fields.values():
            if name != 'robot' or field.name in OF_ROBOT:
                yield from _of_field(table, field)


def _of_field(table: Table, field: Field) -> Iterator[str]:
    """
    Write the functions of a field: single numbers are returned, arrays are pointed to.

    Whole numbers are copied, since C lets no pointer of another type read a double.
    """
    block, name, where = table.name, f'{table.name}_{field.name}', place_in_c(table, field)
    whole, single = field.kind == INTEGER, field.shape in ((), ('1',))
    kind, read, text = 'int64_t' if whole else 'double', f'const double *{block}', in_c(field.text)
    if not single:
        text += f" ({', '.join(field.shape).replace(str(layout.GOAL.width), 'dq_ik_goal')})"
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
        const = '' if block in SETTABLE else 'const '
        yield _function(f'{const}double *', name, f'{const}double *{block}',
                        f'return {block} + {where};', text)
    if single and block in SETTABLE:
        body = (f'memcpy({block} + {where}, &value, sizeof value);' if whole
                else f'{block}[{where}] = value;')
        yield _function('void', f'{block}_set_{field.name}', f'double *{block}, {kind} value',
                        body)


def _function(kind: str, name: str, given: str, body: str, text: str = '') -> str:
    head = '\n   '.join(textwrap.wrap(f'/* {text} */', COLUMNS - 3)) + '\n' if text else ''
    space = '' if kind.endswith('*') else ' '
    lines = textwrap.fill(body, COLUMNS, initial_indent=' ' * 4, subsequent_indent=' ' * 8)
    return f'{head}static inline {kind}{space}dq_ik_{name}({given})\n{{\n{lines}\n}}\n'
