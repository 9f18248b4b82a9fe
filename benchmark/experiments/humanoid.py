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

from . import bvh as capture
from . import motion
from .tracking import OWN, Tracker
from .. import robots

INTERVALS = (0.05, 0.7, 1.0)
BUDGET = 0.015
TRIAL, TRIALS = 50, 3  # iterations to learn how long one takes, and repetitions
MOST = 5000  # iterations per frame; a method that stops by itself before needs no more
PATIENCE = 2.0  # budgets after which iterations that were counted for one are cut off
PUBLISHED = ('transpose', 'transpose_buss', 'svd', 'dls', 'pls_paper', 'pgs_paper')
RESTARTED = ('dls', *OWN)


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return the squared errors of all frames by interval and method."""
    with tempfile.TemporaryDirectory() as folder:
        tracker = Tracker(robots.load('humanoid', Path(folder)))
    table = []
    variants = [(method, False) for method in PUBLISHED + OWN]
    variants += [(method, True) for method in RESTARTED]
    for interval in INTERVALS:
        goals, start = goals_of(tracker, interval, quick, bvh)
        for method, restarts in variants:
            progress(f'humanoid · {interval} s · {method}')
            table.append({'interval': interval, 'method': method, 'restarts': restarts}
                         | _measure(tracker, method, restarts, goals, start))
    return {'rows': table, 'source': bvh.name if bvh else 'own key poses'}


def goals_of(tracker: Tracker, interval: float, quick: bool, bvh: Path | None):
    """Return the goals of a motion sampled at an interval, and where to start."""
    if bvh:
        goals = capture.goals(capture.read(bvh), tracker, interval)
        return goals[:60 if quick else None], np.zeros(tracker.robot.dof)
    count = 25 if quick else 240
    q = motion.gymnastics(tracker.robot).sample(interval, count)
    return tracker.goals(q), q[0]


def _measure(tracker: Tracker, method: str, restarts: bool, goals: np.ndarray,
             start: np.ndarray) -> dict:
    """
    Follow the goals, 15 ms each.

    A published method gets as many iterations as fit into a frame. With restarts, what is left of
    the 15 ms after an attempt that failed goes into further ones, as for any solver of this
    project that is asked to jump.
    """
    options = {} if restarts else {'max_restarts': 0}
    if method not in OWN and not restarts:
        options['max_iterations'] = _iterations(tracker, method, goals, start)
        options['timeout'] = PATIENCE * BUDGET
    track = tracker.follow(method, goals, start, **{'timeout': BUDGET} | options)
    steps = np.abs(np.diff(track.q, axis=0)).max(axis=1)
    return {'squared_errors': track.squared_error.tolist(),
            'rotation_rms': float(np.sqrt((track.errors[:, :, 1] ** 2).mean())),
            'solved': int(track.solved.sum()), 'frames': len(goals),
            'median_us': float(np.median(track.seconds) * 1e6),
            'p99_us': float(np.percentile(track.seconds, 99) * 1e6),
            'iterations': float(track.iterations.mean()),
            'largest_step': float(steps.max())}


def _iterations(tracker: Tracker, method: str, goals: np.ndarray, start: np.ndarray) -> int:
    """
    Return how many iterations take as long as a frame lasts, as in the paper.

    An iteration is timed as the difference between a long and a short attempt at a far goal, so
    that what happens once per call does not count.
    """
    home = tracker.goals(start[None])[0]
    far = goals[np.linalg.norm((goals - home)[:, :, :3, 3], axis=(1, 2)).argmax()]

    def seconds(count: int) -> float:
        return min(tracker.follow(method, far[None], start, timeout=1.0, max_iterations=count,
                                  max_restarts=0).seconds[0] for _ in range(TRIALS))

    each = (seconds(3 * TRIAL) - seconds(TRIAL)) / (2 * TRIAL)
    return int(min(BUDGET / max(each, 1e-9), MOST))
