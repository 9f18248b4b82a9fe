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
The calls of entries in C: their prototypes, how Python calls them, which level a call goes to.

Names and types of arguments come from the annotations of :mod:`dq_ik.core.entries.exports`.
"""

from __future__ import annotations

from collections.abc import Sequence
import inspect

from dq_ik.core.entries.exports import ENTRIES
from dq_ik.native.levels import LEVELS

TYPES = {'Numbers': 'const double *', 'NumbersOut': 'double *', 'int': 'int64_t ',
         'float': 'double ', 'joints': 'const dq_ik_joint *', 'tips': 'const dq_ik_tip *'}
LETTERS = {'Numbers': 'r', 'NumbersOut': 'w', 'int': 'i', 'float': 'd'}  # of door.c
MEMBERS = {'Numbers': 'buffer.buf', 'NumbersOut': 'buffer.buf', 'int': 'integer',
           'float': 'number'}


def arguments(name: str) -> dict[str, str]:
    """Return the types of an entry's arguments, by name."""
    parameters = inspect.signature(ENTRIES[name]).parameters.values()
    return {parameter.name: str(parameter.annotation) for parameter in parameters}


def prototype(name: str, suffix: str = '') -> str:
    """Return the C declaration of an entry."""
    inside = ', '.join(f'{TYPES.get(argument, TYPES[kind])}{argument}'
                       for argument, kind in arguments(name).items())
    return f'int64_t dq_ik_{name}{suffix}({inside})'


def door_entries() -> str:
    """Return the calls of the entries by Python, and their table, by the macros of ``door.c``."""
    calls = []
    for name in ENTRIES:
        kinds = arguments(name).values()
        letters = ''.join(LETTERS[kind] for kind in kinds)
        values = ', '.join(f'a[{k}].{MEMBERS[kind]}' for k, kind in enumerate(kinds))
        calls.append(f'CALL({name}, "{letters}", {values})')
    return '\n'.join([*calls, 'static PyMethodDef entries[] = {', *(
        f'    ROW({name}),' for name in ENTRIES), '    {NULL, NULL, 0, NULL}};\n'])


def choice(levels: Sequence[str]) -> str:
    """Return the C file that chooses, when it is loaded, the best level that the processor has."""
    parts = ['#include "dq_ik.h"\n\nstatic const char *level;\n',
             'const char *dq_ik_level(void) { return level; }',
             'const char *dq_ik_digest(void) { return DQ_IK_DIGEST; }\n']
    for name in ENTRIES:
        inside = prototype(name).split('(', 1)[1]
        parts += [f'static int64_t (*chosen_{name})({inside};',
                  f'{prototype(name)} {{ return chosen_{name}({", ".join(arguments(name))}); }}\n']
    for architecture in dict.fromkeys(LEVELS[key].architecture for key in levels):
        own = [key for key in levels if LEVELS[key].architecture == architecture]
        parts.append(f'#ifdef __{architecture}__')
        parts += [f'{prototype(name, "_" + key)};' for key in own for name in ENTRIES]
        parts.append('__attribute__((constructor)) static void choose(void)\n{')
        for key in own:
            tests = ' && '.join(f'__builtin_cpu_supports("{feature}")'
                                for feature in LEVELS[key].features) or '1'
            sets = ' '.join(f'chosen_{name} = dq_ik_{name}_{key};' for name in ENTRIES)
            parts.append(f'    if ({tests}) {{ level = "{LEVELS[key].cpu}"; {sets} }}')
        parts.append('}\n#endif')
    return '\n'.join(parts) + '\n'
