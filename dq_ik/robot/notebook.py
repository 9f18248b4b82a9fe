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
"""Tables of joints for notebooks: a bar shows where each one is between its limits."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dq_ik.robot.chain import Chain
    from dq_ik.robot.model import RobotModel

WIDTH = 160  # of a bar [px]
BAR = ('<div style="width:{width}px;height:0.7em;background:#8883;position:relative">'
       '<div style="position:absolute;left:{left:.1f}px;width:5px;height:100%;'
       'background:{colour}"></div></div>')
FREE, AT_LIMIT = '#0072b2', '#d55e00'  # told apart by all eyes; the text says it too
EDGE = 0.005  # of the range, within which a joint counts as at its limit


def robot_table(model: RobotModel) -> str:
    """Return the joints of a robot that move."""
    rows = [(escape(joint.name), str(joint.kind),
             f'{escape(joint.parent)} &rarr; {escape(joint.child)}',
             _range(joint.lower, joint.upper)) for joint in model.joints if joint.variables]
    return _table(repr(model), ('joint', 'kind', 'links', 'limits [rad or m]'), rows)


def chain_table(chain: Chain) -> str:
    """Return the variables of a chain; the bars show where home is."""
    return _chain(repr(chain), chain, chain.neutral, 'home')


def result_table(chain: Chain, q: np.ndarray, message: str) -> str:
    """Return the joints of an answer."""
    return _chain(message, chain, q, 'position')


def _chain(title: str, chain: Chain, q: np.ndarray, what: str) -> str:
    rows = [(escape(v.name), f'{value:.4f}', bar(value, v.lower, v.upper),
             _range(v.lower, v.upper)) for v, value in zip(chain.variables, q.tolist())]
    return _table(title, ('joint', f'{what} [rad or m]', '', 'limits'), rows)


def bar(value: float, lower: float, upper: float) -> str:
    """Return a bar with a mark where a value is in its range; a joint without limits has none."""
    if not math.isfinite(upper - lower) or upper <= lower:
        return ''
    share = min(max((value - lower) / (upper - lower), 0.0), 1.0)
    at_limit = not EDGE < share < 1.0 - EDGE
    return BAR.format(width=WIDTH, left=share * (WIDTH - 5),
                      colour=AT_LIMIT if at_limit else FREE) + ('at its limit' * at_limit)


def _range(lower: float, upper: float) -> str:
    return f'{lower:.4g} .. {upper:.4g}' if math.isfinite(upper - lower) else 'none'


def _table(title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    head = ''.join(f'<th style="text-align:left">{heading}</th>' for heading in headings)
    body = ''.join('<tr>' + ''.join(f'<td style="text-align:left">{cell}</td>' for cell in row)
                   + '</tr>' for row in rows)
    return (f'<div><p>{escape(title)}</p><table><thead><tr>{head}</tr></thead>'
            f'<tbody>{body}</tbody></table></div>')
