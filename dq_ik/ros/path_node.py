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
"""A node that moves a goal along a path and keeps count of how well it is followed."""

from __future__ import annotations

from dataclasses import dataclass
import sys
import time
from typing import Any

from dq_ik.options import setting
from dq_ik.pose import Pose
from dq_ik.robot.chain import Chain
from dq_ik.ros.description import listen_for_description
from dq_ik.ros.groups import read_robot
from dq_ik.ros.parameters import declare
from dq_ik.ros.remote import GoalTopics
from dq_ik.ros.running import run, steady_timer, StopError
from dq_ik.ros.settings import GoalSenderSettings
from dq_ik.stream.path import find_path, Path
from dq_ik.stream.tally import Tally
from rclpy.node import Node
from sensor_msgs.msg import JointState

LAST_ANSWERS = 0.3  # time for the answers to the last goals [s]
LATEST = 3.0  # periods by which the goal moves on after a pause, so that it does not jump


@dataclass(frozen=True)
class PathSettings(GoalSenderSettings):
    """Parameters of the node."""

    rate: float = setting(
        100.0, 'goals per second [Hz]', minimum=1.0, maximum=1000.0, read_only=True)
    duration: float = setting(
        0.0, 'end after this time of motion [s]; 0: never', minimum=0.0, maximum=1e6,
        read_only=True)
    rest: float = setting(
        10.0, 'pause after a goal that somebody else sent [s]', minimum=0.0, maximum=1e6,
        read_only=True)
    patience: float = setting(
        600.0, 'give up when nothing answers for this long [s]', minimum=1.0, maximum=1e6,
        read_only=True)


class PathNode(Node):
    """Sends goals to an ik node once that is ready; rests while somebody else drags a goal."""

    def __init__(self, tally: Tally, **kwargs: Any) -> None:
        super().__init__('dq_ik_path', **kwargs)
        self._settings = settings = declare(self, PathSettings)
        self._tally = tally
        self._chain: Chain | None = None
        self._path: Path | None = None
        self._created = time.monotonic()
        self._start = self._last = 0.0
        self._along = 0.0  # seconds of the path
        self._resting_until = 0.0
        self._commands = f'{settings.ik_node}/joint_commands'
        listen_for_description(self, settings.robot_description, self._use)
        self.create_subscription(JointState, self._commands, self._on_command, 10)
        steady_timer(self, 1.0 / settings.rate, self._tick)
        self.get_logger().info(f'waiting for {settings.ik_node}')

    def _use(self, urdf: str) -> None:
        """Move the tips of this robot; the first description counts."""
        if self._chain is None:
            self._chain = self._settings.chain(read_robot(urdf))
            self._goals = GoalTopics(
                self, self._settings.ik_node, self._chain, self._on_foreign_goal)

    def _tick(self) -> None:
        now = time.monotonic()
        if self._path is None:
            self._begin_when_ready(now)
            return
        self._goals.hear()
        moving, since, self._last = now - self._start, now - self._last, now
        duration = self._settings.duration
        if duration and moving >= duration:
            if moving >= duration + LAST_ANSWERS:
                self.context.try_shutdown()
            return
        if now < self._resting_until:
            return
        self._along += min(since, LATEST / self._settings.rate)
        goals = self._path.goals(self._along)
        self._tally.send(goals, now)
        for tip, pose in goals.items():
            self._goals.send(tip, pose)

    def _begin_when_ready(self, now: float) -> None:
        """Start when the ik node, which announces its topics last, offers its commands."""
        if self._chain and self.count_publishers(self.resolve_topic_name(self._commands)):
            self._path = find_path(self._chain)
            self._start = self._last = time.monotonic()
            self.get_logger().info(
                f'moving the goal of {", ".join(self._chain.tips)} at {self._settings.rate:g} Hz')
        elif now - self._created > self._settings.patience:
            raise StopError(f'no answer on {self._commands} in {self._settings.patience:g} s')

    def _on_command(self, msg: JointState) -> None:
        if self._chain is None or time.monotonic() < self._resting_until:
            return
        q = self._chain.configuration(dict(zip(msg.name, msg.position)), strict=False)
        self._tally.answer(self._chain.fk_all(q), time.monotonic())

    def _on_foreign_goal(self, tip: str, pose: Pose) -> None:
        now = time.monotonic()
        if now >= self._resting_until:
            self.get_logger().info(
                f'somebody else moves {tip}: resting until {self._settings.rest:g} s after that')
            self._tally.forget()
            self._goals.send(tip, pose)  # a goal of the path may have replaced it meanwhile
        self._resting_until = now + self._settings.rest


def main(args: list[str] | None = None) -> int:
    """Run the node until its path ends, then print what became of the goals."""
    tally = Tally()
    code = run('dq_ik_path', lambda: PathNode(tally), args)
    if code == 0:
        print(tally.summary(), flush=True)
    return code or (0 if tally.answers else 1)


if __name__ == '__main__':
    sys.exit(main())
