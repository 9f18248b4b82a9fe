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

Small motions (gestures over the full range of the joints at 60 Hz), large motions (a jump to
another gesture each frame), and fingertips out of reach, held still and moved out and back: is the
answer steady? Every method has the same 15 ms per frame.
"""
from __future__ import annotations

from pathlib import Path
import tempfile

from dq_ik.papers import kenwright_sweeps as literal
import numpy as np

from . import motion
from .tracking import BUDGET, EXACT, PUBLISHED, Track, Tracker
from .. import robots
from ..protocol import trace

METHODS = ('pgs', 'pls', *PUBLISHED)
ACCEPTABLE = (1e-4, 1e-3)  # a tenth of a millimetre, a milliradian
RATE = 60.0  # frames per second
LARGEST_STEP = 0.1  # of a joint between two frames, for fingertips that move slowly [rad]
OUT_AT = (1.25, 3.8, 4.0, 6.0, 7.5)  # times of the gestures at which fingertips are pulled away
SWEEPS = (2, 3)  # per frame, "two or three iterations"


def run(quick: bool, progress, bvh: Path | None = None) -> dict:
    """Return rows of the table: method, motion, iterations, time, solved, unrest."""
    with tempfile.TemporaryDirectory() as folder:
        tracker = Tracker(robots.load('hand', Path(folder)))
    rows = []
    for method in METHODS:
        progress(f'hand · {method}')
        rows += [_small(tracker, method, quick, ACCEPTABLE), _small(tracker, method, quick, EXACT),
                 _large(tracker, method, quick), _held(tracker, method, quick),
                 _out_and_back(tracker, method, quick)]
    for sweeps in SWEEPS:
        progress(f'hand · {sweeps} sweeps per frame')
        rows.append(_to_the_letter(tracker, sweeps, quick))
    return {'rows': rows}


def _small(tracker: Tracker, method: str, quick: bool, tolerance: tuple[float, float]) -> dict:
    q = _gestures(tracker, quick)
    return _row(method, f'small: full-range gestures at 60 Hz, to {1e3 * tolerance[0]:g} mm',
                _follow(tracker, method, tracker.goals(q), q[0], tolerance=tolerance))


def _gestures(tracker: Tracker, quick: bool) -> np.ndarray:
    return motion.full_range(tracker.robot).sample(1.0 / RATE, 480 if quick else 2400)


def _to_the_letter(tracker: Tracker, sweeps: int, quick: bool) -> dict:
    """Follow the gestures as the paper says: one Jacobian and a few sweeps per frame."""
    q = _gestures(tracker, quick)
    track = tracker.follow_by(
        lambda last, targets: literal.frame(tracker.chain, last, targets, literal.Ends(sweeps)),
        tracker.goals(q), q[0], ACCEPTABLE)
    return _row(f'{sweeps} sweeps', 'small: one Jacobian per frame, in NumPy', track)


def _large(tracker: Tracker, method: str, quick: bool) -> dict:
    q = motion.full_range(tracker.robot).sample(1.37, 40 if quick else 400)
    return _row(method, 'large: another gesture each frame',
                _follow(tracker, method, tracker.goals(q), q[0]))


def _held(tracker: Tracker, method: str, quick: bool) -> dict:
    """Hold all fingertips 5 cm away from a bent hand; movement after settling is jitter."""
    goals = pulled(tracker, 3.8, np.full(100 if quick else 1000, 0.05))
    track = _follow(tracker, method, goals, np.zeros(tracker.robot.dof))
    settled = track.q[len(track.q) // 2:]
    return _row(method, 'out of reach, held', track) | {
        'jitter': float(np.ptp(settled, axis=0).max())}


def _out_and_back(tracker: Tracker, method: str, quick: bool) -> dict:
    """
    Pull the fingertips smoothly out of reach and back, from several gestures.

    Where a stretched finger may bend again, the nearest answer is far away. A stream goes there
    in steps: no joint moves farther than LARGEST_STEP in a frame.
    """
    count = 200 if quick else 1000
    ways = 0.025 * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, count)))
    tracks = [_follow(tracker, method, pulled(tracker, time, ways), at(tracker, time),
                      max_joint_step=LARGEST_STEP) for time in OUT_AT]
    steps = [np.abs(np.diff(track.q, axis=0)).max() for track in tracks]
    return _row(method, 'out of reach and back', Track.joined(tracks)) | {
        'largest_step': float(max(steps))}


def _follow(tracker: Tracker, method: str, goals: np.ndarray, start: np.ndarray, *,
            tolerance: tuple[float, float] = EXACT, **options) -> Track:
    return tracker.follow(method, goals, start, tolerance=tolerance, timeout=BUDGET,
                          max_restarts=0, **options)


def at(tracker: Tracker, time: float) -> np.ndarray:
    """Return the hand at a time of the gestures."""
    return motion.gestures(tracker.robot).sample(time, 2)[1]


def pulled(tracker: Tracker, time: float, distances: np.ndarray) -> np.ndarray:
    """Return goals at a gesture, each fingertip pulled away from the wrist and upwards."""
    goals = np.tile(tracker.goals(at(tracker, time)[None]), (len(distances), 1, 1, 1))
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
            'median_error': float(np.median(np.sqrt(track.squared_error))),
            'rms_mm': float(1e3 * np.sqrt(squares.mean())),
            'trace_mm': trace(np.sqrt(squares)),
            'largest_step': float(steps.max()), 'jitter': None}
