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
"""Jogging: velocities of tips and of joints in, a moving target of the joints out."""

from __future__ import annotations

from dataclasses import dataclass
import math

from dq_ik.errors import GoalError, listing
from dq_ik.options import IkOptions, setting
from dq_ik.pose import Pose
from dq_ik.result import IkResult
from dq_ik.robot.chain import Chain
from dq_ik.stream.goal_mode import goal_maker
from dq_ik.stream.settings import StreamSettings
from dq_ik.stream.shift import Shift
from dq_ik.stream.twist import TwistStep
import numpy as np
from numpy.typing import ArrayLike

SPEED_UNITS, UNITLESS = 'speed_units', 'unitless'
FASTEST = 1e3  # m/s or rad/s; what is faster is a mistake
REST = 1e-3  # share of the peak speed that counts as none


@dataclass(frozen=True)
class JogSettings(StreamSettings):
    """How goals, twists and joint velocities are followed."""

    command_in_type: str = setting(
        SPEED_UNITS, 'what twists and joint jogs mean: m/s and rad/s, or shares of the scales '
        'below, -1 to 1, as a joystick gives them', choices=(SPEED_UNITS, UNITLESS))
    twist_linear_scale: float = setting(
        0.2, 'speed of the tool [m/s] at the unitless command 1', minimum=0.0, maximum=10.0)
    twist_angular_scale: float = setting(
        0.8, 'turning speed of the tool [rad/s] at the unitless command 1', minimum=0.0,
        maximum=10.0)
    joint_jog_scale: float = setting(
        0.5, 'speed of a joint [rad/s or m/s] at the unitless command 1', minimum=0.0,
        maximum=10.0)
    twist_timeout: float = setting(
        0.2, 'slow down to rest when no twist or joint jog came for this long [s]; older ones '
        'are refused', minimum=0.01, maximum=10.0)
    jog_dead_band: float = setting(
        0.0, 'share of the scales up to which twists and joint jogs count as zero; 0: off',
        minimum=0.0, maximum=0.9)
    jog_filter_time: float = setting(
        0.0, 'time constant [s] of the low-pass of twists and joint jogs; 0: off', minimum=0.0,
        maximum=10.0)
    clutch: bool = setting(
        False, 'follow pose goals only while ~/clutch is true, relative to where the tool was '
        'when it became true')


class Ramp:
    """A velocity that follows commands: low-pass, bounded change, rest when they end."""

    def __init__(self, size: int) -> None:
        """Be at rest."""
        self._rest = np.zeros(size)
        self.rest()

    def rest(self) -> None:
        """Stand still at once."""
        self.velocity = self.wanted = self._smooth = self._rest
        self._peak = 0.0
        self._until = -math.inf

    def take(self, wanted: np.ndarray, until: float) -> None:
        """Take a command that counts until a time."""
        self.wanted, self._until = wanted, until

    def end(self) -> None:
        """Let the command be over: the velocity goes down to rest."""
        self._until = -math.inf

    @property
    def active(self) -> bool:
        """Whether there is a velocity, or a command for one."""
        return bool(self.velocity.any() or self.wanted.any())

    def advance(self, wanted: np.ndarray, now: float, dt: float,
                settings: JogSettings) -> np.ndarray:
        """
        Return the velocity after ``dt``.

        It needs at most ``ramp_time`` from rest to any velocity, and back to rest.

        :param wanted: the command, along the axes of the velocity.
        """
        if now > self._until:
            self.wanted = wanted = self._rest
        smooth = settings.jog_filter_time
        share = -math.expm1(-dt / smooth) if smooth > 0 else 1.0
        self._smooth = self._smooth + share * (wanted - self._smooth)
        self._peak = max(self._peak, float(np.linalg.norm(self._smooth)))
        change = self._smooth - self.velocity
        size, most = float(np.linalg.norm(change)), math.inf
        if settings.ramp_time > 0:
            most = self._peak * dt / settings.ramp_time
        self.velocity = self.velocity + change if size <= most else (
            self.velocity + change * (most / size))
        if not wanted.any() and np.linalg.norm(self.velocity) <= REST * self._peak:
            self.rest()
        return self.velocity


