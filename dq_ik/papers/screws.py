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
"""The joints on the way from a base to a tip, placed in the base frame one by one."""

from __future__ import annotations

from typing import NamedTuple

from dq_ik.errors import ChainError
from dq_ik.papers.rotations import rotation
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import Joint, JointKind
import numpy as np

TURNS = (JointKind.REVOLUTE, JointKind.CONTINUOUS)


class Screw(NamedTuple):
    """
    One axis of motion in the base frame; it turns or slides, the other vector is zero.

    :param axis: unit axis of rotation
    :param direction: direction of travel
    :param origin: a point of the axis
    :param variable: index in the joint vector
    :param multiplier: of a mimic joint, otherwise 1
    """

    axis: np.ndarray
    direction: np.ndarray
    origin: np.ndarray
    variable: int
    multiplier: float


def on_path(chain: Chain, q: np.ndarray, tip: str | None = None) -> list[Screw]:
    """
    Return the axes of motion that carry a tip, base first ([Recipe] On-Path).

    A ball has three, the axes of its moved frame: its tangent space.
    """
    tip = chain.tips[chain.tip_number(tip)]
    x, screws = Pose.identity(), []
    for joint in chain.model.joint_path(chain.base, tip):
        x = x @ joint.origin
        if joint.kind is JointKind.FIXED:
            continue
        name = joint.mimic.joint if joint.mimic else joint.name
        if joint.kind is JointKind.BALL:
            x = x @ _turned(joint, q[_variable(chain, f'{name}.x'):][:3])
            screws += _ball(x, joint, _variable(chain, f'{name}.x'))
            continue
        if joint.kind is not JointKind.PRISMATIC and joint.kind not in TURNS:
            raise ChainError(f"joint '{joint.name}' is {joint.kind}; the textbook functions take "
                             'revolute, continuous, prismatic, fixed and ball joints')
        screw = _single(x, joint, _variable(chain, name))
        offset = joint.mimic.offset if joint.mimic else 0.0
        value = screw.multiplier * q[screw.variable] + offset
        turn = joint.kind in TURNS
        x = x @ Pose.exp((*np.zeros(3), *(value * np.array(joint.axis))) if turn
                         else (*(value * np.array(joint.axis)), *np.zeros(3)))
        screws.append(screw)
    return screws


def _variable(chain: Chain, name: str) -> int:
    return chain.joint_names.index(name)


def _single(x: Pose, joint: Joint, variable: int) -> Screw:
    axis = x.matrix[:3, :3] @ joint.axis
    multiplier = joint.mimic.multiplier if joint.mimic else 1.0
    if joint.kind is JointKind.PRISMATIC:
        return Screw(np.zeros(3), axis, x.position, variable, multiplier)
    return Screw(axis, np.zeros(3), x.position, variable, multiplier)


def _ball(x: Pose, joint: Joint, variable: int) -> list[Screw]:
    axes = (x.matrix[:3, :3] @ axis_frame(joint.axis)).T
    return [Screw(axis, np.zeros(3), x.position, variable + k, 1.0) for k, axis in enumerate(axes)]


def _turned(joint: Joint, w: np.ndarray) -> Pose:
    """Return the motion of a ball; its coordinates are in the frame whose z is the twist axis."""
    return Pose.exp((0.0, 0.0, 0.0, *(axis_frame(joint.axis) @ w)))


def axis_frame(axis: tuple[float, float, float]) -> np.ndarray:
    """Return the shortest rotation (3, 3) from z to a unit axis; about x where the axis is -z."""
    across = np.cross((0.0, 0.0, 1.0), axis)
    sine = float(np.linalg.norm(across))
    if sine < 1e-6:
        return np.eye(3) if axis[2] > 0.0 else np.diag((1.0, -1.0, -1.0))
    return rotation(across / sine, np.arctan2(sine, axis[2]))
