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
"""Counting what became of the goals of a moving path. No ROS inside."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from dq_ik.options import IkOptions
from dq_ik.pose import Pose

SLACK = 1.01  # the goal went through a message and our own forward kinematics
IN_FLIGHT = 100  # goals that may wait for their answer


@dataclass(frozen=True)
class Answer:
    """How well one goal was met."""

    position_error: float  # of the worst tip [m]
    rotation_error: float  # [rad]
    latency: float  # [s]


@dataclass
class Waiting:
    """Goals of all tips that were sent together, and the nearest command since then."""

    time: float
    goals: Mapping[str, Pose]
    best: Answer | None = None


@dataclass
class Tally:
    """
    Goals sent and the answers to them.

    While the arm travels to the path at limited speed its goals are counted apart: until the first
    one is met, and after goals that nobody answered, since the next one is then far away. Errors
    are measured here, by forward kinematics on the joints that were commanded; what the solver
    says about itself is not used.
    """

    options: IkOptions = field(default_factory=IkOptions)
    sent: int = 0
    travelling: int = 0  # goals while the arm was not at the path yet
    answers: list[Answer] = field(default_factory=list)
    _waiting: deque[Waiting] = field(default_factory=lambda: deque(maxlen=IN_FLIGHT))
    _times: list[float] = field(default_factory=list)
    _is_there: bool = False  # the last goal was answered, and met before

    def send(self, goals: Mapping[str, Pose], now: float) -> None:
        """Note that goals of all tips go out at the time ``now`` [s]."""
        self.sent += 1
        self._waiting.append(Waiting(now, goals))

    def forget(self) -> None:
        """Give up waiting for answers: somebody else commands the robot."""
        self.finish()
        self.sent -= len(self._waiting)
        self._waiting.clear()

    def answer(self, reached: Mapping[str, Pose], now: float) -> None:
        """
        Note where a command brings the tips.

        It answers the goals nearest to it; older ones were overtaken. Goals of several tips are
        heard one after the other, so that only the last of some commands meets them all.
        """
        if not self._waiting:
            return
        errors = [_worst(item.goals, reached) for item in self._waiting]
        nearest = min(range(len(errors)), key=lambda index: errors[index])
        for _ in range(nearest):
            self._close(self._waiting.popleft())
        item, error = self._waiting[0], errors[nearest]
        if item.best is None or error < (item.best.position_error, item.best.rotation_error):
            item.best = Answer(*error, now - item.time)
        self._times.append(now)
        if self._is_met(item.best):
            self._close(self._waiting.popleft())

    def finish(self) -> None:
        """Count the goals that were answered but not met, and that no later command overtook."""
        while self._waiting and self._waiting[0].best:
            self._close(self._waiting.popleft())

    def _close(self, item: Waiting) -> None:
        self._is_there = item.best is not None and (self._is_there or self._is_met(item.best))
        if item.best and self._is_there:
            self.answers.append(item.best)
        elif item.best:
            self.travelling += 1
            self.sent -= 1

    def _is_met(self, answer: Answer) -> bool:
        return (answer.position_error <= SLACK * self.options.position_tolerance
                and answer.rotation_error <= SLACK * self.options.rotation_tolerance)

    @property
    def solved(self) -> int:
        """Return the number of goals met within the tolerances of the solver."""
        return sum(self._is_met(answer) for answer in self.answers)

    def summary(self) -> str:
        """Return a few lines for a person."""
        self.finish()
        lines = [f'goals sent      {self.sent}', f'answered        {len(self.answers)}',
                 f'solved          {self.solved}']
        if self.travelling:
            lines.append(f'on the way      {self.travelling} goals, until the arm was at the path')
        if self.answers:
            position = [answer.position_error for answer in self.answers]
            rotation = [answer.rotation_error for answer in self.answers]
            latency = median(answer.latency for answer in self.answers)
            span = self._times[-1] - self._times[0]
            lines += [
                f'position error  mean {_mean(position):.1e} m, worst {max(position):.1e} m',
                f'rotation error  mean {_mean(rotation):.1e} rad, worst {max(rotation):.1e} rad',
                f'rate            {(len(position) - 1) / span if span else 0.0:.0f} answers/s, '
                f'each after {1e3 * latency:.1f} ms (median)',
            ]
        return '\n'.join(lines)


def _worst(goals: Mapping[str, Pose], reached: Mapping[str, Pose]) -> tuple[float, float]:
    """Return the largest distance and the largest angle between goals and poses."""
    distances = [goals[tip].distance(reached[tip]) for tip in goals]
    return max(metres for metres, _ in distances), max(radians for _, radians in distances)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
