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

"""Joint values against their limits, as a small table of bars in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
import math

from dq_ik.robot.model import Joint, JointKind

NEAR_LIMIT = 0.02
NORMAL, ALARM = '#2b9ac2', '#e2603a'
ROW = (
    '<div style="display:flex;align-items:center;gap:0.6em;margin:0.18em 0">'
    '<span style="flex:0 0 36%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap" '
    'title="{title}">{name}</span>'
    '<span style="flex:1;height:0.5em;border-radius:0.25em;position:relative;'
    'background:rgba(128,128,128,0.28)">'
    '<span style="position:absolute;left:{left:.1f}%;width:{width:.1f}%;height:100%;'
    'border-radius:0.25em;background:{color}"></span></span>'
    '<span style="flex:0 0 21%;text-align:right;white-space:nowrap;'
    'font-variant-numeric:tabular-nums">{value}</span>'
    '</div>'
)


def joint_bars(joints: Iterable[Joint], positions: Mapping[str, float]) -> str:
    """
    Return one row per joint: name, bar within the limits, value.

    The bar starts at zero, or at the nearest limit, and turns red close to a limit.

    :param positions: joint name to position [rad or m]; joints without one are left out
    """
    rows = [_row(joint, positions[joint.name]) for joint in joints if joint.name in positions]
    return (
        '<div style="padding:0.2em 0.9em;font-size:0.8em;max-height:19em;overflow-y:auto">'
        f'{"".join(rows)}</div>'
    )


def fraction(joint: Joint, position: float) -> float:
    """Return where a position lies between the limits: 0 at the lower, 1 at the upper one."""
    lower, upper = _range(joint)
    if upper <= lower:
        return 0.5
    return min(1.0, max(0.0, (position - lower) / (upper - lower)))


def _row(joint: Joint, position: float) -> str:
    lower, upper = _range(joint)
    at = fraction(joint, position)
    zero = fraction(joint, 0.0)
    alarm = joint.is_limited and min(at, 1.0 - at) < NEAR_LIMIT
    return ROW.format(
        name=escape(joint.name),
        title=escape(f'{joint.name}: {_value(joint, lower)} to {_value(joint, upper)}'),
        left=100.0 * min(at, zero),
        width=max(1.5, 100.0 * abs(at - zero)),
        color=ALARM if alarm else NORMAL,
        value=_value(joint, position),
    )


def _range(joint: Joint) -> tuple[float, float]:
    turn = 1.0 if joint.kind is JointKind.PRISMATIC else math.pi
    lower = joint.lower if math.isfinite(joint.lower) else -turn
    upper = joint.upper if math.isfinite(joint.upper) else turn
    return lower, upper


def _value(joint: Joint, position: float) -> str:
    if joint.kind is JointKind.PRISMATIC:
        return f'{1e3 * position:.1f} mm' if abs(position) < 1.0 else f'{position:.3f} m'
    return f'{math.degrees(position):.1f}&deg;'
