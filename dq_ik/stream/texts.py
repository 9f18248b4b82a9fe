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
"""Joint values and poses as texts that people type and copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
import math
import re

from dq_ik.errors import PoseError
from dq_ik.pose import Pose
import numpy as np

LIST, YAML, JOINT_STATE = FORMS = ('list', 'YAML', 'JointState')
RPY_DEGREES, RPY, XYZW, WXYZ = ROTATIONS = (
    'roll pitch yaw [deg]', 'roll pitch yaw [rad]', 'quaternion x y z w', 'quaternion w x y z')
PLAIN_WORD = re.compile(r'[A-Za-z_][\w./-]*')
# Words that YAML reads as something else than a text.
NO_WORDS = ('y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null')
LARGEST = 1e9  # number that is taken: browsers have single precision
SEPARATORS = re.compile(r'[\s,;()\[\]]+')


def joints_text(positions: Mapping[str, float], form: str) -> str:
    """
    Return joint values as somebody pastes them into code, a file or ``ros2 topic pub``.

    :param form: one of FORMS
    """
    names, values = [_word(name) for name in positions], numbers_text(list(positions.values()))
    if form == LIST:
        return f'[{values}]'
    if form == YAML:
        return '\n'.join(map('{}: {}'.format, names, values.split(', ')))
    return f'{{name: [{", ".join(names)}], position: [{values}]}}'


def numbers_text(numbers: Sequence[float] | np.ndarray, digits: int = 9) -> str:
    """
    Return numbers with commas between them.

    There is no minus zero and no exponent: YAML reads ``1e-07`` as a text.
    """
    words = (f'{round(float(number), digits) + 0.0:.{digits}f}'.rstrip('0') for number in numbers)
    return ', '.join(f'{word}0' if word.endswith('.') else word for word in words)


def pose_texts(pose: Pose, rotation: str) -> tuple[str, str]:
    """
    Return position [m] and rotation as texts that :func:`parse_pose` reads.

    :param rotation: one of ROTATIONS
    """
    w, *xyz = pose.quaternion.tolist()
    numbers = {RPY_DEGREES: np.degrees(pose.rpy), RPY: pose.rpy, XYZW: (*xyz, w),
               WXYZ: (w, *xyz)}[rotation]
    return numbers_text(pose.position, 6), numbers_text(numbers, 6)


def parse_pose(position: str, rotation: str, kind: str) -> Pose:
    """
    Return the pose that two texts mean.

    :param kind: what the rotation is, one of ROTATIONS
    :raises PoseError: that names the bad text and what would be right
    """
    xyz = parse_numbers(position, 3, 'the position', 'x, y, z in metres')
    if kind in (RPY, RPY_DEGREES):
        rpy = parse_numbers(rotation, 3, 'the rotation', kind)
        return Pose.from_xyz_rpy(xyz, [math.radians(angle) for angle in rpy]
                                 if kind == RPY_DEGREES else rpy)
    numbers = parse_numbers(rotation, 4, 'the rotation', kind)
    return (Pose.from_xyz_xyzw if kind == XYZW else Pose.from_xyz_wxyz)(xyz, numbers)


def tool_text(tool: Pose) -> str:
    """Return a tool in its tip as a text that :func:`parse_tool` reads."""
    xyz, rpy = pose_texts(tool, RPY_DEGREES)
    return f'{xyz}, {rpy}' if tool.rpy.any() else xyz


def parse_tool(text: str) -> Pose:
    """
    Return a tool as a text says it: x, y, z [m], and roll, pitch, yaw [deg] if it is turned.

    :param text: an empty one is no tool
    :raises PoseError: that names the bad text and what would be right
    """
    count = len([word for word in SEPARATORS.split(text) if word])
    numbers = parse_numbers(text, count if count in (0, 3, 6) else 3, 'the tool',
                            'x, y, z in metres, or 6 with roll, pitch, yaw in degrees')
    return Pose.from_xyz_rpy(numbers[:3] or (0.0, 0.0, 0.0),
                             [math.radians(angle) for angle in numbers[3:] or (0.0, 0.0, 0.0)])


def parse_numbers(text: str, count: int, what: str, wanted: str) -> list[float]:
    """
    Return the numbers of a text, however they are separated.

    :param what: they are, and what is ``wanted``, for the error
    :raises PoseError: that names the bad text and what would be right
    """
    try:
        numbers = [float(word) for word in SEPARATORS.split(text) if word]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise PoseError(f'{what} is {text!r}; wanted: '
                        f'{count} number{"s"[:count != 1]}, {wanted}')
    if max(map(abs, numbers), default=0.0) > LARGEST:
        raise PoseError(f'{what} is {text!r}; no number may be beyond {LARGEST:g}')
    return numbers


def _word(name: str) -> str:
    """Return a name as YAML reads it back."""
    plain = PLAIN_WORD.fullmatch(name) and name.lower() not in NO_WORDS
    return name if plain else json.dumps(name)
