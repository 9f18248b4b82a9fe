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
The hand of [Kenwright2022]: 22 degrees of freedom, five fingertips with a pose each.

Small motions (gestures at 60 Hz), large motions (a jump to another gesture each frame), and
fingertips out of reach, held still and moved out and back: is the answer steady?
"""
from __future__ import annotations

from pathlib import Path
import tempfile

import numpy as np

from . import motion
from .tracking import Track, Tracker
from .. import robots
from ..protocol import trace

METHODS = ('pgs', 'pls', 'pgs_paper', 'pls_paper')
TOLERANCE = (1e-4, 1e-3)  # a tenth of a millimetre, a milliradian


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return rows of the table: method, motion, iterations, time, solved, unrest."""
    with tempfile.TemporaryDirectory() as folder:
        tracker = Tracker(robots.load('hand', Path(folder)))
    rows = []
    for method in METHODS:
        progress(f'hand · {method}')
        rows += [_small(tracker, method, quick), _large(tracker, method, quick),
                 _held(tracker, method, quick), _out_and_back(tracker, method, quick)]
    return {'rows': rows}


def _small(tracker: Tracker, method: str, quick: bool) -> dict:
    q = motion.gestures(tracker.robot).sample(1.0 / 60.0, 240 if quick else 2400)
    return _row(method, 'small: gestures at 60 Hz',
                _follow(tracker, method, tracker.goals(q), q[0]))


def _large(tracker: Tracker, method: str, quick: bool) -> dict:
    q = motion.gestures(tracker.robot).sample(1.37, 40 if quick else 400)
    return _row(method, 'large: another gesture each frame',
                _follow(tracker, method, tracker.goals(q), q[0]))


def _held(tracker: Tracker, method: str, quick: bool) -> dict:
    """Hold all fingertips 5 cm away from a bent hand; movement after settling is jitter."""
    goals = _pulled(tracker, np.full(200 if quick else 1000, 0.05))
    track = _follow(tracker, method, goals, np.zeros(tracker.robot.dof))
    settled = track.q[len(track.q) // 2:]
    return _row(method, 'out of reach, held', track) | {
        'jitter': float(np.ptp(settled, axis=0).max())}


def _out_and_back(tracker: Tracker, method: str, quick: bool) -> dict:
    """Pull the fingertips smoothly out of reach and back."""
    count = 200 if quick else 1000
    goals = _pulled(tracker, 0.025 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, count))))
    return _row(method, 'out of reach and back',
                _follow(tracker, method, goals, bent(tracker)))


def _follow(tracker: Tracker, method: str, goals: np.ndarray, start: np.ndarray) -> Track:
    return tracker.follow(method, goals, start, tolerance=TOLERANCE, timeout=1.0 / 60.0,
                          max_restarts=0)


def bent(tracker: Tracker) -> np.ndarray:
    """Return the half-bent hand, 3.8 s into the gestures."""
    return motion.gestures(tracker.robot).sample(3.8, 2)[1]


def _pulled(tracker: Tracker, distances: np.ndarray) -> np.ndarray:
    """Return goals at a half-bent hand, each fingertip pulled away from the wrist and upwards."""
    goals = np.tile(tracker.goals(bent(tracker)[None]), (len(distances), 1, 1, 1))
    away = goals[0, :, :3, 3] / np.linalg.norm(goals[0, :, :3, 3], axis=1, keepdims=True)
    goals[:, :, :3, 3] += distances[:, None, None] * (away + np.array([0.0, 0.0, 0.5]))
    return goals


def _row(method: str, what: str, track: Track) -> dict:
    steps = np.abs(np.diff(track.q, axis=0)).max(axis=1)
    squares = track.squared_error / track.errors.shape[1]
    return {'method': method, 'motion': what, 'frames': len(track.q),
            'solved': int(track.solved.sum()),
            'iterations': float(track.iterations.mean()),
            'median_us': float(np.median(track.seconds) * 1e6),
            'p99_us': float(np.percentile(track.seconds, 99) * 1e6),
            'rms_mm': float(1e3 * np.sqrt(squares.mean())),
            'trace_mm': trace(np.sqrt(squares)),
            'largest_step': float(steps.max()), 'jitter': None}
