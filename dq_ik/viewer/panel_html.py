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
"""The HTML of the panel: the answer of the solver, the motion, what is not drawn."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
import math
import time

from dq_ik.errors import listing
from dq_ik.stream.report import MotionReport, Report

NEAR_LIMIT = 0.02  # distance from a limit that is shown in red, as a fraction of the range
# The badge says so when no news have come for so long; without any, it is renewed so often [s].
SILENCE, BEAT = 6, 2.0
AT_LIMIT = 0.995  # share of a speed limit that is shown in red
NORMAL, ALARM = '#2b9ac2', '#f0703f'
# On a narrow screen viser's panel covers most of the scene, and cannot be folded up from here:
# there it becomes a strip at the bottom.
STYLE = """<style>
@media (max-width: 600px) {
  div[style*="max-height: 60%"] { max-height: max(14em, 29vh) !important;
    width: 100% !important }
  div[style*="width: 20em"] { width: 100% !important }
}
@keyframes lost { to { visibility: hidden; width: 0; padding: 0 } }
@keyframes found { from { visibility: hidden; width: 0; padding: 0 } }
.badge { display: inline-block; height: 1.75em; line-height: 1.75em; padding: 0 0.8em;
  border-radius: 0.9em; color: #000; font-weight: 600; overflow: hidden; white-space: nowrap;
  vertical-align: bottom }
[role="tab"] { padding-left: 0.6em !important; padding-right: 0.6em !important }
.badge::before { content: attr(data-sign) " " }
[role="tab"][aria-selected="true"] { color: var(--mantine-color-custom-outline) !important }
[data-mantine-color-scheme="light"] { --alarm: #b0360f }
:root[data-mantine-color-scheme="light"] { --mantine-color-dimmed: #495057 !important;
  --mantine-color-custom-outline: #0f6480 !important }
:root[data-mantine-color-scheme="dark"] { --mantine-color-dimmed: #a9a9a9 !important }
.mantine-Slider-markLabel, .mantine-Notification-description {
  color: var(--mantine-color-dimmed) !important }
[data-mantine-color-scheme="light"] canvas[data-engine] { background: #d9dfe5 }
</style>"""
STATUS = (
    '<div style="padding:0.2em 0.9em 0.4em 0.9em;font-size:0.85em;line-height:1.45">'
    '<span class="badge" style="background:rgb{color};animation:lost 0s {silence}s forwards" '
    'data-role="headline" data-sign="{sign}" data-beat="{beat}">{headline}</span>'
    '<span class="badge" data-sign="✕" style="background:#98a2ad;'
    'animation:found 0s {silence}s backwards">No connection</span>'
    '<span style="float:right" data-role="distance">tool {distance} from goal</span>'
    '<div style="margin-top:0.45em;min-height:1.45em" title="{details}">{message}</div>'
    '<div style="opacity:0.65">{numbers}</div></div>'
)
FLAWS = (
    '<div style="padding:0.4em 0.9em;font-size:0.8em;line-height:1.4;max-height:9em;'
    'overflow-y:auto;overflow-wrap:anywhere;border-left:0.3em solid #f0703f" data-role="flaws">'
    '{}</div>')
MOTION = (
    '<div style="padding:0.2em 0.9em;font-size:0.8em;line-height:1.45" data-role="motion">'
    '<div>{policy}<span style="float:right;font-weight:600">{phase}</span></div>{rows}'
    '<div style="min-height:1.45em;color:{color};overflow-wrap:anywhere" '
    'data-role="next-limit">{limit}</div></div>')
BAR = (
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


def status_html(report: Report, tool_distance: float) -> str:
    """
    Return a badge, the message and the numbers.

    What the message says in brackets is shown when the mouse rests on it. The browser itself
    takes the badge away when nothing renews it: the page may be dead.

    :param tool_distance: of the real tool from its goal [m]
    """
    numbers = '&nbsp;' if math.isnan(report.position_error) else (
        f'{_length(report.position_error)} and {_angle(report.rotation_error)} off &middot; '
        f'solved in {_time(report.solve_time)}')
    return STYLE + STATUS.format(
        color=tuple(round(255 * value) for value in report.color), headline=report.headline,
        sign=report.sign,
        silence=SILENCE, beat=int(time.monotonic() / BEAT),
        distance=_length(tool_distance), details=escape(report.message),
        message=escape(report.reason), numbers=numbers)


def motion_html(motion: MotionReport) -> str:
    """
    Return policy, phase, three bars and the next limit; a dash where something is not known.

    The bar of the margin is full at the centre of a joint's range; it turns red close to a limit.
    That of the speed turns red at the limit.
    """
    outlook = motion.outlook
    rows = (
        ('Margin', 'distance of the nearest joint limit, as a part of its range',
         outlook.margin if outlook.nearest else math.nan, 2.0, outlook.margin < NEAR_LIMIT),
        ('Speed', 'greatest joint speed, as a part of its limit', motion.speed, 1.0,
         motion.speed >= AT_LIMIT),
        ('Acceleration', 'greatest joint acceleration, as a part of its limit',
         motion.acceleration, 1.0, False))
    limit = outlook.sentence or (outlook.nearest and f'nearest limit: {outlook.nearest}')
    return MOTION.format(
        policy=f'policy {escape(motion.policy) or "&ndash;"}', phase=escape(motion.phase),
        rows=''.join(_share(*row) for row in rows), limit=escape(limit),
        color=f'var(--alarm, {ALARM})' if outlook.sentence else 'inherit')


def _share(name: str, title: str, share: float, scale: float, alarm: bool) -> str:
    """Return a row for a share of something; its bar is full at ``1 / scale``."""
    known = math.isfinite(share)
    return BAR.format(
        name=name, title=escape(title), left=0.0,
        width=100.0 * min(1.0, max(0.0, scale * share)) if known else 0.0,
        color=ALARM if alarm else NORMAL, value=f'{100.0 * share:.3g} %' if known else '&ndash;')


def flaw_sentences(flaws: Mapping[str, str]) -> list[str]:
    """Return one sentence per reason, with the files and links that share it."""
    names: dict[str, list[str]] = {}
    for name, reason in flaws.items():
        names.setdefault(reason, []).append(name)
    return [f'not drawn as the URDF says: {listing(files, 100)}: {reason}'
            for reason, files in names.items()]


def flaws_html(flaws: Mapping[str, str]) -> str:
    """Return what is not drawn, and why."""
    return FLAWS.format('<br>'.join(map(escape, flaw_sentences(flaws))))


def _length(metres: float) -> str:
    if not math.isfinite(metres):
        return '&ndash;'
    return f'{1e3 * metres:.2f} mm' if metres >= 1e-5 else f'{1e6 * metres:.2f} &micro;m'


def _angle(radians: float) -> str:
    if not math.isfinite(radians):
        return '&ndash;'
    if radians < 2e-4:
        return f'{1e6 * radians:.2f} &micro;rad'
    return f'{math.degrees(radians):.2f}&deg;'


def _time(seconds: float) -> str:
    if not math.isfinite(seconds):
        return '&ndash;'
    return f'{1e6 * seconds:.0f} &micro;s' if seconds < 1e-3 else f'{1e3 * seconds:.1f} ms'
