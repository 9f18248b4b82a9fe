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
"""The editor of key poses: save, recall, order, play, export and import."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dq_ik.stream.key_path import After, KeyPath, motion_text
from dq_ik.stream.key_poses import KeyPose, KeyPoses
from dq_ik.viewer.gizmo import POSE
from dq_ik.viewer.panel import on_choice, show_value
import viser

if TYPE_CHECKING:
    from dq_ik.viewer.page import Page

NAME, SAVE, RENAME, POSES = 'Name', 'Save', 'Rename', 'Pose'
RECALL, DELETE, EARLIER, LATER = 'Recall', 'Delete', 'Earlier', 'Later'
PLAY, STOP, LOOP = 'Play', 'Stop', 'Loop'
EXPORT, CSV, IMPORT = 'Export', 'CSV', 'Import'
NOTHING = '(none saved)'
HINT = ('Drag the goals, save a key pose, and so on; then play. Goals that you do not drag stay '
        'where they are.')
LIST = ('<div style="padding:0.2em 0.9em;font-size:0.8em;line-height:1.5;'
        'overflow-wrap:anywhere" data-role="poses">'
        '{}</div>')


class KeyPoseEditor:
    """Key poses of this page, and what is done with them."""

    def __init__(self, page: Page) -> None:
        """Add the controls; there are no key poses yet."""
        self._page, gui = page, page.server.gui
        self.poses = KeyPoses()
        told = page.notes.told
        self._list = gui.add_html('')
        self._name = gui.add_text(NAME, self.poses.free_name())
        on_choice(gui.add_button_group('', (SAVE, RENAME)),
                  {SAVE: told(self._save), RENAME: told(self._rename)})
        self._chosen = gui.add_dropdown(POSES, (NOTHING,))
        on_choice(gui.add_button_group('', (RECALL, DELETE)),
                  {RECALL: told(self._recall), DELETE: told(self._delete)})
        on_choice(gui.add_button_group('Order', (EARLIER, LATER)), {
            EARLIER: told(lambda: self._move(-1)), LATER: told(lambda: self._move(1))})
        on_choice(gui.add_button_group('Motion', (PLAY, STOP)),
                  {PLAY: told(self._play), STOP: page.stop})
        self._loop = gui.add_checkbox(LOOP, False, hint='Begin again after the last pose')
        files = gui.add_button_group('File', (EXPORT, CSV))
        upload = gui.add_upload_button(IMPORT, mime_type='application/json')

        @upload.on_upload
        async def _(event: viser.GuiEvent) -> None:
            told(self._load)(event.target.value)

        @files.on_click
        async def _(event: viser.GuiEvent) -> None:
            told(self._export)(event.target.value, event.client)
        self._show()

    def _save(self) -> None:
        """Save joints and goals as they are; goals that are no poses are where the tools are."""
        page = self._page
        with page.lock:
            tools = page.tool_poses()
            goals = {tip: goal.pose if goal.kind == POSE else tools[tip]
                     for tip, goal in page.goals.items()}
            self.poses.save(KeyPose.at(self._name.value, page.chain, page.q, goals))
        self._show(self._name.value)
        show_value(self._name, self.poses.free_name())

    def _rename(self) -> None:
        self.poses.rename(self._chosen.value, self._name.value)
        self._show(self._name.value)
        show_value(self._name, self.poses.free_name())

    def _recall(self) -> None:
        self._page.go_to(self.poses[self._chosen.value].q(self._page.chain))

    def _delete(self) -> None:
        self.poses.delete(self._chosen.value)
        self._show()

    def _move(self, by: int) -> None:
        self.poses.move(self._chosen.value, by)
        self._show(self._chosen.value)

    def _path(self) -> KeyPath:
        return KeyPath.through(self._page.chain, list(self.poses), self._page.panel.speed,
                               self._loop.value)

    def _play(self) -> None:
        """Lead the goals to the first key pose, then through all; the solver follows."""
        page, path = self._page, self._path()
        goals = {tip: goal.pose for tip, goal in page.goals.items()}
        now = KeyPose.at('now', page.chain, page.q, goals)
        page.play(After(KeyPath.through(page.chain, [now, path.poses[0]], page.panel.speed), path))

    def _export(self, what: str, client: viser.ClientHandle | None) -> None:
        chain = self._page.chain
        if what == EXPORT:
            name, text = 'key_poses.json', self.poses.to_json(chain)
        else:
            name, text = 'motion.csv', motion_text(chain, self._path())
        if client is not None:
            client.send_file_download(name, text.encode(), save_immediately=True)

    def _load(self, file: viser.UploadedFile) -> None:
        count = self.poses.load(file.content.decode(errors='replace'), self._page.chain)
        self._show()
        self._page.notes.say(f'{count} key poses were read from {file.name}.')

    def _show(self, chosen: str = '') -> None:
        """Show the names in order."""
        names = self.poses.names
        self._chosen.options = names or (NOTHING,)
        if chosen in names:
            show_value(self._chosen, chosen)
        self._list.content = LIST.format(' &rarr; '.join(map(escape, names)) or HINT)
