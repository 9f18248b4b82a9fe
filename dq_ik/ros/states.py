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
"""Joint positions of the whole robot: the last joint_states, and what a request says on top."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import math
from typing import Any

from dq_ik.errors import DqIkError
from dq_ik.ros.conversions import joint_positions, multi_dof_positions
from dq_ik.ros.groups import Robot
from dq_ik.ros.services.errors import ErrorCode, RequestError

NO_JOINT_STATES = 'no joint_states received yet, joints not in the request are taken at neutral'


class CurrentState:
    """The newest position of each joint. Publishers may send parts of it, or of other robots."""

    def __init__(self, take: Callable[[], Iterable[Any]] = tuple) -> None:
        """
        Know nothing.

        :param take: returns the ``sensor_msgs/JointState`` that came since it was last called.
        """
        self._take = take
        self.recent: dict[str, float] = {}  # as of the last look

    @property
    def positions(self) -> dict[str, float]:
        """Positions by joint name, with all that has arrived until now."""
        self.refresh()
        return self.recent

    def refresh(self) -> None:
        """Take what has arrived."""
        for msg in self._take():
            self.update(msg)

    def update(self, msg: Any) -> None:
        """Take a ``sensor_msgs/JointState``, unless lengths differ or a value is not finite."""
        if len(msg.name) == len(msg.position) and math.isfinite(sum(msg.position)):
            self.recent.update(zip(msg.name, msg.position))

    def knows(self, names: tuple[str, ...]) -> bool:
        """Whether every one of these joints was heard of."""
        positions = self.positions
        return all(name in positions for name in names)


def requested_state(msg: Any, robot: Robot, current: Mapping[str, float]) -> dict[str, float]:
    """
    Return the positions of a ``moveit_msgs/RobotState``: listed joints replace the current ones.

    As in MoveIt, ``is_diff`` makes no difference and an empty state means the current one.

    :raises RequestError: INVALID_ROBOT_STATE: an unknown joint, lengths differ, or not finite.
    """
    try:
        listed = joint_positions(msg.joint_state, robot.model)
        listed.update(multi_dof_positions(msg.multi_dof_joint_state, robot.model))
    except DqIkError as error:
        raise RequestError(ErrorCode.INVALID_ROBOT_STATE, error) from None
    return {**current, **listed}
