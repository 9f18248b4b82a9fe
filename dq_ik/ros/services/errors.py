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
"""Answers of the services: MoveIt's error codes, and the exception that carries one."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from dq_ik.errors import DqIkError


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
