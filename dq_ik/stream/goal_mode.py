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
"""What of a pose a stream asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dq_ik.goal import Goal
from dq_ik.pose import Pose
from dq_ik.stream.settings import StreamSettings


def goal_maker(settings: StreamSettings) -> Callable[[Goal | Pose, str], Goal | Pose]:
    """
    Return the function that turns a goal and a tip into a goal of the chosen ``goal_mode``.

    A goal whose pose is not its target stays as it is: the mode could not be about it.
    """
    extras: dict[str, dict[str, Any]] = {
        'pose': {}, 'position': {'rotation_weight': 0.0}, 'orientation': {'position_weight': 0.0},
        'axis': {'axis': settings.goal_axis}}
    extra = extras[settings.goal_mode]

    def make(goal: Goal | Pose, tip: str) -> Goal | Pose:
        if not extra or (isinstance(goal, Goal) and not goal.asks_for_pose):
            return goal
        if isinstance(goal, Goal):
            return replace(goal, **extra)
        return Goal(goal, tip=tip, **extra)
    return make
