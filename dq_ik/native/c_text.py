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

"""Texts of the Python sources as C comments, so that no meaning is written down twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
import inspect
import re
import textwrap
from types import ModuleType
from typing import Any

from dq_ik.core.memory.table import Row

COLUMNS = 99
# What members of each enum begin with in C.
PREFIXES = {'PoseKind': 'POSE', 'Fault': 'FAULT', 'PackError': 'PACK', 'JointType': 'JOINT',
            'Method': 'METHOD', 'Mode': 'MODE', 'Status': 'STATUS'}


def comment(text: str) -> str:
    """Return lines as a C comment."""
    lines = ['/*', *(f' * {line}'.rstrip() for line in text.strip().splitlines()), ' */']
    return '\n'.join(lines)


def in_c(text: str, functions: object = ()) -> str:
    """Return a text with the names that things have in C."""
    for name in functions if isinstance(functions, dict) else ():
        text = re.sub(rf'\b(?<!_){name}\(\)', f'dq_ik_{name}()', text)
    for kind, prefix in PREFIXES.items():
        text = re.sub(rf'\b{kind}\b', f'DQ_IK_{prefix}_...', text)
    text = re.sub(r'\bmode ALL\b', 'mode DQ_IK_MODE_ALL', text)
    text = re.sub(r'\bWRONG_BLOCK\b', 'DQ_IK_FAULT_WRONG_BLOCK', text)
    return text.replace('``', '').replace('(8,)', '8 numbers').replace('(3,)', '3 numbers:')


def documented(text: str, functions: object) -> str:
    """Return the text of an entry as a C comment: what it does, its arguments, its result."""
    head, *fields = re.split(r'\n:(?=param |returns:)', in_c(text, functions))
    lines = [head.strip()]
    if fields:
        lines.append('')
    for field in fields:
        name, _, meaning = field.partition(':')
        label = f'{name.removeprefix("param ")}:'
        lines += textwrap.wrap(f'  {label:<14} {" ".join(meaning.split())}', COLUMNS - 3,
                               subsequent_indent=' ' * 17)
    return comment('\n'.join(lines))


def remarks(source: str) -> dict[str, str]:
    """Return the comments behind ``name = 1`` in a source, by name."""
    found = {}
    for line in source.splitlines():
        code, _, text = line.partition('#')
        for name in re.findall(r'\b(\w+) ?= ?\d', code):
            found[name] = text.strip()
    return found


def enum(kind: type[IntEnum], sentences: Mapping[Any, str]) -> str:
    """Return an enum, each member with what it means."""
    text, prefix = inspect.getdoc(kind) or '', PREFIXES[kind.__name__]
    behind = remarks(inspect.getsource(kind)) | {
        member.name: sentence for member, sentence in sentences.items()}
    lines = [(f'    DQ_IK_{prefix}_{member.name} = {member.value},', in_c(behind[member.name]))
             for member in kind]
    return f'/* {text.splitlines()[0]} */\nenum {{\n' + '\n'.join(_aside(lines)) + '\n};'


def struct(name: str, row: Row, module: ModuleType) -> str:
    """Return a row of numbers as a struct of doubles."""
    source = re.search(rf'^{name.upper()} = Row\(.*?\)(  #[^\n]*)?$', inspect.getsource(module),
                       re.MULTILINE | re.DOTALL)
    behind = remarks(source.group(0) if source else '')
    lines = [(f'    double {column}{"" if width == 1 else f"[{width}]"};',
              in_c(behind[column])) for column, width in row.widths.items()]
    return (f'/* One {name}: {row.width} doubles. */\ntypedef struct dq_ik_{name} {{\n'
            + '\n'.join(_aside(lines)) + f'\n}} dq_ik_{name};')


def _aside(lines: list[tuple[str, str]]) -> Iterator[str]:
    """Yield lines with comments behind them, or above where there is no room."""
    width = max(len(code) for code, _ in lines)
    for code, text in lines:
        if not text:
            yield code
        elif width + len(text) + 8 <= COLUMNS:
            yield f'{code:<{width}}  /* {text} */'
        else:
            yield f'    /* {text} */\n{code}'


def texts(name: str, meaning: str, words: dict[int, str]) -> str:
    """Return a function that tells in words what a number means."""
    cases = '\n'.join(f'    case {number}: return "{text}";' for number, text in words.items())
    return (f'/* {meaning} */\nstatic inline const char *dq_ik_{name}(int64_t value)\n{{\n'
            f'    switch (value) {{\n{cases}\n    default: return "unknown";\n    }}\n}}')
