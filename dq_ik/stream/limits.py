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
Limits of the motion: what one coordinate may do in the next period.

A command moves by ``q' = q + v' dt`` with ``v' = v + a' dt`` and ``a' = a + j dt``, for any dt.
Braking then covers no more way than braking in continuous time would, for all later periods, so
that a coordinate that could stop in time once can do so for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, inf, sqrt

from dq_ik.errors import OptionError
from dq_ik.robot.chain import Chain
from dq_ik.stream.settings import StreamSettings
import numpy as np
from numpy.typing import ArrayLike

# Stand for "no limit" in formulas that need a number; a period of 1 ms moves 1000 rad.
FASTEST, STEEPEST = 1e6, 1e9
# Steps of the root finder for a braking distance with limited jerk; it keeps the safe side.
ROOT_STEPS = 12
CLOSE = (1e-9, 1e-6, 1e-3)  # shares of its bracket in which a root is looked for first


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """
    Limits of each coordinate, shape (n,) each; a number counts for all, infinite is none.

    :param velocity: greatest speeds [rad/s or m/s].
    :param acceleration: greatest accelerations [rad/s^2 or m/s^2].
    :param jerk: greatest rates of the acceleration [rad/s^3 or m/s^3].
    """

    velocity: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray

    @classmethod
    def of(cls, n: int, velocity: ArrayLike = inf, acceleration: ArrayLike = inf,
           jerk: ArrayLike = inf) -> MotionLimits:
        """Return the limits of n coordinates; those that may not move at all get a crawl."""
        values = []
        for name, given in (('velocity', velocity), ('acceleration', acceleration),
                            ('jerk', jerk)):
            value = np.asarray(given, dtype=float)
            if value.ndim and value.shape != (n,):
                raise OptionError(f'{name} limits have shape {value.shape}; there are {n} joints')
            if not (value >= 0.0).all():
                raise OptionError(f'{name} limits are {given!r}; they must be 0 or more')
            values.append(np.maximum(np.broadcast_to(value, n), 1e-12))
        return cls(np.minimum(values[0], FASTEST), np.minimum(values[1], STEEPEST), values[2])

    @classmethod
    def chosen(cls, chain: Chain, settings: StreamSettings) -> MotionLimits:
        """
        Return the limits for a chain.

        Accelerations come from the settings, else from the URDF, else from ``ramp_time``; jerks
        from the settings, else from the URDF.
        """
        joints = chain.angles
        velocity = joints.velocity * (settings.velocity_scaling or inf)
        ramp = settings.ramp_time
        usual = np.where(np.isfinite(joints.acceleration), joints.acceleration,
                         velocity / ramp if ramp > 0.0 else inf)
        return cls.of(chain.n, velocity, _given(settings, 'acceleration_limit', usual),
                      _given(settings, 'jerk_limit', joints.jerk))


def _given(settings: StreamSettings, name: str, usual: np.ndarray) -> np.ndarray:
    """Return a setting of one number or one per joint; where it is 0, the usual."""
    numbers = getattr(settings, name)
    if len(numbers) not in (0, 1, len(usual)):
        raise OptionError(f'{name} has {len(numbers)} numbers; give one, or one for each of the '
                          f'{len(usual)} joints')
    given = np.broadcast_to(numbers or 0.0, len(usual))
    return np.where(given > 0.0, given, usual)


def braking_speed(way: float, dt: float, acceleration: float) -> float:
    """Return the speed v of this period after which one can stop: ``v dt + v^2 / (2 a) = way``."""
    return 2.0 * way / (dt + sqrt(dt * dt + 2.0 * way / acceleration))


def stopping_way(v: float, a: float, acceleration: float, jerk: float) -> float:
    """
    Return the way until rest from speed v and acceleration a, both positive towards the obstacle.

    The acceleration falls to at most ``-acceleration`` and comes back to 0 together with the
    speed, at the rate ``jerk``. With ``v1 = v + a^2 / (2 j)``, the speed where the acceleration
    is 0, it is that from ``v1`` plus ``v1 a / j - a^3 / (6 j^2)``.
    """
    v1 = v + a * a / (2.0 * jerk)
    if v <= 0.0 and (a <= 0.0 or v1 <= 0.0):
        return 0.0
    if a < 0.0 and a * a >= 2.0 * jerk * v:  # it turns back before the acceleration is gone
        turn = (-a - sqrt(a * a - 2.0 * jerk * v)) / jerk
        return turn * (v + turn * (0.5 * a + turn * jerk / 6.0))
    if v1 * jerk <= acceleration * acceleration:
        way = v1 * sqrt(v1 / jerk)
    else:
        way = 0.5 * v1 * (v1 / acceleration + acceleration / jerk)
    return way + v1 * a / jerk - a * a * a / (6.0 * jerk * jerk)


def is_inside(v: float, a: float, dt: float, velocity: float, acceleration: float, jerk: float,
              up: float, down: float) -> bool:
    """Tell whether speed and acceleration are allowed, and the limits enough to stop in time."""
    if jerk == inf:
        return abs(v) <= velocity and abs(v) - acceleration * dt <= braking_speed(
            up if v > 0.0 else down, dt, acceleration)
    settled = v + a * abs(a) / (2.0 * jerk)  # the speed when the acceleration is gone
    return (abs(a) <= acceleration * (1.0 + 1e-9) and max(abs(v), abs(settled)) <= velocity
            and v * settled >= 0.0  # it need not swing back
            and stopping_way(v, a, acceleration, jerk) <= up
            and stopping_way(-v, -a, acceleration, jerk) <= down)


