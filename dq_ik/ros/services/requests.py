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
Requests: the robot state and the joint constraints in them, and the errors that answer them.

Joint constraints become tighter limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
import math
from typing import Any

from dq_ik.errors import DqIkError
from dq_ik.robot.chain import Chain
from dq_ik.robot.model import RobotModel
from dq_ik.ros.conversions import joint_positions, multi_dof_positions
from dq_ik.ros.groups import Robot
import numpy as np

# Rounding that a position on the edge of a constraint may show.
SLACK = 1e-9
# What the limit of a joint without one is for the solver.
UNBOUNDED = 1e100
NO_JOINT_STATES = 'no joint_states received yet, joints not in the request are taken at neutral'


class ErrorCode(IntEnum):
    """The values of ``moveit_msgs/MoveItErrorCodes`` that the services answer with."""

    SUCCESS = 1
    FAILURE = 99999
    TIMED_OUT = -6
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    FRAME_TRANSFORM_FAILURE = -21
    NO_IK_SOLUTION = -31


class RequestError(DqIkError):
    """A request is answered with an error code and a reason."""

    def __init__(self, code: ErrorCode, reason: object) -> None:
        super().__init__(str(reason))
        self.code = code


def fill_error(msg: Any, code: ErrorCode, message: str) -> None:
    """Write an error code; Humble's message has no room for the text."""
    msg.val = int(code)
    if hasattr(msg, 'message'):
        msg.message = message
        msg.source = 'dq_ik'


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


@dataclass(frozen=True)
class JointRange:
    """A joint must be between two positions."""

    joint: str
    lower: float
    upper: float

    def holds(self, positions: Mapping[str, float]) -> bool:
        """Whether the joint is where it must be; joints without a value are not judged."""
        position = positions.get(self.joint, self.lower)
        return self.lower - SLACK <= position <= self.upper + SLACK


def joint_ranges(msg: Any, model: RobotModel) -> tuple[JointRange, ...]:
    """
    Read the joint constraints of a ``moveit_msgs/Constraints``.

    :raises RequestError: INVALID_GOAL_CONSTRAINTS.
    """
    return tuple(_joint_range(constraint, model) for constraint in msg.joint_constraints)


def _joint_range(msg: Any, model: RobotModel) -> JointRange:
    name = msg.joint_name
    if not any(joint.name == name for joint in model.joints):
        raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                           f"a constraint names the unknown joint '{name}'")
    lower, upper = msg.position - msg.tolerance_below, msg.position + msg.tolerance_above
    joint = model.joint(name)
    lower, upper = max(lower, joint.lower), min(upper, joint.upper)
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                           f"no position of joint '{name}' satisfies its constraint and limits")
    return JointRange(name, lower, upper)


def bounds(chain: Chain, ranges: tuple[JointRange, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of a chain's variables, narrowed to the ranges."""
    lower, upper = chain.lower.clip(-UNBOUNDED), chain.upper.clip(max=UNBOUNDED)
    for item in ranges:
        if item.joint in chain.joint_names:  # those of balls are no bounds, and are checked
            i = chain.joint_names.index(item.joint)
            lower[i], upper[i] = max(lower[i], item.lower), min(upper[i], item.upper)
    return lower, upper


def broken_ranges(ranges: tuple[JointRange, ...], positions: Mapping[str, float]) -> list[str]:
    """Return the joints that are not where they must be."""
    return [item.joint for item in ranges if not item.holds(positions)]
