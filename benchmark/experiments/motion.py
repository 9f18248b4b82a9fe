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
"""Motions of our own: key poses of joints by name, joined by splines."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..robots import Robot

Pose = Mapping[str, float]  # joint: rad or m; ``*_knee`` means both sides, mirrored where needed
ODD_AXES = ('_x', '_z')  # the right side turns the other way about these


@dataclass(frozen=True)
class Motion:
    """A periodic motion in joint space; monotone splines never leave the range of the keys."""

    times: np.ndarray
    poses: np.ndarray

    def sample(self, interval: float, count: int) -> np.ndarray:
        """Return ``count`` configurations, ``interval`` seconds apart, cycle after cycle."""
        spline = PchipInterpolator(self.times, self.poses)
        return spline(np.arange(count) * interval % self.times[-1])


def through(robot: Robot, keys: Sequence[tuple[float, Pose]]) -> Motion:
    """Return the motion through key poses at given times [s]; joints not named are at zero."""
    poses = np.array([_vector(robot, pose) for _, pose in keys])
    return Motion(np.array([time for time, _ in keys]),
                  np.clip(poses, robot.lower, robot.upper))


def _vector(robot: Robot, pose: Pose) -> np.ndarray:
    q = np.zeros(robot.dof)
    for name, value in pose.items():
        if name.startswith('*'):
            sign = -1.0 if name.endswith(ODD_AXES) else 1.0
            q[robot.joints.index(f'left{name[1:]}')] = value
            q[robot.joints.index(f'right{name[1:]}')] = sign * value
        else:
            q[robot.joints.index(name)] = value
    return q


def _spine(bend: float = 0.0, twist: float = 0.0, lean: float = 0.0) -> Pose:
    """Spread a bend (y), a twist (z) and a lean (x) of the back over its five vertebrae."""
    return {f'spine_{i}_{axis}': total / 5.0 for i in range(1, 6)
            for axis, total in (('y', bend), ('z', twist), ('x', lean))}


STAND = {'*_shoulder_x': 0.1, '*_elbow': -0.15}
REACH_UP = {**_spine(-0.3), '*_shoulder_x': 2.7, '*_elbow': -0.1, '*_collar_x': 0.4, 'nod_y': -0.2,
            '*_ankle_y': 0.3, '*_toes': -0.3, 'move_z': 0.06}
SQUAT = {**_spine(0.6), '*_hip_y': -1.9, '*_knee': 2.3, '*_ankle_y': -0.45, 'move_z': -0.5,
         '*_shoulder_y': -1.4, '*_elbow': -0.2}
JUMP = {'move_z': 0.45, '*_shoulder_x': 1.6, '*_hip_x': 0.7, '*_ankle_y': 0.6, '*_toes': -0.2}
FOLD = {**_spine(1.2), '*_hip_y': -1.6, '*_shoulder_y': -1.8, 'nod_y': 0.2, 'turn_y': 0.1,
        'neck_1_y': 0.2}
LUNGE = {**_spine(0.1, twist=0.7), 'left_hip_y': -1.4, 'left_knee': 1.5, 'right_hip_y': 0.4,
         'right_knee': 0.5, 'right_ankle_y': -0.3, 'move_z': -0.35, 'move_x': 0.3,
         '*_shoulder_x': 1.5, 'turn_z': 0.4}
HANDSTAND = {'turn_y': 3.0, 'move_z': 0.25, 'move_x': 0.9, '*_shoulder_x': 2.8, '*_collar_x': 0.5,
             '*_wrist_x': 0.6, '*_ankle_y': 0.7, 'nod_y': -0.3}
SPLIT_HANDSTAND = {**HANDSTAND, 'left_hip_y': -1.3, 'right_hip_y': 0.4, 'right_knee': 0.6}
SIDE_BEND = {**_spine(lean=0.8), 'left_shoulder_x': 2.6, 'right_shoulder_x': -0.3, 'turn_x': 0.15,
             'move_y': 0.2, 'right_hip_x': -0.4, 'move_x': 0.4}


def gymnastics(robot: Robot) -> Motion:
    """Return twelve seconds of floor exercise for the humanoid."""
    return through(robot, [
        (0.0, STAND), (0.9, REACH_UP), (1.7, SQUAT), (2.2, JUMP), (2.8, SQUAT), (3.6, STAND),
        (4.5, FOLD), (5.3, LUNGE), (6.1, REACH_UP), (7.0, HANDSTAND), (7.7, SPLIT_HANDSTAND),
        (8.4, HANDSTAND), (9.3, FOLD), (10.1, SIDE_BEND), (11.0, SQUAT), (12.0, STAND)])


def _fingers(bend: float, spread: float = 0.0, skip: Sequence[str] = ()) -> Pose:
    """Bend all fingers but some; ``spread`` fans them out."""
    fan = {'index': 1.0, 'middle': 0.3, 'ring': -0.4, 'little': -1.0}
    pose = {}
    for name, side in fan.items():
        share = 0.0 if name in skip else bend
        pose |= {f'{name}_knuckle_y': 1.4 * share, f'{name}_bend': 1.7 * share,
                 f'{name}_tip_bend': 1.1 * share, f'{name}_knuckle_z': 0.3 * spread * side}
    return pose


def gestures(robot: Robot) -> Motion:
    """Return eight seconds of hand gestures: open, spread, fist, point, pinch, wave."""
    thumb_in = {'thumb_knuckle': -0.7, 'thumb_bend': 0.7, 'thumb_tip_bend': 0.8}
    return through(robot, [
        (0.0, {}), (0.8, _fingers(0.0, 1.0)), (1.8, _fingers(0.9) | thumb_in),
        (2.8, _fingers(0.9, skip=('index',)) | thumb_in | {'wrist_y': 0.4}),
        (3.8, _fingers(0.5) | {'thumb_knuckle': -0.4, 'thumb_bend': 0.4, 'wrist_x': 0.7}),
        (4.8, _fingers(0.1, 1.0) | {'wrist_z': 0.5}),
        (5.6, _fingers(0.1, 1.0) | {'wrist_z': -0.3}),
        (6.6, _fingers(0.8) | {'wrist_y': -0.8}), (8.0, {})])


def full_range(robot: Robot) -> Motion:
    """Return eight seconds of gestures in which every joint goes from limit to limit."""
    lower, upper = np.array(robot.lower), np.array(robot.upper)
    wrist = np.array([name.startswith('wrist') for name in robot.joints])
    spread = np.array([name.endswith('_z') for name in robot.joints])
    index = np.array([name.startswith('index') for name in robot.joints])
    open_hand, fist = np.where(wrist, 0.0, lower), np.where(wrist, 0.0, upper)
    point = np.where(index, open_hand, fist)
    fan = np.where(spread, np.where(index, lower, upper), open_hand)
    poses = [np.zeros(robot.dof), open_hand, fist, point, np.where(wrist, upper, fan),
             np.where(wrist, lower, fist), np.zeros(robot.dof)]
    return Motion(np.array([0.0, 1.2, 2.6, 3.8, 5.2, 6.8, 8.0]), np.array(poses))
