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
"""The parts of the panel: a line for each, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dq_ik.viewer.panel import GOAL, JOINTS, POSES, VIEW, WORLD
from dq_ik.viewer.parts.clearance import add_clearance
from dq_ik.viewer.parts.elbow import Elbow
from dq_ik.viewer.parts.help_card import add_help
from dq_ik.viewer.parts.jog_buttons import add_jog_buttons
from dq_ik.viewer.parts.joint_sliders import JointSliders
from dq_ik.viewer.parts.key_poses import KeyPoseEditor
from dq_ik.viewer.parts.keys import add_keys
from dq_ik.viewer.parts.objects import add_objects
from dq_ik.viewer.parts.pose_fields import PoseFields
from dq_ik.viewer.parts.robot_choice import add_robot_choice
from dq_ik.viewer.parts.solutions import Solutions
from dq_ik.viewer.parts.view_buttons import add_view_buttons

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

#: tab, and what adds a part to it; what a part does at each tick it adds to ``page.on_tick``
PARTS: tuple[tuple[str, Callable[[Page], object]], ...] = (
    (GOAL, PoseFields),
    (GOAL, add_jog_buttons),
    (JOINTS, JointSliders),
    (JOINTS, Elbow),
    (JOINTS, Solutions),
    (POSES, KeyPoseEditor),
    (WORLD, add_clearance),
    (WORLD, add_objects),
    (VIEW, add_robot_choice),
    (VIEW, add_view_buttons),
    (VIEW, add_help),
    (VIEW, add_keys),
)
