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
"""Poses as numbers: typed for the goal, copied of goal and tool, in the frame of any link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dq_ik.pose import Pose
from dq_ik.stream.texts import parse_pose, pose_texts, ROTATIONS
from dq_ik.viewer.panel import Mirror, on_change, on_choice
from dq_ik.viewer.parts.copy_box import CopyBox

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

POSE, FRAME, ROTATION_AS = 'Pose as numbers', 'In frame', 'Rotation as'
POSITION, ROTATION, GO, READ = 'Position [m]', 'Rotation', 'Go to pose', 'Read goal'
PERIOD = 0.2  # between two updates of the numbers [s]


class PoseFields:
    """Two texts for the goal of the chosen tip, and the pose of its tool to be copied."""

    def __init__(self, page: Page) -> None:
        """Add the fields; they show the goal until somebody types."""
        self._page, gui = page, page.server.gui
        links = (page.chain.base, *(link for link in page.chain.model.links
                                    if link != page.chain.base))
        with gui.add_folder(POSE):
            self._position = Mirror(gui.add_text(POSITION, '', hint='x, y, z'), self._type)
            self._rotation = Mirror(gui.add_text(ROTATION, ''), self._type)
            buttons = gui.add_button_group('', (GO, READ))
            self._frame = gui.add_dropdown(FRAME, links)
            self._kind = gui.add_dropdown(ROTATION_AS, ROTATIONS)
            self._tool = CopyBox(gui, 'pose of the tool')
        self._is_typed = False
        self._time = 0.0
        for choice in (self._frame, self._kind):
            on_change(choice, self._read)
        on_choice(buttons, {GO: page.notes.told(self._go), READ: self._read})
        page.on_tick.append(self._tick)

    def _type(self, _: str) -> None:
        self._is_typed = True

    def _go(self) -> None:
        """Send the pose that is typed."""
        pose = parse_pose(self._position.value, self._rotation.value, self._kind.value)
        self._page.set_goals({self._page.panel.tip: self._x_base_frame() @ pose})
        self._is_typed = False

    def _read(self, _: str = '') -> None:
        """Show the goal as it is, instead of what is typed."""
        self._is_typed = False
        self._show()

    def _x_base_frame(self) -> Pose:
        """Return the chosen frame in that of the base, as the joints are now."""
        poses = self._page.chain.model.link_poses(self._page.positions)
        return poses[self._page.chain.base].inverse() @ poses[self._frame.value]

    def _tick(self, now: float) -> None:
        if now - self._time >= PERIOD:
            self._time = now
            if self._page.goals[self._page.panel.tip].is_dragged:
                self._is_typed = False
            self._show()

    def _show(self) -> None:
        tip = self._page.panel.tip
        x_frame_base = self._x_base_frame().inverse()
        tool = pose_texts(x_frame_base @ self._page.tool_poses()[tip], self._kind.value)
        self._tool.show('\n'.join(tool))
        if not self._is_typed:
            texts = pose_texts(x_frame_base @ self._page.goals[tip].pose, self._kind.value)
            for field, text in zip((self._position, self._rotation), texts):
                field.show(text)
