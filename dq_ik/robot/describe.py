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
"""Tables of joints for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import TYPE_CHECKING

from dq_ik.robot.model import Joint, JointKind
import numpy as np

if TYPE_CHECKING:
    from dq_ik.robot.joint_table import Variable

HEADINGS = ('joint', 'kind', 'parent', 'child', 'xyz [m]', 'rpy [rad]', 'axis',
            'limits [rad | m]', 'speed', 'follows')


def joint_rows(joints: Iterable[Joint]) -> list[tuple[str, ...]]:
    """Return one row of words per joint, in the order of ``HEADINGS``."""
    return [_row(joint) for joint in joints]


def _row(joint: Joint) -> tuple[str, ...]:
    has_axis = joint.kind not in (JointKind.FIXED, JointKind.FLOATING)
    members = f" of {', '.join(joint.made_of.names)}" if joint.made_of else ''
    return (joint.name, f'{joint.kind}{members}', joint.parent, joint.child,
            _numbers(joint.origin.position), _numbers(joint.origin.rpy),
            _numbers(joint.axis) if has_axis else '', _limits(joint),
            _number(joint.velocity) if math.isfinite(joint.velocity) else '', _mimic(joint))


def joint_table(joints: Iterable[Joint]) -> str:
    """Return the rows as text with aligned columns; columns without any entry are left out."""
    return text_table(HEADINGS, joint_rows(joints))


def text_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align cells in columns below their headings, leaving out empty columns."""
    columns = [column for column in zip(headings, *rows) if any(column[1:])] or [tuple(headings)]
    widths = [max(map(len, column)) for column in columns]
    lines = ['  '.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
             for line in zip(*columns)]
    return '\n'.join([lines[0], '-' * max(map(len, lines)), *lines[1:]])


def variable_table(variables: Sequence[Variable]) -> str:
    """Return the limits and speeds of variables as text."""
    width = max([len(variable.name) for variable in variables] + [8])
    lines = [f"{'variable':<{width}}  {'lower':>9} {'upper':>9} {'velocity':>9}"]
    for v in variables:
        lines.append(f'{v.name:<{width}}  {v.lower:>9.4f} {v.upper:>9.4f} {v.velocity:>9.4f}')
    return '\n'.join(lines)


def _limits(joint: Joint) -> str:
    if joint.kind is JointKind.BALL:
        low, high = (_number(t) for t in joint.twist)
        swing = ' by '.join(_number(half) for half in np.atleast_1d(joint.swing))
        return f'swing {swing}, twist {low} .. {high}'
    if joint.kind is JointKind.FIXED:
        return ''
    if not joint.is_limited:
        return 'none'
    return f'{_number(joint.lower)} .. {_number(joint.upper)}'


def _mimic(joint: Joint) -> str:
    if joint.mimic is None:
        return ''
    offset = f' {joint.mimic.offset:+.4g}' if joint.mimic.offset else ''
    return f'{joint.mimic.multiplier:.4g} {joint.mimic.joint}{offset}'


def _number(value: float) -> str:
    return f'{value + 0.0:.4g}' if abs(value) >= 5e-5 else '0'


def _numbers(values: Iterable[float]) -> str:
    return ' '.join(_number(float(v)) for v in values)
