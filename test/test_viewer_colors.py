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
"""Words can be read, and states told apart, with and without colour vision."""

from __future__ import annotations

from itertools import combinations
import re

from dq_ik.stream.report import BEST_REACH, REACHED, Report, SIGNS, WAITING
from dq_ik.viewer.panel_html import ALARM, NORMAL, status_html, STYLE
import numpy as np
import pytest

STATES = {'reached': REACHED, 'best reach': BEST_REACH, 'waiting': WAITING}
# Colours as they are seen without one kind of cones (Machado, Oliveira and Fernandes, 2009).
BLINDNESS = {
    'protan': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    'deutan': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    'tritan': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
    'none': np.eye(3)}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
PANELS = {'dark': '#242424', 'light': '#ffffff'}


def linear(color) -> np.ndarray:
    """Return the light of an sRGB colour."""
    if isinstance(color, str):
        color = [int(color[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    c = np.asarray(color, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(one, two) -> float:
    """Return the contrast ratio of WCAG."""
    dark, light = sorted(float(XYZ[1] @ linear(color)) for color in (one, two))
    return (light + 0.05) / (dark + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """Return a colour in CIELAB."""
    ratio = XYZ @ np.clip(light, 0.0, 1.0) / XYZ.sum(axis=1)
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize('state', STATES)
def test_the_badge_can_be_read(state):
    text, = re.findall(r'\.badge \{[^}]*?\bcolor: #(\w+)', STYLE)
    assert contrast('#' + ''.join(2 * c for c in text), STATES[state]) > 4.5


@pytest.mark.parametrize('kind', BLINDNESS)
def test_states_and_bars_are_told_apart(kind):
    for one, two in [*combinations(STATES.values(), 2), (NORMAL, ALARM)]:
        seen = [lab(np.array(BLINDNESS[kind]) @ linear(color)) for color in (one, two)]
        assert np.linalg.norm(seen[0] - seen[1]) > 20.0


def test_warnings_can_be_read_on_light_and_dark():
    light, = re.findall(r'light"\] \{ --alarm: (#\w+)', STYLE)
    assert contrast(ALARM, PANELS['dark']) > 4.5
    assert contrast(light, PANELS['light']) > 4.5
    for color in (ALARM, NORMAL):
        for panel in PANELS.values():
            assert contrast(color, panel) > 2.8


def test_every_state_has_a_sign_of_its_own():
    assert len(set(SIGNS.values())) == 3
    for reached in SIGNS:
        assert f'data-sign="{SIGNS[reached]}"' in status_html(Report(reached), 0.0)
