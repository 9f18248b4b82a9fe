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
The C side, written from the tables and the entries: the header, the door's entries, the choice.

Nothing here is written down twice: names and types of arguments come from the annotations of
:mod:`dq_ik.core.exports`, places of fields from :mod:`dq_ik.core.layout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
import inspect
import re
import textwrap

from dq_ik.core.exports import ENTRIES, FAULTS
from dq_ik.core.joint_check import PackError
from dq_ik.core.joints import JOINT, JointType, TIP
from dq_ik.core.layout import ANSWER, GOAL, Method, Mode, REQUEST, ROBOT
from dq_ik.core.pose_input import Fault, PoseKind
from dq_ik.core.table import INTEGER, Row, SINGLE, Table
from dq_ik.core.verdict import Status
from dq_ik.native.levels import LEVELS, tests_of

TYPES = {'Numbers': 'const double *', 'NumbersOut': 'double *', 'int': 'int64_t ',
         'float': 'double '}
LETTERS = {'Numbers': 'r', 'NumbersOut': 'w', 'int': 'i', 'float': 'd'}
ENUMS = (PoseKind, Fault, PackError, JointType, Method, Mode, Status)
INTRODUCTION = """\
Inverse kinematics with dual quaternions under hard joint limits.

No function allocates, throws or keeps anything: memory is handed in by the caller, one for each
thread; robots and requests may be shared by any number of threads. Lengths are metres, angles
radians; numbers are doubles, sizes of memory are in words of eight bytes.

A robot, a request and an answer are blocks of memory. dq_ik_robot writes a robot from a table of
joints, dq_ik_request a request with the usual options, dq_ik_solve answers. The functions below
them lead to the fields of a block. Results below zero tell what is wrong: DQ_IK_FAULT gives the
reason, DQ_IK_FAULT_ROW the row.

This file is generated from the Python sources."""

API = """\
#ifdef DQ_IK_EXPORTS
#define DQ_IK_API __attribute__((visibility("default")))
#else
#define DQ_IK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif
"""


def header(digest: str, version: str) -> str:
    """Return the C header."""
    parts = [_comment(INTRODUCTION), '#ifndef DQ_IK_H\n#define DQ_IK_H\n\n#include <stdint.h>\n',
             f'#define DQ_IK_VERSION "{version}"', f'#define DQ_IK_DIGEST "{digest}"\n',
             f'#define DQ_IK_FAULT(result) ((result) < 0 ? -(result) % {FAULTS} : 0)',
             f'#define DQ_IK_FAULT_ROW(result) ((result) < 0 ? -(result) / {FAULTS} : 0)\n']
    parts += [_enum(kind) for kind in ENUMS]
    parts += [_row('joint', JOINT), _row('tip', TIP), _row('goal', GOAL)]
    parts += [API, 'DQ_IK_API const char *dq_ik_digest(void);  /* of the sources */',
              'DQ_IK_API const char *dq_ik_level(void);  /* of the processor; 0: none fits */\n']
    parts += [_comment(inspect.getdoc(function) or '') + f'DQ_IK_API {prototype(name)};\n'
              for name, function in ENTRIES.items()]
    parts += ['#ifdef __cplusplus\n}\n#endif\n']
    parts += [text for table in (ROBOT, REQUEST, ANSWER) for text in _accessors(table)]
    return '\n'.join([*parts, '#endif\n'])


def arguments(name: str) -> list[tuple[str, str]]:
    """Return the names and types of an entry's arguments."""
    parameters = inspect.signature(ENTRIES[name]).parameters.values()
    return [(parameter.name, str(parameter.annotation)) for parameter in parameters]


def prototype(name: str, suffix: str = '') -> str:
    """Return the C declaration of an entry."""
    inside = ', '.join(f'{TYPES[kind]}{argument}' for argument, kind in arguments(name))
    return f'int64_t dq_ik_{name}{suffix}({inside})'


def _comment(text: str) -> str:
    text = re.sub(r':(func|class|mod):`~?(?:[\w.]*\.)?(\w+)`', r'\2', text).replace('``', '')
    return '/*\n' + textwrap.indent(text.strip(), ' * ', lambda line: True).replace(
        ' * \n', ' *\n') + '\n */\n'


def _enum(kind: type[IntEnum]) -> str:
    """Write an enum; members of the more general ones are named after it."""
    prefix = {'PoseKind': '', 'Fault': 'FAULT_', 'PackError': 'PACK_', 'JointType': 'JOINT_',
              'Method': 'METHOD_', 'Mode': 'MODE_', 'Status': 'STATUS_'}[kind.__name__]
    members = ',\n'.join(f'    DQ_IK_{prefix}{member.name} = {member.value}' for member in kind)
    text = (inspect.getdoc(kind) or kind.__name__).splitlines()[0]
    return f'/* {text} */\nenum {{\n{members}\n}};\n'


def _row(name: str, row: Row) -> str:
    """Write the columns of a matrix."""
    lines = [f'    DQ_IK_{name.upper()}_{column.upper()} = {place}'
             for column, place in zip(row.widths, row.places)]
    lines.append(f'    DQ_IK_{name.upper()}_WIDTH = {row.width}')
    return f'/* Columns of a {name} */\nenum {{\n' + ',\n'.join(lines) + '\n};\n'


def _accessors(table: Table) -> Iterator[str]:
    """Write for each size and field of a table a function that leads to it."""
    name = table.name
    for i, size in enumerate(table.sizes):
        yield (f'static inline int64_t dq_ik_{name}_{size}(const double *{name})\n'
               f'{{ return ((const int64_t *){name})[{i + 2}]; }}\n')
    for field in table.fields.values():
        kind = {INTEGER: 'int64_t', SINGLE: 'float'}.get(field.kind, 'double')
        shape = f", ({', '.join(field.shape)})" if field.shape else ''
        formula = table.places[field.name]
        for size in table.sizes:
            formula = re.sub(rf'\b{size}\b', f'dq_ik_{name}_{size}({name})', formula)
        formula = formula.replace('//', '/')
        cast = '' if kind == 'double' else f'({kind} *)'
        yield (f'/* {field.text}{shape} */\n'
               f'static inline {kind} *dq_ik_{name}_{field.name}(double *{name})\n'
               f'{{ return {cast}({name} + {formula}); }}\n')


def door_entries() -> str:
    """Return the C functions by which Python calls the entries, and their table."""
    functions, rows = [], []
    for name in ENTRIES:
        kinds = [kind for _, kind in arguments(name)]
        letters = ''.join(LETTERS[kind] for kind in kinds)
        values = ', '.join(f'a[{k}].{_member(kind)}' for k, kind in enumerate(kinds))
        functions.append(
            f'static PyObject *call_{name}(PyObject *self, PyObject *const *args, '
            'Py_ssize_t count)\n'
            f'{{\n    Argument a[{len(kinds)}];\n    int64_t result;\n'
            f'    if (read_arguments("{letters}", args, count, a) < 0)\n        return NULL;\n'
            '    Py_BEGIN_ALLOW_THREADS\n'
            f'    result = dq_ik_{name}({values});\n'
            '    Py_END_ALLOW_THREADS\n'
            f'    release_arguments("{letters}", a);\n'
            '    return PyLong_FromLongLong(result);\n}\n')
        rows.append(f'    {{"{name}", (PyCFunction)(void (*)(void))call_{name}, METH_FASTCALL, '
                    'NULL},')
    table = '\n'.join(['static PyMethodDef entries[] = {', *rows,
                       '    {NULL, NULL, 0, NULL}};\n'])
    return '\n'.join([*functions, table])


def _member(kind: str) -> str:
    return {'int': 'integer', 'float': 'number'}.get(kind, 'buffer.buf')


def choice(levels: Sequence[str]) -> str:
    """Return the C file that chooses, when it is loaded, the best level that the processor has."""
    parts = ['#include "dq_ik.h"\n\nstatic const char *level;\n',
             'const char *dq_ik_level(void) { return level; }',
             'const char *dq_ik_digest(void) { return DQ_IK_DIGEST; }\n']
    names = list(ENTRIES)
    for name in names:
        call = ', '.join(argument for argument, _ in arguments(name))
        inside = prototype(name).split('(', 1)[1]
        parts += [f'static int64_t (*chosen_{name})({inside};',
                  f'{prototype(name)} {{ return chosen_{name}({call}); }}\n']
    for architecture in dict.fromkeys(LEVELS[key].architecture for key in levels):
        own = [key for key in levels if LEVELS[key].architecture == architecture]
        parts.append(f'#ifdef {architecture}')
        parts += [f'{prototype(name, "_" + key)};' for key in own for name in names]
        parts.append('__attribute__((constructor)) static void choose(void)\n{')
        for key in own:
            sets = ' '.join(f'chosen_{name} = dq_ik_{name}_{key};' for name in names)
            parts.append(f'    if ({tests_of(key)}) {{ level = "{LEVELS[key].cpu}"; {sets} }}')
        parts.append('}\n#endif')
    return '\n'.join(parts) + '\n'
