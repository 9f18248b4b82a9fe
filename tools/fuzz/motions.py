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
"""Random motions: targets, limits and periods of many kinds, for the judge of motions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
import math
from random import Random
import traceback

from dq_ik.stream.limits import MotionLimits
from dq_ik.stream.motion import Motion
import numpy as np

from .motion_judge import MotionJudge, Record
from .solves import Outcome

KINDS = ('jump', 'circle', 'hold', 'vanish', 'line', 'back and forth', 'noise', 'walk')
RATES = (10.0, 100.0, 500.0, 1000.0)
PERIODS = (0.001, 0.002, 0.01)
LONGEST = 3000  # ticks in which a target stands


def stream(rng: np.random.Generator, kind: str, q: np.ndarray,
           size: float) -> Iterator[np.ndarray | None]:
    """Yield the target at each time that is sent; None: stop."""
    now = yield None
    n = len(q)
    radius, phase = size * rng.uniform(0.02, 0.6, n), rng.uniform(0, 6.3, n)
    speed = rng.uniform(0.2, 6.0)
    far, change = size * rng.uniform(-1.2, 1.2, n), 0.0  # also beyond the limits
    while True:
        if kind == 'jump' and now >= change:
            far = size * rng.uniform(-1.2, 1.2, n)
            change = now + rng.exponential(0.5)
        if kind == 'circle':
            far = q + radius * (np.sin(speed * now + phase) - np.sin(phase))
        if kind == 'line':
            far = q + radius * min(1.0, 0.3 * speed * now)
        if kind == 'back and forth':
            far = q + radius * math.sin(speed * now)
        if kind == 'noise':
            far = q + 0.01 * size * rng.standard_normal(n)
        if kind == 'walk':
            far = far + 0.02 * size * rng.standard_normal(n) if change else q
            change = 1.0
        now = yield (None if kind == 'vanish' and now > 0.2 else far)


def random_limits(rng: np.random.Generator, n: int, smooth: bool, still: np.ndarray,
                  free: np.ndarray) -> MotionLimits:
    """Draw limits as scaling and ramp time do: from 0.05 to 1.0, from 0.02 to 10 s."""
    velocity = rng.uniform(1.0, 4.0, n) * 10 ** rng.uniform(-1.3, 0.0)
    acceleration = velocity / 10 ** rng.uniform(-1.7, 1.0, n if rng.random() < 0.5 else None)
    jerk = acceleration / 10 ** rng.uniform(-3.7, 0.3) if smooth else np.full(n, math.inf)
    velocity = np.where(still, 0.0, np.where(free, math.inf, velocity))
    acceleration = np.where(free, math.inf, acceleration)
    if not smooth and rng.random() < 0.1:
        acceleration = np.full(n, math.inf)
    return MotionLimits.of(n, velocity, acceleration, np.where(free, math.inf, jerk))


class Case:
    """One motion under random streams; limits change every second, the stream every few."""

    def __init__(self, rng: np.random.Generator, limiting: str, smooth: bool) -> None:
        self.rng, self.limiting, self.smooth = rng, limiting, smooth
        n = self.n = int(rng.integers(1, 10))
        odd = rng.random() < 0.3
        self.still = (rng.random(n) < 0.15) & odd & (rng.random() < 0.5)
        self.free = (rng.random(n) < 0.2) & odd & ~self.still
        self.size = 2.5
        upper = np.where(rng.random(n) < 0.2, math.inf, self.size)
        start = rng.uniform(-self.size, self.size, n)
        limits = self._draw()
        self.motion = Motion(start, limits, lower=-upper, upper=upper, limiting=limiting)
        self.record = Record(start, -upper, upper, limiting == 'path')
        self._note_limits(limits)
        self.record.targets.append((0, start))

    def _draw(self) -> MotionLimits:
        return random_limits(self.rng, self.n, self.smooth, self.still, self.free)

    def _note_limits(self, limits: MotionLimits) -> None:
        self.record.limits.append((len(self.record.dt), np.stack(
            [limits.velocity, limits.acceleration, limits.jerk])))

    def aim(self, target: np.ndarray | None) -> None:
        """Give the motion a target, or stop it."""
        if target is None:
            self.motion.stop()
        else:
            self.motion.aim(target)
            target = np.clip(target, self.record.lower, self.record.upper)
        newest = self.record.targets[-1][1]
        if not (target is newest is None or (
                target is not None and newest is not None and (target == newest).all())):
            self.record.targets.append((len(self.record.dt), target))

    def step(self, dt: float) -> None:
        """Move for a period."""
        q, v = self.motion.step(dt)
        self.record.dt.append(dt)
        self.record.q.append(q)
        self.record.v.append(v)

    def run(self, ticks: int) -> MotionJudge:
        """Move for so many ticks, and judge."""
        rng, now, next_limits = self.rng, 0.0, 1.0
        while len(self.record.dt) < ticks:
            targets = stream(rng, str(rng.choice(KINDS)), self.motion.q, self.size)
            next(targets)
            rate, period = rng.choice(RATES), rng.choice(PERIODS)
            jitter, changes = rng.random() < 0.7, rng.random() < 0.6
            begin = due = now
            duration, stands = rng.uniform(0.2, 4.0), rng.random() < 0.6
            stood = 0
            while now < begin + duration or (stands and stood < LONGEST):
                if now >= next_limits:
                    next_limits = now + 1.0
                    if changes and stood < LONGEST // 4:
                        limits = self._draw()
                        self.motion.configure(limits, self.limiting)
                        self._note_limits(limits)
                if now >= begin + duration:
                    stood += 1
                elif now >= due:
                    self.aim(targets.send(now - begin))
                    due = now + rng.uniform(0.5, 1.5) / rate
                dt = float(period * (rng.uniform(0.5, 2.0) if jitter else 1.0))
                self.step(dt)
                now += dt
                if stands and stood > 50 and stood % 50 == 0 and not np.abs(
                        self.record.v[-50:]).any():
                    stood = max(stood, LONGEST - 200)
        return MotionJudge(self.record)


def run_case(r: Random, ticks: int = 5000) -> Outcome:
    """Move and judge; nothing may be raised."""
    outcome = Outcome()
    rng = np.random.default_rng(r.getrandbits(64))
    limiting, smooth = r.choice(['path', 'joint']), r.random() < 0.5
    what = f"{limiting}{' with jerk limits' if smooth else ''}"
    try:
        judge = Case(rng, limiting, smooth).run(ticks)
    except Exception:
        outcome.blame('an exception', traceback.format_exc())
        return outcome
    outcome.counts = Counter({'ticks': judge.ticks, 'rests': judge.rests,
                              f'ticks, {what}': judge.ticks})
    for fault, count in judge.faults.items():
        if count:
            outcome.blame(fault, what, count, judge.worst[fault], judge.where[fault])
    return outcome