class Jog:
    """
    Follows twists of the tips, velocities and displacements of the joints, the newest of these.

    Feed it with :meth:`twist`, :meth:`joints` and :meth:`displace`; :meth:`advance` moves a target
    of the joints once per period, for :meth:`Tracker.set_target`.
    """

    def __init__(self, chain: Chain, options: IkOptions, settings: JogSettings) -> None:
        """Be at rest."""
        self.chain = chain
        self._joints, self._shift = Ramp(chain.n), Shift(chain.angles)
        self.configure(options, settings)
        self.stop()

    def configure(self, options: IkOptions, settings: JogSettings) -> None:
        """Take new options; the motion goes on."""
        self._settings = settings
        self._step = TwistStep(self.chain, options, goal_maker(settings))
        scaling = settings.velocity_scaling or 1.0
        self._speed, self._joint_speed = (
            velocity * scaling for velocity in (self.chain.velocity, self.chain.angles.velocity))

    def stop(self) -> None:
        """Forget all velocities at once; who moves the target otherwise calls this."""
        self._tips: dict[str, tuple[Ramp, bool]] = {}
        self._joints.rest()
        self._shift.rest()

    @property
    def active(self) -> bool:
        """Whether something moves, or is about to."""
        return self._joints.active or self._shift.active or any(
            ramp.active for ramp, _ in self._tips.values())

    def twist(self, tip: str, twist: ArrayLike, now: float, axes: Pose | None = None) -> None:
        """
        Take the wanted velocity of a tip's origin.

        :param twist: linear first.
        :param axes: pose in the base of the frame along whose axes it is; None: the tip's own,
            which turn with it.
        :param now: time [s] on a steady clock.
        :raises DqIkError: if it is none.
        """
        self.chain.tip_number(tip)
        numbers = _checked(twist, 6, 'a twist')
        settings = self._settings
        wanted = np.concatenate([
            self._scaled(numbers[:3], settings.twist_linear_scale, 'the linear part of a twist'),
            self._scaled(numbers[3:], settings.twist_angular_scale,
                         'the angular part of a twist')])
        if axes is not None:
            wanted = turned(wanted, axes)
        ramp = self._tips[tip][0] if tip in self._tips else Ramp(6)
        ramp.take(wanted, now + settings.twist_timeout)
        self._tips[tip] = ramp, axes is None
        self._joints.end()
        self._shift.end()

    def joints(self, velocities: dict[str, float], now: float) -> None:
        """
        Take the wanted velocities of joints; those that are not named stand.

        :param velocities: by the names of the URDF's joints.
        :raises DqIkError: if a joint is unknown, or a velocity none.
        """
        self._joints.take(self._speeds(velocities), now + self._settings.twist_timeout)
        self._shift.end()
        for ramp, _ in self._tips.values():
            ramp.end()

    def displace(self, displacements: dict[str, float],
                 velocities: dict[str, float] | None = None, duration: float = 0.0) -> None:
        """
        Move joints by displacements [rad or m] from where they are, and stop there.

        :param velocities: their speeds; None: such that it takes ``duration``.
        :param duration: [s]; 0: the speed is ``joint_jog_scale``. No joint exceeds its own speed.
        :raises DqIkError: if a joint is unknown, or a number none.
        """
        way = np.zeros(self.chain.n)
        for name, value in displacements.items():
            way[self._index(name)] = _checked([value], 1, f"the displacement of '{name}'")[0]
        if not 0.0 <= duration < math.inf:
            raise GoalError(f'the duration of a joint jog is {duration}; it must be 0 or more')
        if velocities is not None:
            speed = np.abs(self._speeds(velocities))
            if np.any((way != 0.0) & (speed == 0.0)):
                raise GoalError('a joint jog has a displacement with the velocity 0; leave the '
                                'velocities empty or give each joint one')
        else:
            speed = np.abs(way) / duration if duration > 0.0 else np.full(
                self.chain.n, self._settings.joint_jog_scale)
        self._shift.take(way, np.minimum(speed, self._joint_speed))
        self._joints.end()
        for ramp, _ in self._tips.values():
            ramp.end()

    def _speeds(self, velocities: dict[str, float]) -> np.ndarray:
        """Return velocities by name as those of all joints (n,), 0 for joints without a name."""
        wanted = np.zeros(self.chain.n)
        for name, value in velocities.items():
            what = f"the velocity of joint '{name}'"
            wanted[self._index(name)] = self._scaled(
                _checked([value], 1, what), self._settings.joint_jog_scale, what)[0]
        return wanted

    def _index(self, name: str) -> int:
        """Return the number of a joint; raises GoalError if there is none of that name."""
        names = self.chain.angles.names
        if name not in names:
            raise GoalError(f"there is no joint '{name}' to jog; the joints are {listing(names)}")
        return names.index(name)

    def advance(self, q: np.ndarray, now: float, dt: float) -> tuple[np.ndarray, IkResult | None]:
        """
        Return the target after ``dt``, and the answer of the solver if a tip moves.

        :param q: the target now.
        """
        chain, settings, speed = self.chain, self._settings, self._speed
        velocity = np.clip(self._joints.advance(self._joints.wanted, now, dt, settings),
                           -self._joint_speed, self._joint_speed)
        twists = {}
        for tip, (ramp, is_own) in self._tips.items():
            wanted = turned(ramp.wanted, chain.fk(q, tip)) if is_own else ramp.wanted
            twists[tip] = ramp.advance(wanted, now, dt, settings)
        moving = {tip: twist for tip, twist in twists.items() if twist.any()}
        step = velocity * dt
        if self._shift.active:
            step += self._shift.advance(chain.angles.of(q), dt, settings.ramp_time)
        after = self._shifted(q, step) if step.any() else q
        if not moving:
            return after, None
        return self._step.step(after, moving, dt, np.maximum(speed - np.abs(velocity), 0.0))

    def _shifted(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return a joint vector after a step of the URDF's joints, within all limits."""
        joints = self.chain.angles
        return self.chain.clamp(joints.vector(
            np.clip(joints.of(q) + step, joints.lower, joints.upper)))

    def _scaled(self, numbers: np.ndarray, scale: float, what: str) -> np.ndarray:
        """Return a velocity in units of speed, without what is inside the dead band."""
        if self._settings.command_in_type == UNITLESS:
            if np.abs(numbers).max() > 1.0:
                raise GoalError(
                    f'{what} is {numbers.tolist()}; unitless commands are from -1 to 1 (set '
                    f'command_in_type to {SPEED_UNITS} for m/s and rad/s)')
            numbers = scale * numbers
        band = self._settings.jog_dead_band
        size = float(np.linalg.norm(numbers))
        if band <= 0 or size >= scale or size == 0:
            return numbers
        return numbers * (max(0.0, (size - band * scale) / (1.0 - band)) / size)


def turned(twist: np.ndarray, axes: Pose) -> np.ndarray:
    """Return a twist along the axes of a frame as one along those of the base."""
    R = axes.matrix[:3, :3]
    return np.concatenate([R @ twist[:3], R @ twist[3:]])


def _checked(values: ArrayLike, count: int, what: str) -> np.ndarray:
    """Return finite numbers of sensible size, or raise a GoalError."""
    numbers = np.asarray(values, dtype=float)
    if numbers.shape != (count,):
        raise GoalError(f'{what} has {count} numbers, got shape {numbers.shape}')
    if not np.all(np.abs(numbers) <= FASTEST):
        raise GoalError(f'{what} is {numbers.tolist()}; it must be finite and at most '
                        f'{FASTEST:g} in size')
    return numbers
