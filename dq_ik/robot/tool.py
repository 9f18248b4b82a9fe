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
"""A tool on a robot: one more link, without a change of its URDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dq_ik.errors import ChainError, listing, OptionError
from dq_ik.pose import Pose
from dq_ik.robot.build import build_model
from dq_ik.robot.model import Joint, JointKind, RobotModel


def tool_pose(offset: Sequence[float]) -> Pose:
    """Return the pose of a tool in its tip; nothing, three or six numbers say it."""
    return Pose.from_xyz_rpy(offset[:3] or (0.0, 0.0, 0.0), offset[3:] or (0.0, 0.0, 0.0))


def with_tool(model: RobotModel, base: str | None, tips: Sequence[str] | None,
              offset: Sequence[float]) -> tuple[RobotModel, Sequence[str] | None]:
    """
    Return a robot with a tool on its only tip, and the tips that it has then.

    The tool is a link ``<tip>_tool``, fixed to the tip, so that goals, frames and services know
    it by name.

    :param offset: pose of the tool in the tip: x, y, z [m], and roll, pitch, yaw [rad] if it is
        turned; empty or all zero: no tool
    :raises ChainError: if there are several tips
    """
    if len(offset) not in (0, 3, 6):
        raise OptionError('a tool offset is x, y, z or x, y, z, roll, pitch, yaw; got '
                          f'{list(offset)}')
    if not any(offset):
        return model, tips
    on = model.chain(base, tips).tips
    if len(on) != 1:
        raise ChainError(f'a tool offset is for one tip, and there are {listing(on)}')
    name, pose = f'{on[0]}_tool', tool_pose(offset)
    joint = Joint(name, JointKind.FIXED, on[0], name, pose)
    longer = build_model(model.name, (*model.joints, joint), (*model.links, name))
    return replace(longer, source=model.source), (name,)
