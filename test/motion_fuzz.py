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
Fuzz of the motion: streams of targets of many kinds, and a referee who knows only the rules.

    python test/motion_fuzz.py 1000000        # ticks of seven joints
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
import math
import sys
import time

from dq_ik.stream.limits import MotionLimits, stopping_way
from dq_ik.stream.motion import Motion
import numpy as np

JOINTS = 7
LOWER, UPPER = -2.5, 2.5
KINDS = ('jump', 'circle', 'hold', 'vanish', 'line', 'back and forth', 'noise')
RATES = (10.0, 100.0, 500.0, 1000.0)


def targets(rng: np.random.Generator, kind: str, q: np.ndarray) -> Iterator[np.ndarray | None]:
    """Yield the target at each time that is sent; None: nothing comes."""
    now = yield None
    centre, radius = q + 0.0, rng.uniform(0.05, 1.5, len(q))
    phase, speed = rng.uniform(0, 6.3, len(q)), rng.uniform(0.2, 6.0)
    far = rng.uniform(1.2 * LOWER, 1.2 * UPPER, len(q))  # also beyond the limits
    change = 0.0
    while True:
        if kind == 'jump' and now >= change:
            far = rng.uniform(1.2 * LOWER, 1.2 * UPPER, len(q))
            change = now + rng.exponential(0.5)
        if kind == 'circle':
            far = centre + radius * (np.sin(speed * now + phase) - np.sin(phase))
        if kind == 'line':
            far = q + (centre + radius - q) * min(1.0, speed * now)
        if kind == 'back and forth':
            far = q + radius * math.sin(speed * now)
        if kind == 'noise':
            far = centre + 0.02 * rng.standard_normal(len(q))
        now = yield (None if kind == 'vanish' and now > 0.2 else far)


def random_limits(rng: np.random.Generator, smooth: bool) -> MotionLimits:
    """Draw limits as scaling and ramp time do: from 0.05 to 1.0, from 0.02 to 10 s."""
    velocity = rng.uniform(1.0, 4.0, JOINTS) * 10 ** rng.uniform(-1.3, 0.0)
    acceleration = velocity / 10 ** rng.uniform(-1.7, 1.0, JOINTS if rng.random() < 0.5 else None)
    jerk = acceleration / 10 ** rng.uniform(-2.0, 0.3) if smooth else math.inf
    if not smooth and rng.random() < 0.1:
        acceleration = math.inf
    return MotionLimits.of(JOINTS, velocity, acceleration, jerk)


