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

A gymnastics-like motion is sampled at three intervals. The goals are positions, as in the paper,
then whole poses. The summed squared error of the end effectors is compared for the Jacobian
transpose, the SVD inverse whose result is projected onto the limits, the projected line search,
and Gauss-Seidel. Every method has the same 15 ms.
"""
from __future__ import annotations

from pathlib import Path
import tempfile

import numpy as np

from . import bvh as capture
from . import motion
from .tracking import BUDGET, EXACT, Kind, OWN, PUBLISHED, Tracker
from .. import robots

INTERVALS = (0.05, 0.7, 1.0)
KINDS: tuple[Kind, ...] = ('positions', 'poses')
RESTARTED = ('dls', *OWN)


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return the squared errors of all frames by kind of goal, interval and method."""
    with tempfile.TemporaryDirectory() as folder:
        tracker = Tracker(robots.load('humanoid', Path(folder)))
    table = []
    variants = [(method, False) for method in PUBLISHED + OWN]
    variants += [(method, True) for method in RESTARTED]
    for interval in INTERVALS:
        goals, start = goals_of(tracker, interval, quick, bvh)
        for kind in KINDS:
            for method, restarts in variants:
                progress(f'humanoid · {kind} · {interval} s · {method}')
                table.append({'goals': kind, 'interval': interval, 'method': method,
                              'restarts': restarts}
                             | _measure(tracker, method, restarts, kind, goals, start))
    table.sort(key=lambda row: KINDS.index(row['goals']))
    return {'rows': table, 'source': bvh.name if bvh else 'own key poses'}


def goals_of(tracker: Tracker, interval: float, quick: bool, bvh: Path | None):
    """Return the goals of a motion sampled at an interval, and where to start."""
    if bvh:
        goals = capture.goals(capture.read(bvh), tracker, interval)
        return goals[:60 if quick else None], np.zeros(tracker.robot.dof)
    count = 40 if quick else 240
    q = motion.gymnastics(tracker.robot).sample(interval, count)
    return tracker.goals(q), q[0]


def _measure(tracker: Tracker, method: str, restarts: bool, kind: Kind, goals: np.ndarray,
             start: np.ndarray) -> dict:
    """Follow the goals, 15 ms each, by one attempt or with the default restarts."""
    options = {} if restarts else {'max_restarts': 0}
    track = tracker.follow(method, goals, start, kind=kind, tolerance=EXACT, timeout=BUDGET,
                           **options)
    steps = np.abs(np.diff(track.q, axis=0)).max(axis=1)
    return {'squared_errors': track.squared_error.tolist(),
            'rotation_rms': float(np.sqrt((track.errors[:, :, 1] ** 2).mean())),
            'solved': int(track.solved.sum()), 'frames': len(goals),
            'median_us': float(np.median(track.seconds) * 1e6),
            'p99_us': float(np.percentile(track.seconds, 99) * 1e6),
            'iterations': float(track.iterations.mean()),
            'largest_step': float(steps.max())}
