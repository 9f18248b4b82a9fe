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
A judge of motions who sees only what was asked and what came out.

A record has, for each tick: the period, the limits and the target that were given before it, and
the position and velocity that were returned. Everything else is computed here, from the rules in
docs/node.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

OVERSHOOT = 1e-9  # [rad or m]
SHARE = 1.001  # of a limit
ROUNDING = 1e-12
SMOOTH_REST = 1e-8  # share of the speed that counts as rest where the jerk is limited
LEAST_REST = 30  # ticks without anything new after which a motion may be at rest
CRAWL = 1e-9  # a joint with less speed than this may not move at all


@dataclass
class Record:
    """
    What was given and returned.

    :param limits: velocity, acceleration and jerk (3, n) of each change, with its first tick.
    :param targets: place (n,) or None (stop) of each change, with its first tick.
    """

    start: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    path: bool
    limits: list[tuple[int, np.ndarray]] = field(default_factory=list)
    targets: list[tuple[int, np.ndarray | None]] = field(default_factory=list)
    dt: list[float] = field(default_factory=list)
    q: list[np.ndarray] = field(default_factory=list)
    v: list[np.ndarray] = field(default_factory=list)


def stopping_way(v: np.ndarray, a: np.ndarray, most: np.ndarray, jerk: np.ndarray) -> np.ndarray:
    """Return the way up that is covered until a joint no longer moves up, in continuous time."""
    smooth = np.isfinite(jerk)
    j = np.where(smooth, jerk, 1.0)
    t = np.abs(a) / j
    v1 = v + a * np.abs(a) / (2 * j)  # a > 0: the speed when the acceleration is gone
    v0 = v + a * a / (2 * j)  # a < 0: the speed when braking began

    def from_even(u: np.ndarray) -> np.ndarray:
        u = np.maximum(u, 0.0)
        return np.where(u * j <= most ** 2, u * np.sqrt(u / j), 0.5 * u * (u / most + most / j))

    rising = v * t + a * t * t / 3 + from_even(v1)
    braking = from_even(v0) - (v0 * t - j * t ** 3 / 6)
    turn = (np.abs(a) - np.sqrt(np.maximum(a * a - 2 * j * v, 0.0))) / j
    turning = v * turn - np.abs(a) * turn ** 2 / 2 + j * turn ** 3 / 6
    falling = np.where(v <= 0, 0.0, np.where(a * a >= 2 * j * v, turning, braking))
    limited = np.where(a > 0, np.where(v1 > 0, rising, 0.0), falling)
    return np.maximum(np.where(smooth, limited, np.maximum(v, 0.0) ** 2 / (2 * most)), 0.0)


def move_time(way: np.ndarray, velocity: np.ndarray, most: np.ndarray,
              jerk: np.ndarray) -> float:
    """Return a bound of the time from rest to rest: steps of speed, acceleration and jerk."""
    way = np.where(velocity > CRAWL, way, 0.0)
    return float(np.max(way / np.maximum(velocity, CRAWL) + np.minimum(
        velocity / most, 2 * np.sqrt(way / most)) + np.minimum(
            2 * most / jerk, 4 * np.cbrt(way / jerk)), initial=0.0))


