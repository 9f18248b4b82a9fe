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
"""The motion of the command: to targets within limits of velocity, acceleration and jerk."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from dq_ik.errors import OptionError, SeedError
from dq_ik.stream.curve import Vector
from dq_ik.stream.limits import (
    braking_speed,
    FASTEST,
    is_inside,
    may_rest,
    MotionLimits,
    smooth_window,
    window,
)
from dq_ik.stream.route import Route
import numpy as np

LIMITING = ('path', 'joint')
# A step fits a joint that leaves its window by no more than this share of a period's acceleration.
SLACK = 0.02
# A way shorter than this [rad or m] is at its end, a speed below it [rad/s or m/s] is none.
ARRIVED = 1e-12
STILL = 1e-9  # speed below which a joint that brakes may stand at once [rad/s or m/s]

Numbers = Sequence[float] | np.ndarray


class Motion:
    """
    Moves joints to targets; owns position, velocity and acceleration of the command.

    Each joint has a window of velocities for the next period: within its acceleration (and jerk),
    within its speed, and such that it can still stop at the end of its way and at its limits. What
    is commanded is in all windows, whatever the targets do, so that no joint ever passes the end
    of its way. With ``path`` limiting the command follows the route of the targets, all joints
    slowed by one factor; where no factor fits all windows (after a jump) each joint goes to the
    route by itself. With ``joint`` limiting each joint goes to the newest target by itself.
    """

    def __init__(self, q: Numbers, limits: MotionLimits, *, lower: Numbers, upper: Numbers,
                 limiting: str = 'path') -> None:
        """
        Rest at q.

        :param lower: least positions; may be infinite, as the greatest.
        :param upper: greatest positions.
        :param limiting: ``path`` or ``joint``.
        """
        self._lower, self._upper = (np.asarray(side, float).tolist() for side in (lower, upper))
        self._q = self._inside(q)
        self._brake = self._brake_jerk = [0.0] * len(self._q)
        self._route = Route(self._q, limits)
        self.configure(limits, limiting)
        self.place(q)

    def place(self, q: Numbers) -> None:
        """Rest at q, or at the limits where it is beyond them."""
        self._q = self._inside(q)
        self._v, self._a = [0.0] * len(self._q), [0.0] * len(self._q)
        self._brake, self._brake_jerk = list(self._acceleration), list(self._jerk)
        self._speed = 0.0  # along the route
        self._ups = self._downs = [0.0] * len(self._q)  # ways to the ends of the route's hull
        self._stopping = False
        self._route.restart(self._q, self._q)

    def configure(self, limits: MotionLimits, limiting: str = 'path') -> None:
        """
        Take new limits in motion.

        Joints that are beyond the new limits brake with the larger of the old and the new
        acceleration and jerk until they are inside.
        """
        if limiting not in LIMITING:
            raise OptionError(f"limiting is '{limiting}'; it must be one of {list(LIMITING)}")
        if len(limits.velocity) != len(self._q):
            raise OptionError(f'there are limits for {len(limits.velocity)} joints; '
                              f'the motion has {len(self._q)}')
        self.limits, self.limiting = limits, limiting
        self._velocity, self._acceleration, self._jerk = (
            values.tolist() for values in (limits.velocity, limits.acceleration, limits.jerk))
        self._smooth = any(jerk < inf for jerk in self._jerk)
        self._brake = list(map(max, self._brake, self._acceleration))
        self._brake_jerk = list(map(max, self._brake_jerk, self._jerk))
        self._route.configure(limits)

    @property
    def q(self) -> np.ndarray:
        """Position of the command."""
        return np.array(self._q)

    @property
    def qdot(self) -> np.ndarray:
        """Velocity of the command in the last period."""
        return np.array(self._v)

    @property
    def target(self) -> np.ndarray:
        """Where the command will come to rest if no other target comes."""
        return np.array(self._route.target)

    @property
    def acceleration(self) -> np.ndarray:
        """Acceleration of the command in the last period."""
        return np.array(self._a)

    def aim(self, target: Numbers) -> None:
        """Take the next target; beyond the joint limits it is at them."""
        place = self._inside(target)
        if not isfinite(sum(place)):
            raise SeedError(f'the target is {target}; it must be finite')
        if self._stopping or self.limiting == 'joint':
            self._stopping = False
            if place != self._route.target:
                self._route.restart(self._q, place)
        else:
            self._route.add(place, self._q)

    def stop(self) -> None:
        """Brake, on the route where there is one, and stay there."""
        if not self._stopping:
            self._stopping = True
            self._route.halt(self._speed)

    def step(self, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """
        Return position and velocity after ``dt``: ``q' = q + qdot' dt``.

        :param dt: length of this period [s], above 0; it may change from period to period.
        """
        if not dt > 0.0:
            raise OptionError(f'dt is {dt}; it must be above 0')
        low, high = self._windows(dt)
        if self._on_route:
            v = self._along(dt, low, high)
        else:
            v = self._each(dt, low, high)
        v = [x if abs(x) > 2.0 * ARRIVED else 0.0 for x in v]
        self._a = [(new - old) / dt for new, old in zip(v, self._v)]
        self._q = [min(max(q + x * dt, least), most) for q, x, least, most in zip(
            self._q, v, self._lower, self._upper)]
        self._v = v
        if self._stopping and not any(v):
            self._route.restart(self._q, self._q)
        return np.array(self._q), np.array(v)

    @property
    def _on_route(self) -> bool:
        """Whether there is a route to follow; with limited jerk joints stop each by itself."""
        return self.limiting == 'path' and self._route.left > ARRIVED and not (
            self._stopping and self._smooth)

    # --- parts -----------------------------------------------------------------------------------

    def _inside(self, q: Numbers) -> Vector:
        """Return joint positions, moved to the limits where they are beyond."""
        values = q.tolist() if isinstance(q, np.ndarray) else q
        if len(values) != len(self._lower):
            raise SeedError(f'a joint vector has {len(self._lower)} numbers, got {len(values)}')
        return [least if x < least else most if x > most else x for x, least, most in zip(
            values, self._lower, self._upper)]

    def _windows(self, dt: float) -> tuple[Vector, Vector]:
        """Return the least and greatest velocity of each joint; end braking that is done."""
        if self._stopping and not self._on_route:
            bottom = top = self._q
        else:
            bottom, top = self._route.hull()
        ups = self._ups = [above - q if above > q else 0.0 for q, above in zip(self._q, top)]
        downs = self._downs = [q - below if q > below else 0.0
                               for q, below in zip(self._q, bottom)]
        self._release(dt, ups, downs)
        pairs = [window(v, dt, velocity, acceleration, brake, up, down) if shake == inf else
                 smooth_window(v, a, dt, velocity, acceleration, jerk, brake, shake, up, down)
                 for v, a, velocity, acceleration, jerk, brake, shake, up, down in zip(
                     self._v, self._a, self._velocity, self._acceleration, self._jerk,
                     self._brake, self._brake_jerk, ups, downs)]
        return [low for low, _ in pairs], [high for _, high in pairs]

    def _release(self, dt: float, ups: Vector, downs: Vector) -> None:
        """End braking with old limits where it is done."""
        if self._brake == self._acceleration and self._brake_jerk == self._jerk:
            return
        for i, (acceleration, jerk) in enumerate(zip(self._acceleration, self._jerk)):
            if is_inside(self._v[i], self._a[i], dt, self._velocity[i], acceleration, jerk,
                         ups[i], downs[i]):
                self._brake[i], self._brake_jerk[i] = acceleration, jerk

    def _each(self, dt: float, low: Vector, high: Vector) -> Vector:
        """Return the velocity of each joint to the target, as fast as its window allows."""
        self._speed = 0.0
        if self._stopping:
            ways = self._v
        else:
            ways = [target - q for q, target in zip(self._q, self._route.target)]
        wanted = []
        for way, v, a, acceleration, jerk, shake, least, most in zip(
                ways, self._v, self._a, self._acceleration, self._jerk, self._brake_jerk, low,
                high):
            if (abs(v) < STILL and may_rest(v, a, dt, acceleration, jerk) if self._stopping else
                    abs(way) < ARRIVED and abs(v) < ARRIVED):
                wanted.append(0.0)
                continue
            speed = braking_speed(abs(way), dt, acceleration) if shake == inf else inf
            wanted.append(min(max(speed if way > 0.0 else -speed if way < 0.0 else 0.0, least),
                              most))
        return wanted

    def _along(self, dt: float, low: Vector, high: Vector) -> Vector:
        """Return the velocity along the route: all joints slowed by one factor, if one will do."""
        route = self._route
        speed = route.speed(dt)
        way, factor = self._fit(speed, dt, low, high)
        if factor > 1.0:  # the joints cannot slow down so fast; aim at where they will be
            speed *= factor
            way, factor = self._fit(speed, dt, low, high)
        if factor:
            v = [min(max(factor * w / dt, a), b) for w, a, b in zip(way, low, high)]
        else:
            v, speed = self._back(dt, speed, low, high)
            factor = 1.0
        self._speed = factor * speed
        route.s = min(route.s + self._speed * dt, route.stop)
        return v

    def _fit(self, speed: float, dt: float, low: Vector, high: Vector) -> tuple[Vector, float]:
        """
        Return a step along the route, and the factor that brings it into all windows.

        A joint that is ahead of the route waits: it does not go back for it.
        """
        way = [min(max(b - a, -down), up) for a, b, up, down in zip(
            self._q, self._route.point(self._route.s + speed * dt), self._ups, self._downs)]
        return way, (self._factor(way, dt, low, high, 1e-9)
                     or self._factor(way, dt, low, high, SLACK))

    def _factor(self, way: Vector, dt: float, low: Vector, high: Vector, slack: float) -> float:
        """Return the factor next to 1 that brings a step into all windows, 0 if none does."""
        least, most = 0.0, inf
        for w, a, b, acceleration in zip(way, low, high, self._acceleration):
            spare = slack * acceleration * dt
            a, b = dt * (a - spare), dt * (b + spare)
            if w < 0.0:
                w, a, b = -w, -b, -a
            if w == 0.0:
                if a > 0.0 or b < 0.0:
                    return 0.0
                continue
            if b < most * w:
                most = b / w
            if a > least * w:
                least = a / w
        return min(max(1.0, least), most) if least <= most and most > 0.0 else 0.0

    def _back(self, dt: float, speed: float, low: Vector, high: Vector) -> tuple[Vector, float]:
        """
        Return velocities that lead each joint back to the route, and the speed along it.

        Relative to the point that moves along the route, a joint uses half of its limits. The
        next such point is the one beside which the joints will be.
        """
        piece, s = self._route.piece(), self._route.s
        v, along, total = [], 0.0, 0.0
        for i, (q, place, slope, a, b) in enumerate(zip(
                self._q, piece.point(s), piece.tangent(s), low, high)):
            acceleration, carried, way = 0.5 * self._acceleration[i], slope * speed, place - q
            up, down = max(way, 0.0), max(-way, 0.0)
            jerk = 0.5 * self._jerk[i]
            if jerk < inf:
                least, most = smooth_window(
                    self._v[i] - carried, self._a[i], dt, FASTEST, acceleration, jerk,
                    acceleration, jerk, up, down)
                wanted = carried + (most if up else least)
            else:
                wanted = carried + braking_speed(up, dt, acceleration) - braking_speed(
                    down, dt, acceleration)
            v.append(min(max(wanted, a), b))
            along += slope * (v[-1] * dt - way)
            total += slope * slope
        rest = max(piece.start + piece.length - s, 2.0 * speed * dt)
        return v, min(max(along / total, 0.0), rest) / dt if total > 0.0 else 0.0
