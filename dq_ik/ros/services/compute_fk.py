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
"""The service ``compute_fk`` (``moveit_msgs/GetPositionFK``), as move_group answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dq_ik.errors import listing, nearest
from dq_ik.pose import Pose
from dq_ik.ros.conversions import fill_pose
from dq_ik.ros.frames import FrameError, Frames
from dq_ik.ros.groups import Robot
from dq_ik.ros.services.requests import ErrorCode, fill_error, requested_state, RequestError
from geometry_msgs.msg import PoseStamped


def compute_fk(request: Any, response: Any, robot: Robot, frames: Frames,
               current: Mapping[str, float], stamp: Any) -> Any:
    """
    Answer a ``GetPositionFK.Request``: the poses of the known links, in the order of the request.

    :param frames: seen from the root of the robot.
    :param current: joint positions from joint_states, empty before the first.
    :param stamp: the time now, for the poses.
    """
    try:
        code, text = _fill(request, response, robot, frames, current, stamp)
    except RequestError as refusal:
        code, text = refusal.code, str(refusal)
    fill_error(response.error_code, code, text)
    return response


def _fill(request: Any, response: Any, robot: Robot, frames: Frames,
          current: Mapping[str, float], stamp: Any) -> tuple[ErrorCode, str]:
    if not request.fk_link_names:
        return ErrorCode.INVALID_LINK_NAME, 'no link is asked for'
    state = requested_state(request.robot_state, robot, current)
    model = robot.model
    frame, x_frame_root, trouble = _frame(
        request.header.frame_id, model.root, frames, state, current)
    q = model.whole.configuration(state, strict=False)
    unknown = []
    for link in request.fk_link_names:
        if link not in model.links:
            unknown.append(link)
            continue
        stamped = PoseStamped()
        stamped.header.frame_id, stamped.header.stamp = frame, stamp
        fill_pose(stamped.pose, x_frame_root @ model.whole.fk(q, link))
        response.pose_stamped.append(stamped)
        response.fk_link_names.append(link)
    if trouble:
        return ErrorCode.FRAME_TRANSFORM_FAILURE, f'{trouble}; the poses are in {model.root!r}'
    if unknown:
        return (ErrorCode.INVALID_LINK_NAME,
                f'there is no link {listing(unknown)}{nearest(unknown[0], model.links)}')
    return ErrorCode.SUCCESS, ''


def _frame(asked: str, root: str, frames: Frames, state: Mapping[str, float],
           current: Mapping[str, float]) -> tuple[str, Pose, str]:
    """Return the frame to answer in, the root in that frame, and what went wrong, if anything."""
    try:
        return asked or root, frames.pose(asked, state, current or None).inverse(), ''
    except FrameError as error:
        return root, Pose.identity(), str(error)
