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
"""What the node says about itself: ``~/status`` per goal, ``/diagnostics`` once a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
import math
import statistics
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from dq_ik.result import IkResult
from dq_ik.stream.outlook import Outlook
from dq_ik.stream.tracker import Tracker

# Latencies kept for the diagnostics: the last second of a fast stream.
WINDOW = 1000
WORTH_TELLING = 1.0  # of distances of bodies [m]
REFUSAL_SHOWN = 1.0  # time in which steps to an older goal do not hide a refusal [s]


@dataclass
class Counters:
    """What happened since the last diagnostics; ``refused`` holds the newest reason."""

    goals: int = 0
    reached: int = 0
    best_reach: int = 0
    refused: int = 0
    last_refusal: str = ''
    commands: int = 0
    ik_calls: int = 0
    ik_failures: int = 0
    fk_calls: int = 0
    latencies: deque = field(default_factory=lambda: deque(maxlen=WINDOW))


class StatusTopic:
    """Publishes a change of level at once, and else at most once in ``period`` seconds."""

    def __init__(self, publisher: Any, period: float = 0.1) -> None:
        """Take the publisher of ``~/status``."""
        self.period = period
        self.silent = False
        self._publisher = publisher
        self._level: bytes | None = None
        self._time = 0.0
        self._pending: Callable[[], DiagnosticStatus] | None = None

    def offer(self, level: bytes, make: Callable[[], DiagnosticStatus], now: float) -> None:
        """
        Publish a status if it is due, else keep it for :meth:`flush`.

        :param make: builds the message, only if it is needed.
        :param now: time [s] on a steady clock.
        """
        self._pending = make
        if level != self._level or now - self._time >= self.period:
            self._level = level
            self.flush(now)

    def flush(self, now: float) -> None:
        """Publish the newest status, unless it is out already."""
        if self._pending is not None and not self.silent:
            self._publisher.publish(self._pending())
            self._pending, self._time = None, now


def result_status(name: str, result: IkResult, stream: Tracker,
                  hint: str = '') -> DiagnosticStatus:
    """
    Return the status of a goal: OK when reached, WARN with the reason while it is not.

    :param hint: what can be done about it
    """
    level = DiagnosticStatus.OK if result.success else DiagnosticStatus.WARN
    outlook = stream.outlook
    message = '; '.join(filter(None, (result.message, hint, outlook.sentence)))
    return DiagnosticStatus(level=level, name=name, message=message, values=_pairs((
        ('status', result.status.name.lower()),
        *motion_facts(stream, outlook),
        ('position_error', f'{max(result.position_error):.3e}'),
        ('rotation_error', f'{max(result.rotation_error):.3e}'),
        ('limited_joints', ' '.join(result.limited_joints)),
        ('iterations', result.iterations),
        ('time', f'{result.time:.3e}'))))


def motion_facts(stream: Tracker, outlook: Outlook) -> list[tuple[str, str]]:
    """Return what ``~/status`` and ``/diagnostics`` say about the motion; empty: not known."""
    contact = stream.nearest(WORTH_TELLING)
    shares = (('speed', stream.speed_share), ('acceleration', stream.acceleration_share))
    return [
        ('policy', stream.policy),
        ('phase', stream.phase),
        ('margin', f'{outlook.margin:.3f}'),
        ('nearest_limit', outlook.nearest),
        ('time_left', f'{outlook.time_left:.2f}'),
        ('next_limit', outlook.coming),
        ('time_to_loss', f'{outlook.time_to_loss:.2f}'),
        ('nearest_pair', f'{contact.first} {contact.second}' if contact else ''),
        ('clearance', f'{contact.distance:.4f}' if contact else ''),
        *((key, '' if math.isnan(share) else f'{share:.3f}') for key, share in shares)]


def jog_status(name: str, result: IkResult | None, stream: Tracker) -> DiagnosticStatus:
    """Return the status while the arm is jogged: WARN with the reason where a part is left."""
    facts = motion_facts(stream, stream.outlook)
    if result is None or result.success:
        return DiagnosticStatus(level=DiagnosticStatus.OK, name=name, message='jogging',
                                values=_pairs(facts))
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN, name=name,
        message=f'jogging, as far as limits and speeds of the joints allow: {result.message}',
        values=_pairs((*facts, ('limited_joints', ' '.join(result.limited_joints)))))


def refusal_status(name: str, reason: str) -> DiagnosticStatus:
    """Return the status of a goal that is not followed."""
    return DiagnosticStatus(level=DiagnosticStatus.ERROR, name=name,
                            message=f'goal not followed: {reason}')


def hold_status(name: str, age: float) -> DiagnosticStatus:
    """Return the status after the watchdog stopped the motion."""
    return DiagnosticStatus(level=DiagnosticStatus.STALE, name=name,
                            message=f'no goal for {age:.2f} s; holding position')


def diagnostics(name: str, counters: Counters, period: float, goal_age: float | None,
                facts: Iterable[tuple[str, Any]] = ()) -> DiagnosticStatus:
    """
    Return the summary of a period.

    :param period: seconds since the last one.
    :param goal_age: seconds since the last goal, None if there was none.
    :param facts: further keys and values.
    """
    latencies = sorted(counters.latencies)
    level, message = DiagnosticStatus.OK, 'no goal yet'
    if counters.refused:
        level, message = DiagnosticStatus.WARN, f'goals were refused: {counters.last_refusal}'
    elif goal_age is not None:
        message = f'following, last goal {goal_age:.1f} s ago'
    return DiagnosticStatus(level=level, name=name, message=message, values=_pairs((
        *facts,
        ('goal_rate', f'{counters.goals / period:.1f}'),
        ('command_rate', f'{counters.commands / period:.1f}'),
        ('goals_reached', counters.reached),
        ('goals_best_reach', counters.best_reach),
        ('goals_refused', counters.refused),
        ('latency_median', f'{statistics.median(latencies):.3e}' if latencies else ''),
        ('latency_max', f'{latencies[-1]:.3e}' if latencies else ''),
        ('compute_ik_calls', counters.ik_calls),
        ('compute_ik_failures', counters.ik_failures),
        ('compute_fk_calls', counters.fk_calls))))


def _pairs(items: Iterable[tuple[str, Any]]) -> list[KeyValue]:
    return [KeyValue(key=key, value=str(value)) for key, value in items]
