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
from dq_ik.robot.model import JointKind, RobotModel, SINGLE_AXIS
from dq_ik.ros.conversions import joint_positions, multi_dof_positions
from dq_ik.ros.groups import Robot
import numpy as np

# Rounding that a position on the edge of a constraint may show.
SLACK = 1e-9
# What the limit of a joint without one is for the solver.
UNBOUNDED = 1e100
TURN = 2.0 * math.pi
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
    """
    A joint must be between two positions.

    :param is_continuous: whole turns make no difference.
    """

    joint: str
    lower: float
    upper: float
    is_continuous: bool = False

    def near(self, position: float) -> tuple[float, float]:
        """Return the range in the turn that is nearest to a position."""
        turns = 0.0
        if self.is_continuous:
            turns = TURN * round((position - 0.5 * (self.lower + self.upper)) / TURN)
        return self.lower + turns, self.upper + turns

    def holds(self, positions: Mapping[str, float]) -> bool:
        """Whether the joint is where it must be."""
        position = positions[self.joint]
        lower, upper = self.near(position)
        return lower - SLACK <= position <= upper + SLACK


def joint_ranges(msg: Any, model: RobotModel) -> tuple[JointRange, ...]:
    """
    Read the joint constraints of a ``moveit_msgs/Constraints``.

    :raises RequestError: INVALID_GOAL_CONSTRAINTS.
    """
    ranges = (_joint_range(constraint, model) for constraint in msg.joint_constraints)
    return tuple(item for item in ranges
                 if not (item.is_continuous and item.upper - item.lower >= TURN))


def _joint_range(msg: Any, model: RobotModel) -> JointRange:
    name = msg.joint_name
    if not any(joint.name == name for joint in model.joints):
        raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                           f"a constraint names the unknown joint '{name}'")
    joint = model.joint(name)
    if joint.kind not in SINGLE_AXIS:
        raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                           f"joint '{name}' is {joint.kind}: it has no single position that a "
                           'constraint could be for')
    lower, upper = msg.position - msg.tolerance_below, msg.position + msg.tolerance_above
    lower, upper = max(lower, joint.lower), min(upper, joint.upper)
    if not (math.isfinite(msg.position) and lower <= upper):
        raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                           f"no position of joint '{name}' satisfies its constraint and limits")
    return JointRange(name, lower, upper, joint.kind is JointKind.CONTINUOUS)


def bounds(chain: Chain, ranges: tuple[JointRange, ...], seed: np.ndarray,
           model: RobotModel) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the limits of a chain's variables, narrowed to the ranges in the turns of the seed.

    :param model: that of the URDF.
    :raises RequestError: INVALID_GOAL_CONSTRAINTS, where ranges of a joint exclude each other.
    """
    lower, upper = chain.lower.clip(-UNBOUNDED), chain.upper.clip(max=UNBOUNDED)
    for item in ranges:
        moving = _of_master(item, model)
        if moving.joint not in chain.joint_names:
            continue  # those of balls and beside the group are no bounds, and are checked
        i = chain.joint_names.index(moving.joint)
        low, high = moving.near(seed[i])
        lower[i], upper[i] = max(lower[i], low), min(upper[i], high)
        if lower[i] > upper[i]:
            raise RequestError(ErrorCode.INVALID_GOAL_CONSTRAINTS,
                               f"no position of joint '{item.joint}' satisfies all constraints")
    return lower, upper


def _of_master(item: JointRange, model: RobotModel) -> JointRange:
    """Return the range of the joint that a mimic joint follows; of others, their own."""
    mimic = model.joint(item.joint).mimic
    if mimic is None or mimic.multiplier == 0.0:
        return item
    lower, upper = sorted((end - mimic.offset) / mimic.multiplier
                          for end in (item.lower, item.upper))
    return JointRange(mimic.joint, lower, upper)


def broken_ranges(ranges: tuple[JointRange, ...], positions: Mapping[str, float]) -> list[str]:
    """Return the joints that are not where they must be."""
    return [item.joint for item in ranges if not item.holds(positions)]
