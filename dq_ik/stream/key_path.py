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
"""The motion through key poses: goals between them, and the joints that follow these goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
import math

from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.stream.joint_goal import usual_speeds
from dq_ik.stream.key_poses import KeyPose, KeyPoseError
from dq_ik.stream.path import eased, Path
from dq_ik.stream.tracker import Tracker
import numpy as np

SHORTEST = 0.4  # time from one key pose to the next, at full speed [s]
PEAK = 1.5  # greatest speed of a part, as a multiple of its mean: that of ``eased``
PERIOD = 0.02  # between two rows of a recorded motion [s]
MOST_ROWS = 100_000  # of a recorded motion


@dataclass(frozen=True)
class KeyPath:
    """
    Goals that go from key pose to key pose, each along one screw, and rest at each.

    A tip that has the same goal in two key poses stays there between them: it is pinned.

    :param times: when each key pose is met [s], ascending from 0
    :param is_closed: begin again after the last one, which must equal the first
    """

    poses: Sequence[KeyPose]
    times: Sequence[float]
    is_closed: bool = False

    @classmethod
    def through(cls, chain: Chain, poses: Sequence[KeyPose], speed: float = 1.0,
                is_closed: bool = False) -> KeyPath:
        """
        Return a path that takes as much time as the joints need.

        :param speed: share of the joints' speed limits
        :param is_closed: go on from the last key pose to the first, and so on
        :raises KeyPoseError: if there are fewer than two
        """
        if len(poses) < 2:
            raise KeyPoseError(f'a motion needs two key poses, there are {len(poses)}')
        if is_closed:
            poses = [*poses, poses[0]]
        most = usual_speeds(chain)
        spans = [max(SHORTEST, PEAK * float(np.max(
            np.abs(b.q(chain) - a.q(chain)) / most, initial=0.0))) / speed
            for a, b in pairwise(poses)]
        return cls(tuple(poses), tuple(accumulate(spans, initial=0.0)), is_closed)

    @property
    def duration(self) -> float:
        """Time after which the goals rest [s]."""
        return math.inf if self.is_closed else self.times[-1]

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip that both key poses around this moment have."""
        if self.is_closed:
            time %= self.times[-1]
        last = len(self.poses) - 2
        part = min(int(np.searchsorted(self.times, time, side='right')) - 1, last)
        part = max(part, 0)
        start, end = self.times[part], self.times[part + 1]
        share = eased((time - start) / (end - start))
        before, after = self.poses[part].goals, self.poses[part + 1].goals
        return {tip: before[tip].interpolate(after[tip], share)
                for tip in before if tip in after}


@dataclass(frozen=True)
class After:
    """One path, then another."""

    first: Path
    second: Path

    @property
    def duration(self) -> float:
        """Time after which the goals rest [s]."""
        return self.first.duration + self.second.duration

    def goals(self, time: float) -> dict[str, Pose]:
        """Return the goal of each tip."""
        rest = time - self.first.duration
        return self.first.goals(time) if rest < 0.0 else self.second.goals(rest)


def record(chain: Chain, path: KeyPath) -> tuple[np.ndarray, np.ndarray]:
    """
    Follow one round of a path as the page does, and return times (N,) and joint vectors (N, n).

    It begins at the joints of the first key pose.
    """
    count = math.floor(path.times[-1] / PERIOD) + 2
    if count > MOST_ROWS:
        raise KeyPoseError(f'the motion takes {path.times[-1]:.0f} s; at most '
                           f'{MOST_ROWS * PERIOD:.0f} s are recorded')
    times = np.minimum(PERIOD * np.arange(count), path.times[-1])
    tracker = Tracker(chain, q=path.poses[0].q(chain))
    rows = [tracker.command]
    for time in times[1:].tolist():
        now = min(time, math.nextafter(path.times[-1], 0.0))  # a closed path ends at its start
        for tip, goal in path.goals(now).items():
            tracker.set_goal(tip, goal, time)
        tracker.tick(time, PERIOD)
        rows.append(tracker.command)
    return times, np.array(rows)


def motion_text(chain: Chain, path: KeyPath) -> str:
    """Return one round of a path as CSV, with a column for each joint of the URDF."""
    times, rows = record(chain, path)
    return csv_text(chain.angles.names, times, np.array([chain.angles.of(q) for q in rows]))


def csv_text(names: Sequence[str], times: np.ndarray, q: np.ndarray) -> str:
    """Return a motion as CSV: a row of names, then time [s] and joint values [rad or m]."""
    rows = [','.join(f'{value:.6g}' for value in row) for row in np.column_stack([times, q])]
    return '\n'.join([','.join(['time', *map(_cell, names)]), *rows, ''])


def _cell(text: str) -> str:
    """Return a text as a cell of CSV."""
    return '"{}"'.format(text.replace('"', '""')) if any(c in text for c in ',"\n') else text