class Referee:
    """Counts what breaks the rules."""

    def __init__(self, motion: Motion) -> None:
        """Watch a motion that is at rest."""
        self.motion, self.faults = motion, Counter()
        self.worst: dict[str, float] = {}
        n = len(motion.q)
        self.q, self.v, self.a = motion.q, np.zeros(n), np.zeros(n)
        # The largest limits since the joint was last within them.
        self.brake, self.shake = motion.limits.acceleration, motion.limits.jerk
        self.beyond = np.zeros(n, bool)
        self.wall = np.stack([self.q, self.q])  # below and above, where a joint must stop

    def new_limits(self) -> None:
        """Note that there are other limits; where a joint must stop stays as it is."""
        limits = self.motion.limits
        self.brake = np.maximum(self.brake, limits.acceleration)
        self.shake = np.maximum(self.shake, limits.jerk)
        self.beyond[:] = True

    def new_target(self) -> None:
        """Note where each joint must stop: at the end of its way, or as soon as it can."""
        motion, (below, above) = self.motion, self.motion._route.hull()
        reach = np.array([[stopping_way(s * v, s * a, b, j) if math.isfinite(j) else
                           max(s * v, 0.0) ** 2 / (2 * b) for v, a, b, j in zip(
                               self.v, self.a, motion._brake, motion._brake_jerk)]
                          for s in (-1.0, 1.0)])
        self.wall = np.stack([np.minimum(np.minimum(below, self.q), self.q - reach[0]),
                              np.maximum(np.maximum(above, self.q), self.q + reach[1])])

    def see(self, dt: float, q: np.ndarray, v: np.ndarray) -> None:
        """Judge one tick."""
        limits, a = self.motion.limits, (v - self.v) / dt
        late = np.array(self.motion._brake_jerk) > limits.jerk
        late |= np.array(self.motion._brake) > limits.acceleration
        self._count('velocity is not that of the positions', np.abs(q - self.q - v * dt), 1e-12)
        self._count('beyond a joint limit', np.maximum(LOWER - q, q - UPPER), 1e-12)
        self._count('overshoot', np.maximum(self.wall[0] - q, q - self.wall[1]), 1e-9)
        slows = np.abs(v) < np.abs(self.v)
        allowed = np.where(self.beyond, self.brake, limits.acceleration)
        self._count('acceleration', np.abs(a) / allowed, 1.001)
        smooth = np.isfinite(limits.jerk)
        excused = slows | (smooth & (self.beyond | (np.abs(a) < np.abs(self.a))))
        self._count('speeds up beyond its speed', np.where(
            excused, 0.0, np.abs(v) / limits.velocity), 1.001)
        jerk = np.where(self.beyond, self.shake, limits.jerk)
        self._count('jerk', np.abs(a - self.a) / dt / jerk, 1.001)
        calm = (np.abs(v) <= limits.velocity) & ((v == 0.0) | ~slows) & (
            np.abs(a) <= 1.0001 * limits.acceleration)
        self.beyond &= ~calm if not smooth.any() else late
        self.brake = np.where(self.beyond, self.brake, limits.acceleration)
        self.shake = np.where(self.beyond, self.shake, limits.jerk)
        self.q, self.v, self.a = q, v, a

    def _count(self, fault: str, values: np.ndarray, bound: float) -> None:
        worst = float(values.max())
        self.faults['ticks judged'] += fault == 'jerk'
        if worst > self.worst.get(fault, 0.0):
            self.worst[fault] = worst
        if worst > bound:
            self.faults[fault] += int((values > bound).sum())


def fuzz(ticks: int, seed: int, limiting: str, smooth: bool) -> Referee:
    """Move for so many ticks; limits change every second, the stream every few."""
    rng = np.random.default_rng(seed)
    lower, upper = np.full(JOINTS, LOWER), np.full(JOINTS, UPPER)
    motion = Motion(rng.uniform(lower, upper), random_limits(rng, smooth), lower=lower,
                    upper=upper, limiting=limiting)
    referee = Referee(motion)
    period, jitter = 0.002, False
    now = change = limit_change = due = 0.0
    rate, stream, start = 100.0, iter(()), 0.0
    for _ in range(ticks):
        if now >= change:
            kind, rate = rng.choice(KINDS), rng.choice(RATES)
            stream, start = targets(rng, kind, motion.q), now
            next(stream)
            change, due = now + rng.uniform(0.2, 4.0), now
            period, jitter = rng.choice([0.001, 0.002, 0.01]), rng.random() < 0.7
        if now >= limit_change:
            motion.configure(random_limits(rng, smooth), limiting)
            referee.new_limits()
            limit_change = now + 1.0
        if now >= due:
            target = stream.send(now - start)
            if target is None:
                motion.stop()
            else:
                motion.aim(target)
            referee.new_target()
            due = now + rng.uniform(0.5, 1.5) / rate
        dt = period * (rng.uniform(0.5, 2.0) if jitter else 1.0)
        referee.see(dt, *motion.step(dt))
        now += dt
    return referee


def main() -> None:
    """Fuzz both ways of limiting, with and without jerk limits; print what was found."""
    ticks, begin = int(float(sys.argv[1])), time.perf_counter()
    for number, (limiting, smooth) in enumerate(
            (limiting, smooth) for limiting in ('path', 'joint') for smooth in (False, True)):
        total, worst = Counter(), {}
        for part in range(10):
            referee = fuzz(ticks // 40, 100 * number + part, limiting, smooth)
            total += referee.faults
            for fault, value in referee.worst.items():
                worst[fault] = max(value, worst.get(fault, 0.0))
        print(limiting, 'with jerk limits' if smooth else '', dict(total),
              {k: float(f'{v:.4g}') for k, v in worst.items()}, flush=True)
    print(f'{time.perf_counter() - begin:.0f} s')


if __name__ == '__main__':
    main()
