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
Dead ends: the time after which a stream will lose its goals.

The goals are extrapolated, and the steps to come are tried on a copy of the stream. So whatever
ends the way is seen: a limit, the end of the reach, a singularity, the speed of a joint.
"""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

from dq_ik.core.memory.layout import SAMPLES
from dq_ik.errors import DqIkError
from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.stream.steps import Steps
import numpy as np

STEP, COUNT = 0.03, 10  # time between two tries [s], and how many there are
SPACING = 0.03  # of the goals through which a motion is laid, at least [s]
OLDEST = 0.5  # of them [s]
STANDS = 1e-6  # a goal that moves less does not move [m and rad]


def time_to_loss(steps: Steps, goals: Any) -> float:
    """
    Return the time after which the goals are no longer met, infinite if none is in sight [s].

    :param goals: of the last step, as they were given to it
    """
    now = list(goals) if isinstance(goals, list) else [goals]
    motions = [_motion(steps, tip) if isinstance(goal, Pose) or goal.asks_for_pose else None
               for tip, goal in enumerate(now)]
    if all(motion is None for motion in motions):
        return math.inf
    trial = steps.trial()
    for count in range(1, COUNT + 1):
        later = [_moved_on(goal, motion, count * STEP) for goal, motion in zip(now, motions)]
        if not _meets(trial, later if isinstance(goals, list) else later[0]):
            return (count - 1) * STEP
    return math.inf


def _meets(trial: Steps, goals: Any) -> bool:
    """Tell whether a step meets its goals; goals that have left the world are not met."""
    try:
        return trial.step(goals, STEP).success
    except DqIkError:
        return False


def _motion(steps: Steps, tip: int) -> np.ndarray | None:
    """
    Return the motion of a goal: the coefficients of a cubic twist, from t on.

    It goes through the newest goal and three of the past. None: the goal stands, or they are few.
    """
    times, poses = _nodes(steps, tip)
    if len(times) < 4:
        return None
    here = poses[0].inverse()
    twists = np.array([(pose @ here).log() for pose in poses[1:]])
    if np.abs(twists).max() < STANDS:
        return None
    return np.linalg.solve(np.power.outer(times[1:], (1, 2, 3)), twists)


def _nodes(steps: Steps, tip: int) -> tuple[np.ndarray, list[Pose]]:
    """Return times before now and poses of the newest goal and up to three older ones."""
    state = steps.state
    poses = np.reshape(state.sample, (SAMPLES, -1, 8))[:, tip]
    newest = int(state.n_samples[0]) - 1
    if newest < 0:
        return np.empty(0), []
    now = float(state.sample_time[newest % SAMPLES])
    times, rows = [0.0], [newest % SAMPLES]
    for count in range(max(newest - SAMPLES + 1, 0), newest)[::-1]:
        time = float(state.sample_time[count % SAMPLES]) - now
        if len(times) < 4 and -OLDEST <= time <= times[-1] - SPACING:
            times.append(time)
            rows.append(count % SAMPLES)
    return np.array(times), [Pose(poses[row, :4], poses[row, 4:]) for row in rows]


def _moved_on(goal: Goal | Pose, motion: np.ndarray | None, time: float) -> Goal | Pose:
    """Return a goal as it will be."""
    if motion is None:
        return goal
    moved = Pose.exp(np.array([time, time ** 2, time ** 3]) @ motion)
    return replace(goal, pose=moved @ goal.pose) if isinstance(goal, Goal) else moved @ goal
