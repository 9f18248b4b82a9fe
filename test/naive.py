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
"""
A slow reference with 4x4 matrices, written from the definitions, without any kernel.

Matrix exponentials come from scipy, joint by joint as URDF defines them.
"""

from __future__ import annotations

from collections.abc import Mapping

from dq_ik.robot.model import Joint, JointKind, RobotModel
import numpy as np
from scipy.linalg import expm


def skew(v: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product ``v x p``."""
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def translation(t: np.ndarray) -> np.ndarray:
    """4x4 matrix of a translation."""
    T = np.eye(4)
    T[:3, 3] = t
    return T


def rotation(w: np.ndarray) -> np.ndarray:
    """4x4 matrix of the rotation ``exp(w)``."""
    T = np.eye(4)
    T[:3, :3] = expm(skew(w))
    return T


def axis_frame(axis: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) by the shortest way from z to a unit axis; about x where the axis is -z."""
    cross, cosine = np.cross((0, 0, 1), axis), axis[2]
    sine = np.linalg.norm(cross)
    if cosine < 0 and sine < 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    angle = np.arctan2(sine, cosine)
    return expm(skew(cross / sine * angle)) if sine > 0 else np.eye(3)


def motion(joint: Joint, values: Mapping[str, float]) -> np.ndarray:
    """4x4 matrix of what a joint does at the given values, named as in docs/notation.md."""
    name, axis = joint.name, np.array(joint.axis)

    def parts(*names: str) -> np.ndarray:
        return np.array([values[f'{name}.{part}'] for part in names])

    if joint.kind is JointKind.FIXED:
        return np.eye(4)
    if joint.kind is JointKind.FLOATING:
        return translation(parts('x', 'y', 'z')) @ rotation(parts('rx', 'ry', 'rz'))
    if joint.kind is JointKind.BALL:
        return rotation(axis_frame(axis) @ parts('x', 'y', 'z'))
    if joint.kind is JointKind.PLANAR:
        in_plane = axis_frame(axis) @ np.append(parts('x', 'y'), 0.0)
        return translation(in_plane) @ rotation(axis * values[f'{name}.theta'])
    value = values[name]
    if joint.mimic:
        value = joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
    move = translation if joint.kind is JointKind.PRISMATIC else rotation
    return move(axis * value)


def link_matrices(model: RobotModel, values: Mapping[str, float]) -> dict[str, np.ndarray]:
    """4x4 pose of every link in the root frame."""
    values = {**values, **{j.name: 0.0 for j in model.joints if j.mimic}}
    T = {model.root: np.eye(4)}
    for joint in model.joints:
        T[joint.child] = T[joint.parent] @ joint.origin.matrix @ motion(joint, values)
    return T


def twist_of(T_rate: np.ndarray, T: np.ndarray) -> np.ndarray:
    """World twist (velocity of the origin, angular velocity) of a moving frame."""
    spin = T_rate[:3, :3] @ T[:3, :3].T
    return np.array([*T_rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
