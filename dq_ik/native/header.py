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
:mod:`dq_ik.core.entries.exports`, places of fields from :mod:`dq_ik.core.memory.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
import inspect
import re
import textwrap

from dq_ik.core.entries.block_check import FAULTS
from dq_ik.core.entries.exports import ENTRIES
from dq_ik.core.entries.pose_input import Fault, PoseKind
from dq_ik.core.memory import layout
from dq_ik.core.memory.layout import Method, Mode
from dq_ik.core.packing import joints
from dq_ik.core.packing.joint_check import PackError
from dq_ik.core.packing.joints import JointType
from dq_ik.core.solve.verdict import SENTENCES, Status
from dq_ik.native.c_text import COLUMNS, comment, documented, enum, in_c, remarks, struct, texts
from dq_ik.native.fields import accessors
from dq_ik.native.levels import LEVELS, tests_of

TYPES = {'Numbers': 'const double *', 'NumbersOut': 'double *', 'int': 'int64_t ',
         'float': 'double ', 'joints': 'const dq_ik_joint *', 'tips': 'const dq_ik_tip *'}
TIED = '~'  # a space at which no line ends
LETTERS = {'Numbers': 'r', 'NumbersOut': 'w', 'int': 'i', 'float': 'd'}
ENUMS = (PoseKind, Status, Fault, PackError, JointType, Method, Mode)
INTRODUCTION = """\
Copyright 2026 The dq_ik Authors

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.

dq_ik: inverse kinematics with dual quaternions under hard joint limits, for C and C++.

Units and orders. Lengths are metres, angles radians, times seconds. Matrices are written row by
row. Tables (n, m) are n rows of m numbers. Numbers are doubles; sizes of memory are in words of
eight bytes, so that std::vector<double> or an array of doubles is the memory for everything.

Blocks. A robot, a request and an answer are blocks of words. Make them in this order:

  robot    dq_ik_robot_size() and dq_ik_robot() write it from a table of joints; or read a file
           that 'dq_ik export robot.urdf arm.dqik' has written, and call dq_ik_check_robot()
  request  dq_ik_request_size(), dq_ik_request(); then change what you want to have otherwise
  memory   dq_ik_memory_size(); what a call works in
  answer   dq_ik_answer_size(); dq_ik_solve() writes it, dq_ik_answer_...() read it

Threads. No function allocates, throws, locks or keeps anything. Robots and requests are only
read: any number of threads may share them. Memory and answers belong to one call at a time.

Results. Below zero, a result says what is wrong: DQ_IK_FAULT(result) is the reason,
DQ_IK_FAULT_ROW(result) the row of the argument that is meant. Nothing else is an error: a goal
out of reach has an answer, the nearest configuration within the limits, and a status that says
so. The numbers in a request are not checked: take methods and modes from the enums, finite
numbers, and limits within those of the robot.

This file is generated from the Python sources."""

START = """\
#ifndef DQ_IK_H
#define DQ_IK_H

#include <stdint.h>
#include <string.h>
"""
API = """\
#ifdef DQ_IK_EXPORTS
#define DQ_IK_API __attribute__((visibility("default")))
#else
#define DQ_IK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the sources that the library was built from; that of this file is DQ_IK_DIGEST. */
DQ_IK_API const char *dq_ik_digest(void);

/* Kind of processor whose code is used here; NULL: there is none for this processor, and no other
   function may be called. */
DQ_IK_API const char *dq_ik_level(void);
"""


def header(digest: str, version: str) -> str:
    """Return the C header."""
    parts = [comment(INTRODUCTION), START,
             f'#define DQ_IK_VERSION "{version}"', f'#define DQ_IK_DIGEST "{digest}"\n',
             f'#define DQ_IK_FAULT(result) ((result) < 0 ? -(result) % {FAULTS} : 0)',
             f'#define DQ_IK_FAULT_ROW(result) ((result) < 0 ? -(result) / {FAULTS} : 0)\n']
    parts += [enum(kind, SENTENCES if kind is Status else {}) + '\n' for kind in ENUMS]
    for name, module in (('joint', joints), ('tip', joints), ('goal', layout)):
        parts.append(struct(name, getattr(module, name.upper()), module) + '\n')
    parts.append(API)
    for name, function in ENTRIES.items():
        tied = re.sub('([a-z0-9_]) (?=[a-z*])', rf'\1{TIED}', prototype(name))
        declaration = textwrap.fill(f'DQ_IK_API {tied};', COLUMNS,
                                    subsequent_indent=' ' * 4).replace(TIED, ' ')
        parts += [documented(inspect.getdoc(function) or '', ENTRIES), declaration, '']
    parts += ['#ifdef __cplusplus\n}\n#endif\n', *accessors(), *_words()]
    return '\n'.join([*parts, '#endif\n'])


def _words() -> list[str]:
    """Write the functions that tell in words what results mean."""
    found = {}
    for kind in (Fault, PackError):
        behind = remarks(inspect.getsource(kind))
        found[kind] = {member.value: in_c(behind[member.name]) for member in kind if member.value}
    return [
        texts('status_text', 'A DQ_IK_STATUS_... in words.',
              {status.value: SENTENCES[status] for status in Status}) + '\n',
        texts('fault_text', 'A DQ_IK_FAULT_... in words: dq_ik_fault_text(DQ_IK_FAULT(result)).',
              found[Fault]) + '\n',
        texts('pack_text', 'A DQ_IK_PACK_... in words, of what dq_ik_robot_size() answers.',
              found[PackError]) + '\n']


def arguments(name: str) -> list[tuple[str, str]]:
    """Return the names and types of an entry's arguments."""
    parameters = inspect.signature(ENTRIES[name]).parameters.values()
    return [(parameter.name, str(parameter.annotation)) for parameter in parameters]


def prototype(name: str, suffix: str = '') -> str:
    """Return the C declaration of an entry."""
    inside = ', '.join(f'{TYPES.get(argument, TYPES[kind])}{argument}'
                       for argument, kind in arguments(name))
    return f'int64_t dq_ik_{name}{suffix}({inside})'


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