def may_rest(v: float, a: float, dt: float, acceleration: float, jerk: float) -> bool:
    """Tell whether a coordinate may stand in the next period, and go on standing."""
    needed = -v / dt
    return abs(needed) <= min(acceleration, jerk * dt) and abs(needed - a) <= jerk * dt


def window(v: float, dt: float, velocity: float, acceleration: float, brake: float, up: float,
           down: float) -> tuple[float, float]:
    """
    Return the least and the greatest next velocity.

    Who is too fast slows down, with ``acceleration`` at least and with ``brake`` at most.

    :param brake: greatest acceleration while braking, at least ``acceleration``.
    :param up: way to the obstacle above, at least 0.
    :param down: way to the obstacle below, at least 0.
    """
    most = min(braking_speed(up, dt, brake), max(velocity, v - acceleration * dt))
    least = -min(braking_speed(down, dt, brake), max(velocity, -v - acceleration * dt))
    if v >= 0.0:  # braking may be harder up to rest, not beyond it
        low, high = max(v - brake * dt, -acceleration * dt), v + acceleration * dt
    else:
        low, high = v - acceleration * dt, min(v + brake * dt, acceleration * dt)
    if most < low:
        return low, low
    if least > high:
        return high, high
    return max(low, least), min(high, most)


def smooth_window(v: float, a: float, dt: float, velocity: float, acceleration: float, jerk: float,
                  brake: float, brake_jerk: float, up: float,
                  down: float) -> tuple[float, float]:
    """
    Return what :func:`window` returns, with limited jerk.

    Who cannot stop before an obstacle stops behind it as soon as possible, and smoothly.

    :param a: present acceleration.
    :param brake_jerk: greatest jerk while braking, at least ``jerk``, finite.
    """
    low, high = _rates(v, a, dt, acceleration, jerk, brake, brake_jerk)
    most = _steepest(v, a, dt, velocity, brake, brake_jerk, up, low, high)
    least = -_steepest(-v, -a, dt, velocity, brake, brake_jerk, down, -high, -low)
    if least > most:
        least = most = most if _upwards(v, a, brake_jerk, up, down) else least
    return v + least * dt, v + most * dt


def _upwards(v: float, a: float, jerk: float, up: float, down: float) -> bool:
    """Tell which obstacle counts if not both can: where there is a way to go, else the next."""
    if (up > 0.0) != (down > 0.0):
        return up > 0.0
    return v + a * abs(a) / (2.0 * jerk) > 0.0  # the speed when the acceleration is gone


def _rates(v: float, a: float, dt: float, acceleration: float, jerk: float, brake: float,
           brake_jerk: float) -> tuple[float, float]:
    """Return the least and greatest next acceleration; what slows down may change faster."""
    if v < 0.0:
        low, high = _rates(-v, -a, dt, acceleration, jerk, brake, brake_jerk)
        return -high, -low
    slow, fast = jerk * dt, brake_jerk * dt
    high = min(a + slow, acceleration)
    if a < 0.0:
        high = max(high, min(a + fast, 0.0))
    low = max(a - fast, -brake, -acceleration - v / dt)  # braking ends at rest
    return min(low, a + fast), max(high, a - fast)


def _steepest(v: float, a: float, dt: float, velocity: float, brake: float, jerk: float,
              way: float, low: float, high: float) -> float:
    """Return the greatest next acceleration for an obstacle above; ``low`` if none is enough."""
    room = velocity - v
    most = min(copysign(jerk * (sqrt(dt * dt + 2.0 * abs(room) / jerk) - dt), room), high)
    if most <= low:
        return low
    way = max(way, stopping_way(v, a, brake, jerk))
    most = min(most, (way / dt - v) / dt)  # leads to the obstacle within this period
    if most <= low:
        return low

    def excess(x: float) -> float:
        w = v + x * dt
        return stopping_way(w, x, brake, jerk) + w * dt - way

    over, under, span = excess(most), excess(low), most - low
    if over <= 0.0:
        return most
    if under > 0.0:
        return low
    for share in CLOSE:
        x = most - share * span
        value = excess(x)
        if value <= 0.0:
            low, under = x, value
            break
        most, over = x, value
    return _root(excess, low, under, most, over)


def _root(excess: Callable[[float], float], low: float, under: float, high: float,
          over: float) -> float:
    """Return a place close to the root, on the side of ``low``: regula falsi, Illinois."""
    side = 0
    near = 1e-6 * (high - low)
    for _ in range(ROOT_STEPS):
        x = (low * over - high * under) / (over - under)
        if not low < x < high:
            break
        value = excess(x)
        if value <= 0.0:
            over = 0.5 * over if side < 0 else over
            if value == 0.0 or (x - low < near and side < 0):
                return x
            low, under, side = x, value, -1
        else:
            under = 0.5 * under if side > 0 else under
            high, over, side = x, value, 1
    return low
