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
A judge of answers that uses no kernel: products of 4x4 matrices, for many answers at once.

It is written from the definitions in docs/notation.md and docs/solvers.md; ``test/naive.py`` says
the same for one answer, more slowly, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from dq_ik import Goal, IkOptions
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import Joint, JointKind
import numpy as np
from scipy.spatial.transform import Rotation

EPSILON = np.finfo(float).eps
NEAREST = 1e-9  # a point that is nearer to a tip has no direction from it [m]


def rotations(w: np.ndarray) -> np.ndarray:
    """Return the matrices (N, 3, 3) of rotation vectors (N, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(w, axis=1)
    x, y, z = (w / np.where(angle > 0.0, angle, 1.0)[:, None]).T
    zero = np.zeros_like(x)
    K = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    sine, versine = np.sin(angle), 2.0 * np.sin(0.5 * angle) ** 2
    return np.eye(3) + sine[:, None, None] * K + versine[:, None, None] * (K @ K)


def axis_frame(axis: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) by the shortest way from z to a unit axis; about x where the axis is -z."""
    cross = np.cross((0.0, 0.0, 1.0), axis)
    sine = float(np.linalg.norm(cross))
    if sine < 1e-12:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return rotations((cross / sine * math.atan2(sine, axis[2]))[None])[0]


def motions(joint: Joint, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """Return what a joint does (N, 4, 4) at the values (N,) of its variables."""
    T = np.tile(np.eye(4), (count, 1, 1))
    axis = np.array(joint.axis)

    def parts(*names: str) -> np.ndarray:
        return np.stack([values[f'{joint.name}.{part}'] for part in names], axis=1)

    if joint.kind is JointKind.FIXED:
        return T
    if joint.kind is JointKind.FLOATING:
        T[:, :3, 3], T[:, :3, :3] = parts('x', 'y', 'z'), rotations(parts('rx', 'ry', 'rz'))
    elif joint.kind is JointKind.BALL:
        T[:, :3, :3] = rotations(parts('x', 'y', 'z') @ axis_frame(axis).T)
    elif joint.kind is JointKind.PLANAR:
        T[:, :3, 3] = parts('x', 'y') @ axis_frame(axis)[:, :2].T
        T[:, :3, :3] = rotations(values[f'{joint.name}.theta'][:, None] * axis)
    elif joint.kind is JointKind.PRISMATIC:
        T[:, :3, 3] = value_of(joint, values)[:, None] * axis
    else:
        T[:, :3, :3] = rotations(value_of(joint, values)[:, None] * axis)
    return T


def value_of(joint: Joint, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the values of a joint that one number describes, also of a mimic."""
    if joint.mimic:
        return joint.mimic.multiplier * values[joint.mimic.joint] + joint.mimic.offset
    return values[joint.name]


class Judge:
    """The poses of a chain's tips at many configurations, and how exact they are."""

    def __init__(self, chain: Chain, q: np.ndarray) -> None:
        self.chain, count = chain, len(q)
        values = dict(zip(chain.joint_names, q.T))
        T = {chain.base: np.tile(np.eye(4), (count, 1, 1))}
        ways = [joint for tip in chain.tips for joint in chain.model.joint_path(chain.base, tip)]
        self.length, self.turn = np.zeros(count), np.full(count, 10.0 + len(ways))
        for joint in dict.fromkeys(ways):
            if joint.child in T:
                continue
            motion = motions(joint, values, count)
            T[joint.child] = T[joint.parent] @ joint.origin.matrix @ motion
            self.length += (np.linalg.norm(joint.origin.position)
                            + np.linalg.norm(motion[:, :3, 3], axis=1))
            if joint.mimic:
                self.turn += np.abs(value_of(joint, values)) + abs(joint.mimic.offset)
        for name in chain.joint_names:
            self.turn += 0.1 * np.abs(values[name])  # the next number is eps / 2 to eps away
        self.length += np.linalg.norm(chain.tool.position)
        self.pose = {tip: T[tip] @ chain.tool.matrix for tip in chain.tips}

    def slack(self, row: int) -> tuple[float, float]:
        """Return what rounding may do to a position and to an angle."""
        angle = 100.0 * EPSILON * self.turn[row]
        return angle * (1.0 + self.length[row]), angle

    def errors(self, goal: Goal, tip: str, row: int) -> tuple[float, float]:
        """Return the length of the position error and of the rotation error beyond their boxes."""
        x, target = self.pose[tip][row], goal.pose.matrix
        if goal.relative_to is not None:
            target = self.pose[goal.relative_to][row] @ target
        R, R_goal = x[:3, :3], target[:3, :3]
        e_p = target[:3, 3] - x[:3, 3]
        if goal.look_at is not None:
            u = np.array(goal.look_at) - x[:3, 3]
            e_r = _arc(R @ goal.axis, _unit(u, NEAREST + self.slack(row)[0]))
        elif goal.axis is not None:
            e_r = _arc(R @ goal.axis, R_goal @ goal.axis)
        else:
            e_r = _log(R_goal @ R.T)
        if goal.frame == 'goal':
            e_p, e_r = R_goal.T @ e_p, R_goal.T @ e_r
        return (_beyond(e_p, goal.position_weight, goal.position_tolerance),
                _beyond(e_r, goal.rotation_weight, goal.rotation_tolerance))


def pose_errors(x: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances and the angles (N,) between poses (N, 4, 4)."""
    R = target[:, :3, :3] @ x[:, :3, :3].transpose(0, 2, 1)
    v = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0],
                        R[:, 1, 0] - R[:, 0, 1]], axis=1)
    cosine = 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    return (np.linalg.norm(target[:, :3, 3] - x[:, :3, 3], axis=1),
            np.arctan2(np.linalg.norm(v, axis=1), cosine))


def tolerances(goal: Goal | None, options: IkOptions) -> tuple[float, float]:
    """Return the tolerances of a goal, None: of a pose, on the length of its errors."""
    p, r = (None, None) if goal is None else (goal.position_tolerance, goal.rotation_tolerance)
    return (p if isinstance(p, float) else options.position_tolerance,
            r if isinstance(r, float) else options.rotation_tolerance)


def goals_of(chain: Chain, goals: Any) -> dict[str, Goal]:
    """Return goals, given as for a solve, by tip."""
    if not isinstance(goals, (dict, list)):
        goals = [goals]
    pairs = goals.items() if isinstance(goals, dict) else zip(chain.tips, goals)
    return {tip: goal if isinstance(goal, Goal) else Goal(goal) for tip, goal in pairs}


def _beyond(error: np.ndarray, weight: Any, box: Any) -> float:
    allowed = np.array(box) if isinstance(box, tuple) else np.zeros(3)
    rest = np.maximum(np.abs(error) - allowed, 0.0)
    return float(np.linalg.norm(rest[np.array(weight) > 0.0]))


def _unit(v: np.ndarray, least: float) -> np.ndarray:
    length = float(np.linalg.norm(v))
    return v / length if length > least else np.zeros(3)


def _arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rotation vector of the shortest arc from a to b; zero where b has no direction."""
    if not b.any():
        return np.zeros(3)
    cross = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(cross)), float(a @ b)
    if sine < 1e-12:
        return np.zeros(3) if cosine > 0.0 else np.array([math.pi, 0.0, 0.0])
    return cross / sine * math.atan2(sine, cosine)


def _log(R: np.ndarray) -> np.ndarray:
    """Rotation vector of a matrix."""
    if not np.isfinite(R).all():
        return np.full(3, np.nan)
    return Rotation.from_matrix(R).as_rotvec()
