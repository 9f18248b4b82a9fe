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
The human of [ProjectedLineSearch]: 71 degrees of freedom, six end effectors, 15 ms per frame.

A gymnastics-like motion is sampled at three intervals; the summed squared error of the end
effectors is compared for the Jacobian transpose, the SVD inverse whose result is projected onto
the limits, the projected line search, and Gauss-Seidel.
"""
from __future__ import annotations

from pathlib import Path
import tempfile

import numpy as np

from .. import robots
from . import bvh as capture
from . import motion
from .tracking import Tracker

INTERVALS = (0.05, 0.7, 1.0)
BUDGET = 0.015
METHODS = ('transpose', 'transpose_buss', 'svd', 'dls', 'pls_paper', 'pgs_paper', 'pls', 'pgs')
TRIAL = 100  # iterations to learn how long one takes
OWN = ('pls', 'pgs')  # they stop by themselves


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return the squared errors of all frames by interval and method."""
    with tempfile.TemporaryDirectory() as folder:
        tracker = Tracker(robots.load('humanoid', Path(folder)))
    table = []
    for interval in INTERVALS:
        goals, start = _goals(tracker, interval, quick, bvh)
        for method in METHODS:
            progress(f'humanoid · {interval} s · {method}')
            table.append({'interval': interval, 'method': method}
                         | _measure(tracker, method, goals, start))
    return {'rows': table, 'source': bvh.name if bvh else 'own key poses'}


def _goals(tracker: Tracker, interval: float, quick: bool, bvh: Path | None):
    """Return the goals of a motion sampled at an interval, and where to start."""
    if bvh:
        goals = capture.goals(capture.read(bvh), tracker, interval)
        return goals[:60 if quick else None], np.zeros(tracker.robot.dof)
    count = 25 if quick else 240
    q = motion.gymnastics(tracker.robot).sample(interval, count)
    return tracker.goals(q), q[0]


def _measure(tracker: Tracker, method: str, goals: np.ndarray, start: np.ndarray) -> dict:
    iterations = {} if method in OWN else {
        'max_iterations': _iterations(tracker, method, goals, start)}
    track = tracker.follow(method, goals, start, timeout=BUDGET, **iterations)
    steps = np.abs(np.diff(track.q, axis=0)).max(axis=1)
    return {'squared_errors': track.squared_error.tolist(),
            'rotation_rms': float(np.sqrt((track.errors[:, :, 1] ** 2).mean())),
            'solved': int(track.solved.sum()), 'frames': len(goals),
            'median_us': float(np.median(track.seconds) * 1e6),
            'p99_us': float(np.percentile(track.seconds, 99) * 1e6),
            'iterations': float(track.iterations.mean()),
            'largest_step': float(steps.max())}


def _iterations(tracker: Tracker, method: str, goals: np.ndarray, start: np.ndarray) -> int:
    """Return how many iterations take about as long as a frame lasts, as in the paper."""
    far = goals[len(goals) // 2]
    trials = [tracker.follow(method, far[None], start, timeout=BUDGET, max_iterations=TRIAL)
              for _ in range(5)]
    return max(1, int(BUDGET / min(trial.seconds[0] / max(trial.iterations[0], 1)
                                   for trial in trials)))
