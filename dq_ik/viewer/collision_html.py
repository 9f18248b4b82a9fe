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
"""Distances as HTML: the nearest pair in words, and the legend of the colours."""

from __future__ import annotations

from html import escape

from dq_ik.collision.bands import BANDS, FARTHEST
from dq_ik.contact import Contact

BLOCK = ('<div style="padding:0.2em 0.9em;font-size:0.8em;line-height:1.5;'
         'overflow-wrap:anywhere" data-role="{role}">{text}</div>')
SWATCH = ('<span style="display:inline-block;width:0.9em;height:0.9em;border-radius:0.2em;'
          'vertical-align:-0.08em;margin-right:0.5em;border:1px solid rgba(128,128,128,0.6);'
          'background:{color}"></span>{words}<br>')


def sentence_html(text: str) -> str:
    """Return one sentence about the world or the bodies."""
    return BLOCK.format(role='world', text=escape(text)) if text else ''


def clearance_html(nearest: Contact | None) -> str:
    """
    Return the nearest pair and the legend.

    :param nearest: None: all are farther apart than the last band
    """
    words = str(nearest) if nearest else f'All bodies are {1e3 * FARTHEST:.0f} mm apart or more.'
    rows = ''.join(SWATCH.format(color=f'rgb{band.rgb}', words=band.words) for band in BANDS)
    return BLOCK.format(role='clearance', text=(
        f'<div style="font-weight:600;min-height:1.5em">{escape(words)}</div>{rows}'))
