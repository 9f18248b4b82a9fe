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
"""Limits of the URDF itself, for many answers at once: joints, mimics and balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dq_ik.robot.chain import Chain
from dq_ik.robot.model import Joint, JointKind
import numpy as np

from .judge import value_of

FARTHEST = 1e9  # of any position [rad or m]


def check_joints(chain: Chain, q: np.ndarray, blame: Callable[..., None]) -> None:
    """
    Check the limits of the URDF at configurations (N, n).

    :param blame: is called with what is wrong, the row and the details
    """
    values = dict(zip(chain.joint_names, q.T))
    for joint in chain.model.joints:
        if joint.kind is JointKind.BALL and f'{joint.name}.x' in values:
            _check_ball(joint, np.stack([values[f'{joint.name}.{part}'] for part in 'xyz'], 1),
                        blame)
        if joint.kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            continue
        if (joint.mimic.joint if joint.mimic else joint.name) not in values:
            continue
        if joint.mimic and not _can_follow(chain, joint):
            continue
        value = value_of(joint, values)
        slack = 1e-12 * (np.abs(value) + 1.0) if joint.mimic else 0.0
        inside = (joint.lower - slack <= value) & (value <= joint.upper + slack)
        for row in np.flatnonzero(~inside):
            blame('a joint is outside its limits', int(row), joint.name, float(value[row]),
                  joint.lower, joint.upper)


def _can_follow(chain: Chain, joint: Any) -> bool:
    """
    Tell whether a mimic can move inside its limits while the joint that it follows does.

    Many files give a mimic the limits 0 and 0; such a mimic does not hold the other joint. Nor
    does one whose limits are met only where the other joint may not be, beyond FARTHEST.
    """
    number = chain.joint_names.index(joint.mimic.joint)
    ends = sorted(joint.mimic.multiplier * end + joint.mimic.offset
                  for end in (max(chain.lower[number], -FARTHEST),
                              min(chain.upper[number], FARTHEST))
                  if joint.mimic.multiplier)
    return bool(ends) and max(ends[0], joint.lower) < min(ends[1], joint.upper)


def _check_ball(joint: Joint, w: np.ndarray, blame: Callable[..., None]) -> None:
    """Check swing and twist of a ball (N, 3); its numbers are about its own axes, z the twist."""
    angle = np.linalg.norm(w, axis=1)
    half = 0.5 * angle
    s = np.where(angle > 0.0, np.sin(half) / np.where(angle > 0.0, angle, 1.0), 0.5)
    x, y, z = s * w.T
    swing = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(np.cos(half), z))
    twist = 2.0 * np.arctan2(z, np.cos(half))
    twist -= 2.0 * np.pi * np.round(twist / (2.0 * np.pi))
    for row in np.flatnonzero(~(swing <= joint.swing + 1e-7)):
        blame('a ball swings too far', int(row), joint.name, swing[row], joint.swing, w[row])
    near_pole = swing > np.pi - 1e-6
    inside = (joint.twist[0] - 1e-7 <= twist) & (twist <= joint.twist[1] + 1e-7)
    for row in np.flatnonzero(~(near_pole | inside | (np.abs(np.abs(twist) - np.pi) <= 1e-7))):
        blame('a ball twists too far', int(row), joint.name, twist[row], joint.twist, w[row])
