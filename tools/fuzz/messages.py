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
"""Random ROS messages of any type: a few fields of a message become odd."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
import math
from random import Random
import re
from typing import Any

NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.3, math.pi, 1e-3, 1e9, 1.1e9, 1e19, 1e200, 1e308, -1e308,
           5e-324, math.nan, math.inf, -math.inf)
TEXTS = ('', ' ', '/', 'world', 'odom', 'no_such', 'a' * 300, '\u00e9\u4e2d', 'a b', '<robot/>',
         '~', '..', '-1', 'nan', "'", '"', '\n', '%s', '{}')
WHOLE = {'int8': 7, 'uint8': 8, 'octet': 8, 'int16': 15, 'uint16': 16, 'int32': 31, 'uint32': 32,
         'int64': 63, 'uint64': 64, 'char': 8}
LIST = re.compile(r'sequence<(?P<of>[^,>]+)(, *(?P<most>\d+))?>|(?P<item>.+)\[(?P<count>\d+)\]')


@cache
def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    """Return the names and the types of the fields of a message."""
    return tuple(kind.get_fields_and_field_types().items())


class Oddity:
    """A source of odd values, with names that the robot has among others that it has not."""

    def __init__(self, r: Random, names: Sequence[str]) -> None:
        self.r, self.names = r, (*names, *names, *TEXTS)

    def change(self, msg: Any, share: float) -> Any:
        """Replace a share of a message's fields, at any depth, and return it."""
        for name, kind in _fields(type(msg)):
            value = getattr(msg, name)
            if hasattr(value, 'get_fields_and_field_types'):
                self.change(value, share)
            elif self.r.random() < share:
                setattr(msg, name, self.value(kind, share))
            elif isinstance(value, list):
                for item in value:
                    if hasattr(item, 'get_fields_and_field_types'):
                        self.change(item, share)
        return msg

    def value(self, kind: str, share: float) -> Any:
        """Return a value of a type."""
        found = LIST.fullmatch(kind)
        if found:
            most = int(found['most'] or 4)
            count = int(found['count']) if found['count'] else self.r.randrange(most + 1)
            return [self.value(found['of'] or found['item'], share) for _ in range(count)]
        if kind.startswith(('string', 'wstring')):
            return self.r.choice(self.names)
        if kind in ('double', 'float'):
            number = self.r.choice((*NUMBERS, self.r.gauss(0.0, 1.0), self.r.gauss(0.0, 1.0)))
            return number if kind == 'double' or not abs(number) < 1e300 else min(
                max(number, -3e38), 3e38)
        if kind == 'boolean':
            return self.r.random() < 0.5
        if kind in WHOLE:
            top = 2 ** WHOLE[kind] - 1
            low = 0 if kind.startswith(('u', 'o', 'c')) else -top - 1
            whole = self.r.choice((0, 1, -1, 5, top, low, 1000))
            whole = min(max(whole, low), top)
            return bytes([whole]) if kind == 'octet' else whole
        package, _, name = kind.partition('/')
        return self.change(getattr(import_module(f'{package}.msg'), name)(), share)