class MotionJudge:
    """Judges a record; ``faults`` has what was broken, and ``worst`` how much at most."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.faults: Counter[str] = Counter()
        self.worst: dict[str, float] = {}
        self.where: dict[str, tuple[int, int]] = {}
        self.rests = 0
        self.dt = np.array(record.dt)[:, None]
        self.q, self.v = np.array(record.q), np.array(record.v)
        self.q0 = np.vstack([record.start, self.q[:-1]])
        self.v0 = np.vstack([0 * record.start, self.v[:-1]])
        self.a = (self.v - self.v0) / self.dt
        self.a0 = np.vstack([0 * record.start, self.a[:-1]])
        self.ticks, self.n = self.q.shape
        self._limits()
        self._positions()
        self._rates()
        self._ways()

    def _note(self, fault: str, excess: np.ndarray, bound: float, first: int = 0) -> None:
        """Count the places where an excess, of ticks from ``first`` on, is over its bound."""
        if not excess.size:
            return
        place = np.unravel_index(np.argmax(excess), excess.shape)
        worst = float(excess[place])
        if worst > self.worst.get(fault, -np.inf):
            self.worst[fault] = worst
            self.where[fault] = (first + int(place[0]), int(place[1]))
        self.faults[fault] += int((excess > bound).sum())

    def _spans(self, changes: list) -> list[tuple[int, int, np.ndarray | None]]:
        """Return first tick, end and value of each change that was in force for a tick."""
        firsts = [tick for tick, _ in changes] + [self.ticks]
        return [(a, b, value) for a, b, (_, value) in zip(firsts, firsts[1:], changes) if a < b]

    def _positions(self) -> None:
        scale = np.maximum(1.0, np.abs(self.q))
        self._note('velocity is not that of the positions',
                   np.abs(self.q - self.q0 - self.v * self.dt) / scale, ROUNDING)
        self._note('beyond a joint limit', np.maximum(
            self.record.lower - self.q, self.q - self.record.upper), 0.0)

    def _limits(self) -> None:
        """
        Find limits and greatest braking of each tick.

        Larger limits from before hold for a joint until it is, for the first time, within the
        new speed and able to stop at the newest target by the new limits, without swinging back.
        ``sure`` ends a period earlier: what must be possible.
        """
        shape = (3, self.ticks, self.n)
        self.bound, self.brake, self.sure = np.empty(shape), np.empty(shape), np.empty(shape)
        self.target = np.empty((self.ticks, self.n))
        for first, end, value in self._spans(self.record.targets):
            self.target[first:end] = self.q0[first:end] if value is None else value
        brake = sure = self.record.limits[0][1]
        for first, end, limits in self._spans(self.record.limits):
            brake, sure = np.maximum(brake, limits), np.maximum(sure, limits)
            span = slice(first, end)
            self.bound[:, span] = limits[:, None]
            late = ~np.logical_or.accumulate(self._inside(span, limits), axis=0)
            self.brake[:, span] = np.where(late, brake[:, None], limits[:, None])
            early = ~np.logical_or.accumulate(self._inside(span, limits, 1.0), axis=0)
            self.sure[:, span] = np.where(early, sure[:, None], limits[:, None])
            brake, sure = self.brake[:, end - 1], self.sure[:, end - 1]

    def _inside(self, span: slice, limits: np.ndarray, periods: float = 0.0) -> np.ndarray:
        """Tell who is within the limits, after so many periods of braking."""
        velocity, most, jerk = limits
        v, a, q, target = (x[span] for x in (self.v0, self.a0, self.q0, self.target))
        smooth = np.isfinite(jerk)
        slower = np.abs(v) - np.where(smooth, 0.0, periods * most * self.dt[span])
        v = np.sign(v) * np.maximum(slower, 0.0)
        settled = v + np.where(smooth, a * np.abs(a) / (2 * np.where(smooth, jerk, 1.0)), 0.0)
        able = (np.maximum(np.abs(v), np.abs(settled)) <= velocity) & (
            (np.abs(a) <= most * (1 + 1e-9)) | ~smooth) & (v * settled >= 0.0)
        for s in (-1.0, 1.0):
            able &= stopping_way(s * v, s * a, most, jerk) <= np.maximum(s * (target - q), 0.0)
        return able

    def _rates(self) -> None:
        velocity, most, jerk = self.bound
        smooth = np.isfinite(jerk)
        faster = np.abs(self.v) > np.abs(self.v0)
        allowed = np.where(faster, np.maximum(most, np.where(smooth, np.abs(self.a0), 0.0)),
                           self.brake[1])
        turns = self.v * self.v0 < 0.0  # it brakes and speeds up within one period
        allowed = np.where(turns, self.brake[1], allowed)
        rounding = 4e-16 * (np.abs(self.v) + np.abs(self.v0)) / self.dt
        self._note('acceleration', np.abs(self.a) / (allowed + rounding), SHARE)
        jerks = np.abs(self.a - self.a0) / self.dt
        self._note('jerk', jerks / (self.brake[2] + 8 * rounding / self.dt), SHARE)
        late = (self.brake > self.bound).any(axis=0)
        slower = np.abs(self.v) <= np.abs(self.v0) - 0.999 * most * self.dt
        self._note('speed', np.where((slower & ~smooth) | (smooth & late), 0.0,
                                     np.abs(self.v) / (velocity + ROUNDING)), SHARE)

    # --- the way to the targets ------------------------------------------------------------------

    def _ways(self) -> None:
        """Follow the targets that were given and not yet passed, in order; judge by their box."""
        path, waiting = self.record.path, [self.record.start]
        changes = np.array([tick for tick, _ in self.record.limits])
        self.box = np.empty((2, self.ticks, self.n))  # minus the least, and the greatest
        events = []
        for first, end, target in self._spans(self.record.targets):
            if target is not None:
                waiting = [*waiting, target] if path else [target]
            elif not path:
                waiting = [self.q0[first]]
            event = max(first, int(changes[changes < end].max()))
            last, left = first, waiting
            for tick, rest in [*self._passing(first, end, waiting), (end, [])]:
                self._fill(last, tick, waiting)
                events.append(last)
                left = waiting if last <= event else left
                last, waiting = tick, rest or waiting
            if end - event > LEAST_REST:
                self._arrival(event, end, target, left)
        self._overshoots([*events, self.ticks])

    def _fill(self, first: int, end: int, waiting: list) -> None:
        places = np.array(waiting)
        self.box[0, first:end], self.box[1, first:end] = -places.min(axis=0), places.max(axis=0)

    def _overshoots(self, events: list[int]) -> None:
        """
        Judge that joints stay in the box, or stop as soon as they can.

        Between events (a new target, one that is passed) who turned back may not come again.
        """
        for s, hull in zip((-1.0, 1.0), self.box):
            wall = s * self.q0 + stopping_way(s * self.v0, s * self.a0, *self.sure[1:])
            q, v, a = s * self.q, s * self.v, s * self.a
            gone = np.where((v <= 0.0) & (a <= 0.0), q, np.inf)
            for first, end in pairwise(events):
                if end > first + 1:
                    wall[first + 1:end] = gone[first:end - 1]
                    np.minimum.accumulate(wall[first:end], axis=0, out=wall[first:end])
            self._note('overshoot', q - np.maximum(hull, wall), OVERSHOOT)

    def _passing(self, first: int, end: int, waiting: list) -> Iterator[tuple[int, list]]:
        """Yield the ticks before which targets were passed, and those that are left."""
        for tick in range(first, end):
            if len(waiting) < 2:
                return
            passed = self._passed(tick, waiting)
            if passed:
                waiting = waiting[passed:]
                if tick + 1 < end:
                    yield tick + 1, waiting

    def _passed(self, tick: int, places: list) -> int:
        """Return how many targets are behind; the newest stays."""
        count = 0
        a, b = self.q0[tick], self.q[tick]
        step = b - a
        size, square = np.abs(step).max(), step @ step
        while count < len(places) - 1:
            way = places[count] - a
            if np.abs(way).max() > 2.0 * size + 1e-7:
                break
            if way @ step > square and np.abs(way - step).max() > 1e-7:
                break  # the next step leads there
            t = min(max(way @ step / square, 0.0), 1.0) if square else 0.0
            if np.abs(t * step - way).max() > 0.05 * size + 1e-7:
                break
            count += 1
        if np.abs(b - places[-1]).max() < 1e-9:
            return len(places) - 1
        return count

    def _arrival(self, event: int, end: int, target: np.ndarray | None, waiting: list) -> None:
        """
        Judge that the motion rests at its target in time, once nothing new is asked.

        :param waiting: targets that were not yet passed then.
        """
        velocity, most, jerk = self.bound[:, event]
        v, a, q = np.abs(self.v0[event]), np.abs(self.a0[event]), self.q0[event]
        moves = np.abs(np.diff(np.vstack([q, *waiting]), axis=0))
        steps = np.diff(np.vstack([q, *waiting]), axis=0)
        turns = 1 + int((steps[1:] * steps[:-1] < 0.0).any(axis=1).sum())
        away = stopping_way(v, a, most, jerk)
        allowed = 3.0 * turns * move_time(moves.sum(axis=0) + 2 * away, velocity, most, jerk)
        allowed += 2.0 * float(np.max(v / most + 2 * a / jerk, initial=0.0))
        times = np.cumsum(self.record.dt[event:end])
        index = int(np.searchsorted(times, allowed + 10 * max(self.record.dt[event:end])))
        if index >= len(times):
            return
        self.rests += 1
        free = velocity > CRAWL
        if target is not None and self.record.path and (np.abs(target - q)[~free] > 1e-9).any():
            return  # a joint that may not move keeps all others on the route
        tick = event + index
        smooth = bool(np.isfinite(jerk).any())
        self._note('does not rest', np.abs(self.v[tick:end]) / np.maximum(velocity, CRAWL),
                   SMOOTH_REST if smooth else 0.0, tick)
        if target is not None:
            off = np.where(free, np.abs(self.q[tick:end] - target), 0.0)
            self._note('does not arrive', off / np.maximum(1.0, np.abs(target)),
                       OVERSHOOT if smooth else ROUNDING, tick)
